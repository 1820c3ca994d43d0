#include "trace/write/perfetto_wire.h"

#include <gtest/gtest.h>

#include <string>

#include "base/statistics/random.h"

namespace takt::perfetto {
namespace {

std::string varint_of(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

/// Byte after byte, as the encoding is defined; the length read, 0: no number.
std::size_t slowly_read(std::string_view bytes, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    value |= std::uint64_t{byte & 0x7Fu} << (7 * i);
    if (byte < 0x80) return i + 1;
  }
  return 0;
}

void expect_as_slowly(std::string_view bytes) {
  std::uint64_t slow = 0;
  const std::size_t length = slowly_read(bytes, slow);
  const auto [behind, fast] = read_varint(bytes.data(), bytes.data() + bytes.size());
  ASSERT_EQ(behind == nullptr ? 0 : static_cast<std::size_t>(behind - bytes.data()), length)
      << bytes.size() << " bytes";
  if (length > 0) {
    ASSERT_EQ(fast, slow);
  }
}

TEST(PerfettoWire, numbers_of_every_length_are_read_whatever_follows_or_is_cut_off) {
  for (int bits = 0; bits < 64; ++bits) {
    for (const std::uint64_t value : {std::uint64_t{1} << bits, (std::uint64_t{2} << bits) - 1}) {
      for (const char* behind : {"", "x", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "\x01\x80\x7F\x00\x05\x06\x07"}) {
        const std::string bytes = varint_of(value) + behind;
        const Varint read = read_varint(bytes.data(), bytes.data() + bytes.size());
        ASSERT_NE(read.behind, nullptr);
        EXPECT_EQ(read.value, value);
        for (std::size_t size = 0; size <= bytes.size(); ++size)
          expect_as_slowly(std::string_view(bytes).substr(0, size));
      }
    }
  }
}

TEST(PerfettoWire, any_bytes_are_read_as_the_encoding_says) {
  Random random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 14, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() | (random() % 4 != 0 ? 0x80 : 0));
    expect_as_slowly(bytes);
  }
}

}  // namespace
}  // namespace takt::perfetto
