// Launch-bound tiny kernels: a device is done with each kernel before the program has given it the next one. Kernels
// of a few microseconds are no longer than starting one takes, so fused into others they would take next to nothing:
// they belong to the price. (Without a device: rule_tiny_operators.cpp.)
#include <algorithm>

#include "training/steps/operator_kinds.h"
#include "training/diagnosis/rule_words.h"

namespace takt {
namespace {

constexpr double waiting_share = 0.15, short_kernel_ns = 20'000, many_kernels = 50;
constexpr std::int64_t tiny_kernel_ns = 5'000;

}  // namespace

RuleOutcome look_for_tiny_kernels(const TrainingCase& one) {
  if (!one.activity.expects_device) return look_for_tiny_operators(one);
  if (!one.activity.has_device()) return abstain("work of the device (kernels)");
  std::vector<std::int64_t> lengths;
  for (const DeviceSpan& work : one.activity.device) {
    if (work.role == Role::kernel && one.is_in_steps(work.span.start))
      lengths.push_back(work.span.end - work.span.start);
  }
  const bool has_calls = std::any_of(one.activity.host.begin(), one.activity.host.end(), [&](const HostSpan& span) {
    return span.role == Role::launch && one.trace.text(span.name).find("Launch") != std::string::npos;
  });
  if (!has_calls) return abstain("calls that launch kernels");
  if (lengths.empty()) return nothing_found();
  const auto waits = by_step(one.idle.launch, one.steps);
  const double kernels = one.per_step(static_cast<std::int64_t>(lengths.size()));
  const std::int64_t median = at_fraction(lengths, 0.5);
  const bool is_bound = one.share(sum_of(waits)) >= waiting_share;
  if (!is_bound || static_cast<double>(median) > short_kernel_ns || kernels < many_kernels) return nothing_found();
  std::vector<TimeInterval> tiny;
  for (const DeviceSpan& work : one.activity.device) {
    if (work.role == Role::kernel && work.span.end - work.span.start <= tiny_kernel_ns) tiny.push_back(work.span);
  }
  const auto cost = by_step(unite(one.idle.launch, unite(std::move(tiny))), one.steps);
  return found(TrainingCause::tiny_kernels, cost,
               fmt::format("{:.0f} kernels per step, half of them shorter than {}; the device waits {} per step for "
                           "launches",
                           kernels, time_text(static_cast<double>(median)), time_text(one.per_step(sum_of(waits)))),
               "Launch less: fuse chains of operators (torch.compile), use foreach or fused optimizers, or replay the "
               "step as a CUDA graph.");
}

}  // namespace takt
