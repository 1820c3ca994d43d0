// What a device does badly: kernels too small to fill it, copies and communication that nothing hides.
#include <algorithm>

#include "training/diagnosis/rule_words.h"

namespace takt {
namespace {

constexpr double busy_share = 0.4, low_fill = 0.5, least_gain = 0.2;
constexpr double least_copy_share = 0.10, least_communication_share = 0.10;

/// Between host and device; copies inside a device are work like any other.
bool crosses(std::string_view name) {
  return name.find("HtoD") != name.npos || name.find("DtoH") != name.npos || name.find("HostToDevice") != name.npos ||
         name.find("DeviceToHost") != name.npos;
}

bool has_collectives(const Activity& activity) {
  return std::any_of(activity.host.begin(), activity.host.end(),
                     [](const HostSpan& span) { return span.role == Role::collective; });
}

}  // namespace

RuleOutcome look_for_small_batch(const TrainingCase& one) {
  if (!one.activity.expects_device) return nothing_found();  // a host has no multiprocessors to fill
  if (!one.activity.has_device()) return abstain("work of the device (kernels)");
  double filled = 0, time = 0;
  bool is_told = false;
  for (const DeviceSpan& work : one.activity.device) {
    if (work.role != Role::kernel || !one.is_in_steps(work.span.start) || !work.occupancy) continue;
    is_told = true;
    const auto length = static_cast<double>(work.span.end - work.span.start);
    time += length;
    filled += length * static_cast<double>(*work.occupancy);
  }
  if (!is_told) return abstain("how kernels fill the device ('blocks per SM')");
  const double fill = time == 0 ? 1 : filled / time, share = one.breakdown.share(StepPart::kernel);
  if (share < busy_share || fill >= low_fill || share * (1 - fill) < least_gain) return nothing_found();
  auto cost = part_by_step(one.breakdown, StepPart::kernel);
  for (std::int64_t& each : cost) each = static_cast<std::int64_t>(static_cast<double>(each) * (1 - fill));
  return found(TrainingCause::small_batch, cost,
               fmt::format("kernels run {} of the time, but fill only {} of the device's multiprocessors, weighted by "
                           "time",
                           percent_text(share), percent_text(fill)),
               "Take larger batches (with the learning rate to match) until kernels fill the device; the gain is per "
               "sample.");
}

RuleOutcome look_for_exposed_copies(const TrainingCase& one) {
  if (!one.activity.expects_device) return nothing_found();
  if (!one.activity.has_device()) return abstain("work of the device (copies)");
  std::vector<TimeInterval> list;
  std::int64_t copies = 0, pageable = 0, launched = 0;
  for (const DeviceSpan& work : one.activity.device) {
    if (work.role != Role::copy) continue;
    ++copies;
    const std::string& name = one.trace.text(work.name);
    if (!crosses(name) || !one.is_in_steps(work.span.start)) continue;
    list.push_back(work.span);
    if (name.find("Pageable") != std::string::npos) ++pageable;
  }
  for (const HostSpan& span : one.activity.host) {
    if (span.role == Role::launch && one.trace.text(span.name).find("Memcpy") != std::string::npos) ++launched;
  }
  if (copies == 0 && launched > 0) return abstain("copies of the device, which the program launched");
  const auto count = static_cast<std::int64_t>(list.size());
  const Intervals hidden = device_cover(one.activity, {Role::kernel, Role::communication});
  const auto cost = by_step(subtract(unite(std::move(list)), hidden), one.steps);
  if (one.share(sum_of(cost)) < least_copy_share) return nothing_found();
  return found(TrainingCause::exposed_copy, cost,
               fmt::format("copies between host and device run {} per step while no kernel does; {} of {} use pageable "
                           "memory",
                           time_text(one.per_step(sum_of(cost))), pageable, count),
               "Copy from pinned memory (pin_memory=True) with non_blocking=True, the next batch while this one is "
               "computed.");
}

RuleOutcome look_for_exposed_communication(const TrainingCase& one) {
  if (one.activity.expects_device && !one.activity.has_device()) return abstain("work of the device (communication)");
  const bool has_kernels = !device_cover(one.activity, {Role::communication}).empty();
  if (one.activity.has_device() && !has_kernels && has_collectives(one.activity))
    return abstain("communication of the device, which the program asked for");
  const auto cost = part_by_step(one.breakdown, StepPart::communication);
  if (one.share(sum_of(cost)) < least_communication_share) return nothing_found();
  return found(TrainingCause::exposed_communication, cost,
               fmt::format("data moves between ranks for {} per step while nothing is computed",
                           time_text(one.per_step(sum_of(cost)))),
               "Overlap communication with the way back (larger buckets, gradient_as_bucket_view), communicate less "
               "often or in half precision, or use a faster link.");
}

RuleOutcome look_for_full_use(const TrainingCase& one) {
  constexpr double full = 0.8;
  if (one.activity.expects_device && !one.activity.has_device()) return abstain("work of the device (kernels)");
  const StepPart part = one.activity.has_device() ? StepPart::kernel : StepPart::host_compute;
  const double share = one.breakdown.share(part);
  if (share < full) return nothing_found();
  return found(TrainingCause::compute_bound, std::vector<std::int64_t>(one.steps.list.size(), 0),
               fmt::format("{} of the step is computing", percent_text(share)),
               "Nothing here keeps it from computing: only less work, lower precision or a faster device helps.");
}

}  // namespace takt
