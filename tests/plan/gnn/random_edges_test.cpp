#include "plan/gnn/random_edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/basics/error.h"
#include "refused.h"

namespace takt {
namespace {

/// How many edges arrive at each node, the most first.
std::vector<std::int64_t> degrees(const EdgeList& list) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(list.nodes), 0);
  for (const auto target : list.targets) ++counts.at(static_cast<std::size_t>(target));
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return counts;
}

TEST(RandomEdges, there_are_as_many_as_asked_for_between_nodes_that_are_there) {
  for (const EdgeList& list : {uniform_edges({50, 700}, 1), power_law_edges({50, 700}, 1)}) {
    EXPECT_EQ(list.nodes, 50);
    EXPECT_EQ(list.edges(), 700);
    for (const auto& ends : {list.sources, list.targets})
      EXPECT_THAT(ends, testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(50))));
  }
}

TEST(RandomEdges, a_seed_is_a_graph) {
  for (const auto draw : {+[](std::uint64_t seed) {
                            return uniform_edges({100, 300}, seed);
                          },
                          +[](std::uint64_t seed) {
                            return power_law_edges({100, 300}, seed);
                          }}) {
    EXPECT_EQ(draw(5).targets, draw(5).targets);
    EXPECT_NE(draw(5).targets, draw(6).targets);
  }
}

TEST(RandomEdges, of_a_uniform_graph_no_node_has_many) {
  // 20 are expected of each node; 20 + 6·√20 = 47 is beyond what chance gives to one of a thousand.
  EXPECT_LT(degrees(uniform_edges({1000, 20000}, 7)).front(), 47);
}

TEST(RandomEdges, of_a_power_law_graph_the_weights_say_how_many_the_first_nodes_have) {
  constexpr int nodes = 1000, edges = 200000, first = 10;
  double all = 0, of_first = 0;
  for (int rank = 1; rank <= nodes; ++rank) {
    const double weight = std::pow(rank, -1 / 1.2);
    all += weight;
    if (rank <= first) of_first += weight;
  }
  const auto counts = degrees(power_law_edges({nodes, edges}, 8, 2.2));
  const auto found = std::accumulate(counts.begin(), counts.begin() + first, std::int64_t{0});
  // A share of about 0.3: its deviation over 200,000 draws is 0.001.
  EXPECT_NEAR(static_cast<double>(found) / edges, of_first / all, 0.01);
  EXPECT_GT(of_first / all, 0.25);
}

TEST(RandomEdges, hubs_have_no_special_numbers) {
  // The order of ranks is random, so that the largest hub is not always node 0.
  const auto hub = [](std::uint64_t seed) {
    std::vector<int> counts(200);
    for (const auto target : power_law_edges({200, 5000}, seed).targets) ++counts[static_cast<std::size_t>(target)];
    return std::max_element(counts.begin(), counts.end()) - counts.begin();
  };
  EXPECT_NE(hub(1), hub(2));
}

TEST(RandomEdges, refusals_say_what_cannot_be) {
  const auto refused = [](const auto& draw) {
    try {
      draw();
      return std::string("drawn");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const std::string rule = " is not possible; give at least one node, and no negative number";
  EXPECT_EQ(refused([] { uniform_edges({0, 1}, 1); }), "a graph of 0 nodes and 1 edges" + rule);
  EXPECT_EQ(refused([] { uniform_edges({-1, 0}, 1); }), "a graph of -1 nodes and 0 edges" + rule);
  EXPECT_EQ(refused([] { power_law_edges({1, -1}, 1); }), "a graph of 1 nodes and -1 edges" + rule);
  EXPECT_EQ(refused([] {
              power_law_edges({5, 5}, 1, 1);
            }),
            "a power law with exponent 1 is not possible; give one above 1");
  EXPECT_EQ(refused([] { power_law_edges({5, 5}, 1, 1.01); }), "drawn");
}

TEST(RandomEdges, small_graphs_and_impossible_ones) {
  EXPECT_EQ(uniform_edges({0, 0}, 1).edges(), 0);
  EXPECT_EQ(power_law_edges({3, 0}, 1).nodes, 3);
  EXPECT_EQ(power_law_edges({1, 4}, 1).targets, std::vector<std::int64_t>(4, 0));
  EXPECT_EQ(refused_with([&] {
              power_law_edges({5, 5}, 1, std::nan(""));
            }),
            "a power law with exponent nan is not possible; give one above 1");
}

}  // namespace
}  // namespace takt
