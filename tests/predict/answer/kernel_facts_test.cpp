#include "predict/fit/kernel_facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "predict/fit/machine_constants.h"
#include "predict/fit/shape_features.h"
#include "refused.h"

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

/// The facts of the only kernel of a model.
KernelFacts facts_of_only(const KernelRecord& record, int threads = 1) {
  KernelGraph graph;
  graph.kernels = {{"k", "r", {"x", "y"}, {"z"}, {}, {}, {}}};
  return facts_of(graph, {{"r", record}}, threads).front();
}

/// Those of `features` that apply, in words: "rows 3, inner 4".
std::string features_in_words(const KernelFacts& facts, std::initializer_list<Feature> features) {
  std::string words;
  for (const Feature feature : features)
    if (!std::isnan(facts[feature]))
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ",
                           feature_texts()[static_cast<std::size_t>(feature)].name, facts[feature]);
  return words;
}

std::string product_in_words(const KernelRecord& record) {
  return features_in_words(facts_of_only(record), {Feature::matrices, Feature::rows, Feature::inner, Feature::columns});
}

std::string axis_in_words(const KernelRecord& record) {
  return features_in_words(facts_of_only(record), {Feature::axis_size, Feature::run_length});
}

KernelRecord named(const std::string& name, Shape in, Shape out, std::map<std::string, Attribute> attributes = {}) {
  KernelRecord record;
  record.name = name, record.attributes = std::move(attributes);
  record.inputs = {tensor(std::move(in))}, record.outputs = {tensor(std::move(out))};
  return record;
}

using Integers = std::vector<std::int64_t>;

TEST(KernelFacts, features_have_these_names_and_units_in_this_order) {
  std::string words;
  for (const FeatureText& text : feature_texts()) words += fmt::format("{} {}\n", text.name, text.unit);
  EXPECT_EQ(words,
            "flops FLOP\nsfu_ops 1\ninput_bytes bytes\noutput_bytes bytes\nweight_bytes bytes\nelement_bits bit\n"
            "batch 1\nchannels_in 1\nheight_in 1\nwidth_in 1\nchannels_out 1\nheight_out 1\nwidth_out 1\n"
            "window_height 1\nwindow_width 1\nstride 1\ndilation 1\ngroups 1\npadding 1\nmatrices 1\nrows 1\n"
            "inner 1\ncolumns 1\naxis_size elements\nrun_length elements\ninputs 1\nbroadcast 1\n"
            "model_weight_bytes bytes\nmodel_activation_bytes bytes\nreuse_bytes bytes\nthreads 1\n");
  EXPECT_EQ(static_cast<std::size_t>(Feature::threads), 30u);
  EXPECT_EQ(static_cast<std::size_t>(Feature::rows), 20u);
}

TEST(KernelFacts, of_a_convolution_are_all_of_its_numbers) {
  KernelRecord record = convolution(1);
  record.attributes = {{"strides", Integers{2, 3}},
                       {"pads", Integers{1, 2, 3, 4}},
                       {"dilations", Integers{5, 7}},
                       {"kernel_shape", Integers{11, 13}},
                       {"group", std::int64_t{2}}};
  record.inputs = {tensor({3, 4, 5, 6}), tensor({8, 2, 11, 13}, KernelInput::weight), tensor({8}, KernelInput::weight)};
  record.outputs = {tensor({3, 8, 9, 10})};
  record.cost.flops = 101, record.cost.sfu_ops = 102, record.cost.input_bytes = 103, record.cost.weight_bytes = 104;
  record.cost.output_bytes = 105;
  const KernelFacts facts = facts_of_only(record, 6);
  const std::map<Feature, double> expected{{Feature::flops, 101},
                                           {Feature::sfu_ops, 102},
                                           {Feature::input_bytes, 103},
                                           {Feature::output_bytes, 105},
                                           {Feature::weight_bytes, 104},
                                           {Feature::element_bits, 32},
                                           {Feature::batch, 3},
                                           {Feature::channels_in, 4},
                                           {Feature::height_in, 5},
                                           {Feature::width_in, 6},
                                           {Feature::channels_out, 8},
                                           {Feature::height_out, 9},
                                           {Feature::width_out, 10},
                                           {Feature::window_height, 11},
                                           {Feature::window_width, 13},
                                           {Feature::stride, 6},
                                           {Feature::dilation, 35},
                                           {Feature::groups, 2},
                                           {Feature::padding, 10},
                                           {Feature::matrices, 2},
                                           {Feature::rows, 270},
                                           {Feature::inner, 286},
                                           {Feature::columns, 4},
                                           {Feature::inputs, 3},
                                           {Feature::broadcast, 286},  // 8 x 2 x 11 x 13 over 8
                                           {Feature::model_weight_bytes, 104},
                                           {Feature::model_activation_bytes, 208},
                                           {Feature::reuse_bytes, 0},
                                           {Feature::threads, 6}};
  for (std::size_t i = 0; i < feature_count; ++i) {
    const auto found = expected.find(static_cast<Feature>(i));
    const double wanted = found == expected.end() ? std::nan("") : found->second;
    EXPECT_TRUE(facts.features[i] == wanted || (std::isnan(wanted) && std::isnan(facts.features[i])))
        << feature_texts()[i].name << " is " << facts.features[i] << ", not " << wanted;
  }
  EXPECT_EQ(facts.id, "r");
  EXPECT_EQ(facts.layout, "nchwc");
  EXPECT_EQ(facts.input_shape, "3x4x5x6");
  EXPECT_EQ(facts.number_type, "float32");
}

