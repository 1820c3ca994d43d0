#include "predict/kernels/optimised_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
#include "model/inputs/spec.h"
#include "predict/kernels/real_models.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(OptimisedKernels, a_block_of_a_residual_network_is_two_fused_convolutions) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"resnet", 10, 0.25, 1, 64}), {});
  std::vector<std::string> names;
  for (const KernelInstance& kernel : kernels.graph.kernels) {
    const KernelRecord& record = kernels.records.at(kernel.record);
    names.push_back(record.name);
    EXPECT_EQ(record.obstacle, "") << record.name;
    EXPECT_TRUE(record.cost.bytes) << record.name;
    EXPECT_TRUE(record.cost.flops || !record.name.starts_with("Conv")) << record.name;
  }
  EXPECT_EQ(std::count(names.begin(), names.end(), "Conv_Add_Relu"), 4);
  EXPECT_EQ(std::count(names.begin(), names.end(), "Gemm"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "BatchNormalization"), 0);
}

TEST(OptimisedKernels, kernels_are_in_the_order_in_which_they_can_run) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"transformer", 2, 0.5, 1, 16}), {});
  for (std::size_t i = 0; i < kernels.graph.kernels.size(); ++i)
    for (const int producer : kernels.graph.kernels[i].producers) EXPECT_LT(producer, static_cast<int>(i));
}

TEST(OptimisedKernels, shapes_that_depend_on_values_come_from_an_inference) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {3, 4});
  const auto where = b.node("NonZero", {x});
  b.output(b.node("Cast", {where}, {{"to", std::int64_t{1}}}));
  const OptimisedKernels kernels = kernels_of(folder.write("holes.onnx", b.serialize()), {});
  ASSERT_EQ(kernels.graph.kernels.size(), 2u);
  // All twelve generated numbers differ from zero.
  EXPECT_THAT(kernels.records.at(kernels.graph.kernels[0].record).outputs[0].shape, ElementsAre(2, 12));
}

TEST(OptimisedKernels, a_loop_is_listed_and_says_why_it_cannot_be_taken_out) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  ModelBuilder then_branch("then", 2), else_branch("else", 3), b;
  then_branch.output(then_branch.node("Relu", {"x"}, {}, {"t", "", {"ty"}, {}}), ElementType::f32, {2, 2});
  else_branch.output(else_branch.node("Exp", {"x"}, {}, {"e", "", {"ey"}, {}}), ElementType::f32, {2, 2});
  b.input("x", ElementType::f32, {2, 2});
  const auto is_set = b.input("flag", ElementType::boolean, {});
  b.output(
      b.node("If", {is_set}, {}, {"if", "", {"y"}, {{"then_branch", &then_branch}, {"else_branch", &else_branch}}}),
      ElementType::f32, {2, 2});
  const OptimisedKernels kernels = kernels_of(folder.write("if.onnx", b.serialize()), {});
  ASSERT_EQ(kernels.graph.kernels.size(), 1u);
  EXPECT_THAT(kernels.records.begin()->second.obstacle, HasSubstr("runs a subgraph"));
}

/// Without the number that ONNX Runtime counts up for operators of its own: "ReorderOutput" of "ReorderOutput_token_204".
std::string without_count(const std::string& name) { return name.substr(0, name.find("_token_")); }

/// What can be told apart of the kernels of a model, sorted: where nothing decides it, ONNX Runtime's order is chance.
std::string told_of(const OptimisedKernels& kernels) {
  std::vector<std::string> told;
  for (const KernelInstance& kernel : kernels.graph.kernels) {
    const KernelRecord& record = kernels.records.at(kernel.record);
    told.push_back(without_count(kernel.name) + " " + kernel.record + " " + shape_text(record.inputs) + " " +
                   shape_text(record.outputs) + " " + std::to_string(record.cost.bytes.value_or(-1)));
  }
  std::sort(told.begin(), told.end());
  std::string lines;
  for (const std::string& line : told) lines += line + "\n";
  return lines;
}

TEST(OptimisedKernels, the_structure_alone_has_the_same_kernels) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  for (const ZooModel& model : {ZooModel{"resnet", 10, 0.5, 1, 64},
                                {"transformer", 2, 0.5, 1, 16},
                                {"mobilenetv2", 10, 0.5, 2, 64},
                                {"mlp", 3, 0.5, 1, 64},
                                {"densenet", 59, 0.25, 1, 64}}) {
    const auto file = write_zoo_model(folder, model);
    const OptimisedKernels whole = kernels_of(file, {}), structure = kernel_structure_of(file, {});
    EXPECT_EQ(told_of(structure), told_of(whole)) << model.name();
    EXPECT_EQ(structure.graph.inputs, whole.graph.inputs);
    EXPECT_EQ(structure.graph.outputs, whole.graph.outputs);
    EXPECT_TRUE(structure.is_saved);
  }
}

TEST(OptimisedKernels, the_structure_needs_an_inference_where_shapes_depend_on_values) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  ModelBuilder b;
  const auto where = b.node("NonZero", {b.input("x", ElementType::f32, {3, 4})});
  b.output(b.node("Cast", {where}, {{"to", std::int64_t{1}}}));
  const auto file = folder.write("holes.onnx", b.serialize());
  EXPECT_EQ(told_of(kernel_structure_of(file, {})), told_of(kernels_of(file, {})));
}

