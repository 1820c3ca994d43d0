// What no rule explains. A device that is idle for a tenth of the time is a fault, whoever's it is.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "training/diagnosis/rule_words.h"
#include "training/steps/long_step.h"

namespace takt {
namespace {

constexpr double much_idle = 0.10;

struct Share {
  TrainingCause cause;
  const Intervals* times;
  std::string_view what;
};

/// All steps but a single slow one, which is told beside the verdicts.
class SteadySteps {
 public:
  explicit SteadySteps(const TrainingCase& one) : one_(one) {
    const auto slow = find_long_step(one.steps, one.breakdown);
    for (std::size_t i = 0; slow && i < one.steps.list.size(); ++i)
      if (one.steps.list[i].number == slow->number) left_out_ = i;
  }

  std::int64_t sum(std::vector<std::int64_t> by_step) const {
    if (left_out_) by_step[*left_out_] = 0;
    return sum_of(by_step);
  }
  std::int64_t sum(const Intervals& set) const { return sum(by_step(set, one_.steps)); }
  double share(std::int64_t time) const {
    std::vector<std::int64_t> lengths;
    for (const TrainingStep& step : one_.steps.list) lengths.push_back(step.span.end - step.span.start);
    const std::int64_t all = sum(std::move(lengths));
    return all == 0 ? 0 : static_cast<double>(time) / static_cast<double>(all);
  }
  std::vector<std::int64_t> costs(const Intervals& set) const {
    auto costs = by_step(set, one_.steps);
    if (left_out_) costs[*left_out_] = 0;
    return costs;
  }

 private:
  const TrainingCase& one_;
  std::optional<std::size_t> left_out_;
};

std::int64_t unexplained_on_host(const TrainingCase& one, const SteadySteps& steady) {
  std::vector<std::int64_t> between_calls(one.steps.list.size());
  for (const Stride& stride : one.line.strides) {
    if (stride.rest > one.line.long_from) continue;
    if (const auto step = one.step_at(stride.span.start)) between_calls[*step] += stride.rest;
  }
  const std::int64_t idle = steady.sum(part_by_step(one.breakdown, StepPart::idle)) -
                            steady.sum(std::move(between_calls)) - steady.sum(one.line.own_times()) -
                            steady.sum(one.line.allocation);
  return std::max<std::int64_t>(0, idle);
}

}  // namespace

double unexplained_share(const TrainingCase& one) {
  const SteadySteps steady(one);
  if (!one.activity.has_device()) return steady.share(unexplained_on_host(one, steady));
  return steady.share(steady.sum(unite(one.idle.seldom, one.idle.other)));
}

RuleOutcome look_at_rest(const TrainingCase& one) {
  const SteadySteps steady(one);
  const double idle = steady.share(steady.sum(one.idle.all()));
  if (!one.activity.has_device() || idle < much_idle) return nothing_found();
  const std::array<Share, 8> shares{{
      {TrainingCause::data_starvation, &one.idle.data_wait, "the training loop waits for its batch"},
      {TrainingCause::allocator_churn, &one.idle.allocation, "memory of the device is allocated or freed"},
      {TrainingCause::host_bound, &one.idle.queued, "work that was launched before does not begin"},
      {TrainingCause::host_bound, &one.idle.own, "the program does something else"},
      {TrainingCause::host_synchronisation, &one.idle.synchronisation, "the program goes on after waiting for it"},
      {TrainingCause::tiny_kernels, &one.idle.launch, "the program launches one kernel after the other"},
      {TrainingCause::host_bound, &one.idle.seldom, "the program does something else, at changing places"},
      {TrainingCause::host_bound, &one.idle.other, "the trace shows nothing that it waits for"},
  }};
  const auto largest = std::max_element(shares.begin(), shares.end(), [&](const Share& a, const Share& b) {
    return steady.sum(*a.times) < steady.sum(*b.times);
  });
  if (largest->times == &one.idle.queued) return nothing_found();
  auto cost = steady.costs(*largest->times);
  const std::string time = time_text(one.per_step(sum_of(cost)));
  const char* to_record =
      one.activity.host.empty() ? "Record the program, too (ProfilerActivity.CPU), to see what it does meanwhile."
      : one.activity.is_xla
          ? "Name parts of the loop with jax.profiler.TraceAnnotation() to see what the program does meanwhile."
          : "Record with with_stack=True and name parts of the loop with record_function() to see what the program "
            "does meanwhile.";
  return found(largest->cause, std::move(cost),
               fmt::format("the device is idle for {} of the time; for {} per step of it {}", percent_text(idle), time,
                           largest->what),
               to_record);
}

}  // namespace takt
