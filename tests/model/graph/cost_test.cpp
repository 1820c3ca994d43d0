// Costs small enough to count by hand.
#include "model/cost/cost.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "model/onnx/builder.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

// An operator alone: float32 inputs and output of these shapes; those from `first_weight` on are constants.
struct Case {
  std::string type;
  std::vector<Shape> inputs;
  Shape output;
  std::vector<NamedAttribute> attributes = {};
  std::size_t first_weight = 1;
  std::string domain = {};
};

Cost cost_of(const Case& given) {
  ModelBuilder b;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < given.inputs.size(); ++i) {
    const std::string name = "t" + std::to_string(i);
    names.push_back(i < given.first_weight ? b.input(name, ElementType::f32, given.inputs[i])
                                           : b.weight(given.inputs[i], name));
  }
  b.output(b.node(given.type, names, given.attributes, {.domain = given.domain}), ElementType::f32, given.output);
  const Graph graph = b.build().graph;
  return cost(graph, graph.ops.at(0));
}

void expect_work(const Case& given, double flops, double sfu_ops) {
  const Cost result = cost_of(given);
  EXPECT_EQ(result.flops, flops) << given.type;
  EXPECT_EQ(result.sfu_ops, sfu_ops) << given.type;
}

TEST(Cost, of_a_convolution_counts_every_multiplication_and_addition) {
  // 3×3 outputs of 4 channels, each 3·3·3 products: 36 · 27 · 2 = 1944; the bias is inside.
  const Case conv = {"Conv", {{1, 3, 5, 5}, {4, 3, 3, 3}, {4}}, {1, 4, 3, 3}};
  const Cost result = cost_of(conv);
  EXPECT_EQ(result.flops, 1944);
  EXPECT_EQ(result.sfu_ops, 0);
  EXPECT_EQ(result.input_bytes, 75 * 4);
  EXPECT_EQ(result.weight_bytes, (108 + 4) * 4);
  EXPECT_EQ(result.output_bytes, 36 * 4);
  EXPECT_EQ(result.bytes, 75 * 4 + 112 * 4 + 36 * 4);
  // Depthwise: 3 channels of 3×3 outputs, 9 products each: 27 · 9 · 2.
  expect_work({"Conv", {{1, 3, 5, 5}, {3, 1, 3, 3}}, {1, 3, 3, 3}, {{"group", 3}}}, 486, 0);
  // Fused: one more per output element for Relu, one for the residual input.
  expect_work({"FusedConv",
               {{1, 3, 5, 5}, {4, 3, 3, 3}, {4}, {1, 4, 3, 3}},
               {1, 4, 3, 3},
               {{"activation", "Relu"}},
               1,
               "com.microsoft"},
              1944 + 36 + 36, 0);
  expect_work(
      {"Conv", {{1, 3, 5, 5}, {4, 3, 3, 3}}, {1, 4, 3, 3}, {{"activation", "Sigmoid"}}, 1, "com.microsoft.nchwc"},
      1944 + 3 * 36, 36);
  // Behind quantised values and weights stand their scales and zero points, of which none is a residual input.
  expect_work({"QLinearConv", {{1, 3, 5, 5}, {1}, {1}, {4, 3, 3, 3}, {1}, {1}, {1}, {1}}, {1, 4, 3, 3}}, 1944, 0);
  // Each of 2·2·2 inputs meets 3·2·2 weights: 8 · 12 · 2.
  expect_work({"ConvTranspose", {{1, 2, 2, 2}, {2, 3, 2, 2}}, {1, 3, 3, 3}}, 192, 0);
}

