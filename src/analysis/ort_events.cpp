#include "analysis/ort_events.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/error.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds longest = 24h * 115;                // more is no time
constexpr Nanoseconds latest{1'000'000'000'000'000'000};  // 31 years; an end behind it still has a number

constexpr TraceRule rules_that_cost_an_event[] = {
    TraceRule::malformed_event, TraceRule::missing_phase, TraceRule::unknown_phase,    TraceRule::missing_ts,
    TraceRule::missing_dur,     TraceRule::not_a_number,  TraceRule::time_out_of_range};

/// Runs by the thread that called them, each list in the order of time.
class RunFinder {
 public:
  explicit RunFinder(const std::vector<OrtRun>& runs) : runs_(runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) all_.push_back(i), by_thread_[runs[i].thread].push_back(i);
  }

  std::optional<std::size_t> run_of(const OrtNodeEvent& node) const {
    const auto own = by_thread_.find(node.thread);
    const auto& candidates = own == by_thread_.end() ? all_ : own->second;
    auto after = std::upper_bound(candidates.begin(), candidates.end(), node.start,
                                  [&](Nanoseconds time, std::size_t run) { return time < runs_[run].start; });
    if (after == candidates.begin()) return std::nullopt;
    --after;
    const auto is_of_ended = [&](const OrtRun& ended) { return ended.end() == node.start && node.event < ended.event; };
    while (after != candidates.begin() && is_of_ended(runs_[*std::prev(after)])) --after;
    const std::size_t run = *after;
    return runs_[run].contains(node.start) ? std::optional(run) : std::nullopt;
  }

 private:
  const std::vector<OrtRun>& runs_;
  std::vector<std::size_t> all_;
  std::map<RowId, std::vector<std::size_t>> by_thread_;
};

void add_event(std::uint32_t number, OrtEvents& events) {
  const TraceEvent& event = events.trace.events()[number];
  const std::string& category = events.trace.text(event.category);
  std::string_view name = events.trace.text(event.name);
  const bool is_run = category == "Session" && name == "model_run";
  constexpr std::string_view kernel = "_kernel_time", before = "_fence_before";
  const bool is_wait = name.ends_with(before);
  if (!is_run && (category != "Node" || (!is_wait && !name.ends_with(kernel)))) return;
  const Nanoseconds start(event.start_ns), duration(event.duration_ns);
  if (start < -latest || start > latest || duration < 0ns || duration > longest) {
    ++events.unreadable;
    return;
  }
  if (is_run) {
    events.runs.push_back({start, duration, event.row, number});
    return;
  }
  name.remove_suffix((is_wait ? before : kernel).size());
  events.nodes.push_back({name, start, duration, event.row, number, is_wait, std::nullopt});
}

/// Most profiles are small, and threads and their windows would cost more than the reading.
TraceReadSettings settings_for(std::size_t bytes) {
  TraceReadSettings settings;
  if (bytes >= settings.window_bytes) return settings;
  settings.threads = 1;
  settings.window_bytes = bytes + 1;
  return settings;
}

}  // namespace

std::string_view OrtEvents::text_of(const OrtNodeEvent& node, std::string_view key) const {
  for (const TraceArg& arg : trace.args(trace.events()[node.event]))
    if (const auto* text = std::get_if<StringId>(&arg.value); text && trace.text(arg.key) == key)
      return trace.text(*text);
  return {};
}

void read_ort_events(std::string_view text, const std::string& origin, OrtEvents& events) {
  TraceRead read = parse_chrome_trace(text, origin, settings_for(text.size()));
  for (const TraceFault& fault : read.faults) {
    if (fault.rule == TraceRule::unterminated) events.ends_early = true;
    const auto* end = std::end(rules_that_cost_an_event);
    if (std::find(std::begin(rules_that_cost_an_event), end, fault.rule) != end) events.unreadable += fault.count;
  }
  if (read.file_events == 0 && events.ends_early)
    throw Error(ErrorKind::bad_input, origin + ": is JSON, but neither a profile nor a list of trace events");
  events.file_events = read.file_events;
  events.trace = std::move(read.trace);
  for (std::uint32_t i = 0; i < events.trace.events().size(); ++i) add_event(i, events);
  std::stable_sort(events.runs.begin(), events.runs.end(),
                   [](const OrtRun& a, const OrtRun& b) { return a.start < b.start; });
  const RunFinder finder(events.runs);
  for (OrtNodeEvent& node : events.nodes) node.run = finder.run_of(node);
}

}  // namespace takt
