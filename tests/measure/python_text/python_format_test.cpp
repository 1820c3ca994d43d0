// Expected texts were printed by CPython 3.11, textwrap and tabulate 0.8.9.
#include "measure/python_text/format.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/basics/error.h"
#include "base/basics/regex.h"
#include "measure/python_text/regex.h"
#include "measure/python_text/tabulate.h"
#include "measure/python_text/text.h"
#include "refused.h"

namespace takt {
namespace {

using testing::ElementsAre;

TEST(PythonFormat, short_form_switches_to_exponents_at_100_and_below_1e_4) {
  EXPECT_EQ(python_short(99.94), "99.9");
  EXPECT_EQ(python_short(99.96), "1e+02");
  EXPECT_EQ(python_short(125.0), "1.25e+02");
  EXPECT_EQ(python_short(2.0), "2.0");
  EXPECT_EQ(python_short(0.0), "0.0");
  EXPECT_EQ(python_short(1e-4), "0.0001");
  EXPECT_EQ(python_short(9.999e-5), "0.0001");
  EXPECT_EQ(python_short(1.5e-5), "1.5e-05");
  EXPECT_EQ(python_short(-std::nan("")), "nan");
}

TEST(PythonFormat, repr_is_the_shortest_text_that_reads_back) {
  EXPECT_EQ(python_repr(0.002896409999999999), "0.002896409999999999");
  EXPECT_EQ(python_repr(1e-5), "1e-05");
  EXPECT_EQ(python_repr(0.0001), "0.0001");
  EXPECT_EQ(python_repr(1e15), "1000000000000000.0");
  EXPECT_EQ(python_repr(1e16), "1e+16");
  EXPECT_EQ(python_repr(-0.0), "-0.0");
}

TEST(PythonFormat, borders_between_the_forms_are_pythons) {
  struct Case {
    double value;
    const char *shortly, *repr, *general;
  };
  const double infinite = HUGE_VAL;
  for (const auto& [value, shortly, repr, general] :
       {Case{99.949, "99.9", "99.949", "99.949"}, Case{99.95, "1e+02", "99.95", "99.95"},
        Case{9.995, "9.99", "9.995", "9.995"}, Case{10.0, "10.0", "10.0", "10"},
        Case{9.995e-5, "0.0001", "9.995e-05", "9.995e-05"}, Case{9.9949e-5, "9.99e-05", "9.9949e-05", "9.9949e-05"},
        Case{0.5, "0.5", "0.5", "0.5"}, Case{100.0, "1e+02", "100.0", "100"},
        Case{1e15, "1e+15", "1000000000000000.0", "1e+15"},
        Case{9999999999999998.0, "1e+16", "9999999999999998.0", "1e+16"},
        Case{123456.0, "1.23e+05", "123456.0", "123456"}, Case{999999.5, "1e+06", "999999.5", "1e+06"},
        Case{infinite, "inf", "inf", "inf"}, Case{-infinite, "-inf", "-inf", "-inf"}}) {
    EXPECT_EQ(python_short(value), shortly) << value;
    EXPECT_EQ(python_repr(value), repr) << value;
    EXPECT_EQ(python_general(value), general) << value;
  }
}

TEST(PythonFormat, three_digits_are_kept_of_a_short_form) {
  for (const auto& [value, text] : {std::pair{1.0, "1.0"},
                                    {-1.0, "-1.0"},
                                    {-12.34, "-12.3"},
                                    {-0.0001234, "-0.000123"},
                                    {0.001, "0.001"},
                                    {1.005, "1.0"},
                                    {12.5, "12.5"},
                                    {10.04, "10.0"},
                                    {10.05, "10.1"},
                                    {-100.0, "-1e+02"},
                                    {9.994e-5, "9.99e-05"},
                                    {9.996e-5, "0.0001"},
                                    {1e300, "1e+300"},
                                    {5e-324, "4.94e-324"}})
    EXPECT_EQ(python_short(value), text);
}

TEST(PythonFormat, as_many_digits_behind_the_point_as_asked_for) {
  EXPECT_EQ(python_fixed(2.345678, 0), "2");
  EXPECT_EQ(python_fixed(2.345678, 1), "2.3");
  EXPECT_EQ(python_fixed(-2.345678, 4), "-2.3457");
  EXPECT_EQ(python_fixed(1e16, 2), "10000000000000000.00");
  EXPECT_EQ(python_fixed(-HUGE_VAL, 2), "-inf");
  EXPECT_EQ(python_fixed(HUGE_VAL, 2), "inf");
  EXPECT_EQ(python_fixed(std::nan(""), 2), "nan");
  EXPECT_EQ(python_general(std::nan("")), "nan");
  EXPECT_EQ(python_repr(std::nan("")), "nan");
}

TEST(PythonFormat, numbers_beyond_64_bits_are_the_nearest_that_fits) {
  constexpr auto most = std::numeric_limits<long long>::max(), least = std::numeric_limits<long long>::min();
  EXPECT_EQ(python_int("9223372036854775806"), most - 1);
  EXPECT_EQ(python_int("9223372036854775808"), most);
  EXPECT_EQ(python_int("18446744073709551616"), most) << "beyond what is read";
  EXPECT_EQ(python_int("-9223372036854775807"), least + 1);
  EXPECT_EQ(python_int("-9223372036854775809"), least);
  EXPECT_EQ(python_int("-18446744073709551616"), least);
}

TEST(PythonFormat, what_is_no_number_for_python_is_none_here) {
  struct Case {
    const char* text;
    std::optional<long long> whole;
    std::optional<double> real;
  };
  constexpr auto none = std::nullopt;
  for (const auto& [text, whole, real] :
       {Case{"1_0", 10, 10.0},
        Case{"_1", none, none},
        Case{"1_", none, none},
        Case{"1__0", none, none},
        Case{" +7\t", 7, 7.0},
        Case{"-0", 0, -0.0},
        Case{"9223372036854775807", 9223372036854775807, 9223372036854775807.0},
        Case{"1e", none, none},
        Case{"1e+", none, none},
        Case{"1e+1", none, 10.0},
        Case{"1E-1", none, 0.1},
        Case{"e5", none, none},
        Case{".", none, none},
        Case{"1.", none, 1.0},
        Case{".5", none, 0.5},
        Case{"1_.0", none, none},
        Case{"1._0", none, none},
        Case{"inf", none, HUGE_VAL},
        Case{"+INF", none, HUGE_VAL},
        Case{"-infinity", none, -HUGE_VAL},
        Case{"infin", none, none},
        Case{"1e308", none, 1e308},
        Case{"1e309", none, HUGE_VAL},
        Case{"-1e309", none, -HUGE_VAL},
        Case{"0.0e999", none, 0.0},
        Case{"0.0001e-400", none, 0.0},
        Case{"0.0001e500", none, HUGE_VAL},
        Case{"100e-500", none, 0.0},
        Case{"9223372036854775807", std::numeric_limits<long long>::max(), 9223372036854775807.0},
        Case{"-9223372036854775808", std::numeric_limits<long long>::min(), -9223372036854775808.0},
        Case{"1 2", none, none},
        Case{"-", none, none},
        Case{"+", none, none},
        Case{"", none, none},
        Case{"--1", none, none},
        Case{"+-1", none, none},
        Case{"-+1", none, none},
        Case{"1-", none, none},
        Case{"1/", none, none},
        Case{"1:", none, none},
        Case{"9", 9, 9.0},
        Case{"1..2", none, none},
        Case{"1e5x", none, none},
        Case{"1e5.", none, none},
        Case{"1ee5", none, none},
        Case{"1e+-5", none, none},
        Case{"1e1_0", none, 1e10},
        Case{"1_e1", none, none},
        Case{"1.e1", none, 10.0},
        Case{".e1", none, none},
        Case{" \u3000-5\n", -5, -5.0},
        Case{"Infinity", none, HUGE_VAL},
        Case{"infinityx", none, none}}) {
    EXPECT_EQ(python_int(text), whole) << text;
    EXPECT_EQ(python_float(text), real) << text;
  }
  EXPECT_TRUE(std::isnan(*python_float("nan")));
  EXPECT_TRUE(std::isnan(*python_float("+NaN")));
  EXPECT_TRUE(std::signbit(*python_float("-0")));
}

TEST(PythonText, blanks_and_line_ends_are_those_of_python) {
  for (const char32_t c :
       {0x09, 0x0d, 0x1c, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000})
    EXPECT_TRUE(python_is_space(c)) << static_cast<unsigned>(c);
  for (const char32_t c : {0x08, 0x0e, 0x1b, 0x21, 0x84, 0x86, 0x1fff, 0x200b, 0x2027, 0x202a, 0x3001})
    EXPECT_FALSE(python_is_space(c)) << static_cast<unsigned>(c);
  for (const char32_t c : {0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029})
    EXPECT_THAT(python_split_lines("a" + to_utf8(std::u32string(1, c)) + "b"), ElementsAre("a", "b"))
        << static_cast<unsigned>(c);
  for (const char32_t c : {0x09, 0x0e, 0x1b, 0x1f, 0x84, 0x86, 0x2027, 0x202a})
    EXPECT_EQ(python_split_lines("a" + to_utf8(std::u32string(1, c)) + "b").size(), 1u) << static_cast<unsigned>(c);
  EXPECT_THAT(python_split_lines("a\r\nb\n\r"), ElementsAre("a", "b", ""));
  EXPECT_THAT(python_split_lines("a\n"), ElementsAre("a"));
  EXPECT_EQ(python_strip(" \u3000 a b\u2028\n"), "a b");
  EXPECT_EQ(python_rstrip(" a\t"), " a");
  EXPECT_EQ(python_rstrip("\t \u3000"), "");
  EXPECT_THAT(python_split_lines(""), ElementsAre());
  EXPECT_THAT(python_split_lines("\r\n\n\ra"), ElementsAre("", "", "", "a"));
  EXPECT_EQ(code_point_count("aé卷\xff"), 4u);
  EXPECT_EQ(to_code_points("é\xff"), (std::u32string{0xe9, 0xff}));
}

TEST(PythonRegex, is_read_as_python_reads_it) {
  const auto matches = [](const char* pattern, std::string_view text) {
    return Regex(translate_python_pattern(pattern)).find(text).has_value();
  };
  for (const auto& [pattern, text] : {std::pair<const char*, const char*>{R"(^\x41$)", "A"},
                                      {R"(^\u0041$)", "A"},
                                      {R"(^\U00000041$)", "A"},
                                      {R"(^\101$)", "A"},
                                      {R"(^(a)\1$)", "aa"},
                                      {R"(^a{,2}$)", "aa"},
                                      {R"(^a{,2}$)", ""},
                                      {R"(^a{,}b$)", "aaab"},
                                      {"^a{2}$", "aa"},
                                      {"^[]]$", "]"},
                                      {"^[^]]$", "a"},
                                      {R"(^a\Z)", "a"},
                                      {R"(^\v$)", "\v"},
                                      {R"(^[\7]$)", "\a"},
                                      {"(?i)A", "a"},
                                      {"^(?P<n>a)(?P=n)$", "aa"},
                                      {"^a{x}$", "a{x}"},
                                      {R"(^(?i:A)b$)", "ab"},
                                      {R"(^[\101]$)", "A"}})
    EXPECT_TRUE(matches(pattern, text)) << pattern;
  for (const auto& [pattern, text] : {std::pair<const char*, const char*>{R"(^a{,2}$)", "aaa"},
                                      {R"(^a\Z)", "a\n"},
                                      {"^[^]]$", "]"},
                                      {"^(?i:A)b$", "aB"},
                                      {R"(^(a)(b)\2$)", "aba"}})
    EXPECT_FALSE(matches(pattern, text)) << pattern;
  EXPECT_EQ(translate_python_pattern(R"(\377\77\0771)"), R"(\o{377}\g{77}\o{077}1)");
  for (const auto& [wrong, said] :
       {std::pair<std::string, const char*>{R"(\x4)", R"(incomplete escape \x (at character 0))"},
        {R"(a\xzz)", R"(incomplete escape \x (at character 1))"},
        {R"(\u004)", R"(incomplete escape \u (at character 0))"},
        {R"(\q)", R"(bad escape \q (at character 0))"},
        {"[a", "unterminated character set (at character 2)"},
        {"a\\", "bad escape (end of pattern) (at character 1)"},
        {R"([\8])", R"(bad escape \8 (at character 1))"},
        {R"(\400)", R"(octal escape \400 is above \377 (at character 0))"},
        {R"([\777])", R"(octal escape \777 is above \377 (at character 1))"},
        {"(?z)", "unknown extension (?z (at character 0)"},
        {"a(?i)", "global flags not at the start of the expression (at character 1)"},
        {"(*a)", "nothing to repeat (at character 0)"},
        {R"([\z])", R"(bad escape \z (at character 1))"},
        {"(?)", "unknown extension (?) (at character 0)"}})
    EXPECT_EQ(refused_with([&pattern = wrong] { translate_python_pattern(pattern); }),
              "pattern '" + wrong + "': " + said);
}

TEST(PythonFormat, numbers_are_read_as_int_and_float_read_them) {
  EXPECT_EQ(python_int(" 1_000 "), 1000);
  EXPECT_EQ(python_int("1__0"), std::nullopt);
  EXPECT_EQ(python_int("1.0"), std::nullopt);
  EXPECT_EQ(python_float("+.5e1"), 5.0);
  EXPECT_EQ(python_float("1_0.0"), 10.0);
  EXPECT_EQ(python_float("0x10"), std::nullopt);
  EXPECT_EQ(python_float("1e400"), HUGE_VAL);
  EXPECT_EQ(python_float("1e-400"), 0.0);
}

TEST(PythonWrap, breaks_where_textwrap_breaks) {
  EXPECT_THAT(python_wrap("conv(h2d[48],const{64,3,7,7}[50])[52]", 30),
              ElementsAre("conv(h2d[48],const{64,3,7,7}[5", "0])[52]"));
  EXPECT_THAT(python_wrap("layer1.0/conv1-bn-relu-fused/kernel--long_double_dash_name-x", 30),
              ElementsAre("layer1.0/conv1-bn-relu-", "fused/kernel--", "long_double_dash_name-x"));
  EXPECT_THAT(python_wrap("a\tb", 30), ElementsAre("a       b"));
  EXPECT_THAT(python_wrap("  lead", 30), ElementsAre("  lead"));
  EXPECT_THAT(python_wrap("", 30), ElementsAre());
}

// Hyphens between digits are no place to break, so such a word is cut: behind the last hyphen that still fits.
TEST(PythonWrap, cuts_a_long_word_at_a_hyphen_only_where_the_hyphen_fits) {
  using Lines = std::vector<std::string>;
  struct Case {
    const char* text;
    std::size_t width;
    Lines lines;
  };
  for (const auto& [text, width, lines] : {
           Case{"1234-5678", 3, {"123", "4-", "567", "8"}},
           Case{"1234-5678", 4, {"1234", "-567", "8"}},
           Case{"1234-5678", 5, {"1234-", "5678"}},
           Case{"1234-5678", 6, {"1234-", "5678"}},
           Case{"1234-5678", 8, {"1234-", "5678"}},
           Case{"1234-5678", 9, {"1234-5678"}},
           Case{"-123456", 4, {"-123", "456"}},
           Case{"--12-34", 3, {"--1", "2-", "34"}},
           Case{"12-34-5678", 6, {"12-34-", "5678"}},
           Case{"ab 1234-5678", 7, {"ab 1234", "-5678"}},
           Case{"ab 1234-5678", 8, {"ab 1234-", "5678"}},
           Case{"1234", 4, {"1234"}},
           Case{"1234 5", 4, {"1234", "5"}},
           Case{"12 345", 6, {"12 345"}},
           Case{"12 345", 5, {"12", "345"}},
           Case{"a  b", 3, {"a", "b"}},
           Case{"aaaa  b", 4, {"aaaa", "b"}},
           Case{" ", 5, {}},
           Case{"abc-def", 4, {"abc-", "def"}},
           Case{"abc-def", 3, {"abc", "-", "def"}},
           Case{"ab--cd", 4, {"ab--", "cd"}},
           Case{"ab--cd", 3, {"ab", "--", "cd"}},
           Case{"ab-cd-ef", 5, {"ab-", "cd-ef"}},
           Case{"1234567\tb", 30, {"1234567 b"}},
           Case{"12345678\tb", 30, {"12345678        b"}},
           Case{"a\nb\tc", 30, {"a b       c"}},
           Case{"a\rbc\td", 30, {"a bc      d"}},
           Case{"a\vb\fc", 30, {"a b c"}},
           Case{"a \t b", 30, {"a        b"}},
           // The blank stays where the word behind it has no room at all.
           Case{"ab cdefghijk", 3, {"ab ", "cde", "fgh", "ijk"}},
           Case{"ab abcdefghij", 4, {"ab a", "bcde", "fghi", "j"}},
           Case{"one two  three", 7, {"one two", "three"}},
           Case{"one  ", 10, {"one"}},
           Case{"   ", 2, {}},
           Case{"    a", 2, {"a"}},
           Case{"  x  y", 3, {"  x", "y"}},
           Case{"a b c d e f", 3, {"a b", "c d", "e f"}},
           Case{"é卷é卷é", 3, {"é卷é", "卷é"}},
           Case{"ab\u3000cd", 4, {"ab\u3000c", "d"}},
           Case{"---abc", 2, {"--", "-a", "bc"}},
           Case{"a-bc", 3, {"a-", "bc"}},
           Case{"ab-12", 4, {"ab-", "12"}},
           Case{"12-ab", 4, {"12-", "ab"}},
           Case{"a.--b", 3, {"a.", "--b"}},
           Case{"x--- y", 3, {"x--", "- y"}},
       })
    EXPECT_EQ(python_wrap(text, width), lines) << text << " at " << width;
}

TEST(Tabulate, numeric_text_is_written_again_and_aligned_at_the_point) {
  EXPECT_EQ(tabulate({{"236.0"}, {"1127860.0"}, {"1.5"}}, {"x"}, TabulateStyle::orgtbl),
            "|             x |\n"
            "|---------------|\n"
            "| 236           |\n"
            "|   1.12786e+06 |\n"
            "|   1.5         |");
}

TEST(Tabulate, one_text_makes_the_column_text) {
  EXPECT_EQ(tabulate({{"a", TabulateCell::of_real(1e-05)}, {"b", "N/A"}}, {}, TabulateStyle::simple),
            "-  -----\na  1e-05\nb  N/A\n-  -----");
}

}  // namespace
}  // namespace takt
