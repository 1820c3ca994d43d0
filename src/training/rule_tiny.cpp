// Launch-bound tiny kernels: a device is done with each kernel before the program has given it the next one. Without a
// device: operators so short that calling them is what takes the time. Kernels of a few microseconds are no longer than
// starting one takes, so fused into others they would take next to nothing: they belong to the price.
#include <algorithm>
#include <map>
#include <optional>

#include "training/rule_words.h"

namespace takt {
namespace {

constexpr double waiting_share = 0.15, short_kernel_ns = 20'000, many_kernels = 50;
constexpr std::int64_t tiny_operator_ns = 20'000, tiny_kernel_ns = 5'000;
constexpr double many_operators = 500, tiny_operator_share = 0.35;

template <typename Value>
Value at_fraction(std::vector<Value>& values, double fraction) {
  const auto place = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

/// An operator that is inside no other, and the time to the next one of its row.
struct TinyOperator {
  std::size_t step = 0;
  std::int64_t length = 0, gap = 0;
};

/// `operators` counts the others, too.
std::vector<TinyOperator> tiny_operators(const TrainingCase& one, std::int64_t& operators) {
  struct Last {
    std::optional<std::size_t> tiny;  // position in the list, of the row's last operator
    std::int64_t end = 0;
  };
  std::map<RowId, Last> rows;
  std::vector<TinyOperator> list;
  for (const HostSpan& span : one.activity.host) {
    if (!is_operator(span.role) || !span.is_top || !one.activity.trains[static_cast<std::size_t>(span.row)]) continue;
    ++operators;
    Last& last = rows[span.row];
    if (last.tiny) list[*last.tiny].gap = std::max<std::int64_t>(0, span.span.start - last.end);
    last = {std::nullopt, span.span.end};
    const std::int64_t length = span.span.end - span.span.start;
    const auto step = one.step_at(span.span.start);
    if (!step || length > tiny_operator_ns) continue;
    last.tiny = list.size();
    list.push_back({*step, length, 0});
  }
  return list;
}

RuleOutcome look_at_operators(const TrainingCase& one) {
  std::int64_t operators = 0, time = 0;
  const std::vector<TinyOperator> list = tiny_operators(one, operators);
  if (operators == 0) return abstain("operators");
  std::vector<std::int64_t> lengths;
  for (const TinyOperator& tiny : list) {
    lengths.push_back(tiny.length);
    time += tiny.length;
  }
  const double tiny = one.per_step(static_cast<std::int64_t>(list.size()));
  if (tiny < many_operators || one.share(time) < tiny_operator_share) return nothing_found();
  // Up to the usual length it is the call that takes the time; what is longer works. The way to the next call is part
  // of the price.
  const std::int64_t price = at_fraction(lengths, 0.5);
  std::vector<std::int64_t> cost(one.steps.list.size());
  for (const TinyOperator& each : list) cost[each.step] += std::min(each.length, price) + std::min(each.gap, price);
  return found(TrainingCause::tiny_kernels, cost,
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
