// Whole tables, as tabulate 0.8.9 printed them.
#include "measure/python_text/tabulate.h"

#include <gmock/gmock.h>

namespace takt {
namespace {

using Rows = std::vector<std::vector<TabulateCell>>;

TabulateCell whole(long long number) { return TabulateCell::of_integer(number); }
TabulateCell real(double number) { return TabulateCell::of_real(number); }

/// One column of cells under "x", drawn by the style with the fewest lines.
std::string column(const std::vector<TabulateCell>& cells) {
  Rows rows;
  for (const auto& cell : cells) rows.push_back({cell});
  return tabulate(rows, {"x"}, TabulateStyle::orgtbl);
}

TEST(Tabulate, every_style_with_and_without_headers_and_rows) {
  const Rows rows{{"a", real(1.5), "x"}, {"bb", whole(22), "y"}};
  const std::vector<std::string> headers{"name", "n", "z"};
  struct Case {
    Rows rows;
    std::vector<std::string> headers;
    TabulateStyle style;
    const char* table;
  };
  for (const auto& [body, names, style, table] : {
           Case{rows, headers, TabulateStyle::fancy_grid, R"(
╒════════╤══════╤═════╕
│ name   │    n │ z   │
╞════════╪══════╪═════╡
│ a      │  1.5 │ x   │
├────────┼──────┼─────┤
│ bb     │ 22   │ y   │
╘════════╧══════╧═════╛)"},
           Case{rows, {}, TabulateStyle::fancy_grid, R"(
╒════╤══════╤═══╕
│ a  │  1.5 │ x │
├────┼──────┼───┤
│ bb │ 22   │ y │
╘════╧══════╧═══╛)"},
           Case{{}, headers, TabulateStyle::fancy_grid, R"(
╒════════╤═════╤═════╕
│ name   │ n   │ z   │
╞════════╪═════╪═════╡
╘════════╧═════╧═════╛)"},
           Case{rows, headers, TabulateStyle::simple, R"(
name       n  z
------  ----  ---
a        1.5  x
bb      22    y)"},
           Case{rows, {}, TabulateStyle::simple, R"(
--  ----  -
a    1.5  x
bb  22    y
--  ----  -)"},
           Case{{}, headers, TabulateStyle::simple, R"(
name    n    z
------  ---  ---)"},
           Case{rows, headers, TabulateStyle::orgtbl, R"(
| name   |    n | z   |
|--------+------+-----|
| a      |  1.5 | x   |
| bb     | 22   | y   |)"},
           Case{rows, {}, TabulateStyle::orgtbl, R"(
| a  |  1.5 | x |
| bb | 22   | y |)"},
           Case{{}, headers, TabulateStyle::orgtbl, R"(
| name   | n   | z   |
|--------+-----+-----|)"},
       })
    EXPECT_EQ("\n" + tabulate(body, names, style), table);
  for (const auto style : {TabulateStyle::simple, TabulateStyle::fancy_grid, TabulateStyle::orgtbl})
    EXPECT_EQ(tabulate({}, {}, style), "");
}

TEST(Tabulate, a_column_is_what_its_most_general_cell_is) {
  // True and False alone are no numbers, whole numbers stay as they are written, a fraction has all written again.
  EXPECT_EQ(column({"True", "False"}), "| x     |\n|-------|\n| True  |\n| False |");
  EXPECT_EQ(column({"True", "2"}), "|    x |\n|------|\n| True |\n|    2 |");
  EXPECT_EQ(column({"True", "a"}), "| x    |\n|------|\n| True |\n| a    |");
  EXPECT_EQ(column({"7", "1_000", "-12"}), "|     x |\n|-------|\n|     7 |\n| 1_000 |\n|   -12 |");
  EXPECT_EQ(column({"7", "1.250", "1e5", "1e-7"}),
            "|          x |\n|------------|\n|      7     |\n|      1.25  |\n| 100000     |\n|      1e-07 |");
  EXPECT_EQ(column({whole(5), whole(1234567)}), "|       x |\n|---------|\n|       5 |\n| 1234567 |");
  EXPECT_EQ(column({whole(5), real(2.5)}), "|   x |\n|-----|\n| 5   |\n| 2.5 |");
  EXPECT_EQ(column({real(1e-5), real(123456), real(1234567)}),
            "|                x |\n|------------------|\n|      1e-05       |\n| 123456           |\n"
            "|      1.23457e+06 |");
  EXPECT_EQ(column({real(7), "a"}), "| x   |\n|-----|\n| 7.0 |\n| a   |");
}

TEST(Tabulate, of_words_for_numbers_only_three_are_numbers) {
  EXPECT_EQ(column({"inf", "-inf", "nan", "2.5"}),
            "|      x |\n|--------|\n|  inf   |\n| -inf   |\n|  nan   |\n|    2.5 |");
  EXPECT_EQ(column({"NaN", "2.5"}), "|     x |\n|-------|\n| nan   |\n|   2.5 |");
  for (const std::string word : {"+inf", "1e400"})
    EXPECT_EQ(column({word, "2.5"}).substr(0, 6), "| x   ") << word << " makes the column text";
  EXPECT_EQ(column({"infinity", "2.5"}), "| x        |\n|----------|\n| infinity |\n| 2.5      |");
}

TEST(Tabulate, a_header_has_room_for_two_more) {
  const auto width = [](const std::string& cell) { return column({cell, "b"}).find('\n'); };
  EXPECT_EQ(width("ab"), 7u);
  EXPECT_EQ(width("abc"), 7u) << "as wide as the header and two";
  EXPECT_EQ(width("abcd"), 8u);
  EXPECT_EQ(tabulate({{whole(1)}, {whole(2)}}, {"a long header"}, TabulateStyle::simple),
            "  a long header\n---------------\n              1\n              2");
}

TEST(Tabulate, text_is_stripped_and_counted_in_characters) {
  EXPECT_EQ(column({"  a ", "bcd"}), "| x   |\n|-----|\n| a   |\n| bcd |");
  EXPECT_EQ(tabulate({{"é卷"}, {"abcd"}}, {"ü"}, TabulateStyle::orgtbl), "| ü    |\n|------|\n| é卷   |\n| abcd |");
}

TEST(Tabulate, cells_of_several_lines_make_their_row_higher) {
  EXPECT_EQ("\n" + tabulate({{"a\nlonger", "x"}, {"b", "1\n2\n3"}}, {"h", "two\nlines"}, TabulateStyle::fancy_grid), R"(
╒════════╤═════════╕
│ h      │ two     │
│        │ lines   │
╞════════╪═════════╡
│ a      │ x       │
│ longer │         │
├────────┼─────────┤
│ b      │ 1       │
│        │ 2       │
│        │ 3       │
╘════════╧═════════╛)");
  EXPECT_EQ("\n" + tabulate({{real(1.5), "x"}, {real(22.25), "y\rz"}}, {"h", "two"}, TabulateStyle::fancy_grid), R"(
╒═══════╤═══════╕
│     h │ two   │
╞═══════╪═══════╡
│  1.5  │ x     │
├───────┼───────┤
│ 22.25 │ y     │
│       │ z     │
╘═══════╧═══════╛)");
}

TEST(Tabulate, colours_and_links_take_no_room) {
  EXPECT_EQ(tabulate({{"\x1b[31mred\x1b[0m", "1"}, {"blue", "\x1b[32m2.50\x1b[0m"}}, {"c", "v"}, TabulateStyle::orgtbl),
            "| c    |   v |\n|------+-----|\n| \x1b[31mred\x1b[0m  | 1   |\n| blue | \x1b[32m2.5\x1b[0m |");
  EXPECT_EQ(column({"\x1b[1;31mred\x1b[0m", "blue", "\x1b[;5;mx"}),
            "| x    |\n|------|\n| \x1b[1;31mred\x1b[0m  |\n| blue |\n| \x1b[;5;mx    |");
  EXPECT_EQ(column({"<\x1b]8;;http://a\x1b\\name\x1b]8;;\x1b\\>", "blue"}),
            "| x      |\n|--------|\n| <\x1b]8;;http://a\x1b\\name\x1b]8;;\x1b\\> |\n| blue   |");
}

}  // namespace
}  // namespace takt