TEST(KernelFacts, without_an_attribute_the_window_is_that_of_the_weights) {
  KernelRecord record = convolution(1);
  record.attributes = {};
  record.inputs[1].shape = {32, 16, 5, 7};
  const KernelFacts facts = facts_of_only(record);
  EXPECT_EQ(features_in_words(facts, {Feature::window_height, Feature::window_width, Feature::stride, Feature::dilation,
                                      Feature::padding, Feature::groups, Feature::inner}),
            "window_height 5, window_width 7, stride 1, dilation 1, padding 0, groups 1, inner 560");
  record.name = "MaxPool";
  EXPECT_EQ(features_in_words(facts_of_only(record), {Feature::window_height, Feature::rows}), "")
      << "of pooling no weights tell it";
}

TEST(KernelFacts, groups_are_by_the_operator_that_a_name_begins_with) {
  const auto group = [](const std::string& name) {
    return std::string(name_of(facts_of_only(named(name, {2}, {2})).group));
  };
  for (const char* name : {"Conv", "ConvTranspose", "Conv_Add_Relu"}) EXPECT_EQ(group(name), "conv") << name;
  for (const char* name : {"Gemm_Relu", "MatMul", "Attention"}) EXPECT_EQ(group(name), "product") << name;
  for (const char* name : {"MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool"})
    EXPECT_EQ(group(name), "pool") << name;
  for (const char* name : {"Add", "Relu_Conv", "Softmax"}) EXPECT_EQ(group(name), "other") << name;
  const auto grouped = [](std::int64_t count) {
    return facts_of_only(named("Conv", {2}, {2}, {{"group", count}})).group;
  };
  EXPECT_EQ(grouped(1), KernelGroup::conv);
  EXPECT_EQ(grouped(2), KernelGroup::depthwise);
  for (const char* name : {"conv", "depthwise", "product", "pool", "other"})
    EXPECT_EQ(name_of(kernel_group_named(name, "x")), name);
  EXPECT_EQ(words_of("Conv_Sum_Relu"), (std::vector<std::string>{"Conv", "Add", "Relu"}));
}

TEST(KernelFacts, a_product_has_rows_columns_and_what_is_summed) {
  EXPECT_EQ(product_in_words(named("MatMul", {2, 3, 4, 5}, {2, 3, 4, 7})), "matrices 6, rows 4, inner 5, columns 7");
  EXPECT_EQ(product_in_words(named("MatMul", {4, 5}, {4, 7})), "matrices 1, rows 4, inner 5, columns 7");
  EXPECT_EQ(product_in_words(named("MatMul", {5}, {7})), "matrices 1, rows 1, inner 5, columns 7");
  EXPECT_EQ(product_in_words(named("Gemm", {5, 4}, {4, 7}, {{"transA", std::int64_t{1}}})),
            "matrices 1, rows 4, inner 5, columns 7");
  EXPECT_EQ(product_in_words(named("Gemm", {4, 5}, {4, 7}, {{"transA", std::int64_t{0}}})),
            "matrices 1, rows 4, inner 5, columns 7");
  EXPECT_EQ(product_in_words(named("Gemm", {5}, {7}, {{"transA", std::int64_t{1}}})),
            "matrices 1, rows 1, inner 5, columns 7");
  EXPECT_EQ(product_in_words(named("MatMul", {}, {7})), "");
}

