#include "measure/operators/fusion.h"

#include <gmock/gmock.h>

#include "measure/run/results.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

OpRow row(std::vector<std::string> model_ops, std::int64_t total, std::string node_type = "Convolution") {
  OpRow made;
  made.model_ops = std::move(model_ops), made.total = ns(total), made.node_type = std::move(node_type);
  return made;
}

TEST(SettleOwnership, a_change_of_layout_that_carries_the_name_of_a_convolution_loses_it_however_long_it_took) {
  for (const std::int64_t reorder : {3, 4000}) {
    std::vector<OpRow> rows{row({"conv"}, reorder, "Reorder"), row({"conv", "relu"}, 40), row({"relu"}, reorder)};
    settle_ownership(rows);
    EXPECT_THAT(rows[0].model_ops, IsEmpty());
    EXPECT_THAT(rows[1].model_ops, ElementsAre("conv", "relu"));
    EXPECT_THAT(rows[2].model_ops, IsEmpty());
  }
}

TEST(SettleOwnership, where_all_only_arrange_the_first_keeps_it) {
  std::vector<OpRow> rows{row({"turn"}, 3, "Transpose"), row({"turn"}, 9, "Reorder")};
  settle_ownership(rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("turn"));
  EXPECT_THAT(rows[1].model_ops, IsEmpty());
}

TEST(SettleOwnership, the_first_of_two_equals_keeps_it) {
  std::vector<OpRow> rows{row({"conv"}, 3), row({"conv"}, 3)};
  settle_ownership(rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("conv"));
  EXPECT_THAT(rows[1].model_ops, IsEmpty());
}

TEST(AdoptUnclaimed, a_convolution_forgotten_under_its_folded_scale_comes_back) {
  const Graph graph = GraphSketch()
                          .op("conv", "Conv", {"x", "w"})
                          .op("bn", "BatchNormalization", {"conv"})
                          .op("end", "Relu", {"bn"})
                          .graph("end");
  std::vector<OpRow> rows{row({"bn"}, 10), row({"end"}, 5)};
  adopt_unclaimed(graph, rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("conv", "bn"));
  EXPECT_THAT(rows[1].model_ops, ElementsAre("end"));
}

TEST(AdoptUnclaimed, a_heavy_operator_joins_what_reads_it_not_what_it_reads) {
  const Graph graph = GraphSketch()
                          .op("first", "Conv", {"x"})
                          .op("conv", "Conv", {"first"})
                          .op("bn", "BatchNormalization", {"conv"})
                          .graph("bn");
  std::vector<OpRow> rows{row({"first"}, 10), row({"bn"}, 10)};
  adopt_unclaimed(graph, rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("first"));
  EXPECT_THAT(rows[1].model_ops, ElementsAre("conv", "bn"));
}

TEST(AdoptUnclaimed, a_chain_of_heavy_operators_joins_the_row_at_its_end) {
  const Graph graph = GraphSketch()
                          .op("a", "Conv", {"x"})
                          .op("b", "Conv", {"a"})
                          .op("c", "Conv", {"b"})
                          .op("end", "Relu", {"c"})
                          .graph("end");
  std::vector<OpRow> rows{row({"end"}, 10)};
  adopt_unclaimed(graph, rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("a", "b", "c", "end"));
}

TEST(AdoptUnclaimed, light_operators_join_what_produces_their_input) {
  const Graph graph =
      GraphSketch().op("conv", "Conv", {"x"}).op("relu", "Relu", {"conv"}).op("next", "Conv", {"relu"}).graph("next");
  std::vector<OpRow> rows{row({"conv"}, 10), row({"next"}, 10)};
  adopt_unclaimed(graph, rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("conv", "relu"));
  EXPECT_THAT(rows[1].model_ops, ElementsAre("next"));
}

TEST(AdoptUnclaimed, what_makes_a_constant_is_not_run_and_not_adopted) {
  const Graph graph =
      GraphSketch().op("weights", "Constant", {}, true).op("conv", "Conv", {"x", "weights"}).graph("conv");
  std::vector<OpRow> rows{row({"conv"}, 10)};
  adopt_unclaimed(graph, rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("conv"));
}

TEST(AdoptUnclaimed, an_operator_between_two_rows_stays_unclaimed) {
  const Graph graph = GraphSketch()
                          .op("a", "Conv", {"x"})
                          .op("b", "Conv", {"x"})
                          .op("add", "Add", {"a", "b"})
                          .op("c", "Conv", {"add"})
                          .op("d", "Conv", {"add"})
                          .op("end", "Add", {"c", "d"})
                          .graph("end");
  std::vector<OpRow> rows{row({"a"}, 1), row({"b"}, 1), row({"c"}, 1), row({"d"}, 1), row({"end"}, 1)};
  adopt_unclaimed(graph, rows);
  for (const OpRow& one : rows) EXPECT_EQ(one.model_ops.size(), 1u) << one.model_ops.front();
}

TEST(AdoptUnclaimed, names_that_the_model_does_not_have_are_kept_behind_and_repeats_are_not) {
  const Graph graph = GraphSketch().op("a", "Conv", {"x"}).op("b", "Relu", {"a"}).graph("b");
  std::vector<OpRow> rows{row({"inner", "b", "a", "b"}, 1)};
  adopt_unclaimed(graph, rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("a", "b", "inner"));
}

TEST(AdoptUnclaimed, no_rows_and_no_operators_are_no_error) {
  std::vector<OpRow> rows;
  adopt_unclaimed(GraphSketch().op("a", "Relu", {"x"}).graph("a"), rows);
  EXPECT_THAT(rows, IsEmpty());
  rows.push_back(row({"a"}, 1));
  adopt_unclaimed(Graph{}, rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("a"));
}

}  // namespace
}  // namespace takt
