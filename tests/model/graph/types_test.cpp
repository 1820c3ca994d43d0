// Element types that follow from the operators.
#include "model/graph/types.h"

#include <gtest/gtest.h>

#include "model/graph/element_words.h"
#include "model/onnx/builder.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

/// Of the tensors that one operator makes of these inputs, float32 x, int32 i and int64 n.
std::vector<ElementType> types_of(const std::string& type, const std::vector<std::string>& inputs,
                                  const std::vector<NamedAttribute>& attributes = {}, std::size_t outputs = 1,
                                  int opset = 17) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {4});
  b.input("i", ElementType::i32, {4});
  b.input("n", ElementType::i64, {4});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < outputs; ++i) names.push_back("out" + std::to_string(i));
  b.node(type, inputs, attributes, {.outputs = names});
  for (const auto& name : names) b.output(name);
  Graph graph = b.build(opset).graph;
  infer_types(graph);
  std::vector<ElementType> types;
  for (const TensorId id : graph.outputs) types.push_back(graph.tensor(id).type);
  return types;
}

using Types = std::vector<ElementType>;
constexpr auto f16 = ElementType::f16, none = ElementType::undefined;

TEST(InferTypes, most_operators_keep_the_type_of_their_first_input) {
  EXPECT_EQ(types_of("Relu", {"x"}), Types{f32});
  EXPECT_EQ(types_of("Abs", {"i"}), Types{ElementType::i32});
}

TEST(InferTypes, sequences_have_no_element_type) {
  EXPECT_EQ(types_of("SplitToSequence", {"x"}), Types{none});
  EXPECT_EQ(types_of("SequenceConstruct", {"x", "x"}), Types{none});
  EXPECT_EQ(types_of("SequenceEmpty", {}, {{"dtype", std::int64_t{1}}}), Types{none});
}

TEST(InferTypes, of_fused_and_quantised_operators_another_input_decides) {
  EXPECT_EQ(types_of("QLinearConcat", {"x", "i"}), Types{ElementType::i32}) << "the zero point of its result";
  EXPECT_EQ(types_of("EmbedLayerNormalization", {"i", "i", "x"}, {}, 2), (Types{f32, ElementType::i32}));
  EXPECT_EQ(types_of("QAttention", {"i", "i", "x", "x"}), Types{f32});
  EXPECT_EQ(types_of("MatMulIntegerToFloat", {"i", "i", "x"}), Types{f32});
  EXPECT_EQ(types_of("QGemm", {"i", "x", "i", "i", "x", "i"}), Types{f32}) << "without a zero point";
  EXPECT_EQ(types_of("QGemm", {"i", "x", "i", "i", "x", "i", "i", "x", "n"}), Types{ElementType::i64});
  EXPECT_EQ(types_of("TfIdfVectorizer", {"i"}), Types{f32});
  EXPECT_EQ(types_of("StringSplit", {"x"}, {}, 2), (Types{f32, ElementType::i64}));
}

TEST(InferTypes, classical_models_give_numbers_and_labels) {
  const auto of_table = [](const std::string& type, const std::vector<NamedAttribute>& attributes,
                           std::size_t outputs) {
    ModelBuilder b;
    std::vector<std::string> names{"label", "numbers"};
    names.resize(outputs);
    b.node(type, {b.input("n", ElementType::i64, {1, 4})}, attributes, {.domain = "ai.onnx.ml", .outputs = names});
    for (const auto& name : names) b.output(name);
    Graph graph = b.build().graph;
    infer_types(graph);
    Types types;
    for (const TensorId id : graph.outputs) types.push_back(graph.tensor(id).type);
    return types;
  };
  EXPECT_EQ(of_table("TreeEnsembleRegressor", {}, 1), Types{f32});
  EXPECT_EQ(of_table("OneHotEncoder", {}, 1), Types{f32});
  EXPECT_EQ(of_table("SVMClassifier", {{"classlabels_ints", {0, 1}}}, 2), (Types{ElementType::i64, f32}));
  EXPECT_EQ(of_table("LinearClassifier", {{"classlabels_strings", std::vector<std::string>{"a"}}}, 2),
            (Types{ElementType::string, f32}));
  EXPECT_EQ(of_table("LabelEncoder", {{"values_floats", std::vector<float>{1}}}, 1), Types{f32});
  EXPECT_EQ(of_table("ArrayFeatureExtractor", {}, 1), Types{ElementType::i64}) << "as its first input";
}

