// Rules whose work goes with the number of elements: element-wise, reductions, pooling, normalisation, resizing.
#include <algorithm>
#include <cmath>

#include "model/cost/rules.h"

namespace takt {
namespace {

std::optional<Work> scaled(std::optional<double> elements, const CostRule& rule) {
  if (!elements) return std::nullopt;
  return Work{rule.flops * *elements, rule.sfu_ops * *elements};
}

}  // namespace

std::optional<Work> per_output(const OpView& op, const CostRule& rule) { return scaled(op.output_elements(), rule); }
std::optional<Work> per_input(const OpView& op, const CostRule& rule) { return scaled(op.input_elements(0), rule); }
std::optional<Work> no_work(const OpView&, const CostRule&) { return Work{}; }

// Sum, Max, Min: one operation per output element and input after the first; `flops` more for Mean's division.
std::optional<Work> fold_inputs(const OpView& op, const CostRule& rule) {
  const auto outputs = op.output_elements();
  if (!outputs || op.op().inputs.empty()) return std::nullopt;
  return Work{*outputs * (static_cast<double>(op.op().inputs.size()) - 1 + rule.flops), 0};
}

// Window − 1 operations per output element, whatever the padding.
std::optional<Work> pool(const OpView& op, const CostRule&) {
  const auto outputs = op.output_elements();
  const auto kernel = op.integers("kernel_shape");
  const auto window = kernel ? element_count(*kernel) : std::nullopt;
  if (!outputs || !window || *window < 1) return std::nullopt;
  return Work{*outputs * (static_cast<double>(*window) - 1), 0};
}

// The window is the whole plane: one operation less than it has elements, for each output.
std::optional<Work> global_pool(const OpView& op, const CostRule&) {
  const auto inputs = op.input_elements(0), outputs = op.output_elements();
  if (!inputs || !outputs) return std::nullopt;
  return Work{std::max(0.0, *inputs - *outputs), 0};
}

// `flops` per element (LayerNormalization 8: mean 1, difference 1, square and sum 2, times the inverse deviation 1,
// scale and shift 2, epsilon and division shared out as 1) and one inverse square root for each group that is
// normalised.
std::optional<Work> normalize(const OpView& op, const CostRule& rule) {
  const auto shape = op.input_shape(0);
  const auto elements = op.input_elements(0);
  if (!shape || !elements || shape->empty()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape->size());
  double groups = 1;
  std::int64_t leading = rank - 1;  // the dimensions that do not take part in a group
  if (op.op().type == "LayerNormalization" || op.op().type == "RMSNormalization" || op.op().type == "MVN") {
    leading = op.integer("axis", -1);
    if (leading < 0) leading += rank;
    if (leading < 0 || leading > rank) return std::nullopt;
  } else if (op.op().type == "InstanceNormalization") {
    leading = std::min<std::int64_t>(2, rank);
  } else if (op.op().type == "GroupNormalization" || op.op().type == "GroupNorm") {
    leading = 1;
    groups = static_cast<double>(op.integer("num_groups", op.integer("groups", 1)));
  }
  for (std::int64_t i = 0; i < leading; ++i) groups *= static_cast<double>((*shape)[static_cast<std::size_t>(i)]);
  return Work{rule.flops * *elements, groups};
}

// LRN: squares and sums over `size` channels, scale, bias and division: 2·size + 3, and one power.
std::optional<Work> local_response(const OpView& op, const CostRule&) {
  const auto elements = op.output_elements();
  const std::int64_t size = op.integer("size", 0);
  if (!elements || size < 1) return std::nullopt;
  return Work{*elements * (2 * static_cast<double>(size) + 3), *elements};
}

// Over d resized dimensions: nearest none; linear 2^d − 1 interpolations of 3; cubic 4^d taps of 2.
std::optional<Work> resize(const OpView& op, const CostRule&) {
  const auto from = op.input_shape(0), to = op.output_shape(0);
  const auto elements = op.output_elements();
  if (!from || !to || !elements || from->size() != to->size()) return std::nullopt;
  int resized = 0;
  for (std::size_t i = 0; i < from->size(); ++i) resized += (*from)[i] != (*to)[i];
  const std::string mode = op.text("mode", "nearest");
  if (mode == "nearest") return Work{};
  if (mode == "linear" || mode == "bilinear") return Work{*elements * 3 * (std::ldexp(1.0, resized) - 1), 0};
  if (mode == "cubic") return Work{*elements * 2 * std::ldexp(1.0, 2 * resized), 0};
  return std::nullopt;
}

// ½·x·(1 + erf(x/√2)): 4 operations; the tanh form ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))): 8.
std::optional<Work> gelu(const OpView& op, const CostRule&) {
  const auto elements = op.output_elements();
  if (!elements) return std::nullopt;
  return Work{*elements * (op.text("approximate", "none") == "tanh" ? 8 : 4), *elements};
}

// A heap of k: log2(k) comparisons per input element, at least one.
std::optional<Work> top_k(const OpView& op, const CostRule&) {
  const auto elements = op.input_elements(0);
  const std::int64_t k = op.first_integer(1).value_or(op.integer("k", 0));
  if (!elements || k < 1) return std::nullopt;
  return Work{*elements * std::max(1.0, std::log2(static_cast<double>(k))), 0};
}

}  // namespace takt
