// Cuts chosen so that the pieces have about equal work, held against every possible choice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/basics/error.h"
#include "model/cost/cost.h"
#include "model/cuts/cuts.h"
#include "model/graph/random_graphs.h"
#include "model/graph/run_order.h"
#include "model/graph/shapes.h"
#include "model/onnx/builder.h"
#include "refused.h"

namespace takt {
namespace {

using testing::ElementsAre;

/// A chain of matrix products, rows × inner × columns of each as `columns` say: 4 → columns[0] → columns[1] …
Graph products(const std::vector<std::int64_t>& columns) {
  ModelBuilder b;
  std::string last = b.input("x", ElementType::f32, {1000, 4});
  std::int64_t inner = 4;
  for (const std::int64_t width : columns) {
    last = b.node("MatMul", {last, b.weight({inner, width})}, {},
                  {.outputs = {"t" + std::to_string(b.graph().node_size())}});
    b.value_info(last, ElementType::f32, {1000, width});
    inner = width;
  }
  b.output(last);
  return b.build().graph;
}

std::vector<std::size_t> places(const std::vector<Cut>& cuts) {
  std::vector<std::size_t> places;
  for (const Cut& cut : cuts) places.push_back(cut.place);
  return places;
}

TEST(ChooseCuts, equal_operators_are_shared_equally) {
  const Graph graph = products(std::vector<std::int64_t>(12, 4));
  EXPECT_THAT(places(choose_cuts(graph, find_cuts(graph), {.pieces = 4, .slack = 0})), ElementsAre(3, 6, 9));
  EXPECT_THAT(places(choose_cuts(graph, find_cuts(graph), {.pieces = 1})), ElementsAre());
}

// 1000×4×400, then 1000×400×4 and so on: every product has the same FLOPs, every other tensor is a hundredth.
TEST(ChooseCuts, small_tensors_are_preferred_as_far_as_the_slack_goes) {
  const Graph graph = products({400, 4, 400, 4, 400, 4, 400, 4, 400, 4});
  const auto cuts = find_cuts(graph);
  EXPECT_THAT(places(choose_cuts(graph, cuts, {.pieces = 2, .flops_per_byte = 0, .slack = 0})), ElementsAre(5));
  EXPECT_THAT(places(choose_cuts(graph, cuts, {.pieces = 2, .flops_per_byte = 0, .slack = 0.25})),
              testing::AnyOf(ElementsAre(4), ElementsAre(6)));
}

TEST(ChooseCuts, bytes_count_where_a_device_moves_them_slowly) {
  // Eight sums of two tensors, little work and many bytes, then one product with the work of all of them together.
  ModelBuilder b;
  std::string last = b.input("x", ElementType::f32, {256, 256});
  for (int i = 0; i < 8; ++i) {
    last = b.node("Add", {last, last}, {}, {.outputs = {"t" + std::to_string(i)}});
    b.value_info(last, ElementType::f32, {256, 256});
  }
  b.output(b.node("MatMul", {last, b.weight({256, 256})}, {}, {.outputs = {"y"}}), ElementType::f32, {256, 256});
  const Graph graph = b.build().graph;
  const auto cuts = find_cuts(graph);
  EXPECT_THAT(places(choose_cuts(graph, cuts, {.pieces = 2, .flops_per_byte = 0, .slack = 0})), ElementsAre(8));
  const auto by_bytes = choose_cuts(graph, cuts, {.pieces = 2, .flops_per_byte = 1e6, .slack = 0});
  EXPECT_LT(by_bytes.at(0).place, 8u) << "nine operators move about as much each";
}

TEST(ChooseCuts, operators_of_unknown_cost_have_the_work_of_an_average_one) {
  ModelBuilder b;
  std::string last = b.input("x", ElementType::f32, {8});
  for (int i = 0; i < 8; ++i) {
    const std::string name = "t" + std::to_string(i);
    last = b.node(i < 4 ? "Strange" : "Relu", {last}, {}, {.domain = i < 4 ? "mine" : "", .outputs = {name}});
    if (i >= 3) b.value_info(last, ElementType::f32, {8});
  }
  b.output(last);
  const Graph graph = with_shapes(b.build().graph, {});
  EXPECT_THAT(places(choose_cuts(graph, find_cuts(graph), {.pieces = 2, .slack = 0})), ElementsAre(4));
}

// Seven of 64 to 4032 bytes, then two of 8000 bytes.
TEST(ChooseCuts, operators_of_which_only_the_bytes_are_known_have_the_work_of_these) {
  ModelBuilder b;
  std::string last = b.input("x", ElementType::f32, {8});
  for (int i = 0; i < 9; ++i) {
    last = b.node(i < 7 ? "Strange" : "Relu", {last}, {},
                  {.domain = i < 7 ? "mine" : "", .outputs = {"t" + std::to_string(i)}});
    b.value_info(last, ElementType::f32, {i < 6 ? 8 : 1000});
  }
  b.output(last);
  const Graph graph = with_shapes(b.build().graph, {});
  EXPECT_THAT(places(choose_cuts(graph, find_cuts(graph), {.pieces = 2, .flops_per_byte = 1, .slack = 0})),
              ElementsAre(8));
}

TEST(ChooseCuts, where_nothing_is_known_operators_are_counted) {
  ModelBuilder b;
  std::string last = b.symbolic_input("x", ElementType::f32, "n");
  for (int i = 0; i < 9; ++i) last = b.node("Relu", {last});
  b.output(last);
  const Graph graph = with_shapes(b.build().graph, {});
  EXPECT_THAT(places(choose_cuts(graph, find_cuts(graph), {.pieces = 3})), ElementsAre(3, 6));
}

TEST(ChooseCuts, more_pieces_than_places_are_refused) {
  const Graph graph = products({4, 4, 4});
  EXPECT_EQ(choose_cuts(graph, find_cuts(graph), {.pieces = 3}).size(), 2u);
  try {
    choose_cuts(graph, find_cuts(graph), {.pieces = 4});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr("at most 3 pieces, not 4"));
  }
  const auto refusal = [&](const CutChoice& choice) {
    return refused_with([&] { choose_cuts(graph, find_cuts(graph), choice); });
  };
  EXPECT_EQ(refusal({.pieces = 0}), "a model has at least one piece");
  EXPECT_EQ(refusal({.flops_per_byte = std::nan("")}),
            "pieces of a model cannot be balanced with nan; give a number of 0 or more");
  EXPECT_EQ(refusal({.slack = -0.1}), "pieces of a model cannot be balanced with -0.1; give a number of 0 or more");
}

/// The work of the largest piece and the bytes of all cuts.
struct Worth {
  double work = 0;
  std::int64_t bytes = 0;
};

Worth worth_of(const std::vector<double>& before, const std::vector<Cut>& chosen) {
  Worth worth;
  std::size_t begin = 0;
  for (const Cut& cut : chosen) {
    worth.work = std::max(worth.work, before[cut.place] - before[begin]);
    worth.bytes += cut.bytes.value();
    begin = cut.place;
  }
  worth.work = std::max(worth.work, before.back() - before[begin]);
  return worth;
}

TEST(ChooseCuts, no_other_choice_is_better) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Graph graph = random_graph(seed, 14);
    const auto cuts = find_cuts(graph);
    const CutChoice choice{.pieces = 2 + seed % 3, .flops_per_byte = 1, .slack = 0.3};
    if (cuts.size() + 1 < choice.pieces) continue;
    std::vector<double> before{0};
    for (const int op : run_order(graph).ops) {
      const Cost one = cost(graph, graph.ops[static_cast<std::size_t>(op)]);
      ASSERT_TRUE(one.bytes);
      before.push_back(before.back() + std::max(one.flops.value_or(0), static_cast<double>(*one.bytes)));
    }
    std::vector<Worth> all;
    for (unsigned set = 0; set < 1U << cuts.size(); ++set) {
      if (static_cast<std::size_t>(__builtin_popcount(set)) + 1 != choice.pieces) continue;
      std::vector<Cut> some;
      for (std::size_t i = 0; i < cuts.size(); ++i)
        if (set >> i & 1U) some.push_back(cuts[i]);
      all.push_back(worth_of(before, some));
    }
    double least_work = std::numeric_limits<double>::max();
    for (const Worth& one : all) least_work = std::min(least_work, one.work);
    std::int64_t least_bytes = std::numeric_limits<std::int64_t>::max();
    for (const Worth& one : all)
      if (one.work <= least_work * 1.3) least_bytes = std::min(least_bytes, one.bytes);
    const Worth chosen = worth_of(before, choose_cuts(graph, cuts, choice));
    EXPECT_LE(chosen.work, least_work * (1.3 + 1e-9)) << "seed " << seed;
    EXPECT_EQ(chosen.bytes, least_bytes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace takt
