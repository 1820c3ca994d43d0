#include "predict/kernels/optimised_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
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
