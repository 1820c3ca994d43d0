// Tables that a command printed, read again: in the order of the registry, with what it says of their columns.
#include "report/results/saved_tables.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/basics/error.h"

namespace takt {
namespace {

/// A registry of two tables, of which the second has a column for each stage.
std::vector<TableSchema> registry() {
  return {{"first", "One.", {{"a", "A", "An a."}, {"b", "B", "A b."}}, {}},
          {"second", "Two.", {{"stage_time_us.STAGE", "Stage", "Of a stage."}, {"c", "C", "A c."}}, {}}};
}

std::vector<ReportTable> read(const char* json) {
  return saved_tables(nlohmann::json::parse(json), registry(), "x.json");
}

std::string saved_refusal(const char* json) {
  try {
    read(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

/// "second: stage_time_us.infer|Stage infer|Of a stage., c|C|A c."
std::string columns_in(const ReportTable& one) {
  std::string text = one.table.name + ":";
  for (const auto& column : one.table.columns) text += " " + column.name + "|" + column.title + "|" + column.meaning;
  return text;
}

TEST(SavedTables, have_what_the_registry_knows_first) {
  const auto tables = read(R"({"new": [{"x.y": 1}], "second": [{"z": 4, "c": 5}, {"stage_time_us.infer": 6}],
                               "first": [{"b": 1.5, "a": "word"}, {"a": null, "b": 7}]})");
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(columns_in(tables[0]), "first: a|A|An a. b|B|A b.");
  EXPECT_EQ(tables[0].schema.sentence, "One.");
  EXPECT_EQ(columns_in(tables[1]),
            "second: stage_time_us.infer|Stage infer|Of a stage. c|C|A c. z|z|Not known to this version of takt.");
  EXPECT_EQ(columns_in(tables[2]), "new: x.y|x.y|Not known to this version of takt.");
  EXPECT_EQ(tables[2].schema.sentence, "Not known to this version of takt.");
  const Table* first = find_table(tables, "first");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->rows, (std::vector<std::vector<Cell>>{{"word", 1.5}, {Cell(), std::int64_t{7}}}));
  const Table* second = find_table(tables, "second");
  EXPECT_EQ(number_in(*second, 0, "z"), 4);
  EXPECT_EQ(number_in(*second, 1, "stage_time_us.infer"), 6);
  EXPECT_EQ(number_in(*second, 1, "z"), std::nullopt) << "a key that this row lacks";
  EXPECT_EQ(number_in(*first, 0, "a"), std::nullopt) << "a word";
  EXPECT_EQ(number_in(*first, 2, "b"), std::nullopt) << "no row";
  EXPECT_EQ(text_in(*first, 0, "a") + "," + text_in(*first, 0, "b") + "," + text_in(*first, 0, "none"), "word,,");
  EXPECT_EQ(find_table(tables, "third"), nullptr);
}

TEST(SavedTables, hold_numbers_up_to_two_to_the_62_exactly) {
  const auto cell = [](const char* number) {
    return read((std::string(R"({"first": [{"a": )") + number + "}]}").c_str()).at(0).table.rows[0][0];
  };
  EXPECT_EQ(cell("4611686018427387904"), Cell(std::int64_t{1} << 62));
  EXPECT_EQ(cell("4611686018427387905"), Cell(4611686018427387904.0));
  EXPECT_EQ(cell("-9223372036854775808"), Cell(INT64_MIN));
}

TEST(SavedTables, of_something_else_are_refused) {
  EXPECT_EQ(saved_refusal("[]"), "x.json: 'tables' is no object; give what a command printed with --format json");
  EXPECT_EQ(saved_refusal(R"({"first": [3]})"), "x.json: table 'first' has a row that is 3; give an object");
  EXPECT_EQ(saved_refusal(R"({"new": [{"x": [1]}]})"),
            "x.json: table 'new', 'x' is [1]; a table of takt has numbers, texts and null");
}

}  // namespace
}  // namespace takt
