#include "measure/profiles/foreign_profile.h"

#include <algorithm>

#include "base/basics/text.h"
#include "model/cost/cost.h"

namespace takt {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/// The first key of a JSON object, without its quotes; empty if there is none.
std::string_view first_key(std::string_view text) {
  const auto begin = text.find('"');
  if (begin == std::string_view::npos || text.substr(1, begin - 1).find_first_not_of(blanks) != std::string_view::npos)
    return {};
  const auto end = text.find('"', begin + 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin + 1, end - begin - 1);
}

TensorId add_tensor(Graph& graph, const Shape& shape) {
  Tensor tensor;
  tensor.name = "t" + std::to_string(graph.tensors.size());
  tensor.type = ElementType::f32;
  PartialShape dims;
  for (const std::int64_t extent : shape) dims.push_back({extent, ""});
  tensor.shape = std::move(dims);
  tensor.bytes = byte_count(tensor.type, tensor.shape);
  graph.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph.tensors.size() - 1);
}

/// Names that ONNX Runtime gives to operators it fused or laid out anew, without the fused activation.
std::string_view standard_type(std::string_view type) {
  if (type == "FusedConv" || type == "NhwcFusedConv") return "Conv";
  if (type == "FusedGemm") return "Gemm";
  if (type == "FusedMatMul") return "MatMul";
  return type;
}

}  // namespace

ProfileKind detect_profile_kind(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  if (text.starts_with('[')) return ProfileKind::ort;
  if (text.starts_with('{')) {
    const std::string_view key = first_key(text);
    for (const std::string_view word : {"report_type", "detailed_performance", "avg_performance", "cmd_options",
                                        "configuration_setup", "execution_results"})
      if (key == word) return ProfileKind::benchmark_app_json;
    return key == "traceEvents" ? ProfileKind::ort : ProfileKind::peer;
  }
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool counters = line.find("layerName") != std::string_view::npos;
  return counters || line.starts_with("Command line parameters") || line.starts_with("Configuration setup")
             ? ProfileKind::benchmark_app_csv
             : ProfileKind::peer;
}

std::optional<double> flops_from_shapes(std::string_view type, const std::vector<Shape>& inputs,
                                        const std::vector<Shape>& outputs) {
  Graph graph;
  graph.opsets[""] = 17;
  Op op;
  op.name = "op";
  op.type = std::string(standard_type(type));
  for (const Shape& shape : inputs) op.inputs.push_back(add_tensor(graph, shape));
  for (const Shape& shape : outputs) op.outputs.push_back(add_tensor(graph, shape));
  // The profile does not say whether A is transposed; its shape does.
  const bool product = op.type == "Gemm" || op.type == "MatMul";
  if (product && !inputs.empty() && !outputs.empty() && inputs[0].size() >= 2 && outputs[0].size() >= 2) {
    const Shape& a = inputs[0];
    const std::int64_t rows = outputs[0][outputs[0].size() - 2];
    if (a[a.size() - 2] != rows && a.back() == rows) op.attributes["transA"] = std::int64_t{1};
  }
  if (op.type == "Conv" && inputs.size() < 2) return std::nullopt;
  return cost(graph, op).flops;
}

}  // namespace takt
