// Conversion between ONNX Runtime's values and takt's.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <memory>
#include <string>

#include "model/runtime/runtime.h"

namespace takt::ort {

/// Both number types as ONNX does.
ElementType element_type(ONNXTensorElementDataType type);

/// As declared; undefined type for what is no tensor (sequence, map, optional). ONNX Runtime cannot tell a scalar from
/// an unknown rank: both are an empty shape.
Port port(const std::string& name, const Ort::TypeInfo& type);

/// A value over the tensor's own memory, which must outlive it (strings are copied) and which nobody may write through
/// it.
Ort::Value foreign_value(const HostTensor& tensor);
/// A value to be written to, over memory of that size.
Ort::Value value_over(std::byte* memory, ElementType type, const Shape& shape);
/// Throws Error(unsupported) for what is no tensor.
HostTensor host_tensor(const Ort::Value& value, const std::string& name, const std::string& where);
/// The same over the value's memory, which belongs to `owner`; null: to the value itself, which lives on then. Strings
/// are copied.
HostTensor adopted_tensor(Ort::Value value, std::shared_ptr<const void> owner, const std::string& name,
                          const std::string& where);

}  // namespace takt::ort