TEST(Cost, of_products_is_twice_the_inner_dimension) {
  expect_work({"MatMul", {{2, 3, 4}, {4, 5}}, {2, 3, 5}}, 2 * 3 * 5 * 4 * 2, 0);
  expect_work({"Gemm", {{4, 3}, {4, 5}, {5}}, {3, 5}, {{"transA", 1}}}, 3 * 5 * 4 * 2, 0);
  expect_work({"FusedGemm", {{3, 4}, {4, 5}}, {3, 5}, {{"activation", "Relu"}}, 1, "com.microsoft"}, 120 + 15, 0);
  expect_work({"MatMul", {{4}, {4}}, {}}, 8, 0);
  expect_work({"Einsum", {{2, 3, 4}, {2, 4, 5}}, {2, 3, 5}, {{"equation", "bij, bjk -> bik"}}}, 2 * 3 * 4 * 5 * 2, 0);
  expect_work({"Einsum", {{3}, {4}}, {3, 4}, {{"equation", "i,j->ij"}}}, 12, 0);
  EXPECT_EQ(cost_of({"Einsum", {{2, 3}, {3, 4}}, {2, 4}, {{"equation", "...j,jk->...k"}}}).flops, 2 * 2 * 3 * 4);
}

TEST(Cost, of_pooling_and_normalisation_follows_its_formula) {
  expect_work({"MaxPool", {{1, 2, 4, 4}}, {1, 2, 2, 2}, {{"kernel_shape", {2, 2}}}}, 8 * 3, 0);
  expect_work({"GlobalAveragePool", {{1, 2, 4, 4}}, {1, 2, 1, 1}}, 2 * 15, 0);
  expect_work({"BatchNormalization", {{1, 2, 3, 3}, {2}, {2}, {2}, {2}}, {1, 2, 3, 3}}, 36, 0);
  expect_work({"LayerNormalization", {{2, 5}, {5}, {5}}, {2, 5}}, 80, 2);  // two rows, one root each
  expect_work({"InstanceNormalization", {{2, 3, 4}, {3}, {3}}, {2, 3, 4}}, 24 * 8, 6);
  expect_work({"LRN", {{1, 4, 1, 1}}, {1, 4, 1, 1}, {{"size", 5}}}, 4 * 13, 4);
  expect_work({"Softmax", {{2, 5}}, {2, 5}}, 50, 10);
}

TEST(Cost, of_element_wise_operators_and_reductions_is_per_element) {
  expect_work({"Add", {{2, 3}, {3}}, {2, 3}}, 6, 0);
  expect_work({"Sum", {{6}, {6}, {6}}, {6}}, 12, 0);
  expect_work({"Exp", {{6}}, {6}}, 0, 6);
  expect_work({"Sigmoid", {{6}}, {6}}, 18, 6);
  expect_work({"Gelu", {{6}}, {6}, {{"approximate", "tanh"}}}, 48, 6);
  expect_work({"ReduceMean", {{2, 3}}, {2}}, 6, 0);
  expect_work({"Resize", {{1, 1, 2, 2}}, {1, 1, 4, 4}, {{"mode", "linear"}}}, 16 * 9, 0);
  expect_work({"Resize", {{1, 1, 2, 2}}, {1, 1, 4, 4}, {{"mode", "cubic"}}}, 16 * 16 * 2, 0);
}

TEST(Cost, of_moving_is_bytes_and_of_renaming_nothing) {
  const Cost moved = cost_of({"Transpose", {{2, 3}}, {3, 2}});
  EXPECT_EQ(moved.flops, 0);
  EXPECT_EQ(moved.bytes, 48);
  const Cost renamed = cost_of({"Reshape", {{2, 3}, {2}}, {3, 2}});
  EXPECT_EQ(renamed.flops, 0);
  EXPECT_EQ(renamed.bytes, 0);
  // Two of a thousand rows: 2·4 floats are read and written, and 2 indices are read.
  const Cost picked = cost_of({"Gather", {{1000, 4}, {2}}, {2, 4}});
  EXPECT_EQ(picked.bytes, 32 + 8 + 32);
  const Cost squared = [] {
    ModelBuilder b;
    b.input("x", ElementType::f32, {6});
    b.output(b.node("Mul", {"x", "x"}), ElementType::f32, {6});
    const Graph graph = b.build().graph;
    return cost(graph, graph.ops.at(0));
  }();
  EXPECT_EQ(squared.bytes, 48);  // x is one tensor, read once
}

