#include "base/machine/resource_load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

/// What a load of these levels tells in so many lines: work per nanosecond.
double rate_of(LoadLevels levels, int lines) {
  std::vector<std::string> told;
  run_load(to_json(LoadTask{levels, 1, static_cast<int>(::getppid())}), [&](const std::string& line) {
    told.push_back(line);
    return std::ssize(told) < lines;
  });
  const auto first = split(told.front(), ' '), last = split(told.back(), ' ');
  const double time = *number_in<double>(last[0]) - *number_in<double>(first[0]);
  return (*number_in<double>(last[1]) - *number_in<double>(first[1])) / time;
}

TEST(ResourceLoad, a_task_is_read_back) {
  const LoadTask task = parse_load_task(to_json(LoadTask{{0.25, 0.5, 0}, 3, 17}));
  EXPECT_EQ(task.levels.compute, 0.25);
  EXPECT_EQ(task.levels.memory, 0.5);
  EXPECT_EQ(task.levels.cache, 0);
  EXPECT_EQ(task.threads, 3);
  EXPECT_EQ(task.parent, 17);
}

TEST(ResourceLoad, what_is_no_load_is_refused) {
  EXPECT_THROW(parse_load_task(""), Error);
  EXPECT_THROW(parse_load_task("{}"), Error);
  for (const LoadLevels& levels :
       {LoadLevels{0.6, 0.6, 0}, LoadLevels{-0.1, 0, 0}, LoadLevels{0, 0, 1.5}, LoadLevels{0.5, 0, 0.5}})
    EXPECT_THROW(parse_load_task(to_json(LoadTask{levels, 1, 1})), Error);
  EXPECT_THROW(parse_load_task(to_json(LoadTask{{1, 0, 0}, 0, 1})), Error);
}

TEST(ResourceLoad, every_kind_works_and_less_at_a_lower_level) {
  for (const LoadLevels& full : {LoadLevels{1, 0, 0}, LoadLevels{0, 1, 0}}) {
    double all = rate_of(full, 30), part = rate_of({full.compute * 0.1, full.memory * 0.1, 0}, 30);
    // Others use the machine, too, and may have had it while everything was asked for.
    for (int more = 0; more < 4 && part >= all / 2; ++more) all = std::max(all, rate_of(full, 30));
    EXPECT_GT(part, 0);
    EXPECT_LT(part, all / 2);  // a tenth
  }
  EXPECT_GT(rate_of({0, 0, 0.5}, 10), 0);
}

TEST(ResourceLoad, tells_its_rate_while_it_runs) {
  // A child in the place of the load: 1000 slices a second, on a clock that begins with the first line.
  const std::string script = "read task; for t in 1 2 3 4 5; do echo \"${t}000000 $t\"; done; sleep 60";
  const ResourceLoad load({"/bin/sh", "-c", script}, {});
  const auto rate = load.rate(Nanoseconds(1'500'000), Nanoseconds(4'500'000));
  ASSERT_TRUE(rate);
  EXPECT_NEAR(*rate, 1000, 1e-6);
  EXPECT_FALSE(load.rate(Nanoseconds(500'000), Nanoseconds(4'500'000)));  // before it told anything
  EXPECT_FALSE(load.rate(Nanoseconds(4'500'000), Nanoseconds(1'500'000)));
}

TEST(ResourceLoad, says_why_it_does_not_run) {
  try {
    const ResourceLoad load({"/bin/sh", "-c", "echo no memory >&2; exit 3"}, {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the load beside which stages are measured ended with exit code 3: no memory");
  }
}

}  // namespace
}  // namespace takt
