// Trace files by their names: which format, compressed or not.
#pragma once

#include <filesystem>

#include "trace/chrome_reader.h"
#include "trace/trace.h"

namespace takt {

/// A trace in any form that takt reads, whatever its name: a recorder's own file, else Chrome JSON. Throws as
/// read_recording() and read_chrome_trace() do.
TraceRead read_trace(const std::filesystem::path& path, const TraceReadSettings& settings = {});

/// Perfetto's protobuf for NAME.pftrace and NAME.perfetto-trace, Chrome JSON for any other name; compressed with gzip
/// if ".gz" follows. Seen whole or not at all. Throws Error(io), and Error(bad_input) like the writers.
void write_trace(const Trace& trace, const std::filesystem::path& path);

}  // namespace takt
