// Cuts of random graphs against definitions that are slow and plain, and of a large one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/cuts/cuts.h"
#include "model/graph/random_graphs.h"
#include "model/graph/run_order.h"
#include "model/graph/shapes.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

/// Whether some way leads from an input of the model to an output without `removed`.
bool is_connected_without(const Graph& graph, TensorId removed) {
  std::vector<bool> reached(graph.tensors.size(), false);
  for (const TensorId id : graph.inputs) reached[static_cast<std::size_t>(id)] = true;
  for (const Op& op : graph.ops) {  // in topological order
    const bool runs = std::any_of(op.inputs.begin(), op.inputs.end(),
                                  [&](TensorId id) { return reached[static_cast<std::size_t>(id)]; });
    for (const TensorId id : op.outputs) reached[static_cast<std::size_t>(id)] = runs && id != removed;
  }
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](TensorId id) { return reached[static_cast<std::size_t>(id)]; });
}

TEST(CutsOracle, single_tensors_are_those_that_every_way_from_inputs_to_outputs_leads_through) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Graph graph = random_graph(seed, 3 + static_cast<int>(seed % 20));
    std::set<TensorId> wanted, got;
    const RunOrder order = run_order(graph);
    for (const int op : order.ops)  // the last tensor of all parts the model from nothing
      for (const TensorId id : order.reads[static_cast<std::size_t>(op)])
        if (order.producers[static_cast<std::size_t>(id)] >= 0 && !is_connected_without(graph, id)) wanted.insert(id);
    for (const Cut& cut : find_cuts(graph, 1)) {
      if (cut.tensors.size() != 1 || !cut.late_inputs.empty()) continue;
      const bool is_passed = std::any_of(cut.early_outputs.begin(), cut.early_outputs.end(),
                                         [&](TensorId id) { return id != cut.tensors[0]; });
      if (!is_passed) got.insert(cut.tensors[0]);
    }
    EXPECT_EQ(got, wanted) << "seed " << seed;
    found += static_cast<int>(wanted.size());
  }
  EXPECT_GT(found, 100);
}

TEST(CutsOracle, every_place_of_the_order_is_found_with_all_that_crosses_it) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Graph graph = random_graph(seed, 25);
    const RunOrder order = run_order(graph);
    const auto cuts = find_cuts(graph, 1000);
    ASSERT_EQ(cuts.size() + 1, order.ops.size()) << "seed " << seed;
    for (const Cut& cut : cuts) {
      std::set<TensorId> before, crossing;
      for (std::size_t i = 0; i < cut.place; ++i)
        for (const TensorId id : graph.ops[static_cast<std::size_t>(order.ops[i])].outputs) before.insert(id);
      for (std::size_t i = cut.place; i < order.ops.size(); ++i)
        for (const TensorId id : graph.ops[static_cast<std::size_t>(order.ops[i])].inputs)
          if (before.contains(id)) crossing.insert(id);
      EXPECT_THAT(cut.tensors, testing::ElementsAreArray(crossing)) << "seed " << seed << ", place " << cut.place;
    }
  }
}

TEST(CutsOracle, thousands_of_operators_are_no_matter) {
  ModelBuilder b;
  std::string last = b.input("x", ElementType::f32, {4}), skipped = last;
  for (int i = 0; i < 20'000; ++i) {
    const std::string next =
        b.node(i % 3 == 2 ? "Add" : "Relu", i % 3 == 2 ? std::vector{last, skipped} : std::vector{last});
    if (i % 3 == 2) skipped = next;
    last = next;
  }
  b.output(last);
  const Graph graph = with_shapes(b.build().graph, {});
  EXPECT_EQ(find_cuts(graph).size(), 19'999u);
  EXPECT_EQ(choose_cuts(graph, find_cuts(graph, 1), {.pieces = 50}).size(), 49u);
}

}  // namespace
}  // namespace takt
