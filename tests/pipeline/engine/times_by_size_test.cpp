// Times of stages for values of each size, of a run written by hand.
#include "pipeline/engine/times_by_size.h"

#include <gmock/gmock.h>

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

InputTurns turns_of(const std::string& name, const std::vector<Shape>& shapes) {
  InputTurns turns{0, name};
  for (const Shape& shape : shapes) {
    auto value = std::make_shared<HostTensor>();
    value->shape = shape;
    turns.values.push_back(std::move(value));
  }
  return turns;
}

/// Batch b takes 10 + b milliseconds in stage "a" and 100 in "b", and a partition of nobody's interest.
PipelineRun run_of(int batches) {
  PipelineRun run;
  run.stages.resize(2);
  run.stages[0].name = "a", run.stages[1].name = "b";
  for (int batch = 0; batch < batches; ++batch)
    for (int stage = 0; stage < 2; ++stage) {
      ExecutionRecord record;
      record.what.batch = batch, record.what.stage = stage;
      record.start = std::chrono::seconds(batch);
      record.end = record.start + std::chrono::milliseconds(stage == 0 ? 10 + batch : 100);
      run.schedule.executions.push_back(record);
      record.what.phase = FlowPhase::partition, record.end += std::chrono::hours(1);
      run.schedule.executions.push_back(record);
    }
  return run;
}

TEST(TimesBySize, are_medians_of_the_smallest_size_first) {
  const std::vector<std::vector<InputTurns>> turns{{turns_of("ids", {{1, 64}, {1, 8}})}, {}};
  EXPECT_THAT(notes_on_sizes(run_of(6), {0}, turns),
              ElementsAre("stage 'a' takes by size, in the median: 13.0 ms for ids {1,8}, 12.0 ms for ids {1,64}"));
  EXPECT_THAT(notes_on_sizes(run_of(6), {0, 1}, turns).at(1),
              "stage 'b' takes by size, in the median: 100 ms for ids {1,8}, 100 ms for ids {1,64}");
}

TEST(TimesBySize, leave_warm_up_out_and_stages_that_nobody_asked_for) {
  const std::vector<std::vector<InputTurns>> turns{{turns_of("ids", {{1}, {2}})}, {turns_of("same", {{7}, {7}})}};
  PipelineRun run = run_of(4);
  run.warmup = 2;
  EXPECT_THAT(notes_on_sizes(run, {0}, turns),
              ElementsAre("stage 'a' takes by size, in the median: 12.0 ms for ids {1}, 13.0 ms for ids {2}"));
  EXPECT_THAT(notes_on_sizes(run, {}, turns), IsEmpty());
  run.warmup = 4;
  EXPECT_THAT(notes_on_sizes(run, {0}, turns), IsEmpty());
}

TEST(TimesBySize, name_all_inputs_that_vary_and_at_most_eight_sizes) {
  const std::vector<std::vector<InputTurns>> two{{turns_of("x", {{1}, {2}}), turns_of("y", {{5}, {4}, {3}})}, {}};
  EXPECT_THAT(notes_on_sizes(run_of(1), {0}, two),
              ElementsAre("stage 'a' takes by size, in the median: 10.0 ms for x {1} and y {5}"));
  std::vector<Shape> many;
  for (int i = 1; i <= 10; ++i) many.push_back({i});
  const std::string note = notes_on_sizes(run_of(10), {0}, {{turns_of("x", many)}, {}}).at(0);
  EXPECT_THAT(note, testing::EndsWith("17.0 ms for x {8}, and 2 more sizes"));
}

}  // namespace
}  // namespace takt
