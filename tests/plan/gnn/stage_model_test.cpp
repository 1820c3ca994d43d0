#include "plan/gnn/stage_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"

namespace takt {
namespace {

StageModelSettings small() { return {.features = 6, .hidden = 4}; }

std::vector<std::string> types_in(const Graph& graph) {
  std::vector<std::string> types;
  for (const Op& op : graph.ops) types.push_back(op.type);
  return types;
}

std::int64_t how_many(const Graph& graph, const std::string& type) {
  const auto types = types_in(graph);
  return std::count(types.begin(), types.end(), type);
}

const Tensor& tensor(const Graph& graph, const std::string& name) { return graph.tensor(*graph.find_tensor(name)); }

TEST(StageModels, of_every_range_have_its_ports) {
  for (const Network network : all_networks)
    for (const StageRange& range : ranges_of(network)) {
      const Graph graph = stage_model(range, small()).graph;
      const RangePorts ports = ports_of(range);
      ASSERT_EQ(graph.inputs.size(), ports.inputs.size()) << to_string(range);
      ASSERT_EQ(graph.outputs.size(), ports.outputs.size()) << to_string(range);
      for (std::size_t i = 0; i < ports.inputs.size(); ++i)
        EXPECT_EQ(graph.tensor(graph.inputs[i]).name, ports.inputs[i].name);
      for (std::size_t i = 0; i < ports.outputs.size(); ++i)
        EXPECT_EQ(graph.tensor(graph.outputs[i]).name, ports.outputs[i].name);
    }
}

TEST(StageModels, leave_nodes_and_edges_open_or_fix_them) {
  const StageRange reduce{Network::sage, 3, 3};
  const Graph open = stage_model(reduce, small()).graph;
  EXPECT_EQ(to_string(*tensor(open, "messages").shape), "{num_edges,6}");
  EXPECT_EQ(to_string(*tensor(open, "sum_agg").shape), "{num_nodes,6}");
  StageModelSettings settings = small();
  settings.size = {10, 30};
  const Graph fixed = stage_model(reduce, settings).graph;
  EXPECT_EQ(to_string(*tensor(fixed, "messages").shape), "{30,6}");
  EXPECT_EQ(to_string(*tensor(fixed, "sum_agg").shape), "{10,6}");
  // The number of nodes is in the model, so nobody is asked for it.
  EXPECT_EQ(fixed.inputs.size(), 2u);
  EXPECT_FALSE(fixed.find_tensor("num_nodes"));
}

TEST(StageModels, hold_features_in_halves_and_counts_never) {
  StageModelSettings settings = small();
  settings.precision = ElementType::f16;
  const Graph graph = stage_model({Network::sage, 5, 7}, settings).graph;
  EXPECT_EQ(tensor(graph, "sum_agg").type, ElementType::f16);
  EXPECT_EQ(tensor(graph, "activated").type, ElementType::f16);
  EXPECT_EQ(tensor(graph, "w_l").type, ElementType::f16);
  EXPECT_EQ(tensor(graph, "count").type, ElementType::f32);
}

TEST(StageModels, equal_calls_give_equal_bytes_and_another_seed_other_weights) {
  const StageRange whole{Network::gat, 1, 7};
  const auto bytes = [&](std::uint64_t seed) {
    StageModelSettings settings = small();
    settings.seed = seed;
    return serialize_onnx(*stage_model(whole, settings).proto);
  };
  EXPECT_EQ(bytes(1), bytes(1));
  EXPECT_NE(bytes(1), bytes(2));
}

TEST(StageModels, weights_are_neither_large_nor_all_alike) {
  const auto values = stage_weight("w", 300, 20, 42);
  ASSERT_EQ(values.size(), 6000u);
  double squares = 0;
  for (const float value : values) {
    EXPECT_LE(std::abs(value), 0.1f);  // sqrt(3 / 300)
    squares += static_cast<double>(value) * value;
  }
  // Uniform in ±a has the variance a² / 3.
  EXPECT_NEAR(squares / 6000 * 300, 1.0, 0.05);
  EXPECT_NE(stage_weight("w_l", 3, 2, 42), stage_weight("w_r", 3, 2, 42));
}

TEST(StageModels, attention_is_scored_per_node_where_it_is_gathered_in_the_same_model) {
  EXPECT_FALSE(stage_model({Network::gat, 1, 7}, small()).graph.find_tensor("wx_i"));
  EXPECT_FALSE(stage_model({Network::gat, 2, 3}, small()).graph.find_tensor("wx_i"));
  EXPECT_TRUE(stage_model({Network::gat, 2, 2}, small()).graph.find_tensor("wx_i"));
  EXPECT_TRUE(stage_model({Network::gat, 3, 7}, small()).graph.find_tensor("wx_i"));
}

TEST(StageModels, bags_hold_no_number_per_edge_and_feature) {
  StageModelSettings settings = small();
  settings.aggregation = Aggregation::bag;
  for (const StageRange& range :
       {StageRange{Network::sage, 1, 7}, StageRange{Network::gcn, 1, 6}, StageRange{Network::gat, 1, 7}}) {
    ASSERT_TRUE(can_bag(range));
    const Graph graph = stage_model(range, settings).graph;
    EXPECT_EQ(how_many(graph, "ATen"), 1) << to_string(range);
    for (const char* name : {"x_j", "wx_i", "wx_j", "messages"}) EXPECT_FALSE(graph.find_tensor(name)) << name;
  }
}

TEST(StageModels, a_range_that_lacks_the_gathering_or_the_sum_is_the_same_with_bags) {
  StageModelSettings settings = small();
  settings.aggregation = Aggregation::bag;
  for (const StageRange& range :
       {StageRange{Network::sage, 2, 7}, StageRange{Network::gcn, 1, 3}, StageRange{Network::gat, 3, 7}}) {
    EXPECT_FALSE(can_bag(range));
    EXPECT_EQ(serialize_onnx(*stage_model(range, settings).proto), serialize_onnx(*stage_model(range, small()).proto));
  }
}

TEST(StageModels, only_the_largest_score_of_a_node_needs_a_newer_opset) {
  EXPECT_EQ(stage_model({Network::sage, 1, 7}, small()).graph.opsets.at(""), 17);
  EXPECT_EQ(stage_model({Network::gat, 1, 3}, small()).graph.opsets.at(""), 17);
  EXPECT_EQ(stage_model({Network::gat, 4, 4}, small()).graph.opsets.at(""), 18);
}

TEST(StageModels, tables_are_what_edges_read_rows_of) {
  const auto tables = [](Network network) {
    std::string words;
    for (const StageRange& range : ranges_of(network))
      if (!table_of(range).empty())
        words += std::to_string(range.first) + std::to_string(range.last) + std::string(table_of(range)) +
                 (can_bag(range) ? "+ " : " ");
    return words;
  };
  EXPECT_EQ(tables(Network::sage), "11x 12x 13x+ 14x+ 15x+ 16x+ 17x+ ");
  EXPECT_EQ(tables(Network::gcn), "12x 13x 14x+ 15x+ 16x+ 22x 23x 24x+ 25x+ 26x+ ");
  EXPECT_EQ(tables(Network::gat), "12x 13x 14x 15x 16x+ 17x+ 22wx 23wx 24wx 25wx 26wx+ 27wx+ ");
}

TEST(StageModels, refusals_say_why) {
  const auto refused = [](const StageRange& range, auto change) {
    StageModelSettings settings = small();
    change(settings);
    try {
      stage_model(range, settings);
      return std::string("built");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const std::string begin = "a model of stages cannot be built: ";
  const StageRange first{Network::sage, 1, 1};
  EXPECT_EQ(refused(first, [](auto& s) { s.features = 0; }), begin + "it needs at least one feature, and has 0 and 4");
  EXPECT_EQ(refused(first, [](auto& s) { s.hidden = 0; }), begin + "it needs at least one feature, and has 6 and 0");
  EXPECT_EQ(refused(first, [](auto& s) { s.features = s.hidden = 1; }), "built");
  EXPECT_EQ(refused(first, [](auto& s) { s.precision = ElementType::bf16; }),
            begin + "its precision must be float32 or float16");
  EXPECT_EQ(refused(first,
                    [](auto& s) {
                      s.size = GraphSize{0, 1};
                    }),
            begin + "a graph of 0 nodes and 1 edges is not possible");
  const std::string part =
      begin + "a part of a graph needs a size, and a table with at least as many rows as it has nodes";
  EXPECT_EQ(refused(first, [](auto& s) { s.table_rows = 3; }), part);
  EXPECT_EQ(refused(first, [](auto& s) { s.size = GraphSize{4, 4}, s.table_rows = 3; }), part);
  EXPECT_EQ(refused(first, [](auto& s) { s.size = GraphSize{4, 4}, s.table_rows = 4; }), "built");
  const auto of_part = [](auto& s) { s.size = GraphSize{4, 4}, s.table_rows = 5; };
  EXPECT_EQ(refused({Network::gcn, 1, 2}, of_part),
            begin + "stage 1 of GCN counts the edges of both ends, but a part has only the edges to its own nodes");
  EXPECT_EQ(refused({Network::gcn, 2, 2}, of_part), "built");
  EXPECT_EQ(refused({Network::gat, 1, 7}, of_part), "built");
}

TEST(StageModels, of_parts_have_as_many_rows_of_the_table_as_are_read) {
  StageModelSettings settings = small();
  settings.size = {10, 30}, settings.table_rows = 17;
  const Graph graph = stage_model({Network::sage, 1, 7}, settings).graph;
  EXPECT_EQ(to_string(*tensor(graph, "x").shape), "{17,6}");
  EXPECT_EQ(to_string(*tensor(graph, "edge_index").shape), "{2,30}");
  EXPECT_EQ(to_string(*tensor(graph, "activated").shape), "{10,4}");
  const Graph later = stage_model({Network::sage, 5, 7}, settings).graph;
  EXPECT_EQ(to_string(*tensor(later, "x").shape), "{10,6}") << "here edges read nothing";
}

TEST(StageModels, weights_are_the_same_for_ever) {
  // Drawn by the name and the seed; each is known by these to whoever compares results.
  const auto first = [](const char* name, std::uint64_t seed) { return stage_weight(name, 3, 2, seed).front(); };
  EXPECT_EQ(first("w", 42), stage_weight("w", 3, 1, 42).front()) << "in the order of rows";
  EXPECT_NE(first("w", 42), first("w", 43));
  float least = 1, most = -1;
  for (const float value : stage_weight("w", 12, 500, 42)) least = std::min(least, value), most = std::max(most, value);
  EXPECT_GE(least, -0.5f);
  EXPECT_LT(least, -0.499f);
  EXPECT_LE(most, 0.5f);
  EXPECT_GT(most, 0.499f);
}

TEST(StageModels, impossible_ones_are_refused) {
  const auto refused = [](auto change) {
    StageModelSettings settings = small();
    change(settings);
    try {
      stage_model({Network::sage, 1, 1}, settings);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::bad_input;
    }
    return false;
  };
  EXPECT_TRUE(refused([](auto& s) { s.features = 0; }));
  EXPECT_TRUE(refused([](auto& s) { s.hidden = -1; }));
  EXPECT_TRUE(refused([](auto& s) { s.precision = ElementType::i8; }));
  EXPECT_TRUE(refused([](auto& s) { s.size = GraphSize{0, 1}; }));
  EXPECT_TRUE(refused([](auto& s) { s.size = GraphSize{1, -1}; }));
  EXPECT_FALSE(refused([](auto& s) { s.size = GraphSize{1, 0}; }));
  EXPECT_TRUE(refused([](auto& s) { s.size = GraphSize{4, 4}, s.table_rows = 3; }));
  EXPECT_TRUE(refused([](auto& s) { s.size.reset(), s.table_rows = 3; }));
}

}  // namespace
}  // namespace takt
