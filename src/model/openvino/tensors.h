// Conversion between OpenVINO's types, shapes and tensors and takt's.
#pragma once

#include <memory>
#include <openvino/core/node_output.hpp>
#include <openvino/core/partial_shape.hpp>
#include <openvino/core/type/element_type.hpp>
#include <openvino/runtime/tensor.hpp>
#include <string>
#include <unordered_set>

#include "model/runtime/runtime.h"

namespace takt::openvino {

ElementType element_type(const ov::element::Type& type);  ///< undefined: takt has no such type
PartialShape partial_shape(const ov::PartialShape& shape);
ov::PartialShape foreign_shape(const PartialShape& shape);

/// The tensor names that a port has; where it has none, its layer's name, with ".INDEX" where that has several outputs.
std::unordered_set<std::string> tensor_names(const ov::Output<ov::Node>& port);

/// A new tensor with a copy of the values.
ov::Tensor foreign_tensor(const HostTensor& tensor, const ov::element::Type& type);
/// A tensor over the value's own memory, which must outlive it and which nobody may write through it.
ov::Tensor foreign_view(const HostTensor& tensor, const ov::element::Type& type);
HostTensor host_tensor(const ov::Tensor& tensor, const std::string& name);
/// The same over the tensor's own memory, which `owner` keeps alive. Not of strings.
HostTensor tensor_over(const ov::Tensor& tensor, std::shared_ptr<const void> owner, const std::string& name);

}  // namespace takt::openvino
