#include "trace/perfetto/pairs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/memory/large_pages.h"
#include "trace/chrome/marks.h"

namespace takt::perfetto {
namespace {

std::uint64_t order_of(std::int64_t time) {
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0));
}

}  // namespace

void SlicePairs::expect(std::size_t events) { reserve_large(links_, events); }

std::uint32_t SlicePairs::bring(std::span<const TraceArg> args) {
  brought_.push_back({{args.begin(), args.end()}, std::nullopt});
  return static_cast<std::uint32_t>(brought_.size() - 1);
}

void SlicePairs::begin() {
  const std::uint32_t event = position() - 1;
  const auto track = static_cast<std::uint32_t>(events_[event].row);
  if (is_sorted_)
    pair({events_[event].start_ns, track, event});
  else
    marks_.push_back({events_[event].start_ns, track, event});
}

void SlicePairs::end(std::uint32_t track, std::int64_t time, std::uint32_t brought) {
  const Mark mark{time, track, end_bit | brought};
  if (is_sorted_)
    pair(mark);
  else
    marks_.push_back(mark);
}

void SlicePairs::pair(const Mark& mark) {
  std::uint32_t& open = tracks_[mark.track].open_slice;
  if ((mark.event & end_bit) == 0) {
    if (links_.size() <= mark.event) links_.resize(mark.event + std::size_t{1});
    links_[mark.event] = std::exchange(open, mark.event + 1);
  } else if (open == 0) {
    lone_ends_.push_back({mark, position()});
  } else {
    const std::uint32_t event = open - 1;
    open = std::exchange(links_[event], position());
    events_[event].duration_ns = mark.time - events_[event].start_ns;
    if (const std::uint32_t brought = mark.event & ~end_bit; brought != 0) brought_[brought].event = event;
  }
}

/// The ends so far with the count of events that each came after, in the order of the file as far as it matters: on one
/// track ends between the same two events close the innermost first, and lone ones come when nothing is open.
std::vector<SlicePairs::PlacedEnd> SlicePairs::past_ends() const {
  std::vector<std::uint32_t> brought_by(events_.size());
  for (std::uint32_t i = 1; i < brought_.size(); ++i) {
    if (brought_[i].event) brought_by[*brought_[i].event] = i;
  }
  std::vector<PlacedEnd> ends;
  for (auto event = static_cast<std::uint32_t>(links_.size()); event-- > 0;) {
    if (links_[event] == 0 || links_[event] == still_open) continue;
    const TraceEvent& closed = events_[event];
    ends.push_back(
        {{closed.start_ns + closed.duration_ns, static_cast<std::uint32_t>(closed.row), end_bit | brought_by[event]},
         links_[event]});
  }
  ends.insert(ends.end(), lone_ends_.begin(), lone_ends_.end());
  std::stable_sort(ends.begin(), ends.end(),
                   [](const PlacedEnd& a, const PlacedEnd& b) { return a.position < b.position; });
  return ends;
}

void SlicePairs::times_go_back() {
  if (!std::exchange(is_sorted_, false)) return;
  for (std::uint32_t track = 0; track < tracks_.size(); ++track) {
    std::uint32_t open = std::exchange(tracks_[track].open_slice, 0);
    while (open != 0) open = std::exchange(links_[open - 1], still_open);
  }
  const std::vector<PlacedEnd> ends = past_ends();
  auto end = ends.begin();
  for (std::uint32_t event = 0; event < links_.size(); ++event) {
    for (; end != ends.end() && end->position <= event; ++end) marks_.push_back(end->mark);
    if (links_[event] == 0) continue;
    marks_.push_back({events_[event].start_ns, static_cast<std::uint32_t>(events_[event].row), event});
    events_[event].duration_ns = 0;
  }
  for (; end != ends.end(); ++end) marks_.push_back(end->mark);
  for (Brought& brought : brought_) brought.event.reset();
  lone_ends_.clear();
  links_.clear();
}

void SlicePairs::finish(Trace& trace, FaultList& faults) {
  std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) { return a.time < b.time; });
  for (const Mark& mark : marks_) pair(mark);
  for (const auto& [mark, position] : lone_ends_) {
    faults.add(TraceRule::unmatched_end, order_of(mark.time),
               [&, &lone = mark] { return chrome::place_of(trace, tracks_.row(lone.track), {}, lone.time); });
  }
  close_open_ones(trace, faults);
  add_brought(trace);
}

/// What never ends lasts until the last time of the file.
void SlicePairs::close_open_ones(const Trace& trace, FaultList& faults) {
  const auto is_open = [&](std::uint32_t track) { return tracks_[track].open_slice != 0; };
  std::uint32_t track = 0;
  while (track < tracks_.size() && !is_open(track)) ++track;
  if (track == tracks_.size()) return;
  std::int64_t last = 0;
  for (const TraceEvent& event : events_) last = std::max(last, event.start_ns + event.duration_ns);
  for (const PlacedEnd& end : lone_ends_) last = std::max(last, end.mark.time);
  for (; track < tracks_.size(); ++track) {
    std::uint32_t open = std::exchange(tracks_[track].open_slice, 0);
    while (open != 0) {
      TraceEvent& event = events_[open - 1];
      event.duration_ns = last - event.start_ns;
      faults.add(TraceRule::unmatched_begin, order_of(event.start_ns),
                 [&] { return chrome::place_of(trace, tracks_.row(track), event.name, event.start_ns); });
      open = links_[open - 1];
    }
  }
}

void SlicePairs::add_brought(Trace& trace) {
  for (const Brought& brought : brought_) {
    if (!brought.event || brought.args.empty()) continue;
    TraceEvent& closed = events_[*brought.event];
    std::vector<TraceArg> args;
    for (const TraceArg arg : trace.args(closed)) args.push_back(arg);
    args.insert(args.end(), brought.args.begin(), brought.args.end());
    closed.args = trace.add_args(std::span<const TraceArg>(args));
  }
}

}  // namespace takt::perfetto
