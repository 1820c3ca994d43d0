// How fast a pipeline moves on the virtual clock. The search for plans asks for thousands of makespans, so the workload
// is 5,000 random chains of 3-8 stages with 100 batches each, with replicas 1-4 and queues 1-4.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/statistics/random.h"
#include "flow/makespan.h"
#include "flow/simulate.h"

namespace takt {
namespace {

struct Plan {
  FlowShape shape;
  std::vector<StageTime> times;
  std::vector<Nanoseconds> totals;
};

constexpr std::int64_t batches = 100;

/// `shared`: all stages on two devices with two requests each, instead of a device of its own for each.
std::vector<Plan> random_plans(int count, bool shared) {
  Random random(1);
  const auto roll = [&](int least, int most) { return least + static_cast<int>(random() % (most - least + 1)); };
  std::vector<Plan> plans(static_cast<std::size_t>(count));
  for (auto& plan : plans) {
    const int stages = roll(3, 8);
    plan.shape.devices.assign(shared ? 2 : static_cast<std::size_t>(stages), FlowDevice{});
    for (int s = 0; s < stages; ++s) {
      plan.shape.stages.push_back(stage_on(shared ? s % 2 : s, roll(1, 4), roll(1, 4)));
      plan.times.push_back({{Nanoseconds(roll(100'000, 10'000'000))}, {}, {}});
      plan.totals.push_back(plan.times.back().total());
    }
    if (shared) plan.shape.devices.assign(2, FlowDevice{2});
    plan.shape.source.batches = batches;
  }
  return plans;
}

std::int64_t visits(const std::vector<Plan>& plans) {
  std::int64_t count = 0;
  for (const auto& plan : plans) count += batches * static_cast<std::int64_t>(plan.totals.size());
  return count;
}

void max_plus(benchmark::State& state) {
  const auto plans = random_plans(static_cast<int>(state.range(0)), false);
  MakespanCalculator calculator;
  for (auto _ : state) {
    for (const auto& plan : plans) benchmark::DoNotOptimize(calculator.fixed(plan.shape, plan.totals));
  }
  state.SetItemsProcessed(state.iterations() * visits(plans));
}
BENCHMARK(max_plus)->Name("max-plus/plans")->Arg(92)->Arg(5000)->Unit(benchmark::kMillisecond);

/// Every item is one batch in one stage: it enters, starts, is done and leaves.
void simulate_plans(benchmark::State& state, const std::vector<Plan>& plans, const SimulationOptions& options) {
  for (auto _ : state) {
    for (const auto& plan : plans) {
      FixedTimes times(plan.shape, plan.times);
      benchmark::DoNotOptimize(simulate(plan.shape, times, options));
    }
  }
  state.SetItemsProcessed(state.iterations() * visits(plans));
}

void events(benchmark::State& state) {
  simulate_plans(state, random_plans(static_cast<int>(state.range(0)), false), {{}, {}, false});
}
BENCHMARK(events)->Name("events/plans")->Arg(92)->Arg(5000)->Unit(benchmark::kMillisecond);

void events_with_records(benchmark::State& state) {
  simulate_plans(state, random_plans(static_cast<int>(state.range(0)), false), {{}, {}, true});
}
BENCHMARK(events_with_records)->Name("events, recorded/plans")->Arg(5000)->Unit(benchmark::kMillisecond);

void shared_devices(benchmark::State& state) {
  simulate_plans(state, random_plans(static_cast<int>(state.range(0)), true), {{}, {}, false});
}
BENCHMARK(shared_devices)->Name("events, two devices/plans")->Arg(5000)->Unit(benchmark::kMillisecond);

void processor_sharing(benchmark::State& state) {
  auto plans = random_plans(static_cast<int>(state.range(0)), true);
  for (auto& plan : plans) plan.shape.devices.assign(2, FlowDevice{});
  simulate_plans(state, plans, {{}, {{}, {{1}, {1}}, {}}, false});
}
BENCHMARK(processor_sharing)->Name("processor sharing/plans")->Arg(92)->Arg(5000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace takt
