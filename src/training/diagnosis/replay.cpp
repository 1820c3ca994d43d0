#include "training/diagnosis/replay.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "training/diagnosis/host_line.h"
#include "training/steps/operator_kinds.h"

namespace takt {
namespace {

/// Position of the last step that begins by then, from 1 on; 0: none; one beyond the last: behind all steps.
std::size_t step_begun(const Steps& steps, std::int64_t time) {
  if (!steps.list.empty() && time >= steps.list.back().host.end) return steps.list.size() + 1;
  const auto after = std::upper_bound(steps.list.begin(), steps.list.end(), time,
                                      [](std::int64_t t, const TrainingStep& step) { return t < step.host.start; });
  return static_cast<std::size_t>(after - steps.list.begin());
}

/// How much of the program's time is taken out before a time.
class TakenOut {
 public:
  explicit TakenOut(const Intervals& set) : set_(set) {
    std::int64_t sum = 0;
    for (const TimeInterval& one : set) {
      before_.push_back(sum);
      sum += one.end - one.start;
    }
  }
  std::int64_t before(std::int64_t time) const {
    const auto after =
        std::partition_point(set_.begin(), set_.end(), [&](const TimeInterval& one) { return one.start < time; });
    if (after == set_.begin()) return 0;
    const auto at = static_cast<std::size_t>(after - set_.begin()) - 1;
    return before_[at] + std::min(set_[at].end, time) - set_[at].start;
  }

 private:
  const Intervals& set_;
  std::vector<std::int64_t> before_;
};

}  // namespace

/// One run through the graph.
class Replay::Run {
 public:
  Run(const Replay& graph, const Removal& removal) : graph_(graph), removal_(removal), taken_(removal.host) {
    ends_.resize(graph.works_.size());
    done_.assign(graph.steps_.list.size() + 2, INT64_MIN);
    std::size_t wait = 0;
    const auto& device = graph.activity_.device;
    for (std::size_t i = 0; i < device.size(); ++i) {
      for (; wait < graph.waits_.size() && graph.waits_[wait].end <= device[i].span.start; ++wait) pass(wait);
      work(i);
    }
    for (; wait < graph.waits_.size(); ++wait) pass(wait);
    for (std::size_t i = 1; i < done_.size(); ++i) done_[i] = std::max(done_[i], done_[i - 1]);
  }

  /// When the program is where it was at this time.
  std::int64_t host(std::int64_t time) const {
    const auto after = std::upper_bound(passed_.begin(), passed_.end(), time,
                                        [](std::int64_t t, const Anchor& anchor) { return t < anchor.recorded; });
    if (after == passed_.begin()) return time - taken_.before(time);
    const Anchor& anchor = *std::prev(after);
    return anchor.now + (time - anchor.recorded) - (taken_.before(time) - taken_.before(anchor.recorded));
  }
  /// When the work of the steps before this one is done.
  std::int64_t done_before(std::size_t step) const { return done_[step]; }

 private:
  struct Anchor {
    std::int64_t recorded = 0, now = 0;
  };

  void pass(std::size_t at) {
    const Wait& wait = graph_.waits_[at];
    const std::int64_t begun = host(wait.start);
    const bool is_dropped = wait.is_allocation ? removal_.allocation_waits : removal_.waits && !wait.is_blocked_launch;
    std::int64_t end = begun + wait.own;
    for (std::size_t i = wait.first; i < wait.last && !is_dropped; ++i)
      end = std::max(end, ends_[graph_.deps_[i].work] + graph_.deps_[i].lag);
    if (wait.is_allocation && is_dropped) end = begun;
    passed_.push_back({wait.end, end});
  }

  void work(std::size_t at) {
    const Work& one = graph_.works_[at];
    const DeviceSpan& span = graph_.activity_.device[at];
    std::int64_t start = INT64_MIN;
    if (one.has_launch) start = std::max(start, host(one.launch) + one.lag_launch);
    if (one.before != none) start = std::max(start, ends_[one.before] + one.lag_before);
    if (one.other != none) start = std::max(start, ends_[one.other] + one.lag_other);
    if (start == INT64_MIN) start = span.span.start;
    const std::int64_t length = span.span.end - span.span.start;
    const double remains = removal_.scale ? removal_.scale(span) : 1;
    ends_[at] = start + (remains >= 1 ? length : static_cast<std::int64_t>(remains * static_cast<double>(length)));
    if (one.has_launch) done_[one.step] = std::max(done_[one.step], ends_[at]);
  }

