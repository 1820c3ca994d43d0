// Shapes of all tensors of a model, and how often its operators execute, told by one inference.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <filesystem>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt::ort {

/// Runs the model once as it is written, unoptimised and with ONNX Runtime's profiler, and gives `graph` with the
/// shapes that its operators read and wrote: those that depend on values, too, and those in bodies (of their first
/// turn; a body that did not run keeps what was known), and with the number of their executions. Throws Ort::Exception,
/// Error.
Graph with_executed_shapes(const Ort::Env& env, const std::filesystem::path& model, const Graph& graph,
                           const SessionSettings& settings, const std::vector<HostTensor>& inputs);

}  // namespace takt::ort
