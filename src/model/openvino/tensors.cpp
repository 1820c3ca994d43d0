#include "model/openvino/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <openvino/core/node.hpp>

#include "model/graph/limits.h"

namespace takt::openvino {

ElementType element_type(const ov::element::Type& type) {
  switch (ov::element::Type_t(type)) {
    case ov::element::Type_t::boolean:
      return ElementType::boolean;
    case ov::element::Type_t::bf16:
      return ElementType::bf16;
    case ov::element::Type_t::f16:
      return ElementType::f16;
    case ov::element::Type_t::f32:
      return ElementType::f32;
    case ov::element::Type_t::f64:
      return ElementType::f64;
    case ov::element::Type_t::i4:
      return ElementType::i4;
    case ov::element::Type_t::i8:
      return ElementType::i8;
    case ov::element::Type_t::i16:
      return ElementType::i16;
    case ov::element::Type_t::i32:
      return ElementType::i32;
    case ov::element::Type_t::i64:
      return ElementType::i64;
    case ov::element::Type_t::u4:
      return ElementType::u4;
    case ov::element::Type_t::u8:
      return ElementType::u8;
    case ov::element::Type_t::u16:
      return ElementType::u16;
    case ov::element::Type_t::u32:
      return ElementType::u32;
    case ov::element::Type_t::u64:
      return ElementType::u64;
    case ov::element::Type_t::f8e4m3:
      return ElementType::f8e4m3fn;
    case ov::element::Type_t::f8e5m2:
      return ElementType::f8e5m2;
    case ov::element::Type_t::f4e2m1:
      return ElementType::f4e2m1;
    case ov::element::Type_t::f8e8m0:
      return ElementType::f8e8m0;
    case ov::element::Type_t::string:
      return ElementType::string;
    default:
      return ElementType::undefined;
  }
}

PartialShape partial_shape(const ov::PartialShape& shape) {
  PartialShape result;
  if (shape.rank().is_dynamic()) return result;
  for (const auto& dim : shape) {
    auto& added = result.emplace_back();
    if (dim.is_static())
      added.value = dim.get_length();
    else
      added.symbol = to_symbol(
          {dim.get_min_length(), dim.get_max_length() < 0 ? std::nullopt : std::optional(dim.get_max_length())});
  }
  return result;
}

ov::PartialShape foreign_shape(const PartialShape& shape) {
  ov::PartialShape result = ov::PartialShape::dynamic(static_cast<std::int64_t>(shape.size()));
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].value) result[i] = *shape[i].value;
  return result;
}

std::unordered_set<std::string> tensor_names(const ov::Output<ov::Node>& port) {
  if (!port.get_names().empty()) return port.get_names();
  const auto* node = port.get_node();
  const auto& name = node->get_friendly_name();
  return {node->get_output_size() == 1 ? name : fmt::format("{}.{}", name, port.get_index())};
}

ov::Tensor foreign_tensor(const HostTensor& tensor, const ov::element::Type& type) {
  ov::Tensor result(type, ov::Shape(tensor.shape.begin(), tensor.shape.end()));
  if (tensor.type == ElementType::string)
    std::copy(tensor.strings.begin(), tensor.strings.end(), result.data<std::string>());
  else if (!tensor.bytes.empty())
    std::memcpy(result.data(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

ov::Tensor foreign_view(const HostTensor& tensor, const ov::element::Type& type) {
  if (tensor.type == ElementType::string || tensor.bytes.empty()) return foreign_tensor(tensor, type);
  return ov::Tensor(type, ov::Shape(tensor.shape.begin(), tensor.shape.end()),
                    const_cast<std::byte*>(tensor.bytes.data()));
}

/// Without its bytes.
static HostTensor described(const ov::Tensor& tensor, const std::string& name) {
  HostTensor result{name, element_type(tensor.get_element_type()), {}, {}, {}};
  for (const auto size : tensor.get_shape()) result.shape.push_back(static_cast<std::int64_t>(size));
  return result;
}

HostTensor tensor_over(const ov::Tensor& tensor, std::shared_ptr<const void> owner, const std::string& name) {
  HostTensor result = described(tensor, name);
  result.bytes = Bytes(std::move(owner), static_cast<const std::byte*>(tensor.data()), tensor.get_byte_size());
  return result;
}

HostTensor host_tensor(const ov::Tensor& tensor, const std::string& name) {
  HostTensor result = described(tensor, name);
  if (result.type == ElementType::string) {
    const auto* strings = tensor.data<const std::string>();
    result.strings.assign(strings, strings + tensor.get_size());
  } else {
    result.bytes.resize(tensor.get_byte_size());
    if (!result.bytes.empty()) std::memcpy(result.bytes.data(), tensor.data(), result.bytes.size());
  }
  return result;
}

}  // namespace takt::openvino
