// Every operator type with its figures, and what each rule asks of shapes and attributes before it says a number.
#include "model/cost/rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/cost/cost.h"

namespace takt {
namespace {

using Attributes = std::map<std::string, Attribute>;
using Integers = std::vector<std::int64_t>;

/// One operator with its inputs; a shape that is missing is not known, an input that is left out is none at all.
struct Lone {
  std::string type;
  std::vector<std::optional<Shape>> inputs;
  std::optional<Shape> output;
  Attributes attributes = {};
  std::string domain = {};
  std::map<std::size_t, Integers> values = {};  ///< of inputs that are constants
  std::vector<std::size_t> left_out = {};
};

TensorId add_tensor(Graph& graph, const std::optional<Shape>& shape) {
  Tensor tensor;
  tensor.name = "t" + std::to_string(graph.tensors.size()), tensor.type = ElementType::f32;
  if (shape) {
    tensor.shape.emplace();
    for (const auto size : *shape) tensor.shape->push_back({size, ""});
  }
  tensor.bytes = byte_count(tensor.type, tensor.shape);
  graph.tensors.push_back(tensor);
  return static_cast<TensorId>(graph.tensors.size() - 1);
}

Cost cost_of_lone(const Lone& given) {
  Graph graph;
  Op op;
  op.type = given.type, op.domain = given.domain, op.attributes = given.attributes;
  for (std::size_t i = 0; i < given.inputs.size(); ++i) {
    const bool is_there = std::find(given.left_out.begin(), given.left_out.end(), i) == given.left_out.end();
    op.inputs.push_back(is_there ? add_tensor(graph, given.inputs[i]) : no_tensor);
    if (const auto found = given.values.find(i); found != given.values.end())
      graph.tensors.back().is_constant = true, graph.tensors.back().integers = found->second;
  }
  op.outputs = {add_tensor(graph, given.output)};
  graph.ops = {op};
  return cost(graph, op);
}

struct Figures {
  std::optional<double> flops, sfu_ops;
  friend bool operator==(const Figures&, const Figures&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Figures& one) {
    return one.flops ? out << *one.flops << " and " << one.sfu_ops.value_or(-1) : out << "not known";
  }
};

const Figures not_known{};

struct Counted {
  Lone op;
  Figures figures;
};

void expect_figures(const std::vector<Counted>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Cost result = cost_of_lone(all[i].op);
    EXPECT_EQ((Figures{result.flops, result.sfu_ops}), all[i].figures) << all[i].op.type << ", case " << i;
  }
}

// Six elements in, five out: so a figure says whether it is per input or per output element.
TEST(CostRules, figures_of_every_type_whose_work_goes_by_its_elements) {
  struct Group {
    double flops, sfu_ops;
    std::int64_t bytes;
    std::vector<std::string> types;
  };
  const std::vector<Group> groups{
      {5,
       0,
       44,
       {"Add",
        "Sub",
        "Mul",
        "Div",
        "Mod",
        "Neg",
        "Abs",
        "Sign",
        "Floor",
        "Ceil",
        "Round",
        "Reciprocal",
        "Where",
        "Equal",
        "Greater",
        "Less",
        "GreaterOrEqual",
        "LessOrEqual",
        "And",
        "Or",
        "Xor",
        "Not",
        "BitShift",
        "BitwiseAnd",
        "BitwiseOr",
        "BitwiseXor",
        "BitwiseNot",
        "IsNaN",
        "IsInf",
        "Cast",
        "CastLike",
        "Range",
        "CumSum",
        "Hardmax",
        "Relu",
        "ThresholdedRelu"}},
      {10, 0, 44, {"BatchNormalization", "LeakyRelu", "PRelu", "Clip", "Shrink", "DequantizeLinear"}},
      {15, 0, 44, {"RotaryEmbedding", "Softsign"}},
      {20, 0, 44, {"HardSigmoid", "QuantizeLinear"}},
      {25, 0, 44, {"HardSwish"}},
      {35, 0, 44, {"FakeQuantize"}},
      {45, 0, 44, {"QLinearAdd", "QLinearMul"}},
      {40, 0, 44, {"QLinearLeakyRelu"}},
      {45, 5, 44, {"QLinearSigmoid"}},
      {55, 5, 44, {"QLinearSoftmax"}},
      {25, 5, 44, {"Softmax", "LogSoftmax", "BiasGelu", "QuickGelu"}},
      {30, 5, 44, {"BiasSoftmax"}},
      {40, 5, 44, {"FastGelu"}},
      {15, 5, 44, {"Sigmoid", "Elu"}},
      {20, 5, 44, {"Selu", "Celu", "Swish", "Gelu"}},
      {5, 10, 44, {"Softplus"}},
      {10, 15, 44, {"Mish"}},
      {0,
       5,
       44,
       {"Exp", "Log", "Sqrt", "Pow", "Erf", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh",
        "Asinh", "Acosh", "Atanh"}},
      {6,
       0,
       44,
       {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ArgMax", "ArgMin", "NonZero", "Col2Im",
        "ReduceLogSum"}},
      {12, 0, 44, {"ReduceL1", "ReduceL2", "ReduceSumSquare", "LpNormalization"}},
      {6, 6, 44, {"ReduceLogSumExp"}},
      {36, 0, 44, {"DynamicQuantizeLinear"}},
      {0, 0, 44, {"Concat",          "Split",           "Transpose",     "Pad",           "Tile",
                  "Expand",          "DepthToSpace",    "SpaceToDepth",  "OneHot",        "Trilu",
                  "EyeLike",         "ReverseSequence", "Compress",      "CenterCropPad", "TensorScatter",
                  "ConstantOfShape", "ReorderInput",    "ReorderOutput", "QLinearConcat", "ScatterElements",
                  "ScatterND",       "Scatter",         "Sum",           "Max",           "Min"}},
      {5, 0, 44, {"Mean"}},
      {0, 0, 40, {"Gather", "GatherElements", "GatherND", "Slice"}},
      {0, 0, 0, {"Reshape", "Flatten", "Identity", "Squeeze", "Unsqueeze", "Dropout", "Shape", "Size", "Constant"}},
      {48, 2, 44, {"LayerNormalization", "GroupNormalization", "GroupNorm"}},
      {48, 6, 44, {"InstanceNormalization"}},
      {54, 2, 44, {"SkipLayerNormalization"}},
      {24, 2, 44, {"RMSNormalization", "SimplifiedLayerNormalization"}},
      {30, 2, 44, {"SkipSimplifiedLayerNormalization"}},
      {36, 2, 44, {"MVN"}},
      {1, 0, 44, {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "QLinearGlobalAveragePool"}},
  };
  for (const auto& group : groups)
    for (const auto& type : group.types) {
      const Cost result = cost_of_lone({type, {Shape{2, 3}}, Shape{5}});
      EXPECT_EQ(result.flops, group.flops) << type;
      EXPECT_EQ(result.sfu_ops, group.sfu_ops) << type;
      EXPECT_EQ(result.bytes, group.bytes) << type;
    }
}

TEST(CostRules, types_that_share_the_rule_of_products_and_windows) {
  for (const std::string type : {"MatMul", "FusedMatMul", "MatMulInteger", "MatMulIntegerToFloat",
                                 "DynamicQuantizeMatMul", "QLinearMatMul", "MatMulNBits", "Gemm", "FusedGemm", "QGemm"})
    expect_figures({{{type, {Shape{2, 8}, Shape{8, 3}}, Shape{2, 3}}, {2 * 6 * 8, 0}}});
  for (const std::string type : {"Conv", "FusedConv", "ConvInteger", "NhwcConv", "NhwcFusedConv"})
    expect_figures({{{type, {Shape{1, 3, 5}, Shape{4, 3, 3}}, Shape{1, 4, 3}}, {12 * 9 * 2, 0}}});
  for (const std::string type : {"MaxPool", "AveragePool", "LpPool", "QLinearAveragePool", "NhwcMaxPool"})
    expect_figures({{{type, {Shape{1, 1, 9}}, Shape{1, 1, 3}, {{"kernel_shape", Integers{5}}}}, {3 * 4, 0}}});
}

TEST(CostRules, names_mean_these_operators_in_four_domains_only) {
  for (const std::string domain : {"", "com.microsoft", "com.microsoft.nchwc", "com.ms.internal.nhwc"})
    expect_figures({{{"Relu", {Shape{6}}, Shape{6}, {}, domain}, {6, 0}}});
  for (const std::string domain : {"ai.onnx.ml", "com.microsoft.experimental", "com"})
    expect_figures({{{"Relu", {Shape{6}}, Shape{6}, {}, domain}, not_known}});
}

TEST(CostRules, of_folding_and_of_windows) {
  const Lone pooled{"MaxPool", {Shape{1, 2, 4, 4}}, Shape{1, 2, 2, 2}};
  const auto with = [&](Integers kernel) {
    Lone one = pooled;
    one.attributes = {{"kernel_shape", kernel}};
    return one;
  };
  expect_figures({
      {{"Sum", {Shape{6}, Shape{6}, Shape{6}}, Shape{6}}, {12, 0}},
      {{"Max", {Shape{6}, Shape{6}}, Shape{6}}, {6, 0}},
      {{"Mean", {Shape{6}, Shape{6}, Shape{6}}, Shape{6}}, {18, 0}},
      {{"Sum", {}, Shape{6}}, not_known},
      {{"Sum", {Shape{6}}, std::nullopt}, not_known},
      {pooled, not_known},
      {with({2, 2}), {8 * 3, 0}},
      {with({1, 1}), {0, 0}},
      {with({2, 0}), not_known},
      {{"GlobalMaxPool", {Shape{1, 2, 2, 2}}, Shape{1, 2, 2, 2}}, {0, 0}},
      {{"GlobalMaxPool", {Shape{1, 2}}, Shape{1, 2, 2, 2}}, {0, 0}},
      {{"GlobalMaxPool", {std::nullopt}, Shape{1, 2}}, not_known},
      {{"GlobalMaxPool", {Shape{1, 2}}, std::nullopt}, not_known},
      {{"LRN", {Shape{4}}, Shape{4}, {{"size", std::int64_t{1}}}}, {4 * 5, 4}},
      {{"LRN", {Shape{4}}, Shape{4}, {{"size", std::int64_t{0}}}}, not_known},
      {{"LRN", {Shape{4}}, Shape{4}}, not_known},
  });
}

TEST(CostRules, a_root_for_each_group_that_is_normalised) {
  const auto normal = [](const std::string& type, const Shape& shape, Attributes attributes = {}) {
    return Lone{type, {shape}, {shape}, attributes};
  };
  const auto along = [](std::int64_t axis) { return Attributes{{"axis", axis}}; };
  expect_figures({
      {normal("LayerNormalization", {2, 3, 5}), {240, 6}},
      {normal("LayerNormalization", {2, 3, 5}, along(2)), {240, 6}},
      {normal("LayerNormalization", {2, 3, 5}, along(1)), {240, 2}},
      {normal("LayerNormalization", {2, 3, 5}, along(0)), {240, 1}},
      {normal("LayerNormalization", {2, 3, 5}, along(-2)), {240, 2}},
      {normal("LayerNormalization", {2, 3, 5}, along(-3)), {240, 1}},
      {normal("LayerNormalization", {2, 3, 5}, along(-4)), not_known},
      {normal("LayerNormalization", {2, 3, 5}, along(3)), {240, 30}},
      {normal("LayerNormalization", {2, 3, 5}, along(4)), not_known},
      {normal("RMSNormalization", {2, 3, 5}, along(1)), {120, 2}},
      {normal("MVN", {2, 3, 5}, along(1)), {180, 2}},
      // Those of ONNX Runtime go over the last dimension always.
      {normal("SimplifiedLayerNormalization", {2, 3, 5}, along(1)), {120, 6}},
      {normal("SkipLayerNormalization", {2, 3, 5}, along(1)), {270, 6}},
      {normal("InstanceNormalization", {2, 3, 5, 7}), {1680, 6}},
      {normal("InstanceNormalization", {4}), {32, 4}},
      {normal("GroupNormalization", {2, 6, 5}, {{"num_groups", std::int64_t{3}}}), {480, 6}},
      {normal("GroupNorm", {2, 6, 5}, {{"groups", std::int64_t{3}}}), {480, 6}},
      {normal("GroupNorm", {2, 6, 5}), {480, 2}},
      {normal("LayerNormalization", {}), not_known},
      {{"LayerNormalization", {std::nullopt}, Shape{2, 3}}, not_known},
  });
}

TEST(CostRules, of_resizing_goes_by_the_dimensions_that_change) {
  const auto resized = [](const Shape& to, const std::string& mode, const std::string& type = "Resize") {
    return Lone{type, {Shape{1, 1, 2, 2}}, {to}, {{"mode", mode}}};
  };
  expect_figures({
      {resized({1, 1, 4, 4}, "nearest"), {0, 0}},
      {{"Resize", {Shape{1, 1, 2, 2}}, Shape{1, 1, 4, 4}}, {0, 0}},
      {resized({1, 1, 4, 4}, "linear"), {16 * 9, 0}},
      {resized({1, 1, 4, 2}, "linear"), {8 * 3, 0}},
      {resized({1, 1, 2, 2}, "linear"), {0, 0}},
      {resized({1, 1, 4, 2}, "bilinear", "Upsample"), {8 * 3, 0}},
      {resized({1, 1, 4, 4}, "cubic"), {16 * 32, 0}},
      {resized({1, 1, 4, 2}, "cubic"), {8 * 8, 0}},
      {resized({1, 1, 4, 4}, "quintic"), not_known},
      {resized({1, 4, 4}, "linear"), not_known},
      {{"Resize", {std::nullopt}, Shape{4}}, not_known},
      {{"Resize", {Shape{4}}, std::nullopt}, not_known},
  });
}

TEST(CostRules, of_gelu_and_of_the_largest_values) {
  const auto largest = [](Attributes attributes, std::map<std::size_t, Integers> values = {}) {
    return Lone{"TopK", {Shape{16}, Shape{1}}, Shape{1}, attributes, {}, values};
  };
  expect_figures({
      {{"Gelu", {Shape{6}}, Shape{6}, {{"approximate", std::string("tanh")}}}, {48, 6}},
      {{"Gelu", {Shape{6}}, Shape{6}, {{"approximate", std::string("none")}}}, {24, 6}},
      {{"Gelu", {Shape{6}}, std::nullopt}, not_known},
      {largest({{"k", std::int64_t{8}}}), {48, 0}},
      {largest({{"k", std::int64_t{8}}}, {{1, {4}}}), {32, 0}},
      {largest({{"k", std::int64_t{1}}}), {16, 0}},
      {largest({{"k", std::int64_t{0}}}), not_known},
      {largest({}), not_known},
      {{"TopK", {std::nullopt}, Shape{1}, {{"k", std::int64_t{8}}}}, not_known},
  });
}

TEST(CostRules, of_convolutions) {
  const auto fused = [](const std::string& activation) {
    return Lone{"FusedGemm", {Shape{3, 4}, Shape{4, 5}}, Shape{3, 5}, {{"activation", activation}}, "com.microsoft"};
  };
  expect_figures({
      {{"Conv", {Shape{1, 3, 5}, Shape{4, 9}}, Shape{1, 4, 3}}, not_known},
      {{"Conv", {Shape{1, 3, 5}, Shape{0, 3, 3}}, Shape{1, 0, 3}}, not_known},
      {{"Conv", {Shape{1, 3, 5}, std::nullopt}, Shape{1, 4, 3}}, not_known},
      {{"Conv", {Shape{1, 3, 5}}, Shape{1, 4, 3}}, not_known},
      {{"Conv", {Shape{1, 3, 5}, Shape{4, 3, 3}}, std::nullopt}, not_known},
      // A fourth input is added to each of the twelve results.
      {{"FusedConv", {Shape{1, 3, 5}, Shape{4, 3, 3}, Shape{4}, Shape{1, 4, 3}}, Shape{1, 4, 3}}, {216 + 12, 0}},
      {{"FusedConv", {Shape{1, 3, 5}, Shape{4, 3, 3}, Shape{4}, {}}, Shape{1, 4, 3}, {}, "", {}, {3}}, {216, 0}},
      // The fourth input of ConvInteger is the zero point of its weights.
      {{"ConvInteger", {Shape{1, 3, 5}, Shape{4, 3, 3}, Shape{}, Shape{}}, Shape{1, 4, 3}}, {216, 0}},
      {{"NhwcFusedConv", {Shape{1, 3, 5}, Shape{4, 3, 3}, Shape{4}, Shape{1, 4, 3}}, Shape{1, 4, 3}}, {216 + 12, 0}},
      {{"QLinearConv", {Shape{1, 3, 5}, Shape{7, 7, 7}, Shape{1}, Shape{4, 3, 3}}, Shape{1, 4, 3}}, {216, 0}},
      {{"ConvTranspose", {Shape{1, 2, 4}, Shape{2, 3, 2}}, Shape{1, 3, 5}}, {8 * 6 * 2, 0}},
      {{"ConvTranspose", {Shape{1, 2, 4}, Shape{2, 6}}, Shape{1, 3, 5}}, not_known},
      {{"ConvTranspose", {Shape{1, 0, 4}, Shape{0, 3, 2}}, Shape{1, 3, 5}}, not_known},
      {{"ConvTranspose", {std::nullopt, Shape{2, 3, 2}}, Shape{1, 3, 5}}, not_known},
      {fused(""), {120, 0}},
      {fused("Relu"), {120 + 15, 0}},
      {fused("LeakyRelu"), {120 + 30, 0}},
      {fused("Clip"), {120 + 30, 0}},
      {fused("Tanh"), {120, 15}},
      {fused("Sigmoid"), {120 + 45, 15}},
      {fused("HardSigmoid"), {120 + 60, 0}},
      {fused("HardSwish"), {120 + 75, 0}},
      {fused("Snake"), not_known},
  });
}

TEST(CostRules, of_products) {
  const auto summed = [](const std::string& equation, std::vector<std::optional<Shape>> inputs) {
    return Lone{"Einsum", inputs, Shape{1}, {{"equation", equation}}};
  };
  expect_figures({
      {{"Gemm", {Shape{4, 3}, Shape{4, 5}}, Shape{3, 5}, {{"transA", std::int64_t{1}}}}, {15 * 4 * 2, 0}},
      {{"Gemm", {Shape{4, 3}, Shape{3, 5}}, Shape{4, 5}, {{"transA", std::int64_t{0}}}}, {20 * 3 * 2, 0}},
      {{"Gemm", {Shape{4}, Shape{4, 5}}, Shape{1, 5}, {{"transA", std::int64_t{1}}}}, not_known},
      {{"MatMul", {Shape{}, Shape{4, 5}}, Shape{5}}, not_known},
      {{"MatMul", {std::nullopt, Shape{4, 5}}, Shape{5}}, not_known},
      {{"MatMul", {Shape{4}, Shape{4, 5}}, std::nullopt}, not_known},
      {summed("ij->i", {Shape{3, 4}}), {12, 0}},
      {summed("ij->ji", {Shape{3, 4}}), {0, 0}},
      {summed("ij,ij->ij", {Shape{3, 4}, Shape{3, 4}}), {12, 0}},
      {summed("ij , jk -> ik", {Shape{3, 4}, Shape{4, 5}}), {120, 0}},
      // From the left: 3 x 4 times 4 x 5, the result times 5 x 6.
      {summed("ij,jk,kl->il", {Shape{3, 4}, Shape{4, 5}, Shape{5, 6}}), {2 * 60 + 2 * 90, 0}},
      {summed("ij,ik,i->ijk", {Shape{3, 4}, Shape{3, 5}, Shape{3}}), {60 + 60, 0}},
      {summed("->", {}), not_known},
      {summed("ij,jk", {Shape{3, 4}, Shape{4, 5}}), {2 * 60, 0}},  // as ij,jk->ik
      {summed("ij,ij", {Shape{3, 4}, Shape{3, 4}}), {2 * 12, 0}},  // to one number
      {summed("ba", {Shape{3, 4}}), {0, 0}},                       // to ab
      {summed("i...->i", {Shape{3, 4}}), {12, 0}},
      {summed("...i->...", {Shape{3, 4, 5}}), {60, 0}},
      {summed("...i", {Shape{3, 4}}), {0, 0}},
      {summed("...ij,...jk->...ik", {Shape{2, 3, 4}, Shape{2, 4, 5}}), {2 * 120, 0}},
      {summed("...ij,jk->...ik", {Shape{7, 2, 3, 4}, Shape{4, 5}}), {2 * 7 * 120, 0}},
      {summed("...i,...i->...i", {Shape{2, 1, 4}, Shape{3, 4}}), {24, 0}},  // one is stretched
      {summed("...ijk->ik", {Shape{3, 4}}), not_known},
      {summed("i.j->ij", {Shape{3, 4, 5}}), not_known},
      {summed("ij,jk->ik", {Shape{3, 4, 5}, Shape{4, 5}}), not_known},
      {summed("ijk,jk->i", {Shape{3, 4}, Shape{4, 5}}), not_known},
      {summed("ij,jkl->ik", {Shape{3, 4}, Shape{4, 5}}), not_known},
      {summed("ij,j->i", {Shape{3, 4}, Shape{4, 5}}), not_known},
      {summed("ij->i", {Shape{3, 4}, Shape{4, 5}}), not_known},
      {summed("ij->i", {std::nullopt}), not_known},
  });
}

TEST(CostRules, of_sampling_and_boxes) {
  const auto sampled = [](const Shape& from, const Shape& to) { return Lone{"GridSample", {from}, {to}}; };
  const auto kept = [](const Shape& boxes, const Shape& scores, const Shape& chosen) {
    return Lone{"NonMaxSuppression", {boxes, scores}, {chosen}};
  };
  const auto aligned = [](std::int64_t ratio) {
    return Lone{"RoiAlign", {Shape{1, 4, 16, 16}}, Shape{3, 4, 2, 2}, {{"sampling_ratio", ratio}}};
  };
  expect_figures({
      // In space eight corners: 108 results at 27 points.
      {sampled({1, 4, 8, 8, 8}, {1, 4, 3, 3, 3}), {2 * 8 * 108 + 12 * 27, 0}},
      {sampled({4, 8, 8}, {4, 3, 3}), not_known},
      {sampled({1, 1, 8, 8}, {1, 1, 3, 3}), {8 * 9 + 12 * 9, 0}},
      {sampled({1, 0, 8, 8}, {1, 0, 3, 3}), not_known},
      {{"GridSample", {std::nullopt}, Shape{1, 4, 3, 3}}, not_known},
      {{"GridSample", {Shape{1, 4, 8, 8}}, std::nullopt}, not_known},
      {aligned(1), {48 * 9, 0}},
      {aligned(3), {48 * 9 * 9, 0}},
      {aligned(0), not_known},
      {kept({1, 8, 4}, {1, 2, 8}, {5, 3}), {16 * 4 + 12 * 5 * 8, 0}},
      {kept({1, 1, 4}, {1, 2, 1}, {2, 3}), {2 + 12 * 2, 0}},
      {kept({1, 0, 4}, {1, 2, 0}, {3, 3}), {12 * 3, 0}},
      {kept({8, 4}, {1, 2, 8}, {5, 3}), not_known},
      {kept({1, 8, 4}, {1, 2, 8}, {}), not_known},
      {{"NonMaxSuppression", {Shape{1, 8, 4}, std::nullopt}, Shape{5, 3}}, not_known},
      {{"NonMaxSuppression", {Shape{1, 8, 4}, Shape{1, 2, 8}}, std::nullopt}, not_known},
      {{"ScatterND", {Shape{8}, Shape{3}, Shape{3}}, Shape{8}, {{"reduction", std::string("none")}}}, {0, 0}},
      {{"ScatterND", {Shape{8}, Shape{2}, Shape{3}}, Shape{8}, {{"reduction", std::string("mul")}}}, {3, 0}},
      {{"ScatterND", {Shape{8}, Shape{2}, std::nullopt}, Shape{8}, {{"reduction", std::string("mul")}}}, not_known},
  });
}

TEST(CostRules, of_fast_transforms) {
  const auto transform = [](const Shape& from, Attributes attributes = {},
                            std::map<std::size_t, Integers> values = {}) {
    Lone one{"DFT", {from, Shape{}, Shape{}}, Shape{1}, attributes, {}, values};
    for (const std::size_t i : {1, 2})
      if (!values.contains(i)) one.left_out.push_back(i);
    return one;
  };
  const auto along = [](std::int64_t axis) { return Attributes{{"axis", axis}}; };
  expect_figures({
      {transform({2, 16, 2}, along(1)), {2 * 5 * 16 * 4, 0}},
      {transform({2, 16, 1}, along(1)), {2 * 5 * 16 * 4 / 2, 0}},
      {transform({3, 8, 2}), {3 * 5 * 8 * 3, 0}},  // the last but one
      {transform({8, 3, 2}, along(0)), {3 * 5 * 8 * 3, 0}},
      {transform({8, 3, 2}, along(-3)), {3 * 5 * 8 * 3, 0}},
      {transform({8, 3, 2}, along(-4)), not_known},
      {transform({8, 3, 2}, along(3)), not_known},
      {transform({8, 3, 2}, {}, {{2, {0}}}), {3 * 5 * 8 * 3, 0}},
      {transform({8, 4, 2}, along(1), {{2, {0}}}), {8 * 5 * 4 * 2, 0}},
      {transform({8, 2}, along(0)), {5 * 8 * 3, 0}},
      {transform({8}, along(0)), not_known},
      {transform({2, 16, 2}, along(1), {{1, {8}}}), {2 * 5 * 8 * 3, 0}},
      {transform({2, 16, 2}, along(1), {{1, {1}}}), {2 * 5 * 1, 0}},  // a step at least
      {transform({2, 16, 2}, along(1), {{1, {0}}}), not_known},
      {transform({2, 0, 2}, along(1)), not_known},
      {{"DFT", {Shape{2, 16, 2}, Shape{}}, Shape{1}}, not_known},  // of a length that only runs know
      {{"DFT", {std::nullopt}, Shape{1}}, not_known},
  });
}

TEST(CostRules, of_transforms_frame_by_frame) {
  const auto framed = [](const Shape& from, const Shape& to, std::optional<Shape> window,
                         std::optional<std::int64_t> length) {
    Lone one{"STFT", {from, Shape{}, window, Shape{}}, {to}};
    if (!window) one.left_out.push_back(2);
    if (length) one.values[3] = {*length};
    if (!length) one.left_out.push_back(3);
    return one;
  };
  const std::optional<Shape> nothing;
  expect_figures({
      {framed({2, 32, 1}, {2, 7, 5, 2}, nothing, 8), {14 * 60, 0}},
      {framed({2, 32, 2}, {2, 7, 8, 2}, nothing, 8), {14 * 120, 0}},
      {framed({2, 32, 2}, {2, 7, 8, 2}, Shape{8}, std::nullopt), {14 * (16 + 120), 0}},
      {framed({2, 32, 1}, {2, 7, 5, 2}, Shape{4}, 8), {14 * (8 + 60), 0}},
      {framed({2, 32, 1}, {2, 7, 5, 2}, Shape{1, 8}, std::nullopt), not_known},
      {framed({2, 32, 1}, {2, 7, 5, 2}, Shape{1, 8}, 8), {14 * 60, 0}},
      {framed({2, 32, 1}, {2, 7, 1}, nothing, 1), {14 * 2.5, 0}},
      {framed({2, 32, 1}, {2, 7, 1}, nothing, 0), not_known},
      {framed({2, 32, 1}, {14, 5}, nothing, 8), not_known},
      {framed(Shape{}, {2, 7, 5}, nothing, 8), not_known},
      {framed({2, 32, 1}, {2, 7, 5, 2}, nothing, std::nullopt), not_known},
  });
}

TEST(CostRules, of_recurrent_layers) {
  // 14 steps: 2 · 12 · (3 + 4) for the products and 11 · 4 for the cells.
  expect_figures({
      {{"GRU", {Shape{7, 2, 3}, Shape{1, 12, 3}, Shape{1, 12, 4}}, Shape{7, 1, 2, 4}}, {14 * (168 + 44), 14 * 12}},
      {{"GRU", {Shape{7, 2, 3}, Shape{2, 12, 3}, Shape{2, 12, 4}}, Shape{7, 2, 2, 4}}, {28 * (168 + 44), 28 * 12}},
      {{"GRU", {Shape{14, 3}, Shape{1, 12, 3}, Shape{1, 12, 4}}, Shape{1}}, not_known},
      {{"GRU", {Shape{7, 2, 3}, Shape{12, 3}, Shape{1, 12, 4}}, Shape{1}}, not_known},
      {{"GRU", {Shape{7, 2, 3}, Shape{1, 12, 3}, Shape{12, 4}}, Shape{1}}, not_known},
      {{"GRU", {std::nullopt, Shape{1, 12, 3}, Shape{1, 12, 4}}, Shape{1}}, not_known},
      {{"GRU", {Shape{7, 2, 3}, std::nullopt, Shape{1, 12, 4}}, Shape{1}}, not_known},
      {{"GRU", {Shape{7, 2, 3}, Shape{1, 12, 3}}, Shape{1}}, not_known},
  });
}

TEST(CostRules, of_attention) {
  const auto heads = [](std::int64_t of_q, std::int64_t of_kv) {
    return Attributes{{"q_num_heads", of_q}, {"kv_num_heads", of_kv}};
  };
  const auto flat = [&](Attributes attributes, std::optional<Shape> past = {}) {
    Lone one{"Attention", {Shape{1, 3, 16}, Shape{1, 5, 16}, Shape{1, 5, 8}}, Shape{1}, attributes};
    if (past) one.inputs.push_back(Shape{3, 9}), one.inputs.push_back(past);
    return one;
  };
  expect_figures({
      // 6 heads of 4 queries and 5 keys: 120 scores, products of 8 and of 6, softmax of 5.
      {{"Attention", {Shape{2, 3, 4, 8}, Shape{2, 3, 5, 8}, Shape{2, 3, 5, 6}}, Shape{1}}, {120 * (28 + 5), 120}},
      // 2 heads of 3 queries and 5 keys: 30 scores, products of 8 and of 4.
      {flat(heads(2, 2)), {30 * (24 + 5), 30}},
      {flat(heads(4, 2)), {60 * (16 + 5), 60}},  // 4 heads of 4, values of 2 heads of 4
      {flat(heads(1, 1)), {15 * (48 + 5), 15}},
      {flat(heads(0, 2)), not_known},
      {flat(heads(2, 0)), not_known},
      {flat({}), not_known},
      {flat(heads(2, 2), Shape{1, 2, 4, 8}), {54 * (24 + 5), 54}},  // four keys of the past
      {flat(heads(2, 2), Shape{2, 4, 8}), not_known},
      {{"Attention", {Shape{1, 3, 16}, Shape{2, 3, 5, 8}, Shape{1, 5, 8}}, Shape{1}, heads(2, 2)}, not_known},
      {{"Attention", {Shape{1, 3, 16}, Shape{1, 5, 16}, Shape{1, 2, 5, 4}}, Shape{1}, heads(2, 2)}, not_known},
      {{"Attention", {Shape{3, 16}, Shape{5, 16}, Shape{5, 8}}, Shape{1}, heads(2, 2)}, not_known},
      {{"Attention", {std::nullopt, Shape{1, 5, 16}, Shape{1, 5, 8}}, Shape{1}, heads(2, 2)}, not_known},
      {{"Attention", {Shape{1, 3, 16}, std::nullopt, Shape{1, 5, 8}}, Shape{1}, heads(2, 2)}, not_known},
      {{"Attention", {Shape{1, 3, 16}, Shape{1, 5, 16}}, Shape{1}, heads(2, 2)}, not_known},
  });
}

TEST(CostRules, of_attention_as_onnx_runtime_fuses_it) {
  const Attributes two{{"num_heads", std::int64_t{2}}}, one{{"num_heads", std::int64_t{1}}};
  const Attributes sized{{"num_heads", std::int64_t{2}}, {"qkv_hidden_sizes", Integers{8, 8, 4}}};
  const auto packed = [](std::vector<std::optional<Shape>> inputs, Attributes attributes) {
    return Lone{"Attention", inputs, Shape{1}, attributes, "com.microsoft"};
  };
  const auto multi = [](std::vector<std::optional<Shape>> inputs, Attributes attributes) {
    return Lone{"MultiHeadAttention", inputs, Shape{1}, attributes, "com.microsoft"};
  };
  const std::vector<std::optional<Shape>> packed_inputs{Shape{2, 3, 8}, Shape{8, 24}, Shape{24}};
  const std::vector<std::optional<Shape>> inputs{Shape{2, 3, 16}, Shape{2, 5, 16}, Shape{2, 5, 8}};
  auto with_past = packed_inputs, multi_past = inputs, with_odd_past = packed_inputs, multi_odd_past = inputs;
  for (const Shape& more : {Shape{}, Shape{2, 2, 3, 4}}) with_odd_past.push_back(more);
  for (const Shape& more : {Shape{}, Shape{}, Shape{}, Shape{2, 4, 8}}) multi_odd_past.push_back(more);
  for (const Shape& more : {Shape{}, Shape{2, 2, 2, 3, 4}}) with_past.push_back(more);
  for (const Shape& more : {Shape{}, Shape{}, Shape{}, Shape{2, 2, 4, 8}}) multi_past.push_back(more);
  expect_figures({
      // 4 · 3 · 3 scores of depth 4; before them 2 · 3 rows of 8 times 8 × 24.
      {packed(packed_inputs, two), {36 * (16 + 5) + 2 * 6 * 8 * 24, 36}},
      {packed(packed_inputs, one), {18 * (32 + 5) + 2 * 6 * 8 * 24, 18}},
      {packed(packed_inputs, {}), not_known},
      {packed(packed_inputs, sized), not_known},
      // With 3 earlier words.
      {packed(with_past, two), {72 * (16 + 5) + 2 * 6 * 8 * 24, 72}},
      {packed(with_odd_past, two), not_known},
      {packed({Shape{6, 8}, Shape{8, 24}}, two), not_known},
      {packed({Shape{2, 3, 8}, Shape{1, 8, 24}}, two), not_known},
      {packed({Shape{2, 3, 8}, std::nullopt}, two), not_known},
      {packed({std::nullopt, Shape{8, 24}}, two), not_known},
      // 4 heads of 3 queries and 5 keys: 60 scores, of depth 8 and 4.
      {multi(inputs, two), {60 * (24 + 5), 60}},
      {multi(inputs, one), {30 * (48 + 5), 30}},
      {multi(inputs, {}), not_known},
      {multi(multi_past, two), {108 * (24 + 5), 108}},  // four earlier keys
      {multi(multi_odd_past, two), not_known},
      {multi({Shape{2, 3, 16}, Shape{2, 2, 5, 8}, Shape{2, 2, 5, 4}}, two), {60 * (24 + 5), 60}},
      {multi({Shape{6, 16}, Shape{2, 5, 16}, Shape{2, 5, 8}}, two), not_known},
      {multi({Shape{2, 3, 16}, Shape{2, 5, 3, 2, 8}, Shape{2, 5, 8}}, two), not_known},
      {multi({Shape{2, 3, 16}, Shape{2, 5, 16}, Shape{2, 2, 5, 4}}, two), not_known},
      {multi({Shape{2, 3, 16}, Shape{2, 5, 16}}, two), not_known},
      {multi({Shape{2, 3, 16}, std::nullopt, Shape{2, 5, 8}}, two), not_known},
      {multi({std::nullopt, Shape{2, 5, 16}, Shape{2, 5, 8}}, two), not_known},
  });
}

TEST(CostRules, of_attention_with_fewer_heads_of_keys) {
  const auto grouped = [](std::vector<std::optional<Shape>> inputs, std::int64_t rotated = 0,
                          std::vector<std::size_t> left_out = {}) {
    Lone one{"GroupQueryAttention", inputs, Shape{1}, {}, "com.microsoft", {}, left_out};
    one.attributes = {{"num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{2}}, {"do_rotary", rotated}};
    return one;
  };
  const Shape q{1, 3, 32}, k{1, 3, 16}, past{1, 2, 5, 8};
  const Lone unnamed{"GroupQueryAttention", {q, k, k}, Shape{1}, {}, "com.microsoft"};
  expect_figures({
      // 4 heads of 3 queries and 3 keys: 36 scores of depth 8; with 5 earlier keys 96.
      {grouped({q, k, k}), {36 * (32 + 5), 36}},
      {grouped({q, k, k, past, past}), {96 * (32 + 5), 96}},
      {grouped({q, k, k, past, past}, 1), {96 * (32 + 5) + 3 * 3 * 6 * 8, 96}},
      {grouped({Shape{1, 3, 64}, {}, {}}, 0, {1, 2}), {36 * (32 + 5), 36}},  // side by side
      {grouped({q, k, k, Shape{1, 5, 16}, past}), not_known},
      {grouped({q, k, k, std::nullopt, past}), not_known},
      {grouped({Shape{3, 32}, k, k}), not_known},
      {grouped({std::nullopt, k, k}), not_known},
      {unnamed, not_known},
  });
}

TEST(CostRules, of_a_buffer_for_all_keys_that_may_come_are_not_known) {
  for (const std::int64_t kept : {5 + 3, 5, 64}) {
    Graph graph;
    Op op;
    op.type = "GroupQueryAttention", op.domain = "com.microsoft";
    op.attributes = {{"num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{2}}};
    for (const Shape& shape : {Shape{1, 3, 32}, Shape{1, 3, 16}, Shape{1, 3, 16}, Shape{1, 2, 5, 8}})
      op.inputs.push_back(add_tensor(graph, shape));
    op.outputs = {add_tensor(graph, Shape{1, 3, 32}), add_tensor(graph, Shape{1, 2, kept, 8})};
    EXPECT_EQ(cost(graph, op).flops.has_value(), kept == 8) << kept;
  }
}

/// A Scan over the last `scanned` of its inputs, whose body adds two tensors of three elements: 3 flops, 36 bytes.
Cost cost_of_scan(std::int64_t scanned, Attributes attributes, std::int64_t opset = 17,
                  const std::string& body_name = "body") {
  auto body = std::make_shared<Graph>();
  Op add;
  add.type = "Add";
  for (int i = 0; i < 2; ++i) add.inputs.push_back(add_tensor(*body, Shape{3}));
  add.outputs = {add_tensor(*body, Shape{3})};
  body->ops = {add};
  Graph graph;
  graph.opsets[""] = opset;
  Op scan;
  scan.type = "Scan", scan.attributes = attributes;
  scan.attributes["num_scan_inputs"] = scanned;
  scan.inputs = {add_tensor(graph, Shape{3}), add_tensor(graph, Shape{7, 5}), add_tensor(graph, Shape{11, 2})};
  scan.outputs = {add_tensor(graph, Shape{3})};
  scan.subgraphs = {{body_name, body}};
  graph.ops = {scan};
  return cost(graph, scan);
}

TEST(CostRules, a_scan_turns_once_for_each_slice_of_what_it_scans_first) {
  const auto along = [](std::int64_t axis) { return Attributes{{"scan_input_axes", Integers{axis, 9}}}; };
  struct Turns {
    Cost scan;
    std::optional<int> turns;
  };
  const std::vector<Turns> cases{{cost_of_scan(1, {}), 11},
                                 {cost_of_scan(2, {}), 7},
                                 {cost_of_scan(3, {}), 3},
                                 {cost_of_scan(4, {}), {}},
                                 {cost_of_scan(0, {}), {}},
                                 {cost_of_scan(2, along(0)), 7},
                                 {cost_of_scan(2, along(1)), 5},
                                 {cost_of_scan(2, along(2)), {}},
                                 {cost_of_scan(2, along(-1)), 5},
                                 {cost_of_scan(2, along(-2)), 7},
                                 {cost_of_scan(2, along(-3)), {}},
                                 {cost_of_scan(2, {{"scan_input_axes", Integers{}}}), 7},
                                 {cost_of_scan(2, {}, 9), 7},
                                 {cost_of_scan(2, {}, 8), {}},
                                 {cost_of_scan(2, {}, 17, "odd"), {}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [scan, turns] = cases[i];
    EXPECT_EQ(scan.flops, turns ? std::optional<double>(3 * *turns) : std::nullopt) << i;
    EXPECT_EQ(scan.sfu_ops, turns ? std::optional<double>(0) : std::nullopt) << i;
    EXPECT_EQ(scan.bytes, turns ? std::optional<std::int64_t>(36 * *turns) : std::nullopt) << i;
  }
}

TEST(CostRules, traffic_counts_each_tensor_once_and_weights_apart) {
  Graph graph;
  Op op;
  op.type = "Gather";
  const auto data = add_tensor(graph, Shape{100}), indices = add_tensor(graph, Shape{3}),
             more = add_tensor(graph, Shape{5});
  graph.tensor(data).is_constant = graph.tensor(more).is_constant = true;
  const auto picked = add_tensor(graph, Shape{7}), other = add_tensor(graph, Shape{11});
  op.inputs = {data, indices, more, no_tensor, indices};
  op.outputs = {picked, no_tensor, other, picked};
  graph.ops = {op};
  const Cost picks = cost(graph, op);
  EXPECT_EQ(picks.output_bytes, 28 + 44);
  EXPECT_EQ(picks.input_bytes, 12);
  EXPECT_EQ(picks.weight_bytes, 28 + 44 + 20) << "of the first as much as is written";
  EXPECT_EQ(picks.bytes, 72 + 12 + 92);
  op.type = "Concat";
  const Cost all = cost(graph, op);
  EXPECT_EQ(all.weight_bytes, 400 + 20);
  EXPECT_EQ(all.bytes, 72 + 12 + 420);
  graph.tensor(more).bytes.reset();
  EXPECT_EQ(cost(graph, op).weight_bytes, std::nullopt);
  EXPECT_EQ(cost(graph, op).input_bytes, 12);
  EXPECT_EQ(cost(graph, op).bytes, std::nullopt);
}

}  // namespace
}  // namespace takt
