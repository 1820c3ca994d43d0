#include "pipeline/whatif/recorded_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "pipeline/contention/start_end_events.h"
#include "pipeline/record/skipped_visits.h"
#include "pipeline/whatif/recorded_overhead.h"

namespace takt {

std::vector<double> undisturbed_times(const PipelineRun& run, const ContentionLaw& law) {
  const auto& executions = run.schedule.executions;
  std::vector<double> times(executions.size(), 0);
  if (law.empty()) {
    for (std::size_t e = 0; e < times.size(); ++e)
      times[e] = static_cast<double>((executions[e].end - executions[e].start).count());
    return times;
  }
  for (std::size_t e = 0; e < times.size(); ++e)
    if (executions[e].what.device == Execution::host)
      times[e] = static_cast<double>((executions[e].end - executions[e].start).count());
  ContentionState state(law, run.shape);
  std::vector<std::size_t> running;
  std::int64_t before = 0;
  for (const StartEndEvent& moment : start_end_events(executions)) {
    if (moment.time != before) {
      const auto elapsed = static_cast<double>(moment.time - before);
      for (const std::size_t e : running) {
        const Execution& what = executions[e].what;
        times[e] += elapsed * (static_cast<double>(ContentionState::unit) /
                               static_cast<double>(state.slowdown(what.stage, what.device)));
      }
      before = moment.time;
    }
    const Execution& what = executions[moment.execution].what;
    if (moment.start) {
      state.start(what.stage, what.device);
      running.push_back(moment.execution);
    } else {
      state.stop(what.stage, what.device);
      running.erase(std::find(running.begin(), running.end(), moment.execution));
    }
  }
  return times;
}

RecordedTimes::RecordedTimes(const PipelineRun& run, const ContentionLaw& law) {
  for (const FlowStage& shape : run.shape.stages) {
    Stage& stage = stages_.emplace_back();
    stage.first_slot = slots_;
    stage.parts = index(shape.parts());
    stage.part_factor.assign(stage.parts, 1);
    stage.part_offset.assign(stage.parts, 0);
    stage.by_slot.resize(stage.parts + 2);
    slots_ += stage.parts + 2;
  }
  recorded_.resize(run.schedule.batches.size() * slots_);
  const auto times = undisturbed_times(run, law);
  const auto overheads = recorded_overheads(run.shape, run.schedule);
  const SkippedVisits skipped(run);
  for (std::size_t e = 0; e < times.size(); ++e) {
    const Execution& what = run.schedule.executions[e].what;
    Stage& stage = stages_[index(what.stage)];
    const std::size_t slot = slot_of(stage, what);
    const auto overhead = overheads[e].count();
    if (const std::size_t place = index(what.batch) * slots_ + stage.first_slot + slot; place < recorded_.size())
      recorded_[place] = {times[e], overhead, what.device};
    if (skipped.of(what)) continue;
    const auto add = [&](Mean& mean) {
      mean.sum += times[e], mean.overhead += static_cast<double>(overhead), ++mean.count;
    };
    add(stage.by_slot[slot]);
    if (what.phase == FlowPhase::run) add(stage.on_device[what.device]);
  }
  add_counters(run);
}

void RecordedTimes::add_counters(const PipelineRun& run) {
  std::vector<std::vector<Mean>> beside(stages_.size());
  for (std::size_t s = 0; s < stages_.size(); ++s) beside[s].resize(stages_[s].parts);
  for (std::size_t e = 0; e < std::min(run.counters.size(), run.schedule.executions.size()); ++e) {
    const auto& record = run.schedule.executions[e];
    if (record.what.phase != FlowPhase::run || !run.counters[e].hardware) continue;
    Mean& mean = beside[index(record.what.stage)][index(record.what.part)];
    mean.sum += static_cast<double>((record.end - record.start - *run.counters[e].hardware).count());
    ++mean.count;
  }
  fixed_.resize(stages_.size());
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    for (const Mean& mean : beside[s]) fixed_[s].push_back(mean.work());
  }
}

