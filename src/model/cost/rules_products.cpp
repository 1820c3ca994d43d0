// Convolutions and matrix products: 2 · multiply-accumulates. A sum of K products and a bias takes K multiplications,
// K−1 additions and one more for the bias, so 2K holds the bias exactly; without one it is kept, by convention.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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
  const bool adds_residual = op.op().type.ends_with("FusedConv") && op.has_input(3);  // ConvInteger's is a zero point
  return with_fused(op, *outputs * (*weights / static_cast<double>((*shape)[0])), adds_residual);
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

namespace {

/// The indices of operands and result, each once; those that "..." stands for are numbered from the right.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
  std::map<char, double> sizes;
};

constexpr std::string_view dots = "...";

std::string spread(std::size_t dimensions) {
  std::string indices;
  for (std::size_t i = dimensions; i > 0; --i) indices += static_cast<char>(i);
  return indices;
}

/// The indices of `term` for so many dimensions; nullopt if it is not of so many.
std::optional<std::string> indices_of(std::string term, std::size_t dimensions) {
  const auto at_dots = term.find(dots);
  if (at_dots != std::string::npos) {
    const std::size_t named = term.size() - dots.size();
    if (named > dimensions) return std::nullopt;
    term.replace(at_dots, dots.size(), spread(dimensions - named));
  }
  if (term.size() != dimensions || term.find('.') != std::string::npos) return std::nullopt;
  return term;
}

bool has(std::string_view indices, char index) { return indices.find(index) != std::string_view::npos; }

/// Without an arrow the result has all that occur once, in alphabetical order; what "..." stands for comes first there
/// as its numbers are below all letters.
std::string implied_result(const std::string& terms) {
  std::string result;
  for (char index = 1; index < 127; ++index)
    if (std::count(terms.begin(), terms.end(), index) == 1 || (index < ' ' && has(terms, index))) result += index;
  return result;
}

std::optional<Equation> equation_of(const OpView& op) {
  std::string text = op.text("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const std::string terms = text.substr(0, arrow);
  Equation equation;
  std::size_t most_dots = 0, from = 0;
  for (std::size_t i = 0; i < op.op().inputs.size(); ++i) {
    const auto shape = op.input_shape(i);
    if (!shape || from > terms.size()) return std::nullopt;
    const std::size_t comma = std::min(terms.find(',', from), terms.size());
    const std::string term = terms.substr(from, comma - from);
    const auto indices = indices_of(term, shape->size());
    if (!indices) return std::nullopt;
    if (term.find(dots) != std::string::npos)
      most_dots = std::max(most_dots, shape->size() + dots.size() - term.size());
    for (std::size_t d = 0; d < shape->size(); ++d) {
      double& size = equation.sizes[(*indices)[d]];
      size = std::max(size, static_cast<double>((*shape)[d]));
    }
    equation.operands.push_back(*indices);
    from = comma + 1;
  }
  if (equation.operands.empty() || from <= terms.size()) return std::nullopt;
  if (arrow == std::string::npos) {
    std::string all;
    for (const auto& operand : equation.operands) all += operand;
    equation.result = implied_result(all);
    return equation;
  }
  equation.result = text.substr(arrow + 2);
  if (const auto at_dots = equation.result.find(dots); at_dots != std::string::npos)
    equation.result.replace(at_dots, dots.size(), spread(most_dots));
  return equation;
}

}  // namespace

// Operands are joined one after the other from the left: each time the product of all index sizes of the two, twice
// where an index is summed over, once where none is. One operand: an addition per element if it sums, nothing if it
// only moves.
std::optional<Work> einsum(const OpView& op, const CostRule&) {
  const auto equation = equation_of(op);
  if (!equation) return std::nullopt;
  const auto& operands = equation->operands;
  const auto is_kept = [&](char index, std::size_t joined) {
    return has(equation->result, index) ||
           std::any_of(operands.begin() + static_cast<std::ptrdiff_t>(joined) + 1, operands.end(),
                       [&](const std::string& later) { return has(later, index); });
  };
  Work work;
  std::string left;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    double product = 1;
    std::string kept;
    bool sums = false;
    for (const auto& [index, size] : equation->sizes) {
      if (!has(left, index) && !has(operands[i], index)) continue;
      product *= size;
      if (is_kept(index, i))
        kept += index;
      else
        sums = true;
    }
    const bool is_last_of_one = operands.size() == 1;
    if (i > 0) work.flops += product * (sums ? 2 : 1);
    if (is_last_of_one && sums) work.flops += product;
    // What only the first operand has is summed over as the second joins.
    left = i == 0 && !is_last_of_one ? operands[0] : kept;
  }
  return work;
}

}  // namespace takt
