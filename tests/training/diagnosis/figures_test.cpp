// Figures of devices by hand-made traces, and the critical path of made trainings.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "training/diagnosis/figure_tables.h"
#include "training/diagnosis/made_training.h"
#include "training/figures/device_figures.h"
#include "training/steps/step_path.h"

namespace takt {
namespace {

/// A stream with work at 100-200, 210-300 and 400-450 µs. The launches end at 50, 60 and 350 µs; the last one began
/// at 340, when the stream was idle.
Trace three_kernels() {
  Trace trace;
  const RowId host = trace.add_row(trace.add_process("python"), "main");
  const RowId stream = trace.add_row(trace.add_process("GPU"), "stream 7");
  const auto add = [&](std::int64_t launch, std::int64_t start, std::int64_t length, std::int64_t number,
                       const char* name) {
    trace.set_args(
        trace.add_event(host, "cudaLaunchKernel", "cuda_runtime", Nanoseconds(launch * 1000), Nanoseconds(10'000)),
        TraceValues{{"correlation", number}});
    trace.set_args(trace.add_event(stream, name, "kernel", Nanoseconds(start * 1000), Nanoseconds(length * 1000)),
                   TraceValues{{"correlation", number}});
  };
  add(40, 100, 100, 1, "gemm");
  add(50, 210, 90, 2, "relu");
  add(340, 400, 50, 3, "gemm");
  return trace;
}

TEST(Figures, idle_time_of_a_stream_has_the_causes_that_hta_names) {
  const auto idle = stream_idle(activity_of(three_kernels()));
  ASSERT_EQ(idle.size(), 1u);
  EXPECT_EQ(idle[0].kernel_wait, Nanoseconds(10'000));  // 200 to 210
  EXPECT_EQ(idle[0].host_wait, Nanoseconds(100'000));   // 300 to 400
  EXPECT_EQ(idle[0].other, Nanoseconds(0));
}

TEST(Figures, work_is_added_up_by_name) {
  const Trace trace = three_kernels();
  const auto totals = kernel_totals(activity_of(trace));
  ASSERT_EQ(totals.size(), 2u);
  EXPECT_EQ(trace.text(totals[0].name), "gemm");
  EXPECT_EQ(totals[0].count, 2);
  EXPECT_EQ(totals[0].total, Nanoseconds(150'000));
  EXPECT_EQ(totals[0].longest, Nanoseconds(100'000));
}

TEST(Figures, launches_wait_in_a_queue_until_their_work_begins) {
  const Activity activity = activity_of(three_kernels());
  const auto queues = stream_queues(activity);
  ASSERT_EQ(queues.size(), 1u);
  EXPECT_EQ(queues[0].longest, 2);  // from 50 to 100
  // One from 40 to 50, two to 100, one to 210, one from 340 to 400: 280 over the 360 from 40 to 400.
  EXPECT_NEAR(queues[0].mean, 280.0 / 360, 1e-9);
  const auto launches = launch_totals(activity);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].delay, Nanoseconds(250'000));  // 50 + 150 + 50
  EXPECT_EQ(launches[0].short_kernels, 0);
}

TEST(Figures, communication_beside_a_kernel_is_hidden) {
  Trace trace = three_kernels();
  const RowId network = trace.add_row(ProcessId{1}, "stream 9");
  EXPECT_FALSE(communication_overlap(activity_of(trace)));
  trace.add_event(network, "ncclDevKernel_AllReduce", "kernel", Nanoseconds(290'000), Nanoseconds(30'000));
  const auto overlap = communication_overlap(activity_of(trace));
  ASSERT_TRUE(overlap);
  EXPECT_EQ(overlap->communication, Nanoseconds(30'000));
  EXPECT_EQ(overlap->hidden, Nanoseconds(10'000));
}

TEST(Figures, there_is_a_table_for_every_name_even_of_an_empty_trace) {
  std::vector<NamedTrace> none(1);
  const auto tables = figure_tables(none, figure_names());
  ASSERT_EQ(tables.size(), figure_names().size());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    EXPECT_EQ(tables[i].name, figure_names()[i]);
    EXPECT_TRUE(tables[i].rows.empty());
  }
}

using PathSums = std::array<std::int64_t, path_link_count>;

PathSums path_sums(const MadeTraining& made) {
  const Activity activity = activity_of(made_training(made));
  const Steps steps = find_steps(activity);
  PathSums sums{};
  const auto paths = step_paths(activity, steps);
  for (std::size_t s = 0; s < paths.size(); ++s) {
    for (std::size_t i = 0; i < path_link_count; ++i) sums[i] += paths[s][i];
    const TimeInterval span = steps.list[s].span;
    EXPECT_EQ(std::accumulate(paths[s].begin(), paths[s].end(), std::int64_t{0}), span.end - span.start);
    EXPECT_GE(*std::min_element(paths[s].begin(), paths[s].end()), 0);
  }
  return sums;
}

/// The link that has most of the steps.
PathLink heaviest(const MadeTraining& made) {
  const PathSums sums = path_sums(made);
  return static_cast<PathLink>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

TEST(StepPath, adds_up_to_the_step_and_leads_over_what_was_planted) {
  const auto strong = [](TrainingCause cause, bool has_device = true) {
    return MadeTraining{.cause = cause, .strength = Strength::strong, .has_device = has_device};
  };
  EXPECT_EQ(heaviest({}), PathLink::kernel);
  EXPECT_EQ(heaviest(strong(TrainingCause::data_starvation)), PathLink::data_wait);
  EXPECT_EQ(heaviest(strong(TrainingCause::exposed_copy)), PathLink::memory_copy);
  EXPECT_EQ(heaviest(strong(TrainingCause::exposed_communication)), PathLink::communication);
  EXPECT_EQ(heaviest(strong(TrainingCause::small_batch)), PathLink::kernel);
  EXPECT_EQ(heaviest({.has_device = false}), PathLink::host_compute);
  // 18 ms beside 30 ms of computing.
  const PathSums waits = path_sums(strong(TrainingCause::data_starvation, false));
  EXPECT_NEAR(static_cast<double>(waits[static_cast<std::size_t>(PathLink::data_wait)]) /
                  static_cast<double>(std::accumulate(waits.begin(), waits.end(), std::int64_t{0})),
              18.0 / 48, 0.03);
  const PathLink tiny = heaviest(strong(TrainingCause::tiny_kernels));
  EXPECT_TRUE(tiny == PathLink::launch || tiny == PathLink::tiny_operators) << name_of(tiny);
  EXPECT_EQ(heaviest(strong(TrainingCause::tiny_kernels, false)), PathLink::tiny_operators);
  for (const bool has_device : {true, false}) {
    const auto read = static_cast<std::size_t>(PathLink::scalar_read);
    EXPECT_GT(path_sums(strong(TrainingCause::host_synchronisation, has_device))[read],
              path_sums({.has_device = has_device})[read]);
  }
  const auto memory = static_cast<std::size_t>(PathLink::memory_operators);
  EXPECT_GT(path_sums(strong(TrainingCause::allocator_churn, false))[memory],
            3 * path_sums({.has_device = false})[memory]);
}

TEST(StepPath, moments_that_wait_for_each_other_do_not_stop_the_walk) {
  Trace trace = made_training({.steps = 5});
  const Nanoseconds now(3'000'000);
  for (int i = 0; i < 300; ++i) {
    trace.add_event(RowId{2}, "nothing", "kernel", now, Nanoseconds(0));
    trace.add_event(RowId{0}, "cudaStreamSynchronize", "cuda_runtime", now, Nanoseconds(0));
  }
  const Activity activity = activity_of(trace);
  EXPECT_EQ(step_paths(activity, find_steps(activity)).size(), 5u);
}

TEST(Comparison, says_what_changed_in_a_step) {
  const Diagnosis well = diagnose("well", made_training({.seed = 2}));
  const Diagnosis sick = diagnose("sick", made_training({.cause = TrainingCause::data_starvation, .seed = 2}));
  const Table table = comparison_table(well, sick);
  const auto row = std::find_if(table.rows.begin(), table.rows.end(), [](const std::vector<Cell>& cells) {
    return std::get<std::string>(cells[0]) == "data_wait";
  });
  ASSERT_NE(row, table.rows.end());
  EXPECT_NEAR(std::get<Duration>((*row)[3]).count(), 4850, 500);
}

}  // namespace
}  // namespace takt
