// Load laws with numbers worked out by hand: what each figure does to the factor, where it is held, and how far off it
// may be.
#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/error.h"
#include "predict/answer/load_law.h"
#include "predict/answer/load_training.h"
#include "predict/answer/loaded_prediction.h"
#include "predict/answer/predict_words.h"
#include "predict/fit/conformal.h"

namespace takt {
namespace {

/// A term of weight 1, trained on all distances up to one.
LoadTerm term(const std::string& feature, double quiet) { return {feature, quiet, 1, 0, -1, 1}; }

LoadFactor factor_of(const LoadTerm& one, const SeenLoad& seen, double memory_share = 0) {
  return LoadLaw("law", {one}, {{1000, 0.25}}).factor(seen, memory_share).value();
}

TEST(LoadLawValues, shares_count_by_their_difference_rates_by_their_ratio_and_waits_with_the_time_itself) {
  LoadTerm busy{"cpu_busy_share", 0.25, 1, 2, -1, 1};
  EXPECT_DOUBLE_EQ(factor_of(busy, {{"cpu_busy_share", 0.75}}, 0.5).factor, std::exp(0.5 * (1 + 2 * 0.5)));
  EXPECT_DOUBLE_EQ(factor_of(term("probe_compute_flops", 4), {{"probe_compute_flops", 2}}).factor, 2);
  EXPECT_DOUBLE_EQ(factor_of(term("probe_compute_flops", 4), {{"probe_compute_flops", 0}}).factor, 1);
  EXPECT_DOUBLE_EQ(factor_of(term("probe_compute_flops", 0), {{"probe_compute_flops", 2}}).factor, 1);
  EXPECT_DOUBLE_EQ(factor_of(term("probe_wait_ratio", 1), {{"probe_wait_ratio", 3}}).factor, 2);
  EXPECT_DOUBLE_EQ(factor_of(term("probe_wait_ratio", -5), {{"probe_wait_ratio", 1}}).factor, 2);
  EXPECT_DOUBLE_EQ(factor_of(term("probe_wait_ratio", 1), {{"probe_wait_ratio", -5}}).factor, 0.5);
  const LoadLaw both("law", {term("probe_compute_flops", 4), term("probe_wait_ratio", 0)}, {});
  const auto found = both.factor({{"probe_compute_flops", 2}, {"probe_wait_ratio", 2}}, 0);
  EXPECT_DOUBLE_EQ(found->factor, 6);
  EXPECT_EQ(found->width, 0);
}

TEST(LoadLawValues, memory_counts_as_far_as_others_are_busy) {
  const LoadTerm memory{"probe_memory_bytes_per_s", 4, 1, 0, -9, 9};
  const auto beside = [&](double busy) {
    return factor_of(memory, {{"probe_memory_bytes_per_s", 1}, {"cpu_busy_share", busy}}).factor;
  };
  EXPECT_DOUBLE_EQ(beside(0.5), 2);
  EXPECT_DOUBLE_EQ(beside(2), 4);
  EXPECT_DOUBLE_EQ(beside(-1), 1);
  EXPECT_DOUBLE_EQ(factor_of(memory, {{"probe_memory_bytes_per_s", 1}}).factor, 4);
}

TEST(LoadLawValues, what_was_not_trained_on_is_held_but_a_wait) {
  const auto share = [](double value) {
    return factor_of({"cpu_busy_share", 0, 1, 0, -0.25, 0.5}, {{"cpu_busy_share", value}});
  };
  EXPECT_DOUBLE_EQ(share(0.5625).factor, std::exp(0.5));
  EXPECT_FALSE(share(0.5625).is_beyond) << "by less than a tenth";
  EXPECT_EQ(share(0.5625).width, 0.25);
  EXPECT_TRUE(share(0.625).is_beyond);
  EXPECT_EQ(share(0.625).width, 0.5) << "twice as wide";
  EXPECT_DOUBLE_EQ(share(-0.5).factor, std::exp(-0.25));
  EXPECT_TRUE(share(-0.5).is_beyond);
  const auto wait = [](double value) {
    return factor_of({"probe_wait_ratio", 1, 1, 0, 0, std::log(2)}, {{"probe_wait_ratio", value}});
  };
  EXPECT_DOUBLE_EQ(wait(7).factor, 4);
  EXPECT_TRUE(wait(7).is_beyond);
  EXPECT_DOUBLE_EQ(wait(0).factor, 1) << "less waiting than in quiet";
  LoadTerm steep = term("cpu_busy_share", 0);
  steep.weight = 100;
  EXPECT_DOUBLE_EQ(factor_of(steep, {{"cpu_busy_share", 1}}).factor, std::exp(7));
  EXPECT_DOUBLE_EQ(factor_of(steep, {{"cpu_busy_share", -1}}).factor, std::exp(-7));
}

TEST(LoadLawValues, a_wait_that_changes_counts_up_to_three_times) {
  const auto with_trend = [](const std::string& feature, double trend) {
    return std::log(factor_of(term(feature, 0), {{feature, 0}, {std::string(wait_trend_feature), trend}}).factor);
  };
  EXPECT_NEAR(with_trend("probe_wait_ratio", 2), std::log(2), 1e-12);
  EXPECT_NEAR(with_trend("probe_wait_ratio", 9), 1.1, 1e-12);
  EXPECT_NEAR(with_trend("probe_wait_ratio", 0.1), -1.1, 1e-12);
  EXPECT_EQ(with_trend("probe_wait_ratio", 0), 0);
  EXPECT_EQ(with_trend("probe_wait_ratio", -1), 0);
  EXPECT_EQ(with_trend("cpu_busy_share", 2), 0);
}

TEST(LoadLawValues, half_of_a_wait_is_the_fair_one_where_others_are_busy) {
  const auto exponent = [](double busy) {  // of 2: the probe waited as long as three times, fair is as long as once
    const SeenLoad seen{{"probe_wait_ratio", 3}, {"probe_fair_wait_ratio", 1}, {"cpu_busy_share", busy}};
    return std::log2(factor_of({"probe_fair_wait_ratio", 0, 1, 0, -9, 9}, seen).factor);
  };
  EXPECT_NEAR(exponent(0.5), 2, 1e-12);
  EXPECT_NEAR(exponent(0.9), 2, 1e-12);
  EXPECT_NEAR(exponent(0.94), 1.75, 1e-12);
  EXPECT_NEAR(exponent(0.98), 1.5, 1e-12);
  EXPECT_NEAR(exponent(1), 1.5, 1e-12);
  const LoadLaw law("turns", {term("probe_fair_wait_ratio", 0)}, {});
  EXPECT_FALSE(law.factor({{"probe_wait_ratio", 3}, {"probe_fair_wait_ratio", 1}}, 0));
  EXPECT_FALSE(law.factor({{"probe_wait_ratio", 3}, {"cpu_busy_share", 1}}, 0));
}

/// Samples that all see the processors busy for half of the time more than in quiet.
std::vector<LoadSample> busy_samples(std::size_t count, double log_factor, double memory_share = 0) {
  return std::vector<LoadSample>(count, {{{"cpu_busy_share", 0.75}}, memory_share, std::exp(log_factor), "m", "l"});
}

std::optional<LoadLaw> busy_law(std::vector<LoadSample> samples) {
  std::vector<const LoadSample*> all;
  for (const LoadSample& one : samples) all.push_back(&one);
  const std::vector<SeenLoad> quiet{
      {{"cpu_busy_share", 0.9}}, {}, {{"cpu_busy_share", 0.25}}, {{"cpu_busy_share", 0.1}}};
  return fit_load_law(all, quiet, load_law_kinds().back());
}

// Eight distances of 0.5: the squares are 2, and the pull to the guess 0.02 + 8 * 0.075 * 0.075 = 0.065.
TEST(LoadLawValues, are_fitted_by_least_squares_that_are_drawn_to_the_guess) {
  const auto law = busy_law(busy_samples(8, 1));
  ASSERT_TRUE(law);
  EXPECT_EQ(law->kind(), "busy");
  ASSERT_EQ(law->terms().size(), 1u);
  const LoadTerm& one = law->terms()[0];
  EXPECT_EQ(one.feature, "cpu_busy_share");
  EXPECT_EQ(one.quiet, 0.25) << "the median of those that saw it";
  EXPECT_NEAR(one.weight, 4 / 2.065, 1e-9);
  EXPECT_EQ(one.by_memory, 0);
  EXPECT_EQ(one.low, 0);
  EXPECT_EQ(one.high, 0.5);
  EXPECT_FALSE(busy_law(busy_samples(7, 1)));
  auto more = busy_samples(8, 1);
  more.push_back({{{"cpu_pressure_share", 0.5}}, 0, 9, "m", "l"});
  EXPECT_EQ(busy_law(more)->terms()[0].weight, one.weight) << "what does not see it does not count";
  more[0].seen["cpu_busy_share"] = 0.125;
  EXPECT_EQ(busy_law(more)->terms()[0].low, -0.125);
  const LoadTerm memory = busy_law(busy_samples(8, 1, 1))->terms()[0];
  EXPECT_NEAR(memory.weight, 4 / 4.065, 1e-9);
  EXPECT_NEAR(memory.by_memory, 4 / 4.065, 1e-9);
}

TEST(LoadLawValues, have_widths_of_three_sets_where_each_can_tell) {
  const std::size_t enough = 3 * errors_needed();
  const auto widths = [](std::size_t count) {
    std::vector<LoadError> errors;
    for (std::size_t i = count; i-- > 0;) errors.push_back({static_cast<double>(i + 1), 0.01 * static_cast<double>(i)});
    return load_widths(errors);
  };
  EXPECT_EQ(widths(enough - 1).size(), 1u);
  const auto three = widths(enough + 2);  // of 9, 10 and 10
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three[0].up_to_factor, static_cast<double>((enough + 2) / 3));
  EXPECT_EQ(three[1].up_to_factor, static_cast<double>((enough + 2) * 2 / 3));
  EXPECT_EQ(three[2].up_to_factor, static_cast<double>(enough + 2));
  EXPECT_DOUBLE_EQ(three[0].width, 0.01 * (three[0].up_to_factor - 1));
}

TEST(MemoryShare, is_that_of_moving_in_what_kernels_take) {
  std::vector<KernelFacts> facts{kernel("a", KernelGroup::conv, 1000, 3000), kernel("b", KernelGroup::conv, 2000, 0),
                                 kernel("c", KernelGroup::conv, 0, 0), kernel("d", KernelGroup::conv, 0, 1)};
  facts[1][Feature::output_bytes] = 500, facts[1][Feature::weight_bytes] = 1500;
  facts[3][Feature::flops] = std::nan("");
  std::vector<const KernelFacts*> all;
  for (const KernelFacts& one : facts) all.push_back(&one);
  EXPECT_DOUBLE_EQ(memory_share(all, std::vector<double>{4, 2, 1, 1}, {1e9, 1e9}), (4 * 0.75 + 2 * 0.5 + 1) / 8);
  EXPECT_DOUBLE_EQ(memory_share(all, std::vector<double>{8, 0, 0, 0}, {1e9, 3e9}), 0.5);
  EXPECT_EQ(memory_share(all, std::vector<double>{0, 0, 0, 0}, {1e9, 1e9}), 0);
}

class Beside : public testing::Test {
 protected:
  /// A factor of 2 with a width of so much; then one of 3 by what is waited.
  ModelPrediction seen(const SeenLoad& load, double width, double up_to = 10) {
    predictor.load_laws = {LoadLaw("probe", {term("probe_compute_flops", 4)}, {{up_to, width}}),
                           LoadLaw("busy", {{"probe_wait_ratio", 0, 1, 0, -9, 0.5}}, {{10, width}})};
    return beside_load(predictor, quiet, kernels, load);
  }
  Beside() {
    predictor.model_width = 0.0625;
    predictor.trees = RatioTrees({1e9, 1e9}, 1);
    quiet.kernels.push_back({.tier = Tier::trained, .us = 80, .low_us = 70, .high_us = 90, .recorded_us = 82});
    quiet.overhead_us = 20, quiet.us = 100, quiet.low_us = 95, quiet.high_us = 105;
  }
  Predictor predictor;
  ModelPrediction quiet;
  const std::vector<KernelFacts> kernels{kernel("Conv", KernelGroup::conv, 1000, 10)};
};

TEST_F(Beside, a_load_all_times_are_longer_and_the_interval_as_wide_as_the_laws) {
  const ModelPrediction one = seen({{"probe_compute_flops", 2}}, 0.0625 + std::log(2));
  EXPECT_EQ(one.us, 200);
  EXPECT_EQ(one.overhead_us, 40);
  EXPECT_DOUBLE_EQ(one.low_us, 95);
  EXPECT_DOUBLE_EQ(one.high_us, 420);
  EXPECT_EQ(one.kernels[0].us, 160);
  EXPECT_EQ(one.kernels[0].recorded_us, 164);
  EXPECT_DOUBLE_EQ(one.kernels[0].low_us, 70);
  EXPECT_DOUBLE_EQ(one.kernels[0].high_us, 360);
  EXPECT_DOUBLE_EQ(one.load->factor, 2);
  EXPECT_EQ(one.load->from, "probe");
  EXPECT_FALSE(one.load->is_beyond);
  const ModelPrediction narrow = seen({{"probe_compute_flops", 2}}, 0.03);
  EXPECT_DOUBLE_EQ(narrow.low_us, 190);
  EXPECT_DOUBLE_EQ(narrow.high_us, 210);
}

TEST_F(Beside, what_the_first_law_does_not_see_the_next_one_does_or_the_interval_is_open) {
  const ModelPrediction next = seen({{"probe_wait_ratio", 2}}, 0.03);
  EXPECT_DOUBLE_EQ(next.load->factor, 3);
  EXPECT_EQ(next.load->from, "busy");
  EXPECT_TRUE(next.load->is_beyond);
  const ModelPrediction none = seen({}, 0.03);
  EXPECT_EQ(none.load->factor, 1);
  EXPECT_EQ(none.load->from, "");
  EXPECT_EQ(none.us, 100);
  EXPECT_EQ(none.low_us, 95);
  EXPECT_DOUBLE_EQ(none.high_us, 1050);
  EXPECT_DOUBLE_EQ(none.kernels[0].high_us, 900);
  EXPECT_DOUBLE_EQ(seen({}, 0.03, 2).high_us, 105 * std::exp(1.6));
}

TEST_F(Beside, a_law_is_said_with_its_weights) {
  EXPECT_EQ(
      sentence_of(LoadLaw("probe", {{"probe_wait_ratio", 0.125, 1.5, -0.25}, {"cpu_busy_share", 2, 3, 4}}, {})),
      "probe: probe_wait_ratio 1.50-0.25·memory (0.125 when idle), cpu_busy_share 3.00+4.00·memory (2 when idle)");
}

}  // namespace
}  // namespace takt
