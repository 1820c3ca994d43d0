// What only the whole file shows: which events an arrow joins, which rows there are.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "trace/perfetto/events.h"

namespace takt::perfetto {
namespace {

/// The state of an arrow's number while its ends are walked through in time.
struct OpenArrow {
  std::uint64_t number = 0;
  std::size_t last = 0;  // of the joined ends: the one that would lead on
};

}  // namespace

/// takt draws a negative duration as 0 and tells the recorded one in a last argument.
void EventCollector::restore_negative_durations() {
  for (const std::uint32_t number : negatives_) {
    TraceEvent& event = events_[number];
    std::vector<TraceArg> args;
    for (const TraceArg arg : trace_.args(event)) args.push_back(arg);
    if (args.empty() || trace_.text(args.back().key) != "recorded_duration_ns") continue;
    const auto* recorded = std::get_if<std::int64_t>(&args.back().value);
    if (event.duration_ns != 0 || recorded == nullptr || *recorded >= 0) continue;
    event.duration_ns = *recorded;
    args.pop_back();
    event.args = trace_.add_args(std::span<const TraceArg>(args));
  }
}

/// A number is free again once its arrow has ended, and another arrow may take it; a Trace keeps numbers apart.
void EventCollector::join_flows() {
  std::stable_sort(flows_.begin(), flows_.end(), [](const FlowEnd& a, const FlowEnd& b) { return a.time < b.time; });
  std::unordered_set<std::uint64_t> used;
  for (const FlowEnd& end : flows_) used.insert(end.number);
  std::unordered_map<std::uint64_t, OpenArrow> open;
  std::unordered_set<std::uint64_t> begun;
  std::uint64_t next = std::uint64_t{1} << 45;
  std::vector<TraceFlow> joined;
  for (const FlowEnd& end : flows_) {
    std::optional<std::uint32_t> event = end.event;
    if ((end.event & end_bit) != 0) event = pairs_.closed_by(end.event & ~end_bit);
    if (!event) continue;
    const auto found = open.find(end.number);
    const bool is_open = found != open.end();
    std::uint64_t number = is_open ? found->second.number : end.number;
    if (!is_open && !end.ends_here && !begun.insert(end.number).second) {
      while (!used.insert(next).second) ++next;
      number = next;
    }
    if (!end.ends_here || !is_open || end.is_legacy_in) {
      if (!end.ends_here) open[end.number] = {number, joined.size()};
    } else {
      open.erase(found);
    }
    joined.push_back({static_cast<EventId>(*event), number, is_open || end.ends_here, !end.ends_here});
  }
  // The last event of a chain that was never ended leads nowhere.
  for (const auto& [wire, arrow] : open) {
    if (joined[arrow.last].in) joined[arrow.last].out = false;
  }
  std::stable_sort(joined.begin(), joined.end(),
                   [](const TraceFlow& a, const TraceFlow& b) { return a.event < b.event; });
  for (const TraceFlow& flow : joined) trace_.add_flow(flow.event, flow.bind_id, flow.in, flow.out);
}

void EventCollector::add_samples() {
  for (const Sample& sample : samples_) {
    const StringId name = sample.name != StringId{} ? sample.name : tracks_[sample.track].name;
    trace_.add_counter({sample.time, sample.value, name, tracks_.process(sample.track)});
  }
}

void EventCollector::finish(bool fold_lanes, FaultList& faults) {
  tracks_.add_to(trace_, fold_lanes);
  pairs_.finish(trace_, faults);
  restore_negative_durations();
  for (TraceEvent& event : events_) event.row = tracks_.row(static_cast<std::uint32_t>(event.row));
  trace_.take_events(std::move(events_));
  join_flows();
  for (chrome::PlacedMark& mark : arrows_) mark.row = tracks_.row(static_cast<std::uint32_t>(mark.row));
  chrome::bind_flows(trace_, arrows_, false, faults);
  chrome::find_lone_flows(trace_, faults);
  add_samples();
}

}  // namespace takt::perfetto
