#include "pipeline/contention/interference.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"
#include "base/table/common_columns.h"

namespace takt {
namespace {

constexpr Column<AloneRow> alone_columns[] = {
    {common::stage, [](const AloneRow& r) -> Cell { return r.stage; }},
    {common::executions, [](const AloneRow& r) -> Cell { return r.executions; }},
    {common::mean_us, [](const AloneRow& r) { return optional_cell(r.mean); }},
    {"drift", "Drift", [](const AloneRow& r) { return optional_cell(r.drift); },
     "Largest deviation of one round's mean time from the mean time of all rounds, as a ratio to the latter: how much "
     "the machine's speed drifts."},
    {"bandwidth_share", "Bandwidth share", [](const AloneRow& r) { return optional_cell(r.bandwidth_share); },
     "Bytes that the stage's operators read and write per second of its hardware time, as a ratio to the main-memory "
     "bandwidth of all cores that 'takt devices --measure' measured. It may exceed 1 if caches serve the stage."},
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
     "Fraction of the stage's time in which the co-running stage ran: 1 is all of it."},
    {common::factor, [](const PairRow& r) { return optional_cell(r.factor); }},
    {"factor_low", "From", [](const PairRow& r) { return optional_cell(r.low); },
     "Lower end of the slowdown's 95 % interval."},
    {"factor_high", "To", [](const PairRow& r) { return optional_cell(r.high); },
     "Upper end of the slowdown's 95 % interval."},
    {common::p_value, [](const PairRow& r) -> Cell { return r.predicted ? Cell() : Cell(r.p_value); }},
    {"significant", "Significant", [](const PairRow& r) -> Cell { return std::string(r.significant ? "yes" : "no"); },
     "yes: chance, noise and drift do not explain the slowdown; for a predicted one, its interval does not include 1."},
    {"cause", "Cause", [](const PairRow& r) { return cause_cell(r.cause); },
     "Where the additional time goes. scheduling: outside the runtime's own counters; memory: inside, and the two "
     "stages need more than half of the measured bandwidth; device: inside, and they need less, so cores, caches or "
     "the clock are shared. Empty without counters, measured peaks or a slowdown."},
    {"source", "Source", [](const PairRow& r) -> Cell { return std::string(r.predicted ? "predicted" : "measured"); },
     "measured: the two ran concurrently; predicted: each ran under loads only, and the slowdown follows from its "
     "sensitivity and the other's pressure."},
};

constexpr TableDefinition<PairRow> pairs_definition{
    "pairs",
    "How much each stage slows down every other stage and itself: a row per pair. 'takt pipeline whatif "
    "--interference' reads the JSON form.",
    pair_columns};
constexpr TableDefinition<AloneRow> alone_definition{
    "alone", "Time of each stage while nothing else runs: a row per stage.", alone_columns};

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
  matrix.columns.push_back({"", "Bandwidth share", ""});
  for (std::size_t i = 0; i < n; ++i) matrix.rows[i].push_back(optional_cell(report.alone[i].bandwidth_share));
  return matrix;
}

/// The pair that matters most; "infer is slowed most: 1.50 times as long while gather runs."
std::string answer(const InterferenceReport& report) {
  const PairRow* worst = nullptr;
  for (const PairRow& row : report.pairs)
    if (row.significant && row.factor && (!worst || *row.factor > *worst->factor)) worst = &row;
  const auto slowed = [](const PairRow& row) { return row.factor && *row.factor > 1.05; };
  if ((!worst || *worst->factor <= 1) && report.doubted &&
      std::any_of(report.pairs.begin(), report.pairs.end(), slowed))
    return "Whether stages slow each other down is not known: other programs ran meanwhile.\n\n";
  if (!worst || *worst->factor <= 1) return "No stage slows another one down.\n\n";
  return fmt::format("{} is slowed down most: {:.2f}x while {} runs.\n\n", printable(worst->stage), *worst->factor,
                     printable(worst->beside));
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
  return answer(report) + std::string("Slowdown of a stage (row) while another (column) runs") +
         (all_predicted ? ",\npredicted from single stages (*: more than the variation between rounds)\n\n"
                        : "\n(*: significant beyond noise and drift)\n\n") +
         to_text(matrix_of(report), style) + "\n" + to_text(shown, style);
}

}  // namespace takt
