#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "pipeline/account/account.h"
#include "pipeline/record/run_words.h"

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

/// What the text says of an account that is changed.
std::string text_with(const std::function<void(Accounts&)>& change) {
  Accounts a = small();
  change(a);
  return to_text(a);
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != text.npos; }

TEST(AccountText, a_cold_start_is_one_and_a_half_times_as_long_or_more_and_the_longest_is_named) {
  const auto first_took = [](std::int64_t first_ns, std::int64_t second_ns) {
    return text_with([&](Accounts& a) {
      a.warmup = 1;
      for (const std::size_t s : {0u, 1u}) {
        a.stages[s].time.mean = Duration(Nanoseconds(1000));
        a.stages[s].first = Nanoseconds(s == 0 ? first_ns : second_ns);
      }
    });
  };
  EXPECT_FALSE(says(first_took(1500, 1000), "the first took"));
  EXPECT_TRUE(says(first_took(1501, 1000), "in s_0, later ones 1.00 µs")) << first_took(1501, 1000);
  EXPECT_TRUE(says(first_took(1600, 1700), "the first took 1.70 µs in s_1"));
  EXPECT_TRUE(says(first_took(1700, 1700), "in s_0")) << "of equals the first";
  EXPECT_TRUE(says(first_took(1, 1), "warm-up     1 batch, excluded from all statistics\n"));
  EXPECT_TRUE(
      says(text_with([](Accounts& a) { a.warmup = 2; }), "warm-up     2 batches, excluded from all statistics"));
  EXPECT_FALSE(says(text_with([](Accounts& a) { a.warmup = 0; }), "warm-up"));
}

TEST(AccountText, a_line_is_eighty_columns_wide_and_no_wider) {
  const std::string begin = "bottleneck  ", end = " on sim:D0: a batch every 1.00 µs";
  for (const std::size_t columns : {79u, 80u, 81u}) {
    const std::string more = "100.0 % more than b";
    const std::string text = text_with([&](Accounts& a) {
      a.bindings.main.reset();
      a.bottleneck = 0, a.second = 1, a.margin = 1;
      a.stages[0].load = Duration(1), a.stages[0].devices = "sim:D0", a.stages[1].name = "b";
      // "µ" is one column and two bytes.
      a.stages[0].name = std::string(columns - (begin.size() + end.size() - 1) - 2 - more.size(), 'a');
    });
    EXPECT_EQ(says(text, "a batch every 1.00 µs, " + more + "\n"), columns <= 80) << columns << "\n" << text;
    EXPECT_EQ(says(text, "a batch every 1.00 µs,\n            " + more + "\n"), columns > 80) << columns;
  }
}

TEST(AccountText, the_source_is_told_where_batches_waited_there) {
  const auto waits = [](std::int64_t total) {
    return text_with([&](Accounts& a) {
      a.source_wait.mean = Duration(1), a.source_wait.max = Duration(3), a.source_wait.total = Nanoseconds(total);
    });
  };
  EXPECT_TRUE(says(waits(1), "source      1.00 µs mean wait before a batch is admitted, 3.00 µs max\n"));
  EXPECT_FALSE(says(waits(0), "source      "));
  const std::string text = text_with([](Accounts& a) { a.overload = Overload{200, 150, 0.25}; });
  EXPECT_TRUE(says(
      text,
      "overload    200 batches/s arrive, 150 complete,\n            so queueing delay grows by 250 ms per second\n"))
      << text;
}

TEST(AccountText, of_many_causes_the_common_time_gives_way) {
  const auto columns = [](bool copy, bool sync, bool dispatch) {
    return text_with([&](Accounts& a) {
      for (DeviceAccount& device : a.devices) {
        device.copy = Nanoseconds(copy), device.sync = Nanoseconds(sync), device.dispatch = Nanoseconds(dispatch);
      }
    });
  };
  EXPECT_TRUE(says(columns(false, false, false), "Wall")) << columns(false, false, false);
  EXPECT_FALSE(says(columns(true, false, false), "Wall")) << columns(true, false, false);
  EXPECT_FALSE(says(columns(false, true, false), "Wall"));
  EXPECT_FALSE(says(columns(true, true, false), "Wall")) << columns(true, true, false);
}

TEST(AccountText, of_a_run_without_batches_has_no_rates) {
  const std::string text = to_text(account(simulated_run(pipeline({stage_on(0)}, 0), {takes(5)})));
  EXPECT_EQ(text.find("cycle"), std::string::npos);
  EXPECT_EQ(text.find("bottleneck"), std::string::npos);
}

}  // namespace
}  // namespace takt
