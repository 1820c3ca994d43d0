#include "plan/gnn/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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
