// Conversion between ONNX Runtime's values and takt's.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>

#include "runtime/runtime.h"

namespace takt::ort {

/// Both number types as ONNX does.
ElementType element_type(ONNXTensorElementDataType type);

/// As declared; undefined type for what is no tensor (sequence, map, optional). ONNX Runtime cannot tell a scalar from
/// an unknown rank: both are an empty shape.
Port port(const std::string& name, const Ort::TypeInfo& type);

/// A value over the tensor's own memory, which must outlive it (strings are copied).
Ort::Value foreign_value(HostTensor& tensor);
/// Throws Error(unsupported) for what is no tensor.
HostTensor host_tensor(const Ort::Value& value, const std::string& name, const std::string& where);

}  // namespace takt::ort