  const Replay& graph_;
  const Removal& removal_;
  TakenOut taken_;
  std::vector<std::int64_t> ends_, done_;
  std::vector<Anchor> passed_;
};

Replay::Replay(const Activity& activity, const Steps& steps)
    : activity_(activity), steps_(steps), works_(activity.device.size()) {
  by_end_.resize(works_.size());
  std::iota(by_end_.begin(), by_end_.end(), std::size_t{0});
  std::stable_sort(by_end_.begin(), by_end_.end(), [&](std::size_t a, std::size_t b) {
    return activity.device[a].span.end < activity.device[b].span.end;
  });
  if (!steps.is_misplaced) {
    join_launches();
    join_works();
    join_waits();
  }
  baseline_ = lengths({});
}

void Replay::join_launches() {
  std::unordered_map<std::int64_t, std::int64_t> launches;
  for (const HostSpan& call : activity_.host)
    if (call.correlation != 0 && call.role != Role::synchronisation)
      launches.try_emplace(call.correlation, call.span.start);
  std::map<RowId, std::size_t> last;
  std::vector<std::int64_t> delays;  // on a stream that was free
  for (std::size_t i = 0; i < works_.size(); ++i) {
    const DeviceSpan& span = activity_.device[i];
    Work& work = works_[i];
    if (const auto before = last.find(span.row); before != last.end()) work.before = before->second;
    last[span.row] = i;
    const auto launch = launches.find(span.correlation);
    if (span.correlation == 0 || launch == launches.end()) continue;
    work.has_launch = true;
    work.launch = launch->second;
    work.step = step_begun(steps_, work.launch);
    const bool was_free = work.before == none || activity_.device[work.before].span.end <= work.launch;
    if (was_free && span.span.start >= work.launch) delays.push_back(span.span.start - work.launch);
  }
  latency_ = delays.empty() ? 5'000 : at_fraction(delays, 0.25);
}

std::size_t Replay::other_stream_before(std::size_t at) const {
  constexpr std::int64_t close_ns = 50'000;
  constexpr int most_looked_at = 32;
  const std::int64_t start = activity_.device[at].span.start;
  auto after = std::upper_bound(by_end_.begin(), by_end_.end(), start,
                                [&](std::int64_t t, std::size_t i) { return t < activity_.device[i].span.end; });
  for (int looked = 0; after != by_end_.begin() && looked < most_looked_at; ++looked) {
    const std::size_t candidate = *--after;
    const DeviceSpan& span = activity_.device[candidate];
    if (span.span.end < start - close_ns) return none;
    if (span.row != activity_.device[at].row && candidate < at) return candidate;
  }
  return none;
}

void Replay::join_works() {
  constexpr std::int64_t unexplained_ns = 10'000;
  for (std::size_t i = 0; i < works_.size(); ++i) {
    Work& work = works_[i];
    const std::int64_t start = activity_.device[i].span.start;
    const std::int64_t launched = work.has_launch ? work.launch + latency_ : INT64_MIN;
    const std::int64_t free = work.before == none ? INT64_MIN : activity_.device[work.before].span.end;
    if (work.has_launch) work.lag_launch = std::min(latency_, start - work.launch);
    if (work.before != none) work.lag_before = std::min<std::int64_t>(0, start - free);
    const std::int64_t ready = std::max(launched, free);
    if (ready != INT64_MIN && start - ready > unexplained_ns) work.other = other_stream_before(i);
    if (work.other != none) {
      work.lag_other = start - activity_.device[work.other].span.end;
    } else if (work.has_launch && launched >= free) {
      work.lag_launch = start - work.launch;
    } else if (work.before != none) {
      work.lag_before = start - free;
    }
  }
}

void Replay::collect_waits() {
  const std::vector<std::size_t> blocked = blocked_calls(activity_);
  for (std::size_t i = 0; i < activity_.host.size(); ++i) {
    const HostSpan& span = activity_.host[i];
    if (!activity_.trains[static_cast<std::size_t>(span.row)]) continue;
    const bool is_blocked = std::binary_search(blocked.begin(), blocked.end(), i);
    if (span.role != Role::synchronisation && span.role != Role::allocation && !is_blocked) continue;
    waits_.push_back({span.span.start, span.span.end, length_of(span), span.role == Role::allocation, is_blocked});
  }
}

void Replay::join_waits() {
  collect_waits();
  const auto launched = [&](std::size_t i) {
    return works_[i].has_launch ? works_[i].launch : activity_.device[i].span.start;
  };
  std::vector<std::size_t> by_launch(works_.size());
  std::iota(by_launch.begin(), by_launch.end(), std::size_t{0});
  std::stable_sort(by_launch.begin(), by_launch.end(),
                   [&](std::size_t a, std::size_t b) { return launched(a) < launched(b); });
  std::sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) { return a.start < b.start; });
  std::map<RowId, std::size_t> last;  // by stream, the work that was launched last before the wait
  std::size_t next = 0;
  for (Wait& wait : waits_) {
    const std::int64_t upto = wait.is_blocked_launch || wait.is_allocation ? wait.end : wait.start;
    for (; next < by_launch.size() && launched(by_launch[next]) < upto; ++next)
      last[activity_.device[by_launch[next]].row] = by_launch[next];
    join_wait(wait, last);
  }
  std::stable_sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) { return a.end < b.end; });
}

