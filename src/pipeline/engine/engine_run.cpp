#include "pipeline/engine/engine_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "pipeline/engine/planned_run.h"
#include "pipeline/record/batch_passage.h"
#include "pipeline/stages/float_types.h"

namespace takt {
namespace {

using std::chrono::milliseconds;

// The scheduler wakes a sleeper late by up to this; the rest is spun by this one thread, whatever the number of
// simulated devices, so that their deadlines are met.
constexpr Nanoseconds spin{60'000};
constexpr Nanoseconds look_around = milliseconds(20);  // for Ctrl-C and progress
constexpr Nanoseconds grace = milliseconds(500);       // for others, after one has failed or hangs
// After Ctrl-C a second is all there is: for what is inside to be delivered, then for what is cancelled to come back.
constexpr Nanoseconds delivered_within = milliseconds(400), interrupted_grace = milliseconds(300);

std::vector<bool> simulated_stages(const std::vector<OpenedStage>& stages) {
  std::vector<bool> simulated;
  for (const auto& stage : stages) simulated.push_back(!stage.is_real());
  return simulated;
}

/// Of merged outputs that are no memory of their parts.
std::int64_t copied_bytes(const std::vector<SharedTensor>& merged) {
  std::int64_t bytes = 0;
  for (const auto& value : merged) bytes += value->bytes.is_shared() ? 0 : held_bytes(*value);
  return bytes;
}

/// Of parts that are neither memory of the whole nor the whole itself.
std::int64_t copied_bytes(const StageExecutor::InputValues& whole,
                          const std::vector<StageExecutor::InputValues>& parts) {
  std::int64_t bytes = 0;
  for (const auto& part : parts)
    for (const auto& value : part)
      if (!value.second->bytes.is_shared() && std::find(whole.begin(), whole.end(), value) == whole.end())
        bytes += held_bytes(*value.second);
  return bytes;
}

}  // namespace

EngineRun::EngineRun(const PipelineSpec& spec, const EngineSettings& settings, SimulatedTimes& times,
                     const FlowShape& shape, std::vector<OpenedStage> stages)
    : spec_(spec),
      settings_(settings),
      shape_(shape),
      sink_(settings.sink ? *settings.sink : kept_),
      live_(shape, simulated_stages(stages), times, contention_law(spec), sink_),
      arrivals_(arrivals_of(spec)),
      stages_(std::move(stages)),
      values_(stages_, shape) {
  set_callbacks();
}

void EngineRun::set_callbacks() {
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const int stage = static_cast<int>(s);
    for (auto& executor : stages_[s].replicas)
      executor->set_callback([this, stage](StageResult result) { completed(stage, 0, false, std::move(result)); });
    if (!stages_[s].split) continue;
    for (int r = 0; r < spec_.stages[s].replicas; ++r)
      for (std::size_t p = 0; p < stages_[s].split->parts(); ++p)
        stages_[s].split->part(r, p).set_callback(
            [this, stage, p](StageResult result) { completed(stage, static_cast<int>(p), true, std::move(result)); });
  }
}

bool EngineRun::run(PipelineRun& result) {
  sink_.open(result, spec_.warmup);
  base_time_ = wall_now();
  base_ = steady_now();
  sink_.start(base_time_);
  advance({});
  keep_time();
  std::unique_lock lock(mutex_);
  // After a failure nothing new starts; what is in flight gets some time to come back, so that it can be cleaned up.
  const Nanoseconds patience = !failure_ ? Nanoseconds(0) : interrupted_at_ ? interrupted_grace : grace;
  changed_.wait_for(lock, patience, [&] { return in_flight_.empty() && active_ == 0; });
  changed_.wait_for(lock, grace, [&] { return active_ == 0; });
  result.base_time = base_time_;
  result.failure = failure_;
  result.interrupted = interrupted_at_ || failure_;
  sink_.end(result);
  result.warmup =
      warmup_batches(spec_.warmup, result.shape.source, static_cast<std::int64_t>(result.schedule.batches.size()));
  return in_flight_.empty() && active_ == 0;
}

std::string EngineRun::place_of(const Execution& what) const {
  const auto& stage = spec_.stages[static_cast<std::size_t>(what.stage)];
  const std::string part = stage.split && what.phase == FlowPhase::run
                               ? fmt::format(" on {}", stage.split->devices[static_cast<std::size_t>(what.part)])
                               : std::string();
  return fmt::format("{}: stage '{}'{}, batch {}", spec_.origin, stage.name, part, what.batch);
}

void EngineRun::fail(const Execution& what, const std::string& cause) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = fmt::format("{}: {}", place_of(what), cause);
  changed_.notify_all();
}

