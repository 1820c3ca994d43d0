#include "inputs/dimensions.h"

#include <gmock/gmock.h>

#include "graph/builder.h"

namespace takt {
namespace {

using testing::ElementsAre;

Port open_port(const std::string& name, std::vector<std::string> symbols) {
  Port port{name, ElementType::f32, {}};
  for (auto& symbol : symbols) port.shape.push_back({std::nullopt, std::move(symbol)});
  return port;
}

Shape first_choice(const DimensionGuess& guess, const Port& port, const std::map<std::string, Shape>& given = {}) {
  return guess.shape_of(port, given, 0);
}

TEST(DimensionGuess, takes_channels_and_rows_from_the_operators_that_read_an_input) {
  ModelBuilder b;
  auto image = b.symbolic_input("image", ElementType::f32, "n,channels,h,w");
  auto rows = b.symbolic_input("rows", ElementType::f32, "?,?");
  b.output(b.node("Conv", {image, b.weight({8, 5, 3, 3})}));
  b.output(b.node("Gemm", {rows, b.weight({4, 13})}, {{"transB", std::int64_t{1}}}));
  const Graph graph = b.build().graph;
  const Port images = open_port("image", {"n", "channels", "h", "w"}), tables = open_port("rows", {"", ""});
  const DimensionGuess guess(&graph, {images, tables}, {});
  EXPECT_THAT(first_choice(guess, images), ElementsAre(1, 5, 224, 224));
  EXPECT_THAT(first_choice(guess, tables), ElementsAre(1, 13));
}

TEST(DimensionGuess, a_kernel_larger_than_the_usual_size_makes_the_input_larger) {
  ModelBuilder b;
  b.output(b.node("Conv", {b.symbolic_input("x", ElementType::f32, "n,1,length"), b.weight({4, 1, 400})}));
  const Graph graph = b.build().graph;
  Port port = open_port("x", {"n", "", "length"});
  port.shape[1] = {1, ""};
  EXPECT_THAT(first_choice(DimensionGuess(&graph, {port}, {}), port), ElementsAre(1, 1, 400));
}

TEST(DimensionGuess, a_symbol_has_one_value_everywhere_and_follows_what_the_user_gave) {
  const Port x = open_port("x", {"rows", "inner"}), y = open_port("y", {"inner", "columns"});
  const DimensionGuess guess(nullptr, {x, y}, {});
  EXPECT_THAT(first_choice(guess, x), ElementsAre(1, 16));
  EXPECT_THAT(first_choice(guess, y), ElementsAre(16, 16));
  EXPECT_THAT(first_choice(guess, y, {{"x", {2, 7}}}), ElementsAre(7, 16));
}

TEST(DimensionGuess, symbols_that_a_runtime_carried_to_a_table_of_positions_take_its_length) {
  ModelBuilder b;
  auto ids = b.symbolic_input("ids", ElementType::i64, "batch,sequence");
  auto words = b.node("Gather", {b.weight({50, 8}), ids}, {}, {.outputs = {"words"}});
  b.output(b.node("Add", {words, b.weight({1, 12, 8})}));
  const Graph graph = b.build().graph;
  const Port port = open_port("ids", {"batch", "sequence"});
  const std::map<std::string, PartialShape> inferred{{"words", {{{}, "batch"}, {{}, "sequence"}, {8, ""}}}};
  EXPECT_THAT(first_choice(DimensionGuess(&graph, {port}, inferred), port), ElementsAre(1, 12));
}

TEST(DimensionGuess, adds_up_names_as_exporters_of_decoders_write_them) {
  const Port ids = open_port("ids", {"batch", "sequence_length"});
  const Port mask = open_port("mask", {"batch", "past_sequence_length + sequence_length"});
  const Port past = open_port("past", {"batch", "past_sequence_length"});
  EXPECT_THAT(first_choice(DimensionGuess(nullptr, {ids, mask, past}, {}), mask), ElementsAre(1, 32));
}

TEST(DimensionGuess, later_attempts_change_what_was_only_usual) {
  ModelBuilder b;
  b.output(b.node("Gemm", {b.symbolic_input("x", ElementType::f32, "batch,features"), b.weight({13, 4})}));
  const Graph graph = b.build().graph;
  const Port fixed = open_port("x", {"batch", "features"}), free = open_port("y", {"batch", "anything"});
  const DimensionGuess guess(&graph, {fixed, free}, {});
  EXPECT_THAT(guess.shape_of(fixed, {}, 2), ElementsAre(1, 13));
  EXPECT_NE(guess.shape_of(free, {}, 0), guess.shape_of(free, {}, 2));
  EXPECT_EQ(guess.shape_of(free, {}, 2)[0], 1);
}

}  // namespace
}  // namespace takt
