// Data starvation: the training loop waits for its next batch while nothing else goes on.
//
// A share alone would call a tiny model sick: handing over a batch that is ready costs a fraction of a millisecond to a
// few, and is a large part of a step that takes no longer itself. So a wait must also be long, or be most of the step.
// Workers that are too slow are waited for now and then: what such waits take beyond those of batches that were ready
// is never the price of handing over, nor are ten milliseconds in every step; these count from a twentieth of the
// steps. From another process a batch that is ready comes in one to two milliseconds, on a busy machine in more: of
// such loaders waits are long from twice as much on.
#include "base/statistics/statistics.h"
#include "training/diagnosis/rule_words.h"
#include "training/steps/operator_kinds.h"
#include "training/steps/period.h"

namespace takt {
namespace {

constexpr double starved_share = 0.10, mostly_starved_share = 0.40;
constexpr double long_wait_ns = 2e6, long_wait_for_process_ns = 4e6, noticed_wait_ns = 2e5;
constexpr double far_more = 3;  // than the others: a wait of every n-th step
constexpr std::size_t fewest_late = 3;
constexpr double noticed_share = 0.05;      // of the steps, where the wait cannot be that for a batch that is ready
constexpr double no_handing_over_ns = 1e7;  // nothing that is ready takes this long to hand over

/// What a step waits for a batch that is ready: a tenth of the steps wait no longer.
double ready_wait(const std::vector<std::int64_t>& by_step) {
  std::vector<double> sorted(by_step.begin(), by_step.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : percentile(sorted, 0.1);
}

bool is_long_in_a_quarter(const std::vector<std::int64_t>& by_step, double long_wait) {
  const auto long_ones = std::count_if(by_step.begin(), by_step.end(),
                                       [&](std::int64_t ns) { return static_cast<double>(ns) >= long_wait; });
  return long_ones > 0 && 4 * static_cast<std::size_t>(long_ones) >= by_step.size();
}

/// What runs inside the waits: of any thread, so that a loader's workers count where they are in the trace.
Intervals operators_anywhere(const Activity& activity) {
  std::vector<TimeInterval> list;
  for (const HostSpan& span : activity.host) {
    if (is_operator(span.role)) list.push_back(span.span);
  }
  return unite(std::move(list));
}

bool has_worker_threads(const Activity& activity) {
  return std::any_of(activity.host.begin(), activity.host.end(), [&](const HostSpan& span) {
    return is_operator(span.role) && !activity.trains[static_cast<std::size_t>(span.row)];
  });
}

/// PyTorch names the iterator: with workers in other processes the trace does not see them.
bool has_worker_processes(const TrainingCase& one) {
  return std::any_of(one.activity.host.begin(), one.activity.host.end(), [&](const HostSpan& span) {
    return span.role == Role::data_wait && one.trace.text(span.name).find("MultiProcessing") != std::string::npos;
  });
}

struct LoaderKind {
  std::string evidence, fix;
};

LoaderKind kind_of(const TrainingCase& one, const Intervals& waits) {
  const std::int64_t wait = total(waits).count();
  const double working = wait == 0
                             ? 0
                             : static_cast<double>(total(intersect(waits, operators_anywhere(one.activity))).count()) /
                                   static_cast<double>(wait);
  if (has_worker_processes(one)) {
    return {"the loader's workers are separate processes: the trace does not show whether they compute or wait for I/O",
            "Give the loader more workers (num_workers) or a larger prefetch_factor, and do per-item work once, before "
            "training."};
  }
  const bool is_seen = has_worker_threads(one.activity) || working > 0;
  if (is_seen && working >= 0.5) {
    return {fmt::format("CPU bound: operators run in {} of the wait", percent_text(working)),
            "Prepare batches in more worker processes (num_workers), or do the transformations once, before training."};
  }
  if (has_worker_threads(one.activity)) {
    return {
        fmt::format("I/O bound: operators run in only {} of the wait", percent_text(working)),
        "Prefetch with more workers (num_workers), use larger files, or keep the data in memory or on a faster disk."};
  }
  return {
      fmt::format(
          "operators run in {} of the wait; the rest is reading, decoding or the program's own code, which the trace "
          "does not distinguish",
          percent_text(working)),
      "Load batches in worker processes while the step runs: num_workers above 0, with prefetching."};
}

/// By step. Worker processes that start anew for each epoch take processors from the operators of that step, too; and
/// batches that are ready have to be handed over in any case.
std::vector<std::int64_t> price_of_late_steps(const TrainingCase& one, std::vector<std::int64_t> waited,
                                              const Period& period) {
  const auto is_late = [&](std::size_t step) {
    return std::binary_search(period.long_ones.begin(), period.long_ones.end(), step);
  };
  const auto usual_of_others = [&](const std::vector<std::int64_t>& by_step) {
    std::vector<std::int64_t> others;
    for (std::size_t i = 0; i < by_step.size(); ++i)
      if (!is_late(i)) others.push_back(by_step[i]);
    return at_fraction(others, 0.5);
  };
  const auto computed = part_by_step(one.breakdown, StepPart::host_compute);
  const std::int64_t usual_wait = usual_of_others(waited), usual_computing = usual_of_others(computed);
  for (std::size_t i = 0; i < waited.size(); ++i) {
    const std::int64_t slowed = is_late(i) ? std::max<std::int64_t>(0, computed[i] - usual_computing) : 0;
    waited[i] = std::max<std::int64_t>(0, waited[i] - usual_wait) + slowed;
  }
  return waited;
}

}  // namespace

RuleOutcome look_for_data_starvation(const TrainingCase& one) {
  const Intervals waits = host_cover(one.activity, {Role::data_wait});
  if (waits.empty()) return abstain("events of waits for batches ('enumerate(DataLoader)#…', or named data_wait)");
  const auto waited = part_by_step(one.breakdown, StepPart::data_wait);
  const std::int64_t sum = sum_of(waited);
  const double share = one.share(sum), wait = one.per_step(sum);
  const double long_wait = has_worker_processes(one) ? long_wait_for_process_ns : long_wait_ns;
  const bool is_often_long = is_long_in_a_quarter(waited, long_wait);
  const bool is_long = share >= starved_share && (wait >= long_wait || is_often_long);
  const bool is_most = share >= mostly_starved_share && wait >= noticed_wait_ns;
  const bool is_uneven = is_often_long && share * (1 - ready_wait(waited) / wait) >= noticed_share;
  const bool is_too_long = share >= noticed_share && wait >= no_handing_over_ns;
  if (!is_long && !is_most && !is_uneven && !is_too_long) return nothing_found();
  LoaderKind kind = kind_of(one, waits);
  auto cost = one.activity.has_device() ? one.saved_by_program({.host = waits, .scale = {}}) : waited;
  if (const auto period = period_of(waited, far_more); period && period->long_ones.size() >= fewest_late) {
    if (has_worker_processes(one) && !one.activity.has_device()) cost = price_of_late_steps(one, waited, *period);
    kind.evidence = fmt::format("every {} steps it waits long; ", period->length) + kind.evidence;
    if (has_worker_processes(one))
      kind.fix = fmt::format(
                     "Keep the workers from one epoch to the next if one has {0} steps (persistent_workers=True); "
                     "if there are {0} workers, all are late at once: ",
                     period->length) +
                 "give the loader more of them (num_workers), or do per-item work once, before training.";
  }
  return found(TrainingCause::data_starvation, std::move(cost),
               fmt::format("the training loop waits {} per step for its batch while nothing else runs; {}",
                           time_text(wait), kind.evidence),
               kind.fix);
}

}  // namespace takt
