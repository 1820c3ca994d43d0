// Where the rules begin and end, as trainings of real networks showed: each fault beside what looks like it and is
// none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "trace/events/trace.h"
#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/tables.h"
#include "training/steps/long_step.h"

namespace takt {
namespace {

/// Steps on one thread, without a device; times in microseconds.
class Program {
 public:
  Program() : row_(trace_.add_row(trace_.add_process("python", 1), "main", 1)) {}

  void op(const std::string& name, double micros, double gap = 1) { add(name, "cpu_op", micros, gap); }
  /// The same around another one, which leaves it 0.4 µs.
  void op_around(const std::string& name, double micros, double gap) {
    put(name + "_inner", "cpu_op", now_ + 200, static_cast<std::int64_t>(micros * 1000) - 400);
    op(name, micros, gap);
  }
  void wait(double micros) {
    add("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation", micros, 5);
  }
  void span_around(const std::string& name, std::int64_t start) { put(name, "user_annotation", start, now_ - start); }
  void take(std::int64_t bytes) {
    const EventId moment = put("[memory]", "cpu_instant_event", now_, 0);
    trace_.set_args(moment, TraceValues{{"Bytes", bytes}, {"Device Type", std::int64_t{0}}});
  }
  std::int64_t now() const { return now_; }
  void end_step(std::int64_t start) { span_around("ProfilerStep#" + std::to_string(step_++), start); }
  Diagnosis diagnosis() const { return diagnose("made", trace_); }

 private:
  void add(const std::string& name, const std::string& category, double micros, double gap) {
    const auto length = static_cast<std::int64_t>(micros * 1000);
    put(name, category, now_, length);
    now_ += length + static_cast<std::int64_t>(gap * 1000);
  }
  EventId put(const std::string& name, const std::string& category, std::int64_t start, std::int64_t length) {
    return trace_.add_event(row_, name, category, Nanoseconds(start), Nanoseconds(length));
  }

