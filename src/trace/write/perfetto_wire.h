// Protobuf messages, field by field: what a reader of foreign bytes needs and no more. Every length is checked, nothing
// is copied.
//
// https://protobuf.dev/programming-guides/encoding
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace takt::perfetto {

static_assert(std::endian::native == std::endian::little);

/// The groups of seven bits of eight bytes, one after the other.
inline std::uint64_t joined_sevens(std::uint64_t bytes) {
  bytes = (bytes & 0x007F007F007F007F) | (bytes & 0x7F007F007F007F00) >> 1;
  bytes = (bytes & 0x00003FFF00003FFF) | (bytes & 0x3FFF00003FFF0000) >> 2;
  return (bytes & 0x000000000FFFFFFF) | (bytes & 0x0FFFFFFF00000000) >> 4;
}

/// A number that was read. By value: what lies in registers is there at once.
struct Varint {
  const char* behind = nullptr;  ///< nullptr: it is cut off or longer than 64 bits
  std::uint64_t value = 0;
};

/// Times and numbers of tracks are long ones: eight bytes are looked at together.
[[gnu::noinline]] inline Varint read_long_varint(const char* p, const char* end) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  if (end - p >= 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    const std::uint64_t last = ~bytes & 0x8080808080808080;  // the lowest of these bits is of the number's last byte
    value = joined_sevens(last == 0 ? bytes : bytes & (last ^ (last - 1)));
    if (last != 0) return {p + std::countr_zero(last) / 8 + 1, value};
    p += sizeof bytes, shift = 56;
  }
  for (; p < end && shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*p++);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return {p, value};
  }
  return {};
}

/// A variable-length number at `p`.
[[gnu::always_inline]] inline Varint read_varint(const char* p, const char* end) {
  if (p < end && static_cast<signed char>(*p) >= 0) return {p + 1, static_cast<unsigned char>(*p)};
  return read_long_varint(p, end);
}

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct Field {
  std::uint32_t number = 0;
  WireType type{};
  std::uint64_t value = 0;   ///< of numbers, as it stands in the file
  std::string_view bytes{};  ///< of texts and messages

  std::int64_t as_signed() const { return static_cast<std::int64_t>(value); }
  double as_real() const { return std::bit_cast<double>(value); }
};

/// The fields of a message, front to back. What is no message ends early and is_broken().
class Fields {
 public:
  explicit Fields(std::string_view message) : p_(message.data()), end_(message.data() + message.size()) {}

  bool next(Field& field) {
    if (p_ == end_) return false;
    const auto [behind, tag] = read_varint(p_, end_);
    if (behind == nullptr || tag >> 3 == 0 || tag >> 32 != 0) return stop();
    p_ = behind;
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.type = static_cast<WireType>(tag & 7);
    switch (field.type) {
      case WireType::varint:
        return take_number(field) || stop();
      case WireType::bytes:
        return take_bytes(field) || stop();
      case WireType::fixed64:
        return take_fixed<std::uint64_t>(field) || stop();
      case WireType::fixed32:
        return take_fixed<std::uint32_t>(field) || stop();
    }
    return stop();  // groups, which Perfetto's schema never had, and numbers that mean nothing
  }
  bool is_broken() const { return is_broken_; }

 private:
  bool stop() {
    p_ = end_;
    is_broken_ = true;
    return false;
  }
  bool take_number(Field& field) {
    const auto [behind, value] = read_varint(p_, end_);
    p_ = behind;
    field.value = value;
    return behind != nullptr;
  }
  bool take_bytes(Field& field) {
    const auto [begin, size] = read_varint(p_, end_);
    if (begin == nullptr || size > static_cast<std::uint64_t>(end_ - begin)) return false;
    field.bytes = {begin, static_cast<std::size_t>(size)};
    p_ = begin + size;
    return true;
  }
  template <typename Number>
  bool take_fixed(Field& field) {
    Number number = 0;
    if (static_cast<std::size_t>(end_ - p_) < sizeof number) return false;
    std::memcpy(&number, p_, sizeof number);
    field.value = number;
    p_ += sizeof number;
    return true;
  }

  const char *p_, *end_;
  bool is_broken_ = false;
};

}  // namespace takt::perfetto