TEST(KernelFacts, an_axis_is_that_of_the_attribute_or_the_last_and_what_lies_behind_it_stays_together) {
  EXPECT_EQ(axis_in_words(named("Softmax", {2, 3, 5}, {2, 3, 5})), "axis_size 5, run_length 1");
  EXPECT_EQ(axis_in_words(named("LayerNormalization", {2, 3, 5}, {2, 3, 5})), "axis_size 5, run_length 1");
  EXPECT_EQ(axis_in_words(named("LogSoftmax", {2, 3, 5}, {2, 3, 5})), "axis_size 5, run_length 1");
  EXPECT_EQ(axis_in_words(named("Relu", {2, 3, 5}, {2, 3, 5})), "") << "it has none";
  const auto with_axis = [](std::int64_t axis) {
    return axis_in_words(named("Softmax", {2, 3, 5}, {2, 3, 5}, {{"axis", axis}}));
  };
  EXPECT_EQ(with_axis(0), "axis_size 2, run_length 15");
  EXPECT_EQ(with_axis(1), "axis_size 3, run_length 5");
  EXPECT_EQ(with_axis(2), "axis_size 5, run_length 1");
  EXPECT_EQ(with_axis(-3), "axis_size 2, run_length 15");
  EXPECT_EQ(with_axis(3), "");
  EXPECT_EQ(with_axis(-4), "");
  EXPECT_EQ(axis_in_words(named("Concat", {2, 3, 5}, {2, 9, 5}, {{"axis", std::int64_t{1}}})),
            "axis_size 9, run_length 5")
      << "of what is joined";
  EXPECT_EQ(axis_in_words(named("ReduceMean", {2, 3, 5, 7}, {2, 7}, {{"axes", Integers{1, 2}}})),
            "axis_size 15, run_length 7")
      << "behind the last of them";
  EXPECT_EQ(axis_in_words(named("ReduceMean", {2, 3, 5, 7}, {2, 7}, {{"axes", Integers{1, -1, 9}}})), "");
  EXPECT_EQ(axis_in_words(named("ReduceMean", {2, 3, 5, 7}, {2, 7}, {{"axes", Integers{0, -3}}})),
            "axis_size 6, run_length 105");
  // Axes may be an input, too.
  KernelRecord reduce = named("ReduceSum", {2, 3, 5}, {2, 3});
  reduce.inputs.push_back(tensor({1}, KernelInput::weight));
  reduce.inputs[1].type = ElementType::i64, reduce.inputs[1].values = to_bytes(Integers{1});
  EXPECT_EQ(axis_in_words(reduce), "axis_size 3, run_length 5");
  reduce.name = "Squeeze";
  EXPECT_EQ(axis_in_words(reduce), "") << "it reduces nothing";
}

TEST(KernelFacts, a_transposition_without_an_order_turns_all_axes_around) {
  EXPECT_EQ(axis_in_words(named("Transpose", {2, 3, 4}, {4, 3, 2})), "run_length 1");
  EXPECT_EQ(axis_in_words(named("Transpose", {1, 3, 1}, {1, 3, 1})), "run_length 3");
  EXPECT_EQ(axis_in_words(named("Transpose", {2, 3, 4}, {3, 2, 4}, {{"perm", Integers{1, 0, 2}}})), "run_length 4");
  EXPECT_EQ(axis_in_words(named("Transpose", {2, 3, 4}, {3, 2}, {{"perm", Integers{1, 0}}})), "") << "of another rank";
}

TEST(KernelFacts, inputs_that_are_there_count_and_their_sizes_differ) {
  KernelRecord record = named("Add", {2, 3}, {2, 3});
  record.inputs.push_back(tensor({100}, KernelInput::left_out));
  record.inputs.push_back(tensor({3}));
  record.inputs.push_back(tensor({}));
  EXPECT_EQ(features_in_words(facts_of_only(record), {Feature::inputs, Feature::broadcast}), "inputs 3, broadcast 6");
  record.inputs = {tensor({0, 3})};
  EXPECT_EQ(features_in_words(facts_of_only(record), {Feature::inputs, Feature::broadcast}), "inputs 1");
}

