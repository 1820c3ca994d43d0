#include "base/table/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/table/long_table.h"
#include "refused.h"

using namespace std::chrono_literals;

namespace takt {
namespace {

struct Row {
  std::string name;
  std::optional<double> flops;
  Duration total;
};

constexpr Column<Row> row_columns[] = {
    {"name", "Name", [](const Row& row) -> Cell { return row.name; }, "who"},
    {"flops", "FLOPs", [](const Row& row) { return optional_cell(row.flops); }, "work"},
    {"total_us", "Total", [](const Row& row) -> Cell { return row.total; }, "time"},
};

Table sample() {
  std::vector<Row> rows{{"conv,\"1\"|x", 2.5, 1500us}, {"relu", std::nullopt, 2us}};
  return TableDefinition<Row>{"operators", "Rows of a test.", row_columns}.make(rows);
}

TEST(Table, missing_values_are_never_zero) {
  EXPECT_EQ(to_csv(sample()), "name,flops,total_us\n\"conv,\"\"1\"\"|x\",2.5,1500\nrelu,,2\n");
  Table ends = sample();
  ends.rows = {{"a\rb", Cell{}, Cell{}}, {"c\nd", Cell{}, Cell{}}};
  EXPECT_EQ(to_csv(ends), "name,flops,total_us\n\"a\rb\",,\n\"c\nd\",,\n");
  auto json = nlohmann::json::parse(to_json(std::vector{sample()}, R"({"takt_version":"1"})"));
  EXPECT_EQ(json["takt"]["takt_version"], "1");
  EXPECT_TRUE(json["tables"]["operators"][1]["flops"].is_null());
  EXPECT_EQ(json["tables"]["operators"][0]["total_us"], 1500);
  EXPECT_NE(to_text(sample()).find("–"), std::string::npos);
}

TEST(Table, a_definition_makes_the_columns_that_its_schema_tells) {
  constexpr NamedRow rows[] = {{"[rest]", "What is left."}};
  const TableDefinition<Row> definition{"operators", "Rows of a test.", row_columns, rows};
  const TableSchema schema = definition.schema();
  EXPECT_EQ(schema.name, definition.make({}).name);
  EXPECT_EQ(schema.sentence, "Rows of a test.");
  ASSERT_EQ(schema.columns.size(), 3u);
  EXPECT_EQ(schema.columns[2].name, "total_us");
  EXPECT_EQ(schema.columns[2].title, "Total");
  EXPECT_EQ(schema.columns[2].meaning, "time");
  EXPECT_EQ(definition.make({}).columns.size(), 3u);
  ASSERT_EQ(schema.named_rows.size(), 1u);
  EXPECT_EQ(schema.named_rows[0].name, "[rest]");
}

TEST(Table, columns_are_picked_in_the_order_asked_for_or_left_out) {
  const std::vector<Table> list{sample()};
  const Table& table = table_named(list, "operators");
  EXPECT_EQ(to_csv(some_columns(table, {"total_us", "none", "name"})),
            "total_us,name\n1500,\"conv,\"\"1\"\"|x\"\n2,relu\n");
  EXPECT_EQ(to_csv(without_columns(table, {"name"})), "flops,total_us\n2.5,1500\n,2\n");
}

TEST(Table, columns_that_say_nothing_in_any_row_can_be_left_out) {
  Table table = some_columns(sample(), {"name", "flops"});
  EXPECT_EQ(without_empty_columns(table).columns.size(), 2u);  // one row has it
  table.rows.front()[1] = Cell();
  EXPECT_EQ(to_csv(without_empty_columns(table)), "name\n\"conv,\"\"1\"\"|x\"\nrelu\n");
  table.rows.clear();
  EXPECT_EQ(without_empty_columns(table).columns.size(), 2u);
}

TEST(Table, a_column_may_be_meant_without_its_unit) {
  EXPECT_TRUE(is_meant({"share_percent", "Share %", ""}, "share"));
  EXPECT_FALSE(is_meant({"share_percent", "Share %", ""}, "percent"));
}

TEST(Table, chosen_columns_may_leave_out_the_unit_and_all_is_every_one) {
  EXPECT_EQ(to_csv(choose_columns(sample(), std::vector<std::string>{"total"})), "total_us\n1500\n2\n");
  EXPECT_EQ(choose_columns(sample(), std::vector<std::string>{"flops", "all"}).columns.size(), 4u);
  EXPECT_EQ(parse_column_names(" name, total_us,"), (std::vector<std::string>{"name", "total_us"}));
  EXPECT_EQ(refused_with([] { parse_column_names(" ,"); }),
            "--columns needs names of columns, such as name,type,mean_us,p99_us");
  try {
    choose_columns(sample(), std::vector<std::string>{"totl_us"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--columns: there is no column 'totl_us'; did you mean 'total_us'?");
  }
}

TEST(Table, markdown_escapes_bars) { EXPECT_NE(to_markdown(sample()).find("conv,\"1\"\\|x"), std::string::npos); }

TEST(Table, text_is_aligned_and_within_its_width) {
  EXPECT_EQ(to_text(sample()),
            "Name        FLOPs     Total\n"
            "───────────────────────────\n"
            "conv,\"1\"|x   2.50  1.500 ms\n"
            "relu            –  0.002 ms\n");
  Table wide = sample();
  wide.rows[0][0] = std::string(200, 'n') + "tail";
  std::string text = to_text(wide, 60);
  EXPECT_NE(text.find("…"), std::string::npos);
  EXPECT_NE(text.find("tail"), std::string::npos);
  EXPECT_EQ(to_text(wide, 300).find("…"), std::string::npos);
}

TEST(Table, is_cut_where_it_is_a_column_too_wide_and_not_before) {
  const Table table{"t",
                    {{"a", "A", ""}, {"b", "B", ""}, {"n", "N", ""}},
                    {{std::string("one/two/three/four"), std::string("alpha.beta"), std::int64_t{12345}},
                     {std::string("one/two/three/five"), std::string("b"), std::int64_t{1}}}};
  EXPECT_EQ(text_width(table), 18u + 2 + 10 + 2 + 5);
  EXPECT_EQ(to_text(table, 37).find("…"), std::string::npos);
  const std::string cut = to_text(table, 36);
  EXPECT_NE(cut.find("…"), std::string::npos);
  for (const char* word : {"four", "five", "alpha.beta", "12345"}) EXPECT_NE(cut.find(word), std::string::npos) << word;
  EXPECT_EQ(to_text(Table{"t", {{"a", "A", ""}}, {}}), "A\n─\n");
}

TEST(Table, percentages_have_no_unit_and_ends_of_intervals_an_end) {
  const Table table{
      "t",
      {{"change_percent", "Change %", ""}, {"low_percent", "From %", ""}, {"fit_high_percent", "To %", ""}},
      {{4.4, -54.0, 86.6}, {1.9e6, 1000.0, 3.18e16}}};
  EXPECT_EQ(to_text(table),
            "Change %  From %    To %\n"
            "────────────────────────\n"
            "       4     -54    86.6\n"
            " 1900000    1000  > 1000\n");
  EXPECT_NE(to_csv(table).find("3.18e+16"), std::string::npos) << "files keep the number";
}

TEST(Table, a_named_row_and_a_verdict_are_never_cut) {
  const Table table{"t",
                    {{"name", "Name", ""}, {"type", "Type", ""}, {"verdict", "Verdict", ""}},
                    {{std::string("[whole run]"), Cell(), std::string("inconclusive")},
                     {std::string("/encoder/layer.0/output/dense/MatMul"), std::string("SkipLayerNormalization"),
                      std::string("regrouped")}}};
  const std::string text = to_text(table, 10);
  for (const char* word : {"[whole run]", "inconclusive", "regrouped", "Verdict"})
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  EXPECT_EQ(text.find("SkipLayerNormalization"), std::string::npos);
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (const auto& line : split(text, '\n')) longest = std::max(longest, display_width(line));
  return longest;
}

TEST(Table, titles_take_two_lines_before_names_are_cut) {
  const Table table{"t",
                    {{"name", "Name", ""}, {"share", "Share of the time", ""}, {"n", "N", ""}},
                    {{std::string("convolution_1"), 12.5, std::int64_t{3}}}};
  EXPECT_EQ(to_text(table, 35),
            "Name           Share of the time  N\n"
            "───────────────────────────────────\n"
            "convolution_1               12.5  3\n");
  EXPECT_EQ(to_text(table, 34),
            "               Share of\n"
            "Name           the time  N\n"
            "──────────────────────────\n"
            "convolution_1      12.5  3\n");
}

TEST(Table, plans_and_reasons_go_on_below_instead_of_being_cut) {
  const Table table{"t",
                    {{"n", "No", ""}, {"plan", "Plan", ""}, {"x", "X", ""}},
                    {{std::int64_t{1}, std::string("GPU[1-4] | CPU+NPU[5-7 0.384/0.616]"), 54.0},
                     {std::int64_t{2}, std::string("CPU[1-7]"), 252.0}}};
  EXPECT_EQ(to_text(table, 24),
            "No  Plan               X\n"
            "────────────────────────\n"
            " 1  GPU[1-4] |        54\n"
            "    CPU+NPU[5-7\n"
            "    0.384/0.616]\n"
            " 2  CPU[1-7]         252\n");
}

TEST(Table, columns_without_room_follow_below_with_what_names_their_rows) {
  const Table table{
      "t",
      {{"stage", "Stage", ""}, {"other", "Other", ""}, {"a", "First", ""}, {"b", "Second", ""}, {"c", "Third", ""}},
      {{std::string("infer"), std::string("load"), 1111111.5, 2222222.5, 3333333.5},
       {std::string("infer"), std::string("save"), 1.5, 2.5, 3.5}}};
  const std::string text = to_text(table, 32);
  EXPECT_EQ(longest_line(text), 32u) << text;
  const auto lines = split(text, '\n');
  EXPECT_EQ(lines[0], "Stage  Other     First    Second") << text;
  EXPECT_EQ(lines[4], "") << text;
  EXPECT_EQ(lines[5].substr(0, 12), "Stage  Other") << "no single column tells the rows apart\n" << text;
  for (const char* word : {"First", "Second", "Third"})
    EXPECT_EQ(text.find(word), text.rfind(word)) << word << " is there once in\n" << text;
}

TEST(Table, is_no_wider_than_asked_at_any_width) {
  Table table = sample();
  table.columns.push_back({"verdict", "Verdict", ""});
  table.rows[0].emplace_back(std::string("slower than before, by more than noise"));
  table.rows[1].emplace_back(std::string("same"));
  for (std::size_t width = 24; width < 100; ++width) {
    const std::string text = to_text(table, width);
    EXPECT_LE(longest_line(text), width) << text;
    for (const char* word : {"slower", "before,", "noise", "same", "1.500", "2.50"})
      EXPECT_NE(text.find(word), std::string::npos) << word << " at " << width << "\n" << text;
  }
}

TEST(Table, markdown_has_the_numbers_of_the_text) {
  Table table{"t", {{"a", "A", ""}, {"b_us", "B", ""}}, {{Cell(550.9527129407443), Cell(Duration(1500))}}};
  EXPECT_EQ(to_markdown(table), "| A | B |\n|---|---|\n| 551 | 1.50 ms |\n");
}

TEST(Table, colours_change_nothing_but_the_colours) {
  const TextStyle style{.colour = true, .paint = [](const ColumnSchema& column, const Cell&) {
                          return column.name == "total_us" ? Paint::bad : Paint::plain;
                        }};
  std::string text = to_text(sample(), style);
  EXPECT_NE(text.find("\x1b[33m1.500 ms\x1b[0m"), std::string::npos);
  for (std::size_t at; (at = text.find('\x1b')) != text.npos;) text.erase(at, text.find('m', at) - at + 1);
  EXPECT_EQ(text, to_text(sample()));
}

TEST(Table, json_is_laid_out_a_row_a_line) {
  Table empty = sample();
  empty.name = "none", empty.rows.clear();
  EXPECT_EQ(to_json(std::vector{sample(), empty}, R"({"v":1})"), R"({
  "takt": {"v":1},
  "tables": {
    "operators": [
      {"name": "conv,\"1\"|x", "flops": 2.5, "total_us": 1500},
      {"name": "relu", "flops": null, "total_us": 2}
    ],
    "none": []
  }
}
)");
  EXPECT_EQ(to_csv(empty), "name,flops,total_us\n");
}

TEST(LongTable, is_written_in_pieces_as_if_it_were_whole) {
  std::vector<std::pair<std::size_t, std::size_t>> asked;
  const std::size_t rows = 8193;
  const auto make = [&](std::size_t first, std::size_t count) {
    asked.emplace_back(first, count);
    Table piece{"t", {{"n", "N", ""}}, {}};
    for (std::size_t i = first; i < std::min(first + count, rows); ++i)
      piece.rows.push_back({static_cast<std::int64_t>(i)});
    return piece;
  };
  std::string csv, json, expected = "n\n";
  for (std::size_t i = 0; i < rows; ++i) expected += std::to_string(i) + "\n";
  write_csv({"t", rows, make}, [&](std::string_view piece) { csv += piece; });
  EXPECT_EQ(csv, expected);
  using Piece = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(asked, (std::vector<Piece>{{0, 4096}, {4096, 4096}, {8192, 4096}}));
  write_json(std::vector<LongTable>{{"t", rows, make}}, "{}", [&](std::string_view piece) { json += piece; });
  const auto list = nlohmann::json::parse(json)["tables"]["t"];
  ASSERT_EQ(list.size(), rows);
  EXPECT_EQ(list[4096]["n"], 4096);
  EXPECT_EQ(list.back()["n"], 8192);
}

TEST(Table, markdown_escapes_what_divides_cells) {
  const Table table{"t", {{"a", "A|B", ""}}, {{std::string("x\\y\nz")}, {Cell()}}};
  EXPECT_EQ(to_markdown(table), "| A\\|B |\n|---|\n| x\\\\y\\\\x0az |\n| – |\n");
}

TEST(Table, a_word_with_each_unit_means_a_column) {
  for (const char* unit : {"", "_us", "_flop_per_byte", "_percent"})
    EXPECT_TRUE(is_meant({"x" + std::string(unit), "", ""}, "x")) << unit;
  EXPECT_FALSE(is_meant({"x_ms", "", ""}, "x"));
  const Table table{"t", {{"n_us", "N", ""}, {"n", "N", ""}}, {{std::int64_t{1}, std::int64_t{2}}}};
  EXPECT_EQ(to_csv(choose_columns(table, std::vector<std::string>{"n"})), "n\n2\n") << "the whole key is nearer";
}

TEST(Table, json_has_no_infinities) {
  Table table{"t", {{"a", "A", ""}}, {{Cell(std::numeric_limits<double>::infinity())}}};
  EXPECT_TRUE(nlohmann::json::parse(to_json(std::vector{table}, "{}"))["tables"]["t"][0]["a"].is_null());
}

}  // namespace
}  // namespace takt
