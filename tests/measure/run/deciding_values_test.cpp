// Generated values that decide what a model computes: which are changed, to what, and what is said of them.
#include "measure/open/deciding_values.h"

#include <gmock/gmock.h>

#include "model/inputs/tensor_values.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto whole = ElementType::i64;

/// A model of one operator that reads the input `x` as its operand of this number, beside inputs of 2 x 3 floats.
Graph graph_of(const std::string& type, std::size_t operand, const std::string& name = "x",
               const std::string& domain = "") {
  Graph graph;
  Op op;
  op.name = "op", op.type = type, op.domain = domain;
  for (std::size_t i = 0; i < std::max<std::size_t>(operand + 1, 2); ++i) {
    Tensor tensor;
    tensor.name = i == operand ? name : "data" + std::to_string(i);
    tensor.type = i == operand ? whole : ElementType::f32;
    tensor.shape = i == operand ? PartialShape{{{}, ""}} : PartialShape{{2, ""}, {{}, "n"}};
    graph.inputs.push_back(static_cast<TensorId>(graph.tensors.size()));
    op.inputs.push_back(graph.inputs.back());
    graph.tensors.push_back(tensor);
  }
  Tensor result;
  result.name = "result";
  op.outputs = {static_cast<TensorId>(graph.tensors.size())};
  graph.tensors.push_back(result);
  graph.ops = {op};
  return graph;
}

/// What the input of `count` sevens becomes.
std::vector<double> made(const Graph& graph, std::int64_t count, ElementType type = whole,
                         const std::string& name = "x", bool is_given = false) {
  std::vector<HostTensor> inputs;
  for (const TensorId id : graph.inputs) {
    HostTensor& tensor = inputs.emplace_back();
    tensor.name = graph.tensor(id).name;
    const bool is_x = tensor.name == name;
    tensor.type = is_x ? type : ElementType::f32, tensor.shape = is_x ? Shape{count} : Shape{2, 3};
    const std::size_t size = is_x ? static_cast<std::size_t>(*type_bits(type)) / 8 : 4;
    tensor.bytes = std::vector<std::byte>(static_cast<std::size_t>(is_x ? count : 6) * size, std::byte{7});
  }
  InputChoice choice;
  if (is_given) choice.given[name];
  make_deciding_values(graph, choice, inputs);
  for (const HostTensor& tensor : inputs) {
    std::vector<double> values;
    if (tensor.name != name) continue;
    for (std::size_t i = 0; i < count_of(tensor); ++i) values.push_back(*value_at(tensor, i));
    return values;
  }
  return {};
}

double sevens(std::size_t bytes) {
  double value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value * 256 + 7;
  return value;
}

TEST(DecidingValues, leave_sizes_as_they_are) {
  EXPECT_THAT(made(graph_of("Reshape", 1), 3), ElementsAre(1, 1, -1));
  EXPECT_THAT(made(graph_of("Reshape", 1), 0), IsEmpty());
  EXPECT_THAT(made(graph_of("Range", 0), 1), ElementsAre(0));
  EXPECT_THAT(made(graph_of("Range", 1), 1), ElementsAre(16));
  EXPECT_THAT(made(graph_of("Range", 2), 1), ElementsAre(1));
  EXPECT_THAT(made(graph_of("Pad", 1), 4), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(made(graph_of("Slice", 1), 2), ElementsAre(0, 0));
  EXPECT_THAT(made(graph_of("Slice", 2), 2), ElementsAre(1, 1));
  EXPECT_THAT(made(graph_of("Resize", 3), 2), ElementsAre(2, 3)) << "the sizes of what is resized, with the inputs'";
  EXPECT_THAT(made(graph_of("Resize", 3), 1), ElementsAre(1)) << "not as many as it has";
  EXPECT_THAT(made(graph_of("Resize", 2), 2), ElementsAre(1, 1)) << "factors";
  EXPECT_THAT(made(graph_of("Tile", 1), 8), testing::Each(1));
  EXPECT_THAT(made(graph_of("Tile", 1), 9), testing::Each(sevens(8))) << "more than eight numbers are data";
}

TEST(DecidingValues, are_what_operators_expect) {
  EXPECT_THAT(made(graph_of("Div", 1), 2), ElementsAre(1, 1));
  EXPECT_THAT(made(graph_of("CumSum", 1), 1), ElementsAre(0));
  EXPECT_THAT(made(graph_of("Add", 1, "the_Attention_Mask"), 2, whole, "the_Attention_Mask"), ElementsAre(1, 1));
  EXPECT_THAT(made(graph_of("Add", 1), 1), ElementsAre(sevens(8))) << "no operator that asks for it";
  EXPECT_THAT(made(graph_of("Range", 1), 1, whole, "x", true), ElementsAre(sevens(8))) << "given by the user";
}

TEST(DecidingValues, have_the_type_of_the_input) {
  for (const ElementType type :
       {ElementType::f32, ElementType::f64, ElementType::i64, ElementType::u64, ElementType::i32, ElementType::u32,
        ElementType::i16, ElementType::u16, ElementType::i8, ElementType::u8})
    EXPECT_THAT(made(graph_of("Range", 1), 1, type), ElementsAre(16)) << type_name(type);
  EXPECT_THAT(made(graph_of("Range", 1), 1, ElementType::boolean), ElementsAre(1));
  EXPECT_THAT(made(graph_of("Range", 0), 1, ElementType::boolean), ElementsAre(0));
  EXPECT_THAT(made(graph_of("Reshape", 1), 2, ElementType::i32), ElementsAre(sevens(4), sevens(4)));
}

TEST(DecidingValues, are_said_once_by_input) {
  const auto said = [](const Graph& graph, bool is_given = false) {
    InputChoice choice;
    if (is_given) choice.given["x"];
    return deciding_inputs(graph, choice);
  };
  const auto sentence = [](const std::string& what, const std::string& type) {
    return "the generated values of input 'x' decide " + what + " (" + type +
           " 'op'); give your own with --input 'x:VALUES'";
  };
  EXPECT_THAT(said(graph_of("If", 0)), ElementsAre(sentence("which branch runs", "If")));
  EXPECT_THAT(said(graph_of("Loop", 0)), testing::Contains(sentence("how often a loop runs", "Loop")));
  EXPECT_THAT(said(graph_of("Range", 1)), testing::Contains(sentence("the sizes", "Range")));
  EXPECT_THAT(said(graph_of("GRU", 4)), ElementsAre(sentence("how long the sequences are", "GRU")));
  EXPECT_THAT(said(graph_of("CumSum", 1)), IsEmpty()) << "no length";
  EXPECT_THAT(said(graph_of("Tile", 1), true), IsEmpty());
  Graph both = graph_of("Tile", 1);
  Op range = both.ops[0];
  range.type = "Range", range.name = "other";
  both.ops.push_back(range);
  EXPECT_THAT(said(both), testing::Contains(sentence("the sizes", "Tile")).Times(1));
}

}  // namespace
}  // namespace takt
