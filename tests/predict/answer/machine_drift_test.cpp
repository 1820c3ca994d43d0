#include "predict/collect/machine_drift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string>

#include "base/statistics/random.h"
#include "model/runtime/runtime.h"
#include "predict/collect/canary.h"
#include "predict/fit/ridge.h"

namespace takt {
namespace {

/// `models` models in `rounds` rounds on a machine whose clock and memory wander; times follow them with these weights.
std::vector<CollectRecord> wandering(int models, int rounds, double compute, double memory, double noise) {
  Random random(5);
  std::vector<CollectRecord> records;
  for (int m = 0; m < models; ++m)
    for (int r = 1; r <= rounds; ++r) {
      const double clock = 0.08 * standard_normal(random), reading = 0.1 * standard_normal(random);
      CollectRecord record;
      record.model = "net" + std::to_string(m), record.round = r, record.status = CollectStatus::measured;
      record.canary = CanaryTimes{200 * std::exp(clock), 300 * std::exp(reading)};
      record.latency_us =
          1000.0 * (m + 1) * std::exp(compute * clock + memory * reading + noise * standard_normal(random));
      records.push_back(std::move(record));
    }
  return records;
}

double worst_spread(const std::vector<CollectRecord>& records, const MachineDrift& pace) {
  double worst = 0;
  for (const CollectRecord& one : records)
    for (const CollectRecord& other : records)
      if (one.model == other.model)
        worst = std::max(worst, std::abs(std::log(one.latency_us / pace.of(one) * pace.of(other) / other.latency_us)));
  return worst;
}

TEST(MachineDrift, weights_are_those_that_the_rounds_tell) {
  const auto records = wandering(40, 3, 0.8, 0.3, 0.005);
  const MachineDrift pace = MachineDrift::of_records(records);
  EXPECT_NEAR(pace.compute_weight(), 0.8, 0.05);
  EXPECT_NEAR(pace.memory_weight(), 0.3, 0.05);
  EXPECT_GT(worst_spread(records, MachineDrift()), 0.25);
  EXPECT_LT(worst_spread(records, pace), 0.06);
}

TEST(MachineDrift, rounds_that_nothing_explains_do_not_bend_the_weights) {
  auto records = wandering(40, 3, 0.8, 0.3, 0.005);
  for (std::size_t i = 0; i < records.size(); i += 12)
    records[i].latency_us *=
        1 + 3 * (records[i].canary->compute_us / 200 - 1) * (records[i].canary->compute_us / 200 - 1) + 0.4;
  const MachineDrift pace = MachineDrift::of_records(records);
  EXPECT_NEAR(pace.compute_weight(), 0.8, 0.1);
  EXPECT_NEAR(pace.memory_weight(), 0.3, 0.1);
}

TEST(MachineDrift, a_single_round_has_the_usual_weights_and_the_median_is_the_usual_pace) {
  const auto records = wandering(21, 1, 0.8, 0.3, 0);
  const MachineDrift pace = MachineDrift::of_records(records);
  EXPECT_NEAR(pace.compute_weight(), 0.5, 1e-9);
  EXPECT_NEAR(pace.memory_weight(), 0.5, 1e-9);
  CollectRecord usual = records.front();
  std::vector<double> computing, reading;
  for (const CollectRecord& record : records)
    computing.push_back(record.canary->compute_us), reading.push_back(record.canary->memory_us);
  std::sort(computing.begin(), computing.end()), std::sort(reading.begin(), reading.end());
  usual.canary = CanaryTimes{computing[10], reading[10]};
  EXPECT_NEAR(pace.of(usual), 1, 1e-9);
}

TEST(MachineDrift, is_one_without_a_canary_and_beside_a_load) {
  auto records = wandering(10, 2, 1, 1, 0);
  const MachineDrift pace = MachineDrift::of_records(records);
  records[0].canary.reset();
  EXPECT_EQ(pace.of(records[0]), 1);
  records[1].load.asked = {"memory", 0.5, 2};
  EXPECT_EQ(pace.of(records[1]), 1);
  EXPECT_NE(pace.of(records[2]), 1);
  EXPECT_EQ(MachineDrift::of_records({}).of(records[2]), 1);
}

std::ptrdiff_t threads_here() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

// With threads of its own it took twice as long, another time each round: helpers of the model that spun.
TEST(Canary, has_no_threads_of_its_own_however_many_the_model_has) {
  const auto runtimes = runtime_names();
  if (std::none_of(runtimes.begin(), runtimes.end(), [](const auto& one) { return one == "onnxruntime"; }))
    GTEST_SKIP() << "no ONNX Runtime in this binary";
  RunSettings settings;
  settings.runtime = "onnxruntime", settings.threads = 1;
  const Canary first(settings);  // starts what the runtime starts once
  const auto before = threads_here();
  settings.threads = 4;
  const Canary canary(settings);
  EXPECT_EQ(threads_here(), before);
}

TEST(Canary, runs_two_models_each_time) {
  const auto runtimes = runtime_names();
  if (std::none_of(runtimes.begin(), runtimes.end(), [](const auto& one) { return one == "onnxruntime"; }))
    GTEST_SKIP() << "no ONNX Runtime in this binary";
  RunSettings settings;
  settings.runtime = "onnxruntime", settings.threads = 1;
  Canary canary(settings);
  EXPECT_FALSE(canary.times());
  for (int i = 0; i < 5; ++i) canary.sing();
  const auto times = canary.times();
  ASSERT_TRUE(times);
  EXPECT_GT(times->compute_us, 0);
  EXPECT_GT(times->memory_us, 0);
  EXPECT_EQ(times->us(), times->compute_us + times->memory_us);
}

TEST(Ridge, is_the_solution_by_hand) {
  // 2x + y = 4 and x − y = −1 have x = 1, y = 2.
  const auto exact = ridge_solution({{2, 1}, {1, -1}}, {4, -1}, 1e-12);
  EXPECT_NEAR(exact[0], 1, 1e-9);
  EXPECT_NEAR(exact[1], 2, 1e-9);
  EXPECT_NEAR(ridge_solution({{3}}, {6}, 3)[0], 18.0 / 12, 1e-12);  // a·b / (a² + ridge)
  EXPECT_NEAR(ridge_solution({{1, 1}}, {2}, 1e-6)[0], 1, 1e-3) << "of many solutions the smallest";
}

}  // namespace
}  // namespace takt
