// The events of a piece of Chrome JSON as columns: what one thread of the reader makes of one window of the file.
//
// Numbers of texts and rows are those of the thread; src/trace/chrome/assembly.h makes one trace of the windows of all
// threads. What needs the whole file (the end of a begin, the slice of a flow) is left as a mark.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/chrome/event_shapes.h"
#include "trace/events/faults.h"
#include "trace/events/interner.h"
#include "trace/events/trace.h"

namespace takt::chrome {

/// A process or thread as the file names it: a number or a text.
struct Id {
  std::int64_t value = 0;  ///< the number, or the text's number
  bool is_text = false;
  // clang-tidy 14 sees a null pointer in the comparison with 0 that it makes up here.
  auto operator<=>(const Id&) const = default;  // NOLINT(modernize-use-nullptr)
};

enum class RowKind : std::uint8_t { thread, async };  // async: one row per process and category, `thread` is its text

struct RowKey {
  Id process, thread;
  RowKind kind = RowKind::thread;
  auto operator<=>(const RowKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// An event that is not complete by itself. `phase` is B, E, b, e (async), s, t or f.
struct Mark {
  std::int64_t time = 0;
  std::uint64_t id = 0;
  std::uint32_t row = 0, name = 0, category = 0;
  std::uint32_t event = 0;  ///< events of the window before it; of B and b, the event it began
  std::uint32_t args = 0;
  char phase = 0;
  bool id_is_text = false, binds_enclosing = false;
};

struct CounterSample {
  std::int64_t time = 0;
  double value = 0;
  Id process;
  std::uint32_t name = 0;
  std::uint32_t key = 0;  ///< 0: the counter has one value, which has no name of its own
  std::uint32_t id = 0;
};

/// ph M: a name or place in the order for a process or row.
struct Naming {
  enum class What : std::uint8_t { process_name, process_labels, process_order, row_name, row_order, lane_of } what{};
  Id process, thread;
  std::uint32_t text = 0;
  std::int64_t number = 0;
};

/// What a window holds.
struct Window {
  std::uint64_t number = 0, offset = 0;   ///< in the file: which window, and of its first byte
  std::optional<std::size_t> file_bytes;  ///< about how many the file has, as known when this window was read
  std::vector<TraceEvent> slices;         ///< texts and rows as the thread numbers them, arguments as `args` does
  ArgStore args;
  std::vector<Mark> marks;
  std::vector<TraceFlow> flows;        ///< event: position in slices
  std::vector<TraceInstant> instants;  ///< the same
  std::vector<CounterSample> counters;
  std::vector<Naming> namings;
  std::uint64_t events = 0;  ///< objects in the list, broken ones too
  std::size_t consumed = 0;  ///< bytes; less than the text's size: an event is not complete, or the list has ended
  bool ended = false;        ///< the list's closing bracket is the last byte consumed
  bool is_last = false;      ///< set beforehand: no text of the file comes after this one
};

/// Not thread-safe: one per thread. Texts and rows stay valid for all windows of the thread.
class EventParser {
 public:
  static constexpr std::size_t readable = EventShapes::readable;

  /// `only_slices`: flows and counters are looked at and not kept.
  explicit EventParser(bool only_slices = false) : only_slices_(only_slices) {}

  /// Parses list elements from the front of `text`, after which `readable` zeros must stand.
  void parse(std::string_view text, Window& window);

  const Interner& texts() const { return texts_; }
  struct Row {
    RowKey key;
    std::uint64_t order = 0;  ///< where it was first seen
  };
  const std::vector<Row>& rows() const { return rows_; }
  FaultList& faults() { return faults_; }

 private:
  /// A time as it stands in the file: read already if it was plain.
  struct TimeWord {
    std::string_view word;  ///< empty: missing
    std::int64_t nanoseconds = 0;
    bool is_read = false;
  };
  struct Event {
    const char* begin = nullptr;
    char phase = 0, scope = 0;  ///< scope: first letter of an instant's "s"
    std::uint32_t name = 0, category = 0;
    Id process, thread, id;
    TimeWord ts, dur;
    bool has_process = false, has_thread = false, has_id = false;
    bool binds_enclosing = false, flow_in = false, flow_out = false, has_bind = false;
    Id bind;
  };

  // src/trace/chrome/fields.cpp: from text to values. Each takes where a value starts, before the end of the text, and
  // returns what is after it; nullptr: not JSON, or not complete.
  const char* parse_event(const char* p, Event& event);
  const char* parse_known_event(const char* p, Event& event);
  const char* parse_step(const char* p, const EventShapes::Step& step, Event& event);
  const char* parse_any_event(const char* p, Event& event);
  const char* parse_member(const char* p, std::string_view key, Event& event);
  const char* parse_field(const char* p, Field field, Event& event);
  const char* read_text(const char* p, std::uint32_t& number);
  const char* read_id(const char* p, Id& id);
  const char* read_time(const char* p, TimeWord& time);
  const char* parse_args(const char* p);
  const char* parse_arg_value(const char* p, TraceArg& arg);
  void number_value(std::string_view word, TraceArg& arg);
  void see(const char* until, SeenStep step);

  // src/trace/chrome/values.cpp: the same for values in any form.
  const char* parse_text(const char* p, std::uint32_t& number);
  const char* parse_id(const char* p, Id& id);
  const char* parse_time(const char* p, TimeWord& time);
  const char* parse_phase(const char* p, Event& event);
  const char* parse_flow_id(const char* p, Event& event);
  const char* parse_bind_id(const char* p, Event& event);

  // src/trace/chrome/events.cpp: from values to events.
  void parse_list(Window& window);
  bool is_cut_off(const char* p);
  const char* recover(const char* p);
  void finish(const Event& event);
  void finish_timed(const Event& event, std::int64_t time);
  void finish_complete(const Event& event, std::int64_t time);
  void add_instant(const Event& event, RowKind kind, std::int64_t time);
  void add_slice(const Event& event, RowKind kind, std::int64_t time, std::int64_t duration);
  void add_mark(const Event& event, RowKind kind, std::int64_t time);
  void add_counter(const Event& event, std::int64_t time);
  void add_naming(const Event& event);
  std::uint32_t row_of(const Event& event, RowKind kind);
  std::uint32_t take_args();
  std::int64_t take_recorded_duration(std::int64_t duration);
  bool settle_time(const TimeWord& word, const Event& event, std::int64_t& time);
  std::uint32_t intern(std::string_view text) { return texts_.intern(text, order_++); }
  std::string_view text(StringId id) const { return texts_.text(static_cast<std::uint32_t>(id)); }
  void fault(TraceRule rule, const Event& event);
  void fault_at(TraceRule rule, const char* p);
  std::uint64_t offset_of(const char* p) const;

  bool only_slices_;
  Interner texts_;
  std::vector<Row> rows_;
  std::map<RowKey, std::uint32_t> row_numbers_;
  struct RecentRow {
    RowKey key;
    std::uint32_t row = UINT32_MAX;
  };
  std::array<RecentRow, 256> recent_rows_;  // by some bits of the key: events take turns on few rows
  FaultList faults_;

  Window* window_ = nullptr;
  const char *begin_ = nullptr, *end_ = nullptr;
  std::uint64_t order_ = 0;
  std::size_t bytes_per_event_ = 128;  // of the last window, to guess the next one's number
  int endless_events_ = 0;             // that had no end within the longest text an event may have
  std::vector<TraceArg> args_;
  std::string scratch_;

  EventShapes shapes_;
  std::vector<SeenStep> seen_;     // of the event that is parsed in the general way
  const char* between_ = nullptr;  // the end of its last value
  bool is_trying_ = false;         // an event of a known shape: faults are left to the general way
  bool is_plain_ = true;           // the event has nothing that makes every event of its kind be looked at
};

}  // namespace takt::chrome
