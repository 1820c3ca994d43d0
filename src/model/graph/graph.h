// A model as takt sees it: operators, the tensors between them, and nothing of any runtime.
//
// Immutable after reading. An operator that takt does not know is kept, with its type as written in the model, and its
// cost is then "not known" rather than zero. Subgraphs (If, Loop, Scan) are graphs of their own inside the operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "takt/tensor.h"

namespace takt {

std::optional<Shape> concrete(const PartialShape& shape);  ///< nullopt if any dimension is not a number
std::string to_string(const PartialShape& shape);          ///< "{batch,3,?,224}"
/// The same as byte_count() of takt/tensor.h; nullopt also if a dimension is not known.
std::optional<std::int64_t> byte_count(ElementType type, const std::optional<PartialShape>& shape);

using TensorId = std::int32_t;
inline constexpr TensorId no_tensor = -1;  ///< an optional input that is left out

struct Tensor {
  std::string name;
  ElementType type = ElementType::undefined;
  std::optional<PartialShape> shape;  ///< nullopt: not known, not even the rank
  bool is_constant = false;           ///< an initializer, or the output of Constant or of ConstantOfShape on a constant
  std::optional<std::int64_t> bytes;  ///< of its elements, where shape and type are known
  std::optional<std::vector<std::int64_t>> integers;  ///< values of small integer constants (shapes, axes, pads)
  bool is_captured = false;                           ///< in a subgraph: the tensor of this name of an enclosing graph
};

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                               std::vector<std::string>>;
struct Graph;

struct Op {
  std::string name;    ///< unique in its graph; generated as TYPE_INDEX where the model has none or repeats one
  std::string type;    ///< "Conv"
  std::string domain;  ///< "" for ai.onnx
  std::vector<TensorId> inputs, outputs;  ///< no_tensor where left out
  std::map<std::string, Attribute> attributes;
  std::map<std::string, std::shared_ptr<const Graph>> subgraphs;  ///< "then_branch" → graph
  int node_index = -1;  ///< place in the file's list of nodes; -1 if built by hand
  /// In one inference that was observed, over all turns of the bodies around it; nullopt: none was, or it does not
  /// tell.
  std::optional<std::int64_t> executions = std::nullopt;
};

struct Graph {
  std::string name;
  std::vector<Tensor> tensors;                 ///< indexed by TensorId
  std::vector<Op> ops;                         ///< topological order
  std::vector<TensorId> inputs, outputs;       ///< inputs without initializers
  std::map<std::string, std::int64_t> opsets;  ///< domain → version
  std::int64_t ir_version = 0;
  std::filesystem::path path;               ///< where it was read from; empty if built
  std::vector<std::string> external_files;  ///< beside `path`, with values of its constants; each once, sorted

  /// `id` is one of its own and not no_tensor.
  const Tensor& tensor(TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
  Tensor& tensor(TensorId id) { return tensors[static_cast<std::size_t>(id)]; }
  std::optional<TensorId> find_tensor(std::string_view tensor_name) const;
};

/// Whether all that `op` makes are constants: every runtime computes those once, when it loads the model.
bool is_folded(const Graph& graph, const Op& op);

}  // namespace takt
