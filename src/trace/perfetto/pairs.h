// Which end belongs to which begin: an end closes what began last on its track.
//
// Writers' packets are mixed in a file, but those of one track come in the order of time nearly always, and then a pair
// is known once its end is read. Where times go back, all that was paired is taken back, and marks wait to be sorted:
// four bytes per event keep what that takes, a list of all marks would be another 32.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/events/faults.h"
#include "trace/events/trace.h"
#include "trace/perfetto/tracks.h"

namespace takt::perfetto {

/// Not thread-safe: one per file.
class SlicePairs {
 public:
  /// `events`: all that were read, with their tracks for rows; gets durations.
  SlicePairs(std::vector<TraceEvent>& events, Tracks& tracks) : events_(events), tracks_(tracks) {}

  /// Makes room for so many events.
  void expect(std::size_t events);
  /// The last of the events is one that begins.
  void begin();
  /// `brought`: of bring(), 0: nothing.
  void end(std::uint32_t track, std::int64_t time, std::uint32_t brought);
  /// Keeps what an end brings for the event that it closes.
  std::uint32_t bring(std::span<const TraceArg> args);
  /// The next begin or end is earlier than one before it on the same track.
  void times_go_back();
  /// Pairs what is left, and adds what ends brought to their events. Rows of the trace must be known.
  void finish(Trace& trace, FaultList& faults);
  /// The event that was closed by the end that brought this; nullopt: none. Valid after finish().
  std::optional<std::uint32_t> closed_by(std::uint32_t brought) const { return brought_[brought].event; }

 private:
  struct Mark {
    std::int64_t time = 0;
    std::uint32_t track = 0;
    std::uint32_t event = 0;  // the one that begins, or end_bit and what the end brought
  };
  struct PlacedEnd {
    Mark mark;
    std::uint32_t position = 0;  // how many events were read before it
  };
  struct Brought {
    std::vector<TraceArg> args;
    std::optional<std::uint32_t> event;
  };
  static constexpr std::uint32_t end_bit = std::uint32_t{1} << 31, still_open = UINT32_MAX;

  std::uint32_t position() const { return static_cast<std::uint32_t>(events_.size()); }
  void pair(const Mark& mark);
  std::vector<PlacedEnd> past_ends() const;
  void close_open_ones(const Trace& trace, FaultList& faults);
  void add_brought(Trace& trace);

  std::vector<TraceEvent>& events_;
  Tracks& tracks_;
  // Per event. While it is open: 1 + the open one around it, 0: none. Once closed: how many events there were by then.
  // 0, too: it never began, as instants.
  std::vector<std::uint32_t> links_;
  std::vector<PlacedEnd> lone_ends_;
  std::vector<Brought> brought_{1};
  bool is_sorted_ = true;
  std::vector<Mark> marks_;  // of a file whose times go back
};

}  // namespace takt::perfetto