  Trace trace_;
  RowId row_;
  std::int64_t now_ = 0;
  int step_ = 0;
};

std::vector<TrainingCause> found_in(const Diagnosis& one) {
  std::vector<TrainingCause> causes;
  for (const PlacedVerdict& placed : one.verdicts)
    if (placed.verdict.cause != TrainingCause::compute_bound) causes.push_back(placed.verdict.cause);
  return causes;
}
using Causes = std::vector<TrainingCause>;

/// 1,200 operators of 8 µs, 12 % of a step with what lies between them.
Causes causes_of_tiny_operators(bool in_the_optimizer) {
  Program program;
  for (int step = 0; step < 6; ++step) {
    const std::int64_t start = program.now();
    program.wait(300);
    program.op("aten::conv2d", 90'000);
    const std::int64_t chain = program.now();
    for (int i = 0; i < 1200; ++i) program.op(i % 2 == 0 ? "aten::mul" : "aten::add", 8, 2);
    if (in_the_optimizer) program.span_around("Optimizer.step#AdamW.step", chain);
    program.end_step(start);
  }
  return found_in(program.diagnosis());
}

TEST(Limits, a_thousand_tiny_operators_are_a_fault_outside_the_optimizer) {
  EXPECT_EQ(causes_of_tiny_operators(false), Causes{TrainingCause::tiny_kernels});
  EXPECT_EQ(causes_of_tiny_operators(true), Causes{}) << "any network of many small parameters";
}

/// A convolution of 30 ms and 2,000 sums whose lengths take turns: the price of the sums.
double tiny_price_ms(const std::vector<double>& lengths_us) {
  Program program;
  for (int step = 0; step < 6; ++step) {
    const std::int64_t start = program.now();
    program.op("aten::conv2d", 30'000);
    for (std::size_t i = 0; i < 2000; ++i) program.op("aten::add", lengths_us[i % lengths_us.size()], 0);
    program.end_step(start);
  }
  const Diagnosis one = program.diagnosis();
  for (const PlacedVerdict& placed : one.verdicts)
    if (placed.verdict.cause == TrainingCause::tiny_kernels) return static_cast<double>(placed.verdict.total()) / 6e6;
  return 0;
}

TEST(Limits, tiny_operators_of_a_slow_machine_count_whole_and_larger_tensors_do_not) {
  const double all = 2000 * (15 + 18 + 19 + 30 + 50) / 5 / 1000.0;
  EXPECT_NEAR(tiny_price_ms({15, 18, 19, 30, 50}), all, 0.02 * all) << "the same work on a machine that is busy";
  const double small = 2000 * (5 + 6 + 7 + 8) / 5 / 1000.0;
  EXPECT_NEAR(tiny_price_ms({5, 6, 7, 8, 100}), small, 0.02 * small) << "every fifth adds tensors of another size";
  EXPECT_EQ(tiny_price_ms({25, 30, 35}), 0) << "no tiny operator";
}

/// Steps of 20 ms that wait for so many microseconds in turns.
Causes causes_of_waits(const std::vector<double>& waits, double computing_us = 20'000) {
  Program program;
  for (std::size_t step = 0; step < 12; ++step) {
    const std::int64_t start = program.now();
    program.wait(waits[step % waits.size()]);
    program.op("aten::conv2d", computing_us);
    program.end_step(start);
  }
  return found_in(program.diagnosis());
}

TEST(Limits, waits_for_workers_now_and_then_are_a_fault_and_even_short_ones_are_none) {
  EXPECT_EQ(causes_of_waits({300, 3'600}), Causes{TrainingCause::data_starvation}) << "9 %, 2 ms on average";
  EXPECT_EQ(causes_of_waits({200, 5'000, 500, 200}), Causes{TrainingCause::data_starvation})
      << "7 %, 6 % beyond a ready one";
  EXPECT_EQ(causes_of_waits({1'900}), Causes{}) << "9 %, which handing over takes";
  EXPECT_EQ(causes_of_waits({1'700, 2'100}), Causes{}) << "as much, with noise";
  EXPECT_EQ(causes_of_waits({100, 1'900}), Causes{}) << "short";
  EXPECT_EQ(causes_of_waits({12'000}, 150'000), Causes{TrainingCause::data_starvation})
      << "7 %, and nothing ready takes so long";
  EXPECT_EQ(causes_of_waits({9'000}, 150'000), Causes{}) << "6 %, copying a large batch";
  EXPECT_EQ(causes_of_waits({12'000}, 300'000), Causes{}) << "4 %";
}

/// Steps of 50 ms, of which those named wait for 200 ms more, or as long as `waits` says (in microseconds, by step).
Diagnosis diagnosis_of_late_batches(const std::vector<int>& late, std::vector<double> waits = {}) {
  Program program;
  waits.resize(8, 600);
  for (const int step : late) waits[static_cast<std::size_t>(step)] = 200'000;
  for (int step = 0; step < 8; ++step) {
    const std::int64_t start = program.now();
    program.wait(waits[static_cast<std::size_t>(step)]);
    program.op("aten::conv2d", 50'000);
    program.end_step(start);
  }
  return program.diagnosis();
}

TEST(Limits, one_late_batch_is_no_starvation_and_every_fourth_is) {
  const Diagnosis once = diagnosis_of_late_batches({2}), again = diagnosis_of_late_batches({2, 6});
  EXPECT_EQ(found_in(once), Causes{});
  EXPECT_EQ(found_in(again), Causes{TrainingCause::data_starvation});
  // Six workers that are too slow, looked at for eight steps; and two pauses of the machine.
  EXPECT_EQ(found_in(diagnosis_of_late_batches({6}, {600, 60'000})), Causes{TrainingCause::data_starvation});
  EXPECT_EQ(found_in(diagnosis_of_late_batches({6}, {600, 25'000})), Causes{}) << "25 ms in 7 steps";
  EXPECT_EQ(found_in(diagnosis_of_late_batches({}, {600, 25'000, 600, 600, 600, 600, 100'000})), Causes{})
      << "a quarter of the dearest, and 7 % of the other steps";
  const auto step = find_long_step(once.steps, once.breakdown);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->number, 2);
  EXPECT_EQ(step->part, StepPart::data_wait);
  EXPECT_NEAR(step->times, 250 / 50.6, 0.01);
  EXPECT_NEAR(step->share, 200 / 250.0, 0.001);
  EXPECT_FALSE(find_long_step(again.steps, again.breakdown));
  EXPECT_NE(diagnosis_text(std::span(&once, 1), {})
                .find("Step 2 took 250 ms, 4.9x the typical step; 80 % of it was data_wait."),
            std::string::npos);
}

/// Steps of kernels of 4 ms on a device, each waited for, after which the program computes for `pause_us` itself.
Causes causes_of_kernels_waited_for(int kernels, double pause_us) {
  constexpr std::int64_t launch = 10'000, length = 4'000'000;
  Trace trace;
  const RowId main = trace.add_row(trace.add_process("python", 1), "main", 1);
  const RowId stream = trace.add_row(trace.add_process("GPU 0", 2), "stream 7", 7);
  const auto add = [&](RowId row, const std::string& name, const char* category, std::int64_t start, std::int64_t end,
                       std::int64_t correlation = 0) {
    const EventId event = trace.add_event(row, name, category, Nanoseconds(start), Nanoseconds(end - start));
    if (correlation != 0) trace.set_args(event, TraceValues{{"correlation", correlation}});
  };
  std::int64_t now = 0, correlation = 0;
  for (int step = 0; step < 8; ++step) {
    const std::int64_t start = now;
    for (int i = 0; i < kernels; ++i) {
      add(main, "cudaLaunchKernel", "cuda_runtime", now, now + launch, ++correlation);
      add(stream, "conv", "kernel", now + launch, now + launch + length, correlation);
      add(main, "cudaStreamSynchronize", "cuda_runtime", now + launch, now + launch + length);
      const std::int64_t waited = now + launch + length;
      now = waited + static_cast<std::int64_t>(pause_us * 1000);
      add(main, "aten::conv2d", "cpu_op", waited, now);
    }
    add(main, "ProfilerStep#" + std::to_string(step), "user_annotation", start, now);
  }
  return found_in(diagnose("made", trace));
}

TEST(Limits, a_few_waits_for_the_device_are_usual_unless_they_cost_much) {
  const Causes waits{TrainingCause::host_synchronisation};
  EXPECT_EQ(causes_of_kernels_waited_for(4, 400), waits) << "9 % of a step";
  EXPECT_EQ(causes_of_kernels_waited_for(3, 400), waits) << "as much in three";
  EXPECT_EQ(causes_of_kernels_waited_for(3, 150), Causes{}) << "4 %";
  EXPECT_EQ(causes_of_kernels_waited_for(3, 900), waits) << "18 %";
}

/// A network that holds 60 MB and takes five times as much in a step; `micros` is what one block of 8 MB takes to make.
Causes causes_of_blocks(double micros, bool by_the_loader) {
  Program program;
  for (int step = 0; step < 6; ++step) {
    const std::int64_t start = program.now();
    const auto take_and_free = [&] {
      for (int i = 0; i < 30; ++i) {
        program.take(8'000'000);
        program.op("aten::full", micros);
        program.take(-8'000'000);
      }
    };
    program.take(60'000'000);
    const std::int64_t loader = program.now();
    if (by_the_loader) take_and_free();
    if (by_the_loader) program.span_around("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", loader);
    program.op("aten::lstm", 40'000);
    if (!by_the_loader) take_and_free();
    program.take(-60'000'000);
    program.end_step(start);
  }
  return found_in(program.diagnosis());
}

TEST(Limits, temporaries_are_churn_by_their_price_where_a_network_holds_much_itself) {
  EXPECT_EQ(causes_of_blocks(200, false), Causes{TrainingCause::allocator_churn}) << "6 ms of 46";
  EXPECT_EQ(causes_of_blocks(40, false), Causes{}) << "1.2 ms of 41";
  EXPECT_EQ(causes_of_blocks(120, true), Causes{}) << "samples: 3.6 ms of 44, and too little for starvation";
}

/// Ten operators of 10 ms; from the fifth step on each takes as many times as long as `slower` says.
Causes causes_of_slower(const std::vector<double>& slower) {
  Program program;
  for (int step = 0; step < 8; ++step) {
    const std::int64_t start = program.now();
    program.wait(300);
    for (std::size_t i = 0; i < slower.size(); ++i)
      program.op("aten::op" + std::to_string(i), 10'000 * (step < 4 ? 1 : slower[i]));
    program.end_step(start);
  }
  return found_in(program.diagnosis());
}

TEST(Limits, a_rise_that_hurts_all_operators_by_different_factors_is_of_the_machine) {
  EXPECT_EQ(causes_of_slower({1.05, 1.1, 1.1, 1.2, 1.3, 1.3, 1.4, 1.5, 1.6, 1.6}), Causes{});
  const Causes rise{TrainingCause::rising_step_time};
  EXPECT_EQ(causes_of_slower(std::vector<double>(10, 1.31)), rise) << "a lower clock hurts all alike";
  EXPECT_EQ(causes_of_slower({1, 1, 1, 1, 1, 1, 1, 1, 1, 4.1}), rise) << "something grows";
  EXPECT_EQ(causes_of_slower({1.1, 1.2, 1.4, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2}), rise) << "too much for neighbours";
}

/// Twelve steps of 10 ms, of which the sixth and the last take 10 ms longer: in their operator, in another one, or in
/// code of the program's own.
enum class Longer : std::uint8_t { same_operator, other_operator, own_code };
Causes causes_of_two_long_steps(Longer longer) {
  Program program;
  for (int step = 0; step < 12; ++step) {
    const std::int64_t start = program.now();
    const bool is_long = step % 6 == 5;
    program.op("aten::conv2d", is_long && longer == Longer::same_operator ? 20'000 : 10'000);
    if (is_long && longer == Longer::other_operator) program.op("aten::linear", 10'000);
    program.op("aten::add", 50, is_long && longer == Longer::own_code ? 10'000 : 1);
    program.end_step(start);
  }
  return found_in(program.diagnosis());
}

TEST(Limits, two_long_steps_are_a_stall_if_something_is_seen_that_only_they_do) {
  EXPECT_EQ(causes_of_two_long_steps(Longer::same_operator), Causes{}) << "so a busy machine may have it";
  EXPECT_EQ(causes_of_two_long_steps(Longer::other_operator), Causes{TrainingCause::periodic_stall});
  EXPECT_EQ(causes_of_two_long_steps(Longer::own_code), Causes{TrainingCause::periodic_stall});
}

/// Twelve steps of 10 ms with 5 ms of own code, and where every `period`-th has `more` ms of it: by cause, ms in all.
std::map<TrainingCause, std::int64_t> prices_of_own_code(int period, int more_ms) {
  Program program;
  for (int step = 0; step < 12; ++step) {
    const std::int64_t start = program.now();
    program.op("aten::conv2d", 10'000);
    program.op("aten::add", 50, 1000 * (5 + (step % period == period - 1 ? more_ms : 0)));
    program.end_step(start);
  }
  std::map<TrainingCause, std::int64_t> prices;
  const Diagnosis one = program.diagnosis();
  for (const PlacedVerdict& placed : one.verdicts)
    prices[placed.verdict.cause] = (placed.verdict.total() + 500'000) / 1'000'000;
  return prices;
}

TEST(Limits, what_every_few_steps_do_at_the_place_of_all_has_its_own_price) {
  using Prices = std::map<TrainingCause, std::int64_t>;
  EXPECT_EQ(prices_of_own_code(4, 4),
            (Prices{{TrainingCause::host_bound, 12 * 5}, {TrainingCause::periodic_stall, 3 * 4}}));
  EXPECT_EQ(prices_of_own_code(6, 12),
            (Prices{{TrainingCause::host_bound, 12 * 5}, {TrainingCause::periodic_stall, 2 * 12}}));
  EXPECT_EQ(prices_of_own_code(6, 4), (Prices{{TrainingCause::host_bound, 12 * 5 + 2 * 4}}))
      << "two that are a little longer may be so by chance";
}

/// Steps of 20 ms and 1,200 operators of 8 µs, each with one inside or with none.
std::string evidence_of_tiny_operators(bool are_around) {
  Program program;
  for (int step = 0; step < 6; ++step) {
    const std::int64_t start = program.now();
    program.op("aten::conv2d", 20'000);
    for (int i = 0; i < 1200; ++i) {
      if (are_around)
        program.op_around("aten::mul", 8, 2);
      else
        program.op("aten::mul", 8, 2);
    }
    program.end_step(start);
  }
  const Diagnosis one = program.diagnosis();
  return one.verdicts.empty() ? "" : one.verdicts[0].verdict.evidence;
}

// 2 records of each are 0.96 ms of 32 ms per step; without the sums 20 ms remain.
TEST(Limits, the_price_of_tiny_operators_has_a_range_where_recording_them_costs) {
  EXPECT_THAT(evidence_of_tiny_operators(true),
              testing::HasSubstr("; recording them takes up to 960 µs per step of it: without the profiler 1.55 to "
                                 "1.60x faster"));
  EXPECT_THAT(evidence_of_tiny_operators(false), testing::Not(testing::HasSubstr("recording")))
      << "what a record costs is not in the trace";
}

}  // namespace
}  // namespace takt
