#include "trace/chrome/assembly.h"

#include <algorithm>
#include <map>
#include <utility>

#include "trace/chrome/marks.h"
#include "trace/chrome/rows.h"
#include "trace/chrome/time_faults.h"
#include "trace/events/device_categories.h"
#include "trace/events/lanes.h"

namespace takt::chrome {
namespace {

/// Numbers of a thread's texts and rows as those of the trace.
struct Translation {
  std::vector<StringId> strings;
  std::vector<RowId> rows;

  Id id(const Id& own) const {
    return own.is_text ? Id{static_cast<std::int64_t>(strings[static_cast<std::size_t>(own.value)]), true} : own;
  }
  RowKey key(const RowKey& own) const { return {id(own.process), id(own.thread), own.kind}; }
};

using Translations = std::map<const EventParser*, Translation>;

/// Texts in the order of their first use in the file, so that the number of threads leaves no trace.
Translations intern_texts(Trace& trace, const std::vector<const EventParser*>& parsers) {
  struct First {
    std::uint64_t order;
    const EventParser* parser;
    std::uint32_t number;
  };
  std::vector<First> all;
  Translations translations;
  for (const EventParser* parser : parsers) {
    translations[parser].strings.resize(parser->texts().size());
    for (std::uint32_t i = 1; i < parser->texts().size(); ++i) all.push_back({parser->texts().order(i), parser, i});
  }
  std::sort(all.begin(), all.end(), [](const First& a, const First& b) { return a.order < b.order; });
  for (const First& first : all) {
    translations[first.parser].strings[first.number] = trace.intern(first.parser->texts().text(first.number));
  }
  return translations;
}

/// Rows in the order in which the file names them, then by their first event.
RowPlan plan_rows(const std::vector<CollectedWindow>& windows, const std::vector<const EventParser*>& parsers,
                  const Translations& translations) {
  RowPlan plan;
  for (const CollectedWindow& parsed : windows) {
    const Translation& translation = translations.at(parsed.parser);
    for (Naming naming : parsed.window.namings) {
      naming.process = translation.id(naming.process);
      naming.thread = translation.id(naming.thread);
      naming.text = static_cast<std::uint32_t>(translation.strings[naming.text]);
      plan.apply(naming);
    }
  }
  std::vector<std::pair<std::uint64_t, RowKey>> rows;
  for (const EventParser* parser : parsers) {
    for (const auto& row : parser->rows()) rows.emplace_back(row.order, translations.at(parser).key(row.key));
  }
  std::sort(rows.begin(), rows.end());
  for (const auto& [order, key] : rows) plan.add_row(key);
  for (const CollectedWindow& parsed : windows) {
    for (const CounterSample& sample : parsed.window.counters) {
      plan.add_process(translations.at(parsed.parser).id(sample.process));
    }
  }
  return plan;
}

PlacedMark place(const Mark& mark, const Translation& translation, std::uint32_t first_event, std::uint32_t first_run) {
  PlacedMark placed;
  placed.time = mark.time;
  placed.id_is_text = mark.id_is_text;
  placed.id = mark.id_is_text ? static_cast<std::uint64_t>(translation.strings[mark.id]) : mark.id;
  placed.row = translation.rows[mark.row];
  placed.name = translation.strings[mark.name];
  placed.category = translation.strings[mark.category];
  placed.event = mark.event + first_event;
  placed.args = mark.args == 0 ? 0 : mark.args + first_run;
  placed.phase = mark.phase;
  placed.binds_enclosing = mark.binds_enclosing;
  return placed;
}

void add_counter(Trace& trace, const CounterSample& sample, const Translation& translation, ProcessId process) {
  StringId name = translation.strings[sample.name];
  if (sample.key != 0 || sample.id != 0) {
    std::string full = trace.text(name);
    if (sample.id != 0) full += " id: " + trace.text(translation.strings[sample.id]);
    if (sample.key != 0) full += " " + trace.text(translation.strings[sample.key]);
    name = trace.intern(full);
  }
  trace.add_counter({sample.time, sample.value, name, process});
}

/// Gives the events of a window the numbers of the trace; returns what was added to their runs of arguments.
std::uint32_t renumber(Trace& trace, const CollectedWindow& collected, std::span<TraceEvent> events,
                       const Translation& translation) {
  const std::uint32_t first_run = trace.append(collected.window.args, translation.strings);
  for (TraceEvent& event : events) {
    event.name = translation.strings[static_cast<std::size_t>(event.name)];
    event.category = translation.strings[static_cast<std::size_t>(event.category)];
    event.row = translation.rows[static_cast<std::size_t>(event.row)];
    if (event.args != 0) event.args += first_run;
  }
  return first_run;
}

/// Moves the windows' contents into the trace, one window after the other.
std::vector<PlacedMark> add_windows(Trace& trace, CollectedWindows& collected, const Translations& translations,
                                    const RowPlan& plan) {
  std::size_t runs = 0, values = 0, mark_count = 0;
  for (const CollectedWindow& one : collected.windows) {
    runs += one.window.args.runs();
    values += one.window.args.values();
    mark_count += one.window.marks.size();
  }
  trace.reserve(0, runs, values);
  std::vector<PlacedMark> marks;
  marks.reserve(mark_count);
  for (CollectedWindow& one : collected.windows) {
    const Translation& translation = translations.at(one.parser);
    const std::uint32_t first_run =
        renumber(trace, one, std::span(collected.events).subspan(one.first_event, one.event_count), translation);
    const Window window = std::move(one.window);
    for (const Mark& mark : window.marks) marks.push_back(place(mark, translation, one.first_event, first_run));
    for (const TraceFlow& flow : window.flows) {
      const auto event = static_cast<EventId>(static_cast<std::uint32_t>(flow.event) + one.first_event);
      trace.add_flow(event, flow.bind_id, flow.in, flow.out);
    }
    for (const TraceInstant& instant : window.instants) {
      trace.mark_instant(static_cast<EventId>(static_cast<std::uint32_t>(instant.event) + one.first_event),
                         instant.scope);
    }
    for (const CounterSample& sample : window.counters) {
      add_counter(trace, sample, translation, plan.process(translation.id(sample.process)));
    }
  }
  trace.take_events(std::move(collected.events));
  return marks;
}

/// Rows whose numbers importers change: one fault for each event on them.
void find_odd_numbers(const Trace& trace, const std::vector<const EventParser*>& parsers,
                      const Translations& translations, FaultList& faults) {
  std::vector<std::optional<Id>> processes(trace.rows().size()), threads(trace.rows().size());
  bool any = false;
  for (const EventParser* parser : parsers) {
    const Translation& translation = translations.at(parser);
    for (std::size_t i = 0; i < parser->rows().size(); ++i) {
      const RowKey& key = parser->rows()[i].key;
      const auto row = static_cast<std::size_t>(translation.rows[i]);
      if (!key.process.is_text && !is_usable(key.process)) processes[row] = key.process;
      if (key.kind == RowKind::thread && !key.thread.is_text && !is_usable(key.thread)) threads[row] = key.thread;
      any = any || processes[row] || threads[row];
    }
  }
  if (!any) return;
  DeviceCategories categories(trace);
  // The number of a device stands for the process: that of the first one is 0, and importers know it.
  const auto is_on_device = [&](const TraceEvent& event) {
    const DevicePart part = categories.of(event);
    return part == DevicePart::work || part == DevicePart::mark;
  };
  for (std::size_t i = 0; i < trace.events().size(); ++i) {
    const TraceEvent& event = trace.events()[i];
    const auto row = static_cast<std::size_t>(event.row);
    const auto fault = [&](const std::optional<Id>& id, TraceRule zero) {
      if (!id) return;
      faults.add(id->value == 0 ? zero : TraceRule::odd_id, (std::uint64_t{1} << 62) | i,
                 [&] { return place_of(trace, event.row, event.name, event.start_ns); });
    };
    const bool is_device = processes[row] && processes[row]->value == 0 && is_on_device(event);
    if (!is_device) fault(processes[row], TraceRule::zero_pid);
    fault(threads[row], TraceRule::zero_tid);
  }
}

/// By row, whether XLA's profiler wrote it: "/device:TPU:0", "/host:CPU".
std::vector<bool> rows_of_xla(const Trace& trace) {
  std::vector<bool> rows;
  for (const TraceRow& row : trace.rows()) {
    const std::string& process = trace.processes()[static_cast<std::size_t>(row.process)].name;
    rows.push_back(process.find("/device:") != process.npos || process.find("/host:") != process.npos);
  }
  return rows;
}

void find_overlaps(const Trace& trace, const Lanes& lanes, const std::vector<bool>& is_async, FaultList& faults) {
  const std::vector<bool> is_xla = rows_of_xla(trace);
  DeviceCategories categories(trace);
  for (const std::uint32_t i : lanes.order) {
    const TraceEvent& event = trace.events()[i];
    if (lanes.lane[i] == 0 || is_async[static_cast<std::size_t>(event.row)]) continue;
    // Marks of waits, which the profiler draws on a device's rows, lie across the work there.
    const DevicePart part = categories.of(event);
    const bool is_on_device = part == DevicePart::work || part == DevicePart::mark;
    const TraceRule rule = is_on_device                                  ? TraceRule::stream_overlap
                           : is_xla[static_cast<std::size_t>(event.row)] ? TraceRule::xla_overlap
                                                                         : TraceRule::overlap;
    faults.add(rule, (std::uint64_t{1} << 62) | i,
               [&] { return place_of(trace, event.row, event.name, event.start_ns); });
  }
}

/// PyTorch wrote microseconds since 1970 before it had a base time; no clock that starts with the machine is that late.
bool counts_from_epoch(const Trace& trace) {
  constexpr std::int64_t long_ago = 1'000'000'000'000'000'000;  // 2001
  std::optional<std::int64_t> earliest;
  for (const TraceEvent& event : trace.events()) {
    earliest = std::min(earliest.value_or(event.start_ns), event.start_ns);
  }
  for (const TraceCounter& sample : trace.counters()) {
    earliest = std::min(earliest.value_or(sample.time_ns), sample.time_ns);
  }
  return earliest && *earliest >= long_ago;
}

}  // namespace

Trace assemble(CollectedWindows collected, const Frame& frame, const TraceReadSettings& settings,
               std::optional<std::int64_t> last_moment, FaultList& faults) {
  Trace trace;
  std::vector<const EventParser*> parsers;
  for (const CollectedWindow& one : collected.windows) {
    if (std::find(parsers.begin(), parsers.end(), one.parser) == parsers.end()) parsers.push_back(one.parser);
  }
  Translations translations = intern_texts(trace, parsers);
  RowPlan plan = plan_rows(collected.windows, parsers, translations);
  plan.add_to(trace, !settings.find_overlaps);
  std::vector<bool> is_async(trace.rows().size());
  for (auto& [parser, translation] : translations) {
    for (const auto& row : parser->rows()) {
      translation.rows.push_back(plan.row(translation.key(row.key)));
      if (row.key.kind == RowKind::async) is_async[static_cast<std::size_t>(translation.rows.back())] = true;
    }
  }
  std::vector<PlacedMark> marks = add_windows(trace, collected, translations, plan);
  if (frame.base_time_ns) trace.set_base_time(Nanoseconds(*frame.base_time_ns));
  if (!frame.base_time_ns && counts_from_epoch(trace)) trace.set_base_time(Nanoseconds(0));
  trace.set_provenance_json(frame.provenance);
  for (const TraceProperty& property : frame.properties) trace.set_property(property.key, property.json);
  close_begins(trace, marks, last_moment, faults);
  bind_flows(trace, marks, last_moment.has_value(), faults);
  find_lone_flows(trace, faults);
  find_odd_numbers(trace, parsers, translations, faults);
  find_time_faults(trace, faults);
  if (settings.find_overlaps) {
    const Lanes lanes = assign_lanes(trace);
    find_overlaps(trace, lanes, is_async, faults);
    find_repeated_events(trace, lanes.order, faults);
    find_launch_faults(trace, faults);
  }
  return trace;
}

}  // namespace takt::chrome
