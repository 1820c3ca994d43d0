// Trace files by their names: which format, compressed or not.
#pragma once

#include <filesystem>

#include "trace/events/trace.h"

namespace takt {

/// Perfetto's protobuf for NAME.pftrace and NAME.perfetto-trace, Chrome JSON for any other name; compressed with gzip
/// if ".gz" follows. Seen whole or not at all. Throws Error(io), and Error(bad_input) like the writers.
void write_trace(const Trace& trace, const std::filesystem::path& path);

}  // namespace takt
