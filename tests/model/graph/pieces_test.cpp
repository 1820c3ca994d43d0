// Pieces, run one after another, do what the whole model does.
#include "model/cuts/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "model/graph/element_words.h"
#include "model/graph/random_graphs.h"
#include "model/graph/run_order.h"
#include "model/graph/shapes.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<std::string> names;
  for (const TensorId id : ids) names.push_back(graph.tensor(id).name);
  return names;
}

std::vector<std::string> op_names(const Graph& graph, const Piece& piece) {
  std::vector<std::string> names;
  for (const int op : piece.ops) names.push_back(graph.ops[static_cast<std::size_t>(op)].name);
  return names;
}

/// A value that tells what it was made of and how, in the place of a tensor's numbers.
using Values = std::map<TensorId, std::string>;

/// Runs operators of the graph on what is there; constants are there in every piece. A missing value is a failure.
void run(const Graph& graph, const std::vector<int>& ops, Values& values) {
  for (const int number : ops) {
    const Op& op = graph.ops[static_cast<std::size_t>(number)];
    std::string made = op.type + "(";
    for (const TensorId id : op.inputs) {
      if (id == no_tensor) continue;
      const auto found = values.find(id);
      const bool is_weight = graph.tensor(id).is_constant;
      ASSERT_TRUE(is_weight || found != values.end()) << op.name << " reads " << graph.tensor(id).name;
      made += std::to_string(std::hash<std::string>()(is_weight ? graph.tensor(id).name : found->second)) + ",";
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i)
      if (op.outputs[i] != no_tensor) values[op.outputs[i]] = made + ")" + std::to_string(i);
  }
}

Values model_inputs(const Graph& graph) {
  Values values;
  for (const TensorId id : graph.inputs) values[id] = graph.tensor(id).name;
  return values;
}

/// What is there after all pieces ran, each with its own inputs alone, of which only its outputs go on.
Values run_pieces(const Graph& graph, const std::vector<Piece>& pieces) {
  Values there = model_inputs(graph);
  for (const Piece& piece : pieces) {
    Values inside;
    for (const TensorId id : piece.inputs) inside[id] = there.at(id);
    run(graph, piece.ops, inside);
    for (const TensorId id : piece.outputs) there[id] = inside.at(id);
  }
  return there;
}

TEST(Pieces, of_random_graphs_cut_at_random_give_the_same_outputs) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Graph graph = random_graph(seed, 4 + static_cast<int>(seed % 30));
    std::vector<Cut> cuts;
    Random random(seed);
    for (const Cut& cut : find_cuts(graph, 4))
      if (random() % 3 == 0) cuts.push_back(cut);
    const auto pieces = pieces_of(graph, cuts);
    ASSERT_EQ(pieces.size(), cuts.size() + 1);
    Values whole = model_inputs(graph);
    const RunOrder order = run_order(graph);
    run(graph, order.ops, whole);
    const Values by_pieces = run_pieces(graph, pieces);
    for (const TensorId id : graph.outputs) EXPECT_EQ(by_pieces.at(id), whole.at(id)) << "seed " << seed;
    std::multiset<int> done;
    for (const Piece& piece : pieces) {
      EXPECT_THAT(piece.inputs, testing::Not(IsEmpty())) << "seed " << seed;
      EXPECT_THAT(piece.outputs, testing::Not(IsEmpty())) << "seed " << seed;
      done.insert(piece.ops.begin(), piece.ops.end());
    }
    EXPECT_EQ(done, std::multiset<int>(order.ops.begin(), order.ops.end())) << "each operator once, seed " << seed;
  }
}

TEST(Pieces, that_follow_each_other_are_the_piece_between_their_outer_cuts) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Graph graph = random_graph(seed, 20);
    const auto cuts = find_cuts(graph);
    if (cuts.size() < 3) continue;
    const auto pieces = pieces_of(graph, cuts);
    const Piece range = pieces_of(graph, {cuts.front(), cuts.back()}).at(1);
    std::set<int> ops;
    std::set<TensorId> made, read;
    for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
      ops.insert(pieces[i].ops.begin(), pieces[i].ops.end());
      read.insert(pieces[i].inputs.begin(), pieces[i].inputs.end());
      made.insert(pieces[i].outputs.begin(), pieces[i].outputs.end());
    }
    for (const TensorId id : made) read.erase(id);
    EXPECT_THAT(range.ops, testing::ElementsAreArray(ops)) << "seed " << seed;
    EXPECT_THAT(range.inputs, testing::UnorderedElementsAreArray(read)) << "seed " << seed;
  }
}

