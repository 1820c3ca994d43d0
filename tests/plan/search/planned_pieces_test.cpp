// Any model as a subject of plans: cut, measured on units, run in pieces, its numbers held against the whole's.
#include "plan/run/planned_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "pipeline/engine/piece_models.h"
#include "pipeline/engine/piece_runs.h"
#include "places.h"
#include "plan/run/piece_contention.h"
#include "plan/run/piece_costs.h"
#include "plan/run/planned_layer.h"
#include "plan/run/run.h"
#include "plan/search/comparison.h"
#include "plan/search/search.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

std::map<std::string, PlanUnit> real_units() {
  std::map<std::string, PlanUnit> units;
  for (const std::string& name : real_runtimes()) units[name + "@CPU"] = {"CPU", name, ElementType::f32, 1};
  return units;
}

std::vector<std::string> names_of(const std::map<std::string, PlanUnit>& units) {
  std::vector<std::string> names;
  for (const auto& [name, unit] : units) names.push_back(name);
  return names;
}

class PiecesAsPlans : public testing::Test {
 protected:
  void SetUp() override {
    if (real_runtimes().empty()) GTEST_SKIP() << "no real runtime in this binary";
  }
  std::filesystem::path write(const ModelBuilder& builder) { return folder_.write("model.onnx", builder.serialize()); }
  std::vector<PlanRunResult> run(const PlannedModel& model, const std::vector<PlannedTrial>& trials) {
    PlanRunSettings settings;
    settings.folder = folder_ / "plans";
    settings.batches = 3, settings.alone = 1, settings.rounds = 1;
    return run_plans(trials, model, settings);
  }
  TestFolder folder_;
};

/// What a unit takes for spans of a model of two pieces.
std::vector<PieceMeasurement> made_costs(double error) {
  const auto one = [&](int first, int last, const char* unit, int us) {
    return PieceMeasurement{{first, last}, unit, std::chrono::microseconds(us), "", error};
  };
  return {one(1, 1, "A", 40), one(1, 1, "B", 60),  one(2, 2, "A", 60),
          one(2, 2, "B", 40), one(1, 2, "A", 100), one(1, 2, "B", 110)};
}

TEST(PieceCosts, say_whether_a_plan_is_better_by_more_than_they_are_sure_of) {
  const std::vector<std::string> units{"A", "B"};
  const Plan cut{{{{1, 1}, {{"A", 1}}}, {{2, 2}, {{"B", 1}}}}}, whole{{{{1, 2}, {{"A", 1}}}}};
  const auto saved = [&](double error) {
    const auto measured = made_costs(error);
    return compare_plans(cut, whole, *costs_of(2, units, measured), draws_of(2, units, measured, {}), {});
  };
  // 20 us of 100: three times its own error of 4 us and 5, and not so of 12 and 15.
  EXPECT_TRUE(saved(0.05).is_better());
  EXPECT_FALSE(saved(0.15).is_better());
  const PlanDifference one = saved(0.05);
  EXPECT_EQ(one.saved, std::chrono::microseconds(20));
  const double expected = 1.96 * 0.05 * std::sqrt(40.0 * 40 + 40.0 * 40 + 100.0 * 100);
  EXPECT_NEAR(static_cast<double>((one.interval->high - one.interval->low).count()) / 2000, expected, 0.1 * expected);
}

TEST(PieceCosts, of_one_round_say_nothing_of_how_sure_they_are) {
  auto measured = made_costs(0.05);
  measured[2].error.reset();
  EXPECT_FALSE(draws_of(2, {"A", "B"}, measured, {}));
  measured[2].time.reset();  // refused
  EXPECT_TRUE(draws_of(2, {"A", "B"}, measured, {}));
}

TEST_F(PiecesAsPlans, have_errors_where_they_were_measured_in_rounds) {
  const PlannedPieces model(write(skip_network()), real_units(), {.pieces = 2});
  for (const PieceMeasurement& one : measure_pieces(model, {.runs = 3})) {
    ASSERT_TRUE(one.error) << one.reason;
    EXPECT_GT(*one.error, 0);
    EXPECT_LT(*one.error, 3);
  }
  for (const PieceMeasurement& one : measure_pieces(model, {.runs = 1})) EXPECT_FALSE(one.error);
}

