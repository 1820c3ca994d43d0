// What every table of the product promises: keys, headings and meanings that stand alone and mean one thing.
#include "cli/line/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "base/basics/text.h"
#include "cli/line/explain_tables.h"
#include "table_cells.h"

namespace takt {
namespace {

using ::testing::HasSubstr;

void for_every_column(const std::function<void(const std::string& where, const ColumnSchema&)>& look) {
  for (const auto& [command, tables] : all_tables())
    for (const TableSchema& table : tables)
      for (const ColumnSchema& column : table.columns) look(command + ", " + table.name + ": " + column.name, column);
}

/// Keys that mean two things, and why they stay.
bool has_two_meanings(const std::string& key) {
  static const std::set<std::string> keys{
      "flops",             // analyze: a rate, as the readers of MegEngine's tables expect; run: a number of operations
      "load_us",           // run: opening the model; stages of a pipeline: the time between batches a stage allows
      "throughput_per_s",  // the heading names what is counted: runs, batches
      "cause",             // of slow runs and of a slow-down by another stage: different words
  };
  return keys.contains(key);
}

TEST(Tables, have_no_key_twice) {
  for (const auto& [command, tables] : all_tables()) {
    std::set<std::string> names;
    for (const TableSchema& table : tables) {
      EXPECT_TRUE(names.insert(table.name).second) << command << " " << table.name;
      std::set<std::string> keys;
      for (const auto& column : table.columns)
        EXPECT_TRUE(keys.insert(column.name).second) << command << " " << table.name << " " << column.name;
    }
  }
}

TEST(Tables, one_key_has_one_title_and_one_meaning) {
  std::map<std::string, std::set<std::pair<std::string, std::string>>> uses;
  for_every_column(
      [&](const std::string&, const ColumnSchema& column) { uses[column.name].emplace(column.title, column.meaning); });
  for (const auto& [key, texts] : uses) {
    // An exception that is none any more must go.
    EXPECT_EQ(texts.size() > 1, has_two_meanings(key))
        << key << ": " << texts.begin()->second << " / " << texts.rbegin()->second;
  }
}

TEST(Tables, keys_are_snake_case_and_titles_begin_with_a_capital) {
  const std::regex key("[a-z][a-z0-9]*(_[a-z0-9]+)*(\\.[A-Z]+)?"), percentile("p[0-9]+");
  for_every_column([&](const std::string& where, const ColumnSchema& column) {
    EXPECT_TRUE(std::regex_match(column.name, key)) << where;
    ASSERT_FALSE(column.title.empty()) << where;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(column.title[0])) || std::regex_match(column.title, percentile))
        << where << ": " << column.title;
  });
}

// Ratios have no unit: 0.01 is 1 %. Shares of 100 say _percent, in the key and in the heading.
TEST(Tables, a_unit_in_the_heading_is_one_in_the_key) {
  for_every_column([&](const std::string& where, const ColumnSchema& column) {
    const auto heading_has = [&](const char* unit) { return column.title.find(unit) != std::string::npos; };
    EXPECT_EQ(heading_has("%"), column.name.ends_with("_percent")) << where << ": " << column.title;
    if (heading_has("/s")) {
      EXPECT_TRUE(column.name.ends_with("_per_s")) << where << ": " << column.title;
    }
    if (column.title.ends_with(" ns")) {
      EXPECT_TRUE(column.name.ends_with("_ns")) << where << ": " << column.title;
    }
    if (heading_has("KiB")) {
      EXPECT_TRUE(column.name.ends_with("_kib")) << where << ": " << column.title;
    }
  });
}

