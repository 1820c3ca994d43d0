#include "pipeline/contention/interference.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/table/common_columns.h"

namespace takt {
namespace {

constexpr Column<AloneRow> alone_columns[] = {
    {common::stage, [](const AloneRow& r) -> Cell { return r.stage; }},
    {common::executions, [](const AloneRow& r) -> Cell { return r.executions; }},
    {common::mean_us, [](const AloneRow& r) { return optional_cell(r.mean); }},
    {"drift", "Drift", [](const AloneRow& r) { return optional_cell(r.drift); },
     "Largest deviation of one round's mean time from the mean time of all rounds, as a ratio to the latter: what the "
     "machine does by itself."},
    {"bandwidth_share", "Of bandwidth", [](const AloneRow& r) { return optional_cell(r.bandwidth_share); },
     "Bytes that the stage's operators read and write per second of its hardware time, as a ratio to what main memory "
     "gave all cores when 'takt devices --measure' measured it. It may pass 1 where caches serve the stage."},
};

Cell cause_cell(SlowdownCause cause) {
  constexpr const char* names[] = {"", "scheduling", "memory", "device"};
  return cause == SlowdownCause::unknown ? Cell() : Cell(std::string(names[static_cast<std::size_t>(cause)]));
}

constexpr Column<PairRow> pair_columns[] = {
    {common::stage, [](const PairRow& r) -> Cell { return r.stage; }},
    {common::beside, [](const PairRow& r) -> Cell { return r.beside; }},
    {common::executions, [](const PairRow& r) -> Cell { return r.predicted ? Cell() : Cell(r.executions); }},
    {"overlap", "Overlap", [](const PairRow& r) { return optional_cell(r.overlap); },
     "Share of the stage's time in which the stage beside it ran, as a ratio: 1 is all of it."},
    {common::factor, [](const PairRow& r) { return optional_cell(r.factor); }},
    {"factor_low", "From", [](const PairRow& r) { return optional_cell(r.low); },
     "Lower end of the slow-down's 95 % interval."},
    {"factor_high", "To", [](const PairRow& r) { return optional_cell(r.high); },
     "Upper end of the slow-down's 95 % interval."},
    {common::p_value, [](const PairRow& r) -> Cell { return r.predicted ? Cell() : Cell(r.p_value); }},
    {"significant", "Certain", [](const PairRow& r) -> Cell { return std::string(r.significant ? "yes" : "no"); },
     "yes: chance, noise and drift do not explain the slow-down; of a predicted one, its interval leaves out 1."},
    {"cause", "Cause", [](const PairRow& r) { return cause_cell(r.cause); },
     "Where the additional time lies. scheduling: outside of the runtime's own counters; memory: inside, and the two "
     "stages want more than half of the measured bandwidth; device: inside, and they do not, so cores, caches or the "
     "clock are shared. Missing without counters, measured peaks or a slow-down."},
    {"source", "Source", [](const PairRow& r) -> Cell { return std::string(r.predicted ? "predicted" : "measured"); },
     "measured: the two ran at once; predicted: each ran beside loads only, and the slow-down follows from its "
     "sensitivity and the other's pressure."},
};

constexpr TableDefinition<PairRow> pairs_definition{
    "pairs",
    "How much each stage slows each other one down, and itself: a row per pair. The JSON is what 'takt pipeline whatif "
    "--interference' reads.",
    pair_columns};
constexpr TableDefinition<AloneRow> alone_definition{"alone", "What each stage takes by itself: a row per stage.",
                                                     alone_columns};

/// Of a factor: "1.50 *", or "1.00" where nothing speaks against it.
Cell matrix_cell(const PairRow& row) {
  if (!row.factor) return Cell();
  return fmt::format("{:.2f}{}", *row.factor, row.significant ? " *" : "  ");
}

/// For people: a row per stage, a column per stage beside it.
Table matrix_of(const InterferenceReport& report) {
  Table matrix{"matrix", {{"", "Stage", ""}, {"", "Alone", ""}, {"", "Drift %", ""}}, {}};
  const std::size_t n = report.alone.size();
  for (const AloneRow& row : report.alone) {
    matrix.columns.push_back({"", row.stage, ""});
    matrix.rows.push_back({row.stage, optional_cell(row.mean), row.drift ? Cell(*row.drift * 100) : Cell()});
  }
  for (std::size_t p = 0; p < report.pairs.size(); ++p) matrix.rows[p / n].push_back(matrix_cell(report.pairs[p]));
  const auto known = [](const AloneRow& row) { return row.bandwidth_share.has_value(); };
  if (std::none_of(report.alone.begin(), report.alone.end(), known)) return matrix;
  matrix.columns.push_back({"", "Of bandwidth", ""});
  for (std::size_t i = 0; i < n; ++i) matrix.rows[i].push_back(optional_cell(report.alone[i].bandwidth_share));
  return matrix;
}

}  // namespace

std::vector<Table> tables(const InterferenceReport& report) {
  return {pairs_definition.make(report.pairs), alone_definition.make(report.alone)};
}

std::vector<TableSchema> interference_schemas() { return {pairs_definition.schema(), alone_definition.schema()}; }

std::string to_text(const InterferenceReport& report, const TextStyle& style) {
  const auto predicted = [](const PairRow& row) { return row.predicted; };
  const bool all_predicted = std::all_of(report.pairs.begin(), report.pairs.end(), predicted);
  Table shown = without_columns(pairs_definition.make(report.pairs),
                                {common::executions.name, "source"});  // the same for every pair
  if (all_predicted) shown = without_columns(shown, {"overlap", common::p_value.name, "cause"});
  return std::string("How many times as long a stage (row) takes while another (column) runs") +
         (all_predicted ? ",\npredicted from single stages (*: more than the rounds differ)\n\n"
                        : "\n(*: more than chance, noise and drift explain)\n\n") +
         to_text(matrix_of(report), style) + "\n" + to_text(shown, style);
}

}  // namespace takt
