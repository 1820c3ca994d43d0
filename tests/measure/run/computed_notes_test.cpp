// What a run was computed in by its kernels' own words, with what runtimes tell of a quantised model written by hand.
#include "measure/operators/computed_notes.h"

#include <gmock/gmock.h>

#include "measure/run/results.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

OpSample in(ElementType type, const OpSample& sample) {
  return with(sample, [&](ExecutedNode& node) { node.computed_in = type; });
}

OpSample of(ElementType type, const std::string& name, const std::string& kind, std::int64_t lasts) {
  return in(type, sample(name, kind, 0, lasts, {name}));
}

RunResult one_run(std::vector<OpSample> ops) { return profiled_result({{10'000, std::move(ops)}}); }

/// conv and fold have pairs on both operands; plain has one on its data only.
Graph quantised_graph() {
  GraphSketch sketch;
  for (const char* weight : {"w", "v", "u"}) sketch.tensor(weight, true);
  return sketch.op("q", "QuantizeLinear", {"x"})
      .op("x_dq", "DequantizeLinear", {"q"})
      .op("w_dq", "DequantizeLinear", {"w"})
      .op("v_dq", "DequantizeLinear", {"v"})
      .op("conv", "Conv", {"x_dq", "w_dq"})
      .op("fold", "Conv", {"x_dq", "v_dq"})
      .op("plain", "MatMul", {"x_dq", "u"})
      .op("sum", "Add", {"conv", "plain"})
      .graph("sum");
}

TEST(ComputedNotes, of_a_usual_model_in_float32_say_nothing) {
  EXPECT_THAT(computed_notes(one_run({of(ElementType::f32, "conv", "Conv", 900)})), IsEmpty());
  EXPECT_THAT(computed_notes(one_run({sample("conv", "Conv", 0, 900)})), IsEmpty()) << "the runtime does not tell";
  EXPECT_THAT(computed_notes(RunResult()), IsEmpty()) << "without profiled runs";
}

TEST(ComputedNotes, name_types_by_their_time_without_what_moves_data) {
  EXPECT_THAT(computed_notes(one_run({of(ElementType::u8, "a", "Conv", 400), of(ElementType::i8, "b", "Conv", 200),
                                      of(ElementType::bf16, "c", "MatMul", 300), of(ElementType::f32, "d", "Add", 100),
                                      of(ElementType::f32, "r", "Reorder", 5000), sample("s", "Shape", 0, 5000)})),
              ElementsAre("computed in int8 (60 % of the time of operators), bfloat16 (30 %) and float32 (10 %)"));
  EXPECT_THAT(computed_notes(one_run({of(ElementType::f16, "a", "Conv", 995), of(ElementType::f32, "d", "Add", 5)})),
              ElementsAre("computed in float16 (100 % of the time of operators)"))
      << "less than 1 % is left out";
}

TEST(ComputedNotes, masks_are_no_numbers_of_8_bits_that_a_model_computes_in) {
  EXPECT_THAT(computed_notes(one_run({of(ElementType::u8, "n", "Not", 400), of(ElementType::u8, "w", "Where", 400),
                                      of(ElementType::u8, "l", "Less", 400), of(ElementType::f32, "d", "Add", 100)})),
              IsEmpty());
}

TEST(ComputedNotes, what_picks_numbers_computes_in_none) {
  EXPECT_THAT(
      computed_notes(one_run({of(ElementType::u8, "n", "NonZero", 400), of(ElementType::u8, "c", "Compress", 400),
                              of(ElementType::f32, "d", "Add", 100)})),
      IsEmpty());
}

TEST(ComputedNotes, operators_of_integers_that_ran_in_float_are_found) {
  GraphSketch sketch;
  sketch.tensor("w", true);
  RunResult result =
      one_run({of(ElementType::f32, "product", "MatMulInteger", 300), of(ElementType::u8, "conv", "QLinearConv", 700)});
  result.graph = sketch.op("product", "MatMulInteger", {"x", "w"}).op("conv", "QLinearConv", {"x", "w"}).graph("conv");
  EXPECT_THAT(computed_notes(result).back(),
              HasSubstr("1 of 2 convolutions, products and recurrences ran in float32, 30 % of the time of operators: "
                        "product (the runtime has no int8 kernel for them)"));
}

TEST(ComputedNotes, what_a_quantised_model_leaves_in_floating_point_is_named_with_the_reason) {
  RunResult result = one_run({of(ElementType::u8, "conv", "Conv", 400), of(ElementType::f32, "fold", "Conv", 350),
                              of(ElementType::f32, "plain", "MatMul", 150), of(ElementType::f32, "sum", "Add", 100)});
  result.graph = quantised_graph();
  const auto notes = computed_notes(result);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_THAT(notes[1], HasSubstr("the model is quantised, but 2 of 3 convolutions, products and recurrences ran in "
                                  "float32, 50 % of the time of operators: fold (the runtime has no int8 kernel for "
                                  "their QuantizeLinear and DequantizeLinear pairs as they are); plain (the model does "
                                  "not quantise both of their inputs)"));
}

TEST(ComputedNotes, a_quantised_model_in_int8_has_no_finding) {
  RunResult result = one_run({of(ElementType::u8, "conv", "Conv", 400), of(ElementType::i8, "fold", "Conv", 350),
                              of(ElementType::f32, "sum", "Add", 100)});
  result.graph = quantised_graph();
  for (const std::string& note : computed_notes(result)) EXPECT_THAT(note, Not(HasSubstr("quantised, but")));
}

// Weights alone: they are unpacked for products in floating point, which is what such a model is for.
TEST(ComputedNotes, a_model_with_quantised_weights_only_may_compute_in_floating_point) {
  RunResult result = one_run({of(ElementType::f32, "conv", "Conv", 400)});
  GraphSketch sketch;
  sketch.tensor("w", true);
  result.graph = sketch.op("w_dq", "DequantizeLinear", {"w"}).op("conv", "Conv", {"x", "w_dq"}).graph("conv");
  EXPECT_THAT(computed_notes(result), IsEmpty());
}

TEST(ComputedNotes, of_many_operators_four_are_named) {
  GraphSketch sketch;
  sketch.tensor("w", true);
  sketch.op("q", "QuantizeLinear", {"x"});
  std::vector<OpSample> ops;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "m" + std::to_string(i);
    sketch.op(name, "MatMul", {"x", "w"});
    ops.push_back(of(ElementType::f32, name, "MatMul", 100));
  }
  RunResult result = one_run(ops);
  result.graph = sketch.graph("m5");
  EXPECT_THAT(computed_notes(result), ElementsAre(HasSubstr("m0, m1, m2, m3 and 2 more (the model")));
}

}  // namespace
}  // namespace takt
