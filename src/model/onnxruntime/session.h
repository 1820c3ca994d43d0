// A model loaded by ONNX Runtime.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "model/onnxruntime/loading.h"
#include "model/runtime/runtime.h"

namespace takt::ort {

/// With the inputs of `graph`, which may be null.
std::unique_ptr<Session> make_session(Loader loader, const Graph* graph, const std::string& device,
                                      const SessionSettings& settings);

/// `device`: "CPU" or "GPU" (CUDA), checked by the caller. Throws Ort::Exception; the runtime translates it.
std::unique_ptr<Session> open_session(const Ort::Env& env, const std::filesystem::path& model, const Graph* graph,
                                      const std::string& device, const SessionSettings& settings);

/// See Runtime::open_pair. nullopt: the optimised model cannot be saved, or holds none of the model's own weights.
std::optional<SessionPair> open_pair(const Ort::Env& env, const std::filesystem::path& model, const Graph& graph,
                                     const std::string& device, SessionSettings settings);

}  // namespace takt::ort
