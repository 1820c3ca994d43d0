#include "model/onnxruntime/tensors.h"

#include <fmt/format.h>

#include <cstring>

#include "base/basics/error.h"
#include "model/runtime/tensor_checks.h"

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

namespace {

ONNXTensorElementDataType foreign_type(ElementType type) {
  return static_cast<ONNXTensorElementDataType>(static_cast<int>(type));
}

/// Without its bytes.
HostTensor described(const Ort::Value& value, const std::string& name, const std::string& where) {
  if (!value || !value.HasValue() || !value.IsTensor())
    throw Error(ErrorKind::unsupported, fmt::format("{}: output '{}' is not a tensor; remove it from the model's "
                                                    "outputs to read the others",
                                                    where, name));
  const auto type = value.GetTensorTypeAndShapeInfo();
  return {name, element_type(type.GetElementType()), type.GetShape(), {}, {}};
}

std::size_t size_of(const HostTensor& tensor, const std::string& where) {
  if (const auto size = byte_size(tensor.type, tensor.shape)) return *size;
  throw Error(ErrorKind::unsupported, fmt::format("{}: output '{}' of type {} cannot be copied out", where, tensor.name,
                                                  type_name(tensor.type)));
}

void copy_strings(const Ort::Value& value, HostTensor& to) {
  const auto count = value.GetTensorTypeAndShapeInfo().GetElementCount();
  for (std::size_t i = 0; i < count; ++i) to.strings.push_back(value.GetStringTensorElement(i));
}

}  // namespace

Ort::Value foreign_value(const HostTensor& tensor) {
  if (tensor.type == ElementType::string) {
    Ort::AllocatorWithDefaultOptions allocator;
    auto value =
        Ort::Value::CreateTensor(allocator, tensor.shape.data(), tensor.shape.size(), foreign_type(tensor.type));
    std::vector<const char*> strings;
    for (const auto& text : tensor.strings) strings.push_back(text.c_str());
    value.FillStringTensor(strings.data(), strings.size());
    return value;
  }
  static const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  return Ort::Value::CreateTensor(memory, const_cast<std::byte*>(tensor.bytes.data()), tensor.bytes.size(),
                                  tensor.shape.data(), tensor.shape.size(), foreign_type(tensor.type));
}

Ort::Value value_over(std::byte* bytes, ElementType type, const Shape& shape) {
  static const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  return Ort::Value::CreateTensor(memory, bytes, byte_size(type, shape).value_or(0), shape.data(), shape.size(),
                                  foreign_type(type));
}

HostTensor host_tensor(const Ort::Value& value, const std::string& name, const std::string& where) {
  HostTensor result = described(value, name, where);
  if (result.type == ElementType::string) {
    copy_strings(value, result);
    return result;
  }
  const std::size_t size = size_of(result, where);
  result.bytes.resize(size);
  if (size) std::memcpy(result.bytes.data(), value.GetTensorRawData(), size);
  return result;
}

HostTensor adopted_tensor(Ort::Value value, std::shared_ptr<const void> owner, const std::string& name,
                          const std::string& where) {
  HostTensor result = described(value, name, where);
  if (result.type == ElementType::string) {
    copy_strings(value, result);
    return result;
  }
  const std::size_t size = size_of(result, where);
  const auto* const data = static_cast<const std::byte*>(value.GetTensorRawData());
  if (!owner) owner = std::make_shared<Ort::Value>(std::move(value));
  result.bytes = Bytes(std::move(owner), data, size);
  return result;
}

}  // namespace takt::ort
