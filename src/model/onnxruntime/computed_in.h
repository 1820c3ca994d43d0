// The type of the numbers that a kernel of ONNX Runtime works with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt/tensor.h"

namespace takt {

/// By the types of its operands, in ONNX Runtime's words ("float", "uint8"): that of the first operand with a type to
/// compute in, of kernels for quantised numbers (QLinearConv, MatMulInteger, DynamicQuantizeMatMul) the first of 8 bits.
/// nullopt: no operand has one, as of a Shape.
std::optional<ElementType> computed_in(std::string_view op_type, const std::vector<std::string>& operand_types);

}  // namespace takt
