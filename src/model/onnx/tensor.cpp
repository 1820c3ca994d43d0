#include "model/onnx/tensor.h"

#include <cstring>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

[[noreturn]] void refuse_tensor(const ModelPlace& place, const std::string& tensor, const std::string& why) {
  throw Error(ErrorKind::bad_input, place.where + ": tensor '" + printable(tensor) + "' " + why);
}

ElementType known_type(int number, const std::string& tensor, const ModelPlace& place) {
  if (number < 1 || number > static_cast<int>(ElementType::i2)) {
    refuse_tensor(place, tensor, "has the element type " + std::to_string(number) + ", which is unknown to takt");
  }
  return static_cast<ElementType>(number);
}

// How many values the typed field of TensorProto holds that this type uses; the widths are those of the standard.
std::int64_t typed_values(const onnx::TensorProto& proto, ElementType type) {
  switch (type) {
    case ElementType::f32:
      return proto.float_data_size();
    case ElementType::complex64:
      return proto.float_data_size() / 2;
    case ElementType::f64:
      return proto.double_data_size();
    case ElementType::complex128:
      return proto.double_data_size() / 2;
    case ElementType::i64:
      return proto.int64_data_size();
    case ElementType::u32:
    case ElementType::u64:
      return proto.uint64_data_size();
    case ElementType::string:
      return proto.string_data_size();
    default:
      return proto.int32_data_size();
  }
}

std::int64_t parse_place(const std::string& text, const std::string& key, const std::string& tensor,
                         const ModelPlace& place) {
  const auto value = number_in<std::int64_t>(text);
  if (!value || *value < 0) {
    refuse_tensor(place, tensor,
                  "has external data with the " + key + " '" + printable(text) + "', which is not a number");
  }
  return *value;
}

void check_external(const onnx::TensorProto& proto, std::int64_t bytes, const std::string& name,
                    const ModelPlace& place) {
  std::string location;
  std::int64_t offset = 0;
  std::optional<std::int64_t> length;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = parse_place(entry.value(), "offset", name, place);
    if (entry.key() == "length") length = parse_place(entry.value(), "length", name, place);
  }
  if (length && *length != bytes) {
    refuse_tensor(place, name,
                  "needs " + std::to_string(bytes) + " bytes by its dimensions, but its external data has " +
                      std::to_string(*length));
  }
  check_external_data(place, name, location, offset, bytes);
}

// Refuses data that is shorter or longer than the dimensions say.
void check_inline(const onnx::TensorProto& proto, const Tensor& tensor, std::int64_t elements,
                  const ModelPlace& place) {
  if (!proto.raw_data().empty() && tensor.bytes) {
    const auto have = static_cast<std::int64_t>(proto.raw_data().size());
    if (have == *tensor.bytes) return;
    refuse_tensor(place, tensor.name,
                  "holds " + std::to_string(have) + " bytes, but its dimensions need " + std::to_string(*tensor.bytes) +
                      "; the file is damaged");
  }
  const std::int64_t have = typed_values(proto, tensor.type);
  const bool packed = type_bits(tensor.type).value_or(8) < 8;  // several elements share one int32
  if (have == elements || (packed && have == tensor.bytes)) return;
  refuse_tensor(place, tensor.name,
                "holds " + std::to_string(have) + " values, but its dimensions need " + std::to_string(elements) +
                    "; the file is damaged");
}

