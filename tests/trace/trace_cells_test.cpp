// What stands in which cell of the tables of `takt trace info` and `takt trace check`.
#include "table_cells.h"
#include "trace/read/tables.h"

namespace takt {
namespace {

/// Two processes, three rows of which one has no event; everything there is another number of times.
std::vector<NamedTrace> two_traces() {
  std::vector<NamedTrace> traces(2);
  traces[0].file = "a.json", traces[1].file = "empty.json";
  Trace& trace = traces[0].read.trace;
  trace.set_base_time(Nanoseconds(7'000'000));
  const ProcessId python = trace.add_process("python", 11), gpu = trace.add_process("gpu", 22);
  trace.add_process("third", 66);
  const RowId main = trace.add_row(python, "main", 33), stream = trace.add_row(gpu, "stream", 44);
  trace.add_row(gpu, "idle", 55);
  const auto add = [&](RowId row, const char* name, const char* category, std::int64_t start, std::int64_t length) {
    return trace.add_event(row, name, category, Nanoseconds(start), Nanoseconds(length));
  };
  const EventId first = add(main, "step", "user", 1000, 2000);
  add(main, "inside", "user", 1500, 500);
  add(main, "late", "user", 6000, 1000);
  for (const auto& [name, category, start, length] : {std::tuple("gemm", "kernel", 2000, 3000),
                                                      {"copy", "gpu_memcpy", 4000, 3000},
                                                      {"fill", "gpu_memset", 9000, 500},
                                                      {"fill", "gpu_memset", 9100, 200}})
    trace.set_args(add(stream, name, category, start, length), TraceValues{{"device", std::int64_t{77}}});
  for (int i = 0; i < 5; ++i) trace.add_flow(first, 1, false, true);
  for (int i = 0; i < 4; ++i) trace.add_counter(python, "c", Nanoseconds(i), i);
  traces[0].read.faults = {{TraceRule::missing_dur, 8, "byte 12"}, {TraceRule::empty, 9, "byte 34"}};
  return traces;
}

// From 1 to 9.5 µs.
TEST(Cells, of_trace_info_summary) {
  expect_cells(trace_summary_table(two_traces()), {{"file", {"a.json", "empty.json"}},
                                                   {"events", {"7", "0"}},
                                                   {"rows", {"2", "0"}},
                                                   {"start_ns", {"1000", ""}},
                                                   {"duration_ns", {"8500", ""}},
                                                   {"processes", {"3", "0"}},
                                                   {"counters", {"4", "0"}},
                                                   {"flows", {"5", "0"}},
                                                   {"base_ns", {"7000000", ""}},
                                                   {"faults", {"17", "0"}}});
}

// Computes from 2 to 5 µs, copies alone from 5 to 7, fills from 9 to 9.5.
TEST(Cells, of_trace_info_gpu_time) {
  expect_cells(gpu_time_table(two_traces()), {{"file", {"a.json"}},
                                              {"device", {"77"}},
                                              {"kernels", {"4"}},
                                              {"total_us", {"7.5"}},
                                              {"idle_us", {"2"}},
                                              {"compute_us", {"3"}},
                                              {"non_compute_us", {"2.5"}}});
}

TEST(Cells, of_trace_info_rows) {
  expect_cells(trace_rows_table(two_traces()), {{"file", {"a.json", "a.json", "a.json"}},
                                                {"process", {"python", "gpu", "gpu"}},
                                                {"pid", {"11", "22", "22"}},
                                                {"row", {"main", "stream", "idle"}},
                                                {"tid", {"33", "44", "55"}},
                                                {"events", {"3", "4", "0"}},
                                                {"busy_us", {"3", "5.5", "0"}},
                                                {"start_ns", {"1000", "2000", ""}},
                                                {"end_ns", {"7000", "9500", ""}}});
}

TEST(Cells, of_trace_check_faults) {
  expect_cells(
      trace_faults_table(two_traces()),
      {{"file", {"a.json", "a.json"}},
       {"fault", {"missing_dur", "empty"}},
       {"grade", {"error", "warning"}},
       {"count", {"8", "9"}},
       {"first", {"byte 12", "byte 34"}},
       {"meaning", {"A complete event (ph X) has no duration; importers skip it.", "The file has no events."}}});
}

}  // namespace
}  // namespace takt