TEST(Pieces, take_from_each_other_what_the_cuts_say_and_no_more) {
  ModelBuilder b;
  b.input("x", f32, {4});
  b.input("late", f32, {4});
  b.node("Relu", {"x"}, {}, {.outputs = {"a"}});
  b.node("Exp", {"a"}, {}, {.outputs = {"b"}});
  b.node("Add", {"b", "late"}, {}, {.outputs = {"c"}});
  b.node("Add", {"c", "a"}, {}, {.outputs = {"d"}});
  b.output("b");
  b.output("d");
  const Graph graph = with_shapes(b.build().graph, {});
  const auto pieces = pieces_of(graph, find_cuts(graph));
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_THAT(names(graph, pieces[0].inputs), ElementsAre("x"));
  EXPECT_THAT(names(graph, pieces[0].outputs), ElementsAre("a"));
  EXPECT_THAT(names(graph, pieces[1].inputs), ElementsAre("a"));
  EXPECT_THAT(names(graph, pieces[1].outputs), ElementsAre("b")) << "a is there already";
  EXPECT_THAT(names(graph, pieces[2].inputs), ElementsAre("late", "b"));
  EXPECT_THAT(names(graph, pieces[3].inputs), ElementsAre("a", "c"));
  EXPECT_THAT(names(graph, pieces[3].outputs), ElementsAre("d"));
}

TEST(Pieces, constants_are_made_in_every_piece_that_reads_them) {
  ModelBuilder b;
  b.input("x", f32, {4, 4});
  b.weight({4, 4}, "w");
  b.node("Transpose", {"w"}, {}, {.name = "turn", .outputs = {"turned"}});
  b.node("Neg", {"turned"}, {}, {.name = "negate", .outputs = {"negated"}});
  b.node("MatMul", {"x", "negated"}, {}, {.name = "first", .outputs = {"a"}});
  b.node("Relu", {"a"}, {}, {.name = "between", .outputs = {"b"}});
  b.node("MatMul", {"b", "turned"}, {}, {.name = "last", .outputs = {"c"}});
  b.output("c");
  const Graph graph = with_shapes(b.build().graph, {});
  const auto pieces = pieces_of(graph, find_cuts(graph));
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_THAT(op_names(graph, pieces[0]), ElementsAre("turn", "negate", "first"));
  EXPECT_THAT(op_names(graph, pieces[1]), ElementsAre("between"));
  EXPECT_THAT(op_names(graph, pieces[2]), ElementsAre("turn", "last"));
}

TEST(Pieces, unread_inputs_stay_at_the_front_and_what_is_handed_on_is_there_at_the_end) {
  ModelBuilder b;
  b.input("x", f32, {4});
  b.input("unread", f32, {4});
  b.input("passed", f32, {4});
  b.weight({4}, "w");
  b.node("Relu", {"x"}, {}, {.outputs = {"a"}});
  b.node("Relu", {"a"}, {}, {.outputs = {"y"}});
  for (const char* name : {"passed", "y", "w"}) b.output(name);
  const Graph graph = with_shapes(b.build().graph, {});
  const auto pieces = pieces_of(graph, find_cuts(graph));
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_THAT(names(graph, pieces[0].inputs), ElementsAre("x", "unread"));
  EXPECT_THAT(names(graph, pieces[1].inputs), ElementsAre("passed", "a"));
  EXPECT_THAT(names(graph, pieces[1].outputs), ElementsAre("passed", "y", "w"));
}

TEST(Pieces, without_a_cut_are_the_model_without_what_nobody_needs) {
  ModelBuilder b;
  b.input("x", f32, {4});
  b.node("Relu", {"x"}, {}, {.name = "unwanted", .outputs = {"u"}});
  b.node("Exp", {"x"}, {}, {.name = "wanted", .outputs = {"y"}});
  b.output("y");
  const Graph graph = b.build().graph;
  const auto pieces = pieces_of(graph, {});
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_THAT(op_names(graph, pieces[0]), ElementsAre("wanted"));
}

}  // namespace
}  // namespace takt
