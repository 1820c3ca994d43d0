// What a rule of the diagnosis says: a cause with its price, nothing, or that it could not look.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/diagnosis/idle_causes.h"
#include "training/diagnosis/replay.h"
#include "training/steps/breakdown.h"

namespace takt {

#define TAKT_CAUSE(cause, meaning) cause,
#define TAKT_RULE(cause, meaning, look) cause,
enum class TrainingCause : std::uint8_t {
#include "training/diagnosis/causes.inc"
};
#undef TAKT_CAUSE
#undef TAKT_RULE
constexpr std::size_t training_cause_count = static_cast<std::size_t>(TrainingCause::pipeline_bubble) + 1;
std::string_view name_of(TrainingCause cause);  ///< "data_starvation"

struct TrainingVerdict {
  TrainingCause cause{};
  std::vector<std::int64_t> cost;  ///< nanoseconds that each step would be shorter
  std::string evidence, fix;
  bool is_elsewhere = false;  ///< another rank has the cause, and this one only waits for it

  std::int64_t total() const;
};

struct RuleOutcome {
  std::optional<TrainingVerdict> verdict{};
  std::string missing{};  ///< the signal that the rule needs and the trace lacks: then it abstains; empty: it looked
};

/// All that a rule may ask of one trace.
struct TrainingCase {
  const Trace& trace;
  const Activity& activity;
  const Steps& steps;
  const Breakdown& breakdown;
  const IdleCauses& idle;
  const HostLine& line;
  const Replay& replay;

  double step_count() const { return static_cast<double>(steps.list.size()); }
  double share(std::int64_t time) const {
    return breakdown.total == 0 ? 0 : static_cast<double>(time) / static_cast<double>(breakdown.total);
  }
  double per_step(std::int64_t sum) const { return static_cast<double>(sum) / std::max(1.0, step_count()); }
  std::optional<std::size_t> step_at(std::int64_t time) const;  ///< its position; nullopt: between steps
  bool is_in_steps(std::int64_t time) const { return step_at(time).has_value(); }
  /// By how many ns each step would be shorter if the program did not do or wait for what is taken out: with a device
  /// at most the time in which none computes or communicates, as kernels stay; of a trace without the numbers of
  /// launches at least the idle time that what is taken out covers.
  std::vector<std::int64_t> saved_by_program(const Removal& removal) const;
};

// One rule each; the thresholds stand in the rule. All of them need steps.
#define TAKT_CAUSE(cause, meaning)
#define TAKT_RULE(cause, meaning, look) RuleOutcome look(const TrainingCase& one);
#include "training/diagnosis/causes.inc"
#undef TAKT_CAUSE
#undef TAKT_RULE
RuleOutcome look_for_tiny_operators(const TrainingCase& one);  ///< tiny kernels of a training without a device
RuleOutcome look_for_full_use(const TrainingCase& one);
RuleOutcome look_for_warm_up(const TrainingCase& one);
/// What is left where no rule found a cause, and the device is idle all the same: the largest share of it.
RuleOutcome look_at_rest(const TrainingCase& one);

/// The part of the steps, 0 to 1, in which nothing works and no cause is known. A single slow step is told apart, and
/// says nothing of the others.
double unexplained_share(const TrainingCase& one);

}  // namespace takt
