#include "model/graph/footprint.h"

#include <gtest/gtest.h>

#include "model/graph/element_words.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

/// x 400 B → a 400 B → b 40 B → y 400 B, and y reads a again where `keeps`.
Graph chain(bool keeps) {
  ModelBuilder b;
  b.input("x", f32, {100});
  b.node("Relu", {"x"}, {}, {.outputs = {"a"}});
  b.node("Squeeze", {"a"}, {}, {.outputs = {"b"}});
  b.node("Sum", keeps ? std::vector<std::string>{"b", "a"} : std::vector<std::string>{"b"}, {}, {.outputs = {"y"}});
  b.value_info("a", f32, {100});
  b.value_info("b", f32, {10});
  b.output("y", f32, {100});
  return b.build().graph;
}

TEST(Footprint, a_tensor_lives_until_its_last_reader) {
  EXPECT_EQ(activation_peak_bytes(chain(false)), 400 + 400 + 40) << "x, a and b; b and y need less";
  EXPECT_EQ(activation_peak_bytes(chain(true)), 400 + 400 + 40 + 400);
}

TEST(Footprint, all_inputs_and_outputs_live_to_the_end) {
  ModelBuilder b;
  b.input("x", f32, {100});
  b.input("m", f32, {10});
  b.node("Relu", {"x"}, {}, {.outputs = {"a"}});
  b.node("Relu", {"m"}, {}, {.outputs = {"c"}});
  b.node("Relu", {"c"}, {}, {.outputs = {"d"}});
  b.value_info("c", f32, {1000});
  b.output("a", f32, {100});
  b.output("d", f32, {10});
  EXPECT_EQ(activation_peak_bytes(b.build().graph), 400 + 40 + 400 + 4000 + 40);
}

TEST(Footprint, a_tensor_that_nobody_reads_lives_while_it_is_made) {
  ModelBuilder b;
  b.input("x", f32, {1});
  b.node("Split", {"x"}, {}, {.outputs = {"used", "unused"}});
  b.node("Relu", {"used"}, {}, {.outputs = {"y"}});
  b.value_info("used", f32, {1});
  b.value_info("unused", f32, {1000});
  b.output("y", f32, {1});
  EXPECT_EQ(activation_peak_bytes(b.build().graph), 4 + 4 + 4000);
}

TEST(Footprint, weights_are_no_activations_and_count_once) {
  ModelBuilder b;
  b.input("x", f32, {1, 8});
  const auto w = b.weight({8, 8});
  const auto h = b.node("MatMul", {"x", w}, {}, {.outputs = {"h"}});
  b.output(b.node("MatMul", {h, w}, {}, {.outputs = {"y"}}), f32, {1, 8});
  b.value_info("h", f32, {1, 8});
  const Graph graph = b.build().graph;
  EXPECT_EQ(weight_bytes(graph), 8 * 8 * 4);
  EXPECT_EQ(activation_peak_bytes(graph), 3 * 32);
}

TEST(Footprint, what_is_made_of_constants_when_the_model_is_loaded_is_neither_in_the_file_nor_an_activation) {
  ModelBuilder b;
  b.input("x", f32, {1});
  const auto filled = b.node("ConstantOfShape", {b.integers({1000})});
  b.output(b.node("Add", {"x", b.node("ReduceSum", {filled}, {}, {.outputs = {"sum"}})}, {}, {.outputs = {"y"}}), f32,
           {1});
  b.value_info("sum", f32, {1});
  EXPECT_EQ(weight_bytes(b.build().graph), 8) << "the shape alone";
}

TEST(Footprint, an_unknown_size_makes_no_sum) {
  ModelBuilder b;
  b.symbolic_input("x", f32, "batch,4");
  b.output(b.node("Relu", {"x"}, {}, {.outputs = {"y"}}), f32, {1, 4});
  EXPECT_FALSE(activation_peak_bytes(b.build().graph));
  EXPECT_EQ(weight_bytes(b.build().graph), 0);
}

TEST(Footprint, sizes_beyond_what_a_number_holds_make_no_sum) {
  Graph graph = chain(false);
  for (Tensor& tensor : graph.tensors) tensor.bytes = std::int64_t{1} << 62;
  EXPECT_FALSE(activation_peak_bytes(graph));
}

/// The branches read `big` from outside; one makes 80 B, the other 4,000 B on the way.
TEST(Footprint, the_larger_body_lives_beside_what_it_reads_from_outside) {
  ModelBuilder b, small("small", 2), large("large", 3);
  b.input("x", f32, {10});
  b.input("condition", ElementType::boolean, {});
  b.node("Relu", {"x"}, {}, {.outputs = {"big"}});
  b.value_info("big", f32, {10});
  small.output(small.node("Relu", {"big"}, {}, {.outputs = {"s"}}), f32, {10});
  large.node("Tile", {"big"}, {}, {.outputs = {"wide"}});
  large.value_info("wide", f32, {1000});
  large.output(large.node("Squeeze", {"wide"}, {}, {.outputs = {"l"}}), f32, {10});
  b.output(b.node("If", {"condition"}, {},
                  {.outputs = {"y"}, .subgraphs = {{"then_branch", &small}, {"else_branch", &large}}}),
           f32, {10});
  const Graph graph = b.build().graph;
  EXPECT_EQ(activation_peak_bytes(graph), 40 + 1 + 40 + 40 + 4000 + 40) << "x, condition, big, y, wide, l";
}

}  // namespace
}  // namespace takt
