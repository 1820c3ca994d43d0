// Host synchronisation: the program waits for the device again and again, so that the device has nothing left to do
// when it goes on. A few waits per step are usual: two for the copies of pictures and labels out of memory that is not
// pinned (rule_device.cpp has their price), one for the loss that is printed or the step that is timed.
//
// Without a device reading a value costs next to nothing; there the count alone speaks, for what the same program would
// do with a device.
#include "training/diagnosis/blocking_launches.h"
#include "training/diagnosis/rule_words.h"

namespace takt {
namespace {

constexpr double costly_share = 0.05, fewest_calls = 0.5;
// The device must be seen to wait: where the program does something else after each wait, that is the cause.
constexpr double least_waiting = 0.02;
constexpr double many_reads = 5;

Intervals optimizer_spans(const Activity& activity) { return host_cover(activity, {Role::optimizer}); }

RuleOutcome look_at_reads(const TrainingCase& one) {
  // Optimizers keep their counters in the host's memory and read them without waiting for anything.
  const double reads = one.per_step(sum_of(reads_by_step(one.activity, one.steps, optimizer_spans(one.activity))));
  if (reads < many_reads) return nothing_found();
  const Intervals covered = subtract(host_cover(one.activity, {Role::scalar_read}), optimizer_spans(one.activity));
  const auto cost = by_step(covered, one.steps);
  return found(
      TrainingCause::host_synchronisation, cost,
      fmt::format(
          "{:.1f} values per step are read back (item, nonzero), which takes {} per step here; with a device, each "
          "read waits until the device is done",
          reads, time_text(one.per_step(sum_of(cost)))),
      "Keep losses and conditions as tensors, and read them only every N steps.");
}

RuleOutcome look_at_blocking(const TrainingCase& one, const Intervals& waits) {
  auto cost = one.saved_by_program({.host = waits, .scale = {}});
  if (one.share(sum_of(cost)) < costly_share) return nothing_found();
  return found(TrainingCause::host_synchronisation, std::move(cost),
               fmt::format("each launch returns only when its kernel is done, as with CUDA_LAUNCH_BLOCKING=1: {} per "
                           "step in which the program could prepare the next ones",
                           time_text(one.per_step(sum_of(by_step(waits, one.steps))))),
               "Unset CUDA_LAUNCH_BLOCKING (of AMD: HIP_LAUNCH_BLOCKING, AMD_SERIALIZE_KERNEL), and leave debuggers "
               "and checkers out.");
}

}  // namespace

RuleOutcome look_for_synchronisation(const TrainingCase& one) {
  if (!one.activity.expects_device) return look_at_reads(one);
  std::int64_t calls = 0, runtime_calls = 0;
  for (const HostSpan& span : one.activity.host) {
    if (is_call(span.role)) ++runtime_calls;
    if (span.role == Role::synchronisation && one.activity.trains[static_cast<std::size_t>(span.row)] &&
        one.is_in_steps(span.span.start))
      ++calls;
  }
  if (runtime_calls == 0) return abstain("calls of the device runtime (cudaStreamSynchronize …)");
  if (!one.activity.has_device()) return abstain("device events (kernels)");
  if (const Intervals waits = blocking_launches(one.activity); !waits.empty()) return look_at_blocking(one, waits);
  const double each = one.per_step(calls);
  if (each < fewest_calls) return nothing_found();
  const auto cost = one.saved_by_program({.host = {}, .waits = true, .scale = {}});
  // A program that was ahead before it waited is late with the launches behind it, too.
  const std::int64_t waiting = sum_of(by_step(unite(one.idle.synchronisation, one.idle.launch), one.steps));
  if (one.share(sum_of(cost)) < costly_share || one.share(waiting) < least_waiting) return nothing_found();
  const double reads = one.per_step(sum_of(reads_by_step(one.activity, one.steps)));
  return found(
      TrainingCause::host_synchronisation, cost,
      fmt::format("{:.1f} calls per step wait for the device, which is then idle for {} per step{}", each,
                  time_text(one.per_step(sum_of(by_step(one.idle.synchronisation, one.steps)))),
                  reads > 0 ? fmt::format("; {:.1f} values per step are read back (item, nonzero)", reads) : ""),
      "Read values only every N steps, keep conditions on the device, and copy from pinned memory with "
      "non_blocking=True.");
}

}  // namespace takt
