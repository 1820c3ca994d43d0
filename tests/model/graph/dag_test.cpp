// The dependency graph, and shapes put in from outside.
#include "model/graph/dag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph/shapes.h"
#include "model/graph/topology.h"
#include "model/onnx/builder.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// x → a → (b, c) → d, where d also reads a.
Graph diamond() {
  ModelBuilder b("d\"i");
  b.input("x", ElementType::f32, {4});
  b.node("Relu", {"x"}, {}, {.name = "a\"\\\n", .outputs = {"ta"}});
  b.node("Exp", {"ta"}, {}, {.name = "b", .outputs = {"tb"}});
  b.node("Log", {"ta"}, {}, {.name = "c", .outputs = {"tc"}});
  b.node("Sum", {"tb", "tc", "ta", "tb"}, {}, {.name = "d", .outputs = {"\xff"}});
  b.output("\xff");
  return b.build().graph;
}

TEST(Dag, of_a_diamond_has_each_edge_once) {
  const Dag dag = build_dag(diamond());
  EXPECT_THAT(dag.producers[3], ElementsAre(0, 1, 2));
  EXPECT_THAT(dag.consumers[0], ElementsAre(1, 2, 3));
}

TEST(Dag, branches_depend_on_what_they_capture) {
  ModelBuilder branch("branch"), b;
  branch.output(branch.node("Neg", {"t"}));
  b.input("x", ElementType::f32, {3});
  b.input("flag", ElementType::boolean, {});
  b.node("Relu", {"x"}, {}, {.outputs = {"t"}});
  b.output(b.node("If", {"flag"}, {}, {.subgraphs = {{"then_branch", &branch}, {"else_branch", &branch}}}));
  const Dag dag = build_dag(b.build().graph);
  EXPECT_THAT(dag.producers[1], ElementsAre(0));
}

TEST(Topology, is_stable_and_a_cycle_has_none) {
  EXPECT_EQ(topological_order(3, {}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(topological_order(4, {{3, 0}, {3, 0}}), (std::vector<int>{1, 2, 3, 0}));
  EXPECT_EQ(topological_order(2, {{0, 1}, {1, 0}}), std::nullopt);
  EXPECT_EQ(topological_order(1, {{0, 0}}), std::nullopt);
}

TEST(WithShapes, fills_by_name_and_counts_bytes) {
  ModelBuilder branch("branch"), b;
  branch.output(branch.node("Neg", {"t"}, {}, {.outputs = {"inner"}}));
  b.symbolic_input("x", ElementType::f32, "n");
  b.input("flag", ElementType::boolean, {});
  b.node("Relu", {"x"}, {}, {.outputs = {"t"}});
  b.value_info("w", ElementType::f32, {9});
  b.weight({2}, "w");
  b.output(b.node("If", {"flag"}, {}, {.subgraphs = {{"then_branch", &branch}, {"else_branch", &branch}}}));
  const Graph before = b.build().graph;
  const PartialShape five = {{5, ""}};
  const Graph after = with_shapes(before, {{"x", five}, {"t", five}, {"w", five}, {"inner", five}, {"nowhere", five}});
  const auto at = [](const Graph& graph, const char* name) {
    return graph.tensors[static_cast<std::size_t>(graph.find_tensor(name).value())];
  };
  EXPECT_EQ(at(after, "x").bytes, 20);
  EXPECT_FALSE(at(before, "x").bytes);
  EXPECT_EQ(at(after, "w").bytes, 8);  // a constant has the shape of its data
  const Graph& inner = *after.ops[1].subgraphs.at("then_branch");
  EXPECT_EQ(to_string(*at(inner, "t").shape), "{5}");
  EXPECT_FALSE(at(inner, "inner").shape);  // the branch's own name
}

}  // namespace
}  // namespace takt
