// What a search for plans costs, in CPU time: the default problem (seven stages of GraphSAGE on CPU, GPU and NPU) and a
// large one (thirty stages on six units), with and without blocks that slow each other down. `gap_percent` is how much
// better a plan could be at most that the search did not find; `simulated` counts plans.
#include <benchmark/benchmark.h>

#include "plan/search/plan_words.h"
#include "plan/search/search.h"

namespace takt {
namespace {

/// Times of the magnitudes that a laptop's three units have for 10,000 nodes and 100,000 edges; fused ranges take half
/// of the sum of their stages. NPUs refuse stages 3 and 4.
PlanCostTable default_costs(bool slow_downs) {
  const std::vector<std::vector<std::int64_t>> ms{
      {61, 65, 85, 1, 6, 29, 6}, {83, 101, 54, 1, 12, 15, 10}, {120, 90, -1, -1, 33, 38, 18}};
  PlanCostTable costs(7, {"CPU", "GPU", "NPU"});
  for (int unit = 0; unit < 3; ++unit)
    for (int first = 1; first <= 7; ++first) {
      std::int64_t sum = 0;
      for (int last = first; last <= 7; ++last) {
        const std::int64_t time = ms[static_cast<std::size_t>(unit)][static_cast<std::size_t>(last) - 1];
        if (time < 0) break;
        sum += time * 1'000'000;
        const Nanoseconds whole(first == last ? sum : sum / 2);
        costs.set_time({first, last}, unit, whole, whole / 20);
      }
    }
  for (int cut = 0; cut <= 7; ++cut)
    for (int unit = 1; unit < 3; ++unit)
      for (const int other : {PlanCosts::host, 0, 3 - unit}) {
        costs.set_transfer(cut, other, unit, Nanoseconds(4'000'000));
        costs.set_transfer(cut, unit, other, Nanoseconds(6'000'000));
      }
  costs.set_divide({Nanoseconds(3'000'000), Nanoseconds(1'000'000)});
  for (int unit = 0; unit < 3 && slow_downs; ++unit)
    for (int beside = 0; beside < 3; ++beside)
      if (unit != beside) costs.set_slow_down(unit, beside, 1.1 + 0.05 * beside);
  return costs;
}

void search(benchmark::State& state, const PlanCosts& costs, const PlanSearchSettings& settings) {
  PlanSearch found;
  for (auto _ : state) found = search_plans(costs, settings);
  state.counters["gap_percent"] = 100 * found.gap();
  state.counters["simulated"] = static_cast<double>(found.estimates);
  state.counters["looked_at"] = static_cast<double>(found.nodes);
}

void default_problem(benchmark::State& state) {
  const auto objective = state.range(0) == 0 ? PlanObjective::latency : PlanObjective::throughput;
  search(state, default_costs(state.range(1) != 0), {.objective = objective});
}
BENCHMARK(default_problem)
    ->Name("7 stages, 3 units")
    ->ArgNames({"stream", "slow_downs"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

void units_that_serve_several_blocks(benchmark::State& state) {
  search(state, default_costs(state.range(0) != 0), {.objective = PlanObjective::throughput, .units_once = false});
}
BENCHMARK(units_that_serve_several_blocks)
    ->Name("7 stages, 3 units, shared")
    ->ArgName("slow_downs")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

void large_problem(benchmark::State& state) {
  const auto objective = state.range(0) == 0 ? PlanObjective::latency : PlanObjective::throughput;
  const auto costs = random_costs(1, {.stages = 30, .units = 6, .slow_downs = state.range(1) != 0});
  search(state, costs, {.objective = objective});
}
BENCHMARK(large_problem)
    ->Name("30 stages, 6 units")
    ->ArgNames({"stream", "slow_downs"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace takt
