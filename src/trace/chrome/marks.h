// Begins and ends become events, flows find their slices: what needs the events of the whole file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/chrome/events.h"
#include "trace/events/faults.h"
#include "trace/events/trace.h"

namespace takt::chrome {

/// A Mark whose numbers are those of the trace.
struct PlacedMark {
  std::int64_t time = 0;
  std::uint64_t id = 0;
  RowId row{};
  StringId name{}, category{};
  std::uint32_t event = 0;  ///< events of the file before it; of a begin, the event it began
  std::uint32_t args = 0;
  char phase = 0;
  bool id_is_text = false, binds_enclosing = false;
};

/// Gives events that a begin started their ends, those without one the last moment of the trace, or a later one that is
/// known. Marks of other phases are ignored.
void close_begins(Trace& trace, std::vector<PlacedMark>& marks, std::optional<std::int64_t> last_moment,
                  FaultList& faults);

/// Gives events the ends of flows that lie on them (phases s, t, f). `is_piece`: slices are missing, so an end that
/// wants the slice after it and finds none leads out of the piece.
void bind_flows(Trace& trace, std::vector<PlacedMark>& marks, bool is_piece, FaultList& faults);

/// Lists flows that lead nowhere.
void find_lone_flows(const Trace& trace, FaultList& faults);

/// "'conv' on row 'CPU' at 12.345 us"
std::string place_of(const Trace& trace, RowId row, StringId name, std::int64_t time);

}  // namespace takt::chrome
