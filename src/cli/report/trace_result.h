// A trace as a tab of a page: what takt says of it, and its timeline.
#pragma once

#include <filesystem>

#include "report/page/page.h"

namespace takt {

/// Returns whether a file is a trace by its first bytes: compressed, Perfetto's protobuf or Chrome's JSON with the key
/// "traceEvents". Profiles of ONNX Runtime are lists of events without one.
bool is_trace(const std::filesystem::path& file);

/// Returns what the command for such a trace says of it, and its timeline: `takt pipeline analyze` of a pipeline run,
/// `takt diagnose` with the metrics of --show of a training, else `takt trace info`. Throws as these do.
ReportResult trace_result(const std::filesystem::path& file);

}  // namespace takt
