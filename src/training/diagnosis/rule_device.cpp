// What a device does badly: kernels too small to fill it, copies and communication that nothing hides.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/text.h"
#include "training/diagnosis/rule_words.h"
#include "training/figures/utilisation.h"

namespace takt {
namespace {

constexpr double busy_share = 0.4, low_fill = 0.5, least_gain = 0.2;
constexpr double least_copy_share = 0.10, least_communication_share = 0.05;

/// Between two devices.
bool is_between_devices(std::string_view name) {
  return name.find("PtoP") != name.npos || name.find("Peer") != name.npos;
}
/// Between host and device, or two devices; copies inside a device are work like any other.
bool crosses(std::string_view name) {
  return is_between_devices(name) || name.find("HtoD") != name.npos || name.find("DtoH") != name.npos ||
         name.find("HostToDevice") != name.npos || name.find("DeviceToHost") != name.npos ||
         name.find("H2D") != name.npos || name.find("D2H") != name.npos;
}

/// How fast large pieces move.
class MovedData {
 public:
  void add(const DeviceSpan& work) {
    constexpr std::int64_t large = 1'000'000;
    if (work.bytes < large) return;
    bytes_ += static_cast<double>(work.bytes);
    time_ += static_cast<double>(work.span.end - work.span.start);
  }
  std::string rate_text() const { return time_ > 0 ? fmt::format(", at {:.1f} GB/s", bytes_ / time_) : ""; }
  /// Less than half of what PCIe 3 has.
  bool is_slow() const { return time_ > 0 && bytes_ / time_ < 6; }

