#include "predict/fit/kernel_facts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/error.h"
#include "predict/fit/machine_constants.h"
#include "predict/fit/shape_features.h"

namespace takt {
namespace {

KernelTensor tensor(Shape shape, KernelInput kind = KernelInput::activation) {
  KernelTensor made;
  made.kind = kind, made.type = ElementType::f32, made.shape = std::move(shape);
  return made;
}

KernelRecord convolution(std::int64_t groups) {
  KernelRecord record;
  record.name = "Conv_Relu";
  record.layout = "nchwc";
  record.attributes = {{"strides", std::vector<std::int64_t>{2, 2}},
                       {"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
                       {"dilations", std::vector<std::int64_t>{1, 1}},
                       {"kernel_shape", std::vector<std::int64_t>{3, 3}},
                       {"group", groups}};
  record.inputs = {tensor({2, 16, 8, 8}), tensor({32, 16 / groups, 3, 3}, KernelInput::weight)};
  record.outputs = {tensor({2, 32, 4, 4})};
  return record;
}

KernelRecord sum(Shape shape) {
  KernelRecord record;
  record.name = "Add";
  record.inputs = {tensor(shape), tensor(shape)};
  record.outputs = {tensor(shape)};
  return record;
}

TEST(KernelFacts, a_convolution_is_a_product_of_matrices) {
  KernelGraph graph;
  graph.kernels = {{"conv", "c", {"x"}, {"y"}, {}, {}, {}}};
  const auto all = facts_of(graph, {{"c", convolution(1)}}, 2);
  const KernelFacts& facts = all.front();
  EXPECT_EQ(facts.group, KernelGroup::conv);
  EXPECT_EQ(facts.op_type, "Conv_Relu");
  EXPECT_EQ(facts.input_shape, "2x16x8x8");
  EXPECT_EQ(facts[Feature::rows], 2 * 4 * 4);
  EXPECT_EQ(facts[Feature::inner], 16 * 3 * 3);
  EXPECT_EQ(facts[Feature::columns], 32);
  EXPECT_EQ(facts[Feature::stride], 4);
  EXPECT_EQ(facts[Feature::padding], 4);
  EXPECT_EQ(facts[Feature::weight_bytes], 4 * 32 * 16 * 9);
  EXPECT_EQ(facts[Feature::threads], 2);
  EXPECT_TRUE(std::isnan(facts[Feature::axis_size]));
  EXPECT_TRUE(std::isnan(facts[Feature::flops]));  // the record does not tell: not none
}

TEST(KernelFacts, convolutions_of_groups_are_a_group_of_their_own) {
  KernelGraph graph;
  graph.kernels = {{"conv", "c", {"x"}, {"y"}, {}, {}, {}}};
  const auto facts = facts_of(graph, {{"c", convolution(16)}}, 1).front();
  EXPECT_EQ(facts.group, KernelGroup::depthwise);
  EXPECT_EQ(facts[Feature::matrices], 16);
  EXPECT_EQ(facts[Feature::columns], 2);
  EXPECT_EQ(facts[Feature::inner], 9);
}

TEST(KernelFacts, a_models_own_bytes_are_those_of_its_inputs_and_outputs_each_once) {
  KernelGraph graph;
  graph.inputs = {"x", "unread"}, graph.outputs = {"c", "b"};
  graph.kernels = {{"a", "small", {"x", "x"}, {"a"}, {}, {}, {}},
                   {"b", "small", {"a", "x"}, {"b"}, {}, {}, {}},
                   {"c", "small", {"b", "x"}, {"c"}, {}, {}, {}}};
  EXPECT_EQ(io_bytes_of(graph, {{"small", sum({10})}}), 3 * 10 * 4) << "x, b and c; what nobody reads is not brought";
}

// x → a → b, a → c → d(b, c): what d reads first was made by b; between them c was executed.
TEST(KernelFacts, the_context_is_what_was_touched_since_the_input_was_made) {
  KernelGraph graph;
  graph.kernels = {{"a", "small", {"x", "x"}, {"a"}, {}, {}, {}},
                   {"b", "large", {"a", "a"}, {"b"}, {}, {}, {}},
                   {"c", "small", {"a", "a"}, {"c"}, {}, {}, {}},
                   {"d", "large", {"b", "b"}, {"d"}, {}, {}, {}}};
  const auto all = facts_of(graph, {{"small", sum({10})}, {"large", sum({100})}}, 1);
  const double small = 3 * 10 * 4;
  EXPECT_EQ(all[0][Feature::reuse_bytes], 0);
  EXPECT_EQ(all[1][Feature::reuse_bytes], 0);
  EXPECT_EQ(all[2][Feature::reuse_bytes], 3 * 100 * 4);  // by b
  EXPECT_EQ(all[3][Feature::reuse_bytes], small);        // by c
  EXPECT_EQ(all[0][Feature::model_activation_bytes], 3 * 100 * 4);
  EXPECT_EQ(all[0][Feature::model_weight_bytes], 0);
}

TEST(KernelFacts, a_transposition_has_runs_that_stay_together) {
  EXPECT_EQ(run_length_of_transpose({2, 3, 4}, {0, 1, 2}), 24);
  EXPECT_EQ(run_length_of_transpose({2, 3, 4}, {1, 0, 2}), 4);
  EXPECT_EQ(run_length_of_transpose({2, 3, 4}, {0, 2, 1}), 1);
  EXPECT_EQ(run_length_of_transpose({1, 3, 1, 4}, {1, 0, 3, 2}), 12);  // axes of one element move nothing
}

TEST(KernelFacts, hostile_attributes_leave_features_missing) {
  KernelRecord record = sum({2, 3});
  record.name = "Transpose";
  record.attributes["perm"] = std::vector<std::int64_t>{0, 0};
  KernelGraph graph;
  graph.kernels = {{"t", "t", {"x", "x"}, {"y"}, {}, {}, {}}};
  EXPECT_TRUE(std::isnan(facts_of(graph, {{"t", record}}, 1).front()[Feature::run_length]));
  record.name = "Softmax";
  record.attributes = {{"axis", std::int64_t{7}}};
  EXPECT_TRUE(std::isnan(facts_of(graph, {{"t", record}}, 1).front()[Feature::axis_size]));
}

TEST(KernelFacts, groups_have_names_and_no_other) {
  EXPECT_EQ(kernel_group_named("product", "x"), KernelGroup::product);
  EXPECT_THROW(kernel_group_named("products", "x"), Error);
}

TEST(MachineConstants, of_peaks_that_are_not_known_are_refused) { EXPECT_THROW(constants_of({}, 1), Error); }

TEST(MachineConstants, the_roofline_is_the_slower_of_the_two_and_a_floor) {
  KernelFacts facts;
  facts.features.assign(feature_count, std::nan(""));
  facts[Feature::input_bytes] = 1000, facts[Feature::output_bytes] = 500, facts[Feature::weight_bytes] = 500;
  const MachineConstants machine{4e9, 1e9};
  EXPECT_DOUBLE_EQ(roofline_us(facts, machine, 0.5), 2.5);  // FLOPs are not known: its bytes
  facts[Feature::flops] = 40000;
  EXPECT_DOUBLE_EQ(roofline_us(facts, machine, 0.5), 10.5);
}

TEST(KernelFacts, the_type_of_numbers_is_that_of_the_first_output_that_is_there) {
  KernelRecord record = sum({8});
  record.outputs = {tensor({8}, KernelInput::left_out), tensor({8}), tensor({8})};
  record.outputs[0].type = ElementType::i64, record.outputs[1].type = ElementType::f16,
  record.outputs[2].type = ElementType::u8;
  KernelGraph graph;
  graph.kernels = {{"a", "s", {"x"}, {"y"}, {}, {}, {}}};
  const KernelFacts facts = facts_of(graph, {{"s", record}}, 1).front();
  EXPECT_EQ(facts.number_type, type_name(ElementType::f16));
  EXPECT_EQ(facts[Feature::element_bits], 16);
}

}  // namespace
}  // namespace takt
