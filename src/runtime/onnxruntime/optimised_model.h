// ONNX Runtime's optimised graph, rewritten so that its profile can be joined to its nodes exactly.
//
// Nodes that the optimiser made have empty names, and the profiler then invents one from an index that the file does
// not show. So the saved graph gets unique names, is loaded again without optimisation, and that copy is measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/runtime.h"

namespace takt::ort {

struct OptimisedModel {
  std::string bytes;            ///< a model; node i is named node_key(i)
  std::vector<OpSample> nodes;  ///< in the file's order, which is that of execution; times are zero
  bool has_subgraphs = false;   ///< control flow: an inference may write more events than there are nodes
};

/// The dump as a model that loads again, unchanged otherwise. Throws Error(runtime) when it is not a model.
std::string reloadable(const std::filesystem::path& dump, const std::string& where);

std::string node_key(std::size_t index);

/// Reads and rewrites the dump. Throws Error(runtime) when the dump is not a model.
OptimisedModel read_optimised(const std::filesystem::path& dump, const Graph* graph, const std::string& where);

}  // namespace takt::ort
