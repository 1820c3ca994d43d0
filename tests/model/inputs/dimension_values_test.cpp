// Which sizes are tried, in which order, and what each operator and each name says of a size.
#include <gmock/gmock.h>

#include "model/inputs/dimensions.h"
#include "model/inputs/usual_sizes.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using Sizes = std::vector<std::optional<std::int64_t>>;
constexpr auto unset = std::nullopt;

Port port_of(const std::string& name, const std::vector<std::string>& symbols, ElementType type = ElementType::f32) {
  Port port{name, type, {}};
  for (const auto& symbol : symbols) port.shape.push_back({unset, symbol});
  return port;
}

Port sized_port(const std::string& name, const Sizes& sizes, ElementType type = ElementType::f32) {
  Port port{name, type, {}};
  for (const auto& size : sizes) port.shape.push_back({size, ""});
  return port;
}

/// The first choice for the input "x" of a model with this one operator, which also reads these weights.
Shape chosen_by(const std::string& type, const std::string& dims, const std::vector<Shape>& weights,
                const std::vector<NamedAttribute>& attributes = {}) {
  ModelBuilder b;
  std::vector<std::string> read{b.symbolic_input("x", ElementType::f32, dims)};
  for (const auto& shape : weights) read.push_back(shape == Shape{-1} ? "" : b.weight(shape));
  b.output(b.node(type, read, attributes));
  const Graph graph = b.build().graph;
  const Port port{"x", ElementType::f32, graph.tensor(graph.inputs.at(0)).shape.value()};
  return DimensionGuess(&graph, {port}, {}).shape_of(port, {}, 0);
}

