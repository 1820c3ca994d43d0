#include "pipeline/record/run_counters.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/basics/index.h"
#include "base/statistics/sorting.h"

namespace takt {
namespace {

constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::max();

void sort_both(RunCounter& counter) {
  sort_nearly_sorted(counter.up);
  sort_nearly_sorted(counter.down);
}

RunCounter queue_counter(const PipelineRun& run, std::size_t stage) {
  RunCounter counter{"queue " + run.stages[stage].name, {}, {}};
  const auto& visits = run.schedule.visits;
  counter.up.reserve(run.schedule.batches.size());
  counter.down.reserve(run.schedule.batches.size());
  for (std::size_t i = stage; i < visits.size(); i += run.stages.size()) {
    counter.up.push_back(visits[i].entered.count());
    counter.down.push_back(visits[i].started.count());
  }
  return counter;
}

}  // namespace

std::vector<RunCounter> counters_of(const PipelineRun& run) {
  std::vector<RunCounter> counters;
  for (std::size_t s = 0; s < run.stages.size(); ++s) counters.push_back(queue_counter(run, s));
  for (const RunDevice& device : run.devices) counters.push_back({"in flight " + device.name, {}, {}});
  for (const ExecutionRecord& record : run.schedule.executions) {
    if (record.what.device == Execution::host) continue;
    RunCounter& counter = counters[run.stages.size() + index(record.what.device)];
    counter.up.push_back(record.start.count());
    counter.down.push_back(record.end.count());
  }
  for (RunCounter& counter : counters) sort_both(counter);
  return counters;
}

void CounterSteps::step() {
  const auto &up = counter_->up, &down = counter_->down;
  const std::int64_t shown = began_ ? count_ : -1;
  began_ = true;
  do {
    if (up_ == up.size() && down_ == down.size()) {
      done_ = true;
      return;
    }
    time_ = std::min(up_ < up.size() ? up[up_] : no_time, down_ < down.size() ? down[down_] : no_time);
    for (; up_ < up.size() && up[up_] == time_; ++up_) ++count_;
    for (; down_ < down.size() && down[down_] == time_; ++down_) --count_;
  } while (count_ == shown);
}

void each_step(const std::vector<RunCounter>& counters,
               const std::function<void(std::size_t, std::int64_t, std::int64_t)>& take) {
  std::vector<CounterSteps> steps;
  for (const RunCounter& counter : counters) steps.emplace_back(counter);
  while (true) {
    std::size_t next = steps.size();
    for (std::size_t c = 0; c < steps.size(); ++c)
      if (!steps[c].done() && (next == steps.size() || steps[c].time() < steps[next].time())) next = c;
    if (next == steps.size()) return;
    take(next, steps[next].time(), steps[next].count());
    steps[next].step();
  }
}

}  // namespace takt
