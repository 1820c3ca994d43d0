// Plans run for real: every kind of block computes what the undivided network does, on every runtime of this binary.
#include "plan/run/run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "places.h"
#include "plan/answer/run_tables.h"
#include "plan/gnn/random_edges.h"
#include "plan/run/check.h"
#include "plan/run/planned_layer.h"
#include "test_folder.h"

namespace takt {
namespace {

std::vector<std::string> real_runtime_names() {
  auto names = runtime_names();
  std::erase(names, "sim");
  return names;
}

/// Two units of plans that are both this machine's processor: "CPU" and a second one that a plan calls so.
PlannedLayer real_trial(Network network, const std::string& runtime, ElementType second = ElementType::f32) {
  PlannedLayer trial;
  trial.network = network;
  trial.graph = power_law_edges({80, 600}, 5);
  trial.features = 12;
  trial.units = {{"CPU", {"CPU", runtime, ElementType::f32}}, {"GPU", {"CPU", runtime, second}}};
  trial.host_runtime = runtime;
  return trial;
}

PlannedLayer simulated_trial() {
  PlannedLayer trial;
  trial.graph = uniform_edges({200, 800}, 5);
  trial.features = 16;
  for (const char* unit : {"CPU", "GPU", "NPU"})
    trial.units[unit] = {fmt::format("sim:{}", unit), "sim", ElementType::f32};
  trial.host_runtime = "sim";
  return trial;
}

PlannedTrial planned(const std::string& text, const std::string& role = "given") {
  PlannedTrial trial{role, parse_plan(text, "test"), {}};
  trial.estimate.times.blocks.resize(trial.plan.blocks.size());
  for (auto& block : trial.estimate.times.blocks) block.time.parts = {Nanoseconds(1000)};
  return trial;
}

class PlansOnRuntimes : public testing::TestWithParam<std::tuple<std::string, Network>> {
 protected:
  static const std::string& runtime() { return std::get<0>(GetParam()); }
  static Network network() { return std::get<1>(GetParam()); }
  static int stages() { return static_cast<int>(stages_of(network()).size()); }
  PlanRunResult run(const std::string& plan) {
    PlanRunSettings settings;
    settings.folder = folder_.path();
    settings.batches = 4, settings.alone = 2, settings.rounds = 1;
    return run_plans({planned(plan)}, real_trial(network(), runtime()), settings).front();
  }
  TestFolder folder_;
};

TEST_P(PlansOnRuntimes, blocks_of_whole_batches_give_the_numbers_of_the_network) {
  for (int cut = 1; cut < stages(); ++cut) {
    const auto result = run(fmt::format("CPU[1-{}] | CPU[{}-{}]", cut, cut + 1, stages()));
    ASSERT_TRUE(result.numbers) << cut;
    for (const BlockNumbers& block : *result.numbers) {
      EXPECT_LE(block.deviation, 1e-5) << "cut behind " << cut;
      EXPECT_EQ(block.allowed, 1e-4);
    }
    EXPECT_TRUE(result.is_right());
    ASSERT_EQ(result.rounds.size(), 1u);
    EXPECT_GT(result.rounds[0].makespan.count(), 0);
    EXPECT_GE(result.rounds[0].latency.count(), result.rounds[0].blocks[0].alone.count());
    if (is_sanitized()) break;
  }
}

TEST_P(PlansOnRuntimes, divided_blocks_give_them_too) {
  const int first = network() == Network::gcn ? 2 : 1;
  std::vector<std::string> plans;
  const std::string begin = first == 2 ? "CPU[1] | " : "";
  plans.push_back(fmt::format("{}CPU+GPU[{}-{} 0.3/0.7]", begin, first, stages()));
  plans.push_back(fmt::format("{}CPU+GPU[{}-{} 0.5/0.5] | CPU[{}]", begin, first, stages() - 1, stages()));
  plans.push_back(fmt::format("CPU[1-3] | CPU+GPU[4-{} 0.4/0.6]", stages()));
  if (is_sanitized()) plans.resize(1);
  for (const std::string& plan : plans) {
    PlanRunResult result;
    ASSERT_NO_THROW(result = run(plan)) << plan;
    ASSERT_TRUE(result.numbers) << plan;
    for (const BlockNumbers& block : *result.numbers) EXPECT_LE(block.deviation, 1e-5) << plan;
    std::filesystem::remove_all(folder_ / "plan1");
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlansOnRuntimes,
                         testing::Combine(testing::ValuesIn(real_runtime_names()), testing::ValuesIn(all_networks)),
                         [](const auto& named) {
                           return std::get<0>(named.param) + "_" + std::string(network_name(std::get<1>(named.param)));
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PlansOnRuntimes);

// Real ones, that is; what a simulated device does at once its description says.
TEST(PlanRun, blocks_that_share_a_unit_take_turns_there_and_run_the_open_models_that_were_measured) {
  const TestFolder folder;
  const auto written = [&](const std::string& plan, const PlannedLayer& layer) {
    return read_file(layer.write(parse_plan(plan, "test"), folder / "plan").file);
  };
  const auto count = [](const std::string& text, const std::string& word) {
    int found = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  const PlannedLayer layer = real_trial(Network::sage, "openvino");
  const std::string shared = written("CPU[1-2] | CPU[3-7]", layer);
  EXPECT_THAT(shared, testing::HasSubstr("devices:\n  \"CPU\": {requests: 1}\n"));
  EXPECT_EQ(count(shared, "open_shapes: true"), 2);
  EXPECT_EQ(read_pipeline(folder / "plan/plan.yaml").devices.at("CPU").requests, 1);
  // Two units may be one device here, and are to run at once.
  for (const std::string plan : {"CPU[1-7]", "CPU[1-2] | GPU[3-7]", "CPU[1-2] | GPU[3-4] | CPU[5-7]"})
    EXPECT_EQ(count(written(plan, layer), "requests"), 0) << plan;
  EXPECT_EQ(count(written("CPU[1-3] | CPU+GPU[4-7 0.4/0.6]", layer), "requests"), 0);
  const std::string simulated = written("CPU[1-2] | CPU[3-7]", simulated_trial());
  EXPECT_EQ(count(simulated, "requests"), 0);
  EXPECT_EQ(count(simulated, "open_shapes"), 0);
}

TEST(PlanRun, units_that_compute_in_halves_are_right_to_two_digits) {
  const auto names = runtime_names();
  if (std::find(names.begin(), names.end(), "openvino") == names.end()) GTEST_SKIP() << "OpenVINO sums halves";
  const TestFolder folder;
  PlanRunSettings settings;
  settings.folder = folder.path();
  settings.batches = 3, settings.alone = 1, settings.rounds = 1;
  const auto result = run_plans({planned("CPU[1-3] | GPU[4-6] | CPU[7]")},
                                real_trial(Network::sage, "openvino", ElementType::f16), settings);
  ASSERT_TRUE(result[0].numbers);
  EXPECT_EQ((*result[0].numbers)[0].allowed, 1e-4);
  EXPECT_EQ((*result[0].numbers)[1].allowed, 2e-2);
  EXPECT_TRUE(result[0].is_right());
  EXPECT_GT((*result[0].numbers)[1].deviation, 0) << "rounded to halves";
}

TEST(PlanRun, simulated_plans_take_what_their_devices_take) {
  const TestFolder folder;
  PlanRunSettings settings;
  settings.folder = folder.path();
  settings.batches = 20, settings.rounds = 2;
  PlannedLayer trial = simulated_trial();
  trial.divide = {Nanoseconds(30'000), Nanoseconds(20'000)};
  const auto results = run_plans({planned("GPU[1-7]"), planned("CPU+GPU[1-4 0.2/0.8] | NPU[5-7]")}, trial, settings);
  EXPECT_FALSE(results[0].numbers) << "nothing was computed";
  // One block and one unit: batches follow each other without a gap.
  const PlanRound& round = results[0].rounds[0];
  EXPECT_NEAR(static_cast<double>(round.makespan.count()), 20 * round.latency.count() * 1000,
              0.02 * static_cast<double>(round.makespan.count()));
  EXPECT_EQ(results[1].pipeline.blocks[0].parts.size(), 2u);
  const BlockRun& divided = results[1].rounds[0].blocks[0];
  EXPECT_GT(divided.alone.count(), 50) << "30 and 20 us of dividing are in it";
}

TEST(PlanRun, refuses_what_cannot_be_divided_and_units_that_nobody_knows) {
  const TestFolder folder;
  PlanRunSettings settings;
  settings.folder = folder.path();
  PlannedLayer trial = simulated_trial();
  EXPECT_THROW(run_plans({planned("TPU[1-7]")}, trial, settings), Error);
  EXPECT_THROW(run_plans({planned("CPU[1-3] | GPU[5-7]")}, trial, settings), Error);
  trial.network = Network::gcn;
  EXPECT_THROW(run_plans({planned("CPU+GPU[1-6 0.5/0.5]")}, trial, settings), Error);
}

/// A plan with this estimate and these makespans, in ns.
PlanRunResult with_times(const std::string& role, std::int64_t estimated, const std::vector<std::int64_t>& measured) {
  PlanRunResult result;
  result.trial = planned("CPU[1-7]", role);
  result.trial.estimate.makespan = Nanoseconds(estimated);
  for (const auto value : measured) result.rounds.push_back({{}, Nanoseconds(value), {{}}});
  return result;
}

TEST(PlanChoiceOf, names_regret_error_and_order_by_hand) {
  PlanRunReport report{PlanObjective::throughput, 10, {}};
  report.plans = {with_times("found", 90, {110, 112}), with_times("found", 100, {100, 100}),
                  with_times("single", 200, {220, 226})};
  const PlanChoice choice = choice_of(report);
  EXPECT_NEAR(choice.regret, 0.11, 1e-12);
  // Differences 0.10 and 0.12: deviation 0.01414, Student's 12.706 over sqrt 2.
  ASSERT_TRUE(choice.regret_interval);
  EXPECT_NEAR(choice.regret_interval->high, 0.11 + 12.706 * 0.0141421 / 1.41421356, 1e-4);
  EXPECT_NEAR(choice.mean_error, (21.0 / 111 + 0 + 23.0 / 223) / 3, 1e-12);
  // 111 / 90, 1, 223 / 200: the middle one is what all have in common.
  EXPECT_NEAR(choice.common_error.value(), 0.115, 1e-12);
  EXPECT_NEAR(choice.other_error.value(), (10.65 / 111 + 0.115 + 0) / 3, 1e-12);
  ASSERT_TRUE(choice.rank_correlation);
  EXPECT_NEAR(*choice.rank_correlation, 0.5, 1e-12);
  ASSERT_TRUE(choice.over_single);
  EXPECT_NEAR(*choice.over_single, (111.0 - 223) / 223, 1e-12);
}

TEST(PlanChoiceOf, tells_a_slower_machine_from_wrong_estimates) {
  PlanRunReport report{PlanObjective::throughput, 10, {}};
  report.plans = {with_times("found", 100, {130}), with_times("found", 200, {260}), with_times("found", 300, {390})};
  const PlanChoice choice = choice_of(report);
  EXPECT_NEAR(choice.common_error.value(), 0.3, 1e-12);
  EXPECT_NEAR(choice.other_error.value(), 0, 1e-12);
  for (PlanRunResult& plan : report.plans) plan.trial.estimate.times.blocks.resize(1);
  EXPECT_NE(to_text(report, {.width = 1000}).find("All of them took 30.0 % longer than estimated"), std::string::npos);
}

TEST(PlanChoiceOf, claims_nothing_of_one_round_or_one_plan) {
  PlanRunReport report{PlanObjective::throughput, 10, {with_times("found", 90, {100})}};
  PlanChoice choice = choice_of(report);
  EXPECT_EQ(choice.regret, 0);
  EXPECT_FALSE(choice.rank_correlation);
  EXPECT_FALSE(choice.over_single);
  report.plans.push_back(with_times("single", 50, {80}));
  choice = choice_of(report);
  EXPECT_NEAR(choice.regret, 0.25, 1e-12);
  EXPECT_FALSE(choice.regret_interval);
  EXPECT_THAT(to_text(report, {.width = 1000}), testing::HasSubstr("is not significantly faster"));
}

TEST(PlanChoiceOf, of_plans_that_take_equally_long) {
  PlanRunReport report{PlanObjective::throughput, 10, {}};
  report.plans = {with_times("found", 90, {100, 100}), with_times("single", 100, {100, 100})};
  PlanChoice choice = choice_of(report);
  EXPECT_EQ(choice.regret, 0) << "the first of equals is the fastest";
  EXPECT_FALSE(choice.regret_interval);
  EXPECT_EQ(choice.over_single, 0);
  EXPECT_FALSE(choice.rank_correlation) << "two have no order to speak of";
  EXPECT_FALSE(choice.common_error) << "nor anything in common";
  EXPECT_NEAR(choice.mean_error, 0.05, 1e-12);
  report.plans.push_back(with_times("found", 110, {100, 100}));
  EXPECT_FALSE(choice_of(report).rank_correlation) << "all are equal";
  // Estimated 90, 100, 110, 110 are places 0, 1, 2.5, 2.5; measured 100, 100, 100, 120 are 1, 1, 1, 3.
  report.plans.push_back(with_times("found", 110, {120, 120}));
  choice = choice_of(report);
  EXPECT_NEAR(choice.rank_correlation.value(), (0.5 * 1.5 + 0.5 * 0.5 - 0.5 * 1 + 1.5 * 1) / std::sqrt(4.5 * 3), 1e-12);
  EXPECT_EQ(choice.plans, 4);
  EXPECT_EQ(choice.rounds, 2);
}

PlanRunResult with_numbers(const std::string& role, std::int64_t measured, const BlockNumbers& numbers) {
  PlanRunResult result = with_times(role, 100, {measured});
  result.trial.estimate.times.blocks.resize(1);
  result.numbers = {numbers};
  return result;
}

const double no_end = std::numeric_limits<double>::infinity();

TEST(BlockNumbers, are_right_wrong_or_not_to_be_told) {
  const std::string reason = "they turn on their last digit";
  EXPECT_TRUE((BlockNumbers{1e-5, 1e-4}.is_right()));
  EXPECT_TRUE((BlockNumbers{2e-4, 1e-4}.is_wrong()));
  EXPECT_TRUE((BlockNumbers{no_end, 1e-4}.is_wrong()));
  const BlockNumbers untold{0, 0.5, "", reason}, wrong{no_end, 0.5, "nan", reason};
  EXPECT_FALSE(untold.is_wrong() || untold.is_right());
  EXPECT_TRUE(wrong.is_wrong()) << "NaN is wrong also where digits cannot be told";
}

SharedTensor value_of(const std::string& name, const std::vector<float>& numbers) {
  return std::make_shared<const HostTensor>(
      HostTensor{name, ElementType::f32, {static_cast<std::int64_t>(numbers.size())}, to_bytes(numbers), {}});
}

TEST(BlockNumbers, speak_of_the_output_that_is_furthest_beyond_what_it_may_be) {
  const NamedValues expected{{"a", value_of("a", {1, 2})}, {"b", value_of("b", {1, 2})}};
  const std::vector<std::string> names{"a", "b"};
  const auto numbers = [&](float a, float b, const AllowedDeviation& allowed) {
    BlockNumbers found{0, allowed.least};
    add_deviation(found, {value_of("a", {1, a}), value_of("b", {1, b})}, names, expected, allowed, Integers::exact);
    return found;
  };
  EXPECT_TRUE(numbers(2, 2, {1e-4}).is_right());
  EXPECT_EQ(numbers(3, 2, {1e-4}).deviation, 0.5);
  EXPECT_TRUE(numbers(3, 2, {1e-4, {{"b", 0.9}}}).is_wrong());
  EXPECT_FALSE(numbers(3, 2, {1e-4, {{"a", 0.9}}}).is_wrong());
  // Of 'a' nothing can be said, of 'b' much.
  const AllowedDeviation untold{1e-4, {{"a", 0.4}}, {"a"}};
  EXPECT_FALSE(numbers(30, 2, untold).is_wrong());
  EXPECT_TRUE(numbers(30, 3, untold).is_wrong());
  EXPECT_TRUE(numbers(std::nanf(""), 2, untold).is_wrong());
  const AllowedDeviation anything{1e-4, {{"a", no_end}}, {"a"}};
  EXPECT_FALSE(numbers(std::nanf(""), 2, anything).is_wrong()) << "rounding makes it, too";
}

TEST(BlockNumbers, indices_may_differ_by_nothing_but_what_rounding_explains) {
  std::vector<std::int64_t> classes(100'000, 7);
  const auto tensor = [&] {
    return std::make_shared<const HostTensor>(HostTensor{"y", ElementType::i64, {100'000}, to_bytes(classes), {}});
  };
  const NamedValues expected{{"y", tensor()}};
  classes[5] = 8;
  BlockNumbers found{0, 1e-3}, explained{0, 1e-3};
  add_deviation(found, {tensor()}, {"y"}, expected, {1e-3}, Integers::exact);
  EXPECT_TRUE(found.is_wrong());
  add_deviation(explained, {tensor()}, {"y"}, expected, {1e-3, {{"y", 1e-4}}}, Integers::exact);
  EXPECT_FALSE(explained.is_wrong());
}

TEST(PlanChoiceOf, a_wrong_plan_is_never_the_fastest) {
  const BlockNumbers right{0, 1e-4}, wrong{no_end, 1e-4, "output 'y' differs at {3}: nan instead of 2"};
  PlanRunReport report{PlanObjective::throughput, 10, {}};
  report.plans = {with_numbers("found", 100, right), with_numbers("given", 50, wrong),
                  with_numbers("single", 40, wrong)};
  EXPECT_EQ(choice_of(report).regret, 0);
  EXPECT_FALSE(choice_of(report).over_single);
  std::string text = to_text(report, {.width = 1000});
  EXPECT_THAT(text, testing::StartsWith("WRONG OUTPUTS, so these plans are not usable, however fast: "));
  EXPECT_THAT(text, testing::HasSubstr("output 'y' differs at {3}: nan instead of 2"));
  EXPECT_THAT(text, testing::HasSubstr("The search ranked it first."));
  report.plans.front().numbers = {wrong};
  text = to_text(report, {.width = 1000});
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("search ranked")));
}

TEST(PlanChoiceOf, says_right_only_where_all_is) {
  const BlockNumbers right{0, 1e-4}, untold{0, 1, "", "'y' is drawn at random"};
  PlanRunReport report{PlanObjective::throughput, 10, {with_numbers("found", 100, right)}};
  EXPECT_THAT(to_text(report, {.width = 1000}),
              testing::HasSubstr("The outputs of all blocks match those of the whole model."));
  report.plans.push_back(with_numbers("given", 90, untold));
  const std::string text = to_text(report, {.width = 1000});
  EXPECT_THAT(text, testing::HasSubstr("The outputs could not be checked: 'y' is drawn at random."));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("The outputs of all blocks match")));
  const auto tables = plan_run_tables(report);
  EXPECT_THAT(to_csv(tables[0]), testing::HasSubstr("cannot tell,'y' is drawn at random"));
}

}  // namespace
}  // namespace takt
