// Contention that was measured in parts of a sweep; rows are merged in tests/cli/sweep_test.py.
#include "plan/sweep/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/basics/error.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AnswersToLoads one_answer(double slow_down, bool of_stage) {
  AnswersToLoads result;
  result.slow_downs.assign(1, {slow_down});
  result.mixed = slow_down;
  if (of_stage) result.load_lost.assign(1, slow_down);
  return result;
}

/// A stage that others slow down so much, or the loads.
ContentionRecord contention_of(const std::string& block, double slow_down) {
  SingleRound round;
  if (block == loads_block) {
    round.answers.loads.assign(1, one_answer(slow_down, false));
    return {block, "", "", {round, round}};
  }
  round.alone = {5000};
  round.answers.stages = {one_answer(slow_down, true)};
  return {block, "CPU", "", {round, round}};
}

class MergedContention : public testing::Test {
 protected:
  MergedContention() { configuration_.machine = "a machine", configuration_.resources = {"memory"}; }

  /// A folder with a row and what was measured of contention.
  std::filesystem::path part(const std::string& name, const std::vector<ContentionRecord>& records) {
    const auto folder = folder_ / name;
    std::filesystem::create_directories(folder / "results");
    StageRecord row{Network::sage, "CPU", {}};
    row.row.key = {10, 20, "CPU", 1, 1};
    row.row.runtime = "openvino", row.row.device = "CPU";
    row.row.times = times_of({Nanoseconds(5000)});
    SweepJournal(folder, {4, 1, 2, {}, "a machine"}, {}).append(to_json(row));
    std::ofstream journal(contention_journal(folder, Network::sage));
    journal << to_json(configuration_) << "\n";
    for (const ContentionRecord& record : records) journal << to_json(record) << "\n";
    return folder;
  }

  TestFolder folder_;
  ContentionConfiguration configuration_{Network::sage, 4, {}, {}, {}, 1, 2, {10, 20}};
};

TEST_F(MergedContention, has_the_blocks_of_every_part_and_the_measured_one_where_two_have_it) {
  ContentionRecord failed{"CPU[2]", "CPU", "it was lost", {}};
  const auto first = part("1", {contention_of(std::string(loads_block), 1.5), contention_of("CPU[1]", 1.2), failed});
  const auto second = part("2", {contention_of(std::string(loads_block), 1.7), contention_of("CPU[1]", 1.9),
                                 contention_of("CPU[2]", 1.4), contention_of("CPU[3]", 1.1)});
  const MergedSweep merged = merge_sweeps({first, second});
  EXPECT_TRUE(merged.left_out.empty());
  write_sweep(merged, folder_ / "whole");
  const auto whole = read_contention(contention_journal(folder_ / "whole", Network::sage));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->configuration.size.edges, 20);
  ASSERT_EQ(whole->records.size(), 4u);
  EXPECT_EQ(whole->find(loads_block)->rounds[0].answers.loads[0].mixed, 1.5);
  EXPECT_EQ(whole->find("CPU[1]")->rounds[0].answers.stages[0].mixed, 1.2);
  EXPECT_EQ(whole->find("CPU[2]")->reason, "");
  EXPECT_EQ(whole->find("CPU[3]")->rounds[1].answers.stages[0].mixed, 1.1);
}

TEST_F(MergedContention, that_was_measured_in_another_way_is_left_out_by_name) {
  const auto first = part("1", {contention_of(std::string(loads_block), 1.5), contention_of("CPU[1]", 1.2)});
  configuration_.size = {40, 80};
  const auto larger = part("2", {contention_of("CPU[2]", 1.2)});
  configuration_.size = {10, 20}, configuration_.resources = {"cache"};
  const auto other = part("3", {contention_of("CPU[3]", 1.2)});
  const MergedSweep merged = merge_sweeps({first, larger, other});
  ASSERT_EQ(merged.contention.size(), 1u);
  EXPECT_EQ(merged.contention[0].records.size(), 2u);
  EXPECT_THAT(merged.left_out, ElementsAre(HasSubstr("40 nodes and 80 edges instead of 10 and 20"),
                                           HasSubstr("resources cache instead of memory")));
}

TEST_F(MergedContention, is_none_where_no_part_has_it) {
  const auto only = part("1", {});
  std::filesystem::remove(contention_journal(only, Network::sage));
  const MergedSweep merged = merge_sweeps({only});
  EXPECT_TRUE(merged.contention.empty());
  write_sweep(merged, folder_ / "whole");
  EXPECT_FALSE(std::filesystem::exists(contention_journal(folder_ / "whole", Network::sage)));
}

}  // namespace
}  // namespace takt