TEST(Cost, of_sequences_is_per_step_and_direction) {
  // T=7, B=2, I=3, H=4: per step and sample 2·16·(3+4) = 224 and 13·4 = 52; 5·4 sfu; times 14.
  expect_work({"LSTM", {{7, 2, 3}, {1, 16, 3}, {1, 16, 4}}, {7, 1, 2, 4}, {{"hidden_size", 4}}}, 14 * 276, 14 * 20);
  expect_work({"RNN", {{7, 2, 3}, {1, 4, 3}, {1, 4, 4}}, {7, 1, 2, 4}}, 14 * 56, 14 * 4);
  // There and back is twice the work.
  expect_work({"LSTM", {{7, 2, 3}, {2, 16, 3}, {2, 16, 4}}, {7, 2, 2, 4}, {{"hidden_size", 4}}}, 28 * 276, 28 * 20);
  // Scores 1·2·3·5 = 30: products 2·30·(8+8), softmax 5·30.
  expect_work({"Attention", {{1, 2, 3, 8}, {1, 2, 5, 8}, {1, 2, 5, 8}}, {1, 2, 3, 8}, {}, 3}, 30 * 37, 30);
  // Before the five keys stand four of the past: scores 1·2·3·9 = 54.
  expect_work({"Attention",
               {{1, 2, 3, 8}, {1, 2, 5, 8}, {1, 2, 5, 8}, {3, 9}, {1, 2, 4, 8}, {1, 2, 4, 8}},
               {1, 2, 3, 8},
               {},
               6},
              54 * 37, 54);
  expect_work(
      {"MultiHeadAttention", {{1, 3, 16}, {1, 5, 16}, {1, 5, 16}}, {1, 3, 16}, {{"num_heads", 2}}, 3, "com.microsoft"},
      30 * 37, 30);
}

TEST(Cost, that_is_unknown_is_not_zero) {
  const Cost unknown = cost_of({"Frobnicate", {{6}}, {6}});
  EXPECT_FALSE(unknown.flops);
  EXPECT_FALSE(unknown.sfu_ops);
  EXPECT_EQ(unknown.bytes, 48);                                             // its tensors are known all the same
  EXPECT_FALSE(cost_of({"Relu", {{6}}, {6}, {}, 1, "org.example"}).flops);  // another Relu
  ModelBuilder b;
  b.symbolic_input("x", ElementType::f32, "batch,3");
  b.output(b.node("Relu", {"x"}));
  const Graph graph = b.build().graph;
  const Cost shapeless = cost(graph, graph.ops.at(0));
  EXPECT_FALSE(shapeless.flops);
  EXPECT_FALSE(shapeless.bytes);
  EXPECT_EQ(shapeless.weight_bytes, 0);
}

// log2(k) comparisons for each of 16 values, at least one.
TEST(Cost, of_the_largest_values_is_by_how_many_are_asked_for) {
  const auto flops_of = [](const std::vector<std::int64_t>& asked) {
    ModelBuilder b;
    const auto x = b.input("x", ElementType::f32, {16});
    b.output(b.node("TopK", {x, b.integers(asked)}), ElementType::f32, {1});
    const Graph graph = b.build().graph;
    return cost(graph, graph.ops.at(0)).flops;
  };
  EXPECT_EQ(flops_of({1}), 16);
  EXPECT_EQ(flops_of({2}), 16);
  EXPECT_EQ(flops_of({8}), 48);
  EXPECT_FALSE(flops_of({0}));
  EXPECT_FALSE(flops_of({})) << "a constant without a value";
  EXPECT_EQ(flops_of({8, 2}), 48) << "the first counts";
}

TEST(Cost, of_large_products_does_not_overflow) {
  const std::int64_t n = 1 << 20;
  ModelBuilder b;
  for (const char* name : {"a", "b"}) b.input(name, ElementType::f32, {n, n});
  b.output(b.node("MatMul", {"a", "b"}), ElementType::f32, {n, n});
  const Graph graph = b.build().graph;
  const Cost result = cost(graph, graph.ops.at(0));
  EXPECT_EQ(result.flops, 0x1p61);
  EXPECT_EQ(result.bytes, std::int64_t{3} << 42);
}

