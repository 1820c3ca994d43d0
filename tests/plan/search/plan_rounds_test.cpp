// What a round of a plan says, on pipelines whose times are known: latencies, makespans, and the work of each block.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "plan/run/run.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// A pipeline by hand for whatever plan.
class WrittenModel final : public PlannedModel {
 public:
  WrittenModel(std::string yaml, std::vector<BlockStages> blocks)
      : yaml_(std::move(yaml)), blocks_(std::move(blocks)) {}

  PlanPipeline write(const Plan&, const std::filesystem::path& folder) const override {
    std::filesystem::create_directories(folder);
    write_file_atomically(folder / "plan.yaml", yaml_);
    folders.push_back(folder);
    return {folder / "plan.yaml", blocks_};
  }
  std::optional<std::vector<BlockNumbers>> check(const Plan&, const PlanPipeline& pipeline, const PipelineSpec& spec,
                                                 const std::atomic<bool>*) const override {
    checked.push_back(fmt::format("{} of {}", pipeline.blocks.size(), spec.stages.size()));
    return std::vector<BlockNumbers>{{0.5, 1}, {2, 1, "worst of all"}};
  }
  mutable std::vector<std::filesystem::path> folders;
  mutable std::vector<std::string> checked;

 private:
  std::string yaml_;
  std::vector<BlockStages> blocks_;
};

/// While infer works, which takes 10 ms, load takes twice its 1 ms.
WrittenModel slowed_pair() {
  return {
      "contention: {interference: {load: {infer: 2.0}}}\n"
      "stages:\n  - {name: load, dummy: {time: 1ms}, device: \"sim:CPU\"}\n"
      "  - {name: infer, dummy: {time: 10ms}, device: \"sim:GPU\"}\n",
      {{0, 0, {0}, {}}, {1, 1, {1}, {}}}};
}

/// One block, and one of which something is cut, done in two parts at once and put together.
WrittenModel divided_block() {
  return {
      "stages:\n  - {name: load, dummy: {time: 1ms}, device: \"sim:CPU\"}\n"
      "  - {name: cut, dummy: {time: 2ms}, device: \"sim:GPU\"}\n"
      "  - {name: left, dummy: {time: 7ms}, device: \"sim:NPU\", after: [cut]}\n"
      "  - {name: right, dummy: {time: 5ms}, device: \"sim:CPU\", after: [cut]}\n"
      "  - {name: join, dummy: {time: 3ms}, device: \"sim:GPU\", after: [left, right]}\n",
      {{0, 0, {0}, {}}, {1, 4, {2, 3}, {}}}};
}

PlanRunSettings two_rounds(const TestFolder& folder) {
  PlanRunSettings settings;
  settings.folder = folder.path();
  settings.batches = 4, settings.alone = 2, settings.rounds = 2, settings.check = false;
  return settings;
}

PlannedTrial any_trial(const std::string& role = "given") { return {role, parse_plan("CPU[1] | GPU[2]", "test"), {}}; }

