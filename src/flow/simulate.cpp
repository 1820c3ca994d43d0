#include "flow/simulate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "flow/schedule_book.h"
#include "flow/virtual_clock.h"

namespace takt {
namespace {

void check(const FlowShape& shape, const std::vector<Nanoseconds>& arrivals) {
  if (!shape.source.open) {
    if (!shape.source.batches) refuse_input("simulation: the source never ends; give the number of batches");
    if (!arrivals.empty()) refuse_input("simulation: a closed loop makes its own batches; omit the arrivals");
    return;
  }
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (arrivals[i] < (i == 0 ? Nanoseconds(0) : arrivals[i - 1])) {
      refuse_input(
          fmt::format("simulation: arrival {} is before the one before it, or before 0; give them in order", i));
    }
  }
}

template <typename Clock>
class Simulation {
 public:
  Simulation(const FlowShape& shape, ServiceTimes& times, const SimulationOptions& options, Clock clock)
      : flow_(shape),
        times_(times),
        options_(options),
        clock_(std::move(clock)),
        records_(schedule_, shape.stages.size()),
        book_(records_, flow_.shape()) {}

  Schedule run() {
    if (!options_.arrivals.empty()) schedule_.begin = options_.arrivals.front();
    schedule_.end = schedule_.begin;
    for (;;) {
      report();
      for (const FlowAction& action : flow_.settle()) act(action);
      if (flow_.finished()) return std::move(schedule_);
      clock_.settle(now_);
      const std::int64_t before = now_;
      now_ = std::min(clock_.next(), next_arrival());
      TAKT_DCHECK(now_ >= before);
      // The rules forbid it; should they ever be wrong, a sentence is better than a program that hangs.
      if (now_ == never) throw Error(ErrorKind::runtime, "simulation: batches are left but nothing moves; report this");
    }
  }

 private:
  std::int64_t next_arrival() const {
    return arrived_ < options_.arrivals.size() ? options_.arrivals[arrived_].count() : never;
  }

  void report() {
    clock_.take_done(now_, [this](const InProgress& execution) {
      flow_.done(execution.what);
      if (options_.record) book_.done(execution.what, execution.record, Nanoseconds(now_));
    });
    if (!flow_.shape().source.open) return;
    for (; next_arrival() == now_; ++arrived_) flow_.arrive();
    if (arrived_ == options_.arrivals.size()) flow_.close();
  }

  void act(const FlowAction& action) {
    const Nanoseconds now(now_);
    if (options_.record) {
      const bool from_list = action.kind == FlowActionKind::admit && flow_.shape().source.open;
      book_.act(action, from_list ? options_.arrivals[static_cast<std::size_t>(action.what.batch)] : now, now);
    }
    if (action.kind == FlowActionKind::deliver) schedule_.end = now;
    if (action.kind != FlowActionKind::start) return;
    const std::int64_t service = times_.service(action.what).count();
    if (service < 0) {
      refuse_input(fmt::format("simulation: batch {} takes {} ns in stage {}; a time is 0 or more", action.what.batch,
                               service, action.what.stage));
    }
    clock_.start(now_, service, {action.what, options_.record ? book_.last_record() : 0});
  }

  PipelineFlow flow_;
  ServiceTimes& times_;
  const SimulationOptions& options_;
  Clock clock_;
  Schedule schedule_;
  WholeSchedule records_;
  ScheduleBook<WholeSchedule> book_;
  std::int64_t now_ = 0;
  std::size_t arrived_ = 0;
};

}  // namespace

Nanoseconds StageTime::total() const {
  return partition + (parts.empty() ? Nanoseconds(0) : *std::max_element(parts.begin(), parts.end())) + merge;
}

FixedTimes::FixedTimes(const FlowShape& shape, std::vector<StageTime> times) : times_(std::move(times)) {
  if (times_.size() != shape.stages.size()) {
    refuse_input(fmt::format("simulation: there are times for {} stages; give one per stage, {}", times_.size(),
                             shape.stages.size()));
  }
  for (std::size_t s = 0; s < times_.size(); ++s) {
    if (times_[s].parts.size() == static_cast<std::size_t>(shape.stages[s].parts())) continue;
    refuse_input(fmt::format("stage {}: there are times for {} parts; give one per part, {}", s, times_[s].parts.size(),
                             shape.stages[s].parts()));
  }
}

Nanoseconds FixedTimes::service(const Execution& execution) {
  const StageTime& time = times_[static_cast<std::size_t>(execution.stage)];
  if (execution.phase == FlowPhase::run) return time.parts[static_cast<std::size_t>(execution.part)];
  return execution.phase == FlowPhase::partition ? time.partition : time.merge;
}

Schedule simulate(const FlowShape& shape, ServiceTimes& times, const SimulationOptions& options) {
  check(shape, options.arrivals);
  if (options.contention.empty()) return Simulation(shape, times, options, SteadyClock()).run();
  check(options.contention, shape);
  return Simulation(shape, times, options, ContendedClock(options.contention, shape)).run();
}

}  // namespace takt
