#include "training/steps/step_path.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "training/steps/breakdown.h"
#include "training/steps/operator_kinds.h"

namespace takt {
namespace {

using PathTimes = std::array<std::int64_t, path_link_count>;

/// A piece of a device's work with what it may have waited for.
struct LinkedWork {
  const DeviceSpan* work = nullptr;
  std::optional<std::size_t> before;  // on its stream, by position
  const HostSpan* launch = nullptr;
};

PathLink link_of(Role role) {
  if (role == Role::kernel) return PathLink::kernel;
  return role == Role::communication ? PathLink::communication : PathLink::memory_copy;
}

class PathWalk {
 public:
  explicit PathWalk(const Activity& activity) : activity_(activity) {
    std::unordered_map<std::int64_t, const HostSpan*> launches;
    for (const HostSpan& span : activity.host) {
      if (span.role == Role::launch && span.correlation != 0) launches[span.correlation] = &span;
      if (span.role == Role::synchronisation && trains(span)) waits_.push_back(&span);
    }
    std::stable_sort(waits_.begin(), waits_.end(),
                     [](const HostSpan* a, const HostSpan* b) { return a->span.end < b->span.end; });
    std::map<RowId, std::size_t> last;
    for (std::size_t i = 0; i < activity.device.size(); ++i) {
      const DeviceSpan& work = activity.device[i];
      LinkedWork& linked = works_.emplace_back();
      linked.work = &work;
      if (const auto found = last.find(work.row); found != last.end()) linked.before = found->second;
      last[work.row] = i;
      if (const auto found = launches.find(work.correlation); found != launches.end()) linked.launch = found->second;
      ends_.push_back(i);
    }
    std::stable_sort(ends_.begin(), ends_.end(),
                     [&](std::size_t a, std::size_t b) { return works_[a].work->span.end < works_[b].work->span.end; });
    data_ = host_cover(activity, {Role::data_wait});
    calls_ =
        host_cover(activity, {Role::launch, Role::allocation, Role::loading, Role::runtime, Role::synchronisation});
    reads_ = host_cover(activity, {Role::scalar_read});
    tiny_ = tiny_operators(activity);
    memory_ = memory_operators(activity);
    operators_ = host_cover(activity, {Role::op});
  }

  /// What is on the path from the end of `span` back to its start.
  std::array<Intervals, path_link_count> walk(TimeInterval span) {
    start_ = span.start;
    std::int64_t now = span.end;
    // The last step may end with work of a device that nothing waited for.
    std::optional<std::size_t> work = last_work_before(now);
    if (work && works_[*work].work->span.end < now) work.reset();
    // Moments without length may wait for each other in a circle; then the rest is the program's.
    constexpr int most_without_progress = 64;
    for (int stuck = 0; now > start_ && stuck < most_without_progress;) {
      const std::int64_t next = work ? along_device(work, now) : along_program(work, now);
      stuck = next < now ? 0 : stuck + 1;
      now = next;
    }
    add_program(start_, now);
    std::array<Intervals, path_link_count> links;
    for (std::size_t i = 0; i < path_link_count; ++i) links[i] = unite(std::move(stretches_[i]));
    return links;
  }

 private:
  bool trains(const HostSpan& span) const { return activity_.trains[static_cast<std::size_t>(span.row)]; }

  /// Adds what lies between `from` (or the start) and `now`.
  std::int64_t add(PathLink link, std::int64_t from, std::int64_t now) {
    from = std::clamp(from, start_, now);
    stretches_[static_cast<std::size_t>(link)].push_back({from, now});
    return from;
  }

  std::optional<std::size_t> last_work_before(std::int64_t time) const {
    const auto after = std::upper_bound(ends_.begin(), ends_.end(), time,
                                        [&](std::int64_t t, std::size_t i) { return t < works_[i].work->span.end; });
    return after == ends_.begin() ? std::nullopt : std::optional(*std::prev(after));
  }

  /// Back to the call that waited last for work that ended while it waited; then `work` is that.
  std::int64_t along_program(std::optional<std::size_t>& work, std::int64_t now) {
    auto wait = std::upper_bound(waits_.begin(), waits_.end(), now,
                                 [](std::int64_t t, const HostSpan* span) { return t < span->span.end; });
    while (wait != waits_.begin()) {
      const TimeInterval call = (*--wait)->span;
      if (call.end <= start_) break;
      const auto done = last_work_before(call.end);
      if (!done || works_[*done].work->span.end <= call.start) continue;
      add_program(call.end, now);
      work = done;
      return add(PathLink::wait_return, works_[*done].work->span.end, call.end);
    }
    add_program(start_, now);
    return start_;
  }