TEST(PlanRounds, of_a_stream_leave_the_first_batch_out_which_nothing_slows_down) {
  const TestFolder folder;
  const auto results = run_plans({any_trial()}, slowed_pair(), two_rounds(folder));
  ASSERT_EQ(results.size(), 1u);
  ASSERT_EQ(results[0].rounds.size(), 2u);
  for (const PlanRound& round : results[0].rounds) {
    EXPECT_EQ(round.latency, Duration(11'000));
    EXPECT_EQ(round.makespan, 41ms) << "1 ms, and four times 10";
    ASSERT_EQ(round.blocks.size(), 2u);
    EXPECT_EQ(round.blocks[0].alone, Duration(1000));
    EXPECT_EQ(round.blocks[0].in_stream, Duration(2000));
    EXPECT_EQ(round.blocks[1].alone, Duration(10'000));
    EXPECT_EQ(round.blocks[1].in_stream, Duration(10'000));
  }
}

TEST(PlanRounds, of_one_batch_are_of_that_one) {
  const TestFolder folder;
  PlanRunSettings settings = two_rounds(folder);
  settings.batches = 1, settings.alone = 0, settings.rounds = 1;
  const PlanRound round = run_plans({any_trial()}, slowed_pair(), settings)[0].rounds.at(0);
  EXPECT_EQ(round.latency, Duration(11'000));
  EXPECT_EQ(round.makespan, 11ms);
  EXPECT_EQ(round.blocks[0].in_stream, Duration(1000));
  EXPECT_EQ(round.blocks[1].alone, Duration(10'000));
}

TEST(PlanRounds, of_a_divided_block_have_what_cuts_the_longest_part_and_what_puts_together) {
  const TestFolder folder;
  const PlanRound round = run_plans({any_trial()}, divided_block(), two_rounds(folder))[0].rounds.at(1);
  EXPECT_EQ(round.latency, Duration(13'000));
  EXPECT_EQ(round.blocks[0].alone, Duration(1000));
  EXPECT_EQ(round.blocks[1].alone, Duration(12'000)) << "2 + 7 + 3 ms";
}

TEST(PlanRounds, come_in_turns_and_tell_how_far_they_are) {
  const TestFolder folder;
  const WrittenModel model = slowed_pair();
  PlanRunSettings settings = two_rounds(folder);
  std::vector<std::string> told;
  settings.progress = [&](std::uint64_t done, std::uint64_t total) {
    told.push_back(fmt::format("{}/{}", done, total));
  };
  const auto results = run_plans({any_trial("found"), any_trial("single")}, model, settings);
  EXPECT_EQ(told, (std::vector<std::string>{"1/6", "2/6", "3/6", "4/6", "5/6", "6/6"}));
  EXPECT_EQ(model.folders, (std::vector<std::filesystem::path>{folder / "plan1", folder / "plan2"}));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].trial.role + " " + results[1].trial.role, "found single");
  EXPECT_EQ(results[1].pipeline.file, folder / "plan2/plan.yaml");
  EXPECT_TRUE(model.checked.empty());
  EXPECT_FALSE(results[0].numbers);
  EXPECT_EQ(results[1].rounds.size(), 2u);
}

TEST(PlanRounds, are_checked_where_that_is_asked_for) {
  const TestFolder folder;
  const WrittenModel model = slowed_pair();
  PlanRunSettings settings = two_rounds(folder);
  settings.check = true, settings.rounds = 0;
  const auto results = run_plans({any_trial()}, model, settings);
  EXPECT_EQ(model.checked, std::vector<std::string>{"2 of 2"});
  EXPECT_TRUE(results[0].rounds.empty());
  EXPECT_TRUE(results[0].is_wrong());
  EXPECT_EQ(results[0].what_is_wrong(), "worst of all");
  EXPECT_EQ(results[0].untold(), "");
}

TEST(PlanRounds, name_the_plan_that_fails) {
  const TestFolder folder;
  const WrittenModel model("stages: []\n", {});
  try {
    run_plans({any_trial()}, model, two_rounds(folder));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("the plan CPU[1] | GPU[2]: " + (folder / "plan1").string()))
        << error.what();
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  }
}

TEST(PlanNumbers, are_untold_only_where_none_is_wrong) {
  PlanRunResult result;
  EXPECT_FALSE(result.is_wrong() || result.is_right());
  EXPECT_EQ(result.untold() + result.what_is_wrong(), "");
  result.numbers = {{1, 1}, {0, 1, "", "first reason"}, {0, 1, "", "second reason"}};
  EXPECT_FALSE(result.is_wrong() || result.is_right());
  EXPECT_EQ(result.untold(), "first reason");
  result.numbers->push_back({1.5, 1, "too far"});
  result.numbers->push_back({9, 1, "much too far"});
  EXPECT_TRUE(result.is_wrong());
  EXPECT_EQ(result.untold(), "");
  EXPECT_EQ(result.what_is_wrong(), "too far");
  result.numbers = {{1, 1, "on the border"}};
  EXPECT_TRUE(result.is_right());
  EXPECT_EQ(result.what_is_wrong(), "");
}

}  // namespace
}  // namespace takt
