// Allocator churn: memory that is taken and given back again and again.
//
// A device's allocator keeps what it got, so in a steady step the runtime is asked for none; calls of cudaMalloc and
// cudaFree in every step are churn, and cost what the device stands still meanwhile. In the host's memory each large
// block comes from the system and is touched for the first time anew; there the sign is the turnover: how many times as
// much is taken in a step as the step ever holds at once. So it is where a device's allocator keeps all it got: then
// the price is in the kernels that fill what is taken.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "training/diagnosis/rule_words.h"
#include "training/steps/call_names.h"
#include "training/steps/operator_kinds.h"

namespace takt {
namespace {

constexpr double churn_share = 0.05, allocation_calls = 1;
// Networks have a turnover of 2 to 5. One that computes activations again has 11, and its operators that take memory
// need a tenth of a step on a busy machine.
constexpr double least_turnover = 4, many_bytes = 16e6, share_on_host = 0.125;

struct Turnover {
  std::int64_t taken = 0, blocks = 0, held = 0;  // bytes; held: the range that what is held goes through
};

std::vector<Turnover> turnovers(const TrainingCase& one, bool on_device) {
  std::vector<Turnover> all(one.steps.list.size());
  const auto& memory = one.activity.memory;
  std::size_t at = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TimeInterval step = one.steps.list[i].span;
    while (at < memory.size() && memory[at].time < step.start) ++at;
    std::int64_t held = 0, low = 0, high = 0;
    for (; at < memory.size() && memory[at].time < step.end; ++at) {
      if ((memory[at].device.value_or(0) != 0) != on_device) continue;
      held += memory[at].bytes;
      low = std::min(low, held);
      high = std::max(high, held);
      if (memory[at].bytes <= 0) continue;
      all[i].taken += memory[at].bytes;
      ++all[i].blocks;
    }
    all[i].held = high - low;
  }
  return all;
}

/// Calls that launch what operators that take memory have the device do: they fill it.
std::unordered_set<std::int64_t> filling_calls(const Activity& activity, const Intervals& taking) {
  const auto is_taking = [&](std::int64_t time) {
    const auto at =
        std::partition_point(taking.begin(), taking.end(), [&](const TimeInterval& span) { return span.end <= time; });
    return at != taking.end() && at->start <= time;
  };
  std::unordered_set<std::int64_t> calls;
  for (const HostSpan& span : activity.host)
    if (span.role == Role::launch && span.correlation != 0 && is_taking(span.span.start))
      calls.insert(span.correlation);
  return calls;
}

/// The step without operators that take memory, and without what they have the device do; without a device also
/// without giving large blocks back.
std::vector<std::int64_t> price_of_taking(const TrainingCase& one, const Intervals& taking) {
  if (!one.activity.has_device()) return by_step(unite(taking, one.line.allocation), one.steps);
  const auto calls = filling_calls(one.activity, taking);
  return one.replay.saved_without({.host = taking, .scale = [&](const DeviceSpan& work) {
                                     const bool fills = work.role == Role::kernel || work.role == Role::fill;
                                     return fills && calls.contains(work.correlation) ? 0.0 : 1.0;
                                   }});
}

RuleOutcome look_at_turnover(const TrainingCase& one, bool on_device) {
  Turnover sum;
  for (const Turnover& step : turnovers(one, on_device)) {
    sum.taken += step.taken;
    sum.blocks += step.blocks;
    sum.held += step.held;
  }
  const double turnover = sum.held == 0 ? 0 : static_cast<double>(sum.taken) / static_cast<double>(sum.held);
  // What a loader makes of its samples is its own matter.
  const Intervals taking = subtract(memory_operators(one.activity), host_cover(one.activity, {Role::data_wait}));
  const double bytes = one.per_step(sum.taken);
  const auto cost = price_of_taking(one, taking);
  const double least_share = on_device ? churn_share : share_on_host;
  if (turnover < least_turnover || bytes < many_bytes || one.share(sum_of(cost)) < least_share) return nothing_found();
  return found(
      TrainingCause::allocator_churn, cost,
      fmt::format(
          "{} allocated per step in {:.0f} blocks, {:.0f} times the memory in use; operators that allocate it{} take "
          "{} per step",
          format_bytes(bytes), one.per_step(sum.blocks), turnover,
          on_device ? " and kernels that fill it" : " and giving it back", time_text(one.per_step(sum_of(cost)))),
      "Allocate temporaries once and write into them (out=, in-place operators), and use an allocator that caches "
      "large blocks.");
}

}  // namespace

RuleOutcome look_for_churn(const TrainingCase& one) {
  if (!one.activity.expects_device) {
    if (one.activity.memory.empty()) return abstain("memory events (profile_memory=True)");
    return look_at_turnover(one, false);
  }
  std::int64_t runtime_calls = 0, calls = 0, mapped = 0;
  std::vector<TimeInterval> list;
  for (const HostSpan& span : one.activity.host) {
    if (is_call(span.role)) ++runtime_calls;
    if (span.role != Role::allocation || !one.is_in_steps(span.span.start)) continue;
    ++calls;
    if (maps_memory(one.trace.text(span.name))) ++mapped;
    list.push_back(span.span);
  }
  if (runtime_calls == 0) return abstain("calls of the device runtime (cudaMalloc, cudaFree)");
  if (!one.activity.has_device()) return abstain("device events (kernels)");
  const std::int64_t time = sum_of(by_step(unite(std::move(list)), one.steps));
  const auto cost = one.saved_by_program(
      {.host = host_cover(one.activity, {Role::allocation}), .allocation_waits = true, .scale = {}});
  if (one.per_step(calls) < allocation_calls || one.share(sum_of(cost)) < churn_share)
    return look_at_turnover(one, true);
  return found(
      TrainingCause::allocator_churn, cost,
      fmt::format(
          "{:.1f} calls per step allocate or free device memory and take {} per step; the device is idle for {} of it",
          one.per_step(calls), time_text(one.per_step(time)),
          time_text(one.per_step(sum_of(by_step(one.idle.allocation, one.steps))))),
      std::string("Allocate tensors once and reuse them, keep shapes the same from step to step, and do not call "
                  "empty_cache() in the loop") +
          (mapped > 0 ? "; segments that grow are given back where memory is short: use less of it (smaller batch, "
                        "checkpointing)."
                      : " (or set expandable_segments)."));
}

}  // namespace takt