void Replay::join_wait(Wait& wait, const std::map<RowId, std::size_t>& last) {
  constexpr std::int64_t own_cost_ns = 10'000;
  constexpr std::size_t most_streams = 16;
  constexpr int most_back = 64;
  const auto end_of = [&](std::size_t work) { return activity_.device[work].span.end; };
  wait.first = wait.last = deps_.size();
  std::int64_t latest = INT64_MIN;
  for (const auto& [row, last_work] : last) {
    // Of a stream that went on, an event in it may have been waited for: its work that was done just then.
    std::size_t work = last_work;
    for (int back = 0; work != none && end_of(work) > wait.end; ++back)
      work = back < most_back ? works_[work].before : none;
    if (work == none || deps_.size() - wait.first >= most_streams) continue;
    if (work != last_work && end_of(work) <= wait.start) continue;
    deps_.push_back({work, 0});
    latest = std::max(latest, end_of(work));
  }
  if (latest <= wait.start) {
    // Taking and freeing memory of a device waits for it, even if it had nothing to do then.
    wait.last = deps_.size();
    for (std::size_t i = wait.first; i < wait.last && wait.is_allocation; ++i) deps_[i].lag = wait.own;
    return;
  }
  wait.last = deps_.size();
  wait.own = std::min(wait.end - wait.start, wait.is_allocation ? wait.end - latest : own_cost_ns);
  for (std::size_t i = wait.first; i < wait.last; ++i)
    if (end_of(deps_[i].work) == latest) deps_[i].lag = wait.end - latest;
}

std::vector<std::int64_t> Replay::lengths(const Removal& removal) const {
  const Run run(*this, removal);
  const auto& list = steps_.list;
  std::vector<std::int64_t> starts, ends;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool touches = i + 1 < list.size() && list[i + 1].host.start == list[i].host.end;
    starts.push_back(std::max(run.host(list[i].host.start), run.done_before(i)));
    ends.push_back(std::max(run.host(touches ? list[i + 1].host.start : list[i].host.end), run.done_before(i + 1)));
  }
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::int64_t end = i + 1 < list.size() ? std::min(ends[i], std::max(starts[i], starts[i + 1])) : ends[i];
    lengths.push_back(end - starts[i]);
  }
  return lengths;
}

bool Replay::knows_launches() const {
  const auto known = std::count_if(works_.begin(), works_.end(), [](const Work& work) { return work.has_launch; });
  return 2 * known >= std::ssize(works_);
}

std::vector<std::int64_t> Replay::saved_without(const Removal& removal) const {
  std::vector<std::int64_t> saved = lengths(removal);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < saved.size(); ++i) {
    saved[i] = baseline_[i] - saved[i];
    sum += saved[i];
  }
  if (sum <= 0) saved.assign(saved.size(), 0);
  return saved;
}

}  // namespace takt
