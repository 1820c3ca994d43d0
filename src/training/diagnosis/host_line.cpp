#include "training/diagnosis/host_line.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>

#include "training/diagnosis/host_names.h"
#include "training/steps/operator_kinds.h"
#include "training/steps/period.h"

namespace takt {
namespace {

constexpr std::int64_t most_limit_ns = 1'000'000;

/// Where a stretch ends, and from where the next one begins.
struct StridePoint {
  std::int64_t start = 0, end = 0;
  bool is_wait = false;
};

bool is_training_row(const Activity& activity, const HostSpan& span) {
  return activity.trains[static_cast<std::size_t>(span.row)];
}

std::vector<StridePoint> points_of_launches(const Activity& activity, const std::vector<std::size_t>& blocked) {
  std::vector<StridePoint> points;
  for (std::size_t i = 0; i < activity.host.size(); ++i) {
    const HostSpan& span = activity.host[i];
    if (!is_training_row(activity, span)) continue;
    const bool waits = span.role == Role::synchronisation || std::binary_search(blocked.begin(), blocked.end(), i);
    if (waits) points.push_back({span.span.start, span.span.end, true});
    if (!waits && span.role == Role::launch) points.push_back({span.span.start, span.span.start, false});
  }
  return points;
}

/// Operators and what is none of the program's own code.
std::vector<StridePoint> points_of_operators(const Activity& activity) {
  std::vector<TimeInterval> spans;
  for (const HostSpan& span : activity.host) {
    const bool is_code = is_operator(span.role) || span.role == Role::data_wait;
    if (span.role == Role::collective || (is_code && is_training_row(activity, span))) spans.push_back(span.span);
  }
  std::vector<StridePoint> points;
  for (const TimeInterval& span : unite(std::move(spans))) points.push_back({span.start, span.end, false});
  return points;
}

std::int64_t without_covered(const Intervals& covered, TimeInterval span) {
  auto at = std::partition_point(covered.begin(), covered.end(),
                                 [&](const TimeInterval& one) { return one.end <= span.start; });
  std::int64_t rest = span.end - span.start;
  for (; at != covered.end() && at->start < span.end; ++at)
    rest -= std::min(at->end, span.end) - std::max(at->start, span.start);
  return rest;
}

std::vector<Stride> strides_between(const std::vector<StridePoint>& points, const Steps& steps,
                                    const Intervals& not_its_own) {
  std::vector<Stride> strides;
  std::int64_t from = steps.list.front().host.start;
  const std::int64_t until = std::max(steps.list.back().host.end, steps.list.back().span.end);
  bool after_wait = false;
  const auto close = [&](std::int64_t at) {
    const TimeInterval span{from, std::min(at, until)};
    if (span.end <= span.start) return;
    strides.push_back({span, without_covered(not_its_own, span), after_wait});
  };
  for (const StridePoint& point : points) {
    if (point.end < from) continue;
    close(point.start);
    if (point.start >= from || point.is_wait) after_wait = point.is_wait;
    from = std::max(from, point.end);
    if (from >= until) return strides;
  }
  close(steps.list.back().host.end);
  return strides;
}

/// Calls of a framework take a while each, more on a slow machine; what takes many times as long is no such call.
/// Where a step has few, as with graphs, what lies between them says nothing of the framework.
std::int64_t limit_of(const std::vector<Stride>& strides, std::size_t steps) {
  constexpr std::int64_t times_usual = 20, least_ns = 100'000;
  constexpr std::size_t few_per_step = 10;
  if (strides.size() < few_per_step * steps) return least_ns;
  std::vector<std::int64_t> lengths;
  for (const Stride& stride : strides)
    if (stride.rest > 0) lengths.push_back(stride.rest);
  if (lengths.empty()) return least_ns;
  return std::clamp(times_usual * at_fraction(lengths, 0.5), least_ns, most_limit_ns);
}

/// Long stretches by their place.
std::vector<OwnCode> places_of(const std::vector<const Stride*>& strides, const std::vector<PlaceName>& names,
                               const Steps& steps, const Intervals& not_its_own) {
  struct Place {
    std::string name;
    std::vector<TimeInterval> times;
    std::vector<std::int64_t> by_step;
  };
  std::map<std::string, Place> places;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    Place& place = places[names[i].key];
    if (place.name.empty()) place.name = names[i].shown;
    place.by_step.resize(steps.list.size());
    const TimeInterval span = strides[i]->span;
    const Intervals own = subtract({span}, clip(not_its_own, span));
    place.times.insert(place.times.end(), own.begin(), own.end());
    const auto after = std::upper_bound(steps.list.begin(), steps.list.end(), span.start,
                                        [](std::int64_t t, const TrainingStep& one) { return t < one.host.start; });
    const auto step = std::max<std::ptrdiff_t>(0, after - steps.list.begin() - 1);
    place.by_step[static_cast<std::size_t>(step)] += total(own).count();
  }
  std::vector<OwnCode> all;
  for (auto& [key, place] : places)
    all.push_back({place.name, unite(std::move(place.times)), std::move(place.by_step)});
  std::stable_sort(all.begin(), all.end(),
                   [](const OwnCode& a, const OwnCode& b) { return total(a.times) > total(b.times); });
  return all;
}

/// Whether half of the steps have at least half of what they have on average: else it is of few steps, or by chance.
bool is_of_most_steps(OwnCode place) {
  const std::int64_t sum = std::accumulate(place.by_step.begin(), place.by_step.end(), std::int64_t{0});
  const auto steps = static_cast<std::int64_t>(place.by_step.size());
  return 2 * steps * at_fraction(place.by_step, 0.5) >= sum;
}

/// What a set has of a step beyond its first `kept` ns there.
std::vector<TimeInterval> beyond(const Intervals& times, TimeInterval step, std::int64_t kept) {
  std::vector<TimeInterval> rest;
  for (TimeInterval one : clip(times, step)) {
    const std::int64_t here = std::min(kept, one.end - one.start);
    kept -= here;
    one.start += here;
    if (one.end > one.start) rest.push_back(one);
  }
  return rest;
}

/// Takes out of a place of most steps what every n-th step does there besides: a checkpoint behind each step's log.
OwnCode take_periodic_part(OwnCode& place, const Steps& steps) {
  constexpr double clearly_more = 1.25, far_more = 2;
  OwnCode part{place.name, {}, std::vector<std::int64_t>(place.by_step.size())};
  const auto period = period_of(place.by_step, clearly_more);
  if (!period) return part;
  // Two long steps may be so by chance.
  if (period->long_ones.size() < 3 && !period_of(place.by_step, far_more)) return part;
  std::vector<std::int64_t> others;
  for (std::size_t i = 0; i < place.by_step.size(); ++i)
    if (!std::binary_search(period->long_ones.begin(), period->long_ones.end(), i)) others.push_back(place.by_step[i]);
  const std::int64_t usual = at_fraction(others, 0.5);
  std::vector<TimeInterval> rest;
  for (const std::size_t i : period->long_ones) {
    const std::int64_t until = i + 1 < steps.list.size() ? steps.list[i + 1].host.start : INT64_MAX;
    const auto more = beyond(place.times, {steps.list[i].host.start, until}, usual);
    rest.insert(rest.end(), more.begin(), more.end());
    part.by_step[i] = place.by_step[i] - usual;
    place.by_step[i] = usual;
  }
  part.times = unite(std::move(rest));
  place.times = subtract(place.times, part.times);
  return part;
}

Intervals times_of(const std::vector<OwnCode>& places) {
  std::vector<TimeInterval> all;
  for (const OwnCode& place : places) all.insert(all.end(), place.times.begin(), place.times.end());
  return unite(std::move(all));
}

/// An operator that needs up to a millisecond to launch its work is still on the way to it.
void drop_operators_of_the_framework(std::vector<const Stride*>& strides, std::vector<PlaceName>& names) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (names[i].is_operator && strides[i]->rest <= most_limit_ns) continue;
    strides[kept] = strides[i];
    if (kept != i) names[kept] = std::move(names[i]);
    ++kept;
  }
  strides.resize(kept);
  names.resize(kept);
}

