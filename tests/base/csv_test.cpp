#include "base/table/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string csv_refusal(std::string_view text) {
  try {
    parse_csv(text, "f.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Csv, quoted_cells_hold_commas_quotes_and_line_ends) {
  const auto rows = parse_csv("a,b\r\n\"x,\"\"y\"\"\nz\",\nlast,\"\"", "f.csv");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_THAT(rows[0].cells, ElementsAre("a", "b"));
  EXPECT_THAT(rows[1].cells, ElementsAre("x,\"y\"\nz", ""));
  EXPECT_THAT(rows[2].cells, ElementsAre("last", ""));
  EXPECT_EQ(rows[1].line, 2u);
  EXPECT_EQ(rows[2].line, 4u);  // the row before it has two lines
}

TEST(Csv, an_empty_text_has_no_row_and_an_empty_line_one_cell) {
  EXPECT_TRUE(parse_csv("", "f.csv").empty());
  EXPECT_THAT(parse_csv("\n", "f.csv").front().cells, ElementsAre(""));
}

TEST(Csv, refuses_with_the_line) {
  EXPECT_THAT(csv_refusal("a,b\n1\n"), HasSubstr("f.csv:2: has 1 cells, the first line 2"));
  EXPECT_THAT(csv_refusal("a\n\"b"), HasSubstr("f.csv:2: a quote is not closed"));
  EXPECT_THAT(csv_refusal("a\nb\"c\n"), HasSubstr("f.csv:2: a quote is inside"));
  EXPECT_THAT(csv_refusal("\"a\"b\n"), HasSubstr("f.csv:1: text follows a closing quote"));
}

TEST(Csv, a_cell_is_read_as_it_was_written) {
  for (const char* text : {"", "plain", "with, comma", "with \"quotes\"", "line\nend", "\r"})
    EXPECT_EQ(parse_csv(csv_cell(text) + ",x\n", "f.csv").front().cells.front(), text);
}

}  // namespace
}  // namespace takt
