#include "model/onnxruntime/ort_events.h"

#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/basics/error.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
namespace dom = simdjson::dom;

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

/// Puts operators that ran within a node with a body into it.
class Bodies {
 public:
  explicit Bodies(OrtEvents& events) : events_(events) {
    for (const OrtNodeEvent& node : events_.nodes) has_body_.push_back(!node.is_wait && runs_a_body(node));
  }

  void nest() {
    if (std::find(has_body_.begin(), has_body_.end(), true) == has_body_.end()) return;
    std::map<RowId, std::vector<std::size_t>> threads;
    for (std::size_t i = 0; i < events_.nodes.size(); ++i)
      if (!events_.nodes[i].is_wait) threads[events_.nodes[i].thread].push_back(i);
    for (auto& [thread, nodes] : threads) {
      std::sort(nodes.begin(), nodes.end(), [&](std::size_t a, std::size_t b) { return comes_before(a, b); });
      nest(nodes);
    }
  }

 private:
  bool runs_a_body(const OrtNodeEvent& node) const {
    const std::string_view type = events_.text_of(node, "op_name");
    return type == "If" || type == "Loop" || type == "Scan" || type == "SequenceMap";
  }

  /// By start; in the same microsecond who has a body comes first, of several the one that was written last: a node is
  /// written when it ends.
  bool comes_before(std::size_t a, std::size_t b) const {
    const OrtNodeEvent &x = events_.nodes[a], &y = events_.nodes[b];
    if (x.start != y.start) return x.start < y.start;
    if (has_body_[a] != has_body_[b]) return has_body_[a];
    return has_body_[a] ? x.event > y.event : x.event < y.event;
  }

  void nest(const std::vector<std::size_t>& nodes) {
    std::vector<std::size_t> open;
    for (const std::size_t i : nodes) {
      OrtNodeEvent& node = events_.nodes[i];
      while (!open.empty() && !is_within(node, events_.nodes[open.back()])) open.pop_back();
      if (!open.empty()) {
        OrtNodeEvent& outer = events_.nodes[open.back()];
        node.body_of = open.back();
        node.duration = std::min(node.duration, outer.start + outer.duration - node.start);
        outer.inside = std::min(outer.duration, outer.inside + node.duration);
      }
      if (has_body_[i]) open.push_back(i);
    }
  }

  /// What starts in the microsecond in which the outer ends, cut off, may be in it or behind it; what was in it was
  /// written before.
  static bool is_within(const OrtNodeEvent& node, const OrtNodeEvent& outer) {
    return node.run == outer.run && node.event < outer.event && node.start <= outer.start + outer.duration;
  }

  OrtEvents& events_;
  std::vector<bool> has_body_;
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
  OrtNodeEvent& node = events.nodes.emplace_back();
  node.name = name, node.start = start, node.duration = duration;
  node.thread = event.row, node.event = number, node.is_wait = is_wait;
}

/// [{"float":[1,3,8,8]},…]; nullopt: of another form.
std::optional<TypedShapes> typed_shapes(const std::string& json) {
  dom::parser parser;
  dom::array list;
  if (parser.parse(json).get(list) != simdjson::SUCCESS) return std::nullopt;
  TypedShapes result;
  for (const dom::element entry : list) {
    dom::object object;
    if (entry.get(object) != simdjson::SUCCESS) return std::nullopt;
    for (const auto field : object) {
      dom::array extents;
      if (field.value.get(extents) != simdjson::SUCCESS) return std::nullopt;
      Shape shape;
      for (const dom::element extent : extents) {
        std::int64_t value = 0;
        if (extent.get(value) != simdjson::SUCCESS || value < 0) return std::nullopt;
        shape.push_back(value);
      }
      result.shapes.push_back(std::move(shape));
      result.types.emplace_back(field.key);
    }
  }
  return result;
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

std::optional<TypedShapes> OrtEvents::shapes_of(const OrtNodeEvent& node, std::string_view key) const {
  for (const TraceArg& arg : trace.args(trace.events()[node.event]))
    if (const auto* json = std::get_if<TraceJson>(&arg.value); json && trace.text(arg.key) == key)
      return typed_shapes(trace.text(json->text));
  return std::nullopt;
}

void read_ort_events(std::string_view text, const std::string& origin, OrtEvents& events) {
  TraceRead read = parse_chrome_trace(text, origin, settings_for(text.size()));
  for (const TraceFault& fault : read.faults) {
    if (fault.rule == TraceRule::unterminated || fault.rule == TraceRule::unclosed_list) events.ends_early = true;
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
  Bodies(events).nest();
}

}  // namespace takt
