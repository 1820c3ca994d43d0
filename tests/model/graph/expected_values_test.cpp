// What operators need the integers to be that an input hands them.
#include "model/graph/expected_values.h"

#include <gmock/gmock.h>

#include "model/onnx/builder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto i64 = ElementType::i64, i32 = ElementType::i32, f32 = ElementType::f32;

/// "INPUT FIRST[+STEP…] TYPE[ (length)]" for each input of which something is expected.
std::vector<std::string> expected(const ModelBuilder& model) {
  const Graph graph = model.build().graph;
  std::vector<std::string> found;
  for (const auto& one : find_expected_values(graph))
    found.push_back(graph.tensor(one.input).name + " " + std::to_string(one.first) +
                    (one.step ? "+" + std::to_string(one.step) : "") + " " + one.type +
                    (one.is_length ? " (length)" : ""));
  return found;
}

TEST(ExpectedValues, divisors_are_one) {
  for (const char* type : {"Div", "Mod"}) {
    ModelBuilder b;
    b.output(b.node(type, {b.input("a", i64, {4}), b.input("b", i64, {4})}));
    EXPECT_THAT(expected(b), ElementsAre(std::string("b 1 ") + type));
  }
  ModelBuilder floats;
  floats.output(floats.node("Div", {floats.input("a", f32, {4}), floats.input("b", f32, {4})}));
  EXPECT_THAT(expected(floats), IsEmpty()) << "any other number will do";
}

TEST(ExpectedValues, a_table_of_one_row_has_row_0_only) {
  for (const std::int64_t rows : {1, 2}) {
    ModelBuilder b;
    const auto kinds = b.node("Cast", {b.input("kinds", i32, {1, 8})}, {{"to", std::int64_t{7}}});
    b.output(b.node("Gather", {b.weight({rows, 16}), kinds}));
    b.output(
        b.node("GatherElements", {b.weight({8, rows}), b.input("places", i64, {8, 1})}, {{"axis", std::int64_t{-1}}}));
    if (rows == 1)
      EXPECT_THAT(expected(b), ElementsAre("kinds 0 Gather", "places 0 GatherElements"));
    else
      EXPECT_THAT(expected(b), IsEmpty());
  }
}

TEST(ExpectedValues, boxes_are_of_the_first_picture) {
  ModelBuilder b;
  const auto x = b.input("x", f32, {1, 8, 32, 32}), boxes = b.symbolic_input("boxes", f32, "n,4");
  b.output(b.node("RoiAlign", {x, boxes, b.symbolic_input("pictures", i64, "n")}));
  EXPECT_THAT(expected(b), ElementsAre("pictures 0 RoiAlign"));
}

TEST(ExpectedValues, axes_parts_and_places_are_some_that_there_are) {
  ModelBuilder b;
  const auto x = b.input("x", f32, {4, 1, 6});
  b.output(b.node("CumSum", {x, b.input("axis", i64, {})}));
  b.output(b.node("Split", {x, b.input("parts", i64, {3})}, {{"axis", std::int64_t{-1}}},
                  {.outputs = {"one", "two", "three"}}));
  b.output(b.node("Split", {x, b.input("uneven", i64, {3})}, {}, {.outputs = {"first", "second", "third"}}));
  b.output(b.node("GatherND", {x, b.input("pair", i64, {5, 2})}));
  b.output(b.node("GatherND", {x, b.input("row", i64, {5, 1})}));
  b.output(b.node("ScatterND", {x, b.input("triple", i64, {2, 3}), b.input("news", f32, {2})}));
  EXPECT_THAT(expected(b), ElementsAre("axis 0 CumSum", "parts 2 Split", "pair 0 GatherND", "triple 0 ScatterND"));
}

TEST(ExpectedValues, parameters_of_operators_are_some_that_they_take) {
  ModelBuilder b;
  const auto x = b.input("x", f32, {4, 1, 6});
  b.output(b.node("Unsqueeze", {x, b.input("new_axes", i64, {2})}));
  b.output(b.node("ReduceSum", {x, b.input("summed", i64, {2})}));
  b.output(b.node("Squeeze", {x, b.input("left_out", i64, {1})}));
  b.output(
      b.node("Slice", {x, b.integers({0}), b.integers({3}), b.input("cut", i64, {1}), b.input("steps", i64, {1})}));
  b.output(b.node("Dropout", {x, b.input("ratio", f32, {})}));
  const auto parts = b.node("SplitToSequence", {x}, {{"keepdims", std::int64_t{1}}});
  b.output(b.node("SequenceAt", {parts, b.input("place", i64, {})}));
  b.output(b.node("Squeeze", {b.input("z", f32, {2, 3}), b.input("none", i64, {1})}));
  EXPECT_THAT(expected(b), ElementsAre("new_axes 0+1 Unsqueeze", "summed 0+1 ReduceSum", "left_out 1+1 Squeeze",
                                       "cut 0+1 Slice", "steps 1 Slice", "ratio 0 Dropout", "place 0 SequenceAt"));
}