template <typename Stored>
std::vector<std::int64_t> raw_integers(const std::string& raw) {
  std::vector<std::int64_t> values(raw.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored value;
    std::memcpy(&value, raw.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = value;
  }
  return values;
}

std::optional<std::vector<std::int64_t>> integer_values(const onnx::TensorProto& proto, ElementType type) {
  const std::string& raw = proto.raw_data();
  if (type == ElementType::i64) {
    if (!raw.empty()) return raw_integers<std::int64_t>(raw);
    return std::vector<std::int64_t>(proto.int64_data().begin(), proto.int64_data().end());
  }
  if (type == ElementType::i32) {
    if (!raw.empty()) return raw_integers<std::int32_t>(raw);
    return std::vector<std::int64_t>(proto.int32_data().begin(), proto.int32_data().end());
  }
  return std::nullopt;
}

template <typename Dims>
PartialShape shape_of(const Dims& dims) {
  PartialShape shape;
  shape.reserve(static_cast<std::size_t>(dims.size()));
  for (const std::int64_t dim : dims) shape.push_back({dim, {}});
  return shape;
}

}  // namespace

void check_dimensions(const PartialShape& shape, const std::string& tensor, const ModelPlace& place) {
  bool empty = false, absurd = false;
  std::int64_t product = 1;
  for (const Dim& dim : shape) {
    if (!dim.value) continue;
    if (*dim.value < 0) refuse_tensor(place, tensor, "has the negative dimension " + std::to_string(*dim.value));
    empty = empty || *dim.value == 0;
    absurd = absurd || *dim.value > max_elements;
    if (empty || absurd) continue;
    absurd = *dim.value > max_elements / product;
    product *= *dim.value;
  }
  if (absurd) refuse_tensor(place, tensor, "has the shape " + to_string(shape) + ", which is more than 2^40 elements");
}

Tensor read_constant(const onnx::TensorProto& proto, const std::string& name, const ModelPlace& place) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = known_type(proto.data_type(), name, place);
  tensor.is_constant = true;
  tensor.shape = shape_of(proto.dims());
  check_dimensions(*tensor.shape, name, place);
  tensor.bytes = byte_count(tensor.type, tensor.shape);
  const std::int64_t elements = element_count(*concrete(*tensor.shape)).value_or(0);
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (!tensor.bytes) refuse_tensor(place, name, "has strings in external data, which ONNX does not allow");
    check_external(proto, *tensor.bytes, name, place);
    return tensor;
  }
  check_inline(proto, tensor, elements, place);
  if (elements <= max_integers) tensor.integers = integer_values(proto, tensor.type);
  return tensor;
}

Tensor read_sparse_constant(const onnx::SparseTensorProto& proto, const std::string& name, const ModelPlace& place) {
  const Tensor values = read_constant(proto.values(), name, place);
  const Tensor indices = read_constant(proto.indices(), name, place);
  Tensor tensor;
  tensor.name = name;
  tensor.type = values.type;
  tensor.is_constant = true;
  tensor.shape = shape_of(proto.dims());
  check_dimensions(*tensor.shape, name, place);
  if (values.bytes && indices.bytes) tensor.bytes = *values.bytes + *indices.bytes;
  return tensor;
}

void apply_declared_type(const onnx::TypeProto& type, Tensor& tensor, const ModelPlace& place) {
  const bool sparse = type.has_sparse_tensor_type();
  if (!sparse && !type.has_tensor_type()) return;  // sequences, maps and optionals have neither one type nor one shape
  const int number = sparse ? type.sparse_tensor_type().elem_type() : type.tensor_type().elem_type();
  if (tensor.type == ElementType::undefined && number != 0) tensor.type = known_type(number, tensor.name, place);
  const bool has_shape = sparse ? type.sparse_tensor_type().has_shape() : type.tensor_type().has_shape();
  if (tensor.shape || !has_shape) return;
  PartialShape shape;
  for (const auto& dim : sparse ? type.sparse_tensor_type().shape().dim() : type.tensor_type().shape().dim()) {
    Dim& added = shape.emplace_back();
    if (dim.has_dim_value()) added.value = dim.dim_value();
    added.symbol = dim.dim_param();
  }
  check_dimensions(shape, tensor.name, place);
  tensor.shape = std::move(shape);
  if (!sparse) tensor.bytes = byte_count(tensor.type, tensor.shape);
}

}  // namespace takt
