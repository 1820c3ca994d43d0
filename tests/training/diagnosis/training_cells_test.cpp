// What stands in which cell of the tables of `takt diagnose`, and in its sentences.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "table_cells.h"
#include "training/diagnosis/figure_tables.h"
#include "training/diagnosis/made_training.h"
#include "training/diagnosis/tables.h"
#include "training/steps/step_path.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// Two steps of 8 and 12 us; each activity takes another time in each, and there is no communication.
Diagnosis diagnosis() {
  Diagnosis one;
  one.file = "a.json", one.rank = 5;
  one.steps.source = StepSource::marks;
  one.steps.list = {{31, {1000, 9000}}, {32, {9500, 21'500}}};
  one.breakdown.by_step = {{3000, 1000, 0, 500, 600, 700, 800, 1400}, {4000, 2000, 0, 900, 1100, 1200, 1300, 1500}};
  one.breakdown.applies.fill(true);
  one.breakdown.applies[static_cast<std::size_t>(StepPart::communication)] = false;
  one.breakdown.total = 20'000;
  const TrainingVerdict starved{TrainingCause::data_starvation, {1000, 4000}, "waits", "load sooner"};
  const TrainingVerdict tiny{TrainingCause::tiny_kernels, {500, 1500}, "is small", "fuse"};
  one.verdicts = {{starved, {31, 32}, {1000, 21'500}}, {tiny, {32}, {9500, 21'400}}};
  one.abstentions = {{TrainingCause::straggler, "ranks"}, {TrainingCause::allocator_churn, "memory"}};
  return one;
}

Table table_of(const Diagnosis& one, const char* name) {
  return table_named(diagnosis_tables(std::span(&one, 1)), name);
}

// 5 of 20 us are a quarter; without, 20/15 times as fast.
TEST(Cells, of_diagnose_verdicts) {
  expect_cells(table_of(diagnosis(), "verdicts"), {{"file", {"a.json", "a.json"}},
                                                   {"rank", {"1", "2"}},
                                                   {"cause", {"data_starvation", "tiny_kernels"}},
                                                   {"step_share", {"0.25", "0.1"}},
                                                   {"saved_ms_per_step", {"0.0025", "0.001"}},
                                                   {"speed_up_if_removed", {"1.3333333333333", "1.1111111111111"}},
                                                   {"in_steps", {"31-32", "32"}},
                                                   {"from_ns", {"1000", "9500"}},
                                                   {"to_ns", {"21500", "21400"}},
                                                   {"rank_of_training", {"5", "5"}},
                                                   {"evidence", {"waits", "is small"}},
                                                   {"fix", {"load sooner", "fuse"}}});
}

TEST(Cells, of_diagnose_breakdown) {
  const Table table = table_of(diagnosis(), "breakdown");
  std::vector<std::string> meanings;
  for (const StepPart part : {StepPart::kernel, StepPart::memory_copy, StepPart::launch, StepPart::synchronisation,
                              StepPart::data_wait, StepPart::host_compute, StepPart::idle})
    meanings.emplace_back(meaning_of(part));
  const std::vector<std::string> file(7, "a.json");
  expect_cells(
      table, {{"file", file},
              {"spent_on", {"kernel", "memory_copy", "launch", "synchronisation", "data_wait", "host_compute", "idle"}},
              {"mean_per_step_us", {"3.5", "1.5", "0.7", "0.85", "0.95", "1.05", "1.45"}},
              {"step_share", {"0.35", "0.15", "0.07", "0.085", "0.095", "0.105", "0.145"}},
              {"means", meanings}});
}

TEST(Cells, of_diagnose_steps) {
  expect_cells(table_of(diagnosis(), "steps"), {{"file", {"a.json", "a.json"}},
                                                {"step_number", {"31", "32"}},
                                                {"found_by", {"marks", "marks"}},
                                                {"from_ns", {"1000", "9500"}},
                                                {"step_time_us", {"8", "12"}},
                                                {"kernel_us", {"3", "4"}},
                                                {"memory_copy_us", {"1", "2"}},
                                                {"communication_us", {"", ""}},
                                                {"launch_us", {"0.5", "0.9"}},
                                                {"synchronisation_us", {"0.6", "1.1"}},
                                                {"data_wait_us", {"0.7", "1.2"}},
                                                {"host_compute_us", {"0.8", "1.3"}},
                                                {"other_us", {"1.4", "1.5"}}});
}

TEST(Cells, of_diagnose_abstentions) {
  expect_cells(
      table_of(diagnosis(), "abstentions"),
      {{"file", {"a.json", "a.json"}}, {"cause", {"straggler", "allocator_churn"}}, {"missing", {"ranks", "memory"}}});
}

// The second trace has communication, and no copies.
TEST(Cells, of_diagnose_comparison) {
  Diagnosis after = diagnosis();
  after.breakdown.applies[static_cast<std::size_t>(StepPart::communication)] = true;
  after.breakdown.applies[static_cast<std::size_t>(StepPart::memory_copy)] = false;
  after.breakdown.by_step = {{3600, 0, 100, 600, 700, 800, 900, 1300}, {4000, 0, 300, 900, 1100, 1300, 1500, 2900}};
  expect_cells(
      comparison_table(diagnosis(), after),
      {{"spent_on",
        {"kernel", "memory_copy", "communication", "launch", "synchronisation", "data_wait", "host_compute", "idle"}},
       {"first_trace_us", {"3.5", "1.5", "", "0.7", "0.85", "0.95", "1.05", "1.45"}},
       {"second_trace_us", {"3.8", "", "0.2", "0.75", "0.9", "1.05", "1.2", "2.1"}},
       {"change_us", {"0.3", "", "", "0.05", "0.05", "0.1", "0.15", "0.65"}}});
}

/// A stream with work at 100-200, 210-300, 400-450 and 530-537 us. The launches of the first three end at 50, 60 and
/// 350 us, the last one, of another call, at 469 us; that one took longer than its work. Copies on another stream.
std::vector<NamedTrace> devices() {
  std::vector<NamedTrace> traces(1);
  traces[0].file = "a.json";
  Trace& trace = traces[0].read.trace;
  const RowId host = trace.add_row(trace.add_process("python", 11), "main");
  const ProcessId gpu = trace.add_process("GPU", 22);
  const RowId stream = trace.add_row(gpu, "stream 7", 7), second = trace.add_row(gpu, "", 9);
  std::int64_t number = 0;
  const auto add = [&](const char* call, std::int64_t launch, std::int64_t took, RowId row, const char* name,
                       const char* category, std::int64_t start, std::int64_t length) {
    trace.set_args(trace.add_event(host, call, "cuda_runtime", Nanoseconds(launch * 1000), Nanoseconds(took * 1000)),
                   TraceValues{{"correlation", ++number}});
    trace.set_args(trace.add_event(row, name, category, Nanoseconds(start * 1000), Nanoseconds(length * 1000)),
                   TraceValues{{"correlation", number}, {"device", std::int64_t{3}}});
  };
  add("cudaLaunchKernel", 40, 10, stream, "gemm", "kernel", 100, 100);
  add("cudaLaunchKernel", 50, 10, stream, "relu", "kernel", 210, 90);
  add("cudaLaunchKernel", 340, 10, stream, "gemm", "kernel", 400, 50);
  add("cuLaunchKernel", 449, 20, stream, "tiny", "kernel", 530, 7);
  add("cudaMemcpyAsync", 470, 11, second, "Memcpy", "gpu_memcpy", 550, 33);
  const EventId reduce =
      trace.add_event(second, "ncclDevKernel_AllReduce", "kernel", Nanoseconds(290'000), Nanoseconds(40'000));
  trace.set_args(reduce, TraceValues{{"device", std::int64_t{3}}});
  return traces;
}

Table figure(const char* name) {
  const std::vector<std::string> names{name};
  return figure_tables(devices(), names).at(0);
}

// From 100 to 583: compute 100+90+50+7, communication alone 300-330, the copy 33; the rest is idle.
TEST(Cells, of_diagnose_temporal) {
  expect_cells(figure("temporal"), {{"file", {"a.json"}},
                                    {"device", {"3"}},
                                    {"total_us", {"483"}},
                                    {"idle_us", {"173"}},
                                    {"compute_us", {"247"}},
                                    {"non_compute_us", {"63"}}});
}

TEST(Cells, of_diagnose_idle) {
  expect_cells(figure("idle"), {{"file", {"a.json", "a.json"}},
                                {"stream", {"GPU stream 7", "GPU stream 9"}},
                                {"host_wait_us", {"100", "220"}},
                                {"kernel_wait_us", {"10", "0"}},
                                {"other_wait_us", {"80", "0"}}});
}

TEST(Cells, of_diagnose_kernels) {
  expect_cells(figure("kernels"), {{"file", {"a.json", "a.json", "a.json", "a.json", "a.json"}},
                                   {"work", {"gemm", "relu", "ncclDevKernel_AllReduce", "Memcpy", "tiny"}},
                                   {"work_kind", {"compute", "compute", "communication", "memory", "compute"}},
                                   {"times", {"2", "1", "1", "1", "1"}},
                                   {"work_us", {"150", "90", "40", "33", "7"}},
                                   {"mean_work_us", {"75", "90", "40", "33", "7"}},
                                   {"longest_us", {"100", "90", "40", "33", "7"}}});
}

// Delays: 100 - 50, 210 - 60 and 400 - 350; 530 - 469; 550 - 481.
TEST(Cells, of_diagnose_launch) {
  expect_cells(figure("launch"), {{"file", {"a.json", "a.json", "a.json"}},
                                  {"call", {"cudaLaunchKernel", "cuLaunchKernel", "cudaMemcpyAsync"}},
                                  {"times", {"3", "1", "1"}},
                                  {"mean_call_us", {"10", "20", "11"}},
                                  {"mean_work_us", {"80", "7", "33"}},
                                  {"mean_delay_us", {"83.3333333333333", "61", "69"}},
                                  {"short_kernels", {"0", "1", "0"}}});
}

TEST(Cells, of_diagnose_overlap) {
  expect_cells(
      figure("overlap"),
      {{"file", {"a.json"}}, {"all_communication_us", {"40"}}, {"hidden_us", {"10"}}, {"hidden_share", {"0.25"}}});
}

// Stream 7: one from 40 to 50, two to 100, one to 210, one from 340 to 400 and from 449 to 530: 361 over 490 us. The
// copy waits from 470 to 550.
TEST(Cells, of_diagnose_queue) {
  expect_cells(figure("queue"), {{"file", {"a.json", "a.json"}},
                                 {"stream", {"GPU stream 7", "GPU stream 9"}},
                                 {"longest_queue", {"2", "1"}},
                                 {"mean_queue", {"0.736734693877551", "1"}}});
}

// What step_path.h says of the steps, which has tests of its own, in microseconds per step and as shares.
TEST(Cells, of_diagnose_path) {
  std::vector<NamedTrace> traces(1);
  traces[0].file = "made.json", traces[0].read.trace = made_training({.cause = TrainingCause::data_starvation});
  const Activity activity = activity_of(traces[0].read.trace);
  const Steps steps = find_steps(activity);
  std::vector<std::string> files, links, means, shares;
  double all = 0;
  for (const auto& step : step_paths(activity, steps))
    for (const std::int64_t time : step) all += static_cast<double>(time);
  for (std::size_t i = 0; i < path_link_count; ++i) {
    double sum = 0;
    for (const auto& step : step_paths(activity, steps)) sum += static_cast<double>(step[i]);
    if (sum == 0) continue;
    files.emplace_back("made.json"), links.emplace_back(name_of(static_cast<PathLink>(i)));
    means.push_back(fmt::format("{}", sum / 1000 / static_cast<double>(steps.list.size())));
    shares.push_back(fmt::format("{}", sum / all));
  }
  EXPECT_GT(links.size(), 3u);
  const std::vector<std::string> names{"path"};
  expect_cells(figure_tables(traces, names).at(0),
               {{"file", files}, {"link", links}, {"mean_on_path_us", means}, {"step_share", shares}});
}

TEST(Sentences, of_a_diagnosis_have_its_figures) {
  const Diagnosis one = diagnosis();
  const std::string text = diagnosis_text(std::span(&one, 1), {.width = 200});
  EXPECT_THAT(text, HasSubstr("a.json (rank 5): 2 steps (ProfilerStep markers); 10.0 µs per step on average.\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "1. data_starvation: 2.50 µs per step (25.0 %), up to 1.33x faster if fixed\n   waits\n   Affected steps: "
          "31-32.\n   load sooner\n2. tiny_kernels: 1.00 µs per step (10.0 %), up to 1.11x faster if fixed\n"));
  EXPECT_THAT(text, HasSubstr("Not evaluated:\n   straggler: needs ranks\n   allocator_churn: needs memory\n"));
}

}  // namespace
}  // namespace takt
