#include "report/timelines/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/table/number_form.h"
#include "report/timelines/timeline_extras.h"
#include "report/timelines/work_kinds.h"
#include "trace/events/lanes.h"
#include "training/steps/roles.h"

namespace takt {
namespace {

/// Names as the page has them: a text of one kind once, the most frequent first, whose places are short numbers.
class TimelineNames {
 public:
  TimelineNames(const Trace& trace, std::span<const std::string> stages) : trace_(trace), stages_(stages) {}

  struct Known {
    std::uint32_t place = 0;
    bool is_device = false;  ///< what is called so runs on a device
  };

  const Known& of(const TraceEvent& event) {
    const auto key = static_cast<std::uint64_t>(event.category) << 32 | static_cast<std::uint64_t>(event.name);
    const auto [found, is_new] = known_.try_emplace(key);
    if (is_new) found->second = add(trace_.text(event.category), trace_.text(event.name));
    ++counts_[found->second.place];
    return found->second;
  }

  /// Gives the timeline its names and kinds, and its spans the new places of their names.
  void finish(ReportTimeline& timeline) {
    std::vector<std::uint32_t> order(names_.size()), place(names_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return counts_[a] > counts_[b]; });
    for (std::uint32_t at = 0; at < order.size(); ++at) {
      place[order[at]] = at;
      timeline.names.push_back(std::move(names_[order[at]]));
    }
    timeline.kinds = std::move(kinds_);
    for (ReportRow& row : timeline.rows)
      for (ReportLevel& level : row.levels)
        for (ReportSpan& span : level) span.name = place[span.name];
  }

 private:
  Known add(const std::string& category, const std::string& name) {
    const auto stage = std::find(stages_.begin(), stages_.end(), name);
    const bool is_stage = stage != stages_.end();
    const std::uint32_t kind =
        place_of(is_stage ? kind_of_stage(static_cast<std::size_t>(stage - stages_.begin()), name)
                          : kind_of_work(category, name));
    const auto [found, is_new] = places_.try_emplace({name, kind}, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back({name, kind}), counts_.push_back(0);
    return {found->second, is_stage || is_on_device(role_of(category, name))};
  }

  std::uint32_t place_of(const ReportKind& kind) {
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const ReportKind& one) {
      return one.colour == kind.colour && one.label == kind.label;
    });
    const auto place = static_cast<std::uint32_t>(found - kinds_.begin());
    if (found == kinds_.end()) kinds_.push_back(kind);
    return place;
  }

  const Trace& trace_;
  std::span<const std::string> stages_;
  std::unordered_map<std::uint64_t, Known> known_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> places_;
  std::vector<std::uint64_t> counts_;
  std::vector<ReportName> names_;
  std::vector<ReportKind> kinds_;
};

/// A lane of a row while its events come by start: they nest, and each goes below those that are open.
struct OpenLane {
  std::vector<std::uint64_t> ends;  ///< of the open spans, innermost last
  std::vector<ReportLevel> levels;

  void add(const ReportSpan& span) {
    while (!ends.empty() && ends.back() <= span.start_ns) ends.pop_back();
    if (levels.size() <= ends.size()) levels.emplace_back();
    levels[ends.size()].push_back(span);
    ends.push_back(span.start_ns + span.duration_ns);
  }
};

