// Traces as Chrome JSON, the form that ui.perfetto.dev, chrome://tracing and PyTorch's tools open.
//
// The file is exact to the nanosecond: times are written as microseconds with three decimals, made from integers, and
// relative to a base time, because readers parse them as doubles and a double holds nanoseconds for 101 days only.
// docs/formats.md specifies the file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace takt {

/// The whole file as text. Equal traces give equal bytes. Every event is written: spans that overlap on a row go on
/// extra rows named "NAME (lane 2)", a negative duration is written as 0 with an argument that tells it.
/// Throws Error(bad_input) if times lie more than 146 years from the base or the provenance is no JSON object.
std::string to_chrome_json(const Trace& trace);

/// The same, in pieces, to whatever takes them.
void stream_chrome(const Trace& trace, const std::function<void(std::string_view)>& sink);

/// The same to a file that is seen whole or not at all. Throws also Error(io).
void write_chrome_trace(const Trace& trace, const std::filesystem::path& path);

}  // namespace takt
