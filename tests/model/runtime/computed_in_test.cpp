#include "model/onnxruntime/computed_in.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(ComputedIn, is_the_type_of_the_first_operand_that_can_be_computed_in) {
  EXPECT_EQ(computed_in("Conv", {"float", "float"}), ElementType::f32);
  EXPECT_EQ(computed_in("MatMul", {"float16", "float16"}), ElementType::f16);
  EXPECT_EQ(computed_in("Gather", {"double", "int64"}), ElementType::f64);
  EXPECT_EQ(computed_in("ScatterND", {"int64", "bfloat16"}), ElementType::bf16);
  EXPECT_EQ(computed_in("DequantizeLinear", {"uint8", "float"}), ElementType::u8);
  EXPECT_EQ(computed_in("Add", {"int64", "int64"}), std::nullopt);
  EXPECT_EQ(computed_in("Shape", {}), std::nullopt);
}

TEST(ComputedIn, of_kernels_for_quantised_numbers_is_of_8_bits_wherever_that_operand_stands) {
  EXPECT_EQ(computed_in("QLinearConv", {"uint8", "float", "uint8", "int8"}), ElementType::u8);
  EXPECT_EQ(computed_in("DynamicQuantizeMatMul", {"float", "int8", "float"}), ElementType::i8);
  EXPECT_EQ(computed_in("MatMulIntegerToFloat", {"uint8", "int8", "float"}), ElementType::u8);
  EXPECT_EQ(computed_in("DynamicQuantizeLinear", {"float"}), ElementType::f32);
  EXPECT_EQ(computed_in("MatMulNBits", {"float", "uint8", "float"}), ElementType::f32);
}

}  // namespace
}  // namespace takt
