#include "report/timelines/timeline_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "report/timelines/rank_names.h"

namespace takt {
namespace {

std::int64_t begin_of(const RankTimeline& one) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(one.base.count()) +
                                   static_cast<std::uint64_t>(one.timeline.begin.count()));
}

std::uint64_t apart(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

/// Whether the last to begin does so before the first one ends.
bool have_a_moment_in_common(const std::vector<RankTimeline>& traces) {
  const auto earlier = [](const auto& a, const auto& b) { return begin_of(a) < begin_of(b); };
  const std::int64_t last = begin_of(*std::max_element(traces.begin(), traces.end(), earlier));
  return std::all_of(traces.begin(), traces.end(), [&](const RankTimeline& one) {
    return apart(begin_of(one), last) < one.timeline.length_ns || begin_of(one) == last;
  });
}

/// Puts timelines into one: their names and kinds once, their events and times moved.
class Joined {
 public:
  void add(ReportTimeline&& one, const std::string& rank, std::uint64_t shift) {
    std::vector<std::uint32_t> kinds, names;
    for (const ReportKind& kind : one.kinds) kinds.push_back(place_of_kind(kind));
    for (const ReportName& name : one.names) names.push_back(place_of_name(name.text, kinds[name.kind]));
    std::uint32_t events = events_;
    for (ReportRow& row : one.rows) {
      row.name = fmt::format("{} · {}", rank, row.name);
      for (ReportLevel& level : row.levels)
        for (ReportSpan& span : level) {
          span.start_ns += shift, span.name = names[span.name], span.event += events_;
          events = std::max(events, span.event + 1);
          ++counts_[span.name];
        }
      joined_.rows.push_back(std::move(row));
    }
    for (const auto& [from, to] : one.flows) joined_.flows.push_back({from + events_, to + events_});
    for (ReportCounter& counter : one.counters) {
      counter.name = fmt::format("{} · {}", rank, counter.name);
      for (ReportSample& sample : counter.samples) sample.time_ns += shift;
      joined_.counters.push_back(std::move(counter));
    }
    joined_.length_ns = std::max(joined_.length_ns, one.length_ns + shift);
    events_ = events;
  }

  ReportTimeline take() {
    std::vector<std::uint32_t> order(joined_.names.size()), place(joined_.names.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return counts_[a] > counts_[b]; });
    std::vector<ReportName> names;
    for (const std::uint32_t name : order)
      place[name] = static_cast<std::uint32_t>(names.size()), names.push_back(joined_.names[name]);
    joined_.names = std::move(names);
    for (ReportRow& row : joined_.rows)
      for (ReportLevel& level : row.levels)
        for (ReportSpan& span : level) span.name = place[span.name];
    return std::move(joined_);
  }

 private:
  std::uint32_t place_of_kind(const ReportKind& kind) {
    auto& kinds = joined_.kinds;
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const ReportKind& one) {
      return one.colour == kind.colour && one.label == kind.label;
    });
    const auto place = static_cast<std::uint32_t>(found - kinds.begin());
    if (found == kinds.end()) kinds.push_back(kind);
    return place;
  }

  std::uint32_t place_of_name(const std::string& text, std::uint32_t kind) {
    const auto [found, is_new] = places_.try_emplace({text, kind}, static_cast<std::uint32_t>(joined_.names.size()));
    if (is_new) joined_.names.push_back({text, kind}), counts_.push_back(0);
    return found->second;
  }

  ReportTimeline joined_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> places_;
  std::vector<std::uint64_t> counts_;
  std::uint32_t events_ = 0;
};

}  // namespace

ReportTimeline side_by_side(std::vector<RankTimeline> traces) {
  std::erase_if(traces, [](const RankTimeline& one) { return one.timeline.rows.empty(); });
  if (traces.empty()) return {};
  if (traces.size() == 1) return std::move(traces.front().timeline);
  const bool is_one_clock = have_a_moment_in_common(traces);
  std::vector<std::string> files;
  std::int64_t begin = begin_of(traces.front());
  for (const RankTimeline& one : traces) files.push_back(one.file), begin = std::min(begin, begin_of(one));
  const auto ranks = rank_names(files);
  Joined joined;
  std::vector<ReportRank> places;
  for (std::size_t at = 0; at < traces.size(); ++at) {
    const std::uint64_t shift = is_one_clock ? apart(begin, begin_of(traces[at])) : 0;
    const auto own = static_cast<std::uint64_t>(traces[at].timeline.begin.count()) - shift;
    places.push_back({files[at], static_cast<std::int64_t>(own)});
    joined.add(std::move(traces[at].timeline), ranks[at], shift);
  }
  ReportTimeline timeline = joined.take();
  timeline.ranks = std::move(places);
  timeline.begin = Nanoseconds(timeline.ranks.front().begin_ns);
  if (!is_one_clock) timeline.note = "These traces have no moment in common by their clocks: each begins at 0.";
  return timeline;
}

}  // namespace takt
