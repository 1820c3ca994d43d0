#include "plan/sweep/stage_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/basics/error.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

StageTask three_sizes() {
  StageTask task;
  task.unit = "CPU", task.device = "CPU";
  task.sizes = {{1, 1}, {2, 2}, {3, 3}};
  return task;
}

/// The answer of a child for one of the sizes.
std::string row_of(std::int64_t nodes) {
  StageRecord record{Network::sage, "CPU", {}};
  record.row.key = {nodes, nodes, "CPU", 1, 1};
  record.row.runtime = "openvino", record.row.device = "CPU";
  record.row.times = times_of({5us});
  return to_json(record);
}

struct Told {
  std::size_t done = 0;
  std::vector<std::string> reasons;  ///< of the rows; empty of a measured one
};

/// What the parent makes of a child that does this.
Told run(const std::string& script, const StageTask& task = three_sizes(), Nanoseconds limit = 60s,
         const std::atomic<bool>* stop = nullptr) {
  Told told;
  told.done = run_stage_process({"/bin/sh", "-c", script}, task, {limit, stop}, [&](const StageRecord& record) {
    EXPECT_EQ(record.row.key.nodes, static_cast<std::int64_t>(told.reasons.size()) + 1);
    EXPECT_EQ(record.row.status == StageStatus::measured, record.row.reason.empty());
    told.reasons.push_back(record.row.reason);
  });
  return told;
}

std::string say(std::int64_t nodes) { return fmt::format("echo '{}';", row_of(nodes)); }

TEST(StageProcess, gives_every_row_as_it_comes) {
  const Told told = run(say(1) + say(2) + say(3));
  EXPECT_EQ(told.done, 3u);
  EXPECT_THAT(told.reasons, testing::ElementsAre("", "", ""));
}

TEST(StageProcess, a_crash_costs_one_row_and_says_why) {
  const Told told = run(say(1) + "echo 'terminate called' >&2; kill -ABRT $$");
  EXPECT_EQ(told.done, 2u);
  ASSERT_THAT(told.reasons, testing::SizeIs(2));
  EXPECT_THAT(told.reasons[1], testing::AllOf(testing::HasSubstr("signal 6"), testing::HasSubstr("terminate called")));
  EXPECT_THAT(run("exit 3").reasons, testing::ElementsAre(testing::HasSubstr("exit code 3")));
  EXPECT_THAT(run("exit 2").reasons, testing::ElementsAre(testing::HasSubstr("exit code 2")));
}

TEST(StageProcess, a_lost_device_is_told_by_its_own_row_and_costs_no_other) {
  const Told told = run(say(1) + "exit 2");
  EXPECT_EQ(told.done, 1u);
  EXPECT_THAT(told.reasons, testing::ElementsAre(""));
}

TEST(StageProcess, one_that_hangs_is_ended) {
  const Told told = run(say(1) + "sleep 1000", three_sizes(), 300ms);
  EXPECT_EQ(told.done, 2u);
  EXPECT_THAT(told.reasons, testing::ElementsAre("", testing::HasSubstr("no answer within 300 ms")));
}

TEST(StageProcess, a_stop_loses_no_row_and_makes_none_up) {
  const std::atomic<bool> stop{true};
  const Told told = run("sleep 1000", three_sizes(), 60s, &stop);
  EXPECT_EQ(told.done, 0u);
  EXPECT_THAT(told.reasons, testing::IsEmpty());
}

TEST(StageProcess, answers_to_another_question_are_refused) {
  EXPECT_THROW(run(say(2)), Error);
  EXPECT_THROW(run("echo '{}'"), Error);
}

}  // namespace
}  // namespace takt
