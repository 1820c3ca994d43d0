#include "model/inputs/dimensions.h"

#include <gmock/gmock.h>

#include <set>

#include "model/inputs/usual_sizes.h"
#include "model/onnx/builder.h"

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

TEST(DimensionGuess, a_convolution_in_groups_reads_as_many_channels_as_all_groups_together) {
  ModelBuilder b;
  const auto image = b.symbolic_input("image", ElementType::f32, "n,channels,h,w");
  b.output(b.node("Conv", {image, b.weight({8, 5, 3, 3})}, {{"group", std::int64_t{2}}}));
  const Graph graph = b.build().graph;
  const Port port = open_port("image", {"n", "channels", "h", "w"});
  EXPECT_THAT(first_choice(DimensionGuess(&graph, {port}, {}), port), ElementsAre(1, 10, 224, 224));
}

TEST(DimensionGuess, a_size_of_one_that_is_stretched_says_nothing_of_the_other) {
  for (const Shape& stretched : {Shape{1, 1}, Shape{1, 9}}) {
    ModelBuilder b;
    b.output(b.node("Add", {b.symbolic_input("x", ElementType::f32, "rows,inner"), b.weight(stretched)}));
    const Graph graph = b.build().graph;
    const Port port = open_port("x", {"rows", "inner"});
    EXPECT_THAT(first_choice(DimensionGuess(&graph, {port}, {}), port), ElementsAre(1, stretched[1] == 1 ? 16 : 9));
  }
}

TEST(DimensionGuess, what_is_cut_into_blocks_or_parts_is_a_multiple_of_them) {
  ModelBuilder b;
  const auto x = b.symbolic_input("x", ElementType::f32, "n,c,h,w"),
             y = b.symbolic_input("y", ElementType::f32, "1,width");
  b.output(b.node("DepthToSpace", {x}, {{"blocksize", std::int64_t{3}}}));
  b.output(b.node("SpaceToDepth", {x}, {{"blocksize", std::int64_t{5}}}));
  b.output(b.node("Split", {y}, {{"axis", std::int64_t{-1}}}, {.outputs = {"one", "two", "three"}}));
  const Graph graph = b.build().graph;
  const Port image = open_port("x", {"n", "c", "h", "w"});
  const Port rows{"y", ElementType::f32, {{1, ""}, {std::nullopt, "width"}}};
  const DimensionGuess guess(&graph, {image, rows}, {});
  EXPECT_THAT(first_choice(guess, image), ElementsAre(1, 9, 225, 225));
  EXPECT_EQ(first_choice(guess, rows)[1] % 3, 0);
}

TEST(DimensionGuess, limits_are_kept_in_every_try_and_make_no_dimensions_equal) {
  const Port port = open_port("x", {"2..4", "1..10", "1..10", "300.."});
  const DimensionGuess guess(nullptr, {port}, {});
  EXPECT_THAT(first_choice(guess, port), ElementsAre(2, 3, 10, 300));
  bool differ = false;
  for (std::size_t number = 0; number < guess.tries(); ++number) {
    const Shape shape = guess.shape_of(port, {}, number);
    EXPECT_TRUE(shape[0] >= 2 && shape[0] <= 4 && shape[1] <= 10 && shape[2] <= 10 && shape[3] >= 300)
        << to_string(shape);
    differ = differ || shape[1] != shape[2];
  }
  EXPECT_TRUE(differ);
}

TEST(DimensionGuess, a_kernel_larger_than_the_usual_size_makes_the_input_larger) {
  ModelBuilder b;
  b.output(b.node("Conv", {b.symbolic_input("x", ElementType::f32, "n,1,length"), b.weight({4, 1, 400})}));
  const Graph graph = b.build().graph;
  Port port = open_port("x", {"n", "", "length"});
  port.shape[1] = {1, ""};
  EXPECT_THAT(first_choice(DimensionGuess(&graph, {port}, {}), port), ElementsAre(1, 1, 400));
}

