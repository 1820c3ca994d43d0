// Traces as Perfetto's protobuf: half the size of Chrome JSON, read ten times as fast by ui.perfetto.dev, and without
// the rounding of decimal microseconds.
//
// A file is a list of TracePackets. takt writes them itself, since it needs a dozen fields of a schema of thousands:
// protos/perfetto/trace/ of https://github.com/google/perfetto. docs/formats.md lists the fields.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "trace/events/trace.h"

namespace takt {

/// The whole file. Equal traces give equal bytes. Lanes, negative durations and errors as in to_chrome_json(). Rows
/// become threads, arguments become debug annotations ("debug.KEY" in queries; a null has no value), a flow's number
/// becomes a flow id, and the second flow from one event a flow id of its own.
std::string to_perfetto(const Trace& trace);

/// The same, in pieces, to whatever takes them.
void stream_perfetto(const Trace& trace, const std::function<void(std::string_view)>& sink);

/// NAME.pftrace, NAME.perfetto-trace, either also with .gz.
bool is_perfetto_name(const std::filesystem::path& path);

/// The same as to_perfetto() to a file that is seen whole or not at all; compressed if its name ends in ".gz".
void write_perfetto(const Trace& trace, const std::filesystem::path& path);

}  // namespace takt