/// Those of libraries that exchange data through the memory of hosts; the others only launch kernels.
Intervals collectives_on_host(const Trace& trace, const Activity& activity) {
  std::vector<TimeInterval> list;
  for (const HostSpan& span : activity.host) {
    if (span.role != Role::collective) continue;
    const std::string& name = trace.text(span.name);
    if (name.starts_with("gloo:") || name.starts_with("mpi:")) list.push_back(span.span);
  }
  return unite(std::move(list));
}

/// Whether the trace tells what launched most kernels; else what the program did in between cannot be told.
bool has_launches(const Activity& activity) {
  std::unordered_set<std::int64_t> calls;
  std::size_t kernels = 0, launched = 0, launches = 0;
  for (const HostSpan& span : activity.host) {
    if (span.role != Role::launch) continue;
    ++launches;
    if (span.correlation != 0) calls.insert(span.correlation);
  }
  for (const DeviceSpan& work : activity.device) {
    if (work.role != Role::kernel) continue;
    ++kernels;
    launched += calls.contains(work.correlation) ? 1 : 0;
  }
  return calls.empty() ? launches > 0 : 2 * launched >= kernels;
}

}  // namespace

Intervals HostLine::own_times() const { return times_of(own); }
Intervals HostLine::seldom_times() const { return times_of(seldom); }

