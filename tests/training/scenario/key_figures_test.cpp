// Figures and operators of trainings, counted by hand.
#include "training/scenario/key_figures.h"

#include <gtest/gtest.h>

#include <functional>

#include "training/diagnosis/made_training.h"
#include "training/scenario/tables.h"
#include "training/scenario/top_operators.h"

namespace takt {
namespace {

/// Two steps of 100 µs; each waits 25 µs, calls linear (which calls addmm) and item (which calls _local_scalar_dense).
class SmallTraining {
 public:
  SmallTraining() {
    const ProcessId program = trace_.add_process("train", 10);
    loop_ = trace_.add_row(program, "main", 10);
    worker_ = trace_.add_row(program, "worker", 11);
    for (int step = 0; step < 2; ++step) {
      const std::int64_t at = step * 100'000;
      add(loop_, "ProfilerStep#" + std::to_string(step), "user_annotation", at, 100'000);
      add(loop_, "enumerate(DataLoader)#_ThreadedDataLoaderIter.__next__", "user_annotation", at, 25'000);
      add(worker_, "dataset::transform", "cpu_op", at + 1'000, 20'000);
      add(loop_, "aten::linear", "cpu_op", at + 30'000, 40'000);
      add(loop_, "aten::addmm", "cpu_op", at + 35'000, 30'000);
      add(loop_, "aten::item", "cpu_op", at + 80'000, 4'000);
      add(loop_, "aten::_local_scalar_dense", "cpu_op", at + 81'000, 2'000);
      memory(at + 31'000, 1000);
      memory(at + 60'000, -1000);
      memory(at + 62'000, 500);
    }
  }
  Trace& trace() { return trace_; }
  RowId loop() const { return loop_; }
  EventId add(RowId row, const std::string& name, const std::string& category, std::int64_t start,
              std::int64_t length) {
    return trace_.add_event(row, name, category, Nanoseconds(start), Nanoseconds(length));
  }

  void memory(std::int64_t time, std::int64_t bytes) {
    const EventId event = add(loop_, "[memory]", "cpu_instant_event", time, 0);
    trace_.mark_instant(event, InstantScope::row);
    trace_.set_args(event, TraceValues{{"Bytes", bytes}, {"Device Type", std::int64_t{0}}});
  }

 private:
  Trace trace_;
  RowId loop_{}, worker_{};
};

TEST(KeyFigures, are_means_over_the_steps_of_the_threads_that_train) {
  SmallTraining small;
  const KeyFigures figures = key_figures(small.trace());
  EXPECT_EQ(figures.steps, 2);
  EXPECT_DOUBLE_EQ(figures.data_wait_share.value(), 0.25);
  EXPECT_DOUBLE_EQ(figures.reads_per_step.value(), 1);  // item and what it calls are one
  EXPECT_DOUBLE_EQ(figures.operators_per_step.value(), 4);
  EXPECT_DOUBLE_EQ(figures.bytes_per_step.value(), 1500);
}

// The last step ends at 200 µs, where its mark does.
TEST(KeyFigures, are_of_what_begins_within_a_step) {
  const auto with = [](const std::function<void(SmallTraining&)>& add) {
    SmallTraining small;
    add(small);
    return key_figures(small.trace());
  };
  const auto operators_at = [&](std::int64_t time) {
    return with([&](SmallTraining& s) { s.add(s.loop(), "aten::add", "cpu_op", time, 10); }).operators_per_step.value();
  };
  EXPECT_DOUBLE_EQ(operators_at(0), 4.5);
  EXPECT_DOUBLE_EQ(operators_at(99'999), 4.5);
  EXPECT_DOUBLE_EQ(operators_at(100'000), 4.5);
  EXPECT_DOUBLE_EQ(operators_at(199'980), 4.5);
  EXPECT_DOUBLE_EQ(operators_at(200'000), 4);
  const auto bytes_at = [&](std::int64_t time, std::int64_t bytes) {
    return with([&](SmallTraining& s) { s.memory(time, bytes); }).bytes_per_step.value();
  };
  EXPECT_DOUBLE_EQ(bytes_at(199'999, 10), 1505);
  EXPECT_DOUBLE_EQ(bytes_at(200'000, 10), 1500);
  EXPECT_DOUBLE_EQ(bytes_at(50'000, 0), 1500);
  EXPECT_DOUBLE_EQ(bytes_at(50'000, -7), 1500) << "given back";
  const auto waits = with([](SmallTraining& s) {
    s.add(s.loop(), "enumerate(DataLoader)#_ThreadedDataLoaderIter.__next__", "user_annotation", 190'000, 30'000);
  });
  EXPECT_DOUBLE_EQ(waits.data_wait_share.value(), 60.0 / 200) << "what lies beyond the last step is left out";
}

TEST(KeyFigures, are_missing_where_the_trace_cannot_tell) {
  const Trace made = made_training({.has_device = false});
  const KeyFigures blind = key_figures(without_names(without_names(made, "[memory]"), "DataLoader"));
  EXPECT_FALSE(blind.bytes_per_step.has_value());
  EXPECT_FALSE(blind.data_wait_share.has_value());
  EXPECT_TRUE(blind.operators_per_step.has_value());
  EXPECT_EQ(key_figures(Trace{}).steps, 0);
}

TEST(TopOperators, have_their_own_time_and_nobody_elses) {
  SmallTraining small;
  const OperatorTimes times = operator_times(small.trace());
  ASSERT_EQ(times.list.size(), 4u);
  EXPECT_FALSE(times.is_of_device);
  EXPECT_EQ(times.list[0].name, "aten::addmm");
  EXPECT_EQ(times.list[0].self_ns, 60'000);
  EXPECT_EQ(times.list[1].name, "aten::linear");
  EXPECT_EQ(times.list[1].self_ns, 20'000);
  EXPECT_EQ(times.list[1].calls, 2);
  EXPECT_EQ(times.total_ns, 2 * (40'000 + 4'000));
}

TEST(TopOperators, own_the_work_of_the_device_that_they_launch) {
  SmallTraining small;
  const RowId stream = small.trace().add_row(small.trace().add_process("GPU 0", 20), "stream 7", 7);
  const auto launch = [&](std::int64_t at, std::int64_t correlation, std::int64_t length) {
    const EventId call = small.add(small.loop(), "cudaLaunchKernel", "cuda_runtime", at, 1'000);
    small.trace().set_args(call, TraceValues{{"correlation", correlation}});
    const EventId work = small.add(stream, "gemm", "kernel", at + 5'000, length);
    small.trace().set_args(work, TraceValues{{"correlation", correlation}});
  };
  launch(40'000, 1, 9'000);  // in addmm, in linear
  launch(31'000, 2, 3'000);  // in linear alone
  launch(75'000, 3, 7'000);  // in no operator
  const OperatorTimes times = operator_times(small.trace());
  EXPECT_TRUE(times.is_of_device);
  ASSERT_EQ(times.list.size(), 2u);
  EXPECT_EQ(times.list[0].name, "aten::addmm");
  EXPECT_EQ(times.list[0].self_ns, 9'000);
  EXPECT_EQ(times.list[1].self_ns, 3'000);
}

// Work belongs to the innermost operator that is open when its call begins, on the call's own thread.
TEST(TopOperators, of_calls_at_the_ends_of_operators) {
  const auto owner = [](std::int64_t at, std::int64_t correlation = 5) {
    SmallTraining small;
    const RowId stream = small.trace().add_row(small.trace().add_process("GPU 0", 20), "stream 7", 7);
    const EventId call = small.add(small.loop(), "cudaLaunchKernel", "cuda_runtime", at, 500);
    const EventId work = small.add(stream, "gemm", "kernel", at + 5'000, 3'000);
    small.add(stream, "gemm", "kernel", at + 9'000, 100);  // of nobody
    for (const EventId one : {call, work}) small.trace().set_args(one, TraceValues{{"correlation", correlation}});
    const OperatorTimes times = operator_times(small.trace());
    return times.list.empty() ? "nobody" : times.list[0].name + " " + std::to_string(times.total_ns);
  };
  EXPECT_EQ(owner(30'000), "aten::linear 3000");
  EXPECT_EQ(owner(34'999), "aten::linear 3000");
  EXPECT_EQ(owner(35'000), "aten::addmm 3000");
  EXPECT_EQ(owner(64'999), "aten::addmm 3000");
  EXPECT_EQ(owner(65'000), "aten::linear 3000") << "addmm has ended";
  EXPECT_EQ(owner(70'000), "nobody") << "linear has, too";
  EXPECT_EQ(owner(40'000, 0), "nobody") << "0 is no correlation";
}

TEST(TopOperators, of_equal_time_come_by_their_names_and_of_two_devices_together) {
  SmallTraining small;
  const ProcessId first = small.trace().add_process("GPU 0", 20), second = small.trace().add_process("GPU 1", 21);
  const RowId streams[] = {small.trace().add_row(first, "stream 7", 7), small.trace().add_row(second, "stream 7", 7)};
  std::int64_t correlation = 0;
  const auto launch = [&](std::int64_t at, std::size_t device, std::int64_t length) {
    const EventId call = small.add(small.loop(), "cudaLaunchKernel", "cuda_runtime", at, 500);
    const EventId work = small.add(streams[device], "gemm", "kernel", at + 5'000, length);
    ++correlation;
    for (const EventId one : {call, work}) small.trace().set_args(one, TraceValues{{"correlation", correlation}});
  };
  launch(81'500, 0, 70), launch(40'000, 0, 40), launch(140'000, 1, 30), launch(31'000, 1, 70);
  const OperatorTimes times = operator_times(small.trace());
  ASSERT_EQ(times.list.size(), 3u);
  EXPECT_EQ(times.list[0].name, "aten::_local_scalar_dense");
  EXPECT_EQ(times.list[1].name, "aten::addmm");
  EXPECT_EQ(times.list[1].self_ns, 70);
  EXPECT_EQ(times.list[2].name, "aten::linear");
  EXPECT_EQ(times.total_ns, 210);
}

TEST(ScenarioText, has_the_ten_dearest_operators_and_means_of_the_steps) {
  ScenarioOutcome outcome;
  outcome.run.step_times = {Nanoseconds(3'000'000), Nanoseconds(5'000'000), Nanoseconds(1'000'000)};
  outcome.run.data_waits = {Nanoseconds(1'000'000), Nanoseconds(0), Nanoseconds(2'000'000)};
  outcome.run.device = "cpu", outcome.run.profiler = "kineto", outcome.run.torch_version = "2";
  outcome.figures = {3, 0.375, 2, 41, 3072};
  OperatorTimes operators;
  for (int i = 0; i < 11; ++i)
    operators.list.push_back({"op" + std::to_string(i), 6, 3'000}), operators.total_ns += 3'000;
  TextStyle style;
  style.width = 400;
  const std::string text = scenario_text(outcome, operators, style);
  EXPECT_NE(text.find("avg_step_time_s        0.003000\navg_dataloader_wait_s  0.001000\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find(
          "3 steps on cpu, recorded by kineto of libtorch 2. Per step: 37.5 % waiting for data, 2 values read back, 41 "
          "operators, 3.00 KiB of memory allocated."),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("op9"), std::string::npos);
  EXPECT_EQ(text.find("op10"), std::string::npos);
  const Table table = scenario_tables(outcome, operators)[1];
  ASSERT_EQ(table.rows.size(), 11u);
  EXPECT_EQ(std::get<double>(some_columns(table, {"calls_per_step"}).rows[10][0]), 2);
  EXPECT_EQ(std::get<Duration>(some_columns(table, {"self_per_step_us"}).rows[10][0]), Duration(1));
  EXPECT_DOUBLE_EQ(std::get<double>(some_columns(table, {"self_percent"}).rows[10][0]), 100.0 / 11);
}

}  // namespace
}  // namespace takt
