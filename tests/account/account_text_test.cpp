#include <gtest/gtest.h>

#include <set>

#include "account/account.h"
#include "record/run_words.h"

namespace takt {
namespace {

Accounts small() {
  return account(
      simulated_run(pipeline({stage_on(0), stage_over({0, 1})}, 4), {takes(2000), takes(100, {4000, 3000}, 50)}));
}

TEST(AccountTables, have_the_names_that_are_promised) {
  std::vector<std::string> names, promised;
  for (const Table& table : tables(small())) names.push_back(table.name);
  for (const TableSchema& schema : account_schemas()) promised.push_back(schema.name);
  EXPECT_EQ(names, promised);
}

TEST(AccountTables, have_the_columns_that_others_build_on) {
  const auto list = tables(small());
  const auto has = [](const Table& table, std::initializer_list<const char*> names) {
    for (const char* name : names)
      EXPECT_TRUE(std::any_of(table.columns.begin(), table.columns.end(),
                              [&](const ColumnSchema& column) { return column.name == name; }))
          << table.name << " " << name;
  };
  has(list[0], {"cycle_us", "throughput_per_s", "bottleneck", "bound_by", "latency_p99_us", "latency_max_us"});
  has(list[1], {"device", "wall_us", "busy_us", "copy_us", "sync_us", "starved_us", "blocked_us", "dispatch_us",
                "fill_drain_us"});
}

TEST(AccountTables, every_row_has_a_cell_for_every_column_and_every_column_a_meaning) {
  std::set<std::string> explained;
  for (const TableSchema& schema : account_schemas())
    for (const ColumnSchema& column : schema.columns) explained.insert(column.name);
  for (const Table& table : tables(small())) {
    EXPECT_FALSE(table.rows.empty()) << table.name;
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
    for (const ColumnSchema& column : table.columns) {
      EXPECT_FALSE(column.meaning.empty()) << column.name;
      if (column.name.find('.') == std::string::npos) {
        EXPECT_TRUE(explained.contains(column.name)) << column.name;
      }
    }
  }
}

TEST(AccountText, names_the_bottleneck_and_its_margin) {
  const std::string text = to_text(small());
  EXPECT_NE(text.find("bottleneck  s_1 on sim:D0+sim:D1: a batch every"), std::string::npos) << text;
  EXPECT_NE(text.find("% more than s_0"), std::string::npos) << text;
}

TEST(AccountText, shows_the_causes_of_idle_time_that_occur) {
  EXPECT_NE(to_text(small()).find("Sync"), std::string::npos) << to_text(small());
  const std::string plain =
      to_text(account(simulated_run(pipeline({stage_on(0), stage_on(1)}, 4), {takes(4), takes(2)})));
  EXPECT_EQ(plain.find("Sync"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("Copy"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("Stage busy"), std::string::npos) << plain;
}

TEST(AccountText, has_the_percentiles_of_the_latency) {
  const std::string text = to_text(small());
  for (const char* word : {" mean, ", " median, ", " p90, ", " p99, ", " max\n"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(AccountText, of_a_run_without_batches_has_no_rates) {
  const std::string text = to_text(account(simulated_run(pipeline({stage_on(0)}, 0), {takes(5)})));
  EXPECT_EQ(text.find("cycle"), std::string::npos);
  EXPECT_EQ(text.find("bottleneck"), std::string::npos);
}

}  // namespace
}  // namespace takt
