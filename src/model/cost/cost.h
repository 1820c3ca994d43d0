// Floating-point operations and bytes of one operator, from its shapes alone.
//
// Definitions (docs/how-it-works.md has the table): a multiply and an add are two operations; Conv, Gemm, MatMul count
// 2·MAC including the bias; element-wise operators one per element, transcendental functions apart in `sfu_ops`;
// pooling window−1 per output element; Softmax 5n and n sfu; LayerNormalization 8n. Bytes are inputs + weights (each
// tensor once) + outputs; operators that only rename memory (Reshape, Flatten, Identity, Squeeze…) move none, and of
// the tensor that Gather and Slice pick from only what they pick counts. Scan is its body times the slices; If and Loop
// depend on data, and are what their bodies did in the inference that was observed (Op::executions), if one was. The
// formulas stand with the rules, in src/model/cost/table.cpp and cost_rules_*.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "model/graph/graph.h"

namespace takt {

struct Cost {
  std::optional<double> flops;    ///< nullopt: the type has no rule, or a shape is not known
  std::optional<double> sfu_ops;  ///< transcendental evaluations
  std::optional<std::int64_t> bytes;
  std::optional<std::int64_t> weight_bytes, input_bytes, output_bytes;  ///< constants, activations in, activations out
};

/// Never throws; `op` is one of graph.ops. What is not known is nullopt, never 0. Thread-safe.
Cost cost(const Graph& graph, const Op& op);

}  // namespace takt
