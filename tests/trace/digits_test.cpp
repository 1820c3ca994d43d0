#include "trace/events/digits.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "trace/events/stamp.h"

namespace takt {
namespace {

std::string integer(std::uint64_t value) {
  char text[digits::longest];
  return {text, digits::put_integer(text, value)};
}

std::string micros(std::int64_t nanoseconds) {
  char text[digits::longest];
  return {text, digits::put_micros(text, nanoseconds)};
}

TEST(Digits, integers_are_those_of_the_standard_library) {
  std::uint64_t power = 1;
  for (int i = 0; i < 20; ++i, power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1, power * 9})
      EXPECT_EQ(integer(value), std::to_string(value));
  }
  EXPECT_EQ(integer(~std::uint64_t{0}), "18446744073709551615");
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t value = random() >> (i % 64);
    ASSERT_EQ(integer(value), std::to_string(value));
  }
}

TEST(Digits, all_numbers_of_four_digits_and_their_multiples) {
  for (std::uint64_t value = 0; value < 10'000; ++value) {
    ASSERT_EQ(integer(value), std::to_string(value));
    ASSERT_EQ(integer(value * 10'000), std::to_string(value * 10'000));
  }
}

TEST(Digits, microseconds_have_three_decimals) {
  EXPECT_EQ(micros(0), "0.000");
  EXPECT_EQ(micros(7), "0.007");
  EXPECT_EQ(micros(1'234'567), "1234.567");
  EXPECT_EQ(micros(4'611'686'018'427'387'904), "4611686018427387.904");
  for (std::int64_t value = 0; value < 1000; ++value)
    ASSERT_EQ(micros(5'000 + value), "5." + std::to_string(1000 + value).substr(1));
}

TEST(Stamp, is_its_text_at_every_length) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 26);
    const Stamp stamp(text);
    std::string room(size + Stamp::block, '#');
    EXPECT_EQ(stamp.put(room.data()), room.data() + size);
    EXPECT_EQ(room.substr(0, size), text);
    EXPECT_EQ(stamp.text(), text);
  }
}

}  // namespace
}  // namespace takt
