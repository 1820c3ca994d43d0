// Steps that become longer: whose fault it is, on the borders of what tells neighbours of the machine from the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trace/events/trace.h"
#include "training/diagnosis/diagnosis.h"
#include "training/steps/rise.h"

namespace takt {
namespace {

constexpr std::int64_t micro = 1000;

/// An operator of each step: how often it is called and how long each call takes, before and after.
struct RisingOperator {
  std::int64_t before = 0, after = 0;
  int calls_before = 1, calls_after = 1;
  bool is_inside_another = false;  ///< of a span of its own length
  bool is_on_worker = false;
};

RisingOperator once(double before_us, double factor) {
  return {std::llround(before_us * 1000), std::llround(before_us * 1000 * factor)};
}

std::vector<RisingOperator> slower_by(const std::vector<double>& factors) {
  std::vector<RisingOperator> list;
  for (const double factor : factors) list.push_back(once(1000, factor));
  return list;
}

/// Steps of these lengths, `at` of them before; the operators stand at their front, the rest is the program's own code.
Diagnosis diagnosis_of_rise(const std::vector<std::int64_t>& lengths, std::size_t at,
                            const std::vector<RisingOperator>& operators) {
  Trace trace;
  const ProcessId process = trace.add_process("python", 1);
  const RowId loop = trace.add_row(process, "main", 1), worker = trace.add_row(process, "worker", 2);
  const auto add = [&](RowId row, const std::string& name, const char* category, std::int64_t start,
                       std::int64_t length) {
    trace.add_event(row, name, category, Nanoseconds(start), Nanoseconds(length));
  };
  std::int64_t start = 0;
  for (std::size_t step = 0; step < lengths.size(); ++step) {
    add(loop, "ProfilerStep#" + std::to_string(step + 3), "user_annotation", start, lengths[step]);
    std::int64_t now = start;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const RisingOperator& one = operators[i];
      const std::int64_t length = step < at ? one.before : one.after;
      for (int call = 0; call < (step < at ? one.calls_before : one.calls_after); ++call, now += length) {
        const std::string name = "aten::op" + std::to_string(i);
        if (one.is_inside_another) add(loop, name + "_outer", "cpu_op", now, length);
        add(one.is_on_worker ? worker : loop, name, "cpu_op", now, length);
      }
    }
    start += lengths[step];
  }
  return diagnose("made", trace);
}

std::optional<TrainingVerdict> rise_in(const Diagnosis& one) {
  for (const PlacedVerdict& placed : one.verdicts)
    if (placed.verdict.cause == TrainingCause::rising_step_time) return placed.verdict;
  return std::nullopt;
}

/// Whether four steps of 10 ms and four of `after_us` are called a fault of the program.
bool is_told(const std::vector<RisingOperator>& operators, std::int64_t after_us = 14'000) {
  std::vector<std::int64_t> lengths(8, 10'000 * micro);
  std::fill(lengths.begin() + 4, lengths.end(), after_us * micro);
  return rise_in(diagnosis_of_rise(lengths, 4, operators)).has_value();
}

// Steps take 40 % longer: half of the operators a tenth longer at least, with quartiles 12 % apart.
TEST(NeighboursOrProgram, most_operators_are_slower_by_a_quarter_of_the_rise_and_differ_by_three_tenths_of_it) {
  EXPECT_FALSE(is_told(slower_by({1, 1, 1.0, 1.05, 1.101, 1.11, 1.13, 1.2, 1.2}))) << "the middle a tenth";
  EXPECT_TRUE(is_told(slower_by({1, 1, 1.0, 1.05, 1.099, 1.11, 1.13, 1.2, 1.2}))) << "and less";
  EXPECT_FALSE(is_told(slower_by({1, 1, 1.2, 1.25, 1.3, 1.31, 1.321, 1.4, 1.4}))) << "quartiles 12.1 % apart";
  EXPECT_TRUE(is_told(slower_by({1, 1, 1.2, 1.25, 1.3, 1.31, 1.319, 1.4, 1.4}))) << "11.9 %";
  // By a quarter, in numbers that a computer holds exactly.
  EXPECT_FALSE(is_told(slower_by({1, 1, 1.0, 1.03125, 1.0625, 1.07, 1.09, 1.1, 1.1}), 12'500));
}

TEST(NeighboursOrProgram, a_rise_by_half_is_told_in_any_case) {
  const auto neighbours = slower_by({1, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.5, 1.5});
  EXPECT_TRUE(is_told(neighbours, 15'000));
  EXPECT_FALSE(is_told(neighbours, 14'999));
}

TEST(NeighboursOrProgram, a_rise_below_a_quarter_is_none_without_a_device) {
  const std::vector<RisingOperator> alike = slower_by(std::vector<double>(8, 1.2));
  EXPECT_TRUE(is_told(alike, 12'500));
  EXPECT_FALSE(is_told(alike, 12'499));
}

/// Seven operators as neighbours hurt them, beside which an eighth counts or not.
std::vector<RisingOperator> seven_and(RisingOperator eighth) {
  auto list = slower_by({1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.5});
  list.push_back(eighth);
  return list;
}

TEST(NeighboursOrProgram, eight_operators_are_enough_and_seven_are_not) {
  EXPECT_TRUE(is_told(seven_and({})));
  EXPECT_FALSE(is_told(seven_and(once(500, 1.3))));
}

TEST(NeighboursOrProgram, an_operator_counts_from_two_thousandths_of_a_step_on) {
  EXPECT_FALSE(is_told(seven_and({20'000, 26'000})));
  EXPECT_TRUE(is_told(seven_and({19'999, 26'000})));
}

TEST(NeighboursOrProgram, an_operator_counts_that_is_called_as_often_as_before) {
  const auto called = [](int before, int after) { return seven_and({10'000, 13'000, before, after}); };
  EXPECT_FALSE(is_told(called(20, 20)));
  EXPECT_FALSE(is_told(called(19, 20))) << "a twentieth more";
  EXPECT_TRUE(is_told(called(18, 19))) << "a nineteenth";
  EXPECT_FALSE(is_told(called(21, 20)));
  EXPECT_TRUE(is_told(called(20, 19)));
}

TEST(NeighboursOrProgram, of_an_operator_counts_what_it_does_itself) {
  auto six = slower_by({1, 1.1, 1.2, 1.3, 1.4, 1.5});
  six.push_back({1000 * micro, 1300 * micro, 1, 1, true, false});
  EXPECT_TRUE(is_told(six)) << "what is around it does nothing";
}

TEST(NeighboursOrProgram, operators_of_threads_that_do_not_train_do_not_count) {
  EXPECT_TRUE(is_told(seven_and({1000 * micro, 1300 * micro, 1, 1, false, true})));
}

TEST(RiseVerdict, of_a_step_up_costs_what_the_steps_behind_take_more) {
  constexpr std::int64_t ms = 1'000'000;
  const auto verdict =
      rise_in(diagnosis_of_rise({10 * ms, 10 * ms, 10 * ms, 10 * ms, 20 * ms, 21 * ms, 19 * ms, 20 * ms}, 4, {}));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->cost, (std::vector<std::int64_t>{0, 0, 0, 0, 10 * ms, 11 * ms, 9 * ms, 10 * ms}));
  EXPECT_EQ(verdict->evidence, "from step 7 on, steps take 20.0 ms instead of 10.0 ms");
  EXPECT_EQ(verdict->fix,
            "Check what changes there: growing memory, a list that is never cleared, a loader that falls behind, or a "
            "throttled clock.");
}

TEST(RiseVerdict, of_a_step_that_is_no_longer_than_before_costs_nothing) {
  constexpr std::int64_t ms = 1'000'000;
  std::vector<std::int64_t> lengths(40, 10 * ms), cost(40);
  std::fill(lengths.begin() + 20, lengths.end(), 20 * ms);
  std::fill(cost.begin() + 20, cost.end(), 10 * ms);
  lengths[30] = 9 * ms, cost[30] = 0;
  const auto verdict = rise_in(diagnosis_of_rise(lengths, 20, {}));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->cost, cost);
}

TEST(RiseVerdict, of_a_steady_growth_costs_what_all_take_more_than_the_first) {
  constexpr std::int64_t ms = 1'000'000;
  std::vector<std::int64_t> lengths, cost;
  for (std::int64_t i = 0; i < 8; ++i) lengths.push_back((10 + 2 * i) * ms), cost.push_back(2 * i * ms);
  const auto verdict = rise_in(diagnosis_of_rise(lengths, 8, {}));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->cost, cost);
  EXPECT_EQ(verdict->evidence, "step time grows steadily, from 10.0 ms to 24.0 ms");
}

TEST(RiseVerdict, needs_five_steps) {
  constexpr std::int64_t ms = 1'000'000;
  EXPECT_TRUE(rise_in(diagnosis_of_rise({10 * ms, 10 * ms, 10 * ms, 20 * ms, 20 * ms}, 5, {})));
  const Diagnosis four = diagnosis_of_rise({10 * ms, 10 * ms, 20 * ms, 20 * ms}, 4, {});
  EXPECT_FALSE(rise_in(four));
  const auto said = std::find_if(four.abstentions.begin(), four.abstentions.end(),
                                 [](const Abstention& one) { return one.cause == TrainingCause::rising_step_time; });
  ASSERT_NE(said, four.abstentions.end());
  EXPECT_EQ(said->missing, "at least 5 steps");
}

// Two levels with noise: 10 ± d and 11.5 ± d, six of each. Around them all squares are 12 d², so the noise is
// d·sqrt(1.2), and six standard errors of the difference are 6 · d · sqrt(1.2) · sqrt(1/3) = 3.7947 d.
TEST(RiseBorders, of_six_standard_errors_a_rise_is_one) {
  const auto with_noise = [](double d) {
    std::vector<double> times;
    for (const double level : {10.0, 11.5})
      for (int i = 0; i < 6; ++i) times.push_back(level + (i % 2 == 0 ? d : -d));
    return find_rise(times);
  };
  EXPECT_TRUE(with_noise(0.39)) << "3.7947 · 0.39 = 1.480";
  EXPECT_FALSE(with_noise(0.40)) << "3.7947 · 0.40 = 1.518";
}

// Without noise a clock's is taken: 0.5 % of the level before. Six standard errors of 2 of 5 are
// 6 · 0.05 · sqrt(1/3 + 1/2) = 0.2739 of 10.
TEST(RiseBorders, without_noise_half_a_percent_is_taken) {
  const auto by = [](double rise) { return find_rise(std::vector<double>{10, 10, 10, 10 + rise, 10 + rise}, 0.01); };
  EXPECT_TRUE(by(0.28));
  EXPECT_FALSE(by(0.27));
}

// Ninety times 10, then six times 30 among which three are as they were: a quarter of the later ones is no longer than
// three quarters of the earlier ones. The third of nine sorted values is their quartile.
TEST(RiseBorders, a_few_long_steps_are_no_new_level) {
  const auto among = [](double usual) {
    std::vector<double> times(90, 10);
    for (const double time : {30.0, usual, 30.0, usual, 30.0, usual, 30.0, 30.0, 30.0}) times.push_back(time);
    return find_rise(times);
  };
  EXPECT_FALSE(among(10));
  const auto rise = among(10.1);
  ASSERT_TRUE(rise);
  EXPECT_EQ(rise->at, 90u);
}

// Around a line through them nothing is left, around two levels 10.
TEST(RiseBorders, a_line_that_fits_better_is_a_steady_growth) {
  std::vector<double> line, levels{10, 10, 10, 10, 16, 16, 16, 16};
  for (int i = 0; i < 8; ++i) line.push_back(10 + i);
  EXPECT_TRUE(find_rise(line)->is_gradual);
  EXPECT_FALSE(find_rise(levels)->is_gradual);
  EXPECT_EQ(find_rise(line)->before, 11.5) << "10 to 13";
  EXPECT_EQ(find_rise(line)->after, 15.5) << "14 to 17";
  EXPECT_EQ(find_rise(line)->at, 4u);
}

}  // namespace
}  // namespace takt
