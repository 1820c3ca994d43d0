// Launch-bound tiny kernels: a device is done with each kernel before the program has given it the next one. Without a
// device: operators so short that calling them is what takes the time.
#include <algorithm>

#include "training/rule_words.h"

namespace takt {
namespace {

constexpr double waiting_share = 0.15, short_kernel_ns = 20'000, many_kernels = 50;
constexpr std::int64_t tiny_operator_ns = 20'000;
constexpr double many_operators = 500, tiny_operator_share = 0.35;

template <typename Value>
Value at_fraction(std::vector<Value>& values, double fraction) {
  const auto place = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

RuleOutcome look_at_operators(const TrainingCase& one) {
  std::vector<std::int64_t> selves;
  std::vector<std::int64_t> counts(one.steps.list.size());
  std::int64_t time = 0, operators = 0;
  for (const HostSpan& span : one.activity.host) {
    if (!is_operator(span.role) || !one.activity.trains[static_cast<std::size_t>(span.row)]) continue;
    const auto step = one.step_at(span.span.start);
    if (!step) continue;
    ++operators;
    if (span.self_ns > tiny_operator_ns) continue;
    selves.push_back(span.self_ns);
    time += span.self_ns;
    ++counts[*step];
  }
  if (operators == 0) return abstain("operators");
  const double tiny = one.per_step(static_cast<std::int64_t>(selves.size()));
  if (tiny < many_operators || one.share(time) < tiny_operator_share) return nothing_found();
  // The shortest do no work that counts: what they take is the price of a call.
  const std::int64_t price = at_fraction(selves, 0.1);
  for (std::int64_t& count : counts) count *= price;
  return found(TrainingCause::tiny_kernels, counts,
               fmt::format("{:.0f} operators per step take less than 20 µs each, {} of the step together; calling one "
                           "takes about {}",
                           tiny, percent_text(one.share(time)), time_text(static_cast<double>(price))),
               "Compute on whole tensors instead of many small ones, fuse chains of operators (torch.compile), and use "
               "foreach or fused optimizers.");
}

}  // namespace

RuleOutcome look_for_tiny_kernels(const TrainingCase& one) {
  if (!one.activity.expects_device) return look_at_operators(one);
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
  const auto cost = by_step(one.idle.launch, one.steps);
  const double kernels = one.per_step(static_cast<std::int64_t>(lengths.size()));
  const std::int64_t median = at_fraction(lengths, 0.5);
  const bool is_bound = one.share(sum_of(cost)) >= waiting_share;
  if (!is_bound || static_cast<double>(median) > short_kernel_ns || kernels < many_kernels) return nothing_found();
  return found(TrainingCause::tiny_kernels, cost,
               fmt::format("{:.0f} kernels per step, half of them shorter than {}; the device waits {} per step for "
                           "launches",
                           kernels, time_text(static_cast<double>(median)), time_text(one.per_step(sum_of(cost)))),
               "Launch less: fuse chains of operators (torch.compile), use foreach or fused optimizers, or replay the "
               "step as a CUDA graph.");
}

}  // namespace takt
