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

TEST(KernelName, every_operator_of_the_runtime_s_own_has_the_name_of_what_it_computes) {
  struct Known {
    const char *type, *domain, *name;
  };
  const char* const microsoft = "com.microsoft";
  for (const Known& one : {Known{"Conv", "com.microsoft.nchwc", "Conv nchwc"},
                           {"FusedConv", microsoft, "Conv "},
                           {"NhwcFusedConv", microsoft, "Conv nhwc"},
                           {"NhwcConv", microsoft, "Conv nhwc"},
                           {"NhwcMaxPool", microsoft, "MaxPool nhwc"},
                           {"FusedGemm", microsoft, "Gemm "},
                           {"FusedMatMul", microsoft, "MatMul "},
                           {"FusedMatMulActivation", microsoft, "MatMul "},
                           {"TransposeMatMul", microsoft, "MatMul "},
                           {"Upsample", "", "Resize "},
                           {"Upsample", "com.microsoft.nchwc", "Resize nchwc"},
                           {"BiasGelu", microsoft, "Add_Gelu "},
                           {"BiasSoftmax", microsoft, "Add_Softmax "},
                           {"BiasAdd", microsoft, "Add_Add "},
                           {"FastGelu", microsoft, "FastGelu "},
                           {"SkipLayerNormalization", microsoft, "Add_LayerNormalization "},
                           {"SkipSimplifiedLayerNormalization", microsoft, "Add_RMSNormalization "},
                           {"SkipGroupNorm", microsoft, "Add_GroupNormalization "},
                           {"EmbedLayerNormalization", microsoft, "Gather_Add_LayerNormalization "},
                           {"SimplifiedLayerNormalization", "", "RMSNormalization "},
                           {"GroupNorm", microsoft, "GroupNormalization "},
                           {"QuickGelu", microsoft, "Swish "},
                           {"Attention", microsoft, "MatMul_Attention "},
                           {"MultiHeadAttention", microsoft, "Attention "},
                           {"GroupQueryAttention", microsoft, "Attention "},
                           {"QLinearConv", "", "Conv "},
                           {"ConvInteger", "", "Conv "},
                           {"QLinearMatMul", "", "MatMul "},
                           {"MatMulInteger", "", "MatMul "},
                           {"MatMulIntegerToFloat", microsoft, "MatMul "},
                           {"MatMulNBits", microsoft, "MatMul "},
                           {"DynamicQuantizeMatMul", microsoft, "DynamicQuantizeLinear_MatMul "},
                           {"QGemm", microsoft, "Gemm "},
                           {"QLinearAdd", microsoft, "Add "},
                           {"QLinearMul", microsoft, "Mul "},
                           {"QLinearConcat", microsoft, "Concat "},
                           {"QLinearSigmoid", microsoft, "Sigmoid "},
                           {"QLinearLeakyRelu", microsoft, "LeakyRelu "},
                           {"QLinearSoftmax", microsoft, "Softmax "},
                           {"QLinearWhere", microsoft, "Where "},
                           {"QLinearAveragePool", microsoft, "AveragePool "},
                           {"QLinearGlobalAveragePool", microsoft, "GlobalAveragePool "},
                           {"QLinearReduceMean", microsoft, "ReduceMean "},
                           {"Conv", "com.ms.internal.nhwc", "Conv nhwc"},
                           {"MaxPool", "com.microsoft.nchwc", "MaxPool nchwc"},
                           {"Relu", "", "Relu "}}) {
    const CanonicalName found = canonical_name(node(one.type, one.domain, {0}));
    EXPECT_EQ(found.name + " " + found.layout, one.name) << one.type << " of '" << one.domain << "'";
    // Of another's domain a rule of Microsoft's says nothing.
    if (one.domain == std::string(microsoft)) {
      EXPECT_EQ(name_of(node(one.type, "my.company", {0})), one.type);
    }
  }
}

TEST(KernelName, sums_are_inputs_of_a_certain_number) {
  const auto with_four = [](const char* type, const char* domain) { return name_of(node(type, domain, {0, 1, 2, 3})); };
  EXPECT_EQ(with_four("NhwcConv", "com.microsoft"), "Conv") << "it adds nothing";
  EXPECT_EQ(with_four("NhwcFusedConv", "com.microsoft"), "Conv_Add");
  EXPECT_EQ(with_four("Conv", ""), "Conv");
  EXPECT_EQ(name_of(node("FastGelu", "com.microsoft", {0, no_tensor})), "FastGelu");
  EXPECT_EQ(name_of(node("NhwcFusedConv", "com.microsoft", {0, 1, 2, 3}, "Relu")), "Conv_Add_Relu");
  EXPECT_EQ(name_of(node("FusedMatMulActivation", "com.microsoft", {0, 1}, "Tanh")), "MatMul_Tanh");
}

TEST(KernelName, what_a_group_s_steps_do_is_told_step_by_step) {
  EXPECT_EQ(group_name({{"Mul"}, {"Div", true}, {"Erf"}, {"Add", true}, {"Mul"}}), "Gelu");
  EXPECT_EQ(group_name({{"HardSigmoid"}, {"Mul"}}), "HardSwish");
  EXPECT_EQ(group_name({{"Sigmoid"}}), "Sigmoid");
  EXPECT_EQ(group_name({{"Div"}, {"Erf"}, {"Add"}, {"Mul"}}), "Div_Erf_Add_Mul");
  EXPECT_EQ(group_name({{"Relu"}, {"Sigmoid"}, {"Mul"}, {"Tanh"}}), "Relu_Swish_Tanh");
  for (const char* renaming : {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Cast",
                               "QuantizeLinear", "DequantizeLinear", "Constant"}) {
    EXPECT_EQ(group_name({{renaming}, {"Relu"}, {renaming}}), "Relu") << renaming;
    EXPECT_EQ(group_name({{renaming}, {"Cast"}}), renaming) << "of nothing but such the first";
  }
  for (const char* base : {"Conv", "ConvTranspose", "Gemm"})
    EXPECT_EQ(group_name({{base, true}, {"Sub", true}, {"Div", true}, {"Mul", true}, {"Relu"}}),
              base + std::string("_Relu"));
  EXPECT_EQ(group_name({{"MatMul", true}, {"BatchNormalization"}, {"Mul", true}}), "MatMul");
  EXPECT_EQ(group_name({{"Relu"}, {"Add", true}, {"BatchNormalization", true}}), "Relu_Add_BatchNormalization");
  EXPECT_EQ(group_name({{"Conv", true}, {"Sub"}, {"Add", true}}), "Conv_Sub_Add");
  EXPECT_EQ(group_name({{"Gemm", true}, {"Add", true}}), "Gemm");
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
