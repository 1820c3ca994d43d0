// Track events as events of a Trace: what begins finds its end, flows find both of theirs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/chrome/marks.h"
#include "trace/perfetto/args.h"
#include "trace/perfetto/pairs.h"
#include "trace/perfetto/sequence.h"
#include "trace/perfetto/tracks.h"

namespace takt::perfetto {

/// Where faults go, with the place in the file that is being read.
struct FaultPlace {
  FaultList& faults;
  std::uint64_t offset = 0;  ///< of the packet

  void add(TraceRule rule, std::string_view what = {}) const {
    faults.add(rule, offset,
               [&] { return "byte " + std::to_string(offset) + (what.empty() ? "" : ": " + std::string(what)); });
  }
};

/// What an event's packet says of it.
struct EventTime {
  std::int64_t time = 0;
  std::optional<std::uint64_t> row_track;  ///< of a wide instant that takt wrote: where it came from
};

/// Not thread-safe: one per file.
class EventCollector {
 public:
  EventCollector(Trace& trace, Tracks& tracks) : trace_(trace), tracks_(tracks), args_reader_(trace) {}

  /// Takes a TrackEvent message.
  void add(std::string_view message, const EventTime& when, const Sequence& sequence, const FaultPlace& place);
  /// Makes room: in the end there will be about `times` as much as there is now. Only a hint.
  void expect(double times);
  /// Moves everything into the trace, once all packets were added.
  void finish(bool fold_lanes, FaultList& faults);

 private:
  /// The older form of an event, which Chrome still writes for what tracks have no form for.
  struct Legacy {
    char phase = 0;
    std::optional<std::int64_t> duration_us, process, thread;
    std::uint64_t id = 0, bind_id = 0, flow_direction = 0, scope = 0;
    bool has_id = false, binds_enclosing = false, is_present = false;
  };
  static const Legacy no_legacy;
  struct Event {
    std::uint64_t type = 0;
    std::optional<std::uint64_t> track, row_track;
    StringId name{}, category{};
    std::optional<double> value;
    const Legacy* legacy = &no_legacy;  // few have one, and to make one for each would take a while
    bool is_unread = false, has_unknown_text = false, is_broken = false;
  };
  struct FlowEnd {
    std::int64_t time = 0;
    std::uint64_t number = 0;
    std::uint32_t event = 0;  // or end_bit and what an end brought
    bool ends_here = false, is_legacy_in = false;
  };
  struct Sample {
    std::int64_t time = 0;
    double value = 0;
    std::uint32_t track = 0;
    StringId name{};
  };
  static constexpr std::uint32_t end_bit = std::uint32_t{1} << 31;

  void decode(std::string_view message, const Sequence& sequence, Event& event);
  void decode_field(const Field& field, const Sequence& sequence, Event& event);
  void decode_legacy(std::string_view message, const Sequence& sequence, Event& event);
  void add_category(StringId category, Event& event);
  std::uint32_t track_of(const Event& event, const Sequence& sequence);
  std::uint32_t thread_track_of(const Event& event, std::uint32_t track);
  std::uint32_t async_track_of(const Event& event, std::uint32_t track);

  void add_of_type(const Event& event, std::uint32_t track, std::int64_t time, const FaultPlace& place);
  void add_legacy(const Event& event, std::uint32_t track, std::int64_t time, const FaultPlace& place);
  void begin(const Event& event, std::uint32_t track, std::int64_t time);
  void end(std::uint32_t track, std::int64_t time);
  void add_complete(const Event& event, std::uint32_t track, std::int64_t time);
  void add_instant(const Event& event, std::uint32_t track, std::int64_t time);
  void add_counter(const Event& event, std::uint32_t track, std::int64_t time, const FaultPlace& place);
  void add_legacy_counter(const Event& event, std::uint32_t track, std::int64_t time);
  void add_legacy_arrow(const Event& event, std::uint32_t track, std::int64_t time);
  std::uint32_t push(const Event& event, std::uint32_t track, std::int64_t time, std::int64_t duration);
  void push_flows(std::uint32_t holder, std::int64_t time);
  void touch(std::uint32_t track, StringId name, StringId category, std::int64_t time);

  void restore_negative_durations();
  void join_flows();
  void add_samples();

  Trace& trace_;
  Tracks& tracks_;
  ArgReader args_reader_;
  std::vector<TraceEvent> events_;  // rows are tracks until finish()
  SlicePairs pairs_{events_, tracks_};
  std::vector<FlowEnd> flows_;
  std::vector<Sample> samples_;
  std::vector<chrome::PlacedMark> arrows_;
  std::vector<std::uint32_t> negatives_;  // events that tell a recorded duration

  // State of the event that is being read.
  Legacy legacy_;
  std::vector<TraceArg> args_;
  std::vector<std::pair<std::uint64_t, bool>> event_flows_;  // number; does it end here?
};

}  // namespace takt::perfetto
