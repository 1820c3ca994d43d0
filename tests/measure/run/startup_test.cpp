// From asking for a model to its first result, and the cores that several sessions share.
#include "measure/open/startup.h"

#include <gtest/gtest.h>

#include "measure/run/results.h"
#include "measure/timing/instances.h"

namespace takt {
namespace {

/// Loaded in 100 us, of which 30 were reading and 60 compiling; the first warm-up run takes 9 us, runs take 4 and 5.
RunResult a_started_run() {
  RunResult result = profiled_result({{4000, {}}, {5000, {}}});
  result.plain = *result.profiled;
  result.plain->profiled = false;
  result.plain->load_time = ns(100'000);
  result.plain->start_up = {ns(30'000), ns(60'000), false};
  result.plain->warmup = {ns(9'000), ns(8'000)};
  return result;
}

std::vector<double> step_times(const RunResult& result) {
  std::vector<double> times;
  const Table table = startup_table(result).value_or(Table());
  for (const auto& row : table.rows)
    times.push_back(std::holds_alternative<Duration>(row[1]) ? std::get<Duration>(row[1]).count() : -1);
  return times;
}

using Times = std::vector<double>;

TEST(StartUp, has_a_row_per_step_and_their_sum) {
  RunResult result = a_started_run();
  EXPECT_EQ(step_times(result), (Times{30, 60, 10, 9, 109}));
  EXPECT_EQ(startup_line(result), "Start-up 109 µs: read 30.0 µs, compile 60.0 µs, other 10.0 µs, first run 9.00 µs\n");
  result.plain->start_up.read.reset();
  EXPECT_EQ(step_times(result), (Times{-1, 60, 40, 9, 109})) << "read within compile";
  result.plain->start_up.from_cache = true;
  EXPECT_EQ(startup_line(result),
            "Start-up 109 µs: compile 60.0 µs (from the cache), other 40.0 µs, first run 9.00 µs\n");
  const Table cached = startup_table(result).value_or(Table());
  EXPECT_EQ(cached.rows.at(1).at(2), Cell("yes"));
  EXPECT_EQ(cached.rows.at(0).at(2), Cell());
}

TEST(StartUp, clocks_that_disagree_give_no_negative_time) {
  RunResult result = a_started_run();
  result.plain->load_time = ns(85'000);
  EXPECT_EQ(step_times(result), (Times{30, 60, 0, 9, 99}));
  result.plain->warmup.clear();
  EXPECT_EQ(step_times(result), (Times{30, 60, 0, 4, 94})) << "without warm-up the first run counts";
}

TEST(StartUp, of_the_plain_session_or_else_of_the_other) {
  RunResult result = a_started_run();
  result.profiled->load_time = ns(7'000), result.profiled->start_up.compile = ns(7'000);
  EXPECT_EQ(step_times(result).front(), 30);
  result.plain.reset();
  EXPECT_EQ(step_times(result), (Times{-1, 7, 0, 4, 11}));
  result.profiled->start_up.compile.reset();
  EXPECT_FALSE(startup_table(result)) << "the runtime does not tell";
  EXPECT_EQ(startup_line(result), "");
}

TEST(Instances, share_the_cores_in_their_order) {
  RunSettings settings;
  settings.cores = {0, 2, 4, 6, 8, 9, 11};
  settings.instances = 3;
  EXPECT_EQ(cores_of(settings, 0), (std::vector<int>{0, 2}));
  EXPECT_EQ(cores_of(settings, 1), (std::vector<int>{4, 6}));
  EXPECT_EQ(cores_of(settings, 2), (std::vector<int>{8, 9})) << "one is left over";
  settings.instances = 7;
  EXPECT_EQ(cores_of(settings, 6), std::vector<int>{11});
  settings.cores.clear();
  EXPECT_TRUE(cores_of(settings, 6).empty());
}

}  // namespace
}  // namespace takt
