// The cuts of a model as people and programs read them.
#include "model/cuts/cuts_table.h"

#include <gtest/gtest.h>

#include "model/graph/shapes.h"
#include "model/onnx/builder.h"
#include "table_cells.h"

namespace takt {
namespace {

/// x → p, q, r → a → b → y, where y also reads a and late, and of which a size is known only up to b. Between r and a
/// are three tensors, which is one too many for a cut.
Table table() {
  ModelBuilder b;
  b.input("x", ElementType::f32, {100});
  b.input("late", ElementType::f32, {100});
  for (const char* name : {"p", "q", "r"})
    b.node("Relu", {"x"}, {}, {.name = std::string("to_") + name, .outputs = {name}});
  b.node("Sum", {"p", "q", "r"}, {}, {.name = "first", .outputs = {"a"}});
  b.node("Strange", {"a"}, {}, {.name = "second", .domain = "mine", .outputs = {"b"}});
  b.node("Sum", {"b", "a", "late"}, {}, {.name = "third", .outputs = {"y"}});
  for (const char* known : {"p", "q", "r", "a"}) b.value_info(known, ElementType::f32, {100});
  b.output("a");
  b.output("y", ElementType::f32, {100});
  const Graph graph = with_shapes(b.build().graph, {});
  return cuts_table(graph, find_cuts(graph, 2));
}

// Each Relu takes 100 FLOPs, each Sum of three 200.
TEST(Cells, of_plan_cut_cuts) {
  expect_cells(table(),
               {{"cut", {"1", "2", "3", "4"}},
                {"cut_after", {"to_p", "to_q", "first", "second"}},
                {"cut_before", {"to_q", "to_r", "second", "third"}},
                {"cut_tensors", {"p", "p, q", "a", "a, b"}},
                {"tensors_across", {"1", "2", "1", "2"}},
                {"cut_bytes", {"400", "800", "400", ""}},
                {"late_inputs", {"x, late", "x, late", "late", "late"}},
                {"early_outputs", {"", "", "a", "a"}},
                {"ops_before", {"1", "2", "4", "5"}},
                {"flops_before", {"100", "200", "500", "500"}},
                {"flops_share", {"0.142857142857143", "0.285714285714286", "0.714285714285714", "0.714285714285714"}},
                {"unknown_before", {"0", "0", "0", "1"}}});
}

TEST(CutsTable, is_described_as_it_is_made) {
  const TableSchema schema = cuts_schema();
  EXPECT_EQ(schema.name, table().name);
  EXPECT_EQ(schema.columns.size(), table().columns.size());
}

}  // namespace
}  // namespace takt