// A meaning is read alone, by `takt explain KEY`: it may not lean on its neighbours.
TEST(Tables, every_meaning_stands_alone) {
  const std::regex leaning(
      "^(The same|It |That |This )|\\b[Tt]hese\\b|\\b[Tt]his (?!binary)|\\bthan this\\b|\\b(that interval|that "
      "time|the same part|the other ran)\\b");
  const auto check = [&](const std::string& where, const std::string& sentence) {
    EXPECT_GT(sentence.size(), 15u) << where;
    EXPECT_TRUE(sentence.ends_with('.')) << where << ": " << sentence;
    EXPECT_EQ(sentence.find("  "), std::string::npos) << where << ": " << sentence;
    EXPECT_FALSE(std::regex_search(sentence, leaning)) << where << ": " << sentence;
  };
  for_every_column([&](const std::string& where, const ColumnSchema& column) { check(where, column.meaning); });
  for (const auto& [command, tables] : all_tables()) {
    for (const TableSchema& table : tables) {
      check(command + ", " + table.name, table.sentence);
      for (const NamedRow& row : table.named_rows)
        check(command + ", " + std::string(row.name), std::string(row.meaning));
    }
  }
}

TEST(Tables, the_first_name_is_the_default_of_a_command) {
  EXPECT_EQ(table_names("pipeline whatif").front(), "summary");
  EXPECT_EQ(table_names("pipeline interference").front(), "pairs");
}

TEST(Explain, finds_keys_titles_tables_and_rows_in_any_case) {
  const auto found = [](std::string_view word) { return find_explanation(word, all_tables()); };
  EXPECT_EQ(found("share_percent").columns.size(), 2u) << "operators and types";
  EXPECT_GE(found("SHARE %").columns.size(), 2u);
  EXPECT_EQ(found("peak_share").columns.size(), found("peak_share_percent").columns.size()) << "as --columns takes it";
  EXPECT_FALSE(found("intensity").columns.empty());
  EXPECT_EQ(found("GPU_Time").tables.size(), 1u);
  for (const char* row : {"[unattributed]", "unattributed", "Unattributed"})
    EXPECT_EQ(found(row).rows.size(), 2u) << row;
  for (const char* row : {"[12 other operators]", "other operators"}) EXPECT_EQ(found(row).rows.size(), 1u) << row;
  EXPECT_FALSE(found("stage_time_us.infer").columns.empty());
  EXPECT_TRUE(found("share_precent").empty());
}

TEST(Explain, a_value_of_few_columns_shows_those_columns) {
  const std::vector<CommandTables> all{
      {"run",
       {{"causes",
         "",
         {{"cause", "Cause", "Why: preempted (others ran), stealing_us."}, {"us", "Time", "How long it lasted."}},
         {}},
        {"four", "", {{"a", "A", "long a"}, {"b", "B", "long b"}, {"c", "C", "How long c"}}, {}}}}};
  const auto columns = [&](std::string_view word) { return find_value(word, all).columns.size(); };
  EXPECT_EQ(columns("preempted"), 1u);
  EXPECT_EQ(columns("PREEMPTED"), 1u);
  EXPECT_EQ(columns("stealing"), 0u) << "a part of a word";
  EXPECT_EQ(columns("stealing_us"), 1u);
  EXPECT_EQ(columns("Why"), 0u) << "too short";
  EXPECT_EQ(columns("long"), 0u) << "of four meanings";
  EXPECT_EQ(columns("lasted"), 1u);
}

/// Two commands with a table each, of which the second has a row of its own.
std::vector<CommandTables> two_commands() {
  return {{"one", {{"first", "What is first.", {{"time_us", "Time", "How long."}}, {}}}},
          {"two", {{"second", "What is second.", {{"bytes", "Bytes", "How many."}}, {{"[rest]", "What is left."}}}}}};
}

TEST(Cells, of_explain_tables) {
  const auto all = two_commands();
  expect_cells(table_named(tables(find_explanation("", all)), "tables"),
               {{"command", {"one", "two"}},
                {"table", {"first", "second"}},
                {"sentence", {"What is first.", "What is second."}}});
}

TEST(Cells, of_explain_columns) {
  const auto all = two_commands();
  expect_cells(table_named(tables(find_explanation("", all)), "columns"), {{"command", {"one", "two"}},
                                                                           {"table", {"first", "second"}},
                                                                           {"column", {"time_us", "bytes"}},
                                                                           {"title", {"Time", "Bytes"}},
                                                                           {"meaning", {"How long.", "How many."}}});
}

TEST(Cells, of_explain_named_rows) {
  const auto all = two_commands();
  expect_cells(
      table_named(tables(find_explanation("", all)), "named_rows"),
      {{"command", {"two"}}, {"table", {"second"}}, {"named_row", {"[rest]"}}, {"meaning", {"What is left."}}});
}

