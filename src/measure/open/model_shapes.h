// Shapes of the tensors inside a model, from whichever runtimes of this binary know them. They are an extra: what no
// runtime can tell stays unknown, and whether the model can be run is not asked here.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "model/registry/asked.h"
#include "model/runtime/runtime.h"

namespace takt {

/// What `runtime` infers of the ONNX model with these shapes of its inputs; nothing where it cannot.
TensorShapes inferred_shapes(Runtime& runtime, const std::filesystem::path& model,
                             const std::map<std::string, Shape>& inputs);

/// The shapes of the model as it is, with the names that its dimensions have; of the first that tells, the runtime that
/// was chosen (null: none) in this process and others apart (model/registry/asked.h).
TensorShapes symbolic_shapes(Runtime* chosen, const std::filesystem::path& model);

/// Adds what only the others know, value by value: each runtime knows the shapes of the tensors that it keeps.
void add_known(TensorShapes& shapes, const TensorShapes& others);

/// `graph` with what the runtime that was chosen (null: none), and where that is not all the other runtimes, apart,
/// infer of the ONNX model.
Graph with_inferred_shapes(const Graph& graph, Runtime* chosen, const std::filesystem::path& model,
                           const std::map<std::string, Shape>& inputs);

/// `graph` with shapes as one inference of `values` has them, of the first runtime that tells, apart unless it was
/// chosen; nullopt where all are known, or no runtime tells. `settings` are those of the session that makes the
/// inference.
std::optional<Graph> with_observed_shapes(const Graph& graph, Runtime& chosen, const std::filesystem::path& model,
                                          const SessionSettings& settings, const std::vector<HostTensor>& values);

}  // namespace takt
