#include "replay/interference_file.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

namespace takt {
namespace {

using Json = nlohmann::json;

constexpr double least_law_factor = 0.01, most_law_factor = 1e6;  // what a law allows

std::optional<double> number_of(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found == row.end() || found->is_null() ? std::nullopt : std::optional(found->get<double>());
}

PairRow pair_of(const Json& json) {
  PairRow row;
  row.stage = json.at("stage").get<std::string>();
  row.beside = json.at("beside").get<std::string>();
  row.overlap = number_of(json, "overlap");
  row.factor = number_of(json, "factor");
  row.low = number_of(json, "factor_low");
  row.high = number_of(json, "factor_high");
  row.p_value = json.at("p_value").get<double>();
  row.significant = json.at("significant").get<std::string>() == "yes";
  return row;
}

void check(const PairRow& row, const std::string& origin) {
  const bool wrong =
      row.factor ? !(*row.factor >= least_law_factor && *row.factor <= most_law_factor) : row.significant;
  if (wrong)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: the slow-down of '{}' beside '{}' is missing or no factor of {} to {}; measure again",
                    printable(origin), printable(row.stage), printable(row.beside), least_law_factor, most_law_factor));
}

}  // namespace

std::vector<PairRow> parse_interference(std::string_view json, const std::string& origin) try {
  std::vector<PairRow> pairs;
  const Json file = Json::parse(json);
  for (const Json& row : file.at("tables").at("pairs")) {
    pairs.push_back(pair_of(row));
    check(pairs.back(), origin);
  }
  return pairs;
} catch (const Json::exception&) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: no measured slow-downs; make them with 'takt pipeline interference FILE.yaml --save'",
                          printable(origin)));
}

std::vector<PairRow> read_interference(const std::filesystem::path& file) {
  return parse_interference(read_file(file), file.string());
}

}  // namespace takt
