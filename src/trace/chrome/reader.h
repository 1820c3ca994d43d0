// Traces that anyone wrote as Chrome JSON, read into a Trace: takt's own, PyTorch's (Kineto), ONNX Runtime's, Chrome's.
//
// The object form and the array form, compressed or not, complete or cut off. Stamps are taken from their decimal text,
// exact to the nanosecond. What is wrong in a file is listed and the rest is read; only a file without any list of
// events is refused. The file is read in windows by several threads, so memory holds the events and not the text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "trace/events/byte_source.h"
#include "trace/events/trace_read.h"

namespace takt {

/// How foreign forms become a Trace:
/// - begin and end (B, E; b, e) become one event; a begin without an end lasts until the trace's last moment;
/// - an instant becomes an event of zero length that is marked as one;
/// - async events stand on a row per process and category;
/// - a flow's ends (s, t, f) belong to the slice they lie on; numbers of flows are kept where they are unique;
/// - a counter with several values becomes several counters, "NAME KEY";
/// - times since 1970 without a base time have the base time 0, so that their place in time is kept;
/// - keys beside the list of events become properties;
/// - process and row numbers that importers cannot use (0, text) are replaced by free ones;
/// - rows that takt added for overlapping spans ("lane 2") are joined with their row again.
/// Equal files give equal traces whatever the number of threads. Throws Error(io) if the file cannot be read and
/// Error(bad_input) if it is no trace.
TraceRead read_chrome_trace(const std::filesystem::path& path, const TraceReadSettings& settings = {});

/// The same of a text in memory, compressed or not. `name` stands for the file in messages.
TraceRead parse_chrome_trace(std::string_view text, const std::string& name = "trace",
                             const TraceReadSettings& settings = {});

/// The same of bytes from anywhere.
TraceRead read_chrome_trace(ByteSource& source, const std::string& name, const TraceReadSettings& settings);

}  // namespace takt