void EngineRun::keep_time() {
  std::unique_lock lock(mutex_);
  while (!failure_ && !live_.flow().finished()) {
    const auto at = wake_at(now());
    wait_until(lock, at);
    const bool stops = watch(now());
    if (failure_ || live_.flow().finished()) break;
    const bool arrives = arrived_ < arrivals_.size() && arrivals_[arrived_] <= now();
    const bool closes = !closed_ && spec_.duration && *spec_.duration <= now();
    const auto due = live_.next_due();
    if (!stops && !arrives && !closes && !(due && *due <= now())) continue;
    lock.unlock();
    advance({});
    lock.lock();
  }
}

Nanoseconds EngineRun::wake_at(Nanoseconds now) const {
  Nanoseconds at = now + look_around;
  if (const auto due = live_.next_due()) at = std::min(at, *due);
  if (arrived_ < arrivals_.size()) at = std::min(at, arrivals_[arrived_]);
  if (!closed_ && spec_.duration) at = std::min(at, *spec_.duration);
  return at;
}

// Something nearer may come up meanwhile: whoever starts it notifies, and the caller looks again.
void EngineRun::wait_until(std::unique_lock<std::mutex>& lock, Nanoseconds deadline) {
  const auto left = deadline - now();
  if (left > spin) {
    changed_.wait_for(lock, left - spin);
    return;
  }
  lock.unlock();
  while (now() < deadline) {
  }
  lock.lock();
}

bool EngineRun::watch(Nanoseconds now) {
  if (settings_.progress) settings_.progress(live_.flow().delivered(), spec_.batches.value_or(0));
  if (!failure_) failure_ = sink_.failure();
  const bool stops = settings_.stop && *settings_.stop && !interrupted_at_;
  if (stops) {
    interrupted_at_ = now;
    closed_ = true;
    arrived_ = arrivals_.size();
    live_.stop_source();
  }
  give_up_late(now);
  return stops;
}

void EngineRun::give_up_late(Nanoseconds now) {
  const bool is_over = interrupted_at_ && now - *interrupted_at_ > delivered_within;
  const auto look_at = [&](const Execution& what, Nanoseconds since) {
    if (failure_) return;
    if (now - since > spec_.timeout)
      failure_ = fmt::format("{}: not completed after {}; raise 'timeout', or check the device", place_of(what),
                             format_duration(spec_.timeout));
    else if (is_over)
      failure_ = fmt::format("{}: interrupted; it had not returned after {} and was abandoned", place_of(what),
                             format_duration(Duration(now - since)));
  };
  for (const auto& [record, execution] : in_flight_) look_at(execution.first, execution.second);
  if (const auto oldest = live_.oldest_simulated()) look_at(oldest->first, oldest->second);
}

void EngineRun::let_in(Nanoseconds now) {
  for (; arrived_ < arrivals_.size() && arrivals_[arrived_] <= now; ++arrived_) live_.arrive(arrivals_[arrived_]);
  const bool over = shape_.source.open ? arrived_ == arrivals_.size() : spec_.duration && *spec_.duration <= now;
  if (closed_ || !over) return;
  closed_ = true;
  live_.close();
}

void EngineRun::advance(std::vector<FinishedExecution> finished) {
  std::unique_lock lock(mutex_);
  ++active_;
  do {
    for (const auto& execution : finished) {
      in_flight_.erase(execution.record);
      // After a failure the book may be closed already; nothing that comes back late is written into it.
      if (!failure_) live_.finish(execution);
    }
    finished.clear();
    if (failure_) break;
    settled_ = std::max(settled_, now());
    let_in(settled_);
    live_.take_due(settled_);
    const auto started = live_.settle(settled_);
    const auto delivered = live_.delivered_now();
    for (const auto& execution : started)
      if (execution.what.device != Execution::host) in_flight_[execution.record] = {execution.what, settled_};
    if (live_.flow().finished() || live_.next_due()) changed_.notify_all();
    lock.unlock();
    deliver(delivered);
    for (const auto& execution : started) carry_out(execution, finished);
    lock.lock();
  } while (!finished.empty());
  --active_;
  if (failure_ || live_.flow().finished()) changed_.notify_all();
}

void EngineRun::deliver(const std::vector<std::int64_t>& batches) {
  for (const auto batch : batches) try {
      const auto outputs = values_.deliver(batch);
      if (!settings_.take_outputs || outputs.empty()) continue;
      const std::lock_guard lock(sink_mutex_);
      settings_.take_outputs(batch, outputs);
    } catch (const std::exception& error) {  // nothing may leave through the runtime's thread
      Execution last;
      last.batch = batch;
      last.stage = static_cast<int>(stages_.size()) - 1;
      last.phase = FlowPhase::merge;
      fail(last, error.what());
    }
}

