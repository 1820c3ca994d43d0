// Forward pass, backward pass and optimizer of hand-made steps.
#include "training/figures/phases.h"

#include <gtest/gtest.h>

#include "places.h"
#include "trace/read/reader.h"
#include "training/figures/made_work.h"

namespace takt {
namespace {

/// Two steps of 100: data 0-10, forward operators 12-20 and 26-30, backward on its own thread 35-45 and 50-60, the
/// optimizer 70-80 with an operator inside, its zero_grad 82-84.
MadeWork two_steps() {
  MadeWork made;
  for (std::int64_t step = 0; step < 2; ++step) {
    const std::int64_t at = step * 100;
    made.add(made.loop, "ProfilerStep#" + std::to_string(step + 5), "user_annotation", at, 100);
    made.add(made.loop, "enumerate(DataLoader)#_Iter.__next__", "user_annotation", at, 10);
    made.add(made.loop, "aten::stack", "cpu_op", at + 3, 4);
    made.add(made.loop, "aten::conv2d", "cpu_op", at + 12, 8);
    made.add(made.loop, "aten::convolution", "cpu_op", at + 13, 6);
    made.add(made.loop, "aten::relu", "cpu_op", at + 26, 4);
    made.add(made.autograd, "autograd::engine::evaluate_function: ReluBackward0", "cpu_op", at + 35, 10);
    made.add(made.autograd, "aten::threshold_backward", "cpu_op", at + 36, 8);
    made.add(made.autograd, "autograd::engine::evaluate_function: ConvolutionBackward0", "cpu_op", at + 50, 10);
    made.add(made.loop, "Optimizer.step#SGD.step", "user_annotation", at + 70, 10);
    made.add(made.loop, "aten::_foreach_add_", "cpu_op", at + 72, 6);
    made.add(made.loop, "Optimizer.zero_grad#SGD.zero_grad", "user_annotation", at + 82, 2);
  }
  return made;
}

PhaseFigures phases_of(const Trace& trace) {
  const Activity activity = activity_of(trace);
  return phase_figures(trace, activity, find_steps(activity));
}

TEST(Phases, have_the_time_between_their_operators_and_add_up_to_the_steps) {
  const PhaseFigures figures = phases_of(two_steps().trace);
  EXPECT_EQ(figures.steps, 2);
  EXPECT_FALSE(figures.device_idle_ns.has_value());
  std::vector<std::int64_t> host;
  for (const PhaseFigure& one : figures.list) {
    host.push_back(one.host_ns / 2000);
    EXPECT_FALSE(one.device_ns.has_value());
    EXPECT_FALSE(one.flops.has_value());
  }
  // forward 12-30, backward 35-60, optimizer 70-80 and 82-84, the loader 0-10; the rest of 100.
  EXPECT_EQ(host, (std::vector<std::int64_t>{18, 25, 12, 10, 35}));
}

TEST(Phases, do_not_go_on_over_the_border_of_a_step) {
  MadeWork made;
  for (std::int64_t step = 0; step < 3; ++step) {
    made.add(made.loop, "ProfilerStep#" + std::to_string(step), "user_annotation", step * 100, 100);
    made.add(made.loop, "aten::conv2d", "cpu_op", step * 100 + 10, 30);
    made.add(made.loop, "aten::relu", "cpu_op", step * 100 + 50, 10);
  }
  const PhaseFigures figures = phases_of(made.trace);
  EXPECT_EQ(figures.list[0].host_ns, 3 * 50'000);
  EXPECT_EQ(figures.list[4].host_ns, 3 * 50'000);
}

TEST(Phases, of_a_device_are_those_whose_calls_launched_its_work) {
  MadeWork made = two_steps();
  for (std::int64_t at : {0, 100}) {
    made.launch(made.loop, at + 14, "gemm", at + 20, 20);      // in the convolution: until 40
    made.launch(made.loop, at + 22, "own", at + 40, 2);        // by the program between two operators of the pass
    made.launch(made.autograd, at + 37, "relu", at + 42, 13);  // until 55
    made.launch(made.loop, at + 73, "add", at + 80, 5);
    made.launch(made.loop, at + 95, "last", at + 96, 1);  // after all phases
  }
  made.add(made.stream, "of nobody", "kernel", 50, 6);  // 5 of it beside relu, which has them
  const PhaseFigures figures = phases_of(made.trace);
  ASSERT_TRUE(figures.device_idle_ns.has_value());
  std::vector<std::int64_t> device, launched;
  std::int64_t sum = *figures.device_idle_ns;
  for (const PhaseFigure& one : figures.list) {
    device.push_back(one.device_ns.value() / 1000), launched.push_back(one.launched);
    sum += *one.device_ns;
  }
  EXPECT_EQ(device, (std::vector<std::int64_t>{44, 26, 10, 0, 3}));
  EXPECT_EQ(launched, (std::vector<std::int64_t>{4, 2, 2, 0, 3}));
  const Activity activity = activity_of(made.trace);
  std::int64_t steps = 0;
  for (const TrainingStep& step : find_steps(activity).list) steps += step.span.end - step.span.start;
  EXPECT_EQ(sum, steps);
}

// The device is 10 behind the program: its first step is from 0 to 110, where the program's ends at 100.
TEST(Phases, of_a_device_are_within_its_own_steps) {
  MadeWork made = two_steps();
  made.launch(made.loop, 14, "gemm", 20, 5);
  made.launch(made.loop, 95, "last", 96, 14);
  made.launch(made.loop, 114, "gemm", 120, 5);
  made.launch(made.loop, 195, "last", 196, 14);
  const PhaseFigures figures = phases_of(made.trace);
  EXPECT_EQ(figures.list[0].device_ns, 10'000);
  EXPECT_EQ(figures.list[4].device_ns, 28'000);
  EXPECT_EQ(figures.device_idle_ns, 210'000 - 38'000);
}

TEST(Phases, know_the_operations_of_each) {
  MadeWork made = two_steps();
  made.trace.set_args(made.add(made.loop, "aten::mm", "cpu_op", 15, 2),
                      TraceValues{{"Input Dims", TraceJsonText{"[[2,3],[3,5]]"}}});
  made.trace.set_args(made.add(made.autograd, "aten::mm", "cpu_op", 52, 2),
                      TraceValues{{"Input Dims", TraceJsonText{"[[2,3],[3,7]]"}}});
  const PhaseFigures figures = phases_of(made.trace);
  EXPECT_EQ(figures.list[0].flops, 60);
  EXPECT_EQ(figures.list[1].flops, 84);
  EXPECT_FALSE(figures.list[2].flops.has_value());
}

TEST(Phases, of_a_trace_without_steps_are_of_all_of_it) {
  MadeWork made;
  made.add(made.loop, "aten::conv2d", "cpu_op", 10, 30);
  made.add(made.loop, "cudaDeviceSynchronize", "cuda_runtime", 60, 40);
  const PhaseFigures figures = phases_of(made.trace);
  EXPECT_EQ(figures.steps, 0);
  EXPECT_EQ(figures.list[0].host_ns, 30'000);
  EXPECT_EQ(figures.list[4].host_ns, 60'000);
}

// The backward pass of the h100 trainings takes the device for 4.6 ms in each of them, whatever else is planted.
TEST(Phases, of_real_trainings_agree_on_what_no_fault_changes) {
  for (const char* name : {"h100_none", "h100_sync", "h100_workers", "h100_churn"}) {
    const TraceRead read =
        read_trace(source_dir() / "tests/training/diagnosis/traces" / (std::string(name) + ".json.gz"));
    const PhaseFigures figures = phases_of(read.trace);
    const auto steps = static_cast<double>(figures.steps);
    EXPECT_NEAR(static_cast<double>(*figures.list[1].device_ns) / 1e6 / steps, 4.57, 0.03) << name;
    EXPECT_NEAR(static_cast<double>(*figures.list[2].device_ns) / 1e6 / steps, 0.118, 0.001) << name;
    EXPECT_NEAR(*figures.list[0].flops / 1e9 / steps, 178.02, 0.01) << name;
  }
}

}  // namespace
}  // namespace takt
