// Traces that anyone wrote as Chrome JSON, read into a Trace: takt's own, PyTorch's (Kineto), ONNX Runtime's, Chrome's.
//
// The object form and the array form, compressed or not, complete or cut off. Stamps are taken from their decimal text,
// exact to the nanosecond. What is wrong in a file is listed and the rest is read; only a file without any list of
// events is refused. The file is read in windows by several threads, so memory holds the events and not the text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/faults.h"
#include "trace/trace.h"

namespace takt {

struct TraceReadSettings {
  unsigned threads = 0;        ///< parsing threads; 0: as many as processors, at most 8
  bool find_overlaps = false;  ///< also list overlapping slices, as rows stand in the file (costs a sort)
  std::size_t window_bytes = std::size_t{4} << 20;  ///< read at once by a thread; tests make it small
};

/// A trace with what its file says about itself.
struct TraceRead {
  Trace trace;
  std::vector<TraceFault> faults;
  std::uint64_t file_events = 0;     ///< entries of the file's list of events, broken ones and names too
  std::optional<std::int64_t> rank;  ///< distributedInfo.rank of PyTorch
  std::string host;                  ///< from takt's provenance; empty: not told
};

/// How foreign forms become a Trace:
/// - begin and end (B, E; b, e) become one event; a begin without an end lasts until the trace's last moment;
/// - an instant becomes an event of zero length;
/// - async events stand on a row per process and category;
/// - an arrow's ends (s, t, f) belong to the slice they lie on; numbers of arrows are kept where they are unique;
/// - a counter with several values becomes several counters, "NAME KEY";
/// - process and row numbers that importers cannot use (0, text) are replaced by free ones;
/// - rows that takt added for overlapping spans ("lane 2") are joined with their row again.
/// Equal files give equal traces whatever the number of threads. Throws Error(io) if the file cannot be read and
/// Error(bad_input) if it is no trace.
TraceRead read_chrome_trace(const std::filesystem::path& path, const TraceReadSettings& settings = {});

/// The same of a text in memory, compressed or not. `name` stands for the file in messages.
TraceRead parse_chrome_trace(std::string_view text, const std::string& name = "trace",
                             const TraceReadSettings& settings = {});

}  // namespace takt
