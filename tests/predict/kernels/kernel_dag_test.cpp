#include "predict/kernels/dag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "predict/kernels/records.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// a feeds b and c, both feed d; c is heavier than b.
KernelGraph diamond() {
  KernelGraph graph;
  for (const auto& [name, inputs] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"a", {"x"}}, {"b", {"ta"}}, {"c", {"ta"}}, {"d", {"tb", "tc"}}})
    graph.kernels.push_back({name, "", inputs, {"t" + name}, {}, {}, {}});
  connect(graph);
  return graph;
}

TEST(KernelPath, goes_through_the_heavier_branch) {
  const KernelPath path = heaviest_path(diamond(), {1.0, 2.0, 5.0, 1.0}, DagWeight::flops);
  EXPECT_THAT(path.kernels, ElementsAre(0, 2, 3));
  EXPECT_EQ(path.length, 7);
  EXPECT_EQ(path.total, 9);
  EXPECT_EQ(path.unknown, 0u);
}

TEST(KernelPath, of_equal_ways_the_first_is_taken) {
  EXPECT_THAT(heaviest_path(diamond(), {1.0, 2.0, 2.0, 1.0}, DagWeight::flops).kernels, ElementsAre(0, 1, 3));
  EXPECT_THAT(heaviest_path(diamond(), {1.0, 2.0, 2.0, 0.0}, DagWeight::flops).kernels, ElementsAre(0, 1))
      << "nothing is gained by the last one";
  KernelGraph apart;
  for (const char* name : {"a", "b", "c"}) apart.kernels.push_back({name, "", {"x"}, {name}, {}, {}, {}});
  connect(apart);
  const KernelPath path = heaviest_path(apart, {3.0, 5.0, 5.0}, DagWeight::time);
  EXPECT_THAT(path.kernels, ElementsAre(1));
  EXPECT_EQ(path.length, 5);
  EXPECT_EQ(path.total, 13);
  EXPECT_EQ(widest_level(apart), 3u);
  const KernelPath nothing = heaviest_path(apart, {std::nullopt, 0.0, std::nullopt}, DagWeight::bytes);
  EXPECT_EQ(nothing.unknown, 2u);
  EXPECT_THAT(nothing.kernels, ElementsAre(0));
}

TEST(KernelPath, what_is_not_known_counts_nothing_and_is_told) {
  const KernelPath path = heaviest_path(diamond(), {1.0, 2.0, std::nullopt, 1.0}, DagWeight::flops);
  EXPECT_THAT(path.kernels, ElementsAre(0, 1, 3));
  EXPECT_EQ(path.unknown, 1u);
}

TEST(KernelPath, of_nothing_is_empty) {
  const KernelPath path = heaviest_path({}, {}, DagWeight::kernels);
  EXPECT_TRUE(path.kernels.empty());
  EXPECT_EQ(widest_level({}), 0u);
}

TEST(KernelPath, ends_where_a_file_says_that_kernels_wait_for_each_other) {
  KernelGraph graph;
  graph.kernels.push_back({"a", "", {"tb"}, {"ta"}, {}, {}, {}});
  graph.kernels.push_back({"b", "", {"ta"}, {"tb"}, {}, {}, {}});
  connect(graph);
  EXPECT_THAT(heaviest_path(graph, {1.0, 1.0}, DagWeight::kernels).kernels, ElementsAre(0, 1));
}

TEST(KernelDag, its_widest_level_is_what_could_run_at_once) { EXPECT_EQ(widest_level(diamond()), 2u); }

TEST(KernelDag, weights_are_times_ones_flops_or_bytes) {
  const KernelFile file = small_file();
  const KernelGraph& graph = file.models[0];
  EXPECT_THAT(kernel_weights(file, graph, DagWeight::time, {2.5, std::nullopt, 4.0}),
              ElementsAre(2.5, std::nullopt, 4.0));
  EXPECT_THAT(kernel_weights(file, graph, DagWeight::kernels), ElementsAre(1, 1, 1));
  const auto bytes = kernel_weights(file, graph, DagWeight::bytes);
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const auto& told = file.records.at(graph.kernels[k].record).cost.bytes;
    EXPECT_EQ(bytes[k], told ? std::optional(static_cast<double>(*told)) : std::nullopt);
  }
}

