// Names and sizes of element types, and the type that each operator gives its results.
#include <gtest/gtest.h>

#include "model/graph/graph.h"
#include "model/graph/types.h"

namespace takt {
namespace {

using E = ElementType;
using TypeList = std::vector<ElementType>;

TEST(ElementTypes, have_the_names_and_sizes_of_the_standard) {
  struct Facts {
    int number;
    const char* name;
    std::optional<int> bits;
  };
  const std::optional<int> nothing;
  for (const auto& [number, name, bits] : {Facts{0, "undefined", nothing}, Facts{1, "float32", 32},
                                           Facts{2, "uint8", 8},           Facts{3, "int8", 8},
                                           Facts{4, "uint16", 16},         Facts{5, "int16", 16},
                                           Facts{6, "int32", 32},          Facts{7, "int64", 64},
                                           Facts{8, "string", nothing},    Facts{9, "bool", 8},
                                           Facts{10, "float16", 16},       Facts{11, "float64", 64},
                                           Facts{12, "uint32", 32},        Facts{13, "uint64", 64},
                                           Facts{14, "complex64", 64},     Facts{15, "complex128", 128},
                                           Facts{16, "bfloat16", 16},      Facts{17, "float8e4m3fn", 8},
                                           Facts{18, "float8e4m3fnuz", 8}, Facts{19, "float8e5m2", 8},
                                           Facts{20, "float8e5m2fnuz", 8}, Facts{21, "uint4", 4},
                                           Facts{22, "int4", 4},           Facts{23, "float4e2m1", 4},
                                           Facts{24, "float8e8m0", 8},     Facts{25, "uint2", 2},
                                           Facts{26, "int2", 2},           Facts{27, "undefined", nothing},
                                           Facts{-1, "undefined", nothing}}) {
    EXPECT_EQ(type_name(static_cast<E>(number)), name) << number;
    EXPECT_EQ(type_bits(static_cast<E>(number)), bits) << number;
  }
}

TEST(ElementTypes, bytes_of_elements_are_rounded_up_and_unknown_beyond_a_number) {
  struct Size {
    E type;
    std::int64_t elements;
    std::optional<std::int64_t> bytes;
  };
  const std::optional<std::int64_t> nothing;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const auto& [type, elements, bytes] :
       {Size{E::f32, 5, 20}, Size{E::u8, 5, 5}, Size{E::complex128, 5, 80}, Size{E::i4, 4, 2}, Size{E::i4, 5, 3},
        Size{E::i4, 1, 1}, Size{E::u2, 4, 1}, Size{E::u2, 5, 2}, Size{E::u2, 8, 2}, Size{E::u2, 9, 3},
        Size{E::f32, 0, 0}, Size{E::i4, 0, 0}, Size{E::f32, -1, nothing}, Size{E::i4, -1, nothing},
        Size{E::undefined, 5, nothing}, Size{E::u8, most, most}, Size{E::i4, most, most / 2 + 1},
        Size{E::f16, most / 2, most - 1}, Size{E::f16, most / 2 + 1, nothing}})
    EXPECT_EQ(byte_count(type, elements), bytes) << type_name(type) << " " << elements;
  EXPECT_EQ(byte_count(E::f32, std::optional<PartialShape>({{2, ""}, {3, "named"}})), 24);
  EXPECT_EQ(byte_count(E::f32, std::optional<PartialShape>({{2, ""}, {{}, "open"}})), nothing);
  EXPECT_EQ(byte_count(E::f32, std::optional<PartialShape>({{2, ""}, {-3, ""}})), nothing);
  EXPECT_EQ(byte_count(E::f32, std::nullopt), nothing);
}

struct Reads {
  std::vector<E> inputs;  ///< undefined: left out
  std::map<std::string, Attribute> attributes = {};
  std::size_t outputs = 1;
  std::string domain = {};
  std::map<std::string, std::int64_t> opsets = {{"", 17}};
};

/// Of what one operator makes of inputs of these types.
TypeList made_by(const std::string& type, const Reads& reads) {
  Graph graph;
  graph.opsets = reads.opsets;
  Op op;
  op.type = type, op.domain = reads.domain, op.attributes = reads.attributes;
  const auto add = [&](E element) {
    Tensor tensor;
    tensor.name = std::to_string(graph.tensors.size());
    tensor.type = element;
    graph.tensors.push_back(tensor);
    return static_cast<TensorId>(graph.tensors.size() - 1);
  };
  for (const E input : reads.inputs) op.inputs.push_back(input == E::undefined ? no_tensor : add(input));
  for (std::size_t i = 0; i < reads.outputs; ++i) op.outputs.push_back(add(E::undefined));
  graph.ops = {op};
  infer_types(graph);
  TypeList types;
  for (const TensorId id : op.outputs) types.push_back(graph.tensor(id).type);
  return types;
}

TEST(ElementTypes, results_of_indices_and_of_truths) {
  for (const char* type : {"Shape", "Size", "ArgMax", "ArgMin", "NonZero", "NonMaxSuppression", "SequenceLength"})
    EXPECT_EQ(made_by(type, {{E::f16}}), TypeList{E::i64}) << type;
  for (const char* type : {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Not", "Xor",
                           "IsNaN", "IsInf", "OptionalHasElement", "RegexFullMatch"})
    EXPECT_EQ(made_by(type, {{E::f16, E::f16}}), TypeList{E::boolean}) << type;
  for (const char* type : {"TopK", "MaxPool"})
    EXPECT_EQ(made_by(type, {{E::f16}, {}, 2}), (TypeList{E::f16, E::i64})) << type;
  EXPECT_EQ(made_by("Unique", {{E::f16}, {}, 4}), (TypeList{E::f16, E::i64, E::i64, E::i64}));
  for (const char* type : {"MatMulInteger", "ConvInteger"})
    EXPECT_EQ(made_by(type, {{E::u8, E::i8}}), TypeList{E::i32}) << type;
  EXPECT_EQ(made_by("Split", {{E::f16}, {}, 2}), (TypeList{E::f16, E::f16}));
}

TEST(ElementTypes, the_input_that_decides_is_not_always_the_first) {
  EXPECT_EQ(made_by("Where", {{E::boolean, E::f16, E::f32}}), TypeList{E::f16});
  EXPECT_EQ(made_by("DequantizeLinear", {{E::u8, E::f16, E::i8}}), TypeList{E::f16});
  EXPECT_EQ(made_by("QuantizeLinear", {{E::f16, E::f32, E::i8}}), TypeList{E::i8});
  EXPECT_EQ(made_by("OneHot", {{E::i64, E::i32, E::f16}}), TypeList{E::f16});
  EXPECT_EQ(made_by("CastLike", {{E::i64, E::f16}}), TypeList{E::f16});
  for (const char* type : {"QLinearConv", "QLinearMatMul"})
    EXPECT_EQ(made_by(type, {{E::u8, E::f32, E::u8, E::i16, E::f32, E::i32, E::f16, E::i8, E::i64}}), TypeList{E::i8})
        << type;
  EXPECT_EQ(made_by("Where", {{E::boolean}}), TypeList{E::undefined});
  EXPECT_EQ(made_by("Where", {{E::boolean, E::undefined, E::f32}}), TypeList{E::undefined});
  EXPECT_EQ(made_by("Relu", {{}}), TypeList{E::undefined});
}

TEST(ElementTypes, attributes_say_what_is_made) {
  const auto says = [](const char* name, Attribute value) { return std::map<std::string, Attribute>{{name, value}}; };
  const Attribute number = std::int64_t{10}, word = std::string("10");
  EXPECT_EQ(made_by("Cast", {{E::i64}, says("to", number)}), TypeList{E::f16});
  EXPECT_EQ(made_by("Cast", {{E::i64}, says("to", word)}), TypeList{E::undefined});
  EXPECT_EQ(made_by("Cast", {{E::i64}}), TypeList{E::undefined});
  for (const char* name : {"dtype", "output_datatype"}) {
    EXPECT_EQ(made_by("EyeLike", {{E::i64}, says(name, number)}), TypeList{E::f16}) << name;
    EXPECT_EQ(made_by("EyeLike", {{E::i64}, says(name, word)}), TypeList{E::i64}) << name;
    EXPECT_EQ(made_by("EyeLike", {{E::i64}, says(name, number), 1, "own.domain"}), TypeList{E::i64}) << name;
  }
  EXPECT_EQ(made_by("EyeLike", {{E::i64}, says("to", number)}), TypeList{E::i64});
  EXPECT_EQ(made_by("QuantizeLinear", {{E::f16, E::f32}}), TypeList{E::u8});
  EXPECT_EQ(made_by("QuantizeLinear", {{E::f16, E::f32}, says("output_dtype", number)}), TypeList{E::f16});
  EXPECT_EQ(made_by("QuantizeLinear", {{E::f16, E::f32, E::i8}, says("output_dtype", number)}), TypeList{E::i8});
  EXPECT_EQ(made_by("DynamicQuantizeLinear", {{E::f16}, {}, 3}), (TypeList{E::u8, E::f32, E::u8}));
}

TEST(ElementTypes, what_is_drawn_or_made_from_nothing_has_a_type_by_default) {
  for (const char* type :
       {"RandomNormal", "RandomUniform", "HannWindow", "HammingWindow", "BlackmanWindow", "MelWeightMatrix"})
    EXPECT_EQ(made_by(type, {{E::i64}}), TypeList{E::f32}) << type;
  EXPECT_EQ(made_by("Multinomial", {{E::f16}}), TypeList{E::i32});
  for (const char* type : {"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase", "SequenceMap",
                           "SplitToSequence", "Optional", "ZipMap", "ConstantOfShape"})
    EXPECT_EQ(made_by(type, {{E::i64}}), TypeList{E::undefined}) << type;
}

TEST(ElementTypes, of_a_mask_since_operator_set_10) {
  const auto mask_in = [](std::map<std::string, std::int64_t> opsets, const char* type = "Dropout") {
    return made_by(type, {{E::f16}, {}, 3, "", opsets});
  };
  const TypeList truths{E::f16, E::boolean, E::f16}, numbers{E::f16, E::f16, E::f16};
  EXPECT_EQ(mask_in({{"", 10}}), truths);
  EXPECT_EQ(mask_in({{"", 9}}), numbers);
  EXPECT_EQ(mask_in({}), truths) << "of the newest where nothing is said";
  EXPECT_EQ(mask_in({{"", 10}}, "Split"), numbers);
}

TEST(ElementTypes, of_bodies_come_from_what_they_are_handed) {
  const auto named = [](Graph& graph, const std::string& name, E type, bool is_captured = false) {
    Tensor tensor;
    tensor.name = name, tensor.type = type, tensor.is_captured = is_captured;
    tensor.shape = PartialShape{{3, ""}};
    graph.tensors.push_back(tensor);
    return static_cast<TensorId>(graph.tensors.size() - 1);
  };
  for (const std::string type : {"Loop", "Scan"}) {
    Graph graph, body;
    Op op;
    op.type = type;
    named(graph, "outside", E::f64);
    op.inputs = {named(graph, "a", E::i8), named(graph, "b", E::i16), named(graph, "c", E::u16)};
    op.outputs = {named(graph, "p", E::undefined), no_tensor, named(graph, "q", E::undefined)};
    for (const char* name : {"i", "j", "k", "l"}) body.inputs.push_back(named(body, name, E::undefined));
    const TensorId captured = named(body, "outside", E::undefined, true), own = named(body, "a", E::undefined);
    body.outputs = {body.inputs[0], body.inputs[1], body.inputs[2], captured};
    op.subgraphs = {{"body", std::make_shared<Graph>(body)}};
    graph.ops = {op};
    infer_types(graph);
    const Graph& typed = *graph.ops[0].subgraphs.at("body");
    TypeList inputs;
    for (const TensorId id : typed.inputs) inputs.push_back(typed.tensor(id).type);
    const bool is_loop = type == "Loop";
    EXPECT_EQ(inputs, (is_loop ? TypeList{E::i64, E::boolean, E::u16, E::undefined}
                               : TypeList{E::i8, E::i16, E::u16, E::undefined}));
    EXPECT_EQ(typed.tensor(captured).type, E::f64);
    EXPECT_EQ(typed.tensor(captured).bytes, 24) << "with its size";
    EXPECT_EQ(typed.tensor(own).type, E::undefined) << "the body's own, of the same name as one outside";
    EXPECT_EQ(graph.tensor(op.outputs[0]).type, is_loop ? E::boolean : E::i8) << "behind a Loop's condition";
    EXPECT_EQ(graph.tensor(op.outputs[2]).type, is_loop ? E::f64 : E::u16);
    EXPECT_EQ(graph.tensor(op.outputs[2]).bytes, is_loop ? 24 : 6);
  }
}

TEST(ElementTypes, that_are_told_stay) {
  Graph graph;
  Tensor x, y;
  x.name = "x", x.type = E::f16;
  y.name = "y", y.type = E::f64;
  graph.tensors = {x, y};
  Op op;
  op.type = "Relu", op.inputs = {0}, op.outputs = {1};
  graph.ops = {op};
  infer_types(graph);
  EXPECT_EQ(graph.tensor(1).type, E::f64);
}

}  // namespace
}  // namespace takt
