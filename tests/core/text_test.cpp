#include "core/text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace takt {
namespace {

TEST(NearestWord, finds_slips_and_leaves_other_words_alone) {
  std::vector<std::string> words{"--profile", "--profile-host", "--iter"};
  EXPECT_EQ(nearest_word("--profil", words), "--profile");
  EXPECT_EQ(nearest_word("--itre", words), "--iter");
  EXPECT_EQ(nearest_word("--zzzzzzzz", words), std::nullopt);
  std::vector<std::string> commands{"run", "csv"};
  EXPECT_EQ(nearest_word("rnu", commands), "run");
  EXPECT_EQ(nearest_word("cvs", commands), "csv");
  EXPECT_EQ(nearest_word("rxy", commands), std::nullopt);
}

TEST(JsonQuote, survives_a_real_parser) {
  std::string hostile = "a\"b\\c\nd\te\x01/\x7f é 漢 \xF0\x9F\x98\x80";
  EXPECT_EQ(nlohmann::json::parse(json_quote(hostile)).get<std::string>(), hostile);
}

TEST(JsonQuote, replaces_bytes_that_are_not_utf8) {
  EXPECT_EQ(nlohmann::json::parse(json_quote("a\xFF\xC0\x80z")).get<std::string>(), "a\uFFFD\uFFFD\uFFFDz");
  EXPECT_EQ(json_quote("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");  // a surrogate
}

TEST(Printable, shows_control_characters_as_text) { EXPECT_EQ(printable("a\x1b[2Jé"), "a\\x1b[2Jé"); }

TEST(DisplayWidth, counts_code_points) { EXPECT_EQ(display_width("é漢a"), 3u); }

TEST(Trim, takes_blanks_off_both_sides) {
  EXPECT_EQ(trim("  a b\n"), "a b");
  EXPECT_EQ(trim(" \t"), "");
}

TEST(Split, keeps_empty_parts) { EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"})); }

}  // namespace
}  // namespace takt