TEST(KernelDag, weights_have_names_and_are_of_the_records) {
  KernelFile file = small_file();
  for (auto& [id, record] : file.records) record.cost.bytes = record.name == "Clip" ? 5 : 7;
  const KernelGraph& graph = file.models[0];
  EXPECT_THAT(kernel_weights(file, graph, DagWeight::bytes), ElementsAre(7.0, 5.0, 7.0));
  for (const auto& [weight, name] : {std::pair(DagWeight::kernels, "kernels"),
                                     {DagWeight::flops, "flops"},
                                     {DagWeight::bytes, "bytes"},
                                     {DagWeight::time, "time"}}) {
    const auto weights = kernel_weights(file, graph, weight, {1.0, 2.0, 3.0});
    const auto json = nlohmann::json::parse(dag_json(graph, weights, heaviest_path(graph, weights, weight), {}));
    EXPECT_EQ(json["weight"], name);
    EXPECT_EQ(json["takt_dag"], 1);
    EXPECT_EQ(json["model"], "small.onnx");
    EXPECT_EQ(json["kernels"][1]["name"], "clip");
    EXPECT_EQ(json["kernels"][1]["record"], id_of(clip()));
  }
}

TEST(KernelDag, the_picture_is_this) {
  const KernelFile file = small_file();
  KernelPath path;
  path.kernels = {0, 2};
  EXPECT_EQ(dag_graphviz(file.models[0], file, path),
            "digraph kernels {\n  node [shape=box];\n"
            "  k0 [label=\"Conv_Add_Relu 1x16x8x8\", color=red];\n"
            "  k1 [label=\"Clip 1x16x8x8\"];\n"
            "  k2 [label=\"Conv_Add_Relu 1x16x8x8\", color=red];\n"
            "  k0 -> k1;\n  k0 -> k2 [color=red];\n  k1 -> k2;\n}\n");
}

TEST(KernelDag, a_level_is_one_behind_the_farthest_producer) {
  KernelGraph graph;  // a feeds b; a and b feed c; d and e stand alone with a
  for (const auto& [name, inputs] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"a", {"x"}}, {"b", {"ta"}}, {"c", {"ta", "tb"}}, {"d", {"x"}}, {"e", {"tb"}}, {"f", {"tb"}}})
    graph.kernels.push_back({name, "", inputs, {"t" + name}, {}, {}, {}});
  connect(graph);
  EXPECT_EQ(widest_level(graph), 3u) << "c, e and f";
}

TEST(KernelDag, file_and_picture_have_every_edge_and_the_path) {
  const KernelFile file = small_file();
  const KernelGraph& graph = file.models[0];
  const auto weights = kernel_weights(file, graph, DagWeight::flops);
  EXPECT_THAT(weights, ElementsAre(295936, std::nullopt, 295936));
  const KernelPath path = heaviest_path(graph, weights, DagWeight::flops);
  const auto json = nlohmann::json::parse(dag_json(graph, weights, path, {}));
  EXPECT_EQ(json["edges"].dump(), "[[0,1],[0,2],[1,2]]");
  EXPECT_EQ(json["kernels"][1]["weight"], nullptr);
  EXPECT_EQ(json["critical_path"], path.kernels);
  KernelPath through_all = path;
  through_all.kernels = {0, 1, 2};
  const std::string dot = dag_graphviz(graph, file, through_all);
  EXPECT_THAT(dot, HasSubstr("  k0 -> k1 [color=red];\n"));
  EXPECT_THAT(dot, HasSubstr("  k1 -> k2 [color=red];\n"));
  EXPECT_THAT(dot, HasSubstr("  k0 -> k2;\n"));  // both of its ends are on the path, it is not
}

}  // namespace
}  // namespace takt
