// Traces in Perfetto's protobuf, read into a Trace: takt's own, PyTorch's, Chrome's, of any program with Perfetto's
// SDK.
//
// The file is read packet by packet, so memory holds the events and not the bytes. What is wrong is listed and the rest
// is read. What a Trace has no place for (system data, memory, statistics, fields of other programs) is left out, and
// that is listed, too.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "trace/events/byte_source.h"
#include "trace/events/trace_read.h"

namespace takt {

/// How a file becomes a Trace:
/// - threads are rows; any other track is a row of its process, and tracks of one name are one row;
/// - a begin and the end that follows on its track become one event; a begin without an end lasts until the trace's
///   last moment; arguments of the end are added to those of the begin;
/// - times are those of the trace's primary clock, the base time is what the real-time clock showed at its zero;
/// - debug annotations are arguments: without a value null, dictionaries and lists as JSON;
/// - counters are in their units (unit_multiplier), steps are added up;
/// - numbers of flows are kept where they are unique;
/// - Chrome's metadata are properties, takt's provenance is read back.
/// Throws Error(io) if the file cannot be read and Error(bad_input) if it is no trace.
TraceRead read_perfetto_trace(const std::filesystem::path& path, const TraceReadSettings& settings = {});

/// The same of bytes in memory, compressed or not. `name` stands for the file in messages.
TraceRead parse_perfetto_trace(std::string_view bytes, const std::string& name = "trace",
                               const TraceReadSettings& settings = {});

/// The same of bytes from anywhere.
TraceRead read_perfetto_trace(ByteSource& source, const std::string& name, const TraceReadSettings& settings);

}  // namespace takt