/// A Loop around a product and a Tanh of {1,8}, whose count is `count`.
std::string looping(ModelBuilder& b, const std::string& count) {
  ModelBuilder body("body", 2);
  body.input("turn", ElementType::i64, {}), body.input("go", ElementType::boolean, {});
  body.symbolic_input("state", ElementType::f32, "?,?");
  body.node("Identity", {"go"}, {}, {"again", "", {"go_on"}, {}});
  const auto product = body.node("MatMul", {"state", "w"});
  body.node("Tanh", {product}, {}, {"tanh", "", {"next"}, {}});
  body.output("go_on", ElementType::boolean, {});
  body.symbolic_output("next", ElementType::f32, "?,?");
  const auto x = b.input("x", ElementType::f32, {1, 8});
  b.weight({8, 8}, "w");
  return b.node("Loop", {count, "", x}, {}, {"loop", "", {"y"}, {{"body", &body}}});
}

std::vector<std::string> names_in(const OptimisedKernels& kernels) {
  std::vector<std::string> names;
  for (const KernelInstance& kernel : kernels.graph.kernels) names.push_back(kernels.records.at(kernel.record).name);
  return names;
}

TEST(OptimisedKernels, a_loop_has_a_body_of_kernels_and_a_count) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  ModelBuilder b;
  b.output(looping(b, b.integers({7}, {})), ElementType::f32, {1, 8});
  const OptimisedKernels kernels = kernel_structure_of(folder.write("loop.onnx", b.serialize()), {});
  ASSERT_EQ(kernels.bodies.size(), 1u) << testing::PrintToString(kernels.notes);
  const KernelBody& body = kernels.bodies[0];
  EXPECT_EQ(kernels.records.at(kernels.graph.kernels[body.owner].record).type, "Loop");
  EXPECT_EQ(body.turns, 7);
  EXPECT_EQ(body.name, "body");
  EXPECT_THAT(names_in(body.kernels), testing::IsSupersetOf({"MatMul", "Tanh"}));
  std::optional<double> flops;  // by the shapes of the first turn
  for (const auto& entry : body.kernels.records)
    if (entry.second.name == "MatMul") flops = entry.second.cost.flops;
  EXPECT_EQ(flops, 2.0 * 8 * 8);
}

TEST(OptimisedKernels, a_count_that_is_an_input_is_known_when_it_is_given) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  ModelBuilder b;
  b.output(looping(b, b.input("count", ElementType::i64, {})), ElementType::f32, {1, 8});
  const auto file = folder.write("loop.onnx", b.serialize());
  RunSettings settings;
  ASSERT_EQ(kernel_structure_of(file, settings).bodies.size(), 1u);
  EXPECT_EQ(kernel_structure_of(file, settings).bodies[0].turns, std::nullopt);
  settings.inputs = parse_input_specs("count:12");
  EXPECT_EQ(kernel_structure_of(file, settings).bodies[0].turns, 12);
}

TEST(OptimisedKernels, branches_are_bodies_that_run_once) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  ModelBuilder then_branch("then", 2), else_branch("else", 3), b;
  then_branch.output(then_branch.node("Relu", {"x"}, {}, {"t", "", {"ty"}, {}}), ElementType::f32, {2, 2});
  else_branch.output(else_branch.node("Exp", {"x"}, {}, {"e", "", {"ey"}, {}}), ElementType::f32, {2, 2});
  b.input("x", ElementType::f32, {2, 2});
  const auto is_set = b.input("flag", ElementType::boolean, {});
  b.output(
      b.node("If", {is_set}, {}, {"if", "", {"y"}, {{"then_branch", &then_branch}, {"else_branch", &else_branch}}}),
      ElementType::f32, {2, 2});
  const OptimisedKernels kernels = kernel_structure_of(folder.write("if.onnx", b.serialize()), {});
  ASSERT_EQ(kernels.bodies.size(), 2u) << testing::PrintToString(kernels.notes);
  EXPECT_THAT(names_in(kernels.bodies[0].kernels), ElementsAre("Exp"));
  EXPECT_THAT(names_in(kernels.bodies[1].kernels), ElementsAre("Relu"));
  EXPECT_EQ(kernels.bodies[0].turns, 1);
}

TEST(OptimisedKernels, a_simulated_device_has_none) {
  const TestFolder folder;
  ModelBuilder b;
  b.output(b.node("Relu", {b.input("x", ElementType::f32, {2})}));
  RunSettings settings;
  settings.device = "sim:CPU";
  EXPECT_THROW(kernels_of(folder.write("relu.onnx", b.serialize()), settings), Error);
}

TEST(OptimisedKernels, openvino_groups_have_the_same_names) {
  if (!has_openvino()) GTEST_SKIP() << "this binary lacks OpenVINO";
  const TestFolder folder;
  RunSettings settings;
  settings.runtime = "openvino";
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"resnet", 10, 0.25, 1, 64}), settings);
  std::size_t fused = 0;
  for (const KernelInstance& kernel : kernels.graph.kernels)
    fused += kernels.records.at(kernel.record).name == "Conv_Add_Relu";
  EXPECT_EQ(fused, 4u);
}

}  // namespace
}  // namespace takt
