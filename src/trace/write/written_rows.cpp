#include "trace/write/written_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/basics/error.h"

namespace takt {
namespace {

constexpr std::int64_t largest_time_ns = std::int64_t{1} << 62;    // sums of two stay in 64 bits
constexpr std::int64_t exact_ns = (std::int64_t{1} << 43) * 1000;  // a double of µs is exact below 2^43 µs

void require_near(std::int64_t time) {
  if (time <= -largest_time_ns || time >= largest_time_ns) {
    throw Error(ErrorKind::bad_input, "trace: a time is more than 146 years from the base time; check its clock");
  }
}

}  // namespace

void TimeBounds::include(std::int64_t time) {
  require_near(time);
  earliest_ = std::min(earliest_, time);
  latest_ = std::max(latest_, time);
}

void TimeBounds::include_event(std::int64_t start, std::int64_t drawn_duration) {
  include(start);
  require_near(drawn_duration);
}

std::int64_t TimeBounds::shift() const { return earliest_ < 0 || latest_ >= exact_ns ? earliest_ : 0; }

std::int64_t time_shift(const Trace& trace) {
  TimeBounds bounds;
  for (const TraceEvent& event : trace.events()) bounds.include_event(event.start_ns, drawn_duration_ns(event));
  for (const TraceCounter& counter : trace.counters()) bounds.include(counter.time_ns);
  return bounds.shift();
}

std::int64_t shifted_base(Nanoseconds base, std::int64_t shift) {
  std::int64_t shifted = 0;
  if (__builtin_add_overflow(static_cast<std::int64_t>(base.count()), shift, &shifted)) {
    throw Error(ErrorKind::bad_input, "trace: the base time does not fit into 64-bit nanoseconds; check its clock");
  }
  return shifted;
}

std::vector<std::vector<std::uint32_t>> number_lanes(const Trace& trace, const Lanes& lanes) {
  std::unordered_map<std::uint32_t, std::set<std::uint32_t>> taken;
  for (const TraceRow& row : trace.rows()) taken[static_cast<std::uint32_t>(row.process)].insert(row.tid);
  std::unordered_map<std::uint32_t, std::uint32_t> next;
  std::vector<std::vector<std::uint32_t>> tids;
  for (std::size_t i = 0; i < trace.rows().size(); ++i) {
    const TraceRow& row = trace.rows()[i];
    const auto process = static_cast<std::uint32_t>(row.process);
    auto& used = taken[process];
    auto& candidate = next.try_emplace(process, *used.rbegin()).first->second;
    tids.push_back({row.tid});
    while (tids[i].size() < lanes.count[i]) {
      ++candidate;
      if (candidate != 0 && used.insert(candidate).second) tids[i].push_back(candidate);
    }
  }
  return tids;
}

std::string lane_name(const TraceRow& row, std::size_t lane) {
  if (lane == 0) return row.name;
  const std::string name = "lane " + std::to_string(lane + 1);
  return row.name.empty() ? name : row.name + " (" + name + ")";
}

void put_instants_first(const Trace& trace, std::vector<std::uint32_t>& order) {
  const auto& events = trace.events();
  std::vector<bool> is_source(events.size());
  for (const TraceFlow& flow : trace.flows()) {
    if (flow.out) is_source[static_cast<std::size_t>(flow.event)] = true;
  }
  const auto waits = [&](std::uint32_t e) { return drawn_duration_ns(events[e]) > 0 || !is_source[e]; };
  std::map<RowId, bool> row_has_waiting;
  for (auto group = order.begin(); group != order.end();) {
    const auto end = std::find_if(group, order.end(),
                                  [&](std::uint32_t e) { return events[e].start_ns != events[*group].start_ns; });
    if (end - group > 1) {
      // What follows a waiting event of its row stays behind it; all others go to the front.
      row_has_waiting.clear();
      const auto is_later = [&](std::uint32_t e) { return row_has_waiting[events[e].row] |= waits(e); };
      std::vector<std::uint32_t> later;
      auto front = group;
      for (auto e = group; e != end; ++e) {
        if (is_later(*e)) {
          later.push_back(*e);
        } else {
          *front++ = *e;
        }
      }
      std::copy(later.begin(), later.end(), front);
    }
    group = end;
  }
}

namespace {

/// Numbers that no arrow of the trace has.
class FreeArrows {
 public:
  explicit FreeArrows(const std::vector<TraceFlow>& flows) {
    for (const TraceFlow& flow : flows) used_.insert(flow.bind_id);
  }
  std::uint64_t next() {
    while (!used_.insert(next_).second) ++next_;
    return next_;
  }

 private:
  std::unordered_set<std::uint64_t> used_;
  std::uint64_t next_ = std::uint64_t{1} << 44;
};

/// The event that arrows of a number leave from, in the order of writing.
struct ArrowSource {
  EventId event{};
  std::uint64_t number = 0;
  bool is_taken = false;  // an arrow with this number has found its target
};

}  // namespace

std::vector<TraceFlow> single_arrows(const Trace& trace, const std::vector<std::uint32_t>& order) {
  if (trace.flows().empty()) return {};
  const EventFlows all(trace, trace.flows());
  FreeArrows free(trace.flows());
  std::vector<TraceFlow> arrows;
  std::unordered_map<std::uint64_t, ArrowSource> sources;
  for (const std::uint32_t i : order) {
    for (const TraceFlow& flow : all.of(i)) {
      const auto found = sources.find(flow.bind_id);
      const bool has_source = found != sources.end();
      std::uint64_t number = has_source ? found->second.number : flow.bind_id;
      if (has_source && (!flow.in || found->second.is_taken)) number = free.next();
      if (has_source && flow.in && found->second.is_taken) arrows.push_back({found->second.event, number, false, true});
      if (has_source && flow.in) found->second.is_taken = true;
      if (flow.out) sources[flow.bind_id] = {flow.event, number, false};
      arrows.push_back({flow.event, number, flow.in, flow.out});
    }
  }
  return arrows;
}

EventInstants::EventInstants(const Trace& trace) {
  if (trace.instants().empty()) return;
  scopes_.resize(trace.events().size());
  for (const TraceInstant& instant : trace.instants()) {
    scopes_[static_cast<std::size_t>(instant.event)] = static_cast<std::uint8_t>(instant.scope) + 1;
  }
}

EventFlows::EventFlows(const Trace& trace, std::vector<TraceFlow> flows) : flows_(std::move(flows)) {
  if (flows_.empty()) return;
  std::stable_sort(flows_.begin(), flows_.end(),
                   [](const TraceFlow& a, const TraceFlow& b) { return a.event < b.event; });
  first_.resize(trace.events().size() + 1);
  for (const TraceFlow& flow : flows_)
    if (++first_[static_cast<std::size_t>(flow.event) + 1] > 1) one_each_ = false;
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

}  // namespace takt
