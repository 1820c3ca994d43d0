// The rules behind cost(): one table of operator types, each with a rule function and its coefficients.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/cost/cost.h"
#include "model/graph/graph.h"

namespace takt {

struct Work {
  double flops = 0, sfu_ops = 0;
};

/// An operator with its shapes at hand; everything is nullopt where the model does not tell.
class OpView {
 public:
  OpView(const Graph& graph, const Op& op) : graph_(graph), op_(op) {}

  const Graph& graph() const { return graph_; }
  const Op& op() const { return op_; }
  bool has_input(std::size_t index) const;
  const Tensor* input(std::size_t index) const;  ///< nullptr if left out
  const Tensor* output(std::size_t index) const;
  std::optional<Shape> input_shape(std::size_t index) const;
  std::optional<Shape> output_shape(std::size_t index) const;
  std::optional<double> input_elements(std::size_t index) const;
  std::optional<double> output_elements(std::size_t index = 0) const;
  std::optional<std::int64_t> first_integer(std::size_t index) const;  ///< of an input's values, where it is a constant

  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::optional<std::vector<std::int64_t>> integers(const std::string& name) const;

 private:
  const Graph& graph_;
  const Op& op_;
};

/// What an operator does with memory.
enum class Traffic {
  all,      ///< reads its inputs once, writes its outputs
  renames,  ///< none: the output is the input's memory under another shape or name, or the result is folded away
  picks,    ///< reads of its first input only as much as it writes (Gather, Slice)
  unknown,  ///< control flow, a few rows of tables
};

struct CostRule {
  std::string_view type;
  std::optional<Work> (*work)(const OpView&, const CostRule&);
  double flops = 0, sfu_ops = 0;  ///< coefficients; their meaning is the rule function's
  Traffic traffic = Traffic::all;
};

/// The rule for a type of ai.onnx or of ONNX Runtime's fused operators; nullptr if there is none.
const CostRule* find_cost_rule(const Op& op);

// Coefficients per output element, per input element, none.
std::optional<Work> per_output(const OpView& op, const CostRule& rule);
std::optional<Work> per_input(const OpView& op, const CostRule& rule);
std::optional<Work> no_work(const OpView& op, const CostRule& rule);
std::optional<Work> fold_inputs(const OpView& op, const CostRule& rule);
std::optional<Work> pool(const OpView& op, const CostRule& rule);
std::optional<Work> global_pool(const OpView& op, const CostRule& rule);
std::optional<Work> normalize(const OpView& op, const CostRule& rule);
std::optional<Work> local_response(const OpView& op, const CostRule& rule);
std::optional<Work> resize(const OpView& op, const CostRule& rule);
std::optional<Work> gelu(const OpView& op, const CostRule& rule);
std::optional<Work> top_k(const OpView& op, const CostRule& rule);

std::optional<Work> grid_sample(const OpView& op, const CostRule& rule);
std::optional<Work> roi_align(const OpView& op, const CostRule& rule);
std::optional<Work> non_max_suppression(const OpView& op, const CostRule& rule);
std::optional<Work> fourier(const OpView& op, const CostRule& rule);
std::optional<Work> short_time_fourier(const OpView& op, const CostRule& rule);
std::optional<Work> scatter(const OpView& op, const CostRule& rule);

std::optional<Work> convolution(const OpView& op, const CostRule& rule);  ///< flops: index of the weight input
std::optional<Work> transposed_convolution(const OpView& op, const CostRule& rule);
std::optional<Work> matrix_product(const OpView& op, const CostRule& rule);
std::optional<Work> einsum(const OpView& op, const CostRule& rule);
/// The function fused behind a convolution or product (attribute `activation`), for so many elements.
std::optional<Work> fused_activation(const OpView& op, double elements);

std::optional<Work> recurrent(const OpView& op, const CostRule& rule);
std::optional<Work> attention(const OpView& op, const CostRule& rule);
std::optional<Work> packed_attention(const OpView& op, const CostRule& rule);
std::optional<Work> multi_head_attention(const OpView& op, const CostRule& rule);
std::optional<Work> grouped_attention(const OpView& op, const CostRule& rule);

}  // namespace takt