 private:
  double bytes_ = 0, time_ = 0;  // ns
};

/// Of what communicates alone, the pieces that take long for the little that they move: they wait for another rank.
Intervals waits_among(const TrainingCase& one, const Intervals& alone) {
  constexpr std::int64_t little = 65'536, long_ns = 1'000'000;
  std::vector<TimeInterval> list;
  for (const DeviceSpan& work : one.activity.device)
    if (work.role == Role::communication && work.bytes > 0 && work.bytes <= little &&
        work.span.end - work.span.start >= long_ns)
      list.push_back(work.span);
  return intersect(alone, unite(std::move(list)));
}

bool has_collectives(const Activity& activity) {
  return std::any_of(activity.host.begin(), activity.host.end(),
                     [](const HostSpan& span) { return span.role == Role::collective; });
}

/// When the trace shows the program doing something.
Intervals seen_at_work(const Activity& activity) {
  return host_cover(activity, {Role::launch, Role::allocation, Role::loading, Role::runtime, Role::op,
                               Role::scalar_read, Role::data_wait});
}

/// The price of work that nothing hides: the steps replayed without it, or more where the program is not seen to do
/// anything meanwhile, as it then waits in a way that the trace does not show.
std::vector<std::int64_t> price_of_exposed(const TrainingCase& one, const Intervals& exposed,
                                           const std::function<double(const DeviceSpan&)>& scale) {
  auto saved = one.replay.saved_without({.host = {}, .scale = scale});
  auto unseen = by_step(subtract(exposed, seen_at_work(one.activity)), one.steps);
  return sum_of(unseen) > sum_of(saved) ? unseen : saved;
}

/// The steps with kernels that take only the part of the time in which they fill the device.
std::vector<std::int64_t> price_of_fill(const TrainingCase& one, double fill) {
  auto saved = one.replay.saved_without(
      {.host = {}, .scale = [&](const DeviceSpan& work) { return work.role == Role::kernel ? fill : 1.0; }});
  auto unseen = by_step(subtract(device_cover(one.activity, {Role::kernel}), seen_at_work(one.activity)), one.steps);
  for (std::int64_t& each : unseen) each = static_cast<std::int64_t>(static_cast<double>(each) * (1 - fill));
  return sum_of(unseen) > sum_of(saved) ? unseen : saved;
}

/// Of what communicates alone, the sends and receives.
Intervals pairs_among(const TrainingCase& one, const Intervals& alone) {
  std::vector<TimeInterval> list;
  for (const DeviceSpan& work : one.activity.device)
    if (work.is_point_to_point) list.push_back(work.span);
  return intersect(alone, unite(std::move(list)));
}

/// Devices of one process that communicate: DataParallel, which sends the whole network to each device in each step.
bool is_between_own_devices(const TrainingCase& one) {
  std::set<std::int64_t> devices;
  for (const DeviceSpan& work : one.activity.device)
    if (work.role == Role::communication) devices.insert(work.device);
  return devices.size() > 1;
}

/// Ranks that exchange data through the memory of their hosts (Gloo, MPI).
RuleOutcome look_at_host_collectives(const TrainingCase& one) {
  auto cost = one.saved_by_program({.host = one.line.collectives, .scale = {}});
  if (one.share(sum_of(cost)) < least_communication_share) return nothing_found();
  return found(TrainingCause::exposed_communication, std::move(cost),
               fmt::format("communication between ranks runs on the hosts for {} per step, while the device waits",
                           time_text(one.per_step(sum_of(by_step(one.line.collectives, one.steps))))),
               "Use the devices' own library (backend nccl), or communicate less often.");
}

/// From the first work of devices to the end of the last one, in ns.
std::int64_t hull_of_work(const Activity& activity) {
  std::int64_t start = INT64_MAX, end = INT64_MIN;
  for (const DeviceSpan& work : activity.device) {
    start = std::min(start, work.span.start);
    end = std::max(end, work.span.end);
  }
  return activity.device.empty() ? 0 : end - start;
}

/// "; by recorded shapes it reaches 7 % of the 989 TFLOP/s of NVIDIA H100 in 16-bit matrix products (MFU), …"
std::string words_of_utilisation(const TrainingCase& one) {
  const auto used = utilisation_of(one.trace, one.activity, hull_of_work(one.activity));
  if (!used) return "";
  return fmt::format(
      "; by recorded shapes it reaches {} of the {:.0f} TFLOP/s of {} in 16-bit matrix products (MFU), and {} while {} "
      "runs, which takes longest",
      percent_text(used->of_peak), used->peak_tflops, printable(used->device), percent_text(used->longest_of_peak),
      printable(used->longest));
}

}  // namespace

RuleOutcome look_for_small_batch(const TrainingCase& one) {
  // A host has no multiprocessors to fill.
  if (!one.activity.expects_device || one.activity.is_on_host) return nothing_found();
  if (!one.activity.has_device()) return abstain("device events (kernels)");
  double filled = 0, time = 0;
  bool is_told = false;
  for (const DeviceSpan& work : one.activity.device) {
    if (work.role != Role::kernel || !one.is_in_steps(work.span.start) || !work.occupancy) continue;
    is_told = true;
    const auto length = static_cast<double>(work.span.end - work.span.start);
    time += length;
    filled += length * static_cast<double>(*work.occupancy);
  }
  if (!is_told) return abstain("the occupancy of kernels ('blocks per SM')");
  const double fill = time == 0 ? 1 : filled / time, share = one.breakdown.share(StepPart::kernel);
  if (share < busy_share || fill >= low_fill || share * (1 - fill) < least_gain) return nothing_found();
  const auto cost = price_of_fill(one, fill);
  if (one.share(sum_of(cost)) < least_gain) return nothing_found();
  return found(
      TrainingCause::small_batch, cost,
      fmt::format("kernels run for {} of the time, but occupy only {} of the device's multiprocessors (time-weighted)",
                  percent_text(share), percent_text(fill)),
      "Use larger batches (and adjust the learning rate) until kernels fill the device; the gain is per sample.");
}

RuleOutcome look_for_exposed_copies(const TrainingCase& one) {
  if (!one.activity.expects_device) return nothing_found();
  if (!one.activity.has_device()) return abstain("device events (copies)");
  std::vector<TimeInterval> list;
  std::int64_t copies = 0, pageable = 0, launched = 0, between_devices = 0;
  MovedData moved;
  for (const DeviceSpan& work : one.activity.device) {
    if (work.role != Role::copy) continue;
    ++copies;
    const std::string& name = one.trace.text(work.name);
    if (!crosses(name) || !one.is_in_steps(work.span.start)) continue;
    list.push_back(work.span);
    moved.add(work);
    if (is_between_devices(name)) ++between_devices;
    if (name.find("Pageable") != std::string::npos) ++pageable;
  }
  for (const HostSpan& span : one.activity.host) {
    if (span.role == Role::launch && one.trace.text(span.name).find("Memcpy") != std::string::npos) ++launched;
  }
  if (copies == 0 && launched > 0) return abstain("events of the copies that the program launched");
  const auto count = static_cast<std::int64_t>(list.size());
  const Intervals hidden = device_cover(one.activity, {Role::kernel, Role::communication});
  const Intervals exposed = subtract(unite(std::move(list)), hidden);
  const auto cost = price_of_exposed(one, exposed, [&](const DeviceSpan& work) {
    return work.role == Role::copy && crosses(one.trace.text(work.name)) ? 0.0 : 1.0;
  });
  if (one.share(sum_of(cost)) < least_copy_share) return nothing_found();
  const std::string time = time_text(one.per_step(sum_of(by_step(exposed, one.steps))));
  if (2 * between_devices > count)
    return found(TrainingCause::exposed_copy, cost,
                 fmt::format("copies between devices take {} per step while no kernel runs{}", time, moved.rate_text()),
                 "Check that the devices reach each other's memory directly (nvidia-smi topo -m), send less from one "
                 "to the other, or split batches so that one computes while the other receives.");
  const bool is_slow_link = pageable == 0 && moved.is_slow();
  return found(
      TrainingCause::exposed_copy, cost,
      fmt::format(
          "copies between host and device take {} per step while no kernel runs; {} of {} use pageable memory{}", time,
          pageable, count, moved.rate_text()),
      std::string(is_slow_link ? "Check the link (width and speed of PCIe, its other users): it is slow. " : "") +
          std::string(pageable > 0 ? "Copy from pinned memory (pin_memory=True) with non_blocking=True, and copy"
                                   : "Copy less, or on a stream of its own: copy") +
          " the next batch while this one is computed.");
}

RuleOutcome look_for_exposed_communication(const TrainingCase& one) {
  if (one.activity.expects_device && !one.activity.has_device()) return abstain("device events (communication)");
  const bool has_kernels = !device_cover(one.activity, {Role::communication}).empty();
  if (one.activity.has_device() && !has_kernels && !one.line.collectives.empty()) return look_at_host_collectives(one);
  if (one.activity.has_device() && !has_kernels && has_collectives(one.activity))
    return abstain("events of the communication that the program launched");
  const auto exposed = part_by_step(one.breakdown, StepPart::communication);
  const Intervals alone = subtract(device_cover(one.activity, {Role::communication}),
                                   device_cover(one.activity, {Role::kernel, Role::copy, Role::fill}));
  const auto cost = !has_kernels ? exposed : price_of_exposed(one, alone, [](const DeviceSpan& work) {
    return work.role == Role::communication ? 0.0 : 1.0;
  });
  if (one.share(std::min(sum_of(cost), sum_of(exposed))) < least_communication_share) return nothing_found();
  const double time = one.per_step(sum_of(exposed));
  const double pairs = one.per_step(sum_of(by_step(pairs_among(one, alone), one.steps)));
  if (2 * pairs > time)
    return found(TrainingCause::exposed_communication, cost,
                 fmt::format("communication between ranks takes {} per step while nothing is computed, {} of it sends "
                             "and receives, which last until the other rank comes",
                             time_text(time), time_text(pairs)),
                 "In a pipeline of stages: use more micro batches per step, or a schedule with less bubble (1F1B, "
                 "interleaved stages). Traces of all ranks tell waiting and transfer apart.");
  if (is_between_own_devices(one))
    return found(TrainingCause::exposed_communication, cost,
                 fmt::format("communication between the devices of this process takes {} per step while nothing is "
                             "computed",
                             time_text(time)),
                 "Use DistributedDataParallel, a process per device: DataParallel sends the network to all devices and "
                 "collects their gradients in each step.");
  const double waits = one.per_step(sum_of(by_step(waits_among(one, alone), one.steps)));
  if (2 * waits > time)
    return found(TrainingCause::exposed_communication, cost,
                 fmt::format("communication between ranks takes {} per step while nothing is computed, {} of it in "
                             "pieces that move next to nothing: they wait for other ranks",
                             time_text(time), time_text(waits)),
                 "Trace all ranks and diagnose them together: that tells which ones come late, and why.");
  return found(
      TrainingCause::exposed_communication, cost,
      fmt::format("communication between ranks takes {} per step while nothing is computed", time_text(time)),
      "Overlap communication with the backward pass (larger buckets, gradient_as_bucket_view), communicate less often "
      "or in half precision, or use a faster interconnect.");
}

RuleOutcome look_for_full_use(const TrainingCase& one) {
  constexpr double full = 0.8;
  if (one.activity.expects_device && !one.activity.has_device()) return abstain("device events (kernels)");
  const StepPart part = one.activity.has_device() ? StepPart::kernel : StepPart::host_compute;
  const double share = one.breakdown.share(part);
  if (share < full) return nothing_found();
  return found(TrainingCause::compute_bound, std::vector<std::int64_t>(one.steps.list.size(), 0),
               fmt::format("{} of step time is compute{}", percent_text(share), words_of_utilisation(one)),
               "Nothing else limits these steps: only less work, lower precision or a faster device helps.");
}

}  // namespace takt
