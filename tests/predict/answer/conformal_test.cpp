#include "predict/fit/conformal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/statistics/random.h"
#include "predict/collect/round_noise.h"
#include "predict/fit/error_figures.h"
#include "predict/fit/overhead.h"

namespace takt {
namespace {

TEST(Conformal, the_width_is_the_rank_that_the_theorem_says) {
  std::vector<double> errors;
  for (int i = 1; i <= 19; ++i) errors.push_back(i);
  EXPECT_EQ(conformal_width(errors), 18);  // ⌈20 · 0.9⌉
  errors.resize(9);
  EXPECT_EQ(conformal_width(errors), 9);
  errors.resize(4);
  EXPECT_EQ(conformal_width(errors), 4);  // too few: the largest
  EXPECT_FALSE(conformal_width({}));
  EXPECT_EQ(errors_needed(), 9u);
}

// Of errors that are drawn alike the next one lies below in 90 % of all cases.
TEST(Conformal, covers_what_it_promises_on_drawn_errors) {
  Random random(3);
  const int repeats = 4000;
  int inside = 0;
  for (int i = 0; i < repeats; ++i) {
    std::vector<double> errors;
    for (int k = 0; k < 40; ++k) errors.push_back(std::abs(standard_normal(random)));
    inside += std::abs(standard_normal(random)) <= *conformal_width(errors);
  }
  const double coverage = 100.0 * inside / repeats;
  EXPECT_GE(coverage, 87);
  EXPECT_LE(coverage, 93);
}

TEST(Overhead, the_line_is_found_in_spite_of_a_model_that_was_disturbed) {
  const auto model = [](int kernels, double us_each, double rest_us) {
    return WholeSample{std::vector<KernelTime>(static_cast<std::size_t>(kernels), {us_each}), 0,
                       kernels * us_each + rest_us};
  };
  std::vector<WholeSample> samples;
  for (int kernels = 10; kernels <= 120; kernels += 10) samples.push_back(model(kernels, 7, 20 - 0.25 * kernels));
  samples.push_back(model(60, 7, 5000));
  const Overhead found = fit_overhead(samples, "CPU");
  EXPECT_NEAR(found.fixed_us, 20, 1e-9);
  EXPECT_NEAR(found.per_kernel_us, -0.25, 1e-12);
  EXPECT_NEAR(found.whole(std::vector<KernelTime>(100, {10}), 0), 995, 1e-9);
  EXPECT_NEAR(found.taken_out(3), 2.75, 1e-12);
  EXPECT_NEAR(found.taken_out(0.2), 0.01, 1e-12) << "it did run";
  EXPECT_NEAR(found.whole(std::vector<KernelTime>(1000, {0.08}), 0), 4, 1e-9) << "so did they";
}

TEST(Overhead, few_models_have_a_constant) {
  const std::vector<KernelTime> one{{3}};
  EXPECT_EQ(fit_overhead({}, "CPU").whole(one, 7), 3);
  const std::vector<WholeSample> two{{{{1}}, 0, 11}, {std::vector<KernelTime>(100, {1}), 0, 120}};
  EXPECT_EQ(fit_overhead(two, "CPU").whole(one, 7), 18);
}

TEST(ErrorFigures, are_those_of_the_hand) {
  // Errors +4 %, −8 %, +12 %, −20 %.
  const std::vector<Judged> judged{{100, 104, 90, 110}, {100, 92, 95, 99}, {100, 112, {}, {}}, {100, 80, 60, 101}};
  const auto figures = error_figures(judged);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->count, 4u);
  EXPECT_NEAR(figures->mape, 0.11, 1e-12);
  EXPECT_NEAR(figures->bias, -0.03, 1e-12);
  EXPECT_EQ(figures->within_5, 0.25);
  EXPECT_EQ(figures->within_10, 0.5);
  EXPECT_EQ(figures->within_15, 0.75);
  EXPECT_NEAR(*figures->coverage, 2.0 / 3, 1e-12);
  EXPECT_FALSE(error_figures({}));
}

TEST(ErrorFigures, the_ends_of_an_interval_are_inside_and_half_its_length_is_its_width) {
  const auto figures_of = [](const std::vector<Judged>& judged) { return *error_figures(judged); };
  EXPECT_EQ(figures_of({{100, 100, 100, 120}}).coverage, 1);
  EXPECT_EQ(figures_of({{100, 100, 80, 100}}).coverage, 1);
  EXPECT_EQ(figures_of({{100, 100, 100.001, 120}}).coverage, 0);
  EXPECT_EQ(figures_of({{100, 100, 80, 99.999}}).coverage, 0);
  const auto several = figures_of({{100, 200, 180, 220}, {100, 100, 80, 120}, {100, 100, 50, 150}});
  EXPECT_DOUBLE_EQ(*several.width, 0.2) << "the middle of 0.1, 0.2 and 0.5";
  EXPECT_DOUBLE_EQ(*several.coverage, 2.0 / 3);
  EXPECT_DOUBLE_EQ(several.bias, 1.0 / 3);
  EXPECT_FALSE(figures_of({{100, 100, {}, {}}}).coverage);
  EXPECT_FALSE(figures_of({{100, 100, 90.0, {}}}).width);
  const Judged judged = judged_of(7, 100, std::log(2));
  EXPECT_DOUBLE_EQ(*judged.low, 50);
  EXPECT_DOUBLE_EQ(*judged.high, 200);
}

TEST(KnownKernels, are_of_places_within_half_a_doubling_and_their_mean_is_geometric) {
  const auto placed = [](double weights, double reuse) {
    KernelFacts facts = kernel("Conv", KernelGroup::conv, 1e6, 4096);
    facts[Feature::model_weight_bytes] = weights, facts[Feature::reuse_bytes] = reuse;
    return facts;
  };
  KnownKernels known;
  known.add(placed(1e9, 0), 100);
  known.add(placed(1.1e9, 0), 400);
  known.add(placed(8e9, 0), 7);
  EXPECT_DOUBLE_EQ(*known.find(placed(1e9, 0)), 200);
  EXPECT_DOUBLE_EQ(*known.find(placed(1.39e9, 0)), 200);
  EXPECT_DOUBLE_EQ(*known.find(placed(1.45e9, 0)), 400) << "the first is too far";
  EXPECT_DOUBLE_EQ(*known.find(placed(0.75e9, 0)), 100);
  EXPECT_FALSE(known.find(placed(0.7e9, 0)));
  EXPECT_FALSE(known.find(placed(3e9, 0)));
  EXPECT_DOUBLE_EQ(*known.find(placed(1e9, 26'000)), 200) << "in the nearest cache anyway";
  EXPECT_FALSE(known.find(placed(1e9, 27'000)));
  EXPECT_DOUBLE_EQ(*known.find(placed(1e9, std::numeric_limits<double>::quiet_NaN())), 200);
  KernelFacts other = placed(1e9, 0);
  other.id = "another";
  EXPECT_FALSE(known.find(other));
}

TEST(RoundNoise, is_how_far_a_round_is_from_the_others) {
  EXPECT_FALSE(noise_of_rounds(std::vector<double>{5}));
  EXPECT_NEAR(*noise_of_rounds(std::vector<double>{10, 10, 10}), 0, 1e-12);
  // 8 against 10 and 10 against 8: −20 % and +25 %.
  EXPECT_NEAR(*noise_of_rounds(std::vector<double>{8, 10}), 0.225, 1e-12);
}

}  // namespace
}  // namespace takt