TEST(ExpectedValues, steps_of_frames_are_a_quarter_of_one) {
  ModelBuilder b;
  const auto signal = b.input("signal", f32, {1, 256, 1});
  b.output(b.node("STFT", {signal, b.input("by_window", i64, {}), b.weight({64})}));
  b.output(b.node("STFT", {signal, b.input("by_length", i64, {}), "", b.integers({128}, {})}));
  b.output(b.node("STFT", {signal, b.input("by_nothing", i64, {}), "", b.input("frame", i64, {})}));
  b.output(b.node("DFT", {signal, b.input("points", i64, {})}));
  EXPECT_THAT(expected(b), ElementsAre("by_window 16 STFT (length)", "by_length 32 STFT (length)",
                                       "by_nothing 1 STFT (length)", "points 256 DFT (length)"));
}

TEST(ExpectedValues, sequences_are_as_long_as_they_can_be) {
  for (const std::int64_t batch_first : {0, 1}) {
    ModelBuilder b;
    const auto x = b.input("x", f32, {24, 9, 16});
    const auto lengths = b.input("lengths", i32, {batch_first ? 24 : 9});
    b.output(b.node("GRU", {x, b.weight({1, 12, 16}), b.weight({1, 12, 4}), "", lengths},
                    {{"hidden_size", std::int64_t{4}}, {"layout", batch_first}}));
    EXPECT_THAT(expected(b), ElementsAre(batch_first ? "lengths 9 GRU (length)" : "lengths 24 GRU (length)"));
  }
  ModelBuilder turned;
  turned.output(turned.node("ReverseSequence", {turned.input("x", f32, {3, 5}), turned.input("lengths", i64, {3})},
                            {{"time_axis", std::int64_t{1}}, {"batch_axis", std::int64_t{0}}}));
  EXPECT_THAT(expected(turned), ElementsAre("lengths 5 ReverseSequence (length)"));
  ModelBuilder open;
  open.output(
      open.node("ReverseSequence", {open.symbolic_input("x", f32, "t,n"), open.symbolic_input("lengths", i64, "n")}));
  EXPECT_THAT(expected(open), ElementsAre("lengths 1 ReverseSequence (length)")) << "as far as anybody knows";
}

/// With what is kept of 7 earlier words, for 3 new ones; `lengths` is what it reads as its lengths.
ModelBuilder grouped(const std::string& lengths, const std::string& total, ModelBuilder b) {
  const auto past = b.input("past", f32, {2, 1, 7, 8});
  b.output(b.node("GroupQueryAttention",
                  {b.input("q", f32, {2, 3, 16}), b.input("k", f32, {2, 3, 8}), b.input("v", f32, {2, 3, 8}), past,
                   past, lengths, total},
                  {{"num_heads", std::int64_t{2}}, {"kv_num_heads", std::int64_t{1}}}, {.domain = "com.microsoft"}));
  return b;
}

TEST(ExpectedValues, keys_are_the_earlier_and_the_new_ones) {
  ModelBuilder b;
  const auto last = b.input("seqlens_k", i32, {2}), total = b.input("total_sequence_length", i32, {});
  EXPECT_THAT(
      expected(grouped(last, total, std::move(b))),
      ElementsAre("seqlens_k 9 GroupQueryAttention (length)", "total_sequence_length 10 GroupQueryAttention (length)"));
}

TEST(ExpectedValues, a_mask_that_is_summed_to_a_length_is_full) {
  ModelBuilder b;
  const auto mask = b.input("mask", i64, {2, 10});
  const auto sum = b.node("ReduceSum", {mask, b.integers({1})}, {{"keepdims", std::int64_t{0}}});
  const auto last = b.node("Cast", {b.node("Sub", {sum, b.integers({1})})}, {{"to", std::int64_t{6}}});
  const auto total = b.raw(i32, {}, std::string("\x0a\0\0\0", 4));
  EXPECT_THAT(expected(grouped(last, total, std::move(b))), ElementsAre("mask 1 GroupQueryAttention (length)"));
}

TEST(ExpectedValues, what_comes_of_arithmetic_is_nobodys_index) {
  ModelBuilder b;
  const auto place = b.node("Sub", {b.input("place", i64, {4}), b.integers({1})});
  b.output(b.node("Gather", {b.weight({1, 16}), place}));
  EXPECT_THAT(expected(b), IsEmpty());
}

TEST(ExpectedValues, what_is_kept_of_each_sequence_stays_with_it) {
  Graph graph;
  const auto add = [&](const std::string& name, ElementType type) {
    Tensor tensor;
    tensor.name = name, tensor.type = type;
    graph.tensors.push_back(tensor);
    return static_cast<TensorId>(graph.tensors.size() - 1);
  };
  const TensorId beams = add("beam_idx", i32), kept = add("kept", f32), axis = add("axis", i32);
  graph.tensor(axis).is_constant = true, graph.tensor(axis).integers = {{0}};
  graph.inputs = {beams};
  Op read, gather;
  read.type = "ReadValue", read.domain = "openvino", read.outputs = {kept};
  gather.type = "Gather", gather.inputs = {kept, beams, axis}, gather.outputs = {add("past", f32)};
  graph.ops = {read, gather};
  const auto found = find_expected_values(graph);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].input, beams);
  EXPECT_EQ(found[0].first, 0);
  EXPECT_EQ(found[0].step, 1);
}

}  // namespace
}  // namespace takt
