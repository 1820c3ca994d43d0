// A run's trace as a file, without the trace in memory: that would take ten times what the run does.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// The bytes of stream_chrome(to_trace(run)), in pieces. Throws Error(bad_input) as to_trace() and stream_chrome() do,
/// before the first piece. `events_at_once`: that are in memory, or as many as start at one instant.
void stream_pipeline_trace(const PipelineRun& run, const std::function<void(std::string_view)>& sink,
                           std::size_t events_at_once = 8192);

/// The same to a file that is seen whole or not at all. Throws also Error(io).
void write_pipeline_trace(const PipelineRun& run, const std::filesystem::path& path);

}  // namespace takt
