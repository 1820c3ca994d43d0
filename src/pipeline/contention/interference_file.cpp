#include "pipeline/contention/interference_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/strict_json.h"

namespace takt {
namespace {

using Json = nlohmann::json;

constexpr double least_law_factor = 0.01, most_law_factor = 1e6;  // what a law allows

[[noreturn]] void refuse_row(const std::string& origin, const std::string& what) {
  refuse_input(fmt::format("{}: {}; measure again", printable(origin), what));
}

[[noreturn]] void refuse_file(const std::string& origin) {
  refuse_input(
      fmt::format("{}: has no measured slowdowns; make them with 'takt pipeline interference FILE.yaml --save'",
                  printable(origin)));
}

/// The rows of a table; throws Json::exception where there is none.
const Json& rows_of(const Json& file, const char* table) {
  const Json& rows = file.at("tables").at(table);
  return rows.get_ref<const Json::array_t&>(), rows;
}

/// Throws Json::exception where it is no number.
std::optional<double> number_of(const Json& row, const char* key, const std::string& origin) {
  constexpr double most = 1e9;
  const auto found = row.find(key);
  if (found == row.end() || found->is_null()) return std::nullopt;
  const auto value = found->get<double>();
  if (!(std::abs(value) <= most)) refuse_row(origin, fmt::format("{} is {}, which is not within {}", key, value, most));
  return value;
}

/// A word of a column that has but two.
bool is_first_word(const Json& word, const char* first, const char* second, const std::string& origin) {
  const auto& text = word.get_ref<const std::string&>();
  if (text != first && text != second)
    refuse_row(origin, fmt::format("'{}' is neither {} nor {}", printable(text), first, second));
  return text == first;
}

PairRow pair_of(const Json& json, const std::string& origin) {
  PairRow row;
  row.stage = json.at("stage").get<std::string>();
  row.beside = json.at("beside").get<std::string>();
  row.overlap = number_of(json, "overlap", origin);
  row.factor = number_of(json, "factor", origin);
  row.low = number_of(json, "factor_low", origin);
  row.high = number_of(json, "factor_high", origin);
  row.predicted = json.contains("source") && is_first_word(json.at("source"), "predicted", "measured", origin);
  if (!row.predicted) row.p_value = json.at("p_value").get<double>();
  row.significant = is_first_word(json.at("significant"), "yes", "no", origin);
  return row;
}

void check(const PairRow& row, const std::string& origin) {
  const std::string pair = fmt::format("of '{}' with '{}'", printable(row.stage), printable(row.beside));
  const auto possible = [](double factor) { return factor >= least_law_factor && factor <= most_law_factor; };
  if (row.factor ? !possible(*row.factor) : row.significant)
    refuse_row(origin, fmt::format("the slowdown {} is missing or is not a factor of {} to {}", pair, least_law_factor,
                                   most_law_factor));
  if (row.low && row.high && *row.low > *row.high)
    refuse_row(origin, fmt::format("the interval of the slowdown {} ends before it begins", pair));
  if (!(row.p_value >= 0 && row.p_value <= 1))
    refuse_row(origin, fmt::format("the p_value of the slowdown {} is not a probability", pair));
}

Json parse_file(std::string_view json, const std::string& origin) {
  if (!Json::accept(json)) refuse_file(origin);
  return parse_strictly(json, printable(origin));
}

/// Stages or resources in the order in which they are first named.
struct NamedPlaces {
  std::vector<std::string>& names;
  std::map<std::string, std::size_t> places{};