std::vector<std::size_t> blocked_calls(const Activity& activity) {
  constexpr std::int64_t times_usual = 20, least_ns = 200'000;
  std::vector<std::size_t> calls;
  if (!activity.has_device()) return calls;
  std::vector<std::int64_t> lengths;
  for (const HostSpan& span : activity.host)
    if (span.role == Role::launch) lengths.push_back(length_of(span));
  if (lengths.empty()) return calls;
  const std::int64_t limit = std::max(least_ns, times_usual * at_fraction(lengths, 0.5));
  const Intervals busy = device_cover(activity, {Role::kernel, Role::communication, Role::copy, Role::fill});
  for (std::size_t i = 0; i < activity.host.size(); ++i) {
    const HostSpan& span = activity.host[i];
    if (span.role != Role::launch || length_of(span) < limit || !is_training_row(activity, span)) continue;
    if (2 * without_covered(busy, span.span) <= length_of(span)) calls.push_back(i);
  }
  return calls;
}

HostLine host_line(const Trace& trace, const Activity& activity, const Steps& steps) {
  HostLine line;
  if (steps.list.empty()) return line;
  const std::vector<std::size_t> blocked = blocked_calls(activity);
  line.data = host_cover(activity, {Role::data_wait});
  line.allocation = activity.expects_device ? host_cover(activity, {Role::allocation}) : giving_back(activity);
  std::vector<TimeInterval> waits;
  for (const std::size_t i : blocked) waits.push_back(activity.host[i].span);
  line.waits = unite(host_cover(activity, {Role::synchronisation}), unite(std::move(waits)));
  if (activity.has_device()) line.collectives = collectives_on_host(trace, activity);
  const Intervals not_its_own = unite(unite(line.data, line.allocation), unite(line.waits, line.collectives));
  if (activity.has_device() && !has_launches(activity)) return line;
  line.strides =
      strides_between(activity.has_device() ? points_of_launches(activity, blocked) : points_of_operators(activity),
                      steps, not_its_own);
  line.long_from = limit_of(line.strides, activity.has_device() ? steps.list.size() : 0);
  std::vector<const Stride*> long_ones;
  std::vector<TimeInterval> spans;
  for (const Stride& stride : line.strides) {
    if (stride.rest <= line.long_from) continue;
    long_ones.push_back(&stride);
    spans.push_back(stride.span);
  }
  std::vector<PlaceName> names = names_of_places(trace, activity, spans);
  drop_operators_of_the_framework(long_ones, names);
  std::vector<TimeInterval> short_ones;
  for (std::size_t i = 0, next = 0; i < line.strides.size(); ++i) {
    const bool is_long = next < long_ones.size() && long_ones[next] == &line.strides[i];
    next += is_long ? 1 : 0;
    if (!is_long && !line.strides[i].after_wait) short_ones.push_back(line.strides[i].span);
  }
  line.launching = subtract(unite(std::move(short_ones)), not_its_own);
  for (OwnCode& place : places_of(long_ones, names, steps, not_its_own)) {
    const bool is_own = is_of_most_steps(place);
    if (OwnCode part = is_own ? take_periodic_part(place, steps) : OwnCode{}; !part.times.empty())
      line.seldom.push_back(std::move(part));
    (is_own ? line.own : line.seldom).push_back(std::move(place));
  }
  return line;
}

}  // namespace takt
