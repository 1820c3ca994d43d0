// A piece of a trace: what lies in a span of time, as a trace of its own.
#pragma once

#include "trace/cut/window_sieve.h"
#include "trace/events/trace.h"

namespace takt {

struct TracePiece {
  Trace trace;
  std::int64_t clipped = 0;  ///< events that went on beyond an edge
};

/// Events that cross an edge are clipped to it and say what they were: arguments `whole_start_ns` (from the trace's
/// base time, as all times) and `whole_duration_ns`, kept from an earlier cut where there are some. Of a flow both
/// ends stay, or none. Rows and processes without anything in the piece are left out; times, the base time and what the
/// file says of itself stay as they are. Equal traces give equal pieces.
TracePiece cut_trace(const Trace& trace, const TracePart& part);

}  // namespace takt