TEST(Cost, of_control_flow_is_not_known_but_of_scan_is_that_of_its_slices) {
  ModelBuilder branch("branch"), b;
  branch.output(branch.node("Neg", {"x"}));
  b.input("x", ElementType::f32, {3});
  b.input("flag", ElementType::boolean, {});
  b.output(b.node("If", {"flag"}, {}, {.subgraphs = {{"then_branch", &branch}, {"else_branch", &branch}}}));
  const Graph either = b.build().graph;
  EXPECT_FALSE(cost(either, either.ops.at(0)).flops);
  EXPECT_FALSE(cost(either, either.ops.at(0)).bytes);

  // Scan of 7 slices, an addition of 3 elements each.
  ModelBuilder body("body"), scan;
  body.input("state", ElementType::f32, {3});
  body.input("slice", ElementType::f32, {3});
  body.output(body.node("Add", {"state", "slice"}), ElementType::f32, {3});
  scan.input("start", ElementType::f32, {3});
  scan.input("x", ElementType::f32, {7, 3});
  scan.output(scan.node("Scan", {"start", "x"}, {{"num_scan_inputs", 1}}, {.subgraphs = {{"body", &body}}}));
  const Graph steps = scan.build().graph;
  EXPECT_EQ(cost(steps, steps.ops.at(0)).flops, 21);
  EXPECT_EQ(cost(steps, steps.ops.at(0)).bytes, 7 * 36);
}

TEST(Cost, of_control_flow_that_was_observed_is_that_of_its_bodies) {
  ModelBuilder yes("yes"), no("no"), b;
  b.input("x", ElementType::f32, {3});
  b.input("flag", ElementType::boolean, {});
  yes.node("Neg", {"x"}, {}, {"neg", "", {"y"}, {}});
  yes.output(yes.node("Exp", {"y"}, {}, {"exp", "", {"z"}, {}}), ElementType::f32, {3});
  no.output(no.node("SomethingElse", {"x"}, {}, {"else", "", {"w"}, {}}), ElementType::f32, {3});
  b.output(b.node("If", {"flag"}, {}, {.subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}}));
  const Graph read = b.build().graph;
  const auto cost_when = [&](std::optional<std::int64_t> all, std::optional<std::int64_t> first,
                             std::optional<std::int64_t> second, std::optional<std::int64_t> other) {
    Graph graph = read;
    Op& choice = graph.ops.at(0);
    choice.executions = all;
    Graph then_branch = *choice.subgraphs.at("then_branch"), else_branch = *choice.subgraphs.at("else_branch");
    for (Graph* body : {&then_branch, &else_branch})
      for (Tensor& tensor : body->tensors) tensor.shape = {{3, ""}}, tensor.bytes = 12;
    then_branch.ops.at(0).executions = first, then_branch.ops.at(1).executions = second;
    else_branch.ops.at(0).executions = other;
    choice.subgraphs = {{"then_branch", std::make_shared<Graph>(then_branch)},
                        {"else_branch", std::make_shared<Graph>(else_branch)}};
    return cost(graph, choice);
  };
  const Cost ran = cost_when(1, 1, 1, 0);
  EXPECT_EQ(ran.flops, 3);
  EXPECT_EQ(ran.sfu_ops, 3);
  EXPECT_EQ(ran.bytes, 48);
  EXPECT_EQ(cost_when(4, 2, 2, 0).flops, 1.5) << "inside of a loop, a half of whose turns came by";
  EXPECT_FALSE(cost_when(1, 1, std::nullopt, 0).flops) << "what the profile lost is not zero";
  EXPECT_FALSE(cost_when(1, 0, 0, 1).flops) << "an operator without a rule";
  EXPECT_FALSE(cost_when(0, 0, 0, 0).flops);
  EXPECT_FALSE(cost_when(std::nullopt, 1, 1, 0).flops);
}

