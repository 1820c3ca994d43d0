#include "base/basics/utf8.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

std::string utf8(char32_t code) {
  std::string text;
  append_utf8(text, code);
  return text;
}

char32_t escaped(std::string_view text, std::size_t behind) {
  std::size_t at = 0;
  const char32_t code = unicode_escape(text, at);
  EXPECT_EQ(at, behind) << text;
  return code;
}

TEST(Utf8, first_and_last_code_point_of_every_length) {
  EXPECT_EQ(utf8(0x7F), "\x7F");
  EXPECT_EQ(utf8(0x80), "\xC2\x80");
  EXPECT_EQ(utf8(0x7FF), "\xDF\xBF");
  EXPECT_EQ(utf8(0x800), "\xE0\xA0\x80");
  EXPECT_EQ(utf8(0xFFFF), "\xEF\xBF\xBF");
  EXPECT_EQ(utf8(0x10000), "\xF0\x90\x80\x80");
  EXPECT_EQ(utf8(0x10FFFF), "\xF4\x8F\xBF\xBF");
}

TEST(Utf8, what_is_no_character_becomes_the_replacement) {
  for (const char32_t code : {0xD800, 0xDFFF, 0x110000}) EXPECT_EQ(utf8(code), "\uFFFD");
}

// Written and read again, all of them: 1,112,064 code points.
TEST(Utf8, every_code_point_survives) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code == 0xD800) code = 0xE000;
    const std::string text = utf8(code);
    ASSERT_EQ(utf8_length(text), text.size()) << static_cast<unsigned>(code);
    ASSERT_EQ(utf8_value(text, text.size()), code);
  }
}

TEST(Utf8, cut_off_overlong_and_lone_bytes_are_no_sequence) {
  for (const std::string_view text : {"", "\x80", "\xC2", "\xC0\x80", "\xE0\x80\x80", "\xE2\x82", "\xED\xA0\x80",
                                      "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
    EXPECT_EQ(utf8_length(text), 0u);
}

TEST(UnicodeEscape, one_and_two_halves) {
  EXPECT_EQ(escaped("00e9!", 4), U'é');
  EXPECT_EQ(escaped("D83D\\uDE00", 10), U'\U0001F600');
}

TEST(UnicodeEscape, half_a_pair_and_damage_are_the_replacement) {
  EXPECT_EQ(escaped("D83D", 4), replacement_character);
  EXPECT_EQ(escaped("D83D\\u0041", 4), replacement_character);
  EXPECT_EQ(escaped("D83D\\uDE", 4), replacement_character);
  EXPECT_EQ(escaped("DE00\\uD83D", 4), replacement_character);
  EXPECT_EQ(escaped("00g0", 0), replacement_character);
  EXPECT_EQ(escaped("-0e9", 0), replacement_character);
  EXPECT_EQ(escaped("00", 0), replacement_character);
  std::size_t beyond = 9;
  EXPECT_EQ(unicode_escape("0041", beyond), replacement_character);
}

}  // namespace
}  // namespace takt
