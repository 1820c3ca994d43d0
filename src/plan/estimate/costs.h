// What a planner asks about times, and answers from a table that somebody wrote.
//
// Times are whole nanoseconds and rounded once, here, so that what a search adds up, the bound that it prunes by and
// the simulation of the plan that it names agree in every nanosecond. A missing value means that it cannot be done
// there, or is not known: no plan is made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "flow/stage_pressure.h"
#include "plan/estimate/plan.h"

namespace takt {

/// What dividing a block costs beside the parts themselves; both run on the host.
struct DivideCost {
  Nanoseconds partition{}, merge{};
};

/// The costs of one size of input. Units are numbered in the order of units(). Thread-safe to read.
class PlanCosts {
 public:
  /// Where batches come from and results go; where a block that is divided gets its batches parted and merged.
  static constexpr int host = -1;

  virtual ~PlanCosts() = default;
  virtual int stages() const = 0;
  virtual const std::vector<std::string>& units() const = 0;

  /// How long the unit alone takes for this share of a batch, above 0 and at most 1. Never less for a larger share, and
  /// never missing for a smaller one where it is known for a larger.
  virtual std::optional<Nanoseconds> time(StageSpan stages, int unit, double share) const = 0;
  /// Why it is missing, as a clause: "the NPU does not compile stage 3".
  virtual std::string why_missing(StageSpan stages, int unit) const = 0;

  /// Between what computed stage `cut` (0: the batch as it comes) and what computes the next one (behind the last: who
  /// wants the result). Units or `host`; 0 between a unit and itself.
  virtual std::optional<Nanoseconds> transfer(int cut, int from, int to) const = 0;
  /// Returns the host time to split a batch over `units` (two or more) and to merge the results. nullopt: unknown, so
  /// no plan may split this block.
  virtual std::optional<DivideCost> divide(StageSpan stages, const std::vector<int>& units) const = 0;

  /// Whether blocks ever slow each other down.
  virtual bool has_slow_downs() const { return false; }
  /// How many times as long `stages` take on `unit` while `other` run on `beside`, another unit: 1 or more.
  virtual double slow_down(StageSpan /*stages*/, int /*unit*/, StageSpan /*other*/, int /*beside*/) const { return 1; }

  /// What `stages` press on and suffer by while they run on `unit`, where that was measured beside loads: what several
  /// blocks at once do to one follows from it. nullopt: only pairs are known.
  virtual std::optional<StageContention> contention(StageSpan /*stages*/, int /*unit*/) const { return {}; }

  /// Bytes that a block keeps on the unit; missing: not known, and not counted. Never less for a larger share.
  virtual std::optional<std::int64_t> memory(StageSpan /*stages*/, int /*unit*/, double /*share*/) const { return {}; }
  /// Bytes that the unit has; missing: no limit is known.
  virtual std::optional<std::int64_t> memory_limit(int /*unit*/) const { return {}; }
};

/// The rules that a plan on these units keeps to; stages that a unit refuses alone are not among them, as a fused range
/// may run nevertheless.
PlanRules rules_of(const PlanCosts& costs, bool units_once);

}  // namespace takt
