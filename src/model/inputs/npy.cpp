#include "model/inputs/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/basics/error.h"
#include "base/basics/utf8.h"
#include "model/inputs/npy_header.h"

namespace takt {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes are swapped for files of the other order only");

using Bytes = std::span<const std::byte>;

[[noreturn]] void refuse_npy(std::string_view where, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}; save the array again with numpy.save", where, what));
}

/// Splits the file into its header's text and its values.
std::pair<std::string_view, Bytes> split_header(Bytes file, std::string_view where) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (file.size() < magic.size() || std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    refuse_npy(where, "is not a .npy file");
  const auto byte = [&](std::size_t i) { return i < file.size() ? std::to_integer<std::uint32_t>(file[i]) : 0u; };
  const std::uint32_t version = byte(6);
  if (file.size() >= 8 && (version < 1 || version > 3 || byte(7) != 0))
    refuse_npy(where, fmt::format("has the unknown format version {}.{}", version, byte(7)));
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version != 1) length |= byte(10) << 16 | byte(11) << 24;
  if (file.size() < begin || file.size() - begin < length) refuse_npy(where, "ends within its header");
  return {{reinterpret_cast<const char*>(file.data()) + begin, length}, file.subspan(begin + length)};
}

/// Bytes of one element in the file.
std::size_t stride(const NpyHeader& header) { return header.kind == 'U' ? header.size * 4 : header.size; }

void check_length(const NpyHeader& header, Bytes values, std::string_view where) {
  const auto count = element_count(header.shape);
  const auto size = static_cast<std::int64_t>(std::max<std::size_t>(stride(header), 1));
  // Of text that is always empty the file has no bytes, but the tensor has strings.
  const auto in_memory =
      header.kind == 'S' || header.kind == 'U' ? std::max<std::int64_t>(size, sizeof(std::string)) : size;
  if (!count || *count > largest_tensor_bytes / in_memory)
    throw Error(ErrorKind::bad_input, fmt::format("{}: its shape {} would take more than 8 GiB; save a smaller array",
                                                  where, to_string(header.shape)));
  const auto wanted = static_cast<std::size_t>(*count) * stride(header);
  if (values.size() != wanted)
    refuse_npy(where, fmt::format("its shape {} needs {} bytes, but {} follow the header", to_string(header.shape),
                                  wanted, values.size()));
}

ElementType element_type(const NpyHeader& header) {
  using enum ElementType;
  constexpr ElementType floats[] = {f16, f32, f64}, integers[] = {i8, i16, i32, i64}, naturals[] = {u8, u16, u32, u64};
  const auto power = static_cast<std::size_t>(std::countr_zero(header.size));
  switch (header.kind) {
    case 'f':
      return floats[power - 1];
    case 'i':
      return integers[power];
    case 'u':
      return naturals[power];
    case 'b':
      return boolean;
    default:
      return string;
  }
}

/// Calls `visit` with the place in the file of each element, in row-major order.
template <typename Visit>
void each_place(const NpyHeader& header, std::size_t count, Visit visit) {
  const Shape& shape = header.shape;
  if (!header.is_fortran || shape.size() < 2) {
    for (std::size_t i = 0; i < count; ++i) visit(i);
    return;
  }
  std::vector<std::size_t> steps(shape.size(), 1), index(shape.size(), 0);
  for (std::size_t d = 1; d < shape.size(); ++d) steps[d] = steps[d - 1] * static_cast<std::size_t>(shape[d - 1]);
  std::size_t place = 0;
  for (std::size_t i = 0; i < count; ++i) {
    visit(place);
    for (std::size_t d = shape.size(); d-- > 0;) {
      place += steps[d];
      if (++index[d] < static_cast<std::size_t>(shape[d])) break;
      place -= steps[d] * index[d];
      index[d] = 0;
    }
  }
}

std::string text_of(const NpyHeader& header, Bytes element) {
  std::string text;
  if (header.kind == 'S') {
    text.assign(reinterpret_cast<const char*>(element.data()), element.size());
  } else {
    for (std::size_t i = 0; i < element.size(); i += 4) {
      std::uint32_t code = 0;
      std::memcpy(&code, element.data() + i, 4);
      append_utf8(text, header.byte_order == '>' ? __builtin_bswap32(code) : code);
    }
  }
  while (text.ends_with('\0')) text.pop_back();  // NumPy's padding
  return text;
}

}  // namespace

GivenTensor parse_npy(std::span<const std::byte> file, std::string_view where) {
  const auto [text, values] = split_header(file, where);
  const NpyHeader header = parse_npy_header(text, where);
  check_length(header, values, where);
  HostTensor tensor{"", element_type(header), header.shape, {}, {}};
  const auto count = static_cast<std::size_t>(*element_count(header.shape));
  const auto size = stride(header);
  // Captured by name: clang before 16 cannot capture a structured binding by reference.
  const auto element = [&, values = values](std::size_t place) { return values.subspan(place * size, size); };
  if (tensor.type == ElementType::string) {
    tensor.strings.reserve(count);
    each_place(header, count, [&](std::size_t place) { tensor.strings.push_back(text_of(header, element(place))); });
    return {std::move(tensor), GivenAs::typed};
  }
  std::vector<std::byte> own;
  own.reserve(count * size);
  if (header.is_fortran && count > 0)
    each_place(header, count, [&](std::size_t place) {
      const auto bytes = element(place);
      own.insert(own.end(), bytes.begin(), bytes.end());
    });
  else
    own.assign(values.begin(), values.end());
  if (header.byte_order == '>')
    for (auto at = own.begin(); at != own.end(); at += static_cast<std::ptrdiff_t>(size))
      std::reverse(at, at + static_cast<std::ptrdiff_t>(size));
  // NumPy writes 0 and 1; a runtime may take any other byte for a third value.
  if (tensor.type == ElementType::boolean)
    for (auto& byte : own) byte = byte == std::byte{0} ? std::byte{0} : std::byte{1};
  tensor.bytes = std::move(own);
  return {std::move(tensor), GivenAs::typed};
}

std::string npy_file(const HostTensor& tensor) {
  const auto bits = type_bits(tensor.type);
  const std::string name(type_name(tensor.type));
  const char kind = name.starts_with("float")  ? 'f'
                    : name.starts_with("int")  ? 'i'
                    : name.starts_with("uint") ? 'u'
                                               : '?';
  const bool is_bool = tensor.type == ElementType::boolean;
  const int fewest_bits = kind == 'f' ? 16 : 8;  // NumPy has none of the floats of a byte
  if (!is_bool && (kind == '?' || !bits || *bits < fewest_bits))
    throw Error(ErrorKind::unsupported, fmt::format("NumPy has no elements of type {}", name));
  const std::string descr = is_bool ? "|b1" : fmt::format("{}{}{}", *bits == 8 ? '|' : '<', kind, *bits / 8);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                   fmt::join(tensor.shape, ", "), tensor.shape.size() == 1 ? "," : "");
  constexpr std::size_t fixed = 10, alignment = 64;  // as the format asks for: values begin at a multiple of 64
  header.append(alignment - (fixed + header.size() + 1) % alignment, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {'\x01', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file += header;
  file.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return file;
}

}  // namespace takt
