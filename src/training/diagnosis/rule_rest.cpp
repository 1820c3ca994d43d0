// What no rule explains. A device that is idle for a tenth of the time is a fault, whoever's it is.
#include <algorithm>
#include <array>

#include "training/diagnosis/rule_words.h"

namespace takt {
namespace {

constexpr double much_idle = 0.10;

struct Share {
  TrainingCause cause;
  const Intervals* times;
  std::string_view what;
};

std::int64_t unexplained_on_host(const TrainingCase& one) {
  const std::int64_t between_calls = [&] {
    std::int64_t sum = 0;
    for (const Stride& stride : one.line.strides)
      if (stride.rest <= one.line.long_from) sum += stride.rest;
    return sum;
  }();
  const std::int64_t idle = one.breakdown.sum(StepPart::idle) - between_calls - total(one.line.own_times()).count();
  return std::max<std::int64_t>(0, idle);
}

}  // namespace

double unexplained_share(const TrainingCase& one) {
  if (!one.activity.has_device()) return one.share(unexplained_on_host(one));
  return one.share(sum_of(by_step(unite(one.idle.seldom, one.idle.other), one.steps)));
}

RuleOutcome look_at_rest(const TrainingCase& one) {
  if (!one.activity.has_device() || one.share(total(one.idle.all()).count()) < much_idle) return nothing_found();
  const std::array<Share, 7> shares{{
      {TrainingCause::data_starvation, &one.idle.data_wait, "the training loop waits for its batch"},
      {TrainingCause::allocator_churn, &one.idle.allocation, "memory of the device is allocated or freed"},
      {TrainingCause::host_bound, &one.idle.own, "the program does something else"},
      {TrainingCause::host_synchronisation, &one.idle.synchronisation, "the program goes on after waiting for it"},
      {TrainingCause::tiny_kernels, &one.idle.launch, "the program launches one kernel after the other"},
      {TrainingCause::host_bound, &one.idle.seldom, "the program does something else, at changing places"},
      {TrainingCause::host_bound, &one.idle.other, "the trace shows nothing that it waits for"},
  }};
  const auto largest = std::max_element(
      shares.begin(), shares.end(), [](const Share& a, const Share& b) { return total(*a.times) < total(*b.times); });
  auto cost = by_step(*largest->times, one.steps);
  const std::string time = time_text(one.per_step(sum_of(cost)));
  return found(largest->cause, std::move(cost),
               fmt::format("the device is idle for {} of the time; for {} per step of it {}",
                           percent_text(one.share(total(one.idle.all()).count())), time, largest->what),
               "Record with with_stack=True and name parts of the loop with record_function() to see what the program "
               "does meanwhile.");
}

}  // namespace takt
