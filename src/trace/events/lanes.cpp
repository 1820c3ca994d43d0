#include "trace/events/lanes.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/memory/large_pages.h"

namespace takt {
namespace {

/// The lines of one row while its events arrive by start. As long as all nest, which is nearly always, one stack does.
class OpenLanes {
 public:
  std::uint32_t place(std::int64_t start, std::int64_t end) {
    if (is_single_) {
      auto& stack = ends_.empty() ? ends_.emplace_back() : ends_.front();
      while (!stack.empty() && stack.back() <= start) stack.pop_back();
      if (stack.empty() || end <= stack.back()) {
        stack.push_back(end);
        return 0;
      }
      is_single_ = false;
      open_.insert({stack.back(), 0});
    }
    return place_among_many(start, end);
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(ends_.size()); }

 private:
  std::uint32_t place_among_many(std::int64_t start, std::int64_t end) {
    close_until(start);
    const std::uint32_t lane = pick(end);
    ends_[lane].push_back(end);
    open_.insert({end, lane});
    return lane;
  }

  void close_until(std::int64_t start) {
    while (!open_.empty() && open_.begin()->first <= start) {
      const std::uint32_t lane = open_.begin()->second;
      open_.erase(open_.begin());
      ends_[lane].pop_back();
      if (ends_[lane].empty())
        free_.insert(lane);
      else
        open_.insert({ends_[lane].back(), lane});
    }
  }

  /// Takes the lane out of the index, under its old innermost end.
  std::uint32_t pick(std::int64_t end) {
    if (auto holder = open_.lower_bound({end, 0}); holder != open_.end()) {
      const std::uint32_t lane = holder->second;
      open_.erase(holder);
      return lane;
    }
    if (free_.empty()) {
      ends_.emplace_back();
      return count() - 1;
    }
    const std::uint32_t lane = *free_.begin();
    free_.erase(free_.begin());
    return lane;
  }

  std::vector<std::vector<std::int64_t>> ends_;            // per lane: ends of the open spans, innermost last
  std::set<std::pair<std::int64_t, std::uint32_t>> open_;  // innermost end and lane, of lanes with an open span
  std::set<std::uint32_t> free_;
  bool is_single_ = true;  // open_ and free_ are not kept yet
};

}  // namespace

Lanes assign_lanes(const Trace& trace) {
  const auto& events = trace.events();
  Lanes lanes;
  reserve_large(lanes.order, events.size());
  reserve_large(lanes.lane, events.size());
  lanes.order.resize(events.size());
  std::iota(lanes.order.begin(), lanes.order.end(), 0u);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (events[a].start_ns != events[b].start_ns) return events[a].start_ns < events[b].start_ns;
    return drawn_duration_ns(events[a]) > drawn_duration_ns(events[b]);
  };
  if (!std::is_sorted(lanes.order.begin(), lanes.order.end(), before)) {
    std::stable_sort(lanes.order.begin(), lanes.order.end(), before);
  }
  std::vector<OpenLanes> rows(trace.rows().size());
  lanes.lane.resize(events.size());
  for (std::uint32_t i : lanes.order) {
    const TraceEvent& event = events[i];
    lanes.lane[i] =
        rows[static_cast<std::size_t>(event.row)].place(event.start_ns, event.start_ns + drawn_duration_ns(event));
  }
  for (const OpenLanes& row : rows) lanes.count.push_back(std::max(1u, row.count()));
  return lanes;
}

}  // namespace takt