TEST(InferTypes, some_results_have_a_type_of_their_own) {
  EXPECT_EQ(types_of("CastLike", {"x", "i"}), Types{ElementType::i32});
  EXPECT_EQ(types_of("Dropout", {"x"}, {}, 2), (Types{f32, ElementType::boolean}));
  EXPECT_EQ(types_of("Dropout", {"x"}, {}, 2, 7), (Types{f32, f32})) << "an older operator";
  EXPECT_EQ(types_of("Multinomial", {"x"}), Types{ElementType::i32});
  EXPECT_EQ(types_of("HannWindow", {"n"}), Types{f32});
  EXPECT_EQ(types_of("HannWindow", {"n"}, {{"output_datatype", std::int64_t{10}}}), Types{f16});
  EXPECT_EQ(types_of("RandomNormal", {}, {{"shape", {4}}}), Types{f32});
}

TEST(InferTypes, what_has_the_shape_that_it_is_told_has_the_type_of_its_value) {
  EXPECT_EQ(types_of("ConstantOfShape", {"n"}), Types{f32}) << "the default";
}

ElementType type_in(const Graph& graph, const std::string& name) {
  const auto id = graph.find_tensor(name);
  return id ? graph.tensor(*id).type : none;
}

/// The bodies say no type but what this makes of it; `half` is captured two graphs further out.
TEST(InferTypes, bodies_get_theirs_from_outside_and_give_the_results_theirs) {
  ModelBuilder b, body("body", 2), then_branch("then", 3), else_branch("else", 4);
  b.input("x", f16, {4});
  b.input("trips", ElementType::i64, {});
  b.input("start", ElementType::i32, {4});
  b.node("Neg", {"x"}, {}, {.outputs = {"half"}});
  then_branch.output(then_branch.node("Abs", {"half"}, {}, {.outputs = {"picked"}}));
  else_branch.output(else_branch.node("Neg", {"half"}, {}, {.outputs = {"other"}}));
  for (const char* name : {"turn", "going", "state"}) body.graph().add_input()->set_name(name);
  body.node("Identity", {"going"}, {}, {.outputs = {"goes_on"}});
  body.node("Neg", {"state"}, {}, {.outputs = {"next"}});
  body.node("Neg", {"turn"}, {}, {.outputs = {"minus"}});
  body.node("If", {"going"}, {},
            {.outputs = {"chosen"}, .subgraphs = {{"then_branch", &then_branch}, {"else_branch", &else_branch}}});
  for (const char* name : {"goes_on", "next", "minus", "chosen"}) body.output(name);
  b.node("Loop", {"trips", "", "start"}, {}, {.outputs = {"final", "turns", "scans"}, .subgraphs = {{"body", &body}}});
  b.output(b.node("Relu", {"scans"}, {}, {.outputs = {"y"}}));
  Graph graph = b.build().graph;
  infer_types(graph);
  EXPECT_EQ(type_in(graph, "final"), ElementType::i32);
  EXPECT_EQ(type_in(graph, "turns"), ElementType::i64);
  EXPECT_EQ(type_in(graph, "scans"), f16);
  EXPECT_EQ(type_in(graph, "y"), f16);
  for (const Op& op : graph.ops) {
    if (op.type != "Loop") continue;
    const Graph& inner = *op.subgraphs.at("body");
    EXPECT_EQ(type_in(inner, "goes_on"), ElementType::boolean);
    EXPECT_EQ(type_in(inner, "next"), ElementType::i32);
    EXPECT_EQ(type_in(inner, "chosen"), f16);
  }
}

}  // namespace
}  // namespace takt