TEST(KernelFacts, the_input_that_counts_for_reuse_is_the_largest) {
  KernelRecord both = sum({10});
  both.inputs = {tensor({10}), tensor({100}), tensor({1000}, KernelInput::weight)};
  KernelGraph graph;  // "large" is made first, then "small", and both are read
  graph.kernels = {{"a", "large", {"x", "x"}, {"l"}, {}, {}, {}},
                   {"b", "small", {"x", "x"}, {"s"}, {}, {}, {}},
                   {"c", "both", {"s", "l", "w"}, {"y"}, {}, {}, {}}};
  const auto all = facts_of(graph, {{"small", sum({10})}, {"large", sum({100})}, {"both", both}}, 1);
  EXPECT_EQ(all[2][Feature::reuse_bytes], 3 * 10 * 4) << "what the small one touched meanwhile";
  EXPECT_EQ(all[2][Feature::model_weight_bytes], 4000);
  EXPECT_EQ(all[0][Feature::model_weight_bytes], 4000);
  EXPECT_EQ(all[2][Feature::model_activation_bytes], 1200);
  EXPECT_EQ(all[1][Feature::reuse_bytes], 1200) << "an input of the model was there before all of them";
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
  EXPECT_EQ(refused_with([&] { kernel_group_named("products", "x"); }),
            "x: 'products' is not a group of kernels; known groups are conv, depthwise, product, pool, other");
}

TEST(MachineConstants, of_one_thread_or_of_all_are_the_float32_peak_and_the_farthest_memory_s) {
  Peaks peaks;
  peaks.compute = {{NumberType::int8, "a", {{1000, 1}, {2000, 1}}},
                   {NumberType::f32, "b", {{30, 1}, {50, 1}}},
                   {NumberType::f32, "c", {{20, 1}, {70, 1}}}};
  peaks.levels = {{"L2", 1, 1, {{900, 1}, {901, 1}}, {{902, 1}, {903, 1}}},
                  {"DRAM", {}, {}, {{4, 1}, {9, 1}}, {{5, 1}, {8, 1}}}};
  EXPECT_EQ(constants_of(peaks, 1), (MachineConstants{30, 5}));
  EXPECT_EQ(constants_of(peaks, 2), (MachineConstants{70, 9}));
  Peaks without_levels = peaks, without_numbers = peaks;
  without_levels.levels.clear(), without_numbers.compute.resize(1);
  for (const Peaks& less : {without_levels, without_numbers}) {
    try {
      constants_of(less, 1);
      ADD_FAILURE() << "known";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "the machine's peaks are unknown; run 'takt devices --measure'");
    }
  }
}

TEST(MachineConstants, the_roofline_is_the_slower_of_the_two_and_a_floor) {
  KernelFacts facts;
  facts.features.assign(feature_count, std::nan(""));
  facts[Feature::input_bytes] = 1000, facts[Feature::output_bytes] = 500, facts[Feature::weight_bytes] = 500;
  const MachineConstants machine{4e9, 1e9};
  EXPECT_DOUBLE_EQ(roofline_us(facts, machine, 0.5), 2.5);  // FLOPs are not known: its bytes
  facts[Feature::flops] = 40000;
  EXPECT_DOUBLE_EQ(roofline_us(facts, machine, 0.5), 10.5);
}

TEST(KernelFacts, a_product_with_narrow_weights_is_one_of_narrow_numbers) {
  for (const bool multiplies : {true, false}) {
    KernelRecord record = sum({8});
    record.name = multiplies ? "MatMul" : "Where";
    record.inputs = {tensor({8}), tensor({8}), tensor({8})};
    record.inputs[1].type = ElementType::u8, record.inputs[2].type = ElementType::i4;
    KernelGraph graph;
    graph.kernels = {{"a", "s", {"x", "w", "z"}, {"y"}, {}, {}, {}}};
    const auto bits = facts_of(graph, {{"s", record}}, 1).front()[Feature::element_bits];
    EXPECT_EQ(bits, multiplies ? 8 : 32) << "a third operand is none of a product";
  }
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
