#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/table/common_columns.h"
#include "pipeline/contention/single_contention.h"

namespace takt {
namespace {

constexpr ColumnText resource_text{
    "resource", "Resource",
    "The resource that a load stresses. On real devices compute (multiply-adds), memory (bandwidth) or cache "
    "(last-level); in a simulated pipeline a resource of its description."};

constexpr Column<LoadedRow> loaded_columns[] = {
    {common::stage, [](const LoadedRow& r) -> Cell { return r.stage; }},
    {resource_text, [](const LoadedRow& r) -> Cell { return r.resource; }},
    {"level", "Level", [](const LoadedRow& r) -> Cell { return r.level; },
     "Intensity of the load, as a ratio to its maximum: of the time, or of the last-level cache."},
    {"loaded_factor", "Under load", [](const LoadedRow& r) -> Cell { return r.slow_down.value; },
     "Slowdown of the stage under the load; the median of the rounds."},
    {"loaded_low", "From", [](const LoadedRow& r) -> Cell { return r.slow_down.low; },
     "Lower end of the 95 % interval of the slowdown under the load, from the differences between rounds."},
    {"loaded_high", "To", [](const LoadedRow& r) -> Cell { return r.slow_down.high; },
     "Upper end of the 95 % interval of the slowdown under the load."},
};

constexpr Column<PressureRow> pressure_columns[] = {
    {common::stage, [](const PressureRow& r) -> Cell { return r.stage; }},
    {resource_text, [](const PressureRow& r) -> Cell { return r.resource; }},
    {"load_lost", "Load slowdown", [](const PressureRow& r) -> Cell { return r.load_lost.value; },
     "Slowdown of the load, at its full level, while the stage runs; the median of the rounds."},
    {"pressure", "Pressure", [](const PressureRow& r) -> Cell { return r.pressure.value; },
     "The level of the load that slows other stages down as much as the stage does, 0 (not at all) to 2 (twice the "
     "load's maximum); beyond 1, sensitivities are extrapolated."},
    {"pressure_low", "CI low", [](const PressureRow& r) -> Cell { return r.pressure.low; },
     "Lower end of the 95 % interval of the pressure, from the differences between rounds."},
    {"pressure_high", "CI high", [](const PressureRow& r) -> Cell { return r.pressure.high; },
     "Upper end of the 95 % interval of the pressure."},
    {"weaker_share", "Weaker share", [](const PressureRow& r) -> Cell { return r.weaker_share; },
     "If several resources slow the stage down: the weight of the smaller slowdowns in addition to the largest, on a "
     "logarithmic scale: 0 none, 1 full (they multiply)."},
};

constexpr Column<PredictionRow> prediction_columns[] = {
    {common::stage, [](const PredictionRow& r) -> Cell { return r.stage; }},
    {common::beside, [](const PredictionRow& r) -> Cell { return r.beside; }},
    {"measured_factor", "Measured", [](const PredictionRow& r) { return optional_cell(r.measured); },
     "Slowdown of the stage while the co-running stage runs, measured with both running concurrently. Empty if the two "
     "hardly ever ran concurrently."},
    {"predicted_factor", "Predicted", [](const PredictionRow& r) -> Cell { return r.predicted.value; },
     "Slowdown of the stage while the co-running stage runs, from its own sensitivity and the other's pressure, each "
     "measured under loads only."},
    {"predicted_low", "From", [](const PredictionRow& r) -> Cell { return r.predicted.low; },
     "Lower end of the 95 % interval of the predicted slowdown, from the differences between rounds."},
    {"predicted_high", "To", [](const PredictionRow& r) -> Cell { return r.predicted.high; },
     "Upper end of the 95 % interval of the predicted slowdown."},
    {"prediction_error", "Error", [](const PredictionRow& r) { return optional_cell(r.error); },
     "Predicted / measured slowdown minus 1, as a ratio. Empty if it was not measured."},
};

constexpr TableDefinition<LoadedRow> loaded_definition{"loaded",
                                                       "Slowdown of each stage under a load: a row per stage, resource "
                                                       "and level. Rows in brackets describe the loads themselves.",
                                                       loaded_columns};
constexpr TableDefinition<PressureRow> pressures_definition{
    "pressures", "How much each stage slows others down: a row per stage and resource.", pressure_columns};
constexpr TableDefinition<PredictionRow> predictions_definition{
    "predictions", "Slowdowns predicted from single stages, next to the measured ones: a row per pair.",
    prediction_columns};

/// For people: a row per stage and resource; what the stage does, and what the load at full level does to it.
Table overview_of(const SingleReport& report) {
  Table overview{"overview",
                 {{"", "Stage", ""},
                  {"", "Alone", ""},
                  {"", "Drift %", ""},
                  {"", "Resource", ""},
                  {"", "Pressure", ""},
                  {"", "At full load", ""}},
                 {}};
  const std::size_t resources = report.resources.size();
  if (report.stages.empty()) return overview;
  const std::size_t levels = report.loaded.size() / resources / (report.stages.size() + resources);
  for (std::size_t row = 0; row < report.pressures.size(); ++row) {
    const AloneRow& alone = report.alone[row / resources];
    overview.rows.push_back({alone.stage, optional_cell(alone.mean), alone.drift ? Cell(*alone.drift * 100) : Cell(),
                             report.pressures[row].resource, report.pressures[row].pressure.value,
                             report.loaded[(row + 1) * levels - 1].slow_down.value});
  }
  return overview;
}

}  // namespace

std::vector<Table> single_tables(const SingleReport& report) {
  return {loaded_definition.make(report.loaded), pressures_table(report.pressures)};
}

Table pressures_table(const std::vector<PressureRow>& rows) { return pressures_definition.make(rows); }

Table predictions_table(const PredictionCheck& check) { return predictions_definition.make(check.rows); }

std::vector<TableSchema> single_schemas() {
  return {loaded_definition.schema(), pressures_definition.schema(), predictions_definition.schema()};
}

std::string to_text(const SingleReport& report, const TextStyle& style) {
  return "Pressure of each stage on others (1: as much as a load at full level), and its\nslowdown under that load\n"
         "\n" +
         to_text(overview_of(report), style);
}

std::string to_text(const PredictionCheck& check, const TextStyle& style) {
  std::string text = "Slowdowns of pairs, predicted from single stages\n\n" + to_text(predictions_table(check), style);
  if (!check.mean_error) return text + "No pair ran concurrently, so no prediction was checked.\n";
  const auto measured = std::count_if(check.rows.begin(), check.rows.end(), [](const auto& r) { return r.error; });
  const auto worst = std::max_element(check.rows.begin(), check.rows.end(), [](const auto& a, const auto& b) {
    return std::abs(a.error.value_or(0)) < std::abs(b.error.value_or(0));
  });
  return text + fmt::format("\nMean error {:.1f} %, maximum {:.1f} % ({} with {}), over {} {}.\n",
                            *check.mean_error * 100, *check.largest_error * 100, worst->stage, worst->beside, measured,
                            measured == 1 ? "pair" : "pairs");
}

}  // namespace takt
