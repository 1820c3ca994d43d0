// The cuts of a model as people and programs read them.
#include "graph/cuts_table.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/shapes.h"

namespace takt {
namespace {

/// x → a → b → y, where y also reads a, and of which a size is known only up to b.
Table table() {
  ModelBuilder b;
  b.input("x", ElementType::f32, {100});
  b.input("late", ElementType::f32, {100});
  b.node("Relu", {"x"}, {}, {.name = "first", .outputs = {"a"}});
  b.node("Strange", {"a"}, {}, {.name = "second", .domain = "mine", .outputs = {"b"}});
  b.node("Sum", {"b", "a", "late"}, {}, {.name = "third", .outputs = {"y"}});
  b.value_info("a", ElementType::f32, {100});
  b.output("a");
  b.output("y", ElementType::f32, {100});
  const Graph graph = with_shapes(b.build().graph, {});
  return cuts_table(graph, find_cuts(graph));
}

TEST(CutsTable, has_a_row_per_cut_with_what_is_known) {
  EXPECT_EQ(to_csv(table()),
            "cut,cut_after,cut_before,cut_tensors,tensors_across,cut_bytes,late_inputs,early_outputs,ops_before,"
            "flops_before,flops_share,unknown_before\n"
            "1,first,second,a,1,400,late,a,1,100,0.3333333333333333,0\n"
            "2,second,third,\"a, b\",2,,late,a,2,100,0.3333333333333333,1\n");
}

TEST(CutsTable, is_described_as_it_is_made) {
  const TableSchema schema = cuts_schema();
  EXPECT_EQ(schema.name, table().name);
  EXPECT_EQ(schema.columns.size(), table().columns.size());
}

}  // namespace
}  // namespace takt
