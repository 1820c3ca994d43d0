// What was packed comes out again; what is no such thing is told.
#include "pipeline/record/packed_batches.h"

#include <gtest/gtest.h>

#include <limits>

#include "pipeline/record/collected_batches.h"
#include "pipeline/record/passages.h"
#include "places.h"

namespace takt {
namespace {

/// Packs what was unpacked once more: equal bytes are equal passages.
std::string packed_again(const std::string& bytes, std::size_t stages) {
  PackedBatches batches(bytes, stages);
  BatchPassage passage;
  std::string again;
  while (batches.next(passage)) pack(again, passage);
  EXPECT_FALSE(batches.is_damaged());
  return again;
}

TEST(PackedBatches, a_thousand_random_runs_come_back) {
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = seed % 2 == 0 ? any_random_run(seed) : measured(seed);
    CollectedBatches collected(run.stages.size());
    std::string bytes;
    for (const BatchPassage& passage : passages_of(run)) pack(bytes, passage);
    ASSERT_TRUE(collected.add_packed(bytes));
    ASSERT_EQ(packed_again(bytes, run.stages.size()), bytes);
    PipelineRun back = first_batches(planned_of(run), 0, run.warmup);
    collected.move_to(back);
    PipelineRun expected = first_batches(run, run.schedule.batches.size(), run.warmup);
    back.warmup = expected.warmup;
    back.base_time = run.base_time, back.interrupted = run.interrupted, back.failure = run.failure;
    expect_same_record(expected, back);
    if (HasFatalFailure()) return;
  }
}

TEST(PackedBatches, take_few_bytes) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_over({0, 1}), stage_on(1)}, 100),
                                 {takes(2'000'003), takes(100'007, {4'000'001, 3'000'007}, 50'021), takes(1'999'993)});
  std::string bytes;
  for (const BatchPassage& passage : passages_of(run)) pack(bytes, passage);
  EXPECT_LT(bytes.size(), 100u * 3 * 64);
}

TEST(PackedBatches, the_furthest_numbers_come_back) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  BatchPassage passage;
  passage.batch = most;
  passage.times = {Nanoseconds(least), Nanoseconds(most), Nanoseconds(0)};
  passage.visits = {{most, 0, 7, Nanoseconds(most), Nanoseconds(least), Nanoseconds(-1), {}, Nanoseconds(most), {}}};
  passage.steps = {{least,
                    {{most, 0, 7, 1, Execution::host, FlowPhase::merge}, Nanoseconds(most), Nanoseconds(least), {}},
                    {Nanoseconds(least), std::nullopt, most}}};
  passage.copies = {{most, 0, 7, 1, 2, true, Nanoseconds(least), Nanoseconds(most), least}};
  std::string bytes;
  pack(bytes, passage);
  PackedBatches batches(bytes, 1);
  BatchPassage back;
  ASSERT_TRUE(batches.next(back));
  EXPECT_EQ(back.batch, most);
  EXPECT_EQ(numbers(back.times), numbers(passage.times));
  EXPECT_EQ(numbers(back.visits.at(0)), numbers(passage.visits[0]));
  EXPECT_EQ(back.steps.at(0).number, least);
  EXPECT_EQ(numbers(back.steps[0].record), numbers(passage.steps[0].record));
  EXPECT_EQ(back.steps[0].counters.hardware, Nanoseconds(least));
  EXPECT_FALSE(back.steps[0].counters.marshalling);
  EXPECT_EQ(back.steps[0].counters.bytes_moved, most);
  EXPECT_EQ(numbers(back.copies.at(0)), numbers(passage.copies[0]));
  EXPECT_FALSE(batches.next(back));
  EXPECT_FALSE(batches.is_damaged());
}

TEST(PackedBatches, a_cut_or_changed_one_is_damaged_or_another_and_never_too_large) {
  const PipelineRun run = measured(3);
  std::string bytes;
  pack(bytes, passages_of(run).at(0));
  BatchPassage passage;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    PackedBatches cut(std::string_view(bytes).substr(0, size), run.stages.size());
    EXPECT_FALSE(cut.next(passage)) << size;
    EXPECT_TRUE(cut.is_damaged()) << size;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = '\xff';
    PackedBatches batches(changed, run.stages.size());
    while (batches.next(passage)) EXPECT_LE(passage.steps.size() + passage.copies.size(), bytes.size()) << at;
  }
}

TEST(CollectedBatches, may_come_in_any_order_and_wait_for_those_before) {
  const PipelineRun run = measured(5);
  auto passages = passages_of(run);
  ASSERT_GT(passages.size(), 3u);
  CollectedBatches collected(run.stages.size());
  EXPECT_TRUE(collected.add(passages[2]));
  EXPECT_TRUE(collected.add(passages[3]));
  EXPECT_EQ(collected.size(), 0);
  EXPECT_EQ(collected.left_out(), 2);
  EXPECT_TRUE(collected.add(passages[0]));
  EXPECT_EQ(collected.size(), 1);
  EXPECT_TRUE(collected.add(passages[1]));
  EXPECT_EQ(collected.size(), 4);
  EXPECT_EQ(collected.left_out(), 0);
  PipelineRun back = planned_of(run);
  collected.move_to(back);
  const PipelineRun expected = first_batches(run, 4, std::nullopt);
  expect_same(expected.schedule.visits, back.schedule.visits);
  expect_same(expected.schedule.executions, back.schedule.executions);
}

TEST(CollectedBatches, refuse_one_that_came_before) {
  const PipelineRun run = measured(5);
  const auto passages = passages_of(run);
  CollectedBatches collected(run.stages.size());
  EXPECT_TRUE(collected.add(passages[0]));
  EXPECT_FALSE(collected.add(passages[0]));
  EXPECT_TRUE(collected.add(passages[2]));
  EXPECT_FALSE(collected.add(passages[2]));
  auto negative = passages[1];
  negative.batch = -1;
  EXPECT_FALSE(collected.add(negative));
  EXPECT_EQ(collected.size(), 1);
}

}  // namespace
}  // namespace takt
