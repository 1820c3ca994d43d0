#include "report/results/execution.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "report/results/levels.h"
#include "report/timelines/families.h"

namespace takt {
namespace {

using nlohmann::json;

constexpr std::size_t largest_text = std::size_t{16} << 20;

const json& in(const json& object, const char* key) {
  static const json nothing;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : nothing;
}

/// In seconds in the file: the longest of its threads.
std::optional<Duration> time_of(const json& threads) {
  std::optional<double> longest;
  for (const auto& thread : threads.is_object() ? threads : json::object()) {
    const json &start = in(thread, "start"), &end = in(thread, "end");
    if (start.is_number() && end.is_number())
      longest = std::max(longest.value_or(0), end.get<double>() - start.get<double>());
  }
  return longest ? std::optional(Duration(*longest * 1e6)) : std::nullopt;
}

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

/// Which operator makes each result, and which is the last to read it.
class Results {
 public:
  Results(const json& graph, std::size_t steps) : graph_(graph), steps_(steps) {}

  /// Returns the steps that made what it reads, each once.
  std::vector<std::size_t> add(const json& op, std::size_t step) {
    std::set<std::size_t> makers;
    for (const auto& id : in(op, "input"))
      if (const auto made = spans_.find(text_of(id)); made != spans_.end())
        made->second.last = step, makers.insert(made->second.first);
    for (const auto& id : in(op, "output")) spans_.try_emplace(text_of(id), Span{step, {}});
    return {makers.begin(), makers.end()};
  }

  /// By step; empty: a size is not known.
  std::vector<std::int64_t> alive() const {
    std::vector<std::int64_t> change(steps_ + 1, 0);
    for (const auto& [id, span] : spans_) {
      const auto bytes = bytes_of(id);
      if (!bytes) return {};
      change[span.first] += *bytes;
      change[span.last.value_or(steps_ - 1) + 1] -= *bytes;
    }
    for (std::size_t step = 1; step < steps_; ++step) change[step] += change[step - 1];
    change.resize(steps_);
    return change;
  }

 private:
  struct Span {
    std::size_t first = 0;
    std::optional<std::size_t> last;  ///< none: nobody reads it
  };

  std::optional<std::int64_t> bytes_of(const std::string& id) const {
    const std::string chunk = text_of(in(in(in(in(graph_, "var"), id.c_str()), "mem_plan"), "mem_chunk_id"));
    const json& size = in(in(in(graph_, "mem_chunk"), chunk.c_str()), "size");
    constexpr std::int64_t most = std::int64_t{1} << 42;
    if (!size.is_number_integer() || size.get<double>() < 0 || size.get<double>() > most) return std::nullopt;
    return size.get<std::int64_t>();
  }

  const json& graph_;
  std::size_t steps_;
  std::unordered_map<std::string, Span> spans_;  ///< by the result's number
};

}  // namespace

std::vector<ReportStep> execution_of(std::string_view profile) {
  if (profile.empty() || profile.size() > largest_text) return {};
  const json read = json::parse(profile, nullptr, false);
  const json &graph = in(read, "graph_exec"), &device = in(in(read, "profiler"), "device");
  const json& order = in(graph, "comp_seq");
  if (!order.is_array()) return {};
  std::vector<ReportStep> steps;
  Results results(graph, order.size());
  for (const auto& id : order) {
    const json& op = in(in(graph, "operator"), text_of(id).c_str());
    const auto time = time_of(in(device, text_of(id).c_str()));
    if (!op.is_object() || !time || *time < Duration{}) continue;
    const std::string type = text_of(in(op, "type"));
    steps.push_back({text_of(in(op, "name")), type, family_of_type(type), *time, {}, results.add(op, steps.size())});
  }
  const auto alive = results.alive();
  for (std::size_t step = 0; step < steps.size() && step < alive.size(); ++step) steps[step].alive = alive[step];
  add_levels(steps);
  return steps;
}

}  // namespace takt
