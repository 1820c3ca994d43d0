// Where a model can be parted: what goes across each cut, and what counts nothing there.
#include "model/cuts/cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph/element_words.h"
#include "model/graph/run_order.h"
#include "model/graph/shapes.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string joined(const Graph& graph, const std::vector<TensorId>& ids) {
  std::string text;
  for (const TensorId id : ids) text += (text.empty() ? "" : "+") + graph.tensor(id).name;
  return text;
}

/// "a" for a cut across a; "a+b|late:x|early:y" where inputs come later and outputs were earlier.
std::vector<std::string> cuts_of(const ModelBuilder& b, std::size_t max_tensors = 3) {
  const Graph graph = with_shapes(b.build().graph, {});
  std::vector<std::string> texts;
  for (const Cut& cut : find_cuts(graph, max_tensors)) {
    std::string text = joined(graph, cut.tensors);
    if (!cut.late_inputs.empty()) text += "|late:" + joined(graph, cut.late_inputs);
    if (!cut.early_outputs.empty()) text += "|early:" + joined(graph, cut.early_outputs);
    texts.push_back(text);
  }
  return texts;
}

/// Makes a tensor of that name.
std::string make(ModelBuilder& b, const std::string& name, const std::string& type,
                 const std::vector<std::string>& read) {
  return b.node(type, read, {}, {.name = "op_" + name, .outputs = {name}});
}

TEST(Cuts, a_chain_is_cut_between_any_two_operators) {
  ModelBuilder b;
  b.input("x", f32, {100});
  make(b, "a", "Relu", {"x"});
  make(b, "b", "Relu", {"a"});
  b.output(make(b, "c", "Relu", {"b"}), f32, {100});
  b.value_info("a", f32, {100});
  b.value_info("b", f32, {50});
  EXPECT_THAT(cuts_of(b), ElementsAre("a", "b"));
  const auto cuts = find_cuts(b.build().graph);
  EXPECT_EQ(cuts[0].bytes, 400);
  EXPECT_EQ(cuts[1].bytes, 200);
  EXPECT_EQ(cuts[0].before.flops, 100) << "an element-wise operator is one a number";
  EXPECT_EQ(cuts[0].before.bytes, 800);
  EXPECT_EQ(cuts[1].before.operators, 2);
  EXPECT_EQ(cuts[1].before.unknown, 0);
  EXPECT_EQ(cost_of_run(b.build().graph).flops, 100 + 50 + 100);
}

/// Types of the operators that run in an inference, in order.
std::vector<std::string> types_that_run(const ModelBuilder& b) {
  const Graph graph = b.build().graph;
  std::vector<std::string> types;
  for (const int op : run_order(graph).ops) types.push_back(graph.ops[static_cast<std::size_t>(op)].type);
  return types;
}

TEST(RunOrder, operators_over_constants_run_when_the_model_is_loaded) {
  struct Case {
    const char *type, *domain;
    bool at_load;
  };
  for (const auto& [type, domain, at_load] : {Case{"MatMul", "", true}, Case{"FusedMatMul", "com.microsoft", true},
                                              Case{"Own", "own.domain", false}, Case{"RandomNormalLike", "", false}}) {
    ModelBuilder b;
    const auto x = b.input("x", f32, {4, 4});
    const auto made = b.node(type, {b.weight({4, 4}), b.weight({4, 4})}, {}, {.domain = domain});
    const auto further = b.node("Relu", {made});
    b.output(b.node("Add", {x, further}));
    const Graph graph = b.build().graph;
    const RunOrder order = run_order(graph);
    EXPECT_EQ(order.at_load, std::vector<bool>({at_load, at_load, false})) << type;
    EXPECT_EQ(types_that_run(b),
              at_load ? std::vector<std::string>({"Add"}) : std::vector<std::string>({type, "Relu", "Add"}));
  }
}

