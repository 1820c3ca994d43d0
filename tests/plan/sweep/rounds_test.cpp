#include "plan/sweep/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

StageRecord round_of(std::int64_t nodes, int round, const std::vector<Nanoseconds>& samples, double copy_us = 0) {
  StageRecord record{Network::sage, "CPU", {}, round};
  record.row.key = {nodes, 2 * nodes, "CPU", 1, 1};
  record.row.runtime = "openvino", record.row.device = "CPU", record.row.precision = "f32";
  record.row.times = times_of(samples);
  if (copy_us > 0) record.row.inputs_copy = StageCopy{40, Duration(copy_us)};
  return record;
}

StageRecord failed_record(std::int64_t nodes, int round) {
  StageRecord record{Network::sage, "CPU", {}, round};
  record.row.key = {nodes, 2 * nodes, "CPU", 1, 1};
  record.row.status = StageStatus::failed, record.row.reason = "out of memory";
  return record;
}

std::vector<Nanoseconds> nanoseconds(std::initializer_list<int> times) { return {times.begin(), times.end()}; }

TEST(Rounds, share_the_iterations_and_lose_none) {
  for (const int rounds : {1, 2, 3, 7}) {
    std::int64_t sum = 0;
    for (int round = 1; round <= rounds; ++round) {
      const auto part = iterations_of_round(50, round, rounds);
      EXPECT_NEAR(static_cast<double>(part), 50.0 / rounds, 1);
      sum += part;
    }
    EXPECT_EQ(sum, 50);
  }
}

TEST(Rounds, of_a_row_are_put_together_in_their_order) {
  const auto rows = whole_rows({round_of(10, 2, nanoseconds({30, 40, 50}), 7), round_of(20, 1, nanoseconds({5})),
                                round_of(10, 1, nanoseconds({10, 20}), 9), round_of(10, 3, nanoseconds({60}), 8)});
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].row.times->samples, nanoseconds({10, 20, 30, 40, 50, 60}));
  EXPECT_THAT(rows[0].row.times->rounds, ElementsAre(2, 3, 1));
  EXPECT_EQ(rows[0].row.times->mean, Duration(Nanoseconds(35)));
  EXPECT_EQ(rows[0].row.inputs_copy->median, Duration(8.0));
  EXPECT_FALSE(rows[0].row.outputs_copy);
  EXPECT_EQ(rows[0].round, 1);
  EXPECT_THAT(rows[1].row.times->rounds, SizeIs(0));  // as it was measured: at one go
}

TEST(Rounds, copies_are_of_those_that_were_measured) {
  StageRecord last = round_of(10, 4, nanoseconds({4}), 5);
  last.row.outputs_copy = StageCopy{8, Duration(2.0)};
  const auto rows = whole_rows({round_of(10, 1, nanoseconds({1})), round_of(10, 2, nanoseconds({2}), 9),
                                round_of(10, 3, nanoseconds({3}), 7), last});
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].row.inputs_copy->median, Duration(7.0)) << "the middle of 5, 7 and 9";
  EXPECT_EQ(rows[0].row.outputs_copy->median, Duration(2.0));
  const auto two = whole_rows({round_of(10, 1, nanoseconds({1}), 6), round_of(10, 2, nanoseconds({2}), 8)});
  EXPECT_EQ(two[0].row.inputs_copy->median, Duration(6.0)) << "of two the shorter";
}

TEST(Rounds, a_failure_in_a_later_one_is_the_rows) {
  const auto rows = whole_rows({round_of(10, 1, nanoseconds({10})), failed_record(10, 2)});
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].row.status, StageStatus::failed);
  EXPECT_EQ(rows[0].row.reason, "out of memory");
  EXPECT_FALSE(rows[0].row.times);
}

TEST(Rounds, that_another_runtime_ran_are_not_mixed) {
  StageRecord other = round_of(10, 2, nanoseconds({99}));
  other.row.runtime = "onnxruntime";
  const auto rows = whole_rows({round_of(10, 1, nanoseconds({10})), other});
  EXPECT_EQ(rows[0].row.status, StageStatus::failed);
  EXPECT_THAT(rows[0].row.reason, HasSubstr("openvino on CPU in f32, then onnxruntime on CPU in f32"));
  EXPECT_FALSE(rows[0].row.times);
  EXPECT_EQ(rows[0].row.runtime, "");
}

TEST(Rounds, that_differ_tell_how_wrong_the_mean_is) {
  // Within a round all samples are alike; between rounds there is a fifth. As many samples at one go would say half as
  // much.
  const auto rows =
      whole_rows({round_of(10, 1, nanoseconds({100, 100, 100})), round_of(10, 2, nanoseconds({120, 120, 120})),
                  round_of(10, 3, nanoseconds({110, 110, 110}))});
  const auto error = error_of_mean(*rows[0].row.times);
  EXPECT_EQ(error->freedom, 2);
  EXPECT_NEAR(error->standard_error.count() * 1000, 10 / std::sqrt(3), 0.01);  // deviation of 100, 120, 110 is 10
  const auto alike = error_of_mean(*times_of(nanoseconds({100, 120, 110, 100, 120, 110, 100, 120, 110})));
  EXPECT_EQ(alike->freedom, 8);
  EXPECT_NEAR(alike->standard_error.count() * 1000, std::sqrt(75.0) / 3, 0.01);
}

TEST(Rounds, that_are_alike_leave_it_to_the_samples) {
  const auto rows = whole_rows({round_of(10, 1, nanoseconds({90, 110})), round_of(10, 2, nanoseconds({110, 90}))});
  EXPECT_EQ(error_of_mean(*rows[0].row.times)->freedom, 3);
}

TEST(StageRecord, keeps_its_round) {
  const StageRecord read = parse_stage_record(to_json(round_of(10, 3, nanoseconds({10}))), "");
  EXPECT_EQ(read.round, 3);
  EXPECT_EQ(parse_stage_record(to_json(round_of(10, 1, nanoseconds({10}))), "").round, 1);
  std::string line = to_json(round_of(10, 3, nanoseconds({10})));
  line.replace(line.find("\"round\":3"), 9, "\"round\":0");
  EXPECT_ANY_THROW(parse_stage_record(line, "here"));
}

}  // namespace
}  // namespace takt
