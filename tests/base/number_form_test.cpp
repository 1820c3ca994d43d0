#include "base/table/number_form.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace std::chrono_literals;
using testing::ElementsAre;

namespace takt {
namespace {

template <typename Number>
std::vector<std::string> column(std::vector<Number> numbers) {
  const NumberForm form = form_of(std::span<const Number>(numbers));
  std::vector<std::string> shown;
  for (const Number number : numbers) shown.push_back(formatted(number, form));
  return shown;
}

TEST(NumberForm, times_have_one_unit_and_one_number_of_digits) {
  EXPECT_THAT(column<Duration>({50us, 20us, 15us, 5us}), ElementsAre("50.0 µs", "20.0 µs", "15.0 µs", "5.0 µs"));
  EXPECT_THAT(column<Duration>({31500us, 20us}), ElementsAre("31.50 ms", "0.02 ms"));
  EXPECT_THAT(column<Duration>({Duration(90)}), ElementsAre("90.0 µs"));
  EXPECT_THAT(column<Duration>({Duration(0), Duration(0)}), ElementsAre("0 ns", "0 ns"));
}

TEST(NumberForm, percentages_have_no_unit_however_large) {
  const std::vector<double> percents{4.4, 47693, 3.18e16};
  const NumberForm form = form_of_percentages(percents);
  EXPECT_EQ(form.suffix, "");
  EXPECT_EQ(formatted(percents[1], form), "47693");
  EXPECT_EQ(formatted(percents[2], form), "31800000000000000");
  EXPECT_EQ(percentage_text(1000), "1000.0");
  EXPECT_EQ(percentage_text(1000.1), "> 1000");
  EXPECT_EQ(percentage_text(-54.04), "-54.0");
}

TEST(NumberForm, the_smallest_keeps_a_digit_as_long_as_the_largest_has_at_most_five) {
  EXPECT_THAT(column<Duration>({1500us, 2us}), ElementsAre("1.500 ms", "0.002 ms"));
  EXPECT_THAT(column<Duration>({950ms, 1us}), ElementsAre("950.00 ms", "0.00 ms"));
}

TEST(NumberForm, rounding_up_reaches_the_next_unit) {
  EXPECT_THAT(column<Duration>({Duration(999.96)}), ElementsAre("1.00 ms"));
  EXPECT_THAT(column<Duration>({Duration(99.97)}), ElementsAre("100 µs"));
}

TEST(NumberForm, negative_times_count_by_their_size) {
  EXPECT_THAT(column<Duration>({Duration(-1500), Duration(20)}), ElementsAre("-1.50 ms", "0.02 ms"));
  EXPECT_THAT(column<Duration>({Duration(-0.0001), Duration(5000)}), ElementsAre("0.0000 ms", "5.0000 ms"));
  EXPECT_THAT(column<Duration>({Duration(0), Duration(5000)}), ElementsAre("0 ms", "5.00 ms")) << "a true zero";
}

TEST(NumberForm, numbers_share_their_digits_and_whole_ones_have_none) {
  EXPECT_THAT(column<double>({55.5555, 22.2222, 5.5555}), ElementsAre("55.6", "22.2", "5.6"));
  EXPECT_THAT(column<double>({207.04, 0.0512}), ElementsAre("207.04", "0.05"));
  EXPECT_THAT(column<double>({4, 1000}), ElementsAre("4", "1000"));
  EXPECT_THAT(column<double>({0, 0}), ElementsAre("0", "0"));
  EXPECT_THAT(column<double>({0.5, 0.0003}), ElementsAre("0.5000", "0.0003"));
}

TEST(NumberForm, millions_share_a_prefix_and_tiny_numbers_an_exponent) {
  EXPECT_THAT(column<double>({236.027e6, 100352}), ElementsAre("236.0 M", "0.1 M"));
  EXPECT_THAT(column<double>({2.41e-6, 0}), ElementsAre("2.41e-06", "0"));
}

TEST(NumberForm, what_is_not_finite_is_a_dash_and_counts_nothing) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT(column<double>({infinite, 1.5, std::nan("")}), ElementsAre("–", "1.50", "–"));
}

}  // namespace
}  // namespace takt
