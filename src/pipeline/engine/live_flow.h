// A pipeline while it moves: the rules of flow/pipeline_flow.h, the book of what happened, and the clock of the
// simulated devices, in one object. It knows neither threads nor time: the engine tells it real times, the simulation
// virtual ones, and both get the same pipeline.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "flow/pipeline_flow.h"
#include "flow/schedule_book.h"
#include "flow/simulate.h"
#include "flow/virtual_clock.h"
#include "pipeline/engine/batches_under_way.h"

namespace takt {

/// An execution that must be carried out, and the number of its record.
struct StartedExecution {
  Execution what;
  std::size_t record = 0;
};

/// How it went, as the one who carried it out tells.
struct FinishedExecution {
  Execution what;
  std::size_t record = 0;
  Nanoseconds submitted{}, completed{};
  ExecutionCounters counters;
};

/// Not thread-safe. Times count from the beginning of the run; they never go back from one settle() to the next. Of
/// batches that were delivered it holds nothing.
class LiveFlow {
 public:
  /// Executions of stages with `simulated[s]` (on simulated devices, or nothing but waiting) take what `times` says,
  /// stretched by `law`; all others are given out to be carried out. A batch goes into `sink` in the settle() that
  /// delivers it. `times` and `sink` must outlive this.
  LiveFlow(const FlowShape& shape, std::vector<bool> simulated, ServiceTimes& times, const ContentionLaw& law,
           BatchSink& sink);

  /// A batch came to an open source at this time.
  void arrive(Nanoseconds time);
  void close() { flow_.close(); }
  /// No new batch enters, those that wait at an open source are forgotten.
  void stop_source();
  void finish(const FinishedExecution& execution);
  /// Of a batch that is inside.
  void add_copy(const CopySpan& copy) { under_way_.add_copy(copy); }
  /// Simulated executions that are done at `now` or before.
  void take_due(Nanoseconds now);
  /// What must be carried out now, by others. Valid until the next call.
  const std::vector<StartedExecution>& settle(Nanoseconds now);
  /// Batches that the last settle() delivered.
  const std::vector<std::int64_t>& delivered_now() const { return delivered_; }

  /// When the next simulated execution is done; nullopt: none is running.
  std::optional<Nanoseconds> next_due() const;
  /// The simulated execution that has been running for the longest time, and since when; nullopt: none is running.
  std::optional<std::pair<Execution, Nanoseconds>> oldest_simulated() const;
  const PipelineFlow& flow() const { return flow_; }
  const BatchesUnderWay& under_way() const { return under_way_; }

 private:
  bool is_simulated(const Execution& what) const { return simulated_[static_cast<std::size_t>(what.stage)]; }
  void deliver(std::int64_t batch);
  void start_simulated(const Execution& what, Nanoseconds now);

  PipelineFlow flow_;
  std::vector<bool> simulated_;
  ServiceTimes& times_;
  BatchSink& sink_;
  ContendedClock clock_;
  BatchesUnderWay under_way_;
  ScheduleBook<BatchesUnderWay> book_;
  std::vector<StartedExecution> started_;
  std::vector<std::int64_t> delivered_;
  std::deque<Nanoseconds> arrivals_;  ///< of batches that wait at an open source
  /// Simulated ones and when they started, by record, which is in the order of starts.
  std::map<std::size_t, std::pair<Execution, Nanoseconds>> running_;
};

/// Runs a wholly simulated pipeline on the virtual clock until `close_at` (nullopt: until all batches came), the way
/// the engine drives it.
void run_virtually(LiveFlow& live, const std::vector<Nanoseconds>& arrivals, bool open_source,
                   std::optional<Nanoseconds> close_at);

}  // namespace takt