TEST_F(PiecesAsPlans, stop_when_they_are_asked_to) {
  const PlannedPieces model(write(skip_network()), real_units(), {.pieces = 2});
  const auto said = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto times = measure_pieces(model, {.runs = 1});
  const std::atomic<bool> stop = true;
  PieceMeasuring measuring;
  measuring.stop = &stop;
  EXPECT_EQ(said([&] { measure_pieces(model, measuring); }), "interrupted");
  PlanRunSettings settings;
  settings.folder = folder_ / "plans";
  settings.batches = 5000, settings.alone = 1, settings.rounds = 1, settings.check = false;
  settings.stop = &stop;
  const std::string unit = model.units().begin()->first;
  EXPECT_THAT(said([&] {
                run_plans({{"given", parse_plan(unit + "[1-2]", ""), {}}}, model, settings);
              }),
              HasSubstr("interrupted"));
  if (real_runtimes().size() < 2) return;
  PieceContentionSettings contention;
  contention.stop = &stop;
  EXPECT_THAT(said([&] { measure_piece_contention(model, times, contention); }),
              HasSubstr("stopped before everything was measured once"));
  std::atomic<bool> later = false;  // when everything was measured, and not yet as often as was asked for
  contention.stop = &later;
  contention.progress = [&](std::uint64_t done, std::uint64_t total) { later = 3 * done >= 2 * total; };
  EXPECT_EQ(said([&] { measure_piece_contention(model, times, contention); }), "interrupted");
}

TEST_F(PiecesAsPlans, every_plan_that_a_search_names_computes_what_the_model_does) {
  using Build = ModelBuilder (*)();
  for (const Build build : is_sanitized() ? std::vector<Build>{transformer_block}
                                          : std::vector<Build>{skip_network, two_input_network, transformer_block}) {
    const PlannedPieces model(write(build()), real_units(), {.pieces = 4});
    EXPECT_EQ(model.pieces(), 4);
    const auto costs = costs_of(model.pieces(), names_of(model.units()), measure_pieces(model, {.runs = 2}));
    const PlanSearch search = search_plans(*costs, {.objective = PlanObjective::throughput, .top = 3});
    std::vector<PlannedTrial> trials;
    for (const RankedPlan& plan : search.plans) trials.push_back({"found", plan.plan, plan.estimate});
    // Every cut at once, units in turns.
    Plan all;
    const auto names = names_of(model.units());
    for (int p = 1; p <= model.pieces(); ++p)
      all.blocks.push_back({{p, p}, {{names[static_cast<std::size_t>(p) % names.size()], 1}}});
    trials.push_back({"given", all, estimate(all, *costs, 3)});
    for (const PlanRunResult& result : run(model, trials)) {
      ASSERT_TRUE(result.numbers);
      for (const BlockNumbers& block : *result.numbers)
        EXPECT_LE(block.deviation, 1e-5) << to_string(result.trial.plan);
    }
    std::filesystem::remove_all(folder_ / "plans");
  }
}

/// What is left of a product of two matrices when the same product, multiplied in another order, is taken away, beside
/// a small share of it: a hundredth of the numbers is rounding.
ModelBuilder network_that_cancels() {
  constexpr std::size_t n = 64;
  Random random(7);
  std::vector<float> first(n * n), second(n * n), both(n * n);
  for (float& number : first) number = static_cast<float>(standard_normal(random));
  for (float& number : second) number = static_cast<float>(standard_normal(random));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += double{first[i * n + k]} * second[k * n + j];
      both[i * n + j] = static_cast<float>(sum);
    }
  const Shape square{static_cast<std::int64_t>(n), static_cast<std::int64_t>(n)};
  ModelBuilder b;
  const auto x = b.node("Tanh", {b.input("x", ElementType::f32, square)});
  const auto one = b.node("MatMul", {b.node("MatMul", {x, b.floats(first, square)}), b.floats(second, square)});
  const auto other = b.node("MatMul", {x, b.floats(both, square)});
  const auto rest = b.node("Sub", {one, other});
  b.output(b.node("Add", {rest, b.node("Mul", {one, b.floats({1e-5f}, {})})}, {}, {.outputs = {"y"}}));
  return b;
}

