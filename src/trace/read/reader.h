// Traces in every format, told apart by their first bytes, whatever the file is called.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "trace/events/byte_source.h"
#include "trace/events/trace_read.h"

namespace takt {

/// Chrome's JSON (src/trace/chrome/reader.h) or Perfetto's protobuf (src/trace/perfetto/reader.h), compressed or not,
/// or a recorder's own file (recording_file.h). Throws Error(io) and Error(bad_input) as they do.
TraceRead read_trace(const std::filesystem::path& path, const TraceReadSettings& settings = {});

/// The same of what comes from anywhere, which may be a pipe; `name` stands for the file in messages.
TraceRead read_trace(std::unique_ptr<ByteSource> source, const std::string& name,
                     const TraceReadSettings& settings = {});
/// The same of bytes in memory.
TraceRead parse_trace(std::string_view bytes, const std::string& name = "trace",
                      const TraceReadSettings& settings = {});

}  // namespace takt
