// Accounting of ten million executions beside a sort of them by start, in the same program: `ratio` is the first over
// the second. BM_account sorts a shuffled copy of its own executions each time, so both see the same machine.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "pipeline/account.h"

namespace takt {
namespace {

/// 5 stages of one device each, times of their own for every batch, blocking and starving.
class Noisy final : public ServiceTimes {
 public:
  Nanoseconds service(const Execution& execution) override {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return Nanoseconds(900'000 + execution.stage * 20'000 + static_cast<std::int64_t>(state_ >> 46));
  }

 private:
  std::uint64_t state_ = 1;
};

PipelineRun make_run(std::int64_t executions) {
  constexpr int stages = 5;
  PipelineRun run;
  for (int s = 0; s < stages; ++s) {
    run.shape.devices.push_back({1});
    run.shape.stages.push_back(stage_on(s, 1, 2));
    run.devices.push_back({"sim:D" + std::to_string(s), "sim"});
    run.stages.push_back({"s" + std::to_string(s), "", false, std::nullopt, {}});
  }
  run.shape.source.batches = executions / stages;
  Noisy times;
  run.schedule = simulate(run.shape, times);
  return run;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Event {
  std::int64_t start, end;
};

void BM_account(benchmark::State& state) {
  const PipelineRun run = make_run(state.range(0));
  std::vector<Event> events;
  for (const auto& e : run.schedule.executions) events.push_back({e.start.count(), e.end.count()});
  std::shuffle(events.begin(), events.end(), std::mt19937_64(1));
  double accounting = 0, sorting = 0;
  for ([[maybe_unused]] auto _ : state) {
    std::vector<Event> copy = events;
    auto start = std::chrono::steady_clock::now();
    std::sort(copy.begin(), copy.end(), [](const Event& a, const Event& b) { return a.start < b.start; });
    sorting += seconds_since(start);
    benchmark::DoNotOptimize(copy.data());
    start = std::chrono::steady_clock::now();
    const Accounts accounts = account(run);
    accounting += seconds_since(start);
    benchmark::DoNotOptimize(accounts.path.length);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["account_s"] = accounting / rounds;
  state.counters["sort_s"] = sorting / rounds;
  state.counters["ratio"] = accounting / sorting;
}
BENCHMARK(BM_account)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->Iterations(2);

}  // namespace
}  // namespace takt