std::vector<std::uint32_t> rows_in_order(const Trace& trace) {
  std::vector<std::uint32_t> order(trace.rows().size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t at) {
    const TraceRow& row = trace.rows()[at];
    return std::pair(trace.processes()[static_cast<std::size_t>(row.process)].sort_index, row.sort_index);
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  return order;
}

template <typename Visit>
void for_each_level(std::span<ReportResult> results, const Visit& visit) {
  for (ReportResult& result : results)
    if (result.timeline)
      for (ReportRow& row : result.timeline->rows)
        for (ReportLevel& level : row.levels) visit(*result.timeline, level);
}

std::string note_of(std::uint64_t left_out, std::uint64_t longest_ns) {
  const std::array longest{Duration(Nanoseconds(static_cast<std::int64_t>(longest_ns)))};
  return fmt::format(
      "{} events, each of at most {}, are left out: the page keeps the longest. takt trace cut makes a piece of the "
      "trace that has them all.",
      left_out, formatted(longest[0], form_of(longest)));
}

void keep_longest_spans(std::span<ReportResult> results, std::uint64_t most) {
  std::vector<std::uint64_t> lengths;
  for_each_level(results, [&](ReportTimeline&, const ReportLevel& level) {
    for (const ReportSpan& span : level) lengths.push_back(span.duration_ns);
  });
  if (lengths.size() <= most) return;
  std::uint64_t least = UINT64_MAX, ties = 0;  // of what is kept; and how many of just that length
  if (most > 0) {
    const auto place = lengths.end() - static_cast<std::ptrdiff_t>(most);
    std::nth_element(lengths.begin(), place, lengths.end());
    least = *place;
    ties = static_cast<std::uint64_t>(std::count(place, lengths.end(), least));
  }
  std::map<const ReportTimeline*, std::uint64_t> longest;
  for_each_level(results, [&](ReportTimeline& timeline, ReportLevel& level) {
    timeline.left_out += std::erase_if(level, [&](const ReportSpan& span) {
      if (span.duration_ns > least) return false;
      if (span.duration_ns == least && ties > 0) return --ties, false;
      longest[&timeline] = std::max(longest[&timeline], span.duration_ns);
      return true;
    });
  });
  for (ReportResult& result : results)
    if (result.timeline && result.timeline->left_out > 0)
      result.timeline->note += fmt::format("{}{}", result.timeline->note.empty() ? "" : " ",
                                           note_of(result.timeline->left_out, longest[&*result.timeline]));
}

/// Every so many values of each counter, so that at most `most` are left.
void thin_counters(std::span<ReportResult> results, std::uint64_t most) {
  std::uint64_t samples = 0;
  for (const ReportResult& result : results)
    if (result.timeline)
      for (const ReportCounter& counter : result.timeline->counters) samples += counter.samples.size();
  if (samples <= most) return;
  const std::uint64_t every = most == 0 ? samples : (samples + most - 1) / most;
  for (ReportResult& result : results) {
    if (!result.timeline || result.timeline->counters.empty()) continue;
    for (ReportCounter& counter : result.timeline->counters) {
      std::size_t kept = 0;
      for (std::size_t at = 0; at < counter.samples.size(); at += every) counter.samples[kept++] = counter.samples[at];
      counter.samples.resize(kept);
    }
    std::string& note = result.timeline->note;
    note += fmt::format("{}Of counters one value in {} is kept.", note.empty() ? "" : " ", every);
  }
}

}  // namespace

ReportTimeline timeline_of(const Trace& trace, std::span<const std::string> stages) {
  ReportTimeline timeline;
  const auto& events = trace.events();
  if (events.empty()) return timeline;
  const Lanes lanes = assign_lanes(trace);
  const std::int64_t begin = events[lanes.order.front()].start_ns;
  timeline.begin = Nanoseconds(begin);
  TimelineNames names(trace, stages);
  std::vector<std::vector<OpenLane>> open(trace.rows().size());
  std::vector<bool> is_device(trace.rows().size());
  for (std::size_t row = 0; row < open.size(); ++row) open[row].resize(lanes.count[row]);
  for (const std::uint32_t at : lanes.order) {
    const TraceEvent& event = events[at];
    const auto row = static_cast<std::size_t>(event.row);
    const auto& name = names.of(event);
    // Unsigned: a clock that was set may lie between any two events.
    const ReportSpan span{static_cast<std::uint64_t>(event.start_ns) - static_cast<std::uint64_t>(begin),
                          static_cast<std::uint64_t>(drawn_duration_ns(event)), name.place, at};
    open[row][lanes.lane[at]].add(span);
    if (name.is_device) is_device[row] = true;
    timeline.length_ns = std::max(timeline.length_ns, span.start_ns + span.duration_ns);
  }
  for (const std::uint32_t at : rows_in_order(trace)) {
    const TraceRow& row = trace.rows()[at];
    ReportRow shown{trace.processes()[static_cast<std::size_t>(row.process)].name,
                    row.name.empty() ? fmt::format("row {}", row.tid) : row.name,
                    is_device[at],
                    {}};
    for (OpenLane& lane : open[at])
      for (ReportLevel& level : lane.levels) shown.levels.push_back(std::move(level));
    if (!shown.levels.empty()) timeline.rows.push_back(std::move(shown));
  }
  names.finish(timeline);
  timeline.flows = flows_of(trace);
  timeline.counters = counters_of(trace, begin);
  for (const ReportCounter& counter : timeline.counters)
    timeline.length_ns = std::max(timeline.length_ns, counter.samples.back().time_ns);
  return timeline;
}

std::optional<ReportTimeline> shown_timeline(const Trace& trace, std::span<const std::string> stages) {
  ReportTimeline timeline = timeline_of(trace, stages);
  return timeline.rows.empty() ? std::nullopt : std::optional(std::move(timeline));
}

void keep_longest(std::span<ReportResult> results, std::uint64_t most) {
  keep_longest_spans(results, most);
  thin_counters(results, most);
}

}  // namespace takt