TEST_F(PiecesAsPlans, numbers_that_turn_on_the_last_digit_are_right_on_every_runtime) {
  const PlannedPieces model(write(network_that_cancels()), real_units(), {.pieces = 3});
  ASSERT_GE(model.pieces(), 2);
  const auto names = names_of(model.units());
  std::vector<PlannedTrial> trials;
  for (const std::string& front : names)
    for (const std::string& back : names) {
      Plan plan;
      for (int p = 1; p <= model.pieces(); ++p) plan.blocks.push_back({{p, p}, {{p == 1 ? front : back, 1}}});
      trials.push_back({"given", plan, {}});
    }
  for (const PlanRunResult& result : run(model, trials)) {
    ASSERT_TRUE(result.numbers);
    for (const BlockNumbers& block : *result.numbers) {
      EXPECT_TRUE(block.is_right()) << to_string(result.trial.plan) << ": " << block.deviation << ", allowed "
                                    << block.allowed;
      EXPECT_LT(block.allowed, 0.5);  // else nothing is wrong any more
    }
  }
}

TEST_F(PiecesAsPlans, a_model_without_a_place_to_cut_is_one_piece) {
  ModelBuilder b;
  b.output(b.node("Relu", {b.input("x", ElementType::f32, {1, 4})}, {}, {.outputs = {"y"}}));
  const PlannedPieces model(write(b), real_units(), {.pieces = 4});
  EXPECT_EQ(model.pieces(), 1);
  EXPECT_EQ(measure_pieces(model, {.runs = 1}).size(), real_units().size());
}

TEST_F(PiecesAsPlans, what_a_unit_refuses_is_named_and_everything_else_is_measured) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {4, 8});
  const auto front = b.node("Relu", {b.node("MatMul", {x, b.weight({8, 8})})});
  const auto scattered = b.node("ScatterElements", {front, b.integers({1, 0}, {1, 2}), b.floats({5, 6}, {1, 2})});
  b.output(b.node("Relu", {scattered}, {}, {.outputs = {"y"}}));
  std::map<std::string, PlanUnit> units = real_units();
  units["sim:NPU"] = {"sim:NPU", "sim", ElementType::f32, {}};
  const PlannedPieces model(write(b), units, {.pieces = 4});
  const auto measured = measure_pieces(model, {.runs = 1});
  int refused = 0;
  for (const PieceMeasurement& one : measured) {
    EXPECT_TRUE(one.time || one.unit == "sim:NPU") << one.reason;
    if (one.time) continue;
    ++refused;
    EXPECT_THAT(one.reason, HasSubstr("ScatterElements"));
  }
  EXPECT_GT(refused, 0);
  const auto costs = costs_of(model.pieces(), names_of(units), measured);
  EXPECT_FALSE(costs->time({1, model.pieces()}, static_cast<int>(costs->units().size()) - 1, 1));
  EXPECT_TRUE(costs->time({1, model.pieces()}, 0, 1));
}

TEST_F(PiecesAsPlans, other_formats_and_missing_files_are_refused) {
  EXPECT_THROW(PlannedPieces("model.xml", real_units(), {}), Error);
  EXPECT_THROW(PlannedPieces(folder_ / "missing.onnx", real_units(), {}), Error);
}

TEST_F(PiecesAsPlans, divided_blocks_and_unknown_units_are_refused) {
  const PlannedPieces model(write(skip_network()), real_units(), {.pieces = 2});
  EXPECT_THROW(model.write(parse_plan("TPU[1-2]", "test"), folder_ / "p"), Error);
  const auto names = names_of(real_units());
  EXPECT_THROW(model.write(parse_plan(names[0] + "[1]", "test"), folder_ / "p"), Error);
  if (names.size() < 2) return;
  EXPECT_THROW(model.write(parse_plan(names[0] + "+" + names[1] + "[1-2 0.5/0.5]", "test"), folder_ / "p"), Error);
}

TEST_F(PiecesAsPlans, wrong_numbers_are_seen) {
  PlannedLayer layer;
  layer.graph = {6, {0, 1, 2, 3, 4, 5, 0}, {1, 2, 3, 4, 5, 0, 3}};
  layer.features = 4;
  layer.units = {{"CPU", {"CPU", real_runtimes().front(), ElementType::f32, {}}}};
  layer.host_runtime = real_runtimes().front();
  const Plan plan = parse_plan("CPU[1-3] | CPU[4-7]", "test");
  PlannedLayer other = layer;
  other.seed = 43;  // other weights and features
  const PlanPipeline pipeline = other.write(plan, folder_ / "other");
  const auto numbers = layer.check(plan, pipeline, read_pipeline(pipeline.file), nullptr);
  ASSERT_TRUE(numbers);
  EXPECT_FALSE(numbers->back().is_right());
}

}  // namespace
}  // namespace takt
