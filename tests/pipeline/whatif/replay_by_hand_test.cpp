// Replays of runs small enough to follow by hand, to the nanosecond.
#include <gmock/gmock.h>

#include "pipeline/contention/overlap.h"
#include "pipeline/record/run_words.h"
#include "pipeline/whatif/change.h"
#include "pipeline/whatif/replay.h"

namespace takt {
namespace {

using testing::ElementsAre;

PipelineRun changed(const PipelineRun& run, const std::string& change) {
  return replay(run, std::vector<PipelineChange>{parse_change(change)}, {});
}

/// One stage with replicas on devices of their own, each of which takes as long as it does.
class DeviceTimes final : public ServiceTimes {
 public:
  explicit DeviceTimes(std::vector<std::int64_t> times) : times_(std::move(times)) {}
  Nanoseconds service(const Execution& execution) override {
    return Nanoseconds(times_[static_cast<std::size_t>(execution.device)]);
  }

 private:
  std::vector<std::int64_t> times_;
};

PipelineRun on_two_devices(std::int64_t batches) {
  FlowShape shape = pipeline({stage_on(0, 2)}, batches);
  shape.devices.resize(2);
  shape.stages[0].replicas[1] = {1};
  DeviceTimes times({100, 300});
  return run_of(shape, simulate(shape, times));
}

TEST(ReplayByHand, new_replicas_repeat_the_devices_of_the_old_ones) {
  const PipelineRun run = changed(on_two_devices(8), "stage.s_0.replicas=5");
  EXPECT_THAT(run.shape.stages[0].replicas,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(0), ElementsAre(1), ElementsAre(0)));
}

// Batch 1 ran on the slow device; batch 2 was done at 200 and left behind it at 300, so batch 3 ended at 400.
TEST(ReplayByHand, a_stage_that_moves_takes_as_long_as_it_does_there) {
  const PipelineRun run = on_two_devices(4);
  EXPECT_EQ(run.schedule.makespan().count(), 400);
  EXPECT_EQ(changed(run, "stage.s_0.device=sim:D1").schedule.makespan().count(), 600);
  EXPECT_EQ(changed(run, "stage.s_0.device=sim:D0").schedule.makespan().count(), 200);
}

// Arrivals at 0, 10, 60: two distances in 60 ns. At one batch in 15 ns the last comes at 30, the others in proportion.
// The first one comes when it came.
TEST(ReplayByHand, an_open_source_keeps_the_pattern_of_its_arrivals_at_the_new_rate) {
  for (const std::int64_t first : {0, 100}) {
    FlowShape shape = pipeline({stage_on(0)}, 3);
    shape.source.open = true;
    SimulationOptions options;
    options.arrivals = {Nanoseconds(first), Nanoseconds(first + 10), Nanoseconds(first + 60)};
    const PipelineRun run = changed(simulated_run(shape, {takes(1)}, options), "source.rate=66666666.6666666");
    std::vector<std::int64_t> arrived;
    for (const auto& batch : run.schedule.batches) arrived.push_back(batch.arrived.count());
    EXPECT_THAT(arrived, ElementsAre(first, first + 5, first + 30));
  }
}

// First stage [0,10] [10,20] [20,30]; second [10,25] [25,40] [40,55], of which the first lasts into batch 2. So 0, 10
// and 5 + 5 of 10 are beside.
TEST(OverlapShares, count_what_began_before_and_what_begins_within) {
  const PipelineRun run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 3),
                                        std::vector<std::vector<std::int64_t>>{{10, 15}, {10, 15}, {10, 15}});
  for (const OverlapShare& share : overlap_shares(run)) {
    if (share.stage != 0 || share.beside != 1) continue;
    EXPECT_DOUBLE_EQ(share.mean, 20.0 / 30);
    EXPECT_DOUBLE_EQ(share.low, 0.1);  // of 0, 1, 1 the 5th percentile, a tenth of the way to the second
    EXPECT_DOUBLE_EQ(share.high, 1);
    return;
  }
  FAIL() << "no such pair";
}

// Batch 1 is in the first stage from 10 to 20, while batch 0 is in the second; nothing is beside it when batch 0, as
// warm-up, does not count.
TEST(OverlapShares, leave_warm_up_out) {
  PipelineRun run =
      simulated_run(pipeline({stage_on(0), stage_on(1)}, 2), std::vector<std::vector<std::int64_t>>{{10, 10}, {10, 4}});
  const auto first_beside_second = [&] {
    for (const OverlapShare& share : overlap_shares(run))
      if (share.stage == 0 && share.beside == 1) return share.mean;
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(first_beside_second(), 0.5);
  run.warmup = 1;
  EXPECT_DOUBLE_EQ(first_beside_second(), 0);
}

}  // namespace
}  // namespace takt
