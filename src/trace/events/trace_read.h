// A trace with what its file says about itself: what every reader of traces returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/events/faults.h"
#include "trace/events/trace.h"

namespace takt {

struct TraceReadSettings {
  unsigned threads = 0;  ///< parsing threads, of Chrome JSON; 0: as many as processors, at most 8
  /// Also list overlapping slices, as rows stand in the file, and launches whose work is missing or too early (costs a
  /// sort and a table of launches).
  bool find_overlaps = false;
  bool checks_json = false;  ///< also say where Chrome JSON is none (costs a look at each byte)
  /// Leave flows and counters out, of Chrome JSON, with what is wrong with them: half of the memory, for who asks for
  /// spans and their arguments only.
  bool only_slices = false;
  std::size_t window_bytes = std::size_t{4} << 20;  ///< read at once by a thread; tests make it small
};

struct TraceRead {
  Trace trace;
  std::vector<TraceFault> faults;
  std::uint64_t file_events = 0;     ///< entries of the file's list of events, broken ones and names too
  std::optional<std::int64_t> rank;  ///< distributedInfo.rank of PyTorch
  std::string host;                  ///< from takt's provenance; empty: not told
};

}  // namespace takt
