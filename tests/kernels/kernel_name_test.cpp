#include "predict/kernels/name.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

Op node(const std::string& type, const std::string& domain, std::vector<TensorId> inputs,
        const std::string& activation = {}) {
  Op op;
  op.type = type, op.domain = domain, op.inputs = std::move(inputs);
  if (!activation.empty()) op.attributes.emplace("activation", activation);
  return op;
}

std::string name_of(const Op& op) { return canonical_name(op).name; }

TEST(KernelName, one_fusion_has_one_name_in_every_layout_and_domain) {
  const Op blocked = node("Conv", "com.microsoft.nchwc", {0, 1, 2, 3}, "Relu");
  const Op plain = node("FusedConv", "com.microsoft", {0, 1, 2, 3}, "Relu");
  const Op last = node("NhwcFusedConv", "com.microsoft", {0, 1, 2, 3}, "Relu");
  for (const Op& op : {blocked, plain, last}) EXPECT_EQ(name_of(op), "Conv_Add_Relu");
  EXPECT_EQ(canonical_name(blocked).layout, "nchwc");
  EXPECT_EQ(canonical_name(plain).layout, "");
  EXPECT_EQ(canonical_name(last).layout, "nhwc");
}

TEST(KernelName, a_sum_is_told_by_the_input_that_is_there) {
  EXPECT_EQ(name_of(node("FusedConv", "com.microsoft", {0, 1, 2}, "Relu")), "Conv_Relu");
  EXPECT_EQ(name_of(node("FusedConv", "com.microsoft", {0, 1, no_tensor, 3})), "Conv_Add");
  EXPECT_EQ(name_of(node("Conv", "com.microsoft.nchwc", {0, 1, 2, no_tensor})), "Conv");
  EXPECT_EQ(name_of(node("FastGelu", "com.microsoft", {0})), "FastGelu");
  EXPECT_EQ(name_of(node("FastGelu", "com.microsoft", {0, 1})), "Add_FastGelu");
}

TEST(KernelName, other_words_for_an_operator_are_its_name) {
  EXPECT_EQ(name_of(node("FusedGemm", "com.microsoft", {0, 1, 2}, "Relu")), "Gemm_Relu");
  EXPECT_EQ(name_of(node("SkipLayerNormalization", "com.microsoft", {0, 1, 2, 3})), "Add_LayerNormalization");
  EXPECT_EQ(name_of(node("QuickGelu", "com.microsoft", {0})), "Swish");
  EXPECT_EQ(name_of(node("QLinearConv", "", {0, 1, 2, 3, 4, 5, 6, 7})), "Conv");
  EXPECT_EQ(name_of(node("MaxPool", "com.microsoft.nchwc", {0})), "MaxPool");
}

TEST(KernelName, the_same_word_of_another_domain_is_another_operator) {
  EXPECT_EQ(name_of(node("Attention", "com.microsoft", {0, 1, 2})), "MatMul_Attention");
  EXPECT_EQ(name_of(node("Attention", "", {0, 1, 2})), "Attention");
  EXPECT_EQ(name_of(node("QuickGelu", "my.company", {0})), "QuickGelu");
  for (const char* domain : {"", "com.microsoft", "ai.onnx"})
    EXPECT_EQ(name_of(node("QLinearMatMul", domain, {0, 1})), "MatMul") << "whatever the domain: '" << domain << "'";
}

TEST(KernelName, an_unknown_operator_keeps_its_name) {
  EXPECT_EQ(name_of(node("Frobnicate", "my.company", {0})), "Frobnicate");
}

TEST(KernelName, a_group_of_operators_has_the_name_of_the_fused_node) {
  EXPECT_EQ(group_name({{"Conv", true}, {"BatchNormalization", true}, {"Add"}, {"Relu"}}), "Conv_Add_Relu");
  EXPECT_EQ(group_name({{"Conv", true}, {"Add", true}, {"Relu"}}), "Conv_Relu");
  EXPECT_EQ(group_name({{"MatMul", true}, {"Add", true}, {"Relu"}}), "Gemm_Relu");
  EXPECT_EQ(group_name({{"MatMul"}, {"Add"}}), "MatMul_Add");
  EXPECT_EQ(group_name({{"Conv", true}, {"Sigmoid"}, {"Mul"}}), "Conv_Swish");
  EXPECT_EQ(
      group_name({{"MatMul", true}, {"Add", true}, {"Div", true}, {"Erf"}, {"Add", true}, {"Mul"}, {"Mul", true}}),
      "Gemm_Gelu");
  EXPECT_EQ(group_name({{"Reshape"}, {"MatMul", true}}), "MatMul");
  EXPECT_EQ(group_name({{"Reshape"}}), "Reshape");
  EXPECT_EQ(group_name(std::vector<FusedStep>()), "");
}

TEST(KernelName, constants_behind_an_activation_are_no_part_of_the_weights) {
  EXPECT_EQ(group_name({{"Conv", true}, {"Relu"}, {"Mul", true}}), "Conv_Relu_Mul");
}

}  // namespace
}  // namespace takt