TEST(DimensionTries, go_through_all_sizes_together_and_then_one_dimension_at_a_time) {
  const Port x = port_of("x", {"p", "q"});
  const DimensionGuess guess(nullptr, {x}, {});
  const auto tried = [&](std::size_t number) { return guess.shape_of(x, {}, number); };
  EXPECT_THAT(tried(0), ElementsAre(1, 16)) << "the usual";
  EXPECT_THAT(std::vector(other_sizes().begin(), other_sizes().end()),
              ElementsAre(64, 224, 32, 8, 128, 256, 512, 100, 640, 3000, 1, 3, 2, 1536, 480, 4096, 16'000));
  for (std::size_t i = 0; i < other_sizes().size(); ++i)
    EXPECT_THAT(tried(1 + i), ElementsAre(1, other_sizes()[i])) << "a batch stays as it is";
  EXPECT_THAT(tried(18), ElementsAre(64, 16)) << "p alone";
  EXPECT_THAT(tried(19), ElementsAre(64, 1));
  EXPECT_THAT(tried(20), ElementsAre(1, 64));
  EXPECT_THAT(tried(21), ElementsAre(1, 64));
  EXPECT_THAT(tried(58), ElementsAre(1, 1)) << "q alone: p is not tried with its usual 1";
  EXPECT_THAT(tried(83), ElementsAre(1, 16'000));
  EXPECT_EQ(guess.tries(), 1u + 17 + 2 * (16 + 17));
}

TEST(DimensionTries, are_not_more_than_150) {
  std::vector<Port> ports;
  for (const std::string name : {"a", "b", "c"}) ports.push_back(port_of(name, {name + "0", name + "1"}));
  EXPECT_EQ(DimensionGuess(nullptr, ports, {}).tries(), 150u) << "as they come in pairs";
}

TEST(DimensionTries, what_is_demanded_or_given_is_never_tried) {
  ModelBuilder b;
  b.output(b.node("MatMul", {b.symbolic_input("x", ElementType::f32, "p,q"), b.weight({13, 4})}));
  const Graph graph = b.build().graph;
  const Port x = port_of("x", {"p", "q"});
  const DimensionGuess guess(&graph, {x}, {});
  EXPECT_EQ(guess.tries(), 1u + 17 + 2 * 16);
  for (std::size_t number = 0; number < guess.tries(); ++number) EXPECT_EQ(guess.shape_of(x, {}, number)[1], 13);
  EXPECT_THAT(guess.shape_of(x, {{"x", {7, 5}}}, 3), ElementsAre(7, 5));
}

TEST(DimensionDemands, operators_that_broadcast_need_equal_sizes) {
  for (const char* type : {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mod", "And", "Equal", "Less",
                           "Greater", "Or", "PRelu", "Where"})
    EXPECT_THAT(chosen_by(type, "?,?", {{1, 9}}), ElementsAre(1, 9)) << type;
  EXPECT_THAT(chosen_by("Add", "?,?", {{9}}), ElementsAre(1, 9));
  EXPECT_THAT(chosen_by("Add", "?,?", {{7, 1}}), ElementsAre(7, 16));
  EXPECT_THAT(chosen_by("Sum", "?,?", {{1, 1}, {7, 9}}), ElementsAre(1, 16))
      << "neighbours are held against each other";
  for (const char* type : {"Concat", "Relu", "Expand"})
    EXPECT_THAT(chosen_by(type, "?,?", {{1, 9}}), ElementsAre(1, 16)) << type;
}

TEST(DimensionDemands, norms_products_and_convolutions) {
  for (const char* type : {"BatchNormalization", "InstanceNormalization"})
    EXPECT_THAT(chosen_by(type, "?,?,?", {{7}, {7}}), ElementsAre(1, 7, 16)) << type;
  EXPECT_THAT(chosen_by("LayerNormalization", "?,?,?", {{7}}), ElementsAre(1, 16, 7));
  EXPECT_THAT(chosen_by("MatMulInteger", "?,?", {{13, 4}}), ElementsAre(1, 13));
  EXPECT_THAT(chosen_by("MatMul", "?,?", {{13}}), ElementsAre(1, 13));
  EXPECT_THAT(chosen_by("MatMul", "?,?,?", {{2, 13, 4}}), ElementsAre(1, 16, 13));
  EXPECT_THAT(chosen_by("Gemm", "?,?", {{13, 4}}), ElementsAre(1, 13));
  EXPECT_THAT(chosen_by("Gemm", "?,?", {{13, 4}}, {{"transB", std::int64_t{1}}}), ElementsAre(1, 4));
  EXPECT_THAT(chosen_by("Gemm", "?,?,?", {{13, 4}}), ElementsAre(1, 16, 16)) << "no product of such";
  EXPECT_THAT(chosen_by("ConvTranspose", "?,?,?,?", {{5, 8, 300, 300}}), ElementsAre(1, 5, 224, 224));
  EXPECT_THAT(chosen_by("ConvTranspose", "?,?,?,?", {{5, 8, 3, 3}}, {{"group", std::int64_t{2}}}),
              ElementsAre(1, 5, 224, 224));
  EXPECT_THAT(chosen_by("Conv", "?,?,?", {{8, 5, 3, 3}}), ElementsAre(1, 16, 16)) << "of another rank";
  EXPECT_THAT(chosen_by("Conv", "?,?", {{8, 5}}), ElementsAre(1, 16));
  EXPECT_THAT(chosen_by("Conv", "?,?,?,?", {{8, 5, 300, 400}}), ElementsAre(1, 5, 300, 400));
  EXPECT_THAT(chosen_by("Conv", "?,?,?,?", {{8, 5, 300, 400}}, {{"pads", {1, 2, 3, 5}}}),
              ElementsAre(1, 5, 300 - 1 - 3, 400 - 2 - 5));
  EXPECT_THAT(chosen_by("Conv", "?,?,?,?", {{8, 5, 300, 400}}, {{"dilations", {2, 3}}}),
              ElementsAre(1, 5, 299 * 2 + 1, 399 * 3 + 1));
}

TEST(DimensionDemands, recurrent_layers_have_steps_a_batch_and_features) {
  for (const char* type : {"LSTM", "GRU", "RNN"}) {
    EXPECT_THAT(chosen_by(type, "?,?,?", {{1, 16, 7}, {1, 16, 4}}), ElementsAre(16, 1, 7)) << type;
    EXPECT_THAT(chosen_by(type, "?,?,?", {{1, 16, 7}, {1, 16, 4}}, {{"layout", std::int64_t{1}}}),
                ElementsAre(1, 16, 7));
    // The state that it begins with says the batch.
    EXPECT_THAT(chosen_by(type, "?,?,?", {{1, 16, 7}, {1, 16, 4}, {-1}, {-1}, {1, 3, 4}}), ElementsAre(16, 3, 7))
        << type;
  }
  EXPECT_THAT(chosen_by("LSTM", "?,?,?", {{1, 16, 7}, {1, 16, 4}, {-1}, {-1}, {-1}, {1, 3, 4}}), ElementsAre(16, 3, 7));
  EXPECT_THAT(chosen_by("LSTM", "?,?,?", {{1, 16, 7}, {1, 16, 4}, {-1}, {-1}, {-1}, {-1}, {1, 3, 4}}),
              ElementsAre(16, 1, 7))
      << "peepholes are no state";
  EXPECT_THAT(
      chosen_by("LSTM", "?,?,?", {{1, 16, 7}, {1, 16, 4}, {-1}, {-1}, {3, 5, 4}}, {{"layout", std::int64_t{1}}}),
      ElementsAre(3, 16, 7));
}

TEST(DimensionDemands, sums_of_names_add_what_each_has) {
  const Port mask = port_of("mask", {"batch", "past_sequence_length + one"}),
             past = port_of("past", {"batch", "past_sequence_length"});
  EXPECT_THAT(DimensionGuess(nullptr, {mask, past}, {}).shape_of(mask, {}, 0), ElementsAre(1, 16 + 1))
      << "what is not known is one";
  EXPECT_THAT(DimensionGuess(nullptr, {mask, past}, {}).shape_of(mask, {{"past", {1, 5}}}, 0), ElementsAre(1, 5 + 1));
}

/// An operator on the input and, in front or behind, weights of this shape; an empty optional: left out.
Graph reading(const std::string& type, const std::optional<Shape>& weights, bool weights_first = false) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {1});
  std::vector<std::string> read{"x", weights ? b.weight(*weights) : ""};
  if (weights_first) std::swap(read[0], read[1]);
  b.output(b.node(type, read));
  return b.build().graph;
}

TEST(GuessRank, is_that_of_the_weights_that_a_product_or_convolution_reads) {
  const auto rank = [](const Graph& graph) { return guess_rank(graph, graph.inputs.at(0)).size(); };
  for (const char* type : {"Conv", "ConvTranspose", "Gemm", "MatMul"})
    EXPECT_EQ(rank(reading(type, Shape{2, 2, 2, 2})), 4u) << type;
  EXPECT_EQ(rank(reading("MatMul", Shape{3})), 1u);
  EXPECT_EQ(rank(reading("Add", Shape{2, 2, 2, 2})), 2u) << "says nothing";
  EXPECT_EQ(rank(reading("MatMul", Shape{})), 2u);
  EXPECT_EQ(rank(reading("MatMul", unset)), 2u);
  EXPECT_EQ(rank(reading("MatMul", Shape{2, 2, 2, 2}, true)), 2u) << "it is the second factor";
  ModelBuilder b;
  b.input("x", ElementType::f32, {1});
  b.output(b.node("Conv", {"x", b.weight({2, 2, 2}), b.weight({2})}));
  b.output(b.node("Conv", {"x", b.weight({2, 2, 2, 2})}));
  EXPECT_EQ(rank(b.build().graph), 3u) << "the first that reads it, with a bias too";
}

TEST(UsualSizes, words_in_names_tell) {
  const auto size = [](const std::string& symbol) { return usual_size(port_of("x", {"", symbol, ""}), 1, false); };
  for (const auto& [symbol, expected] : std::map<std::string, std::int64_t>{{"n", 1},
                                                                            {"minibatch", 1},
                                                                            {"img_height", 224},
                                                                            {"WIDTH2", 224},
                                                                            {"h", 224},
                                                                            {"in_channels", 3},
                                                                            {"sample_count", 16'000},
                                                                            {"signals", 16'000},
                                                                            {"waveform", 16'000},
                                                                            {"seq_2", 16},
                                                                            {"max_len", 16},
                                                                            {"tokens", 16},
                                                                            {"s", 16},
                                                                            {"t", 16},
                                                                            {"timesteps", 100},
                                                                            {"n_frames", 100},
                                                                            {"batch_seq", 1},
                                                                            {"sequence_time", 16},
                                                                            {"", 16},
                                                                            {"x", 16},
                                                                            {"hh", 16}})
    EXPECT_EQ(size(symbol), expected) << symbol;
}

TEST(UsualSizes, sound_is_told_by_its_name_type_and_rank) {
  const auto last = [](const std::string& name, const Sizes& sizes, ElementType type = ElementType::f32) {
    const Port port = sized_port(name, sizes, type);
    return usual_size(port, sizes.size() - 1, false);
  };
  for (const char* name : {"Audio", "wav", "the_signal", "speech", "sound", "pcm", "input_values"})
    EXPECT_EQ(last(name, {unset, unset}), 16'000) << name;
  for (const auto type : {ElementType::f16, ElementType::bf16, ElementType::f64})
    EXPECT_EQ(last("audio", {unset, unset}, type), 16'000);
  EXPECT_EQ(last("audio", {unset, unset}, ElementType::i64), 16) << "no wave form but indices";
  EXPECT_EQ(last("values", {unset, unset}), 16);
  Port named = sized_port("audio", {unset, unset});
  named.shape[1].symbol = "time";
  EXPECT_EQ(usual_size(named, 1, false), 16'000) << "its time is counted in samples";
  named.shape[1].symbol = "batch";
  EXPECT_EQ(usual_size(named, 1, false), 1);
}

TEST(UsualSizes, a_state_is_told_by_its_name_or_its_layers) {
  const auto middle = [](const std::string& name, std::int64_t layers) {
    return usual_size(sized_port(name, {layers, unset, 8}), 1, false);
  };
  for (const char* name : {"State", "my_hidden", "cells", "h", "c", "h0", "c0_in", "h_0", "c_1"})
    EXPECT_EQ(middle(name, 1), 1) << name;
  for (const char* name : {"x", "hh", "ch", "features"}) EXPECT_EQ(middle(name, 1), 16) << name;
  EXPECT_EQ(middle("x", 2), 1) << "of two layers";
}

TEST(UsualSizes, channels_are_last_where_few_or_where_what_reads_them_turns_them) {
  const auto last = [](const Sizes& sizes, ElementType type = ElementType::f32) {
    return has_channels_last(nullptr, sized_port("x", sizes, type));
  };
  EXPECT_TRUE(last({unset, unset, unset, 4}));
  EXPECT_FALSE(last({unset, unset, unset, 5}));
  EXPECT_FALSE(last({unset, 3, unset, 4}));
  EXPECT_FALSE(last({unset, 3, unset, unset}, ElementType::u8));
  EXPECT_TRUE(last({unset, unset, unset, unset}, ElementType::u8));
  EXPECT_FALSE(last({unset, unset, unset, unset}));
  EXPECT_FALSE(last({unset, unset, 3}, ElementType::u8));
  const auto turned_behind = [](const std::string& type, std::initializer_list<std::int64_t> perm = {0, 3, 1, 2}) {
    ModelBuilder b;
    const auto x = b.symbolic_input("x", ElementType::f32, "?,?,?,?");
    b.output(b.node("Transpose", {b.node(type, {x, b.floats({2}, {})})}, {{"perm", perm}}));
    const Graph graph = b.build().graph;
    return has_channels_last(&graph, sized_port("x", {unset, unset, unset, unset}));
  };
  for (const char* type :
       {"Cast", "Sub", "Add", "Mul", "Div", "Identity", "QuantizeLinear", "DequantizeLinear", "Clip"})
    EXPECT_TRUE(turned_behind(type)) << type;
  EXPECT_FALSE(turned_behind("Relu"));
  EXPECT_FALSE(turned_behind("Cast", {0, 2, 3, 1}));
}

}  // namespace
}  // namespace takt
