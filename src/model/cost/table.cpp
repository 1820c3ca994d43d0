// The table of operator types; docs of the formulas stand with the rule functions.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "model/cost/rules.h"

namespace takt {
namespace {

constexpr CostRule rules[] = {
    // Products; the number is the index of the weight.
    {"Conv", convolution, 1},
    {"FusedConv", convolution, 1},
    {"ConvInteger", convolution, 1},
    {"NhwcConv", convolution, 1},
    {"NhwcFusedConv", convolution, 1},
    {"QLinearConv", convolution, 3},
    {"ConvTranspose", transposed_convolution},
    {"MatMul", matrix_product},
    {"FusedMatMul", matrix_product},
    {"MatMulInteger", matrix_product},
    {"MatMulIntegerToFloat", matrix_product},
    {"DynamicQuantizeMatMul", matrix_product},
    {"QLinearMatMul", matrix_product},
    {"MatMulNBits", matrix_product},
    {"Gemm", matrix_product},
    {"FusedGemm", matrix_product},
    {"QGemm", matrix_product},
    {"Einsum", einsum},
    // Pooling and normalisation.
    {"MaxPool", pool},
    {"AveragePool", pool},
    {"LpPool", pool},
    {"QLinearAveragePool", pool},
    {"NhwcMaxPool", pool},
    {"GlobalAveragePool", global_pool},
    {"GlobalMaxPool", global_pool},
    {"GlobalLpPool", global_pool},
    {"QLinearGlobalAveragePool", global_pool},
    {"BatchNormalization", per_output, 2},
    {"LayerNormalization", normalize, 8},
    {"InstanceNormalization", normalize, 8},
    {"GroupNormalization", normalize, 8},
    {"GroupNorm", normalize, 8},
    {"SkipLayerNormalization", normalize, 9},
    {"EmbedLayerNormalization", normalize, 10, 0, Traffic::unknown},  // of its tables it reads a row for each word
    {"RMSNormalization", normalize, 4},
    {"SimplifiedLayerNormalization", normalize, 4},
    {"SkipSimplifiedLayerNormalization", normalize, 5},
    {"MVN", normalize, 6},  // OpenVINO's: LayerNormalization without scale and shift
    {"LRN", local_response},
    {"Softmax", per_output, 5, 1},
    {"LogSoftmax", per_output, 5, 1},
    {"BiasSoftmax", per_output, 6, 1},
    {"Hardmax", per_output, 1},
    // One operation per element.
    {"Add", per_output, 1},
    {"Sub", per_output, 1},
    {"Mul", per_output, 1},
    {"Div", per_output, 1},
    {"Mod", per_output, 1},
    {"Neg", per_output, 1},
    {"Abs", per_output, 1},
    {"Sign", per_output, 1},
    {"Floor", per_output, 1},
    {"Ceil", per_output, 1},
    {"Round", per_output, 1},
    {"Reciprocal", per_output, 1},
    {"Where", per_output, 1},
    {"Equal", per_output, 1},
    {"Greater", per_output, 1},
    {"GreaterOrEqual", per_output, 1},
    {"Less", per_output, 1},
    {"LessOrEqual", per_output, 1},
    {"And", per_output, 1},
    {"Or", per_output, 1},
    {"Xor", per_output, 1},
    {"Not", per_output, 1},
    {"BitShift", per_output, 1},
    {"BitwiseAnd", per_output, 1},
    {"BitwiseOr", per_output, 1},
    {"BitwiseXor", per_output, 1},
    {"BitwiseNot", per_output, 1},
    {"IsNaN", per_output, 1},
    {"IsInf", per_output, 1},
    {"Cast", per_output, 1},
    {"CastLike", per_output, 1},
    {"Range", per_output, 1},
    {"CumSum", per_output, 1},
    {"RotaryEmbedding", per_output, 3},
    {"Sum", fold_inputs},
    {"Max", fold_inputs},
    {"Min", fold_inputs},
    {"Mean", fold_inputs, 1},
    // Transcendental functions.
    {"Exp", per_output, 0, 1},
    {"Log", per_output, 0, 1},
    {"Sqrt", per_output, 0, 1},
    {"Pow", per_output, 0, 1},
    {"Erf", per_output, 0, 1},
    {"Sin", per_output, 0, 1},
    {"Cos", per_output, 0, 1},
    {"Tan", per_output, 0, 1},
    {"Asin", per_output, 0, 1},
    {"Acos", per_output, 0, 1},
    {"Atan", per_output, 0, 1},
    {"Sinh", per_output, 0, 1},
    {"Cosh", per_output, 0, 1},
    {"Tanh", per_output, 0, 1},
    {"Asinh", per_output, 0, 1},
    {"Acosh", per_output, 0, 1},
    {"Atanh", per_output, 0, 1},
    // Activations, counted by their formulas.
    {"Relu", per_output, 1},
    {"ThresholdedRelu", per_output, 1},
    {"LeakyRelu", per_output, 2},
    {"PRelu", per_output, 2},
    {"Clip", per_output, 2},
    {"Shrink", per_output, 2},
    {"Softsign", per_output, 3},
    {"HardSigmoid", per_output, 4},
    {"HardSwish", per_output, 5},
    {"Sigmoid", per_output, 3, 1},
    {"Elu", per_output, 3, 1},
    {"Selu", per_output, 4, 1},
    {"Celu", per_output, 4, 1},
    {"Swish", per_output, 4, 1},
    {"Softplus", per_output, 1, 2},
    {"Mish", per_output, 2, 3},
    {"Gelu", gelu},
    {"BiasGelu", per_output, 5, 1},
    {"QuickGelu", per_output, 5, 1},
    {"FastGelu", per_output, 8, 1},
    // Reductions: per input element.
    {"ReduceSum", per_input, 1},
    {"ReduceMean", per_input, 1},
    {"ReduceMax", per_input, 1},
    {"ReduceMin", per_input, 1},
    {"ReduceProd", per_input, 1},
    {"ArgMax", per_input, 1},
    {"ArgMin", per_input, 1},
    {"NonZero", per_input, 1},
    {"Col2Im", per_input, 1},
    {"ReduceL1", per_input, 2},
    {"ReduceL2", per_input, 2},
    {"ReduceSumSquare", per_input, 2},
    {"LpNormalization", per_input, 2},
    {"ReduceLogSum", per_input, 1},
    {"ReduceLogSumExp", per_input, 1, 1},
    {"TopK", top_k},
    {"NonMaxSuppression", non_max_suppression},
    {"RoiAlign", roi_align},
    {"GridSample", grid_sample},
    {"DFT", fourier},
    {"STFT", short_time_fourier},
    // Quantisation: divide, round, shift, saturate; back: shift, multiply.
    {"QuantizeLinear", per_output, 4},
    {"DequantizeLinear", per_output, 2},
    {"DynamicQuantizeLinear", per_input, 6},
    {"FakeQuantize", per_output, 7},  // OpenVINO's: clamp 2, to levels 2, round, back 2
    {"QLinearAdd", per_output, 9},
    {"QLinearMul", per_output, 9},
    {"QLinearLeakyRelu", per_output, 8},
    {"QLinearSigmoid", per_output, 9, 1},
    {"QLinearSoftmax", per_output, 11, 1},
    // Moving data.
    {"Resize", resize},
    {"Upsample", resize},
    {"Concat", no_work},
    {"Split", no_work},
    {"Transpose", no_work},
    {"Pad", no_work},
    {"Tile", no_work},
    {"Expand", no_work},
    {"DepthToSpace", no_work},
    {"SpaceToDepth", no_work},
    {"ScatterElements", scatter},
    {"ScatterND", scatter},
    {"Scatter", scatter},
    {"OneHot", no_work},
    {"Trilu", no_work},
    {"EyeLike", no_work},
    {"ReverseSequence", no_work},
    {"Compress", no_work},
    {"CenterCropPad", no_work},
    {"TensorScatter", no_work},
    {"ConstantOfShape", no_work},
    {"ReorderInput", no_work},
    {"ReorderOutput", no_work},
    {"QLinearConcat", no_work},
    {"Gather", no_work, 0, 0, Traffic::picks},
    {"GatherElements", no_work, 0, 0, Traffic::picks},
    {"GatherND", no_work, 0, 0, Traffic::picks},
    {"Slice", no_work, 0, 0, Traffic::picks},
    // Another name for the same memory, or a number that the shapes hold.
    {"Reshape", no_work, 0, 0, Traffic::renames},
    {"Flatten", no_work, 0, 0, Traffic::renames},
    {"Identity", no_work, 0, 0, Traffic::renames},
    {"Squeeze", no_work, 0, 0, Traffic::renames},
    {"Unsqueeze", no_work, 0, 0, Traffic::renames},
    {"Dropout", no_work, 0, 0, Traffic::renames},
    {"Shape", no_work, 0, 0, Traffic::renames},
    {"Size", no_work, 0, 0, Traffic::renames},
    {"Constant", no_work, 0, 0, Traffic::renames},
    // Sequences.
    {"LSTM", recurrent, 13, 5},
    {"GRU", recurrent, 11, 3},
    {"RNN", recurrent, 0, 1},
    {"MultiHeadAttention", multi_head_attention},
    {"QAttention", packed_attention, 8},
    {"GroupQueryAttention", grouped_attention},
};

// The one name that means different things in two domains.
constexpr CostRule standard_attention = {"Attention", attention};
constexpr CostRule fused_attention = {"Attention", packed_attention, 4};
// With an input that says whether it drops anything, which only trainings keep: compare, multiply.
constexpr CostRule training_dropout = {"Dropout", per_output, 2};

using RuleIndex = std::unordered_map<std::string_view, const CostRule*>;

RuleIndex index_rules() {
  RuleIndex index;
  for (const CostRule& rule : rules) index.emplace(rule.type, &rule);
  return index;
}

}  // namespace

const CostRule* find_cost_rule(const Op& op) {
  constexpr std::array<std::string_view, 4> domains = {"", "com.microsoft", "com.microsoft.nchwc",
                                                       "com.ms.internal.nhwc"};
  if (std::find(domains.begin(), domains.end(), op.domain) == domains.end()) return nullptr;
  if (op.type == "Attention") return op.domain.empty() ? &standard_attention : &fused_attention;
  if (op.type == "Dropout" && op.inputs.size() > 2 && op.inputs[2] != no_tensor) return &training_dropout;
  static const RuleIndex index = index_rules();
  const auto found = index.find(op.type);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace takt
