// The journal of a sweep, and what `takt sweep --analyze` makes of it: the file of its rows, which is read back, the
// tables of costs and the report. And the task that a child of a sweep is given.
#include "plan/sweep/journal.h"

#include "fuzz_folder.h"
#include "plan/costs/raw_measurements.h"
#include "plan/costs/tables.h"
#include "plan/sweep/stage_task.h"
#include "refused.h"

namespace {

void analyze(const takt::SweepRecords& sweep, takt::Network network) {
  const takt::StageMeasurements rows = takt::measurements_of(sweep, network);
  if (rows.rows.empty()) return;
  const std::string text = takt::raw_measurements_json(rows, {});
  if (takt::raw_measurements_json(takt::parse_raw_measurements(text, "again"), {}) != text) std::abort();
  const takt::CostTables tables = takt::make_cost_tables(rows);
  takt::lookup_table_json(tables, {});
  takt::ranges_table_json(tables, {});
  takt::bandwidth_table_json(tables, {});
  takt::profiling_report(tables, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const takt::FuzzFolder folder;
  const auto text = takt::text_of(bytes, size);
  folder.holding("results/measurements.jsonl", text);
  takt::may_refuse([&] {
    const auto sweep = takt::read_sweep(folder.path());
    if (!sweep) return;
    for (const takt::Network network : takt::all_networks) analyze(*sweep, network);
  });
  takt::may_refuse([&] { takt::parse_stage_task(text); });
  return 0;
}
