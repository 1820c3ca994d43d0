// Convolutions and matrix products: 2 · multiply-accumulates. A sum of K products and a bias takes K multiplications,
// K−1 additions and one more for the bias, so 2K holds the bias exactly; without one it is kept, by convention.
#include "model/cost/rules.h"

namespace takt {
namespace {

// Work on each output element behind the product: a residual input (FusedConv's fourth) and the activation.
std::optional<Work> with_fused(const OpView& op, double products, bool adds_residual) {
  const auto outputs = op.output_elements();
  if (!outputs) return std::nullopt;
  auto work = fused_activation(op, *outputs);
  if (!work) return std::nullopt;
  work->flops += 2 * products + (adds_residual ? *outputs : 0);
  return work;
}

}  // namespace

std::optional<Work> fused_activation(const OpView& op, double elements) {
  const std::string activation = op.text("activation", "");
  if (activation.empty()) return Work{};
  if (activation == "Relu") return Work{elements, 0};
  if (activation == "LeakyRelu" || activation == "Clip") return Work{2 * elements, 0};
  if (activation == "Tanh") return Work{0, elements};
  if (activation == "Sigmoid") return Work{3 * elements, elements};
  if (activation == "HardSigmoid") return Work{4 * elements, 0};
  if (activation == "HardSwish") return Work{5 * elements, 0};
  return std::nullopt;
}

// Conv: output elements · (weights per output channel). W is {M, C/group, kernel…}, in NHWC {M, kernel…, C/group}: the
// products behind one output element are all of W but its first dimension, which counts groups right.
std::optional<Work> convolution(const OpView& op, const CostRule& rule) {
  const auto weight = static_cast<std::size_t>(rule.flops);
  const auto outputs = op.output_elements();
  const auto shape = op.input_shape(weight);
  const auto weights = op.input_elements(weight);
  if (!outputs || !shape || !weights || shape->size() < 3 || (*shape)[0] == 0) return std::nullopt;
  return with_fused(op, *outputs * (*weights / static_cast<double>((*shape)[0])), weight == 1 && op.has_input(3));
}

// ConvTranspose: each input element meets W {C, M/group, kernel…} but for C.
std::optional<Work> transposed_convolution(const OpView& op, const CostRule&) {
  const auto inputs = op.input_elements(0);
  const auto shape = op.input_shape(1);
  const auto weights = op.input_elements(1);
  if (!inputs || !shape || !weights || shape->size() < 3 || (*shape)[0] == 0) return std::nullopt;
  return Work{2 * *inputs * (*weights / static_cast<double>((*shape)[0])), 0};
}

// Output elements · K, where K is the last dimension of A, or the one before it if A is transposed.
std::optional<Work> matrix_product(const OpView& op, const CostRule&) {
  const auto outputs = op.output_elements();
  const auto a = op.input_shape(0);
  if (!outputs || !a || a->empty()) return std::nullopt;
  const bool transposed = op.integer("transA", 0) != 0;
  if (transposed && a->size() < 2) return std::nullopt;
  const std::int64_t depth = transposed ? (*a)[a->size() - 2] : a->back();
  return with_fused(op, *outputs * static_cast<double>(depth), false);
}

// Two operands: the product of all index sizes, twice where an index is summed over, once where none is. One operand:
// an addition per element if it sums, nothing if it only moves. More operands and "..." have no rule.
std::optional<Work> einsum(const OpView& op, const CostRule&) {
  std::string equation;
  for (const char c : op.text("equation", "")) {
    if (c != ' ') equation += c;
  }
  const std::size_t arrow = equation.find("->");
  const std::size_t operands = op.op().inputs.size();
  if (arrow == std::string::npos || equation.find('.') != std::string::npos || operands < 1 || operands > 2) {
    return std::nullopt;
  }
  std::map<char, std::int64_t> sizes;
  std::size_t at = 0;
  for (std::size_t i = 0; i < operands; ++i) {
    const auto shape = op.input_shape(i);
    if (!shape) return std::nullopt;
    for (const std::int64_t dim : *shape) {
      if (at >= arrow || equation[at] == ',') return std::nullopt;
      sizes[equation[at++]] = dim;
    }
    if (i + 1 < operands && (at >= arrow || equation[at++] != ',')) return std::nullopt;
  }
  if (at != arrow) return std::nullopt;
  double product = 1;
  bool sums = false;
  for (const auto& [index, size] : sizes) {
    product *= static_cast<double>(size);
    sums = sums || equation.find(index, arrow) == std::string::npos;
  }
  return Work{product * (static_cast<double>(operands) - 1 + (sums ? 1 : 0)), 0};
}

}  // namespace takt
