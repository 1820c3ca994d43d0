#include "measure/run/memory.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/basics/text.h"
#include "base/basics/units.h"
#include "model/graph/footprint.h"

namespace takt {
namespace {

using Bytes = std::optional<std::int64_t>;

std::string json_bytes(const Bytes& bytes) { return bytes ? std::to_string(*bytes) : "null"; }

void say(std::vector<std::string>& words, std::string_view form, const Bytes& bytes) {
  if (bytes) words.push_back(fmt::format(fmt::runtime(form), format_bytes(static_cast<double>(*bytes))));
}

}  // namespace

ModelMemory model_memory(const RunResult& result) {
  if (!result.graph) return {};
  return {weight_bytes(*result.graph), activation_peak_bytes(*result.graph)};
}

std::string memory_line(const RunResult& result, std::size_t width) {
  std::vector<std::string> resident, own;
  if (const auto& pass = result.plain ? result.plain : result.profiled) {
    say(resident, "{} while loading", pass->memory.loading);
    say(resident, "{} while running", pass->memory.running);
    say(resident, "{} before", pass->memory.before);
  }
  const ModelMemory model = model_memory(result);
  say(own, "weights {}", model.weights);
  say(own, "activations {} at most", model.activations);
  if (resident.empty() && own.empty()) return "";
  const std::string first = fmt::format("Memory {}", fmt::join(resident, ", "));
  const std::string second = fmt::format("{}", fmt::join(own, ", "));
  if (resident.empty() || own.empty()) return first + second + "\n";
  const bool fits = display_width(first) + 2 + display_width(second) <= width;
  return first + (fits ? "; " : ";\n       ") + second + "\n";
}

std::string memory_json(const RunResult& result) {
  std::vector<std::string> members;
  for (const auto* pass : {&result.plain, &result.profiled})
    if (*pass)
      members.push_back(fmt::format(R"("{}": {{"base_bytes": {}, "load_peak_bytes": {}, "run_peak_bytes": {}}})",
                                    (*pass)->profiled ? "profiled" : "plain", json_bytes((*pass)->memory.before),
                                    json_bytes((*pass)->memory.loading), json_bytes((*pass)->memory.running)));
  const ModelMemory model = model_memory(result);
  members.push_back(fmt::format(R"("weight_bytes": {}, "activation_peak_bytes": {}, "process_peak_bytes": {})",
                                json_bytes(model.weights), json_bytes(model.activations),
                                json_bytes(result.process_peak)));
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

}  // namespace takt