TEST(Cuts, a_skip_connection_makes_the_cut_wider) {
  ModelBuilder b;
  b.input("x", f32, {4});
  make(b, "a", "Relu", {"x"});
  make(b, "b", "Relu", {"a"});
  make(b, "c", "Relu", {"b"});
  make(b, "d", "Add", {"c", "a"});
  b.output(make(b, "e", "Relu", {"d"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a", "a+b", "a+c", "d"));
  EXPECT_THAT(cuts_of(b, 1), ElementsAre("a", "d"));
}

TEST(Cuts, an_input_of_the_model_that_is_read_late_is_beside_the_cut_and_not_in_it) {
  ModelBuilder b;
  b.input("x", f32, {4});
  b.input("mask", f32, {4});
  make(b, "a", "Add", {"x", "mask"});
  make(b, "b", "Relu", {"a"});
  make(b, "c", "Mul", {"b", "mask"});
  b.output(make(b, "d", "Relu", {"c"}));
  EXPECT_THAT(cuts_of(b, 1), ElementsAre("a|late:mask", "b|late:mask", "c"));
}

TEST(Cuts, an_output_of_the_model_that_is_there_early_is_beside_the_cut) {
  ModelBuilder b;
  b.input("x", f32, {4});
  make(b, "a", "Relu", {"x"});
  b.output(make(b, "middle", "Exp", {"a"}));
  make(b, "b", "Relu", {"a"});
  b.output(make(b, "c", "Relu", {"b"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a", "a|early:middle", "b|early:middle"));
}

TEST(Cuts, an_output_of_the_model_that_is_read_further_on_is_both) {
  ModelBuilder b;
  b.input("x", f32, {4});
  b.output(make(b, "a", "Relu", {"x"}));
  b.output(make(b, "b", "Relu", {"a"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a|early:a"));
}

TEST(Cuts, parts_that_do_not_touch_are_cut_across_nothing) {
  ModelBuilder b;
  b.input("x", f32, {4});
  b.input("z", f32, {4});
  b.output(make(b, "a", "Relu", {"x"}));
  b.output(make(b, "b", "Relu", {"z"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("|late:z|early:a"));
}

TEST(Cuts, an_input_that_is_handed_on_goes_past_every_cut) {
  ModelBuilder b;
  b.input("x", f32, {4});
  make(b, "a", "Relu", {"x"});
  b.output(make(b, "b", "Relu", {"a"}));
  b.output("x");
  EXPECT_THAT(cuts_of(b), ElementsAre("a|late:x"));
}

TEST(Cuts, constants_and_what_is_made_of_them_count_nothing) {
  ModelBuilder b;
  b.input("x", f32, {4, 4});
  b.weight({4, 4}, "w");
  make(b, "turned", "Transpose", {"w"});
  make(b, "filled", "ConstantOfShape", {b.integers({4, 4})});
  make(b, "a", "MatMul", {"x", "turned"});
  make(b, "b", "Add", {"a", "filled"});
  make(b, "c", "MatMul", {"b", "turned"});
  b.output(make(b, "d", "Add", {"c", "filled"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a", "b", "c"));
}

/// A branch that reads the tensor from outside.
ModelBuilder branch(const std::string& read, const std::string& made) {
  ModelBuilder b(made);
  b.output(make(b, made, "Relu", {read}));
  return b;
}

TEST(Cuts, what_a_body_reads_from_outside_is_read_by_its_operator) {
  ModelBuilder b;
  const ModelBuilder yes = branch("a", "yes"), no = branch("w", "no");
  b.input("x", f32, {4});
  b.input("flag", ElementType::boolean, {});
  b.weight({4}, "w");
  make(b, "a", "Relu", {"x"});
  make(b, "b", "Relu", {"a"});
  make(b, "c", "Relu", {"b"});
  b.node("If", {"flag"}, {}, {.outputs = {"chosen"}, .subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}});
  b.value_info("chosen", f32, {4});
  b.output(make(b, "d", "Add", {"c", "chosen"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a|late:flag", "a+b|late:flag", "a+c|late:flag", "c+chosen"));
}

TEST(Cuts, a_body_within_a_body_reads_from_the_outermost_graph_too) {
  ModelBuilder body("body"), b;
  const ModelBuilder inner_yes = branch("a", "yes"), inner_no = branch("carried", "no");
  body.input("i", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.input("carried", f32, {4});
  body.output(make(body, "on", "Identity", {"go"}));
  body.output(body.node("If", {"go"}, {},
                        {.outputs = {"next"}, .subgraphs = {{"then_branch", &inner_yes}, {"else_branch", &inner_no}}}));
  b.input("x", f32, {4});
  make(b, "a", "Relu", {"x"});
  make(b, "b", "Relu", {"a"});
  b.node("Loop", {b.integers({3}, {}), "", "b"}, {}, {.outputs = {"looped"}, .subgraphs = {{"body", &body}}});
  b.value_info("looped", f32, {4});
  b.output(make(b, "c", "Relu", {"looped"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a", "a+b", "looped"));
}

TEST(Cuts, inputs_that_are_left_out_are_no_tensors) {
  ModelBuilder b;
  b.input("x", f32, {4});
  make(b, "a", "Clip", {"x", "", b.floats({1}, {})});
  b.output(make(b, "b", "Relu", {"a"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a"));
}

TEST(Cuts, of_several_results_those_that_are_read_go_across) {
  ModelBuilder b;
  b.input("x", f32, {6});
  b.node("Split", {"x"}, {}, {.outputs = {"p", "", "q", "unread"}});
  make(b, "a", "Relu", {"p"});
  b.output(make(b, "b", "Add", {"a", "q"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("p+q", "q+a"));
}

TEST(Cuts, operators_that_nobody_needs_hold_nothing_together) {
  ModelBuilder b;
  b.input("x", f32, {4});
  make(b, "a", "Relu", {"x"});
  make(b, "b", "Relu", {"a"});
  make(b, "c", "Relu", {"b"});
  make(b, "unwanted", "Add", {"x", "c"});
  b.output(make(b, "d", "Relu", {"c"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a", "b", "c"));
}

TEST(Cuts, what_no_input_reaches_is_drawn_once_and_right_before_it_is_read) {
  ModelBuilder b;
  b.input("x", f32, {4});
  b.node("RandomNormal", {}, {{"shape", {4}}}, {.outputs = {"noise"}});
  make(b, "loud", "Exp", {"noise"});
  make(b, "a", "Relu", {"x"});
  make(b, "b", "Relu", {"a"});
  make(b, "c", "Add", {"b", "loud"});
  b.output(make(b, "d", "Mul", {"c", "loud"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a", "b", "loud+c"));
}

TEST(Cuts, what_no_input_reaches_stands_before_the_first_of_several_readers) {
  ModelBuilder b;
  b.input("x", f32, {4});
  b.node("RandomNormal", {}, {{"shape", {4}}}, {.outputs = {"noise"}});
  make(b, "loud", "Exp", {"noise"});  // read late, but nearer in the file than b
  make(b, "a", "Relu", {"x"});
  make(b, "b", "Add", {"a", "noise"});
  make(b, "c", "Relu", {"b"});
  b.output(make(b, "d", "Add", {"c", "loud"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a", "noise+b", "noise+c"));
}

TEST(Cuts, what_is_drawn_in_the_form_of_a_constant_is_no_constant) {
  ModelBuilder b;
  b.input("x", f32, {4});
  b.weight({4}, "w");
  make(b, "noise", "RandomNormalLike", {"w"});
  make(b, "a", "Add", {"x", "noise"});
  b.output(make(b, "b", "Add", {"a", "noise"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("noise+a"));
}

TEST(Cuts, a_sequence_goes_across_no_cut) {
  ModelBuilder b;
  b.input("x", f32, {4});
  make(b, "a", "Relu", {"x"});
  make(b, "list", "SplitToSequence", {"a"});
  make(b, "b", "ConcatFromSequence", {"list"});
  b.value_info("b", f32, {4});
  b.output(make(b, "c", "Relu", {"b"}));
  EXPECT_THAT(cuts_of(b), ElementsAre("a", "b"));
}

TEST(Cuts, an_unknown_size_makes_no_sum_and_an_unknown_cost_is_counted) {
  ModelBuilder b;
  b.symbolic_input("x", f32, "n");
  b.node("Strange", {"x"}, {}, {.domain = "mine", .outputs = {"a"}});
  b.output(make(b, "b", "Relu", {"a"}));
  const Graph graph = with_shapes(b.build().graph, {});
  const auto cuts = find_cuts(graph);
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_FALSE(cuts[0].bytes);
  EXPECT_EQ(cuts[0].before.unknown, 1);
}

TEST(Cuts, a_model_that_computes_nothing_has_none) {
  ModelBuilder b;
  b.output(b.input("x", f32, {4}));
  EXPECT_THAT(cuts_of(b), IsEmpty());
}

}  // namespace
}  // namespace takt
