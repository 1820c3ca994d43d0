#include "training/diagnosis/verdict.h"

namespace takt {

std::string_view name_of(TrainingCause cause) {
#define TAKT_CAUSE(cause, meaning) #cause,
#define TAKT_RULE(cause, meaning, look) #cause,
  constexpr std::string_view names[training_cause_count] = {
#include "training/diagnosis/causes.inc"
  };
#undef TAKT_CAUSE
#undef TAKT_RULE
  return names[static_cast<std::size_t>(cause)];
}

std::int64_t TrainingVerdict::total() const { return sum_of(cost); }

std::vector<std::int64_t> TrainingCase::saved_by_program(const Removal& removal) const {
  auto saved = replay.saved_without(removal);
  if (!activity.has_device()) return saved;
  if (!replay.knows_launches()) {
    auto waited = by_step(intersect(idle.all(), removal.host), steps);
    if (sum_of(waited) > sum_of(saved)) return waited;
  }
  // Copies can run beside what computes, if the program is ahead of both.
  const Intervals computing = device_cover(activity, {Role::kernel, Role::communication});
  auto rest = by_step(subtract(steps_cover(steps), computing), steps);
  return sum_of(saved) <= sum_of(rest) ? saved : rest;
}

std::optional<std::size_t> TrainingCase::step_at(std::int64_t time) const { return takt::step_at(steps, time); }

}  // namespace takt
