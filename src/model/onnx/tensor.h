// Constants of an ONNX file: what they are, and whether their data is all there.
#pragma once

#include <string>

#include "model/graph/graph.h"
#include "model/onnx/file.h"

namespace onnx {
class TensorProto;
class SparseTensorProto;
class TypeProto;
}  // namespace onnx

namespace takt {

/// Elements of the largest tensor that is taken for real (2^40; 4 TiB of float32).
inline constexpr std::int64_t max_elements = std::int64_t{1} << 40;
/// Constants of at most so many integers have their values in Tensor::integers.
inline constexpr std::int64_t max_integers = 1024;

/// Type, shape, size and small integer values of a constant; refuses negative and absurd dimensions, and data that does
/// not match them. External data is checked but not read. `name` is what messages and the result call it.
Tensor read_constant(const onnx::TensorProto& proto, const std::string& name, const ModelPlace& place);

/// A sparse constant: `shape` is the dense one, `bytes` what values and indices take.
Tensor read_sparse_constant(const onnx::SparseTensorProto& proto, const std::string& name, const ModelPlace& place);

/// Fills type and shape from a declaration (value_info, input, output) where the tensor does not know them yet.
void apply_declared_type(const onnx::TypeProto& type, Tensor& tensor, const ModelPlace& place);

/// Refuses a negative dimension and more than max_elements elements.
void check_dimensions(const PartialShape& shape, const std::string& tensor, const ModelPlace& place);

}  // namespace takt