  std::size_t of(const std::string& name) {
    const auto [place, is_new] = places.emplace(name, names.size());
    if (is_new) names.push_back(name);
    return place->second;
  }
};

double number_between(const Json& row, const char* key, double least, double most, const std::string& origin) {
  const double value = row.at(key).get<double>();
  if (!(value >= least && value <= most))
    refuse_row(origin, fmt::format("{} of stage '{}' is {}, which is not within {} to {}", key,
                                   printable(row.at("stage").get<std::string>()), value, least, most));
  return value;
}

/// By stage and resource: what a stage does, and its slow-downs by level.
struct StageRows {
  double pressure = 0, weaker_share = 1;
  std::map<double, double> slow_downs;
};
using RowsByPlace = std::map<std::pair<std::size_t, std::size_t>, StageRows>;

RowsByPlace stage_rows(const Json& file, KnownStages& known, const std::string& origin) {
  RowsByPlace rows;
  NamedPlaces stages{known.stages}, resources{known.resources};
  for (const Json& row : rows_of(file, "pressures")) {
    const std::size_t s = stages.of(row.at("stage").get<std::string>());
    const std::size_t r = resources.of(row.at("resource").get<std::string>());
    if (rows.contains({s, r}))
      refuse_row(origin, fmt::format("the pressure of '{}' on '{}' is listed twice", printable(known.stages[s]),
                                     printable(known.resources[r])));
    rows[{s, r}] = {number_between(row, "pressure", 0, most_pressure, origin),
                    number_between(row, "weaker_share", 0, 2, origin),
                    {}};
  }
  for (const Json& row : rows_of(file, "loaded")) {
    const auto& name = row.at("stage").get_ref<const std::string&>();
    if (name.starts_with('[')) continue;  // of a load
    const std::size_t s = stages.of(name), r = resources.of(row.at("resource").get<std::string>());
    const double level = number_between(row, "level", 1e-6, 1, origin);
    const double factor = number_between(row, "loaded_factor", least_law_factor, most_law_factor, origin);
    if (!rows.contains({s, r}) || !rows[{s, r}].slow_downs.emplace(level, factor).second)
      refuse_row(origin,
                 fmt::format("stage '{}' under the load of '{}' at level {} has no pressure, or is listed twice",
                             printable(name), printable(known.resources[r]), level));
  }
  return rows;
}

std::vector<double> levels_of(const StageRows& rows) {
  std::vector<double> levels;
  for (const auto& [level, factor] : rows.slow_downs) levels.push_back(level);
  return levels;
}

StageContention contention_of(std::size_t stage, const KnownStages& known, const RowsByPlace& rows,
                              const std::string& origin) {
  StageContention result;
  const auto first = levels_of(rows.begin()->second);
  for (std::size_t r = 0; r < known.resources.size(); ++r) {
    const auto found = rows.find({stage, r});
    if (found == rows.end() || levels_of(found->second) != first || first.empty() || first.back() != 1)
      refuse_row(origin, fmt::format("stage '{}' does not have the resource '{}' or one of its levels up to 1",
                                     printable(known.stages[stage]), printable(known.resources[r])));
    std::vector<double> factors;
    for (const auto& [level, factor] : found->second.slow_downs) factors.push_back(factor);
    result.sensitivity.emplace_back(first, factors);
    result.pressure.push_back(found->second.pressure);
    result.weaker_share = found->second.weaker_share;
  }
  return result;
}

}  // namespace

std::vector<PairRow> parse_interference(std::string_view json, const std::string& origin) try {
  const Json file = parse_file(json, origin);
  std::vector<PairRow> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Json& row : rows_of(file, "pairs")) {
    pairs.push_back(pair_of(row, origin));
    check(pairs.back(), origin);
    if (!seen.emplace(pairs.back().stage, pairs.back().beside).second)
      refuse_row(origin, fmt::format("'{}' with '{}' is listed twice", printable(pairs.back().stage),
                                     printable(pairs.back().beside)));
  }
  return pairs;
} catch (const Json::exception&) {
  refuse_file(origin);
}

std::vector<PairRow> read_interference(const std::filesystem::path& file) {
  return parse_interference(read_file(file), file.string());
}

const StageContention* KnownStages::find(std::string_view stage) const {
  const auto found = std::find(stages.begin(), stages.end(), stage);
  return found == stages.end() ? nullptr : &contentions[static_cast<std::size_t>(found - stages.begin())];
}

std::optional<double> KnownStages::slow_down(std::string_view stage, std::string_view beside) const {
  const StageContention *one = find(stage), *other = find(beside);
  if (!one || !other) return std::nullopt;
  return predicted_slow_down(*one, *other);
}

std::optional<KnownStages> parse_known_stages(std::string_view json, const std::string& origin) try {
  const Json file = parse_file(json, origin);
  rows_of(file, "pairs");
  if (!file.at("tables").contains("pressures")) return std::nullopt;
  KnownStages known;
  const RowsByPlace rows = stage_rows(file, known, origin);
  if (rows.empty()) refuse_row(origin, "no stage has a pressure");
  for (std::size_t s = 0; s < known.stages.size(); ++s)
    known.contentions.push_back(contention_of(s, known, rows, origin));
  return known;
} catch (const Json::exception&) {
  refuse_file(origin);
}

std::optional<KnownStages> read_known_stages(const std::filesystem::path& file) {
  return parse_known_stages(read_file(file), file.string());
}

}  // namespace takt
