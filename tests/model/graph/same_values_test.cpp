#include "model/graph/same_values.h"

#include <gtest/gtest.h>

#include "model/graph/placed_ops.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

class SameValues : public testing::Test {
 protected:
  bool are_same(const Graph& graph, const std::string& a, const std::string& b) {
    const auto same = same_values(graph);
    return same.at(static_cast<std::size_t>(*graph.find_tensor(a))) ==
           same.at(static_cast<std::size_t>(*graph.find_tensor(b)));
  }
};

TEST_F(SameValues, what_is_computed_twice_is_the_same_through_several_operators) {
  ModelBuilder b;
  const auto x = b.symbolic_input("x", ElementType::f32, "batch,4");
  for (const std::string branch : {"l", "r"}) {
    const auto shape = b.node("Shape", {x}, {}, {branch + "_shape", "", {branch + "_s"}, {}});
    b.node("Gather", {shape, b.integers({0}, {1}, branch + "_zero")}, {},
           {branch + "_gather", "", {branch + "_g"}, {}});
    b.node("Gather", {shape, b.integers({1}, {1}, branch + "_one")}, {}, {branch + "_other", "", {branch + "_o"}, {}});
  }
  b.output(b.node("Concat", {"l_g", "r_g", "l_o", "r_o"}, {{"axis", 0}}, {"concat", "", {"y"}, {}}));
  const Graph graph = b.build().graph;
  EXPECT_TRUE(are_same(graph, "l_s", "r_s"));
  EXPECT_TRUE(are_same(graph, "l_g", "r_g"));
  EXPECT_TRUE(are_same(graph, "l_o", "r_o"));
  EXPECT_FALSE(are_same(graph, "l_g", "l_o")) << "another index";
  EXPECT_FALSE(are_same(graph, "l_s", "l_g"));
}

TEST_F(SameValues, other_attributes_other_weights_and_random_numbers_are_not_the_same) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {2, 4});
  b.node("Softmax", {x}, {{"axis", 0}}, {"s0", "", {"s0"}, {}});
  b.node("Softmax", {x}, {{"axis", 1}}, {"s1", "", {"s1"}, {}});
  b.node("MatMul", {x, b.weight({4, 4}, "w0")}, {}, {"m0", "", {"m0"}, {}});
  b.node("MatMul", {x, b.weight({4, 4}, "w1")}, {}, {"m1", "", {"m1"}, {}});
  b.node("RandomNormalLike", {x}, {}, {"r0", "", {"r0"}, {}});
  b.node("RandomNormalLike", {x}, {}, {"r1", "", {"r1"}, {}});
  b.output(b.node("Sum", {"s0", "s1", "m0", "m1", "r0", "r1"}, {}, {"sum", "", {"y"}, {}}));
  const Graph graph = b.build().graph;
  EXPECT_FALSE(are_same(graph, "s0", "s1"));
  EXPECT_FALSE(are_same(graph, "m0", "m1"));
  EXPECT_FALSE(are_same(graph, "r0", "r1"));
}

TEST(PlacedOps, operators_of_bodies_have_paths_and_of_two_bodies_their_own) {
  ModelBuilder then_body("then"), else_body("else"), b;
  then_body.node("Relu", {"x"}, {}, {"act", "", {"t"}, {}});
  then_body.output("t", ElementType::f32, {2});
  else_body.node("Tanh", {"x"}, {}, {"act", "", {"e0"}, {}});
  else_body.node("Neg", {"e0"}, {}, {"neg", "", {"e"}, {}});
  else_body.output("e", ElementType::f32, {2});
  b.input("x", ElementType::f32, {2});
  b.input("c", ElementType::boolean, {});
  b.node("If", {"c"}, {}, {"choice", "", {"y"}, {{"then_branch", &then_body}, {"else_branch", &else_body}}});
  b.output("y", ElementType::f32, {2});
  const Graph graph = b.build().graph;
  std::vector<std::string> paths;
  for (const PlacedOp& placed : placed_ops(graph)) {
    paths.push_back(placed.path);
    EXPECT_EQ(placed.graph == &graph, placed.path == "choice");
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"choice", "choice.else_branch > act", "choice > neg",
                                             "choice.then_branch > act"}));
}

}  // namespace
}  // namespace takt
