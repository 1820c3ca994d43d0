// Protobuf messages for tests, written by hand: field(number, value) and so on, put together with +.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace takt::proto {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string field(unsigned number, std::uint64_t value) { return varint(number << 3) + varint(value); }
inline std::string field(unsigned number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
template <typename Number>
std::string fixed(unsigned number, Number value) {
  static_assert(sizeof value == 8);
  char raw[8];
  std::memcpy(raw, &value, sizeof raw);
  return varint(number << 3 | 1) + std::string(raw, sizeof raw);
}
inline std::string packet(const std::string& content) { return field(1, content); }

}  // namespace takt::proto
