#include "predict/answer/bodies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "predict/answer/predict_words.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// Knows single kernels of 2 us each and nothing else; a call of the runtime costs 10 us.
Predictor of_known_kernels() {
  Predictor predictor;
  predictor.trees = RatioTrees({1e9, 1e9}, 1);
  predictor.measured_width = std::log(2.0);
  predictor.overhead = {10, 0};
  for (const char* name : {"MatMul", "Tanh"}) predictor.known.add(kernel(name, KernelGroup::other, 1, 1), 2);
  return predictor;
}

ModelFacts facts_of_kernels(const std::vector<std::string>& names) {
  ModelFacts facts;
  for (const std::string& name : names) {
    facts.kernels.push_back(kernel(name, KernelGroup::other, 1, 1));
    facts.names.push_back(name + "_node");
  }
  return facts;
}

ModelPrediction predicted_with(const Predictor& predictor, const ModelFacts& facts) {
  ModelPrediction prediction = predict(predictor, facts.kernels);
  add_bodies(predictor, facts, prediction);
  return prediction;
}

TEST(Bodies, a_loop_takes_its_turns) {
  const Predictor predictor = of_known_kernels();
  ModelFacts facts = facts_of_kernels({"MatMul", "Loop"});
  const ModelPrediction without = predicted_with(predictor, facts);
  facts.bodies.push_back({1, "body", 100, facts_of_kernels({"MatMul", "Tanh"})});
  const ModelPrediction with = predicted_with(predictor, facts);
  EXPECT_NEAR(with.us - without.us, 100 * 4, 1e-9);
  EXPECT_NEAR(with.low_us - without.low_us, 100 * 2, 1e-9);
  EXPECT_NEAR(with.high_us - without.high_us, 100 * (8 + 10), 1e-9) << "a turn costs no more than a call";
  EXPECT_NEAR(with.kernels[1].us - without.kernels[1].us, 400, 1e-9);
  EXPECT_EQ(with.kernels[0].us, without.kernels[0].us);
  EXPECT_EQ(with.overhead_us, without.overhead_us);
  const auto notes = notes_on_bodies(predictor, facts);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].text, "Loop 'Loop_node': at most 100 turns of 4.00 µs");
  EXPECT_FALSE(notes[0].is_open);
}

TEST(Bodies, a_loop_in_a_loop_takes_the_turns_of_both) {
  const Predictor predictor = of_known_kernels();
  ModelFacts inner = facts_of_kernels({"Loop"}), facts = inner;
  const double loop_us = predicted_with(predictor, inner).kernels[0].us;  // of the operator itself
  inner.bodies.push_back({0, "body", 5, facts_of_kernels({"MatMul"})});
  facts.bodies.push_back({0, "body", 3, inner});
  EXPECT_NEAR(predicted_with(predictor, facts).kernels[0].us, loop_us + 3 * (loop_us + 5 * 2), 1e-9);
  const auto notes = notes_on_bodies(predictor, facts);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_THAT(notes[0].text, HasSubstr("at most 3 turns of "));
  EXPECT_EQ(notes[1].text, "Loop 'Loop_node': at most 5 turns of 2.00 µs");
}

TEST(Bodies, of_branches_the_longer_one_counts_and_the_shorter_one_is_the_lower_end) {
  const Predictor predictor = of_known_kernels();
  ModelFacts facts = facts_of_kernels({"If"});
  const ModelPrediction without = predicted_with(predictor, facts);
  facts.bodies.push_back({0, "else_branch", 1, facts_of_kernels({"Tanh"})});
  facts.bodies.push_back({0, "then_branch", 1, facts_of_kernels({"MatMul", "MatMul", "Tanh"})});
  const ModelPrediction with = predicted_with(predictor, facts);
  EXPECT_NEAR(with.us - without.us, 6, 1e-9);
  EXPECT_NEAR(with.low_us - without.low_us, 1, 1e-9);
  EXPECT_NEAR(with.high_us - without.high_us, 12 + 10, 1e-9);
  const auto notes = notes_on_bodies(predictor, facts);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].text, "If 'If_node': 'else_branch' takes 2.00 µs; the longer branch counts");
  EXPECT_EQ(notes[1].text, "If 'If_node': 'then_branch' takes 6.00 µs; the longer branch counts");
}

TEST(Bodies, a_count_that_nobody_knows_makes_a_lower_bound) {
  const Predictor predictor = of_known_kernels();
  ModelFacts facts = facts_of_kernels({"Loop"});
  const ModelPrediction without = predicted_with(predictor, facts);
  facts.bodies.push_back({0, "body", std::nullopt, facts_of_kernels({"MatMul"})});
  const ModelPrediction with = predicted_with(predictor, facts);
  EXPECT_NEAR(with.us - without.us, 2, 1e-9);
  EXPECT_NEAR(with.low_us, without.low_us, 1e-9);
  EXPECT_TRUE(std::isinf(with.high_us));
  const auto notes = notes_on_bodies(predictor, facts);
  EXPECT_TRUE(notes[0].is_open);
  EXPECT_EQ(
      notes[0].text,
      "Loop 'Loop_node' runs an unknown number of turns, each about 2.00 µs: one is counted, so the prediction is a "
      "lower bound; if the count is an input of the model, give it with --input");
}

}  // namespace
}  // namespace takt
