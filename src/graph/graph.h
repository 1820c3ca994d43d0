// A model as takt sees it: operators, the tensors between them, and nothing of any runtime.
//
// Immutable after reading. An operator that takt does not know is kept, with its type as written in the model, and its
// cost is then "not known" rather than zero. Subgraphs (If, Loop, Scan) are graphs of their own inside the operator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace takt {

/// Element types with the numbers of ONNX TensorProto.DataType (frozen by that standard).
enum class ElementType : int {
  undefined = 0,
  f32 = 1,
  u8 = 2,
  i8 = 3,
  u16 = 4,
  i16 = 5,
  i32 = 6,
  i64 = 7,
  string = 8,
  boolean = 9,
  f16 = 10,
  f64 = 11,
  u32 = 12,
  u64 = 13,
  complex64 = 14,
  complex128 = 15,
  bf16 = 16,
  f8e4m3fn = 17,
  f8e4m3fnuz = 18,
  f8e5m2 = 19,
  f8e5m2fnuz = 20,
  u4 = 21,
  i4 = 22,
  f4e2m1 = 23,
  f8e8m0 = 24,
  u2 = 25,
  i2 = 26,
};

std::string_view type_name(ElementType type);  ///< NumPy's spelling where there is one: "float32", "int64", "bool"
/// Bits of one element; nullopt for strings and undefined.
std::optional<int> type_bits(ElementType type);

/// A dimension: a number, a symbol ("batch"), or unknown (neither).
struct Dim {
  std::optional<std::int64_t> value;
  std::string symbol;
};
using Shape = std::vector<std::int64_t>;
using PartialShape = std::vector<Dim>;

std::optional<Shape> concrete(const PartialShape& shape);  ///< nullopt if any dimension is not a number
/// Product of the dimensions (1 for a scalar); nullopt on a negative dimension or overflow of int64.
std::optional<std::int64_t> element_count(const Shape& shape);
std::string to_string(const Shape& shape);         ///< "{1,3,224,224}"
std::string to_string(const PartialShape& shape);  ///< "{batch,3,?,224}"
/// Bytes that `elements` of this type take, packed types rounded up; nullopt for strings, undefined, and overflow.
std::optional<std::int64_t> byte_count(ElementType type, std::int64_t elements);
/// The same for a shape; nullopt if a dimension is not known.
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
};

struct Graph {
  std::string name;
  std::vector<Tensor> tensors;                 ///< indexed by TensorId
  std::vector<Op> ops;                         ///< topological order
  std::vector<TensorId> inputs, outputs;       ///< inputs without initializers
  std::map<std::string, std::int64_t> opsets;  ///< domain → version
  std::int64_t ir_version = 0;
  std::filesystem::path path;  ///< where it was read from; empty if built

  std::optional<TensorId> find_tensor(std::string_view tensor_name) const;
};

}  // namespace takt
