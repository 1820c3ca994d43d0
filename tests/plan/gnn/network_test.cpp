#include "plan/gnn/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace takt {
namespace {

using testing::ElementsAre;

std::vector<std::string_view> names(const std::vector<StageTensor>& tensors) {
  std::vector<std::string_view> list;
  for (const auto& tensor : tensors) list.push_back(tensor.name);
  return list;
}

TEST(Networks, have_seven_six_and_seven_stages) {
  EXPECT_EQ(stages_of(Network::sage).size(), 7u);
  EXPECT_EQ(stages_of(Network::gcn).size(), 6u);
  EXPECT_EQ(stages_of(Network::gat).size(), 7u);
  EXPECT_EQ(ranges_of(Network::sage).size(), 28u);
  EXPECT_EQ(ranges_of(Network::gcn).size(), 21u);
}

TEST(Networks, have_names_and_titles) {
  EXPECT_EQ(network_names(), (std::vector<std::string>{"sage", "gcn", "gat"}));
  EXPECT_EQ(network_title(Network::sage), "GraphSAGE");
  EXPECT_EQ(network_title(Network::gcn), "GCN");
  EXPECT_EQ(network_title(Network::gat), "GAT");
  for (const Network network : all_networks) EXPECT_EQ(network_named(network_name(network)), network);
  EXPECT_EQ(network_named("gin"), std::nullopt);
}

/// "GATHER: x N,F, edge_index 2,E -> x_j E,F", a line for each stage.
std::string stages_in_words(Network network) {
  const auto list = [](const std::vector<StageTensor>& tensors) {
    std::string words;
    for (const StageTensor& one : tensors)
      words += (words.empty() ? "" : "; ") + std::string(one.name) + " " + std::string(one.dims) +
               (one.holds == Holds::indices  ? " indices"
                : one.holds == Holds::counts ? " counts"
                                             : "");
    return words;
  };
  std::string words;
  for (const Stage& stage : stages_of(network))
    words += std::string(stage.name) + ": " + list(stage.inputs) + " -> " + list(stage.outputs) + "\n";
  return words;
}

TEST(Networks, stages_take_and_make_these_tensors) {
  EXPECT_EQ(stages_in_words(Network::sage),
            "GATHER: x N,F; edge_index 2,E indices -> x_j E,F\n"
            "MESSAGE: x_j E,F -> messages E,F\n"
            "REDUCE_SUM: messages E,F; edge_index 2,E indices; num_nodes 1 indices -> sum_agg N,F\n"
            "REDUCE_COUNT: edge_index 2,E indices; num_nodes 1 indices -> count N counts\n"
            "NORMALIZE: sum_agg N,F; count N counts -> mean_agg N,F\n"
            "TRANSFORM: mean_agg N,F; x N,F -> out N,H\n"
            "ACTIVATE: out N,H -> activated N,H\n");
  EXPECT_EQ(stages_in_words(Network::gcn),
            "COMPUTE_NORM: edge_index 2,E indices; num_nodes 1 indices -> norm E\n"
            "GATHER: x N,F; edge_index 2,E indices -> x_j E,F\n"
            "MESSAGE: x_j E,F; norm E -> messages E,F\n"
            "REDUCE_SUM: messages E,F; edge_index 2,E indices; num_nodes 1 indices -> agg N,F\n"
            "TRANSFORM: agg N,F -> out N,H\n"
            "ACTIVATE: out N,H -> activated N,H\n");
  EXPECT_EQ(stages_in_words(Network::gat),
            "LINEAR: x N,F -> wx N,H\n"
            "GATHER_BOTH: wx N,H; edge_index 2,E indices -> wx_i E,H; wx_j E,H\n"
            "ATTENTION_SCORE: wx_i E,H; wx_j E,H -> scores E\n"
            "ATTENTION_SOFTMAX: scores E; edge_index 2,E indices; num_nodes 1 indices -> alpha E\n"
            "MESSAGE_WEIGHTED: alpha E; wx_j E,H -> messages E,H\n"
            "REDUCE_SUM: messages E,H; edge_index 2,E indices; num_nodes 1 indices -> agg N,H\n"
            "ACTIVATE: agg N,H -> activated N,H\n");
}

TEST(Networks, dimensions_stand_for_the_graph_and_its_features) {
  const GraphSize size{10, 20};
  EXPECT_EQ(shape_of({"a", "N,F"}, size, 7), (std::vector<std::int64_t>{10, 7}));
  EXPECT_EQ(shape_of({"a", "E,H"}, size, 7), (std::vector<std::int64_t>{20, 7}));
  EXPECT_EQ(shape_of({"a", "2,E"}, size, 7), (std::vector<std::int64_t>{2, 20}));
  EXPECT_EQ(shape_of({"a", "1"}, size, 7), (std::vector<std::int64_t>{1}));
  EXPECT_TRUE((StageTensor{"a", "N,F"}).is_per_node());
  EXPECT_FALSE((StageTensor{"a", "E"}).is_per_node());
  EXPECT_TRUE((StageRange{Network::gat, 2, 4}).has(2) && (StageRange{Network::gat, 2, 4}).has(4));
  EXPECT_FALSE((StageRange{Network::gat, 2, 4}).has(1) || (StageRange{Network::gat, 2, 4}).has(5));
}

TEST(Networks, sums_over_edges_are_known_by_number) {
  const auto scattering = [](Network network) {
    std::vector<int> numbers;
    const auto& stages = stages_of(network);
    for (std::size_t i = 0; i < stages.size(); ++i)
      if (stages[i].scatters) numbers.push_back(static_cast<int>(i) + 1);
    return numbers;
  };
  EXPECT_THAT(scattering(Network::sage), ElementsAre(3, 4));
  EXPECT_THAT(scattering(Network::gcn), ElementsAre(1, 4));
  EXPECT_THAT(scattering(Network::gat), ElementsAre(4, 6));
}

TEST(Networks, a_range_takes_what_it_does_not_make_and_gives_what_is_needed_behind_it) {
  const auto aggregation = ports_of({Network::sage, 1, 4});
  EXPECT_THAT(names(aggregation.inputs), ElementsAre("x", "edge_index"));
  EXPECT_THAT(names(aggregation.outputs), ElementsAre("sum_agg", "count"));
  const auto update = ports_of({Network::sage, 5, 7});
  EXPECT_THAT(names(update.inputs), ElementsAre("sum_agg", "count", "x"));
  EXPECT_THAT(names(update.outputs), ElementsAre("activated"));
  // Messages along edges go on although the attention is made of them already.
  const auto attention = ports_of({Network::gat, 2, 4});
  EXPECT_THAT(names(attention.inputs), ElementsAre("wx", "edge_index"));
  EXPECT_THAT(names(attention.outputs), ElementsAre("wx_j", "alpha"));
}

TEST(Networks, only_who_cannot_see_the_nodes_asks_how_many_there_are) {
  EXPECT_THAT(names(ports_of({Network::sage, 3, 3}).inputs), ElementsAre("messages", "edge_index", "num_nodes"));
  EXPECT_THAT(names(ports_of({Network::sage, 2, 5}).inputs), ElementsAre("x_j", "edge_index", "num_nodes"));
  EXPECT_THAT(names(ports_of({Network::sage, 2, 6}).inputs), ElementsAre("x_j", "edge_index", "x"));
  EXPECT_THAT(names(ports_of({Network::gcn, 1, 1}).inputs), ElementsAre("edge_index", "num_nodes"));
}

TEST(Networks, wherever_a_layer_is_cut_the_parts_fit) {
  for (const Network network : all_networks) {
    const int count = static_cast<int>(stages_of(network).size());
    for (int cut = 1; cut < count; ++cut) {
      std::set<std::string_view> there{"x", "edge_index", "num_nodes"};
      for (const auto& tensor : ports_of({network, 1, cut}).outputs) there.insert(tensor.name);
      for (const auto& tensor : ports_of({network, cut + 1, count}).inputs)
        EXPECT_TRUE(there.contains(tensor.name)) << to_string({network, cut + 1, count}) << " " << tensor.name;
    }
  }
}

TEST(Networks, ranges_have_names_for_files) {
  EXPECT_EQ(to_string({Network::sage, 3, 3}), "sage_stage3");
  EXPECT_EQ(to_string({Network::gat, 2, 5}), "gat_stages2-5");
}

}  // namespace
}  // namespace takt