  void add_all(PathLink link, const Intervals& set) {
    auto& stretches = stretches_[static_cast<std::size_t>(link)];
    stretches.insert(stretches.end(), set.begin(), set.end());
  }

  void add_program(std::int64_t from, std::int64_t to) {
    if (to <= from) return;
    Intervals left{{from, to}};
    for (const auto& [link, set] :
         {std::pair{PathLink::data_wait, &data_}, std::pair{PathLink::launch, &calls_},
          std::pair{PathLink::scalar_read, &reads_}, std::pair{PathLink::tiny_operators, &tiny_},
          std::pair{PathLink::memory_operators, &memory_}, std::pair{PathLink::host_compute, &operators_}}) {
      const Intervals part = intersect(left, near(*set, from, to));
      add_all(link, part);
      left = subtract(left, part);
    }
    add_all(PathLink::host_other, left);
  }

  /// The part of a long set that matters.
  static Intervals near(const Intervals& set, std::int64_t from, std::int64_t to) {
    const auto first =
        std::partition_point(set.begin(), set.end(), [&](const TimeInterval& i) { return i.end <= from; });
    const auto last = std::partition_point(first, set.end(), [&](const TimeInterval& i) { return i.start < to; });
    return {first, last};
  }

  /// The work that was done last before this one began: on its own stream, or on another one, as streams wait for each
  /// other's events. What was done within 5 µs on its own stream is the likelier reason.
  std::optional<std::size_t> held_up_by(std::size_t at) const {
    constexpr std::int64_t close_ns = 5'000;
    const auto& own = works_[at].before;
    const auto latest = last_work_before(works_[at].work->span.start);
    if (!latest || *latest == at) return own;
    const std::int64_t end = works_[*latest].work->span.end;
    return own && works_[*own].work->span.end + close_ns >= end ? own : latest;
  }

  /// Back over one piece of work, and to what it waited for.
  std::int64_t along_device(std::optional<std::size_t>& work, std::int64_t now) {
    const LinkedWork& linked = works_[*work];
    const TimeInterval span = linked.work->span;
    now = add(link_of(linked.work->role), span.start, now);
    const std::int64_t launched = linked.launch == nullptr ? INT64_MIN : linked.launch->span.end;
    const std::optional<std::size_t> earlier = held_up_by(*work);
    const std::int64_t before = earlier ? works_[*earlier].work->span.end : INT64_MIN;
    if (launched == INT64_MIN && before == INT64_MIN) {
      work.reset();
      return now;
    }
    // What came later held it up. A launch may return after its work began, and streams may overlap: never go forward.
    if (launched > before) {
      work.reset();
      return add(PathLink::launch_delay, std::min(launched, now), now);
    }
    work = earlier;
    return add(PathLink::device_gap, std::min(before, now), now);
  }

  const Activity& activity_;
  std::vector<const HostSpan*> waits_;  // by their end
  std::vector<LinkedWork> works_;       // as in the activity
  std::vector<std::size_t> ends_;       // positions by the end of the work
  Intervals data_, calls_, reads_, tiny_, memory_, operators_;
  std::int64_t start_ = 0;
  std::array<std::vector<TimeInterval>, path_link_count> stretches_{};
};

}  // namespace

std::string_view name_of(PathLink link) {
  constexpr std::string_view names[path_link_count] = {
      "kernel", "memory_copy", "communication",  "launch_delay",     "device_gap",   "wait_return", "data_wait",
      "launch", "scalar_read", "tiny_operators", "memory_operators", "host_compute", "host_other"};
  return names[static_cast<std::size_t>(link)];
}

std::vector<std::array<std::int64_t, path_link_count>> step_paths(const Activity& activity, const Steps& steps) {
  std::vector<PathTimes> paths(steps.list.size());
  if (paths.empty()) return paths;
  const auto links = PathWalk(activity).walk({steps.list.front().span.start, steps.list.back().span.end});
  for (std::size_t link = 0; link < path_link_count; ++link) {
    const std::vector<std::int64_t> times = by_step(links[link], steps);
    for (std::size_t i = 0; i < times.size(); ++i) paths[i][link] = times[i];
  }
  return paths;
}

}  // namespace takt
