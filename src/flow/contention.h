// How much longer an execution takes because of what else is running: the law by which work slows work down. Only
// integers internally, so a schedule is the same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "flow/flow_shape.h"
#include "flow/pressure_law.h"
#include "flow/stage_pressure.h"

namespace takt {

/// Something that executions on any device share, such as memory bandwidth. What several want of it adds up.
struct SharedResource {
  PressureLaw law = PressureLaw::linear;
  std::vector<double> pressure;     ///< by stage: what one execution of it does to others, 0 (nothing) to 1
  std::vector<double> sensitivity;  ///< by stage: how it answers, 0 (not at all) to 1
};

/// What several concurrent stages do to a stage whose row of `interference` was measured with one other stage at a
/// time.
struct BesideSeveral {
  /// Their factors: the largest, and of the others so much, on a logarithmic scale. 0: only the largest counts. 1:
  /// their product. nullopt, where that is not known: their product, but replicas of the stage itself together never do
  /// less than two of them.
  std::optional<double> weaker_share{};
  /// What it presses on and suffers by; nothing in it where that was not measured. Those beside it of which it is
  /// known, too, slow it down as the sum of their pressures does, and as the one of them that slows it down most at
  /// least.
  StageContention answers{};
};

/// Factors of others that were measured one at a time, put together.
class SeveralFactors {
 public:
  /// `count` executions at once, each of which alone would have made it `factor`.
  void add(double factor, double count) { add_ln(std::log(factor), count * std::log(factor)); }
  /// The same for replicas of the stage itself, which together do no less work than two of them.
  void add_replicas(double factor, double count);
  double together(double weaker_share) const;  ///< 1 of none

 private:
  void add_ln(double one, double all) { largest_ = std::max(largest_, one), sum_ += all; }

  double largest_ = 0, sum_ = 0;  ///< ln
};

/// An execution takes `slow-down` times its time alone, the product of
///  * `interference[i][j]` for every *other* execution of stage j that runs beside this one of stage i (j = i: another
///    replica of the same stage, or another part of the batch); of a stage in `several` as it is told there;
///  * `device_curve[d][n−1]` when n executions run on its device d (1, 2, 3 …: pure time sharing); beyond the end of
///    the curve the device does no more work per second than at its end: curve.back() · n / curve.size();
///  * what the resources make of it together, by `combination`: each slows it down by its law under the pressures of
///  all
///    other executions, added up;
///  * Σ core_share of all executions, where its own is above 0 and the sum above 1 (taking turns). The others that use
///    cores then run beside it only as far as there is room: of each of their factors in `interference`, what is above
///    1 counts by the share (1 − its own) / (Σ − its own). Three threads on two cores take turns, so that one of the
///    two others is beside a thread while that runs, not both.
/// Partition and merge, which run on the host, neither slow down nor are slowed down. An empty table slows nothing.
struct ContentionLaw {
  std::vector<std::vector<double>> interference;
  std::vector<std::vector<double>> device_curve;  ///< by device; devices beyond the end, and empty curves, have none
  std::vector<SharedResource> resources{};
  Combination combination = Combination::multiply;
  std::vector<double> core_share{};  ///< by stage: the share of the cores that one execution keeps busy, 0 to 1
  std::vector<std::optional<BesideSeveral>> several{};  ///< by stage; nullopt: its factors are a rule, and multiply

  bool empty() const {
    return interference.empty() && device_curve.empty() && resources.empty() && core_share.empty() && several.empty();
  }
};

/// Throws Error(bad_input): a table of the wrong size, a factor outside 0.01 to 1,000,000, a share, pressure or
/// sensitivity outside 0 to 1.
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
  /// on the cores.
  double counted_share(int stage, int beside) const;

 private:
  /// Where cores are short: what everybody wants of them, and the share of the time in which the others run while the
  /// stage does; both in `unit`.
  struct Turns {
    std::int64_t wanted = unit, beside = unit;
    bool are_taken() const { return wanted > unit; }
  };
  /// How a resource is used: what a stage is affected by, and which stages affect others.
  struct Use {
    PressureLaw law;
    std::vector<double> sensitivity;
    std::vector<std::pair<std::size_t, double>> pressing;  ///< stage, pressure of one execution
  };
  std::int64_t beside(std::size_t stage, std::size_t other) const {
    return running_by_stage_[other] - (other == stage ? 1 : 0);
  }
  Turns turns_of(std::size_t stage) const;
  std::int64_t pair_factor(std::size_t stage, std::size_t other, const Turns& turns) const;
  std::int64_t product_of_pairs(std::size_t stage, const Turns& turns) const;
  std::int64_t measured_pairs(std::size_t stage, const BesideSeveral& several, const Turns& turns) const;
  double added_pressures(std::size_t stage, const BesideSeveral& several, const Turns& turns) const;
  bool is_added(const BesideSeveral& several, std::size_t other) const;
  bool are_a_product(std::size_t stage, const BesideSeveral& several) const;
  std::int64_t pairs_factor(std::size_t stage, const Turns& turns) const;
  std::int64_t resources_factor(std::size_t stage) const;
  std::int64_t device_factor(std::size_t device) const;

  std::size_t stages_;
  std::vector<std::int64_t> running_by_stage_, running_by_device_;
  std::vector<std::int64_t> interference_;               ///< row by row; empty: none
  std::vector<std::vector<std::int64_t>> device_curve_;  ///< one per device, perhaps empty
  std::vector<std::int64_t> core_share_;                 ///< by stage; empty: none
  std::vector<Use> uses_;
  Combination combination_;
  std::vector<std::optional<BesideSeveral>> several_;  ///< by stage; empty: of none
};

}  // namespace takt
