#include "pipeline/interference.h"

#include <fmt/format.h>

#include <algorithm>

namespace takt {
namespace {

constexpr Column<AloneRow> alone_columns[] = {
    {"stage", "stage", [](const AloneRow& r) -> Cell { return r.stage; }, "Name of the stage."},
    {"executions", "runs", [](const AloneRow& r) -> Cell { return r.executions; },
     "Executions measured, warm-up left out."},
    {"mean_us", "alone", [](const AloneRow& r) { return optional_cell(r.mean); },
     "Mean time of an execution while no other stage ran."},
    {"drift", "drift", [](const AloneRow& r) { return optional_cell(r.drift); },
     "Largest relative deviation of one round's mean from the mean of all: what the machine does by itself."},
    {"bandwidth_share", "of bandwidth", [](const AloneRow& r) { return optional_cell(r.bandwidth_share); },
     "Bytes that the stage's operators read and write, per second of its hardware time, as a share of what main memory "
     "gave all cores when 'takt devices --measure' measured it. It may pass 1 where caches serve them."},
};

Cell cause_cell(SlowdownCause cause) {
  constexpr const char* names[] = {"", "scheduling", "memory", "device"};
  return cause == SlowdownCause::unknown ? Cell() : Cell(std::string(names[static_cast<std::size_t>(cause)]));
}

constexpr Column<PairRow> pair_columns[] = {
    {"stage", "stage", [](const PairRow& r) -> Cell { return r.stage; }, "The stage that is slowed down."},
    {"beside", "beside", [](const PairRow& r) -> Cell { return r.beside; }, "The stage that runs beside it."},
    {"executions", "runs", [](const PairRow& r) -> Cell { return r.executions; },
     "Executions measured, warm-up left out."},
    {"overlap", "overlap", [](const PairRow& r) { return optional_cell(r.overlap); },
     "Share of the stage's time in which the other ran."},
    {"factor", "slow-down", [](const PairRow& r) { return optional_cell(r.factor); },
     "How many times as long the stage takes while the other runs. Missing where they hardly ever ran at once."},
    {"factor_low", "from", [](const PairRow& r) { return optional_cell(r.low); },
     "Lower end of the slow-down's 95 % interval."},
    {"factor_high", "to", [](const PairRow& r) { return optional_cell(r.high); },
     "Upper end of the slow-down's 95 % interval."},
    {"p_value", "p", [](const PairRow& r) -> Cell { return r.p_value; },
     "Share of random permutations of the durations that showed as much."},
    {"significant", "certain", [](const PairRow& r) -> Cell { return std::string(r.significant ? "yes" : "no"); },
     "yes: chance, noise and drift do not explain the slow-down."},
    {"cause", "cause", [](const PairRow& r) { return cause_cell(r.cause); },
     "Where the additional time lies. scheduling: outside of the runtime's own counters; memory: inside, and the two "
     "stages want more than half of the measured bandwidth; device: inside, and they do not, so cores, caches or the "
     "clock are shared. Missing without counters, measured peaks or a slow-down."},
};

/// Of a factor: "1.50 *", or "1.00" where nothing speaks against it.
Cell matrix_cell(const PairRow& row) {
  if (!row.factor) return Cell();
  return fmt::format("{:.2f}{}", *row.factor, row.significant ? " *" : "  ");
}

/// For people: a row per stage, a column per stage beside it.
Table matrix_of(const InterferenceReport& report) {
  Table matrix{"matrix", {{"", "stage", ""}, {"", "alone", ""}, {"", "drift %", ""}}, {}};
  const std::size_t n = report.alone.size();
  for (const AloneRow& row : report.alone) {
    matrix.columns.push_back({"", row.stage, ""});
    matrix.rows.push_back({row.stage, optional_cell(row.mean), row.drift ? Cell(*row.drift * 100) : Cell()});
  }
  for (std::size_t p = 0; p < report.pairs.size(); ++p) matrix.rows[p / n].push_back(matrix_cell(report.pairs[p]));
  const auto known = [](const AloneRow& row) { return row.bandwidth_share.has_value(); };
  if (std::none_of(report.alone.begin(), report.alone.end(), known)) return matrix;
  matrix.columns.push_back({"", "of bandwidth", ""});
  for (std::size_t i = 0; i < n; ++i) matrix.rows[i].push_back(optional_cell(report.alone[i].bandwidth_share));
  return matrix;
}

}  // namespace

std::vector<Table> tables(const InterferenceReport& report) {
  return {make_table<PairRow>("pairs", pair_columns, report.pairs),
          make_table<AloneRow>("alone", alone_columns, report.alone)};
}

std::vector<std::string> interference_table_names() { return {"pairs", "alone"}; }

std::vector<ColumnInfo> interference_columns() {
  std::vector<ColumnInfo> columns;
  for (const Table& table : tables(InterferenceReport{}))
    columns.insert(columns.end(), table.columns.begin(), table.columns.end());
  return columns;
}

std::string to_text(const InterferenceReport& report) {
  const auto list = tables(report);
  Table pairs = list[0];
  constexpr std::ptrdiff_t executions = 2;  // as many for every pair
  pairs.columns.erase(pairs.columns.begin() + executions);
  for (auto& row : pairs.rows) row.erase(row.begin() + executions);
  return "How many times as long a stage (row) takes while another (column) runs\n"
         "(*: more than chance, noise and drift explain)\n\n" +
         to_text(matrix_of(report)) + "\n" + to_text(pairs);
}

}  // namespace takt
