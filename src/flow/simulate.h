// A pipeline on a virtual clock: the rules of pipeline_flow.h, fed with service times from a law, a random source or a
// recording, give the exact schedule at once, without waiting.
#pragma once

#include <cstdint>
#include <vector>

#include "base/basics/units.h"
#include "flow/contention.h"
#include "flow/pipeline_flow.h"

namespace takt {

/// How long executions take when nothing else disturbs them.
class ServiceTimes {
 public:
  virtual ~ServiceTimes() = default;
  /// Asked once per execution, in the order of starts, which is deterministic (a source of noise may draw its numbers
  /// as it is asked). 0 or more.
  virtual Nanoseconds service(const Execution& execution) = 0;
  /// False: it only waits, and nothing computes meanwhile.
  virtual bool computes(const Execution& execution) const {
    static_cast<void>(execution);
    return true;
  }
};

/// The time of one batch in a stage that takes equally long for every batch and in every replica.
struct StageTime {
  std::vector<Nanoseconds> parts;    ///< one in an ordinary stage
  Nanoseconds partition{}, merge{};  ///< data-parallel stages only
  Nanoseconds total() const;         ///< partition + longest part + merge: undisturbed, on devices that are free
};

/// The same time for every batch.
class FixedTimes final : public ServiceTimes {
 public:
  /// `times[s]` is stage s, with as many parts as the stage has; throws Error(bad_input) otherwise.
  FixedTimes(const FlowShape& shape, std::vector<StageTime> times);
  Nanoseconds service(const Execution& execution) override;

 private:
  std::vector<StageTime> times_;
};

/// One execution. ready ≤ start ≤ end.
struct ExecutionRecord {
  Execution what;
  /// When it began to wait: for the run of an ordinary stage and for a partition, when the batch entered the queue; for
  /// a part, when the partition was done; for a merge, when the last part was done.
  Nanoseconds ready{}, start{}, end{};
};

/// One batch in one stage. entered ≤ started ≤ dispatched ≤ joined ≤ done ≤ left.
struct VisitRecord {
  std::int64_t batch = 0;
  int stage = 0, replica = 0;
  Nanoseconds entered{};     ///< into the stage's queue
  Nanoseconds started{};     ///< out of the queue: the run or the partition starts
  Nanoseconds dispatched{};  ///< the partition is done; in an ordinary stage `started`
  Nanoseconds joined{};      ///< the last part is done; in an ordinary stage `done`
  Nanoseconds done{};        ///< stage time = done − started
  Nanoseconds left{};        ///< blocked or kept in order = left − done
};

/// One batch in the pipeline.
struct BatchRecord {
  Nanoseconds arrived{};    ///< at an open source; in a closed loop `admitted`
  Nanoseconds admitted{};   ///< into the first queue
  Nanoseconds delivered{};  ///< end-to-end latency = delivered − arrived
};

/// What happened. Times count from the start of the simulation.
struct Schedule {
  std::vector<ExecutionRecord> executions;  ///< in the order of starts
  std::vector<VisitRecord> visits;          ///< batch · stages + stage
  std::vector<BatchRecord> batches;         ///< by number
  Nanoseconds begin{};                      ///< first arrival (closed loop: 0)
  Nanoseconds end{};                        ///< last delivery; `begin` without a batch
  Nanoseconds makespan() const { return end - begin; }
};

struct SimulationOptions {
  /// An open source: when its batches come, in order; the shape's `batches` may cut the list short.
  std::vector<Nanoseconds> arrivals;
  /// While other executions run, the speed of one changes; what remains of it is re-scaled at each change. Its end is
  /// rounded to the nearest nanosecond.
  ContentionLaw contention;
  /// false: only `begin` and `end`, in memory that does not depend on the number of batches.
  bool record = true;
};

/// The first batch enters at time 0, or at its arrival. Throws Error(bad_input) as check() of the shape and of the law
/// do, and for a closed loop without a number of batches, arrivals that are negative or out of order, a negative
/// service time and a time beyond what nanoseconds can hold (292 years).
Schedule simulate(const FlowShape& shape, ServiceTimes& times, const SimulationOptions& options = {});

}  // namespace takt
