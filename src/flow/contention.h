// How much longer an execution takes because of what else is running: the law by which work slows work down. Only
// integers behind the door, so a schedule is the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "flow/flow_shape.h"

namespace takt {

/// Something that executions on any device share, such as memory bandwidth.
struct SharedResource {
  /// By stage: the share of the resource that one execution of it uses when it has all it wants, 0 (does not use it) to
  /// 1 (saturates it).
  std::vector<double> demand;
};

/// An execution takes `slow-down` times its time alone, the product of
///  * `interference[i][j]` for every *other* execution of stage j that runs beside this one of stage i (j = i: another
///    replica of the same stage, or another part of the batch);
///  * `device_curve[d][n−1]` when n executions run on its device d (1, 2, 3 …: pure time sharing); beyond the end of
///    the curve the device does no more work per second than at its end: curve.back() · n / curve.size();
///  * the largest Σ demand over the resources that its stage uses, where that is above 1 (proportional sharing). The
///    others that use that resource then run beside it only as far as there is room: of each of their factors in
///    `interference`, what is above 1 counts by the share (1 − its demand) / (Σ demand − its demand). Three threads on
///    two cores take turns, so that one of the two others is beside a thread while that runs, not both.
/// Partition and merge, which run on the host, neither slow down nor are slowed down. An empty table slows nothing.
struct ContentionLaw {
  std::vector<std::vector<double>> interference;
  std::vector<std::vector<double>> device_curve;  ///< by device; devices beyond the end, and empty curves, have none
  std::vector<SharedResource> resources;

  bool empty() const { return interference.empty() && device_curve.empty() && resources.empty(); }
};

/// Throws Error(bad_input): a table of the wrong size, a factor outside 0.01 to 1,000,000, a demand outside 0 to 1.
void check(const ContentionLaw& law, const FlowShape& shape);

/// The law, told what runs. Not thread-safe.
class ContentionState {
 public:
  /// Slow-downs are integers in units of a billionth.
  static constexpr std::int64_t unit = 1'000'000'000;

  /// Throws as check() does.
  ContentionState(const ContentionLaw& law, const FlowShape& shape);

  void start(int stage, int device);
  void stop(int stage, int device);

  /// Of an execution that is among those that run, by the counts alone: the order of starts and stops has no influence.
  /// Bounded by 0.01 and 1,000,000 (in `unit`).
  std::int64_t slowdown(int stage, int device) const;

  /// Executions of the stage that run now.
  std::int64_t running(int stage) const { return running_by_stage_[static_cast<std::size_t>(stage)]; }
  /// What of a factor above 1 in `interference[stage][beside]` counts now, 0 to 1: less than 1 where the two take turns
  /// for a resource that is short.
  double counted_share(int stage, int beside) const;

 private:
  /// The scarcest resource of a stage: what everybody wants of it, and the share of the time in which the others run
  /// while the stage does; both in `unit`.
  struct Crowd {
    const std::vector<std::int64_t>* demand = nullptr;  ///< by stage; null: no resource is short
    std::int64_t total = unit, beside = unit;
  };
  std::int64_t interference_on(std::size_t stage, const Crowd& crowd) const;
  Crowd crowd_on(std::size_t stage) const;
  std::int64_t device_factor(std::size_t device) const;

  std::size_t stages_;
  std::vector<std::int64_t> running_by_stage_, running_by_device_;
  std::vector<std::int64_t> interference_;               ///< row by row; empty: none
  std::vector<std::vector<std::int64_t>> device_curve_;  ///< one per device, perhaps empty
  std::vector<std::vector<std::int64_t>> demand_;        ///< one per resource
};

}  // namespace takt
