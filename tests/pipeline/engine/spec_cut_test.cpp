#include "pipeline/engine/spec_cut.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
#include "flow/flow_words.h"
#include "model/runtime/models.h"
#include "refused.h"

namespace takt {
namespace {

PipelineSpec three() {
  return parse_pipeline(
      "batches: 40\nin_flight: 1\nsource: 50/s\nstages:\n"
      "  - {name: a, dummy: {time: 1ms}, device: sim:CPU}\n"
      "  - {name: b, dummy: {time: 2ms}, device: sim:GPU, replicas: 3}\n"
      "  - {name: c, dummy: {time: 3ms}, device: sim:NPU}\n"
      "contention: {interference: {a: {b: 1.5, c: 1.1}, b: {b: 1.25}}}\n",
      "p.yaml");
}

double mean_ms(const PipelineRun& run, int stage) {
  double sum = 0, count = 0;
  for (const auto& record : run.schedule.executions)
    if (record.what.stage == stage && record.what.batch >= run.warmup)
      sum += static_cast<double>((record.end - record.start).count()) / 1e6, ++count;
  return sum / count;
}

TEST(SpecCut, leaves_the_stages_asked_for_and_their_contention) {
  const PipelineSpec pair = cut(three(), std::vector{0, 1});
  ASSERT_EQ(pair.stages.size(), 2u);
  EXPECT_EQ(pair.stages[1].name, "b");
  EXPECT_EQ(pair.stages[1].replicas, 1);
  EXPECT_FALSE(pair.stages[1].connects_by_default);
  EXPECT_EQ(pair.source.kind, SourceKind::closed);
  EXPECT_FALSE(pair.source.in_flight);
  EXPECT_EQ(pair.interference.at("a"), (std::map<std::string, double>{{"b", 1.5}}));
  EXPECT_EQ(pair.interference.count("b"), 0u);
}

TEST(SpecCut, a_stage_may_be_there_twice) {
  const PipelineSpec twice = cut(three(), std::vector{1, 1});
  EXPECT_EQ(twice.stages[0].name, "b");
  EXPECT_EQ(twice.stages[1].name, "b 2");
  EXPECT_EQ(twice.interference.at("b").at("b 2"), 1.25);
  EXPECT_EQ(twice.interference.at("b 2").at("b"), 1.25);
}

TEST(SpecCut, stages_run_beside_each_other_on_the_virtual_clock) {
  CutRunner runner(three(), true);
  EXPECT_DOUBLE_EQ(mean_ms(runner.run(std::vector{0}), 0), 1);
  const PipelineRun pair = runner.run(std::vector{0, 1});
  EXPECT_EQ(pair.stages.size(), 2u);
  EXPECT_NEAR(mean_ms(pair, 0), 1.5, 0.01);  // a is never without b beside it
  EXPECT_NEAR(mean_ms(pair, 1), 2, 1e-9);
}

PipelineSpec sharing() {
  return parse_pipeline(
      "batches: 40\nstages:\n"
      "  - {name: a, dummy: {time: 1ms}, device: sim:CPU}\n"
      "  - {name: b, dummy: {time: 2ms}, device: sim:GPU}\n"
      "contention:\n"
      "  interference: {a: {b: 2}}\n"
      "  resources:\n"
      "    cache: {stages: {a: {sensitivity: 0.5}, b: {pressure: 0.4, sensitivity: 0.25}}}\n"
      "    memory: {law: share, stages: {a: {pressure: 0.8, sensitivity: 0.8}, b: {pressure: 0.7, sensitivity: 0.7}}}\n"
      "  combine: add\n",
      "p.yaml");
}

TEST(SpecCut, slow_downs_by_resources_come_on_top_of_given_ones) {
  // cache: a beside b 1 + 0.5·0.4; memory: a beside b 0.8 + 0.7, a beside a 1.6, b beside a 1.5, b beside b 1.4.
  const auto law = contention_law(sharing());
  EXPECT_NEAR(slow_down_of(law, 2, 0, {0}), 1.6, 1e-9);
  EXPECT_NEAR(slow_down_of(law, 2, 0, {1}), 2 * (1 + 0.2 + 0.5), 1e-9);
  EXPECT_NEAR(slow_down_of(law, 2, 1, {0}), 1.5, 1e-9);
  EXPECT_NEAR(slow_down_of(law, 2, 1, {1}), 1 + 0.1 + 0.4, 1e-9);
  PipelineSpec largest = sharing();
  largest.combination = Combination::largest;
  EXPECT_NEAR(slow_down_of(contention_law(largest), 2, 0, {1}), 2 * 1.5, 1e-9);
}

TEST(SpecCut, what_several_want_of_a_resource_adds_up) {
  // Beside both replicas of b: by the cache 1 + 0.5·0.8, by the memory 0.8 + 1.4; the given factor once for each.
  EXPECT_NEAR(slow_down_of(contention_law(sharing()), 2, 0, {1, 1}), 2 * 2 * (1 + 0.4 + 1.2), 1e-9);
}

TEST(SpecCut, keeps_what_its_stages_do_to_resources_and_adds_loads) {
  const PipelineSpec twice = cut(sharing(), std::vector{1, 1});
  EXPECT_NEAR(slow_down_of(contention_law(twice), 2, 0, {1}), 1.5, 1e-9);
  EXPECT_EQ(twice.resources.at("cache").stages.count("a"), 0u);
  const SimulatedLoad load{Nanoseconds(5000), {0, 0.5}, {0, 1}};
  const PipelineSpec beside = cut_beside(sharing(), std::vector{0}, std::vector{load});
  ASSERT_EQ(beside.stages.size(), 2u);
  const auto law = contention_law(beside);
  EXPECT_NEAR(slow_down_of(law, 2, 0, {1}), 0.8 + 0.5, 1e-9);
  EXPECT_NEAR(slow_down_of(law, 2, 1, {0}), 1.8, 1e-9);
}

TEST(SpecCut, every_run_has_noise_of_its_own) {
  PipelineSpec spec = three();
  const TestFolder folder;
  spec.devices["sim:CPU"].description = folder.write("noisy.yaml",
                                                     "name: noisy\nlaw: table\nunknown_op_ns: 1000\nops: {Add: 1000}\n"
                                                     "noise: {shape: lognormal, sigma: 0.2}\n");
  CutRunner runner(spec, true), again(spec, true);
  const double first = mean_ms(runner.run(std::vector{0}), 0);
  EXPECT_NE(first, mean_ms(runner.run(std::vector{0}), 0));
  EXPECT_EQ(first, mean_ms(again.run(std::vector{0}), 0));
}

TEST(SpecCut, a_cut_stage_keeps_the_values_that_an_earlier_one_gave) {
  if (runtime_names().size() < 2) GTEST_SKIP() << "needs a real runtime";
  const TestFolder folder;
  ModelBuilder first;  // i = 0 + 2 · x is no index that generated values would hold
  const auto x = first.symbolic_input("x", ElementType::i64, "count");
  first.output(first.node("Mul", {x, first.integers({0})}, {}, {"mul", "", {"i"}, {}}));
  folder.write("first.onnx", first.serialize());
  ModelBuilder second;
  const auto i = second.symbolic_input("i", ElementType::i64, "count");
  second.output(second.node("Gather", {second.floats({1, 2, 3}, {3}), i}, {}, {"gather", "", {"y"}, {}}));
  folder.write("second.onnx", second.serialize());
  const auto spec = with_given_inputs(
      read_pipeline(folder.write("p.yaml",
                                 "batches: 20\nstages:\n  - {name: a, model: first.onnx, inputs: {x: \"{7}\"}}\n"
                                 "  - {name: b, model: second.onnx}\n")));
  ASSERT_EQ(spec.stages[1].given.size(), 1u);
  EXPECT_EQ(spec.stages[1].given[0]->name, "i");
  EXPECT_EQ(spec.stages[1].given[0]->shape, (Shape{7}));
  CutRunner runner(spec, false);
  const PipelineRun alone = runner.run(std::vector{1});
  EXPECT_EQ(alone.schedule.batches.size(), 20u);
  EXPECT_EQ(alone.stages[0].input_bytes, 7 * 8);
  EXPECT_EQ(bytes_per_batch(spec)[1], 7 * 8 + 7 * 4 + 7 * 4);  // indices, what they pick, what is written
}

TEST(SpecCut, what_fails_is_thrown) {
  PipelineSpec spec = three();
  spec.timeout = std::chrono::milliseconds(1);
  CutRunner runner(spec, false);
  EXPECT_EQ(refused_with([&] { runner.run(std::vector{2}); }),
            "p.yaml: stage 'c', batch 0: not completed after 1.00 ms; raise 'timeout', or check the device");
}

}  // namespace
}  // namespace takt