TEST(Explain, finds_every_column_table_and_row) {
  for (const std::string& word : explained_words(all_tables()))
    EXPECT_FALSE(find_explanation(word, all_tables()).empty()) << word;
}

TEST(Explain, tells_a_meaning_once_with_all_its_tables) {
  const std::string text = to_text(find_explanation("makespan_us", all_tables()));
  EXPECT_EQ(text.find("makespan_us (Makespan)"), text.rfind("makespan_us (Makespan)")) << text;
  EXPECT_THAT(text, HasSubstr("whatif: summary, sweep, sensitivity.")) << text;
  const std::string two = to_text(find_explanation("flops", all_tables()));
  EXPECT_NE(two.find("flops (FLOPs)"), std::string::npos) << two;
  EXPECT_NE(two.find("flops (FLOPS)"), std::string::npos) << two;
}

/// Lines of both forms, to their last letter; "c" and "d" have the same tables.
std::vector<CommandTables> commands_with_tables() {
  const std::string meaning = std::string(38, 'm') + " " + std::string(39, 'n') + " " + std::string(76, 'o') + " p.";
  const TableSchema first{
      "first", "What is first.", {{"time_us", "Time", meaning}, {"bytes", "Bytes", "How many."}}, {}};
  const TableSchema second{"second", "What is second.", {{"bytes", "Bytes", "How many."}}, {{"[N rest]", "Is left."}}};
  TableSchema other = second;
  other.sentence = "What is other.";
  return {{"a", {first, second}}, {"b", {second}}, {"c", {other}}, {"d", {other}}};
}

TEST(Explain, tells_all_that_was_found) {
  const auto all = commands_with_tables();
  EXPECT_EQ(to_text(find_explanation("", all)),
            "time_us (Time)\n  " + std::string(38, 'm') + " " + std::string(39, 'n') + "\n  " + std::string(76, 'o') +
                "\n  p.\n  In takt a: first.\n"
                "bytes (Bytes)\n  How many.\n"
                "  In takt a: first, second; takt b: second; takt c: second; takt d: second.\n"
                "[N rest] (row)\n  Is left.\n  In takt a: second; takt b: second; takt c: second; takt d: second.\n"
                "first (table)\n  What is first.\n  Columns: time_us, bytes.\n  Printed by takt a.\n"
                "second (table)\n  What is second.\n  Columns: bytes.\n  Printed by takt a, takt b.\n"
                "second (table)\n  What is other.\n  Columns: bytes.\n  Printed by takt c, takt d.\n");
  EXPECT_EQ(overview(all),
            "takt a\n  first: time_us, bytes\n  second: bytes\n\ntakt b\n  second: bytes\n\n"
            "takt c, takt d\n  second: bytes\n");
}

TEST(Explain, finds_rows_with_and_without_their_number) {
  const auto all = commands_with_tables();
  for (const char* word : {"[N rest]", "n rest", "[12 rest]", "7 REST", "rest"})
    EXPECT_EQ(find_explanation(word, all).rows.size(), 4u) << word;
  for (const char* word : {"12rest", "12", "[rest", "m rest"}) EXPECT_TRUE(find_explanation(word, all).empty()) << word;
  EXPECT_EQ(explained_words(all),
            (std::vector<std::string>{"time_us", "bytes", "bytes", "bytes", "bytes", "bytes", "first", "second",
                                      "second", "second", "second", "rest", "rest", "rest", "rest"}));
}

TEST(Explain, fits_80_columns) {
  const std::string texts[] = {overview(all_tables()), to_text(find_explanation("", all_tables()))};
  for (const std::string& text : texts)
    for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), 80u) << line;
}

TEST(Explain, overview_names_every_column_of_every_command) {
  const std::string text = overview(all_tables());
  for (const auto& [command, tables] : all_tables()) EXPECT_THAT(text, HasSubstr("takt " + command));
  for_every_column([&](const std::string& where, const ColumnSchema& column) {
    EXPECT_NE(text.find(column.name), std::string::npos) << where;
  });
}

}  // namespace
}  // namespace takt
