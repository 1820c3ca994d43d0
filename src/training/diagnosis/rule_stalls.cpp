// Steps that are no steady ones: first ones, which start things, and every n-th one, which does something else, too (a
// checkpoint, a validation, a log).
#include <algorithm>
#include <optional>

#include "base/statistics/statistics.h"
#include "training/diagnosis/rule_words.h"
#include "training/steps/period.h"

namespace takt {
namespace {

constexpr double least_stall_share = 0.05;

std::string in_or_between(const std::string& place) { return place.starts_with("between") ? place : "in " + place; }

std::vector<std::int64_t> lengths_of(const Steps& steps) {
  std::vector<std::int64_t> lengths;
  for (const TrainingStep& step : steps.list) lengths.push_back(step.span.end - step.span.start);
  return lengths;
}

double usual_length(const std::vector<std::int64_t>& lengths) {
  const std::vector<double> values(lengths.begin(), lengths.end());
  return median(values).value_or(0);
}

/// The part of the breakdown in which a step exceeds the others most.
std::size_t longest_excess(const TrainingCase& one, std::size_t step) {
  std::array<std::int64_t, step_part_count> excess{};
  for (std::size_t part = 0; part < step_part_count; ++part) {
    std::vector<double> all;
    for (const auto& parts : one.breakdown.by_step) all.push_back(static_cast<double>(parts[part]));
    excess[part] = one.breakdown.by_step[step][part] - static_cast<std::int64_t>(median(all).value_or(0));
  }
  return static_cast<std::size_t>(std::max_element(excess.begin(), excess.end()) - excess.begin());
}

std::optional<Period> period_of_place(const OwnCode& place) {
  constexpr double far_more = 3;
  return period_of(place.by_step, far_more);
}

bool has(const Period& period, std::size_t step) {
  return std::binary_search(period.long_ones.begin(), period.long_ones.end(), step);
}

/// Whether in each of the long steps the program has more operators or calls than in all others.
bool do_more(const TrainingCase& one, const Period& period) {
  const auto& list = one.steps.list;
  std::vector<std::int64_t> events(list.size());
  for (const HostSpan& span : one.activity.host) {
    const auto after = std::upper_bound(list.begin(), list.end(), span.span.start,
                                        [](std::int64_t t, const TrainingStep& step) { return t < step.host.start; });
    if (after == list.begin() || span.span.start >= std::prev(after)->host.end) continue;
    ++events[static_cast<std::size_t>(after - list.begin()) - 1];
  }
  std::int64_t fewest = INT64_MAX, most_of_others = 0;
  for (std::size_t step = 0; step < events.size(); ++step) {
    std::int64_t& extreme = has(period, step) ? fewest : most_of_others;
    extreme = has(period, step) ? std::min(extreme, events[step]) : std::max(extreme, events[step]);
  }
  return fewest > most_of_others;
}

/// A few long steps may be so by chance, on a busy machine that computes itself above all: something that only they do
/// must be seen.
bool can_be_chance(const TrainingCase& one, const Period& period) {
  const std::size_t no_chance = one.activity.has_device() ? 3 : 5;
  if (period.long_ones.size() >= no_chance || do_more(one, period)) return false;
  return std::none_of(one.line.seldom.begin(), one.line.seldom.end(), [&](const OwnCode& place) {
    const auto of_place = period_of_place(place);
    return of_place && of_place->long_ones == period.long_ones;
  });
}

/// Steps that are clearly longer than the others, all by the same activity.
std::optional<Period> period_of_lengths(const TrainingCase& one, const std::vector<std::int64_t>& lengths) {
  constexpr double longer = 1.25;
  const auto period = period_of(lengths, longer);
  if (!period) return period;
  const std::size_t part = longest_excess(one, period->long_ones.front());
  // The same work on larger inputs is no other work; of passes that were annotated, it is a larger request.
  const bool is_of_device = part == static_cast<std::size_t>(StepPart::kernel) && one.activity.has_device();
  if (is_of_device && (one.steps.source == StepSource::annotation || !do_more(one, *period))) return std::nullopt;
  const bool is_alike = std::all_of(period->long_ones.begin(), period->long_ones.end(),
                                    [&](std::size_t step) { return longest_excess(one, step) == part; });
  return is_alike && !can_be_chance(one, *period) ? period : std::nullopt;
}

/// What of a long step another rule owns: waits for batches, and communication.
std::int64_t of_other_rules(const TrainingCase& one, std::size_t step) {
  const auto& parts = one.breakdown.by_step[step];
  return parts[static_cast<std::size_t>(StepPart::data_wait)] +
         parts[static_cast<std::size_t>(StepPart::communication)];
}

RuleOutcome stall(const Period& period, std::vector<std::int64_t> cost, const std::string& what) {
  const double each = static_cast<double>(sum_of(cost)) / static_cast<double>(period.long_ones.size());
  std::string evidence = fmt::format("every {} steps one takes {} longer; {}", period.length, time_text(each), what);
  return found(TrainingCause::periodic_stall, std::move(cost), std::move(evidence),
               "Write checkpoints and logs in another thread or process, validate less often, or do it between "
               "epochs.");
}

/// What the program does at one place of every n-th step: the most expensive one.
RuleOutcome look_for_places(const TrainingCase& one) {
  for (const OwnCode& place : one.line.seldom) {
    const auto period = period_of_place(place);
    if (!period) continue;
    auto cost = one.saved_by_program({.host = place.times, .scale = {}});
    if (one.share(sum_of(cost)) < least_stall_share) continue;
    return stall(*period, std::move(cost), "the time is " + in_or_between(place.name));
  }
  return nothing_found();
}

}  // namespace

RuleOutcome look_for_stalls(const TrainingCase& one) {
  constexpr std::size_t fewest = 4;
  if (one.steps.list.size() < fewest) return nothing_found();
  const std::vector<std::int64_t> lengths = lengths_of(one.steps);
  const auto period = period_of_lengths(one, lengths);
  if (!period) return look_for_places(one);
  std::vector<std::int64_t> others;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (!has(*period, i)) others.push_back(of_other_rules(one, i));
  const auto usual = static_cast<std::int64_t>(usual_length(lengths));
  const auto usual_other = static_cast<std::int64_t>(usual_length(others));
  std::vector<std::int64_t> cost(lengths.size());
  for (const std::size_t i : period->long_ones) {
    const std::int64_t foreign = std::max<std::int64_t>(0, of_other_rules(one, i) - usual_other);
    cost[i] = std::max<std::int64_t>(0, lengths[i] - usual - foreign);
  }
  if (one.share(sum_of(cost)) < least_stall_share) return nothing_found();
  for (const OwnCode& place : one.line.seldom) {
    const auto of_place = period_of_place(place);
    if (of_place && of_place->long_ones == period->long_ones)
      return stall(*period, std::move(cost), "the time is " + in_or_between(place.name));
  }
  const auto part = static_cast<StepPart>(longest_excess(one, period->long_ones.front()));
  return stall(*period, std::move(cost), fmt::format("most of it is {}", name_of(part)));
}

RuleOutcome look_for_warm_up(const TrainingCase& one) {
  const auto& first = one.steps.warm_up;
  if (first.empty()) return nothing_found();
  std::int64_t time = 0;
  for (const TrainingStep& step : first) time += step.span.end - step.span.start;
  const double usual = usual_length(lengths_of(one.steps));
  const double each = static_cast<double>(time) / static_cast<double>(first.size());
  return found(TrainingCause::warm_up, std::vector<std::int64_t>(one.steps.list.size(), 0),
               fmt::format("the first {} {}, {:.1f}x the typical step, and {} of all recorded steps; left out of all "
                           "other figures",
                           first.size() == 1 ? "step takes" : fmt::format("{} steps take", first.size()),
                           time_text(each) + (first.size() == 1 ? "" : " each"), each / std::max(1.0, usual),
                           percent_text(static_cast<double>(time) / static_cast<double>(time + one.breakdown.total))),
               "Nothing to fix in a long training; let the profiler's schedule skip these steps (wait, warmup).");
}

}  // namespace takt
