// A trace of a training as a tab of a page: what `takt diagnose` says of it.
#pragma once

#include <filesystem>

#include "report/page/page.h"

namespace takt {

/// Returns whether a file is a trace by its first bytes: compressed, Perfetto's protobuf or Chrome's JSON with the key
/// "traceEvents". Profiles of ONNX Runtime are lists of events without one.
bool is_trace(const std::filesystem::path& file);

/// Returns the diagnosis of the trace with the metrics of `takt diagnose --show`. Throws Error(bad_input) for a trace in
/// which diagnose finds nothing to explain.
ReportResult trace_result(const std::filesystem::path& file);

}  // namespace takt
