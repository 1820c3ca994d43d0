#include "predict/fit/launching.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/statistics/random.h"
#include "places.h"
#include "predict/answer/predict_words.h"
#include "predict/fit/overhead.h"

namespace takt {
namespace {

Launching some_launching() { return {30, 5e-5, {4, 20, 15, 12, 10, 8}, 0.25}; }

TEST(Launching, the_slower_of_host_and_device_decides_each_by_hand) {
  Launching one;
  one.fixed_us = 10, one.us_per_byte = 0.001;
  one.launch_us.fill(5);
  // Asked for at 15, 20, 25: each is done before the next is asked for.
  EXPECT_DOUBLE_EQ(one.whole(std::vector<KernelTime>(3, {1}), 0), 26);
  // The device works from 15 on without a pause.
  EXPECT_DOUBLE_EQ(one.whole(std::vector<KernelTime>(3, {50}), 0), 165);
  // A long one hides the asking for those behind it.
  EXPECT_DOUBLE_EQ(one.whole(std::vector<KernelTime>{{100}, {1}, {1}}, 0), 117);
  EXPECT_DOUBLE_EQ(one.whole(std::vector<KernelTime>{{1}, {1}, {100}}, 0), 125);
  EXPECT_DOUBLE_EQ(one.whole(std::vector<KernelTime>{{1}}, 2000), 18) << "inputs are brought first";
  EXPECT_DOUBLE_EQ(one.whole({}, 0), 10);
}

TEST(Launching, asking_for_longer_work_takes_longer) {
  const Launching one = some_launching();
  EXPECT_DOUBLE_EQ(one.host_us({8, HostWork::conv}), 20 + 0.25 * 8);
  EXPECT_DOUBLE_EQ(one.host_us({400, HostWork::other}), 8 + 0.25 * 400);
  EXPECT_DOUBLE_EQ(one.host_us({0, HostWork::renaming}), 4);
}

TEST(Launching, what_moves_no_byte_only_renames) {
  KernelFacts reshape = kernel("Reshape", KernelGroup::other, 0, 0);
  EXPECT_EQ(host_work_of(reshape), HostWork::renaming);
  EXPECT_EQ(host_work_of(kernel("Relu", KernelGroup::other, 10, 80)), HostWork::other);
  EXPECT_EQ(host_work_of(kernel("MatMul", KernelGroup::product, 10, 80)), HostWork::product);
}

std::vector<WholeSample> drawn(int models, const Launching& law, double noise, std::uint64_t seed) {
  Random random(seed);
  std::vector<WholeSample> samples;
  for (int m = 0; m < models; ++m) {
    WholeSample one;
    const double size = std::exp(3 * uniform(random));  // batches: some hide the host, some wait for it
    const auto most = static_cast<std::size_t>(1 + uniform(random) * (host_work_count - 1));
    for (int k = 0; k < 20 + 10 * (m % 10); ++k) {
      const auto work =
          static_cast<HostWork>(static_cast<std::size_t>(uniform(random) * static_cast<double>(most + 1)));
      one.kernels.push_back({work == HostWork::renaming ? 0.5 : size * (2 + 4 * uniform(random)), work});
    }
    one.io_bytes = 1e6 * uniform(random);
    one.us = law.whole(one.kernels, one.io_bytes) * std::exp(noise * standard_normal(random));
    samples.push_back(std::move(one));
  }
  return samples;
}

double error_of_whole(const Launching& one, const std::vector<WholeSample>& samples) {
  double sum = 0;
  for (const WholeSample& sample : samples) sum += std::abs(one.whole(sample.kernels, sample.io_bytes) / sample.us - 1);
  return sum / static_cast<double>(samples.size());
}

TEST(Launching, is_found_from_models_and_holds_for_others) {
  const auto seen = drawn(60, some_launching(), 0.03, 1), others = drawn(60, some_launching(), 0, 2);
  const Launching found = fit_launching(seen);
  EXPECT_LT(error_of_whole(found, others), 0.03);
  const Overhead line = fit_overhead(seen, "CPU");
  double of_line = 0;
  for (const WholeSample& one : others) of_line += std::abs(line.whole(one.kernels, one.io_bytes) / one.us - 1) / 60;
  EXPECT_GT(of_line, 0.06) << "no sum of the kernels and of something for each says as much";
}

TEST(Launching, a_kind_of_work_that_no_model_has_costs_what_the_others_do) {
  std::vector<WholeSample> seen;
  for (int kernels = 10; kernels <= 60; kernels += 10)
    seen.push_back(
        {std::vector<KernelTime>(static_cast<std::size_t>(kernels), {1, HostWork::product}), 0, 20 + 10.0 * kernels});
  const Launching found = fit_launching(seen);
  const double known = found.host_us({1, HostWork::product}), unknown = found.host_us({1, HostWork::conv});
  EXPECT_NEAR(known, 10, 1);
  EXPECT_NEAR(unknown / known, 1, 0.15);
}

TEST(Launching, of_no_model_is_nothing) { EXPECT_EQ(fit_launching({}), Launching{}); }

TEST(Launching, of_one_model_says_what_it_took) {
  const std::vector<WholeSample> one{{std::vector<KernelTime>(30, {2}), 1000, 500}};
  EXPECT_NEAR(fit_launching(one).whole(one.front().kernels, 1000), 500, 10);
}

std::vector<WholeSample> samples_of(const Dataset& dataset, const std::function<bool(const CollectedModel&)>& takes) {
  std::vector<WholeSample> samples;
  for (const CollectedModel& model : dataset.models) {
    if (!takes(model)) continue;
    WholeSample& one = samples.emplace_back(WholeSample{{}, model.io_bytes.value(), model.latency_ms * 1000});
    for (const CollectedKernel& kernel : model.kernels)
      one.kernels.push_back({kernel.latency_ms * 1000, host_work_of(kernel.facts)});
  }
  return samples;
}

// 90 models on an H100, at a noise floor of 8.5 %, by what the other families tell and their kernels' own times.
TEST(Launching, says_what_families_take_that_it_was_not_fitted_to) {
  const Dataset dataset = read_dataset(source_dir() / "datasets" / "h100_kernels.csv.gz");
  std::set<std::string> families;
  for (const CollectedModel& model : dataset.models) families.insert(model.family);
  double launched = 0, summed = 0;
  for (const std::string& family : families) {
    const auto others = samples_of(dataset, [&](const CollectedModel& model) { return model.family != family; });
    const auto own = samples_of(dataset, [&](const CollectedModel& model) { return model.family == family; });
    const Launching launching = fit_overhead(others, "GPU").launching.value();
    const Overhead line = fit_overhead(others, "CPU");
    for (const WholeSample& one : own) {
      launched += std::abs(launching.whole(one.kernels, one.io_bytes) / one.us - 1);
      summed += std::abs(line.whole(one.kernels, one.io_bytes) / one.us - 1);
    }
  }
  const auto count = static_cast<double>(dataset.models.size());
  EXPECT_LT(launched / count, 0.11);
  EXPECT_GT(summed / count, 0.17);
}

}  // namespace
}  // namespace takt
