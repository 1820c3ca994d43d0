// Floating-point operations and bytes of one operator, from its shapes alone.
//
// Definitions (docs/how-it-works.md has the table): a multiply and an add are two operations; Conv, Gemm, MatMul count
// 2·MAC including the bias; element-wise operators one per element, transcendental functions apart in `sfu_ops`; pooling
// window−1 per output element; Softmax 5n and n sfu; LayerNormalization 8n. Bytes are inputs + weights (each tensor
// once) + outputs; operators that only rename memory (Reshape, Flatten, Identity, Squeeze…) move none.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/graph.h"

namespace takt {

struct Cost {
  std::optional<double> flops;    ///< nullopt: the type has no rule, or a shape is not known
  std::optional<double> sfu_ops;  ///< transcendental evaluations
  std::optional<std::int64_t> bytes;
  std::optional<std::int64_t> weight_bytes, input_bytes, output_bytes;  ///< constants, activations in, activations out
};

Cost cost(const Graph& graph, const Op& op);

}  // namespace takt