std::size_t RecordedTimes::slot_of(const Stage& stage, const Execution& what) {
  if (what.phase == FlowPhase::run) return index(what.part);
  return stage.parts + (what.phase == FlowPhase::merge ? 1 : 0);
}

double RecordedTimes::moved(const Stage& stage, int from, int to) const {
  if (from == to) return 1;
  const auto before = stage.on_device.find(from), after = stage.on_device.find(to);
  if (before == stage.on_device.end() || after == stage.on_device.end() || before->second.sum <= 0) return 1;
  return *after->second.work() / *before->second.work();
}

/// What a part takes with its share as split() has it.
double RecordedTimes::part_ns(const Stage& stage, std::size_t part, double recorded) {
  return std::max(0.0, recorded * stage.part_factor[part] + stage.part_offset[part]);
}

double RecordedTimes::mean_ns(int number, std::optional<int> moved_to) const {
  const Stage& stage = stages_[index(number)];
  double longest = 0;
  for (std::size_t p = 0; p < stage.parts; ++p)
    longest = std::max(longest, part_ns(stage, p, stage.by_slot[p].work().value_or(0)));
  if (const auto there = stage.on_device.find(moved_to.value_or(Execution::host)); there != stage.on_device.end())
    longest = there->second.work().value_or(longest);
  return stage.by_slot[stage.parts].work().value_or(0) + longest + stage.by_slot[stage.parts + 1].work().value_or(0);
}

// Two parts on one device with different shares tell its fixed cost; otherwise what the runtime's counters leave of an
// execution is taken for it, and without them 0.
void RecordedTimes::split(int number, const std::vector<double>& ratio, const std::vector<double>& recorded) {
  Stage& stage = stages_[index(number)];
  std::vector<double> means;
  std::vector<int> devices(stage.parts, Execution::host);
  for (std::size_t p = 0; p < stage.parts; ++p) {
    means.push_back(stage.by_slot[p].work().value_or(0));
    for (std::size_t i = stage.first_slot + p; i < recorded_.size(); i += slots_)
      if (recorded_[i].work >= 0) devices[p] = recorded_[i].device;
  }
  for (std::size_t p = 0; p < stage.parts; ++p) {
    if (recorded[p] <= 0) continue;  // its slope is not known; the part keeps what it took
    double fixed = std::clamp(fixed_[index(number)][p].value_or(0), 0.0, means[p]);
    for (std::size_t q = 0; q < stage.parts; ++q) {
      if (devices[q] != devices[p] || std::abs(recorded[q] - recorded[p]) < 0.02) continue;
      const double slope = (means[q] - means[p]) / (recorded[q] - recorded[p]);
      fixed = std::clamp(means[p] - slope * recorded[p], 0.0, means[p]);
      break;
    }
    stage.part_factor[p] = ratio[p] / recorded[p];
    stage.part_offset[p] = ratio[p] == 0 ? 0 : fixed * (1 - ratio[p] / recorded[p]);
  }
}

std::size_t RecordedTimes::source_of(std::int64_t batch) const {
  return index(index(batch) < batches_.size() ? batches_[index(batch)] : batch);
}

Nanoseconds RecordedTimes::service(const Execution& what) {
  const Stage& stage = stages_[index(what.stage)];
  const std::size_t slot = slot_of(stage, what);
  const std::size_t place = source_of(what.batch) * slots_ + stage.first_slot + slot;
  Recorded recorded = place < recorded_.size() ? recorded_[place] : Recorded{};
  if (recorded.work < 0) {
    const Mean& mean = stage.by_slot[slot];
    recorded.work = mean.work().value_or(0);
    recorded.overhead = mean.count == 0 ? 0 : std::llround(mean.overhead / static_cast<double>(mean.count));
    recorded.device = what.device;
  }
  double work = recorded.work;
  if (what.phase == FlowPhase::run) {
    work = part_ns(stage, index(what.part), work);
    work *= moved(stage, recorded.device, what.device);
  }
  return Nanoseconds(std::llround(work * stage.factor) + recorded.overhead);
}

}  // namespace takt
