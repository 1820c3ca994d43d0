// What executions took without those beside them, and what others take by them, by hand.
#include "pipeline/whatif/recorded_times.h"

#include <gmock/gmock.h>

#include <array>

#include "pipeline/record/run_words.h"

namespace takt {
namespace {

using testing::ElementsAre;

/// {stage, begin, end}, each on the device of its stage's number.
PipelineRun stages_ran(int stages, const std::vector<std::array<std::int64_t, 3>>& list) {
  std::vector<FlowStage> made;
  for (int s = 0; s < stages; ++s) made.push_back(stage_on(s));
  PipelineRun run = run_of(pipeline(made, 1), {});
  for (const auto& [stage, begin, end] : list) {
    ExecutionRecord& record = run.schedule.executions.emplace_back();
    record.what.stage = record.what.device = static_cast<int>(stage);
    record.ready = record.start = Nanoseconds(begin), record.end = Nanoseconds(end);
  }
  return run;
}

// stage 0 takes twice as long beside stage 1, that four times as long beside stage 0, and one beside its like thrice.
TEST(UndisturbedTimes, are_what_is_left_of_each_stretch) {
  ContentionLaw law;
  law.interference = {{3, 2}, {4, 1}};
  EXPECT_THAT(undisturbed_times(stages_ran(2, {{0, 0, 100}, {1, 50, 150}}), law), ElementsAre(50 + 25, 12.5 + 50));
  EXPECT_THAT(undisturbed_times(stages_ran(2, {{0, 0, 100}, {1, 100, 150}}), law), ElementsAre(100, 50))
      << "one after another";
  EXPECT_THAT(undisturbed_times(stages_ran(2, {{0, 0, 60}, {1, 0, 60}, {0, 60, 90}}), law), ElementsAre(30, 15, 30));
  EXPECT_THAT(undisturbed_times(stages_ran(2, {{0, 0, 60}, {0, 30, 60}}), law), ElementsAre(30 + 10, 10));
  EXPECT_THAT(undisturbed_times(stages_ran(2, {{0, 0, 60}, {0, 0, 60}, {1, 30, 60}}), law),
              ElementsAre(10 + 5, 10 + 5, testing::DoubleNear(30.0 / 16, 1e-9)))
      << "beside two, both factors";
  EXPECT_THAT(undisturbed_times(stages_ran(2, {{0, 0, 100}, {1, 50, 150}}), {}), ElementsAre(100, 100))
      << "without a law";
}

Execution run_of_batch(std::int64_t batch, int stage, int device) {
  Execution what;
  what.batch = batch, what.stage = stage, what.device = device;
  return what;
}

TEST(RecordedTimes, are_each_batchs_own_or_the_mean) {
  const PipelineRun run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 3),
                                        std::vector<std::vector<std::int64_t>>{{10, 1}, {20, 2}, {60, 3}});
  RecordedTimes times(run, {});
  const auto of = [&](std::int64_t batch, int stage) {
    return times.service(run_of_batch(batch, stage, stage)).count();
  };
  EXPECT_EQ(of(0, 0), 10);
  EXPECT_EQ(of(2, 0), 60);
  EXPECT_EQ(of(2, 1), 3);
  EXPECT_EQ(of(3, 0), 30) << "of a batch that was not recorded, the mean";
  EXPECT_EQ(of(3, 1), 2);
  EXPECT_EQ(times.mean_ns(0), 30);
  EXPECT_EQ(times.mean_ns(1), 2);
  EXPECT_TRUE(times.ran_on(0, 0) && times.ran_on(1, 1));
  EXPECT_FALSE(times.ran_on(0, 1));
  times.take({2, 0, 2});
  EXPECT_EQ(of(0, 0), 60);
  EXPECT_EQ(of(1, 1), 1);
  EXPECT_EQ(of(2, 0), 60);
  times.scale(1, 2), times.scale(1, 3);
  EXPECT_EQ(of(1, 1), 6);
  EXPECT_EQ(of(1, 0), 10) << "another stage";
}

TEST(RecordedTimes, of_parts_with_other_shares) {
  const auto after = [](const std::vector<int>& devices, const std::vector<std::int64_t>& parts,
                        const std::vector<double>& ratio, const std::vector<double>& recorded) {
    const PipelineRun run =
        simulated_run(pipeline({stage_over(devices)}, 2), std::vector<StageTime>{takes(5, parts, 7)});
    RecordedTimes times(run, {});
    times.split(0, ratio, recorded);
    std::vector<std::int64_t> list;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      Execution what = run_of_batch(1, 0, devices[p]);
      what.part = static_cast<int>(p);
      list.push_back(times.service(what).count());
    }
    list.push_back(static_cast<std::int64_t>(times.mean_ns(0)));
    return list;
  };
  EXPECT_THAT(after({0, 1}, {20, 10}, {0.5, 0.5}, {0.5, 0.5}), ElementsAre(20, 10, 5 + 20 + 7));
  EXPECT_THAT(after({0, 1}, {20, 10}, {0.25, 0.75}, {0.5, 0.5}), ElementsAre(10, 15, 5 + 15 + 7));
  EXPECT_THAT(after({0, 1, 2}, {20, 10, 40}, {0.5, 0.25, 0.25}, {0.25, 0.25, 0.5}), ElementsAre(40, 10, 20, 52));
  EXPECT_THAT(after({0, 1}, {20, 10}, {0, 1}, {0.5, 0.5}), ElementsAre(0, 20, 32)) << "nothing is left of it";
  // On one device: 5 and 40 times the share.
  EXPECT_THAT(after({0, 0}, {15, 35}, {0.5, 0.5}, {0.25, 0.75}), ElementsAre(25, 25, 37));
  EXPECT_THAT(after({0, 1}, {15, 35}, {0.5, 0.5}, {0.25, 0.75}), ElementsAre(30, 23, 42))
      << "on two nothing tells that";
}

}  // namespace
}  // namespace takt
