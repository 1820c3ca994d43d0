#include "predict/answer/evaluated_file.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"

namespace takt {
namespace {

using Json = nlohmann::json;
constexpr double longest_ms = 1e12;

std::optional<LoadShare> load_in(const JsonObject& row) {
  if (row.is_null("load_from")) return std::nullopt;
  if (row.is_null("load_factor")) return LoadShare{};
  return LoadShare{row.number("load_factor", 0), row.text("load_from"), false};
}

EvaluatedModel evaluated_in(const Json& json, const std::string& place) {
  const JsonObject row(
      json, place,
      {"model", "measured_ms", "predicted_ms", "low_ms", "high_ms", "error_percent", "inside", "noise_percent",
       "evaluate_round", "interval_runs", "load_factor", "load_from", "evaluate_problem"});
  EvaluatedModel model;
  model.model = row.text("model");
  if (!row.is_null("evaluate_round")) model.round = static_cast<int>(row.integer("evaluate_round", 1, 1000));
  if (!row.is_null("interval_runs")) model.interval_runs = row.integer("interval_runs", 1, 1'000'000'000);
  if (!row.is_null("evaluate_problem")) model.problem = row.text("evaluate_problem");
  if (!row.is_null("measured_ms")) model.measured_us = 1000 * row.number("measured_ms", 0, longest_ms);
  if (!row.is_null("noise_percent")) model.noise = row.number("noise_percent", 0) / 100;
  if (row.is_null("predicted_ms")) return model;
  constexpr double unknown = std::numeric_limits<double>::infinity();
  ModelPrediction& prediction = model.prediction.emplace();
  prediction.us = 1000 * row.number("predicted_ms", 0, longest_ms);
  prediction.low_us = 1000 * row.number("low_ms", 0, longest_ms);
  prediction.high_us = row.is_null("high_ms") ? unknown : 1000 * row.number("high_ms", 0, longest_ms);
  prediction.load = load_in(row);
  return model;
}

GroupErrors group_in(const Json& json, const std::string& place) {
  const JsonObject row(json, place,
                       {"kernel_group", "group_kernels", "group_measured_us", "group_predicted_us",
                        "group_share_percent", "mape", "bias_percent", "within_15"});
  GroupErrors group;
  group.group = kernel_group_named(row.text("kernel_group"), place);
  group.figures.count = static_cast<std::size_t>(row.integer("group_kernels", 1, 1'000'000'000));
  group.measured_us = row.number("group_measured_us", 0), group.predicted_us = row.number("group_predicted_us", 0);
  group.figures.mape = row.number("mape", 0) / 100;
  group.figures.bias = row.number("bias_percent", -100) / 100;
  group.figures.within_15 = row.number("within_15", 0, 100) / 100;
  return group;
}

/// What has to be the same in all files: the processor, and how was predicted and run.
struct EvaluationSettings {
  std::string cpu;
  Json settings;
};

std::string difference(const EvaluationSettings& first, const EvaluationSettings& other) {
  const auto differs = [](std::string_view what, const std::string& one, const std::string& two) {
    return fmt::format("{} {} instead of {}", what, printable(one), printable(two));
  };
  if (first.cpu != other.cpu) return differs("processor", other.cpu, first.cpu);
  for (const auto& [key, value] : first.settings.items())
    if (other.settings.value(key, Json()) != value)
      return differs(key, JsonObject::shown(other.settings.value(key, Json())), JsonObject::shown(value));
  return "";
}

}  // namespace

Evaluation merge_evaluations(const std::vector<std::filesystem::path>& files) {
  std::vector<EvaluatedModel> all;
  std::vector<GroupErrors> groups;
  std::optional<EvaluationSettings> first;
  std::set<std::pair<std::string, int>> seen;
  for (const std::filesystem::path& file : files) {
    const std::string place = printable(file.string());
    const Json json = parse_strictly(read_file(file), place);
    const JsonObject result(json, place, {"takt", "tables"});
    const Json& origin = result.object("takt");
    const Json& tables = result.object("tables");
    if (!tables.contains("models") || !tables.contains("groups") || !origin.contains("cpu") ||
        !origin.contains("settings"))
      refuse_input(fmt::format("{}: is not an evaluation; give what 'takt evaluate --format json' printed", place));
    const EvaluationSettings settings{JsonObject::text_in(origin["cpu"], place + ": 'cpu'"), origin["settings"]};
    if (!first) first = settings;
    if (const auto differs = difference(*first, settings); !differs.empty())
      refuse_input(fmt::format("{}: was evaluated differently from the first file ({}); leave it out", place, differs));
    for (const Json& row : JsonObject::list_in(tables["groups"], place + ": table 'groups'"))
      groups.push_back(group_in(row, place + ": table 'groups'"));
    for (const Json& row : JsonObject::list_in(tables["models"], place + ": table 'models'")) {
      all.push_back(evaluated_in(row, place + ": table 'models'"));
      if (!seen.emplace(all.back().model, all.back().round).second)
        refuse_input(fmt::format("{}: model '{}' is also in an earlier evaluation; leave one out", place,
                                 printable(all.back().model)));
    }
  }
  return {std::move(all), joined(groups)};
}

}  // namespace takt
