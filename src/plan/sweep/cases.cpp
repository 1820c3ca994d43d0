#include "plan/sweep/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"

namespace takt {
namespace {

using Json = nlohmann::json;
using Numbers = std::initializer_list<std::int64_t>;

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1;  // runtimes count in 32 bits

/// Every number of thousands of nodes with every number of edges per node.
void add_ratios(std::vector<GraphSize>& sizes, Numbers thousands, Numbers ratios) {
  for (const std::int64_t thousand : thousands)
    for (const std::int64_t ratio : ratios) sizes.push_back({1000 * thousand, 1000 * thousand * ratio});
}

/// Every pair of these in which there are no fewer edges than nodes.
void add_triangle(std::vector<GraphSize>& sizes, Numbers thousands) {
  for (const std::int64_t nodes : thousands)
    for (const std::int64_t edges : thousands)
      if (edges >= nodes) sizes.push_back({1000 * nodes, 1000 * edges});
}

std::vector<GraphSize> sizes_of_set(std::string_view name) {
  std::vector<GraphSize> sizes;
  if (name == "15") add_triangle(sizes, {1, 2, 3, 5, 10});
  if (name == "18") add_ratios(sizes, {1, 5, 10, 20, 50, 100}, {5, 10, 20});
  if (name == "35") {
    add_ratios(sizes, {1, 2, 5}, {5, 10, 20, 40, 60, 80, 120});
    add_ratios(sizes, {10, 20}, {5, 10, 50, 100});
    add_ratios(sizes, {50, 80, 100}, {10, 50});
  }
  if (name == "42") add_ratios(sizes, {5, 10, 20, 50, 80, 100}, {10, 25, 40, 50, 60, 75, 100});
  if (name == "55") add_ratios(sizes, {1, 5, 10, 20, 30, 40, 50, 60, 80, 100, 150}, {2, 3, 5, 7, 10});
  return sizes;
}

/// A whole number from `least` to `most` under `key`.
std::int64_t count_in(const Json& object, const char* key, std::int64_t least, std::string_view where) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) refuse_input(fmt::format("{}: has no '{}'", where, key));
  const bool is_count = found->is_number_integer() && (!found->is_number_unsigned() ||
                                                       found->get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
  const auto value = is_count ? found->get<std::int64_t>() : -1;
  if (value < least || value > most)
    refuse_input(fmt::format("{}: '{}' is {}; give a whole number from {} to {}", where, key, JsonObject::shown(*found),
                             least, most));
  return value;
}

Json parsed(std::string_view json, std::string_view where) {
  Json file = strict_json_in(json).value_or(Json());
  if (!file.is_object() || !file.contains("test_cases") || !file["test_cases"].is_array())
    refuse_input(
        fmt::format("{}: is not a file of cases; write {{\"test_cases\": [{{\"nodes\": 1000, \"edges\": 2000}}]}}, or "
                    "name a set: {}",
                    where, fmt::join(case_sets(), ", ")));
  return file;
}

}  // namespace

const std::vector<std::string>& case_sets() {
  static const std::vector<std::string> names{"15", "18", "35", "42", "55"};
  return names;
}

SweepCases parse_cases(std::string_view json, std::string_view where) {
  const Json file = parsed(json, where);
  SweepCases cases;
  if (const auto config = file.find("config"); config != file.end()) {
    if (config->contains("feature_dim")) cases.features = count_in(*config, "feature_dim", 1, where);
    if (config->contains("num_warmup")) cases.warmup = count_in(*config, "num_warmup", 0, where);
    if (config->contains("num_iterations")) cases.iterations = count_in(*config, "num_iterations", 1, where);
  }
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const Json& one : file["test_cases"]) {
    const std::string place = fmt::format("{}: case {}", where, cases.sizes.size() + 1);
    const GraphSize size{count_in(one, "nodes", 1, place), count_in(one, "edges", 0, place)};
    if (!seen.emplace(size.nodes, size.edges).second)
      refuse_input(fmt::format("{}: {} nodes and {} edges are listed twice", place, size.nodes, size.edges));
    cases.sizes.push_back(size);
  }
  if (cases.sizes.empty()) refuse_input(fmt::format("{}: has no cases", where));
  return cases;
}

SweepCases sweep_cases(const std::string& word) {
  const auto& sets = case_sets();
  if (std::find(sets.begin(), sets.end(), word) != sets.end()) return {.sizes = sizes_of_set(word)};
  if (number_in<std::int64_t>(word) && !std::filesystem::exists(word))
    refuse_input(
        fmt::format("the set of {} cases does not exist; name one of {}, or a file", word, fmt::join(sets, ", ")));
  return parse_cases(read_file(word), printable(word));
}

}  // namespace takt
