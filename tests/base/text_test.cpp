#include "base/basics/text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/basics/quoted.h"

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
  EXPECT_EQ(nearest_word("cat", std::vector<std::string>{"car", "cap"}), "car")
      << "the first of those that are as near";
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

TEST(QuotedPart, has_the_beginning_and_the_end_of_what_is_long) {
  EXPECT_EQ(quoted_part("short\n"), "short\\x0a");
  EXPECT_EQ(quoted_part("0123456789abcdefghij", 12), "01234567...hij");
  EXPECT_EQ(quoted_part("ééééééééééé", 12), "éééé...é") << "no character is cut";
  EXPECT_EQ(quoted_part("", 0), "");
}

TEST(WithoutMiddle, keeps_where_and_what_to_do) {
  const std::string said = without_middle("a.json: '" + std::string(5'000'000, 'x') + "'; write a name", 1000);
  EXPECT_LE(said.size(), 1000u);
  EXPECT_TRUE(said.starts_with("a.json: 'xxx") && said.ends_with("xxx'; write a name")) << said;
}

TEST(DisplayWidth, counts_code_points) { EXPECT_EQ(display_width("é漢a"), 3u); }

TEST(NumberIn, takes_the_whole_text_or_nothing) {
  EXPECT_EQ(number_in<int>("-12"), -12);
  EXPECT_EQ(number_in<double>("1.5e3"), 1500);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x10", "300", "-"})
    EXPECT_EQ(number_in<std::int8_t>(text), std::nullopt) << text;
  EXPECT_EQ(number_in<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(number_in<double>("1,5"), std::nullopt);
}

TEST(Suggestion, names_what_is_near_or_says_otherwise) {
  const std::vector<std::string> known{"threads", "tuning"};
  EXPECT_EQ(suggestion("thraeds", known, "use them"), "did you mean 'threads'?");
  EXPECT_EQ(suggestion("latency", known, "use them"), "use them");
}

TEST(Wrapped, breaks_at_blanks_and_hangs_under_the_first_word) {
  EXPECT_EQ(wrapped("one two three", 80), "one two three");
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped("incomprehensibilities in", 10), "incomprehensibilities\nin");
  EXPECT_EQ(wrapped("éé éé éé", 5), "éé éé\néé");  // columns, not bytes
  EXPECT_EQ(wrapped("a\nbcd ef", 6), "a\nbcd ef");
  EXPECT_EQ(wrapped("", 5), "");
}

// The published values of FNV-1a, 64 bits.
TEST(Fingerprint, is_fnv_1a) {
  EXPECT_EQ(fingerprint(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fingerprint("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fingerprint("foobar"), 0x85944171f73967e8u);
}

TEST(UpperCase, changes_ascii_letters_only) { EXPECT_EQ(upper_case("aZ-é1"), "AZ-é1"); }

TEST(Trim, takes_blanks_off_both_sides) {
  EXPECT_EQ(trim("  a b\n"), "a b");
  EXPECT_EQ(trim(" \t"), "");
}

TEST(WithoutStart, leaves_what_follows_or_all) {
  EXPECT_EQ(without_start("a.onnx: no", "a.onnx: "), "no");
  EXPECT_EQ(without_start("b.onnx: no", "a.onnx: "), "b.onnx: no");
  EXPECT_EQ(without_start("a", "a.onnx"), "a");
}

TEST(Split, keeps_empty_parts) { EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"})); }

TEST(Printable, borders_of_what_is_shown_as_it_is) {
  for (const auto& [text, shown] : {std::pair<std::string, std::string>{"\x1f", "\\x1f"},
                                    {" ", " "},
                                    {"~", "~"},
                                    {"\x7f", "\\x7f"},
                                    {"\u0080", "\\xc2"},
                                    {"\u009f", "\\xc2"},
                                    {"\u00a0", "\u00a0"},
                                    {"\xff", "\\xff"}})
    EXPECT_EQ(printable(text), shown);
  EXPECT_EQ(json_quote("\x1f \x7f\u0080\n\t\"\\"), "\"\\u001f \\u007f\u0080\\n\\t\\\"\\\\\"");
}

// A third of the letters, rounded up, may be wrong; one of a word of one or two.
TEST(NearestWord, of_more_mistakes_is_none) {
  for (const auto& [word, known] : {std::pair("a", "b"),
                                    {"ab", "ax"},
                                    {"abc", "abx"},
                                    {"abcd", "abxy"},
                                    {"abcdef", "abcdxy"},
                                    {"abcdefg", "abcdxyz"},
                                    {"abcd", "bacd"},
                                    {"ABC", "abx"}})
    EXPECT_EQ(nearest_word(word, std::vector<std::string>{known}), known) << word;
  for (const auto& [word, known] :
       {std::pair("a", "bc"), {"ab", "xy"}, {"abc", "axy"}, {"abcd", "axyz"}, {"abcdef", "abcxyz"}})
    EXPECT_EQ(nearest_word(word, std::vector<std::string>{known}), std::nullopt) << word;
  EXPECT_EQ(nearest_word("abcd", std::vector<std::string>{"abxy", "abcx", "abcy"}), "abcx");
  EXPECT_EQ(nearest_word("abcd", std::vector<std::string>{}), std::nullopt);
}

TEST(Wrapped, a_line_is_as_wide_as_asked_and_no_wider) {
  EXPECT_EQ(wrapped("aaa bbb", 7), "aaa bbb");
  EXPECT_EQ(wrapped("aaa bbb", 6), "aaa\nbbb");
  EXPECT_EQ(wrapped("aaa bbb", 9, 2), "aaa bbb");
  EXPECT_EQ(wrapped("aaa bbb", 8, 2), "aaa\n  bbb");
  EXPECT_EQ(wrapped("a\nbb cc", 5), "a\nbb cc");
  EXPECT_EQ(wrapped("a\nbb cc", 4), "a\nbb\ncc");
}

}  // namespace
}  // namespace takt
