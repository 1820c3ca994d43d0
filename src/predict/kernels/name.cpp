#include "predict/kernels/name.h"

#include <algorithm>
#include <array>
#include <optional>

#include "model/graph/attributes.h"

namespace takt {
namespace {

constexpr int none = -1;

struct NameRule {
  std::string_view type, domain;  ///< as the runtime's graph has them; an empty domain: in any
  std::string_view name;
  std::string_view layout = {};
  int sum = none;         ///< the input that is added to the result of the base, where it is there
  int sum_before = none;  ///< the input that is added before the base acts, where it is there
};

constexpr std::string_view microsoft = "com.microsoft";

// Of several rules for a type the first one whose domain fits holds.
constexpr NameRule node_rules[] = {
    {"Conv", "com.microsoft.nchwc", "Conv", "nchwc", 3},
    {"FusedConv", microsoft, "Conv", "", 3},
    {"NhwcFusedConv", microsoft, "Conv", "nhwc", 3},
    {"NhwcConv", microsoft, "Conv", "nhwc"},
    {"NhwcMaxPool", microsoft, "MaxPool", "nhwc"},
    {"FusedGemm", microsoft, "Gemm"},
    {"FusedMatMul", microsoft, "MatMul"},
    {"FusedMatMulActivation", microsoft, "MatMul"},
    {"TransposeMatMul", microsoft, "MatMul"},
    {"Upsample", "", "Resize"},
    // Sums and biases in front.
    {"BiasGelu", microsoft, "Add_Gelu"},
    {"BiasSoftmax", microsoft, "Add_Softmax"},
    {"BiasAdd", microsoft, "Add_Add"},
    {"FastGelu", microsoft, "FastGelu", "", none, 1},
    {"SkipLayerNormalization", microsoft, "Add_LayerNormalization"},
    {"SkipSimplifiedLayerNormalization", microsoft, "Add_RMSNormalization"},
    {"SkipGroupNorm", microsoft, "Add_GroupNormalization"},
    {"EmbedLayerNormalization", microsoft, "Gather_Add_LayerNormalization"},
    // Other names for what ONNX has by now.
    {"SimplifiedLayerNormalization", "", "RMSNormalization"},
    {"GroupNorm", microsoft, "GroupNormalization"},
    {"QuickGelu", microsoft, "Swish"},
    {"Attention", microsoft, "MatMul_Attention"},  // with the product that makes queries, keys and values
    {"MultiHeadAttention", microsoft, "Attention"},
    {"GroupQueryAttention", microsoft, "Attention"},
    // Of integers: the numbers' types are in the record, and with them what makes such a kernel another one.
    {"QLinearConv", "", "Conv"},
    {"ConvInteger", "", "Conv"},
    {"QLinearMatMul", "", "MatMul"},
    {"MatMulInteger", "", "MatMul"},
    {"MatMulIntegerToFloat", microsoft, "MatMul"},
    {"MatMulNBits", microsoft, "MatMul"},
    {"DynamicQuantizeMatMul", microsoft, "DynamicQuantizeLinear_MatMul"},
    {"QGemm", microsoft, "Gemm"},
    {"QLinearAdd", microsoft, "Add"},
    {"QLinearMul", microsoft, "Mul"},
    {"QLinearConcat", microsoft, "Concat"},
    {"QLinearSigmoid", microsoft, "Sigmoid"},
    {"QLinearLeakyRelu", microsoft, "LeakyRelu"},
    {"QLinearSoftmax", microsoft, "Softmax"},
    {"QLinearWhere", microsoft, "Where"},
    {"QLinearAveragePool", microsoft, "AveragePool"},
    {"QLinearGlobalAveragePool", microsoft, "GlobalAveragePool"},
    {"QLinearReduceMean", microsoft, "ReduceMean"},
};

/// Whole domains whose operators are those of ONNX on tensors of another layout.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> layout_domains{
    {{"com.microsoft.nchwc", "nchwc"}, {"com.ms.internal.nhwc", "nhwc"}}};

const NameRule* rule_of(const Op& op) {
  for (const NameRule& rule : node_rules)
    if (rule.type == op.type && (rule.domain.empty() || rule.domain == op.domain)) return &rule;
  return nullptr;
}

bool has_input(const Op& op, int place) {
  return place != none && static_cast<std::size_t>(place) < op.inputs.size() &&
         op.inputs[static_cast<std::size_t>(place)] != no_tensor;
}

/// Sequences of operators that stand for one of ONNX's own, as models are exported; longest first.
struct Composite {
  std::array<std::string_view, 5> types;
  std::string_view name;
};
constexpr Composite composites[] = {
    {{"Div", "Erf", "Add", "Mul", "Mul"}, "Gelu"},
    {{"Mul", "Div", "Erf", "Add", "Mul"}, "Gelu"},
    {{"Sigmoid", "Mul"}, "Swish"},
    {{"HardSigmoid", "Mul"}, "HardSwish"},
};

std::optional<std::pair<std::string_view, std::size_t>> composite_at(const std::vector<std::string_view>& types,
                                                                     std::size_t place) {
  for (const Composite& one : composites) {
    std::size_t length = 0;
    while (length < one.types.size() && !one.types[length].empty()) ++length;
    if (place + length <= types.size() &&
        std::equal(one.types.begin(), one.types.begin() + static_cast<std::ptrdiff_t>(length),
                   types.begin() + static_cast<std::ptrdiff_t>(place)))
      return std::pair{one.name, length};
  }
  return std::nullopt;
}

bool is_any_of(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// Only gives its tensor another shape, name or type of number.
bool only_renames(std::string_view type) {
  return is_any_of(type, {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Cast", "QuantizeLinear",
                          "DequantizeLinear", "Constant"});
}

/// What a runtime computes into the weights of the product before it.
bool is_in_weights(std::string_view base, const FusedStep& step) {
  if (!is_any_of(base, {"Conv", "ConvTranspose", "MatMul", "Gemm"})) return false;
  if (step.type == "BatchNormalization") return true;
  return step.has_constant && is_any_of(step.type, {"Add", "Sub", "Mul", "Div"});
}

}  // namespace

CanonicalName canonical_name(const Op& op) {
  CanonicalName result;
  for (const auto& [domain, layout] : layout_domains)
    if (op.domain == domain) result.layout = layout;
  const NameRule* rule = rule_of(op);
  result.name = rule ? std::string(rule->name) : op.type;
  if (rule && !rule->layout.empty()) result.layout = rule->layout;
  if (rule && has_input(op, rule->sum_before)) result.name = "Add_" + result.name;
  if (rule && has_input(op, rule->sum)) result.name += "_Add";
  if (const std::string activation = text_attribute(op, "activation"); !activation.empty())
    result.name += "_" + activation;
  return result;
}

std::string group_name(const std::vector<FusedStep>& steps) {
  std::vector<FusedStep> acting;
  for (const FusedStep& step : steps)
    if (!only_renames(step.type) || steps.size() == 1) acting.push_back(step);
  if (acting.empty()) return steps.empty() ? std::string() : std::string(steps.front().type);
  std::vector<std::string_view> types;
  for (const FusedStep& step : acting) types.push_back(step.type);
  std::string name;
  // What follows the base goes into its weights until something else acts.
  bool is_behind_base = false;
  for (std::size_t place = 0; place < acting.size();) {
    const auto composite = composite_at(types, place);
    if (!composite && is_behind_base && is_in_weights(types.front(), acting[place])) {
      if (name == "MatMul" && types[place] == "Add") name = "Gemm";
      ++place;
      continue;
    }
    is_behind_base = place == 0;
    name += (name.empty() ? "" : "_") + std::string(composite ? composite->first : types[place]);
    place += composite ? composite->second : 1;
  }
  return name;
}

}  // namespace takt