void EngineRun::carry_out(const StartedExecution& execution, std::vector<FinishedExecution>& finished) try {
  const Execution& what = execution.what;
  auto& stage = stages_[static_cast<std::size_t>(what.stage)];
  const auto begin = now();
  const bool enters =
      what.stage == 0 && what.phase != FlowPhase::merge && (what.phase == FlowPhase::partition || !stage.split);
  if (enters && settings_.make_inputs) {
    const std::lock_guard lock(source_mutex_);
    values_.set_source(what.batch, settings_.make_inputs(what.batch));
  }
  if (!stage.split) {
    start_inference(execution, *stage.replicas[static_cast<std::size_t>(what.replica)], inputs_of(what));
  } else if (what.phase == FlowPhase::run) {
    start_inference(execution, stage.split->part(what.replica, static_cast<std::size_t>(what.part)),
                    values_.part(what.batch, what.stage, what.part));
  } else if (what.phase == FlowPhase::partition) {
    const auto whole = inputs_of(what);
    auto parts = stage.split->partition(whole);
    const auto moved = copied_bytes(whole, parts);
    values_.set_parts(what.batch, what.stage, std::move(parts));
    finished.push_back({what, execution.record, begin, now(), {{}, {}, moved}});
  } else {
    auto merged = stage.split->merge(values_.part_outputs(what.batch, what.stage));
    const auto moved = copied_bytes(merged);
    values_.set_outputs(what.batch, what.stage, std::move(merged));
    finished.push_back({what, execution.record, begin, now(), {{}, {}, moved}});
  }
} catch (const std::exception& error) {
  {
    const std::lock_guard lock(mutex_);
    in_flight_.erase(execution.record);
  }
  fail(execution.what, error.what());
}

StageExecutor::InputValues EngineRun::inputs_of(const Execution& what) {
  auto values = values_.take_inputs(what.batch, what.stage);
  const Nanoseconds begin = steady_now();
  const auto& inputs = stages_[static_cast<std::size_t>(what.stage)].ports.inputs;
  if (const auto bytes = fit_types(values, inputs); bytes > 0 && what.phase == FlowPhase::run) {
    const std::lock_guard lock(mutex_);
    fitted_[{what.batch, what.stage}] = {begin, steady_now(), bytes};
  }
  return values;
}

void EngineRun::start_inference(const StartedExecution& execution, StageExecutor& executor,
                                const StageExecutor::InputValues& inputs) {
  {
    const std::lock_guard lock(mutex_);
    records_[{execution.what.batch, execution.what.stage, execution.what.part}] = execution.record;
  }
  executor.start_async(execution.what.batch, inputs);
}

TensorCopy EngineRun::with_fitted(TensorCopy copy, std::int64_t batch, int stage) {
  const auto found = fitted_.find({batch, stage});
  if (found == fitted_.end()) return copy;
  const TensorCopy fitted = found->second;
  fitted_.erase(found);
  if (copy.bytes == 0) return fitted;
  return {fitted.begin, copy.end, fitted.bytes + copy.bytes};
}

void EngineRun::add_copy(const Execution& what, const TensorCopy& copy, bool of_outputs) {
  if (copy.bytes == 0) return;
  live_.add_copy({what.batch, what.stage, what.replica, what.part, what.device, of_outputs, copy.begin - base_,
                  copy.end - base_, copy.bytes});
}

void EngineRun::completed(int stage, int part, bool split, StageResult result) {
  FinishedExecution finished;
  {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find({result.batch, stage, part});
    if (found == records_.end()) return;
    finished.record = found->second;
    records_.erase(found);
    finished.what = in_flight_.at(finished.record).first;
    add_copy(finished.what, with_fitted(result.inputs_copied, result.batch, stage), false);
    add_copy(finished.what, result.outputs_copied, true);
    if (result.error) in_flight_.erase(finished.record);
  }
  if (result.error) return fail(finished.what, *result.error);
  if (split)
    values_.set_part_outputs(result.batch, stage, part, std::move(result.outputs));
  else
    values_.set_outputs(result.batch, stage, std::move(result.outputs));
  finished.submitted = result.submitted - base_;
  finished.completed = result.completed - base_;
  finished.counters = result.counters;
  std::vector<FinishedExecution> all;
  all.push_back(finished);
  advance(std::move(all));
}

}  // namespace takt