TEST(DimensionGuess, a_kernel_with_gaps_reaches_as_far_as_they_are_wide) {
  ModelBuilder b;
  b.output(b.node("Conv", {b.symbolic_input("x", ElementType::f32, "n,1,length"), b.weight({4, 1, 400})},
                  {{"dilations", {3}}, {"pads", {7, 8}}}));
  const Graph graph = b.build().graph;
  Port port = open_port("x", {"n", "", "length"});
  port.shape[1] = {1, ""};
  EXPECT_THAT(first_choice(DimensionGuess(&graph, {port}, {}), port), ElementsAre(1, 1, 399 * 3 + 1 - 15));
}

TEST(DimensionGuess, a_product_of_a_turned_matrix_takes_its_rows) {
  ModelBuilder b;
  b.output(b.node("Gemm", {b.symbolic_input("x", ElementType::f32, "rows,columns"), b.weight({13, 4})},
                  {{"transA", std::int64_t{1}}}));
  const Graph graph = b.build().graph;
  const Port port = open_port("x", {"rows", "columns"});
  EXPECT_EQ(first_choice(DimensionGuess(&graph, {port}, {}), port)[0], 13);
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

TEST(DimensionGuess, a_total_is_what_was_before_and_what_is_new) {
  const Port ids = open_port("ids", {"batch", "sequence_length"});
  const Port mask = open_port("mask", {"batch", "total_sequence_length"});
  const Port past = open_port("past", {"batch", "past_sequence_length"});
  const DimensionGuess all(nullptr, {ids, mask, past}, {});
  EXPECT_THAT(first_choice(all, mask), ElementsAre(1, 32));
  EXPECT_THAT(first_choice(all, mask, {{"ids", {1, 1}}, {"past", {1, 127}}}), ElementsAre(1, 128));
  EXPECT_THAT(first_choice(DimensionGuess(nullptr, {ids, mask}, {}), mask), ElementsAre(1, 16)) << "of nothing before";
}

/// com.microsoft's Attention of rows {batch, words, 8} with a mask of `mask` and, where it is not empty, a past.
ModelBuilder packed_attention(const std::string& mask, const std::string& past) {
  ModelBuilder b;
  std::vector<std::string> read{b.symbolic_input("x", ElementType::f32, "b,words,8"), b.weight({8, 24}), b.weight({24}),
                                b.symbolic_input("mask", ElementType::i32, mask)};
  if (!past.empty()) read.push_back(b.symbolic_input("past", ElementType::f32, past));
  b.output(b.node("Attention", read, {{"num_heads", std::int64_t{2}}}, {.domain = "com.microsoft"}));
  return b;
}

TEST(DimensionGuess, a_mask_of_fused_attention_is_for_earlier_words_and_new_ones) {
  const Port x = open_port("x", {"b", "words", "eight"}),
             past = open_port("past", {"two", "b", "heads", "before", "d"});
  const auto chosen = [&](const std::string& mask, const std::string& kept, const Port& port,
                          const std::map<std::string, Shape>& given = {}) {
    const Graph graph = packed_attention(mask, kept).build().graph;
    return first_choice(DimensionGuess(&graph, {x, port, past}, {}), port, given);
  };
  const Port mask = open_port("mask", {"b", "all"});
  EXPECT_THAT(chosen("b,all", "2,b,2,before,4", mask), ElementsAre(1, 32));
  EXPECT_THAT(chosen("b,all", "2,b,2,before,4", mask, {{"x", {1, 1, 8}}}), ElementsAre(1, 17));
  EXPECT_THAT(chosen("b,all", "", mask, {{"x", {1, 5, 8}}}), ElementsAre(1, 5)) << "without a past";
  const Port same = open_port("mask", {"b", "words"});
  EXPECT_THAT(chosen("b,words", "2,b,2,before,4", same), ElementsAre(1, 16)) << "no sum of itself";
}

TEST(DimensionGuess, later_tries_change_what_was_only_usual) {
  ModelBuilder b;
  b.output(b.node("Gemm", {b.symbolic_input("x", ElementType::f32, "batch,features"), b.weight({13, 4})}));
  const Graph graph = b.build().graph;
  const Port fixed = open_port("x", {"batch", "features"}), free = open_port("y", {"batch", "anything"});
  const DimensionGuess guess(&graph, {fixed, free}, {});
  EXPECT_THAT(guess.shape_of(fixed, {}, 2), ElementsAre(1, 13));
  EXPECT_NE(guess.shape_of(free, {}, 0), guess.shape_of(free, {}, 2));
  EXPECT_EQ(guess.shape_of(free, {}, 2)[0], 1);
}

TEST(DimensionGuess, open_dimensions_are_tried_one_at_a_time_too) {
  const Port x = open_port("x", {"p", "q"}), y = open_port("y", {"u", "v"});
  const DimensionGuess guess(nullptr, {x, y}, {});
  std::set<std::vector<std::int64_t>> tried;
  for (std::size_t number = 0; number < guess.tries(); ++number) {
    auto both = guess.shape_of(x, {}, number);
    const auto other = guess.shape_of(y, {}, number);
    both.insert(both.end(), other.begin(), other.end());
    tried.insert(both);
  }
  EXPECT_TRUE(tried.count({1, 224, 1, 224})) << "together";
  EXPECT_TRUE(tried.count({1, 224, 1, 16})) << "q alone";
  EXPECT_TRUE(tried.count({1, 224, 1, 1})) << "q alone, with what is neutral elsewhere";
  EXPECT_TRUE(tried.count({1, 16, 64, 16})) << "what looked like a batch";
  EXPECT_LE(guess.tries(), 150u);
}

TEST(DimensionGuess, inputs_that_are_open_as_a_whole_beside_a_picture_are_tried_as_ones_next) {
  Port picture = open_port("src", {"batch", "", "height", "width"});
  picture.shape[1] = {3, ""};
  const Port state = open_port("state", {"batch", "channels1", "height1", "width1"});
  const DimensionGuess guess(nullptr, {picture, state}, {});
  EXPECT_THAT(guess.shape_of(state, {}, 0), ElementsAre(1, 3, 224, 224));
  EXPECT_THAT(guess.shape_of(state, {}, 1), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(guess.shape_of(picture, {}, 1), ElementsAre(1, 3, 224, 224));
  EXPECT_THAT(guess.shape_of(state, {{"state", {1, 8, 2, 2}}}, 1), ElementsAre(1, 8, 2, 2));
  const DimensionGuess alone(nullptr, {state}, {});
  EXPECT_THAT(alone.shape_of(state, {}, 1), ElementsAre(1, 64, 64, 64)) << "the first of the other sizes";
  EXPECT_THAT(alone.shape_of(state, {}, 2), ElementsAre(1, 224, 224, 224));
}

TEST(DimensionGuess, pictures_of_bytes_and_those_that_are_turned_first_have_their_channels_last) {
  const std::vector<std::string> open{"", "", "", ""};
  Port bytes = open_port("image", open), three_last = open_port("image", open), planes = open_port("image", open);
  bytes.type = ElementType::u8;
  three_last.shape[3] = {3, ""};
  EXPECT_THAT(first_choice(DimensionGuess(nullptr, {bytes}, {}), bytes), ElementsAre(1, 224, 224, 3));
  EXPECT_THAT(first_choice(DimensionGuess(nullptr, {three_last}, {}), three_last), ElementsAre(1, 224, 224, 3));
  EXPECT_THAT(first_choice(DimensionGuess(nullptr, {planes}, {}), planes), ElementsAre(1, 3, 224, 224));
  ModelBuilder turned, straight;
  const auto scaled =
      turned.node("Div", {turned.symbolic_input("image", ElementType::f32, "?,?,?,?"), turned.floats({255}, {})});
  turned.output(turned.node("Transpose", {scaled}, {{"perm", {0, 3, 1, 2}}}));
  const Graph turned_graph = turned.build().graph;
  EXPECT_THAT(first_choice(DimensionGuess(&turned_graph, {planes}, {}), planes), ElementsAre(1, 224, 224, 3));
  const auto cast =
      straight.node("Cast", {straight.symbolic_input("image", ElementType::u8, "?,?,?,?")}, {{"to", std::int64_t{1}}});
  straight.output(straight.node("Conv", {cast, straight.weight({8, 3, 3, 3})}));
  const Graph straight_graph = straight.build().graph;
  EXPECT_THAT(first_choice(DimensionGuess(&straight_graph, {bytes}, {}), bytes)[3], 224);
}

TEST(DimensionGuess, sound_lasts_a_second_and_a_state_has_a_batch_of_one) {
  const Port wave = open_port("waveform", {"batch", "length"});
  EXPECT_THAT(first_choice(DimensionGuess(nullptr, {wave}, {}), wave), ElementsAre(1, 16000));
  Port state = open_port("carried", {"", "", ""});
  state.shape[0] = {2, ""}, state.shape[2] = {128, ""};
  EXPECT_THAT(first_choice(DimensionGuess(nullptr, {state}, {}), state), ElementsAre(2, 1, 128));
  Port features = open_port("features", {"", "", ""});
  features.shape[2] = {40, ""};
  ModelBuilder b;
  b.output(b.node(
      "GRU", {b.symbolic_input("features", ElementType::f32, "?,?,40"), b.weight({1, 72, 40}), b.weight({1, 72, 24})},
      {{"hidden_size", std::int64_t{24}}}));
  const Graph graph = b.build().graph;
  EXPECT_THAT(first_choice(DimensionGuess(&graph, {features}, {}), features), ElementsAre(16, 1, 40)) << "steps first";
}

TEST(DimensionGuess, names_tell_the_usual_size) {
  const auto size = [](const std::string& symbol, std::size_t index = 1) {
    Port port = open_port("x", {"", "", ""});
    port.shape[index].symbol = symbol;
    return usual_size(port, index, false);
  };
  const std::map<std::string, std::int64_t> usual{{"batch_size", 1},
                                                  {"N", 1},
                                                  {"b", 1},
                                                  {"bs", 1},
                                                  {"Height", 224},
                                                  {"w", 224},
                                                  {"channels", 3},
                                                  {"c", 3},
                                                  {"num_samples", 16000},
                                                  {"seq", 16},
                                                  {"sentence_len", 16},
                                                  {"token", 16},
                                                  {"s", 16},
                                                  {"T", 16},
                                                  {"time", 100},
                                                  {"frames", 100},
                                                  {"anything", 16},
                                                  {"nn", 16}};
  for (const auto& [symbol, expected] : usual) EXPECT_EQ(size(symbol), expected) << symbol;
  EXPECT_EQ(size("samples", 0), 1) << "in front, they are how many";
  EXPECT_EQ(size("", 0), 1);
}

TEST(DimensionGuess, places_tell_the_usual_size_of_what_has_no_name) {
  using Sizes = std::vector<std::optional<std::int64_t>>;
  constexpr auto open = std::nullopt;
  struct Case {
    const char* name;
    Sizes sizes;
    Shape shape;
  };
  for (const auto& [name, sizes, shape] :
       {Case{"x", {open}, {1}}, Case{"x", {open, open}, {1, 16}}, Case{"x", {open, open, open}, {1, 16, 16}},
        Case{"x", {open, open, open, open}, {1, 3, 224, 224}},
        Case{"x", {open, open, open, open, open}, {1, 16, 16, 16, 16}},
        // A state has layers in front, more than one of them, or says so.
        Case{"x", {2, open, 128}, {2, 1, 128}}, Case{"x", {1, open, 128}, {1, 16, 128}},
        Case{"h0", {1, open, 128}, {1, 1, 128}}, Case{"hidden", {1, open, 128}, {1, 1, 128}},
        Case{"h", {1, open, 128}, {1, 1, 128}}, Case{"ch", {1, open, 128}, {1, 16, 128}},
        // What a decoder keeps: heads and width are fixed, words are open.
        Case{"past", {open, 12, open, 64}, {1, 12, 16, 64}}, Case{"past", {open, 12, open, open}, {1, 12, 224, 224}},
        // The fourth is few where channels are last.
        Case{"x", {open, open, open, 4}, {1, 224, 224, 4}}, Case{"x", {open, open, open, 5}, {1, 3, 224, 5}},
        Case{"x", {open, 3, open, open}, {1, 3, 224, 224}}}) {
    Port port = open_port(name, std::vector<std::string>(sizes.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) port.shape[i].value = sizes[i];
    EXPECT_EQ(first_choice(DimensionGuess(nullptr, {port}, {}), port), shape) << name << " " << to_string(port.shape);
  }
}

TEST(DimensionGuess, of_several_inputs_each_has_its_own_sizes) {
  ModelBuilder b;
  const auto a = b.symbolic_input("a", ElementType::f32, "?,?"), c = b.symbolic_input("c", ElementType::f32, "?,?"),
             d = b.symbolic_input("d", ElementType::f32, "?,?");
  b.output(b.node("MatMul", {a, b.weight({13, 4})}));
  b.output(b.node("MatMul", {c, b.weight({7, 4})}));
  b.output(b.node("Add", {c, d}));
  const Graph graph = b.build().graph;
  const std::vector<Port> ports{open_port("a", {"", ""}), open_port("c", {"", ""}), open_port("d", {"", ""})};
  const DimensionGuess guess(&graph, ports, {});
  EXPECT_THAT(first_choice(guess, ports[0]), ElementsAre(1, 13));
  EXPECT_THAT(first_choice(guess, ports[1]), ElementsAre(1, 7));
  EXPECT_THAT(first_choice(guess, ports[2]), ElementsAre(1, 7)) << "as what it is added to";
  EXPECT_THAT(first_choice(guess, ports[2], {{"c", {5, 7}}}), ElementsAre(5, 7));
  EXPECT_THAT(first_choice(guess, ports[0], {{"c", {5, 7}}}), ElementsAre(1, 13));
}

TEST(DimensionGuess, sound_of_one_or_two_channels_lasts_a_second) {
  const auto last_of = [](const std::string& name, std::vector<std::optional<std::int64_t>> sizes) {
    Port port = open_port(name, std::vector<std::string>(sizes.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) port.shape[i].value = sizes[i];
    return first_choice(DimensionGuess(nullptr, {port}, {}), port).back();
  };
  constexpr auto open = std::nullopt;
  EXPECT_EQ(last_of("audio", {open}), 16000);
  EXPECT_EQ(last_of("audio", {open, open}), 16000);
  EXPECT_EQ(last_of("audio", {open, 1, open}), 16000);
  EXPECT_EQ(last_of("audio", {open, 2, open}), 16000) << "stereo";
  EXPECT_EQ(last_of("audio", {open, 3, open}), 16) << "no wave form";
  EXPECT_EQ(last_of("audio", {open, open, open}), 16000);
  EXPECT_NE(last_of("audio", {open, 2, 8, open}), 16000);
  EXPECT_EQ(last_of("picture", {open, 2, open}), 16);
}

TEST(DimensionGuess, trees_and_linear_models_have_as_many_columns_as_they_look_at) {
  const auto columns = [](const std::string& type, const std::vector<NamedAttribute>& attributes) {
    ModelBuilder b;
    b.output(b.node(type, {b.symbolic_input("x", ElementType::f32, "?,?")}, attributes, {.domain = "ai.onnx.ml"}));
    const Graph graph = b.build().graph;
    const Port port = open_port("x", {"", ""});
    return first_choice(DimensionGuess(&graph, {port}, {}), port)[1];
  };
  EXPECT_EQ(columns("TreeEnsembleClassifier", {{"nodes_featureids", {3, 29, 0}}}), 30);
  EXPECT_EQ(
      columns("LinearRegressor", {{"coefficients", std::vector<float>(22)}, {"intercepts", std::vector<float>(2)}}),
      11);
  EXPECT_EQ(columns("SVMRegressor", {{"support_vectors", std::vector<float>(35)}, {"n_supports", std::int64_t{5}}}), 7);
  EXPECT_EQ(columns("SVMClassifier", {{"support_vectors", std::vector<float>(30)}, {"vectors_per_class", {2, 4}}}), 5);
  EXPECT_EQ(columns("Scaler", {{"scale", std::vector<float>(9)}}), 9);
  EXPECT_EQ(columns("Scaler", {{"offset", std::vector<float>(9)}, {"scale", std::vector<float>(1)}}), 9);
  EXPECT_EQ(columns("Imputer", {{"imputed_value_floats", std::vector<float>(6)}}), 6);
  EXPECT_EQ(columns("Scaler", {{"scale", std::vector<float>(1)}}), 16) << "one for all columns";
  EXPECT_EQ(columns("SVMRegressor", {{"support_vectors", std::vector<float>(35)}, {"n_supports", std::int64_t{4}}}),
            16);
}

}  // namespace
}  // namespace takt
