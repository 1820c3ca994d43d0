#include "model/graph/types.h"

#include <map>
#include <memory>
#include <set>

#include "model/graph/attributes.h"

namespace takt {
namespace {

ElementType type_of(const Graph& graph, const Op& op, std::size_t input) {
  if (input >= op.inputs.size() || op.inputs[input] == no_tensor) return ElementType::undefined;
  return graph.tensor(op.inputs[input]).type;
}

std::optional<ElementType> type_attribute(const Op& op, const char* name) {
  const auto* number = attribute_of<std::int64_t>(op, name);
  return number ? std::optional(static_cast<ElementType>(*number)) : std::nullopt;
}

/// Sequences, maps and optional values have no element type.
bool makes_no_tensor(const Op& op) {
  static const std::set<std::string> types{"SequenceConstruct", "SequenceEmpty",   "SequenceInsert", "SequenceErase",
                                           "SequenceMap",       "SplitToSequence", "Optional",       "ZipMap"};
  return types.contains(op.type);
}

/// Types that the operator has where its attributes say nothing.
std::optional<ElementType> default_type(const Op& op) {
  static const std::map<std::string, ElementType> types{
      {"RandomNormal", ElementType::f32},    {"RandomUniform", ElementType::f32},  {"Multinomial", ElementType::i32},
      {"HannWindow", ElementType::f32},      {"HammingWindow", ElementType::f32},  {"BlackmanWindow", ElementType::f32},
      {"MelWeightMatrix", ElementType::f32}, {"TfIdfVectorizer", ElementType::f32}};
  const auto found = types.find(op.type);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

/// The second result of a Dropout says what was dropped; before operator set 10 in the numbers of the first.
bool makes_a_mask(const Graph& graph, const Op& op, std::size_t output) {
  const auto opset = graph.opsets.find("");
  return op.type == "Dropout" && output == 1 && (opset == graph.opsets.end() || opset->second >= 10);
}

/// What classical models make: numbers, or labels as their attributes have them.
std::optional<ElementType> type_of_table(const Op& op, std::size_t output) {
  static const std::set<std::string> numbers{"OneHotEncoder",   "Normalizer",       "Scaler",
                                             "LinearRegressor", "SVMRegressor",     "TreeEnsembleRegressor",
                                             "DictVectorizer",  "FeatureVectorizer"};
  if (numbers.contains(op.type)) return ElementType::f32;
  const bool is_classifier = op.type.ends_with("Classifier");
  if (is_classifier && output > 0) return ElementType::f32;
  if (!is_classifier && op.type != "LabelEncoder") return std::nullopt;
  static const std::map<std::string, ElementType> labels{
      {"classlabels_strings", ElementType::string}, {"classlabels_ints", ElementType::i64},
      {"classlabels_int64s", ElementType::i64},     {"values_strings", ElementType::string},
      {"values_int64s", ElementType::i64},          {"values_floats", ElementType::f32}};
  for (const auto& [name, type] : labels)
    if (op.attributes.contains(name)) return type;
  return std::nullopt;
}

/// Types that depend on no input.
std::optional<ElementType> fixed_type(const Op& op, std::size_t output) {
  static const std::set<std::string> integer_results{
      "Shape", "Size", "ArgMax", "ArgMin", "NonZero", "NonMaxSuppression", "SequenceLength"};
  static const std::set<std::string> truths{
      "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",     "And",           "Or",
      "Not",   "Xor",  "IsNaN",       "IsInf",   "OptionalHasElement", "RegexFullMatch"};
  static const std::set<std::string> with_indices{"TopK", "MaxPool", "Unique", "StringSplit"};
  if (integer_results.contains(op.type)) return ElementType::i64;
  if (truths.contains(op.type)) return ElementType::boolean;
  if (with_indices.contains(op.type) && output > 0) return ElementType::i64;
  if (op.type == "MatMulInteger" || op.type == "ConvInteger") return ElementType::i32;
  if (op.type == "EmbedLayerNormalization" && output == 1) return ElementType::i32;  // how long each sequence is
  return op.domain == "ai.onnx.ml" ? type_of_table(op, output) : std::nullopt;
}

/// The input whose type an output has; the first, unless listed.
std::size_t deciding_input(const Op& op) {
  static const std::map<std::string, std::size_t> others{
      {"Where", 1},
      {"DequantizeLinear", 1},
      {"QuantizeLinear", 2},
      {"QLinearConv", 7},
      {"QLinearMatMul", 7},
      {"OneHot", 2},
      {"CastLike", 1},
      // Of the fused and quantised ones: a zero point of the result, a table, a scale.
      {"QLinearConcat", 1},
      {"EmbedLayerNormalization", 2},
      {"QAttention", 3},
      {"MatMulIntegerToFloat", 2}};
  // Without a zero point of its result, floats of the type of its scales.
  if (op.type == "QGemm") return op.inputs.size() > 8 ? 8 : 1;
  const auto found = others.find(op.type);
  return found == others.end() ? 0 : found->second;
}

ElementType infer(const Graph& graph, const Op& op, std::size_t output) {
  // What ConstantOfShape makes is in an attribute that only the reader of the file sees.
  if (makes_no_tensor(op) || op.type == "ConstantOfShape") return ElementType::undefined;
  if (makes_a_mask(graph, op, output)) return ElementType::boolean;
  if (const auto fixed = fixed_type(op, output)) return *fixed;
  if (op.type == "Cast") return type_attribute(op, "to").value_or(ElementType::undefined);
  if (op.type == "DynamicQuantizeLinear") return output == 1 ? ElementType::f32 : ElementType::u8;
  // Without a zero point, quantised values are unsigned bytes.
  if (op.type == "QuantizeLinear" && op.inputs.size() < 3)
    return type_attribute(op, "output_dtype").value_or(ElementType::u8);
  if (op.domain.empty())
    for (const char* name : {"dtype", "output_datatype"})
      if (const auto asked = type_attribute(op, name)) return *asked;
  if (const auto usual = default_type(op)) return *usual;
  return type_of(graph, op, deciding_input(op));
}

void set_type(Tensor& tensor, ElementType type) {
  if (tensor.type != ElementType::undefined) return;
  tensor.type = type;
  tensor.bytes = byte_count(tensor.type, tensor.shape);
}

/// Of the number and the condition that the body of a Loop gets before its state.
std::optional<ElementType> counter_type(const Op& op, std::size_t input) {
  if (op.type != "Loop" || input > 1) return std::nullopt;
  return input == 0 ? ElementType::i64 : ElementType::boolean;
}

/// What a body captures has the type that it has outside, what it is handed (slices, in a Scan) that of what the
/// operator is handed.
std::shared_ptr<const Graph> with_types(const Graph& graph, const Op& op, const Graph& body) {
  auto typed = std::make_shared<Graph>(body);
  for (Tensor& tensor : typed->tensors) {
    if (!tensor.is_captured) continue;
    if (const auto outside = graph.find_tensor(tensor.name)) set_type(tensor, graph.tensor(*outside).type);
  }
  for (std::size_t i = 0; i < typed->inputs.size(); ++i)
    set_type(typed->tensor(typed->inputs[i]), counter_type(op, i).value_or(type_of(graph, op, i)));
  infer_types(*typed);
  return typed;
}

/// Results of If, Loop and Scan have the types of their bodies' results; the first of a Loop's is its condition.
void infer_around_bodies(Graph& graph, Op& op) {
  for (auto& [name, body] : op.subgraphs) {
    body = with_types(graph, op, *body);
    const std::size_t first = op.type == "Loop" ? 1 : 0;
    for (std::size_t i = 0; i < op.outputs.size() && i + first < body->outputs.size(); ++i) {
      if (op.outputs[i] != no_tensor)
        set_type(graph.tensor(op.outputs[i]), body->tensor(body->outputs[i + first]).type);
    }
  }
}

}  // namespace

void infer_types(Graph& graph) {
  for (Op& op : graph.ops) {
    if (!op.subgraphs.empty()) {
      infer_around_bodies(graph, op);
      continue;
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i)
      if (op.outputs[i] != no_tensor && graph.tensor(op.outputs[i]).type == ElementType::undefined)
        set_type(graph.tensor(op.outputs[i]), infer(graph, op, i));
  }
}

}  // namespace takt
