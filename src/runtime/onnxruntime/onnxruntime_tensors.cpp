#include "runtime/onnxruntime/onnxruntime_tensors.h"

#include <fmt/format.h>

#include <cstring>

#include "core/error.h"
#include "runtime/tensor_checks.h"

namespace takt::ort {

ElementType element_type(ONNXTensorElementDataType type) { return static_cast<ElementType>(static_cast<int>(type)); }

Port port(const std::string& name, const Ort::TypeInfo& type) {
  Port result{name, ElementType::undefined, {}};
  if (type.GetONNXType() != ONNX_TYPE_TENSOR) return result;
  const auto tensor = type.GetTensorTypeAndShapeInfo();
  result.type = element_type(tensor.GetElementType());
  const auto sizes = tensor.GetShape();
  std::vector<const char*> symbols(sizes.size(), nullptr);
  if (!symbols.empty()) tensor.GetSymbolicDimensions(symbols.data(), symbols.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto& dim = result.shape.emplace_back();
    if (sizes[i] >= 0)
      dim.value = sizes[i];
    else if (i < symbols.size() && symbols[i])
      dim.symbol = symbols[i];
  }
  return result;
}

Ort::Value foreign_value(HostTensor& tensor) {
  const auto type = static_cast<ONNXTensorElementDataType>(static_cast<int>(tensor.type));
  if (tensor.type == ElementType::string) {
    Ort::AllocatorWithDefaultOptions allocator;
    auto value = Ort::Value::CreateTensor(allocator, tensor.shape.data(), tensor.shape.size(), type);
    std::vector<const char*> strings;
    for (const auto& text : tensor.strings) strings.push_back(text.c_str());
    value.FillStringTensor(strings.data(), strings.size());
    return value;
  }
  static const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  return Ort::Value::CreateTensor(memory, tensor.bytes.data(), tensor.bytes.size(), tensor.shape.data(),
                                  tensor.shape.size(), type);
}

HostTensor host_tensor(const Ort::Value& value, const std::string& name, const std::string& where) {
  if (!value || !value.HasValue() || !value.IsTensor())
    throw Error(ErrorKind::unsupported, fmt::format("{}: output '{}' is not a tensor; remove it from the model's "
                                                    "outputs to read the others",
                                                    where, name));
  const auto type = value.GetTensorTypeAndShapeInfo();
  HostTensor result{name, element_type(type.GetElementType()), type.GetShape(), {}, {}};
  if (result.type == ElementType::string) {
    for (std::size_t i = 0; i < type.GetElementCount(); ++i) result.strings.push_back(value.GetStringTensorElement(i));
    return result;
  }
  const auto size = byte_size(result.type, result.shape);
  if (!size)
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: output '{}' of type {} cannot be copied out", where, name, type_name(result.type)));
  result.bytes.resize(*size);
  if (*size) std::memcpy(result.bytes.data(), value.GetTensorRawData(), *size);
  return result;
}

}  // namespace takt::ort
