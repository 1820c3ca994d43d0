// Accounting of ten million executions beside a sort of them by start, in the same program and turn by turn, so that
// both see the same machine. `ratio` is the first over the second, in CPU seconds (both are one thread); the target
// is 2.
//
// The sort gets the executions shuffled. `ratio_rows` holds the account against a sort of what recording threads hand
// over, one list after the other, each in order: that sort has less to do, and no target.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <random>
#include <vector>

#include "pipeline/account/account.h"

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

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Event {
  std::int64_t start, end;
};

double sort_seconds(std::vector<Event> events) {
  const double begin = cpu_seconds();
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.start < b.start; });
  benchmark::DoNotOptimize(events.data());
  return cpu_seconds() - begin;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void BM_account(benchmark::State& state) {
  const PipelineRun run = make_run(state.range(0));
  std::vector<Event> shuffled, rows;
  for (int device = 0; device < static_cast<int>(run.devices.size()); ++device) {
    for (const auto& e : run.schedule.executions)
      if (e.what.device == device) rows.push_back({e.start.count(), e.end.count()});
  }
  shuffled = rows;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(1));
  std::vector<double> accounting, sorting, sorting_rows;
  for ([[maybe_unused]] auto _ : state) {
    sorting.push_back(sort_seconds(shuffled));
    sorting_rows.push_back(sort_seconds(rows));
    const double begin = cpu_seconds();
    const Accounts accounts = account(run);
    accounting.push_back(cpu_seconds() - begin);
    benchmark::DoNotOptimize(accounts.path.length);
  }
  const double ratio = median(accounting) / median(sorting);
  state.counters["account_s"] = median(accounting);
  state.counters["sort_s"] = median(sorting);
  state.counters["sort_rows_s"] = median(sorting_rows);
  state.counters["ratio"] = ratio;
  state.counters["ratio_rows"] = median(accounting) / median(sorting_rows);
  state.SetLabel(ratio <= 2 ? "target 2: PASS" : "target 2: FAIL");
}
BENCHMARK(BM_account)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace takt
