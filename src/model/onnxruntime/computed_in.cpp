#include "model/onnxruntime/computed_in.h"

#include <utility>

namespace takt {
namespace {

constexpr std::pair<std::string_view, ElementType> arithmetic_types[] = {
    {"float", ElementType::f32},  {"float16", ElementType::f16}, {"bfloat16", ElementType::bf16},
    {"double", ElementType::f64}, {"int8", ElementType::i8},     {"uint8", ElementType::u8}};

std::optional<ElementType> arithmetic_type(std::string_view name) {
  for (const auto& [known, type] : arithmetic_types)
    if (name == known) return type;
  return std::nullopt;
}

bool is_of_8_bits(ElementType type) { return type == ElementType::i8 || type == ElementType::u8; }

/// Kernels that multiply 8-bit numbers, whatever their first operand is.
bool is_quantised(std::string_view op_type) {
  return op_type.starts_with("QLinear") || op_type.starts_with("DynamicQuantize") ||
         op_type.find("Integer") != op_type.npos || op_type == "QGemm" || op_type == "QAttention";
}

}  // namespace

std::optional<ElementType> computed_in(std::string_view op_type, const std::vector<std::string>& operand_types) {
  const bool is_narrow = is_quantised(op_type) && op_type != "DynamicQuantizeLinear";
  for (const std::string& operand : operand_types)
    if (const auto type = arithmetic_type(operand); type && (!is_narrow || is_of_8_bits(*type))) return type;
  return std::nullopt;
}

}  // namespace takt
