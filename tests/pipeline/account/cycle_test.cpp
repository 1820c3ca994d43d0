// The cycle of random pipelines against the slope of their deliveries, whatever makes these come in bursts.
#include <gtest/gtest.h>

#include <cmath>

#include "base/statistics/random.h"
#include "pipeline/account/account.h"
#include "pipeline/record/run_words.h"
#include "places.h"

namespace takt {
namespace {

constexpr int batches = 2000;

class Roll {
 public:
  explicit Roll(std::uint64_t seed) : source_(seed) {}
  int operator()(int least, int most) {
    return least + static_cast<int>(source_() % static_cast<std::uint64_t>(most - least + 1));
  }
  double share() { return static_cast<double>(source_() >> 11) / 9007199254740992.0; }

 private:
  Random source_;
};

/// Each stage takes a time of its own, exactly or with noise of up to ± 80 %.
class NoisyTimes final : public ServiceTimes {
 public:
  NoisyTimes(std::size_t stages, Roll& roll) : roll_(roll) {
    for (std::size_t s = 0; s < stages; ++s) means_.push_back(roll(1, 1000) * 1000.0);
    noise_ = roll(0, 2) == 0 ? 0 : 0.8;
  }
  Nanoseconds service(const Execution& what) override {
    const double mean = means_[static_cast<std::size_t>(what.stage)] / (what.phase == FlowPhase::run ? 1 : 10);
    return Nanoseconds(std::llround(mean * (1 + noise_ * (2 * roll_.share() - 1))));
  }
  const std::vector<double>& means() const { return means_; }

 private:
  Roll& roll_;
  std::vector<double> means_;
  double noise_ = 0;
};

/// Evenly, by chance or in bursts of up to 64, at 60 to 140 % of what the slowest stage takes.
std::vector<Nanoseconds> arrivals_of(Roll& roll, double cycle_ns) {
  const int kind = roll(0, 2), burst = kind == 2 ? roll(2, 64) : 1;
  const double between = cycle_ns * (0.6 + 0.8 * roll.share()) * burst;
  std::vector<Nanoseconds> arrivals;
  double now = 0;
  for (int b = 0; b < batches; ++b) {
    if (b > 0 && b % burst == 0) now += kind == 1 ? -between * std::log(1 - roll.share()) : between;
    arrivals.push_back(Nanoseconds(std::llround(now)));
  }
  return arrivals;
}

PipelineRun random_long_run(std::uint64_t seed) {
  Roll roll(seed);
  std::vector<FlowStage> stages;
  for (int s = roll(1, 6); s > 0; --s) {
    const int device = static_cast<int>(stages.size());
    const bool split = roll(1, 5) == 1;
    stages.push_back(split ? stage_over({device, device + 1}, roll(1, 4), roll(1, 6))
                           : stage_on(device, roll(1, 4), roll(1, 6)));
    stages.back().ordered = roll(0, 1) == 0;
  }
  FlowShape shape = pipeline(stages, batches);
  for (FlowDevice& device : shape.devices)
    if (roll(0, 1) == 0) device.requests = roll(1, 3);
  if (roll(0, 2) == 0) shape.source.in_flight = roll(1, 8);
  NoisyTimes times(stages.size(), roll);
  double slowest = 0;
  for (std::size_t s = 0; s < stages.size(); ++s)
    slowest = std::max(slowest, times.means()[s] / static_cast<double>(stages[s].replicas.size()));
  SimulationOptions options;
  if (roll(0, 2) == 0) shape.source.open = true, options.arrivals = arrivals_of(roll, slowest);
  PipelineRun run = run_of(shape, simulate(shape, times, options));
  run.warmup = 50;
  return run;
}

TEST(Cycle, is_the_slope_of_the_deliveries_of_two_hundred_random_pipelines) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    const PipelineRun run = random_long_run(seed);
    std::vector<std::int64_t> deliveries = delivery_times(run.schedule);
    std::sort(deliveries.begin(), deliveries.end());
    const double slope = static_cast<double>(deliveries[1900] - deliveries[100]) / 1800;
    const Accounts a = account(run);
    ASSERT_TRUE(a.cycle) << "seed " << seed;
    EXPECT_NEAR(a.cycle->count() * 1e3 / slope, 1, 0.01) << "seed " << seed << ", true " << slope << " ns";
    EXPECT_DOUBLE_EQ(*a.throughput_per_s * a.cycle->count(), 1e6);
    EXPECT_EQ(a.window.length(), run.schedule.makespan()) << "one makespan, whoever computes it";
  }
}

// One stage of 3 with three replicas, of which two are let work: deliveries come in pairs, whatever their number.
TEST(Cycle, does_not_depend_on_where_the_run_cuts_a_burst) {
  for (int count = 20; count < 60; ++count) {
    auto shape = pipeline({stage_on(0, 3, 4)}, count);
    shape.source.in_flight = 2;
    auto run = simulated_run(shape, {takes(3000)});
    run.warmup = 1;
    EXPECT_DOUBLE_EQ(account(run).cycle->count(), 1.5) << count << " batches";
  }
}

// Replicas of 2 and 3 have a pattern of 6; of 12 deliveries in bursts neither end may decide.
TEST(Cycle, of_few_deliveries_in_bursts_takes_whole_patterns) {
  for (int count = 14; count < 40; ++count) {
    const auto a =
        account(simulated_run(pipeline({stage_on(0, 2), stage_on(1, 3)}, count), {takes(2000), takes(12000)}));
    ASSERT_TRUE(a.cycle) << count;
    EXPECT_NEAR(a.cycle->count(), 4, 0.21) << count << " batches";
  }
}

// A of 4 beside B of 4, each twice as long beside the other: a batch every 8 while both work. The last batch has B for
// itself, and of three batches nothing else is left after warm-up.
TEST(Cycle, of_a_run_too_short_for_a_steady_part_is_missing) {
  SimulationOptions options;
  options.contention.interference = {{1.0, 2.0}, {2.0, 1.0}};
  const auto shape = [](std::int64_t count) { return pipeline({stage_on(0), stage_on(1)}, count); };
  for (const std::int64_t count : {1, 2, 3, 12}) {
    auto run = simulated_run(shape(count), {takes(4000), takes(4000)}, options);
    run.warmup = count > 1 ? 1 : 0;
    const auto a = account(run);
    if (count == 12) {
      ASSERT_TRUE(a.cycle);
      EXPECT_DOUBLE_EQ(a.cycle->count(), 8);
      continue;
    }
    EXPECT_FALSE(a.cycle) << count;
    EXPECT_FALSE(a.throughput_per_s);
    EXPECT_FALSE(a.steady);
    EXPECT_NE(to_text(a).find("cycle       none: of "), std::string::npos) << to_text(a);
  }
}

}  // namespace
}  // namespace takt
