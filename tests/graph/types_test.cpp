// Element types that follow from the operators.
#include "graph/types.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/element_words.h"

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

}  // namespace
}  // namespace takt
