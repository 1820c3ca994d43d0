#include "training/diagnosis/verdict.h"

namespace takt {

std::string_view name_of(TrainingCause cause) {
  constexpr std::string_view names[training_cause_count] = {
      "data_starvation", "host_synchronisation",  "tiny_kernels",   "allocator_churn",  "small_batch",
      "exposed_copy",    "exposed_communication", "straggler",      "rising_step_time", "compute_bound",
      "host_bound",      "serial_devices",        "periodic_stall", "warm_up",          "uneven_ranks",
      "pipeline_bubble"};
  return names[static_cast<std::size_t>(cause)];
}

std::int64_t TrainingVerdict::total() const { return sum_of(cost); }

std::vector<std::int64_t> TrainingCase::saved_by_program(const Removal& removal) const {
  auto saved = replay.saved_without(removal);
  if (!activity.has_device()) return saved;
  // Copies can run beside what computes, if the program is ahead of both.
  std::vector<TimeInterval> list;
  for (const TrainingStep& step : steps.list) list.push_back(step.span);
  const Intervals computing = device_cover(activity, {Role::kernel, Role::communication});
  auto rest = by_step(subtract(unite(std::move(list)), computing), steps);
  return sum_of(saved) <= sum_of(rest) ? saved : rest;
}

std::optional<std::size_t> TrainingCase::step_at(std::int64_t time) const { return takt::step_at(steps, time); }

}  // namespace takt
