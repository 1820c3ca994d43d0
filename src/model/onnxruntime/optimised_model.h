// ONNX Runtime's optimised graph, rewritten so that its profile can be joined to its nodes exactly.
//
// Nodes that the optimiser made have empty names, and the profiler then invents one from an index that the file does
// not show. So the saved graph gets unique names, is loaded again without optimisation, and that copy is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt::ort {

/// A constant of the saved model whose values are in the file beside it.
struct StoredWeight {
  std::string name;
  int type = 0;  ///< as ONNX and ONNX Runtime number them
  std::vector<std::int64_t> shape;
  std::size_t offset = 0, bytes = 0;
};

struct OptimisedModel {
  std::string bytes;                                    ///< a model whose nodes are named by the keys of `nodes`
  std::unordered_map<std::string, ExecutedNode> nodes;  ///< those in bodies too
  std::vector<StoredWeight> weights;                    ///< of the outermost graph
  std::size_t outer_nodes = 0;                          ///< not in a body: each executes once per inference
};

/// The dump as a model that loads again, unchanged otherwise. Throws Error(runtime) when it is not a model.
std::string reloadable(const std::filesystem::path& dump, const std::string& where);

/// Reads and rewrites the dump. Throws Error(runtime) when the dump is not a model.
OptimisedModel read_optimised(const std::filesystem::path& dump, const Graph* graph, const std::string& where);

/// The least size of the file beside the dump that its weights are in. Throws as reloadable().
std::size_t end_of_weights(const std::filesystem::path& dump, const std::string& where);

/// `bytes` of an OptimisedModel with only the nodes of these keys, which others of them may feed; what they make for
/// the others are outputs.
std::string head_of(const std::string& bytes, const std::set<std::string>& keys, const std::string& where);

}  // namespace takt::ort
