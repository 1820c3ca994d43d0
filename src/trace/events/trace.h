// What happened when: the one form in which every timed run is kept, whoever recorded it.
//
// A trace has processes; a process has rows (one per thread, or per device and stream) and counters; a row has events,
// each a span of time with a name. Events are 32 bytes of numbers in one array; names are interned, and what only some
// events have (arguments, flows) lies in side tables, so that appending is cheap and analyses walk plain arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/basics/units.h"
#include "trace/events/args.h"
#include "trace/events/strings.h"

namespace takt {

/// Positions in Trace::processes(), rows() and events().
enum class ProcessId : std::uint32_t {};
enum class RowId : std::uint32_t {};
enum class EventId : std::uint32_t {};

struct TraceProcess {
  std::uint32_t pid = 1;  ///< at least 1: importers take 0 for "the idle process"
  std::string name;
  int sort_index = 0;  ///< viewers put smaller ones higher
};

struct TraceRow {
  ProcessId process{};
  std::uint32_t tid = 1;  ///< at least 1, unique in its process
  std::string name;
  int sort_index = 0;
};

/// A span on a row. Times are relative to Trace::base_time(). Spans of one row may nest or overlap.
struct TraceEvent {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;  ///< as recorded: zero and even negative (a clock that stepped back) are kept
  StringId name{};
  StringId category{};
  RowId row{};
  std::uint32_t args = 0;  ///< run in the side table, see Trace::args(); 0: none
};
static_assert(sizeof(TraceEvent) == 32);

/// One value of a counter of a process. A counter is known by its process and name.
struct TraceCounter {
  std::int64_t time_ns = 0;
  double value = 0;  ///< finite
  StringId name{};
  ProcessId process{};
};

/// An end of a flow. Flows run from the events that hold `bind_id` with `out` to later ones that hold it with `in`;
/// an event in the middle of a chain has both.
struct TraceFlow {
  EventId event{};
  std::uint64_t bind_id = 0;
  bool in = false, out = false;
};

/// How far viewers draw an instant: across its row, its process, or all of the trace.
enum class InstantScope : std::uint8_t { row, process, trace };

/// An event of zero length that is a moment and no span.
struct TraceInstant {
  EventId event{};
  InstantScope scope{};
};

/// What a file says beside its events: a key of Chrome JSON's outer object ("distributedInfo") with its value as JSON.
struct TraceProperty {
  std::string key, json;
};

/// Any JSON value as text, for what the other types of TraceValue cannot hold.
struct TraceJsonText {
  std::string text;
};
using TraceValue = std::variant<std::int64_t, double, std::string, TraceJsonText>;
using TraceValues = std::vector<std::pair<std::string, TraceValue>>;

/// A value type; not thread-safe. Holds at most 2^32 - 1 events.
class Trace {
 public:
  /// pid 0 takes the next free number; otherwise it must be new in the trace. Throws Error(bad_input).
  ProcessId add_process(std::string name, std::uint32_t pid = 0, int sort_index = 0);
  /// tid 0 takes the next free number; otherwise it must be new in the process. Throws Error(bad_input).
  RowId add_row(ProcessId process, std::string name, std::uint32_t tid = 0, int sort_index = 0);
  EventId add_event(RowId row, std::string_view name, std::string_view category, Nanoseconds start,
                    Nanoseconds duration);
  /// Replaces the event's arguments, which readers see in this order.
  void set_args(EventId event, const TraceValues& values);
  /// An event usually holds one flow number; a later call replaces it.
  void set_flow(EventId event, std::uint64_t bind_id, bool in, bool out);
  /// One more flow end of the event, beside those it has.
  void add_flow(EventId event, std::uint64_t bind_id, bool in, bool out);
  /// Says that the event, which has no duration, is an instant. Once per event.
  void mark_instant(EventId event, InstantScope scope) { instants_.push_back({event, scope}); }
  /// An infinite or missing value is no sample and throws Error(bad_input).
  void add_counter(ProcessId process, std::string_view name, Nanoseconds time, double value);

  // The same for writers of many events, which intern each text once.
  StringId intern(std::string_view text) { return strings_.intern(text); }
  EventId add_event(const TraceEvent& event);
  void set_args(EventId event, std::span<const TraceArg> args);
  void add_counter(const TraceCounter& counter);
  void set_duration(EventId event, Nanoseconds duration);
  // For readers that make events apart from the trace.
  /// A run of arguments for an event to come.
  std::uint32_t add_args(std::span<const TraceArg> args) { return args_.add(args); }
  /// Adds runs of arguments with their texts renumbered by `strings`; returns what is added to the runs' numbers.
  std::uint32_t append(const ArgStore& args, std::span<const StringId> strings);
  /// Instead of the events so far; texts, rows and arguments are those of the trace.
  void take_events(std::vector<TraceEvent> events);
  void reserve(std::size_t events, std::size_t arg_runs, std::size_t arg_values);
  std::size_t arg_runs() const { return args_.runs(); }      ///< so far, for reserve()
  std::size_t arg_values() const { return args_.values(); }  ///< so far, for reserve()
  /// Forgets events, their arguments and flows, and counters; processes, rows and texts stay. For who has a trace
  /// piece by piece.
  void clear_events();

  /// Time zero of all events, since the Unix epoch; nullopt: not known.
  std::optional<Nanoseconds> base_time() const { return base_time_; }
  void set_base_time(Nanoseconds since_epoch) { base_time_ = since_epoch; }
  /// How the trace came to be, a JSON object as text; empty: not told.
  const std::string& provenance_json() const { return provenance_json_; }
  void set_provenance_json(std::string object) { provenance_json_ = std::move(object); }

  /// Replaces the property of that key. `json` must be JSON; the keys of docs/formats.md's frame are takt's own.
  void set_property(std::string key, std::string json);
  const std::vector<TraceProperty>& properties() const { return properties_; }  ///< in the order added
  const TraceProperty* property(std::string_view key) const;                    ///< null: the trace has none

  const std::vector<TraceProcess>& processes() const { return processes_; }
  const std::vector<TraceRow>& rows() const { return rows_; }
  const std::vector<TraceEvent>& events() const { return events_; }        ///< in the order they were added
  const std::vector<TraceCounter>& counters() const { return counters_; }  ///< in the order they were added
  const std::vector<TraceFlow>& flows() const { return flows_; }           ///< each event's in the order added
  const std::vector<TraceInstant>& instants() const { return instants_; }  ///< in any order
  /// Valid until arguments are added.
  TraceArgs args(const TraceEvent& event) const { return {args_, event.args}; }
  const StringTable& strings() const { return strings_; }
  const std::string& text(StringId id) const { return strings_.text(id); }

 private:
  std::vector<TraceProcess> processes_;
  std::vector<TraceRow> rows_;
  std::vector<TraceEvent> events_;
  std::vector<TraceCounter> counters_;
  std::vector<TraceFlow> flows_;
  std::vector<TraceInstant> instants_;
  std::vector<TraceProperty> properties_;
  std::unordered_map<std::uint32_t, std::size_t> flow_index_;  // the first flow of an event that set_flow() gave one
  ArgStore args_;
  StringTable strings_;
  std::set<std::uint32_t> pids_;
  std::set<std::pair<ProcessId, std::uint32_t>> tids_;
  std::optional<Nanoseconds> base_time_;
  std::string provenance_json_;
};

}  // namespace takt
