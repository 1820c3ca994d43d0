#include "graph/types.h"

#include <map>
#include <set>

namespace takt {
namespace {

ElementType type_of(const Graph& graph, const Op& op, std::size_t input) {
  if (input >= op.inputs.size() || op.inputs[input] == no_tensor) return ElementType::undefined;
  return graph.tensor(op.inputs[input]).type;
}

std::optional<ElementType> integer_attribute(const Op& op, const char* name) {
  const auto found = op.attributes.find(name);
  if (found == op.attributes.end()) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number ? std::optional(static_cast<ElementType>(*number)) : std::nullopt;
}

/// Types that depend on neither the inputs nor the attributes.
std::optional<ElementType> fixed_type(const Op& op, std::size_t output) {
  static const std::set<std::string> integer_results{"Shape",  "Size",    "ArgMax",
                                                     "ArgMin", "NonZero", "NonMaxSuppression"};
  static const std::set<std::string> truths{"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And",
                                            "Or",    "Not",  "Xor",         "IsNaN",   "IsInf"};
  static const std::set<std::string> with_indices{"TopK", "MaxPool", "Unique"};
  if (integer_results.contains(op.type)) return ElementType::i64;
  if (truths.contains(op.type)) return ElementType::boolean;
  if (with_indices.contains(op.type) && output > 0) return ElementType::i64;
  if (op.type == "MatMulInteger" || op.type == "ConvInteger") return ElementType::i32;
  return std::nullopt;
}

/// The input whose type an output has; the first, unless listed.
std::size_t deciding_input(const Op& op) {
  static const std::map<std::string, std::size_t> others{{"Where", 1},          {"DequantizeLinear", 1},
                                                         {"QuantizeLinear", 2}, {"QLinearConv", 7},
                                                         {"QLinearMatMul", 7},  {"OneHot", 2}};
  const auto found = others.find(op.type);
  return found == others.end() ? 0 : found->second;
}

ElementType infer(const Graph& graph, const Op& op, std::size_t output) {
  if (const auto fixed = fixed_type(op, output)) return *fixed;
  if (op.type == "Cast") return integer_attribute(op, "to").value_or(ElementType::undefined);
  if (op.type == "DynamicQuantizeLinear") return output == 1 ? ElementType::f32 : ElementType::u8;
  // Without a zero point, quantised values are unsigned bytes.
  if (op.type == "QuantizeLinear" && op.inputs.size() < 3)
    return integer_attribute(op, "output_dtype").value_or(ElementType::u8);
  if (const auto asked = integer_attribute(op, "dtype"); asked && op.domain.empty()) return *asked;
  return type_of(graph, op, deciding_input(op));
}

}  // namespace

void infer_types(Graph& graph) {
  for (const Op& op : graph.ops) {
    if (!op.subgraphs.empty()) continue;  // results of If, Loop and Scan have the types of their bodies' results
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      if (op.outputs[i] == no_tensor) continue;
      Tensor& tensor = graph.tensor(op.outputs[i]);
      if (tensor.type != ElementType::undefined) continue;
      tensor.type = infer(graph, op, i);
      tensor.bytes = byte_count(tensor.type, tensor.shape);
    }
  }
}

}  // namespace takt