TEST(Cost, detection_and_sampling) {
  // 2 classes of 8 boxes: 16 scores, each compared and sorted in 3; 5 kept, each held against 8 in 12.
  expect_work({"NonMaxSuppression", {{1, 8, 4}, {1, 2, 8}}, {5, 3}, {}, 2}, 16 * 4 + 12 * 5 * 8, 0);
  expect_work({"RoiAlign", {{1, 4, 16, 16}, {3, 4}, {3}}, {3, 4, 2, 2}, {{"sampling_ratio", 2}}, 3}, 48 * 4 * 9, 0);
  expect_work({"GridSample", {{1, 4, 8, 8}, {1, 3, 3, 2}}, {1, 4, 3, 3}, {}, 2}, 8 * 36 + 12 * 9, 0);
  // Nearest takes what lies there, 4 for its place; cubic weighs 16 values.
  const Case sampled{"GridSample", {{1, 4, 8, 8}, {1, 3, 3, 2}}, {1, 4, 3, 3}, {{"mode", std::string("nearest")}}, 2};
  expect_work(sampled, 4 * 9, 0);
  for (const char* mode : {"cubic", "bicubic"}) {
    Case cubic = sampled;
    cubic.attributes = {{"mode", std::string(mode)}};
    expect_work(cubic, 32 * 36 + 32 * 9, 0);
  }
  expect_work({"ScatterElements", {{8}, {3}, {3}}, {8}, {{"reduction", std::string("add")}}, 3}, 3, 0);
  expect_work({"ScatterElements", {{8}, {3}, {3}}, {8}, {}, 3}, 0, 0);
  expect_work({"DFT", {{1, 16, 1}}, {1, 16, 2}, {{"axis", 1}}, 1}, 5 * 16 * 4 / 2, 0);
}

TEST(Cost, of_transforms_whose_length_is_given) {
  const auto cost_of_transform = [](const std::string& type, const Shape& signal, const Shape& output,
                                    const std::function<std::vector<std::string>(ModelBuilder&)>& others) {
    ModelBuilder b;
    std::vector<std::string> names{b.input("signal", ElementType::f32, signal)};
    for (const auto& name : others(b)) names.push_back(name);
    b.output(b.node(type, names, {}), ElementType::f32, output);
    const Graph graph = b.build().graph;
    return cost(graph, graph.ops.at(0)).flops;
  };
  // 16 values cut to 8, of two signals: 2 · 5 · 8 · 3, half of it as they are real.
  EXPECT_EQ(cost_of_transform("DFT", {2, 16, 1}, {2, 8, 2},
                              [](ModelBuilder& b) {
                                return std::vector{b.integers({8}, {}), b.integers({1}, {})};
                              }),
            2 * 5 * 8 * 3 / 2);
  // 7 frames of 8 values, each times the window's: 2 · 7 · (8 + 5 · 8 · 3 / 2); complex ones take twice as much.
  const auto framed = [](ModelBuilder& b) {
    return std::vector{b.integers({4}, {}), b.floats(std::vector<float>(8, 0.5f), {8}), b.integers({8}, {})};
  };
  EXPECT_EQ(cost_of_transform("STFT", {2, 32, 1}, {2, 7, 5, 2}, framed), 14 * (8 + 60));
  EXPECT_EQ(cost_of_transform("STFT", {2, 32}, {2, 7, 5, 2}, framed), 14 * (8 + 60));
  EXPECT_EQ(cost_of_transform("STFT", {2, 32, 2}, {2, 7, 8, 2}, framed), 14 * (16 + 120));
  // The window alone says how long a frame is; without any, nothing does.
  EXPECT_EQ(cost_of_transform("STFT", {2, 32, 1}, {2, 7, 5, 2},
                              [](ModelBuilder& b) {
                                return std::vector{b.integers({4}, {}), b.floats(std::vector<float>(8, 0.5f), {8})};
                              }),
            14 * (8 + 60));
  EXPECT_FALSE(cost_of_transform("STFT", {2, 32, 1}, {2, 7, 5, 2},
                                 [](ModelBuilder& b) { return std::vector{b.integers({4}, {})}; }));
}

TEST(Cost, samples_of_boxes_of_any_size_are_not_known) {
  EXPECT_FALSE(cost_of({"RoiAlign", {{1, 4, 16, 16}, {3, 4}, {3}}, {3, 4, 2, 2}, {}, 3}).flops);
}

}  // namespace
}  // namespace takt
