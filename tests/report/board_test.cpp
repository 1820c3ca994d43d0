#include "report/results/board.h"

#include <gtest/gtest.h>

#include "report/made_tables.h"
#include "report/results/bars.h"
#include "report/results/titles.h"

namespace takt {
namespace {

using namespace std::string_literals;

MadeRow stage(const std::string& name, double load, std::int64_t parts = 1) {
  return {{"stage", name},   {"devices", "CPU"s},    {"replicas", std::int64_t{2}}, {"parts", parts},
          {"load_us", load}, {"queue_mean_us", 5.0}, {"held_mean_us", Cell()}};
}

std::vector<ReportTable> pipeline() {
  return {made_table("summary", {{{"cycle_us", 10.0}, {"bottleneck", "b"s}, {"warmup_batches", std::int64_t{1}}}}),
          made_table("stages", {stage("a", 4), stage("b", 10, 2), stage("c", 9.9)}),
          made_table("splits", {{{"stage", "b"s}, {"device", "GPU"s}, {"device_time_mean_us", 18.0}},
                                {{"stage", "b"s}, {"device", "NPU"s}, {"device_time_mean_us", 16.0}}}),
          made_table("bindings", {{{"bound_by", "stage b"s}, {"laps", std::int64_t{7}}},
                                  {{"bound_by", "[start]"s}, {"laps", std::int64_t{2}}}}),
          made_table("critical_path",
                     {{{"path_stage", "b"s}, {"activity", "run"s}, {"path_device", "GPU"s}, {"path_us", 30.0}},
                      {{"path_stage", "a"s}, {"activity", "dispatch"s}, {"path_device", Cell()}, {"path_us", 2.0}},
                      {{"path_stage", "b"s}, {"activity", "run"s}, {"path_device", "GPU"s}, {"path_us", 40.0}}}),
          made_table("batches", {{{"latency_us", 100.0}, {"queue_wait_us", 100.0}},
                                 {{"latency_us", 50.0}, {"queue_wait_us", 10.0}},
                                 {{"latency_us", 50.0}, {"queue_wait_us", 20.0}}}),
          made_table("devices", {{{"device", "GPU"s}, {"wall_us", 100.0}, {"busy_us", 60.0}, {"starved_us", 40.0}}})};
}

TEST(Board, a_stage_has_to_spare_what_its_load_lacks_to_the_beat) {
  const auto board = board_of(pipeline());
  ASSERT_TRUE(board);
  ASSERT_EQ(board->stations.size(), 3u);
  EXPECT_EQ(*board->cycle, Duration(10));
  EXPECT_EQ(*board->stations[0].spare, Duration(6));
  EXPECT_FALSE(board->stations[1].spare);
  EXPECT_FALSE(board->stations[2].spare) << "as long as the beat but for a hundredth";
  EXPECT_EQ(*board->stations[0].queue_wait, Duration(5));
  EXPECT_FALSE(board->stations[0].held);
  EXPECT_EQ(board->binds, "Bound by stage b, in 7 of 9 laps of the critical path.");
}

TEST(Board, where_no_stage_reaches_the_beat_nothing_is_to_spare) {
  auto tables = pipeline();
  tables[0] = made_table("summary", {{{"cycle_us", 12.0}}});
  ReportResult result;
  result.board = board_of(tables);
  for (const ReportStation& station : result.board->stations) EXPECT_FALSE(station.spare) << station.name;
  add_titles(result);
  EXPECT_EQ(result.titles.front().sentence, "No stage alone takes as long as the beat; b takes longest: 10.0 µs");
}

TEST(Board, parts_share_a_batch_over_the_replicas) {
  const auto board = board_of(pipeline());
  EXPECT_TRUE(board->stations[0].parts.empty());
  ASSERT_EQ(board->stations[1].parts.size(), 2u);
  EXPECT_EQ(board->stations[1].parts[0].label, "GPU");
  EXPECT_EQ(board->stations[1].parts[0].time, Duration(9));
  EXPECT_EQ(board->stations[1].parts[1].time, Duration(8));
}

TEST(Board, without_a_beat_nothing_is_to_spare_and_without_loads_there_is_none) {
  auto tables = pipeline();
  tables[0] = made_table("summary", {{{"cycle_us", Cell()}}});
  const auto board = board_of(tables);
  ASSERT_TRUE(board);
  EXPECT_FALSE(board->cycle);
  EXPECT_FALSE(board->stations[0].spare);
  tables[3] = made_table("bindings", {});
  EXPECT_EQ(board_of(tables)->binds, "");
  tables.erase(tables.begin() + 3);
  EXPECT_EQ(board_of(tables)->binds, "");
  tables[1] = made_table("stages", {{{"stage", "a"s}, {"load_us", Cell()}}});
  EXPECT_FALSE(board_of(tables));
}

TEST(Board, stretches_of_the_critical_path_with_one_name_are_one_part) {
  const ReportBar bar = bar_of_path(pipeline());
  ASSERT_EQ(bar.parts.size(), 2u);
  EXPECT_EQ(bar.parts[0].label, "b on GPU");
  EXPECT_EQ(bar.parts[0].kind, "k2");
  EXPECT_EQ(bar.parts[0].time, Duration(70));
  EXPECT_EQ(bar.parts[1].label, "a: dispatch");
  EXPECT_EQ(bar.whole, Duration(72));
  EXPECT_EQ(bar.whole_label, "= 72.0 µs, to the last delivery");
}

TEST(Titles, say_who_has_time_to_spare_who_idles_and_what_latency_is) {
  ReportResult result;
  result.tables = pipeline();
  result.bars = bars_of(result.tables);
  result.board = board_of(result.tables);
  add_titles(result);
  ASSERT_EQ(result.titles.size(), 3u);
  EXPECT_EQ(result.titles[0].sentence, "One stage has time to spare; b and c have none");
  EXPECT_EQ(result.titles[1].sentence, "GPU is idle 40 % of the time: starved");
  EXPECT_EQ(result.titles[2].sentence, "30 % of a batch's latency is waiting in queues");
}

}  // namespace
}  // namespace takt
