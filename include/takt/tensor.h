// Values that go into models and come out of them: bytes with an element type and a shape.
//
//   std::vector<float> pixels(1 * 3 * 224 * 224, 0.5f);
//   takt::HostTensor image{"image", takt::ElementType::f32, {1, 3, 224, 224}, takt::to_bytes(pixels), {}};
//   auto shared = std::make_shared<const takt::HostTensor>(std::move(image));        // what executors take
//   …
//   const float* scores = reinterpret_cast<const float*>(result.outputs[0]->bytes.data());
//
// Executors hold tensors through shared pointers to const: a value that several batches or devices use is stored once,
// does not change, and stays valid until its last holder releases it. Its bytes may be memory of the runtime that wrote
// them, which writes elsewhere until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "takt/bytes.h"
#include "takt/export.h"

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

/// NumPy's spelling where there is one: "float32", "int64", "bool".
TAKT_EXPORT std::string_view type_name(ElementType type);
/// Bits of one element; nullopt for strings and undefined.
TAKT_EXPORT std::optional<int> type_bits(ElementType type);

/// A dimension that a model declares: a number, a symbol ("batch"), or unknown (neither).
struct Dim {
  std::optional<std::int64_t> value;
  std::string symbol;
};
using Shape = std::vector<std::int64_t>;  ///< of a value: every dimension is a number of elements, 0 or more
using PartialShape = std::vector<Dim>;    ///< of a port: what the model leaves open has no number

/// Product of the dimensions (1 for a scalar); nullopt on a negative dimension or overflow of int64.
TAKT_EXPORT std::optional<std::int64_t> element_count(const Shape& shape);
TAKT_EXPORT std::string to_string(const Shape& shape);  ///< "{1,3,224,224}"
/// Bytes that `elements` of this type take, packed types rounded up; nullopt for strings, undefined, and overflow.
TAKT_EXPORT std::optional<std::int64_t> byte_count(ElementType type, std::int64_t elements);

/// A tensor's value in host memory: row-major, native byte order, `bytes.size() == elements · type size`.
struct HostTensor {
  std::string name;  ///< of the port; executors go by the port's number and do not look at it
  ElementType type = ElementType::f32;
  Shape shape;
  Bytes bytes;
  std::vector<std::string> strings;  ///< instead of bytes when type is string
};

/// A value that several holders share and none changes.
using SharedTensor = std::shared_ptr<const HostTensor>;

/// An input or output of an opened model, as the runtime declares it.
struct Port {
  std::string name;
  ElementType type = ElementType::undefined;
  PartialShape shape;
};

/// The bytes of plain numbers, copied.
template <typename Number>
std::vector<std::byte> to_bytes(const std::vector<Number>& numbers) {
  static_assert(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>);
  std::vector<std::byte> bytes(numbers.size() * sizeof(Number));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

}  // namespace takt
