// Traces as Chrome JSON, the form that ui.perfetto.dev, chrome://tracing and PyTorch's tools open.
//
// The file is exact to the nanosecond: times are written as microseconds with three decimals, made from integers, and
// relative to a base time, because readers parse them as doubles and a double holds nanoseconds for 101 days only.
// docs/formats.md specifies the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "trace/events/trace.h"

namespace takt {

/// The whole file as text. Equal traces give equal bytes. Every event is written: spans that overlap on a row go on
/// extra rows named "NAME (lane 2)", a negative duration is written as 0 with an argument that tells it.
/// Throws Error(bad_input) if times lie more than 146 years from the base or the provenance is no JSON object.
std::string to_chrome_json(const Trace& trace);

/// The same, in pieces, to whatever takes them.
void stream_chrome(const Trace& trace, const std::function<void(std::string_view)>& sink);

/// The same of a trace whose events are never all there: what the trace has at each call, with other events each time
/// (Trace::clear_events()). The bytes are those of the whole trace. Not thread-safe.
class ChromePieces {
 public:
  /// Writes what comes before the first event. `trace` has its processes and rows, whose events do not overlap, its
  /// base and provenance, and must outlive this. `shift`, `one_arrow_each`: time_shift() of all that will come
  /// (written_rows.h), and whether no event has several flows.
  ChromePieces(const Trace& trace, std::int64_t shift, bool one_arrow_each, std::function<void(std::string_view)> sink);
  ~ChromePieces();
  /// All of them start after those that were written.
  void write_events();
  /// After the events; none of them is before one that was written.
  void write_counters();
  void end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same to a file that is seen whole or not at all. Throws also Error(io).
void write_chrome_trace(const Trace& trace, const std::filesystem::path& path);

}  // namespace takt
