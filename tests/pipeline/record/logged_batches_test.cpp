// Which batches of a program's own report came to the end, which were dropped and what they skipped.
#include "pipeline/record/logged_batches.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pipeline/account/account.h"
#include "pipeline/record/slow_start.h"

namespace takt {
namespace {

/// Stages a, b, c on devices A, B, C, or the first of them; a visit lasts from one number to the other, in microseconds.
class Diary {
 public:
  explicit Diary(std::size_t stages = 3) {
    log_.wall_minus_steady = Nanoseconds(0);
    log_.stages = {{"a", 1}, {"b", 1}, {"c", 1}};
    log_.devices = {"A", "B", "C"};
    log_.stages.resize(stages), log_.devices.resize(stages);
  }
  Diary& at(std::int64_t batch, std::size_t stage, std::int64_t from, std::int64_t until) {
    auto& visits = log_.batches[batch];
    if (visits.size() <= stage) visits.resize(stage + 1);
    const Nanoseconds begin(from * 1000), done(until * 1000);
    visits[stage] = LoggedVisit{begin, begin, done, done, {{stage, begin, done, {}}}, {}, {}};
    return *this;
  }
  const PipelineLog& log() const { return log_; }
  PipelineRun run() const { return run_of(log_); }

 private:
  PipelineLog log_;
};

std::vector<std::int64_t> numbers_of(const std::vector<LoggedBatch>& batches) {
  std::vector<std::int64_t> numbers;
  for (const LoggedBatch& batch : batches) numbers.push_back(batch.number);
  return numbers;
}

/// Batch 7 goes everywhere, 8 skips b, 9 is dropped after a, 12 is in b when the diary ends.
Diary four_ways() {
  Diary diary;
  diary.at(7, 0, 0, 4).at(7, 1, 4, 64).at(7, 2, 64, 70);
  diary.at(8, 0, 33, 37).at(8, 2, 70, 76);
  diary.at(9, 0, 66, 70);
  diary.at(11, 0, 100, 104).at(11, 1, 104, 114).at(11, 2, 114, 120);
  diary.at(12, 0, 133, 137).at(12, 1, 137, 147);
  return diary;
}

TEST(LoggedBatches, end_skip_and_drop) {
  const Diary diary = four_ways();
  const LoggedBatches found = logged_batches(diary.log());
  EXPECT_EQ(found.order, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(numbers_of(found.delivered), (std::vector<std::int64_t>{7, 8, 11}));
  ASSERT_EQ(found.dropped.size(), 1u);
  EXPECT_EQ(found.dropped[0].first.number, 9);
  EXPECT_EQ(found.dropped[0].second, 0u);
  EXPECT_EQ(found.unfinished, 1) << "nobody that left b later went on";
}

TEST(LoggedBatches, that_go_two_ways_need_no_batch_in_all_stages) {
  Diary diary;
  for (std::int64_t b = 0; b < 4; ++b)
    diary.at(b, 0, 10 * b, 10 * b + 2).at(b, 1 + static_cast<std::size_t>(b % 2), 10 * b + 2, 10 * b + 9);
  const LoggedBatches found = logged_batches(diary.log());
  EXPECT_EQ(found.delivered.size(), 4u);
  EXPECT_TRUE(found.dropped.empty());
  EXPECT_EQ(diary.run().logged->skipped, (std::vector<std::size_t>{2, 4, 8, 10}));
}

TEST(LoggedBatches, in_a_circle_are_those_with_most_stages) {
  Diary diary;
  diary.at(0, 0, 0, 1).at(0, 1, 1, 2).at(0, 2, 2, 3);
  diary.at(1, 1, 3, 4).at(1, 0, 4, 5);
  const LoggedBatches found = logged_batches(diary.log());
  EXPECT_EQ(numbers_of(found.delivered), std::vector<std::int64_t>{0});
  EXPECT_EQ(found.unfinished, 1);
}

TEST(LoggedRuns, count_what_was_skipped_nowhere) {
  const PipelineRun run = four_ways().run();
  ASSERT_TRUE(run.logged);
  EXPECT_EQ(run.logged->numbers, (std::vector<std::int64_t>{7, 8, 11}));
  EXPECT_EQ(run.logged->skipped, std::vector<std::size_t>{4});
  const VisitRecord& skip = run.schedule.visits[4];
  EXPECT_EQ(skip.entered, Nanoseconds(37000));
  EXPECT_EQ(skip.left, Nanoseconds(37000));
  const Accounts accounts = account(run);
  EXPECT_EQ(accounts.stages[0].batches, 3);
  EXPECT_EQ(accounts.stages[1].batches, 2);
  EXPECT_EQ(accounts.stages[1].time.mean, Duration(35)) << "of 60 and 10";
  EXPECT_EQ(accounts.stages[1].load, Duration(70.0 / 3)) << "of three batches";
  EXPECT_EQ(accounts.devices[1].executions, 2);
  EXPECT_EQ(accounts.devices[1].busy, Nanoseconds(70000));
  EXPECT_EQ(accounts.batches[1].latency(), Nanoseconds(43000));
}

TEST(LoggedRuns, have_the_time_of_what_was_dropped_on_its_device) {
  const PipelineRun run = four_ways().run();
  ASSERT_EQ(run.logged->dropped.size(), 1u);
  EXPECT_EQ(run.logged->dropped[0].stage, 0);
  EXPECT_EQ(run.logged->dropped[0].batches, 1);
  const Accounts accounts = account(run);
  EXPECT_EQ(accounts.batches.size(), 3u);
  EXPECT_EQ(accounts.devices[0].executions, 4) << "7, 8, 9 and 11";
  EXPECT_EQ(accounts.devices[0].busy, Nanoseconds(16000));
  const std::string text = to_text(accounts);
  EXPECT_NE(text.find("dropped     1 of 4 batches (25.0 %), after a"), std::string::npos) << text;
  EXPECT_NE(text.find("skipped     b by 1 of 3 batches"), std::string::npos) << text;
}

TEST(LoggedRuns, keep_what_was_skipped_and_dropped_in_their_trace) {
  const PipelineRun run = four_ways().run(), again = read_pipeline_run(to_trace(run), "x.json");
  ASSERT_TRUE(again.logged);
  EXPECT_EQ(again.logged->numbers, run.logged->numbers);
  EXPECT_EQ(again.logged->skipped, run.logged->skipped);
  ASSERT_EQ(again.logged->dropped.size(), 1u);
  EXPECT_EQ(again.logged->dropped[0].batches, 1);
  EXPECT_EQ(to_text(account(again)), to_text(account(run)));
}

TEST(LoggedRuns, that_a_camera_feeds_are_bound_by_it) {
  Diary camera, loop;
  for (std::int64_t b = 0; b < 40; ++b) {
    camera.at(b, 0, 40'000 * b, 40'000 * b + 5'000).at(b, 1, 40'000 * b + 5'000, 40'000 * b + 27'000);
    loop.at(b, 0, 40'000 * b + 3, 40'000 * b + 5'000).at(b, 1, 40'000 * b + 5'004, 40'000 * (b + 1));
  }
  const Accounts waits = account(camera.run());
  ASSERT_TRUE(waits.bindings.main);
  EXPECT_EQ(waits.bindings.main->binder, Binder::source);
  EXPECT_NEAR(waits.arrivals_per_s.value(), 25, 1e-6);
  EXPECT_NE(to_text(waits).find("bound by    source: 25 batches/s arrive"), std::string::npos);
  EXPECT_EQ(account(loop.run()).bindings.main->binder, Binder::in_flight) << "the next begins 3 us after one has left";
}

TEST(SlowStart, is_what_took_three_times_the_median_and_what_waited_behind_it) {
  Diary diary(2);
  std::int64_t free = 0;
  for (std::int64_t b = 0; b < 40; ++b) {
    const std::int64_t begin = b < 3 ? b : free - 20;
    diary.at(b, 0, begin, begin + 1);
    const std::int64_t from = std::max(begin + 1, free);
    free = from + (b < 2 ? 2000 : 20);
    diary.at(b, 1, from, free);
  }
  EXPECT_EQ(slow_start(diary.run()), 3) << "the third came while the second compiled";
  EXPECT_EQ(diary.run().warmup, 3);
  Diary even(1);
  for (std::int64_t b = 0; b < 40; ++b) even.at(b, 0, 10 * b, 10 * b + 2 + b % 3);
  EXPECT_EQ(slow_start(even.run()), 0);
}

}  // namespace
}  // namespace takt
