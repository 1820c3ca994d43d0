#include "plan/gnn/graph_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/basics/error.h"
#include "plan/gnn/part_models.h"
#include "plan/gnn/random_edges.h"

namespace takt {
namespace {

using testing::ElementsAre;

TEST(GraphParts, have_their_own_nodes_first_and_then_what_their_edges_read) {
  // 0→1, 2→1, 3→0, 0→3, 1→2
  const EdgeList graph{4, {0, 2, 3, 0, 1}, {1, 1, 0, 3, 2}};
  const auto parts = parts_of(graph, {0.6, 0.4});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].first, 0);
  EXPECT_EQ(parts[0].end, 2);
  EXPECT_THAT(parts[0].edges, ElementsAre(0, 1, 2));
  EXPECT_THAT(parts[0].rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(parts[0].local.sources, ElementsAre(0, 2, 3));
  EXPECT_THAT(parts[0].local.targets, ElementsAre(1, 1, 0));
  EXPECT_THAT(parts[1].rows, ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(parts[1].local.sources, ElementsAre(2, 3));
  EXPECT_THAT(parts[1].local.targets, ElementsAre(1, 0));
}

TEST(GraphParts, have_edges_by_their_shares_where_few_nodes_have_most_of_them) {
  const EdgeList graph = power_law_edges({5000, 60000}, 7);
  const auto parts = parts_of(graph, {0.3, 0.5, 0.2});
  std::int64_t nodes = 0, edges = 0;
  for (const GraphPart& part : parts) {
    EXPECT_EQ(part.first, nodes);
    nodes = part.end;
    edges += part.size().edges;
    EXPECT_EQ(part.local.nodes, static_cast<std::int64_t>(part.rows.size()));
    EXPECT_LT(*std::max_element(part.local.targets.begin(), part.local.targets.end()), part.own());
    for (std::size_t i = 0; i < part.edges.size(); ++i) {
      const auto edge = static_cast<std::size_t>(part.edges[i]);
      EXPECT_EQ(part.rows[static_cast<std::size_t>(part.local.sources[i])], graph.sources[edge]);
      EXPECT_EQ(part.rows[static_cast<std::size_t>(part.local.targets[i])], graph.targets[edge]);
    }
  }
  EXPECT_EQ(nodes, graph.nodes);
  EXPECT_EQ(edges, graph.edges());
  EXPECT_NEAR(static_cast<double>(parts[0].edges.size()), 0.3 * 60000, 0.05 * 60000);
  EXPECT_NEAR(static_cast<double>(parts[1].edges.size()), 0.5 * 60000, 0.05 * 60000);
}

TEST(GraphParts, of_borders_with_equal_edges_take_the_one_nearest_to_the_nodes_share) {
  // Two edges lead to node 0 and two to node 3: borders 1, 2 and 3 divide them alike.
  const EdgeList graph{4, {1, 2, 1, 2}, {0, 0, 3, 3}};
  const auto halves = parts_of(graph, {0.5, 0.5});
  EXPECT_EQ(halves[0].end, 2);
  EXPECT_EQ(halves[1].first, 2);
  EXPECT_EQ(halves[1].end, 4);
  const EdgeList even{4, {1, 2, 1, 2}, {0, 1, 2, 3}};
  const auto three = parts_of(even, {0.25, 0.5, 0.25});
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three[0].end, 1);
  EXPECT_EQ(three[1].end, 3);
  EXPECT_EQ(three[1].edges, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(three[2].edges, std::vector<std::int64_t>{3});
}

TEST(GraphParts, refusals_say_which_part_would_have_nothing) {
  const auto refused = [](const EdgeList& graph, const std::vector<double>& shares) {
    try {
      parts_of(graph, shares);
      return std::string("divided");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(
      refused({3, {0, 0}, {1, 1}}, {0.5, 0.5}),
      "a graph of 3 nodes and 2 edges cannot be split 0.5/0.5: part 1 would have no edge; give it a larger share, "
      "or do not split");
  EXPECT_EQ(
      refused({2, {0, 0, 1}, {1, 1, 1}}, {0.5, 0.5}),
      "a graph of 2 nodes and 3 edges cannot be split 0.5/0.5: part 1 would have no edge; give it a larger share, or "
      "do not split")
      << "all edges lead to one node";
  EXPECT_EQ(refused({2, {0, 1}, {1, 0}}, {0.3, 0.3, 0.4}),
            "a graph of 2 nodes and 2 edges cannot be split 0.3/0.3/0.4: part 2 would have no node; give it a larger "
            "share, or do not split");
  EXPECT_EQ(refused({2, {0, 1}, {1, 0}}, {1}), "divided");
}

std::vector<std::string> types_of(const OnnxModel& model) {
  std::vector<std::string> types;
  for (const Op& op : model.graph.ops) types.push_back(op.type);
  return types;
}

TEST(GraphParts, are_cut_and_laid_behind_each_other_where_their_rows_follow_each_other) {
  const StageRange reduce{Network::sage, 3, 3}, gather{Network::sage, 2, 2};
  const StageModelSettings settings{.features = 6, .hidden = 4};
  const EdgeList sorted{4, {0, 2, 3, 0, 1}, {1, 1, 0, 3, 2}}, mixed{4, {0, 0, 2, 1, 3}, {1, 3, 1, 2, 0}};
  const auto in_order = parts_of(sorted, {0.6, 0.4}), scattered = parts_of(mixed, {0.6, 0.4});
  EXPECT_THAT(types_of(*partition_model(reduce, settings, sorted, in_order)), ElementsAre("Slice", "Slice"));
  EXPECT_THAT(types_of(*partition_model(reduce, settings, mixed, scattered)), ElementsAre("Gather", "Gather"));
  EXPECT_THAT(types_of(merge_model(reduce, settings, mixed, scattered)), ElementsAre("Concat"));
  EXPECT_THAT(types_of(merge_model(gather, settings, sorted, in_order)), ElementsAre("Concat"));
  EXPECT_THAT(types_of(merge_model(gather, settings, mixed, scattered)), ElementsAre("Concat", "Gather"));
}

}  // namespace
}  // namespace takt
