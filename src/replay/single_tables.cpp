#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/table/common_columns.h"
#include "pipeline/contention/single_contention.h"

namespace takt {
namespace {

constexpr ColumnText resource_text{
    "resource", "Resource",
    "What a load presses on. On real devices compute (multiply-adds), memory (its bandwidth) or cache (the last one); "
    "in a simulated pipeline a resource of its description."};

constexpr Column<LoadedRow> loaded_columns[] = {
    {common::stage, [](const LoadedRow& r) -> Cell { return r.stage; }},
    {resource_text, [](const LoadedRow& r) -> Cell { return r.resource; }},
    {"level", "Level", [](const LoadedRow& r) -> Cell { return r.level; },
     "How much the load asks for, as a ratio to all that it can: of the time, or of the last cache."},
    {"loaded_factor", "Beside load", [](const LoadedRow& r) -> Cell { return r.slow_down.value; },
     "How many times as long the stage takes beside the load; the median of the rounds."},
    {"loaded_low", "From", [](const LoadedRow& r) -> Cell { return r.slow_down.low; },
     "Lower end of the 95 % interval of the slow-down beside the load, by how much the rounds differ."},
    {"loaded_high", "To", [](const LoadedRow& r) -> Cell { return r.slow_down.high; },
     "Upper end of the 95 % interval of the slow-down beside the load."},
};

constexpr Column<PressureRow> pressure_columns[] = {
    {common::stage, [](const PressureRow& r) -> Cell { return r.stage; }},
    {resource_text, [](const PressureRow& r) -> Cell { return r.resource; }},
    {"load_lost", "Load lost", [](const PressureRow& r) -> Cell { return r.load_lost.value; },
     "How many times as long the load takes for its work, at its full level, beside the stage; the median of the "
     "rounds."},
    {"pressure", "Pressure", [](const PressureRow& r) -> Cell { return r.pressure.value; },
     "The level of the load that does to others what the stage does, 0 (nothing) to 2 (twice what the load can do); "
     "beyond 1, sensitivities are extrapolated."},
    {"pressure_low", "Least", [](const PressureRow& r) -> Cell { return r.pressure.low; },
     "Lower end of the 95 % interval of the pressure, by how much the rounds differ."},
    {"pressure_high", "Most", [](const PressureRow& r) -> Cell { return r.pressure.high; },
     "Upper end of the 95 % interval of the pressure."},
    {"weaker_share", "Weaker count", [](const PressureRow& r) -> Cell { return r.weaker_share; },
     "Where several resources slow the stage down, what counts of the weaker slow-downs beside the largest, on a "
     "logarithmic scale: 0 nothing, 1 all of it (they multiply)."},
};

constexpr Column<PredictionRow> prediction_columns[] = {
    {common::stage, [](const PredictionRow& r) -> Cell { return r.stage; }},
    {common::beside, [](const PredictionRow& r) -> Cell { return r.beside; }},
    {"measured_factor", "Measured", [](const PredictionRow& r) { return optional_cell(r.measured); },
     "How many times as long the stage takes while the one beside it runs, measured with both at once. Missing where "
     "the two hardly ever ran at once."},
    {"predicted_factor", "Predicted", [](const PredictionRow& r) -> Cell { return r.predicted.value; },
     "How many times as long the stage takes while the one beside it runs, by its own sensitivity and the other's "
     "pressure, each measured beside loads only."},
    {"predicted_low", "From", [](const PredictionRow& r) -> Cell { return r.predicted.low; },
     "Lower end of the 95 % interval of the predicted slow-down, by how much the rounds differ."},
    {"predicted_high", "To", [](const PredictionRow& r) -> Cell { return r.predicted.high; },
     "Upper end of the 95 % interval of the predicted slow-down."},
    {"prediction_error", "Error", [](const PredictionRow& r) { return optional_cell(r.error); },
     "Predicted over measured slow-down minus 1, as a ratio. Missing where it was not measured."},
};

constexpr TableDefinition<LoadedRow> loaded_definition{
    "loaded",
    "What each stage suffers beside a load: a row per stage, resource and level. Rows in brackets are of the loads "
    "themselves.",
    loaded_columns};
constexpr TableDefinition<PressureRow> pressures_definition{
    "pressures", "What each stage does to others: a row per stage and resource.", pressure_columns};
constexpr TableDefinition<PredictionRow> predictions_definition{
    "predictions",
    "Slow-downs that were predicted from single stages, beside those that were measured: a row per pair.",
    prediction_columns};

/// For people: a row per stage and resource; what the stage does, and what the load at full level does to it.
Table overview_of(const SingleReport& report) {
  Table overview{"overview",
                 {{"", "Stage", ""},
                  {"", "Alone", ""},
                  {"", "Drift %", ""},
                  {"", "Resource", ""},
                  {"", "Pressure", ""},
                  {"", "Beside full load", ""}},
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
  return "What each stage does to others (1: as much as a load at full level), and how many times as long it takes\n"
         "beside that load\n\n" +
         to_text(overview_of(report), style);
}

std::string to_text(const PredictionCheck& check, const TextStyle& style) {
  std::string text = "What follows from single stages for pairs\n\n" + to_text(predictions_table(check), style);
  if (!check.mean_error) return text + "No pair ran at once, so no prediction was checked.\n";
  const auto measured = std::count_if(check.rows.begin(), check.rows.end(), [](const auto& r) { return r.error; });
  const auto worst = std::max_element(check.rows.begin(), check.rows.end(), [](const auto& a, const auto& b) {
    return std::abs(a.error.value_or(0)) < std::abs(b.error.value_or(0));
  });
  return text + fmt::format("\nMean error {:.1f} %, the largest {:.1f} % ({} beside {}), of {} {}.\n",
                            *check.mean_error * 100, *check.largest_error * 100, worst->stage, worst->beside, measured,
                            measured == 1 ? "pair" : "pairs");
}

}  // namespace takt
