#include "plan/estimate/rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "model/onnx/builder.h"

namespace takt {
namespace {

template <typename Number>
SharedTensor numbers_of(ElementType type, const std::vector<Number>& values) {
  return std::make_shared<const HostTensor>(
      HostTensor{"x", type, {static_cast<std::int64_t>(values.size())}, to_bytes(values), {}});
}

template <typename Number>
std::vector<Number> numbers_in_tensor(const HostTensor& tensor) {
  std::vector<Number> values(tensor.bytes.size() / sizeof(Number));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

std::vector<float> rounded(const std::vector<float>& values, Coarseness rounding, std::uint64_t seed = 1) {
  Random random(seed);
  return numbers_in_tensor<float>(*rounded_otherwise(numbers_of(ElementType::f32, values), rounding, random));
}

TEST(Coarseness, changes_floats_by_as_much_as_their_precision) {
  const std::vector<float> values(1000, 3);
  for (const auto& [rounding, most] : std::map<Coarseness, double>{{Coarseness::float32, 1e-6},
                                                                   {Coarseness::half, 0x1p-10},
                                                                   {Coarseness::brain, 0x1p-7},
                                                                   {Coarseness::step, 0.5 / 127}}) {
    double largest = 0;
    for (const float value : rounded(values, rounding)) largest = std::max(largest, std::abs(value / 3.0 - 1));
    EXPECT_LE(largest, most * 1.1);
    EXPECT_GE(largest, most * 0.9);
  }
}

TEST(Coarseness, a_step_is_as_wide_as_the_range_of_the_tensor_wants) {
  const auto values = rounded({127, 64, 1, 0.25f}, Coarseness::step);
  EXPECT_NEAR(values[2], 1, 0.5);
  EXPECT_NE(values[2], 1);
  EXPECT_GT(values[3], 0) << "no number changes its sign";
}

TEST(Coarseness, leaves_zero_and_what_is_no_number) {
  const float endless = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto values = rounded({0, endless, -endless, std::nanf(""), largest, -largest}, Coarseness::brain, seed);
    EXPECT_EQ(values[0], 0);
    EXPECT_EQ(values[1], endless);
    EXPECT_EQ(values[2], -endless);
    EXPECT_TRUE(std::isnan(values[3]));
    EXPECT_TRUE(std::isfinite(values[4])) << "the largest number does not become infinite";
    EXPECT_TRUE(std::isfinite(values[5]));
  }
}

TEST(Coarseness, moves_integers_of_quantised_models_by_one_and_no_others) {
  Random random(3);
  const auto bytes = numbers_of(ElementType::i8, std::vector<std::int8_t>(100, 127));
  const auto moved = numbers_in_tensor<std::int8_t>(*rounded_otherwise(bytes, Coarseness::step, random));
  EXPECT_EQ(std::count(moved.begin(), moved.end(), 127) + std::count(moved.begin(), moved.end(), 126), 100);
  EXPECT_GT(std::count(moved.begin(), moved.end(), 126), 0);
  EXPECT_EQ(rounded_otherwise(bytes, Coarseness::half, random), bytes);
  const auto indices = numbers_of(ElementType::i64, std::vector<std::int64_t>{7, 8});
  EXPECT_EQ(rounded_otherwise(indices, Coarseness::step, random), indices);
}

TEST(Coarseness, of_a_model_is_that_of_its_coarsest_type) {
  const auto of = [](ElementType type) {
    ModelBuilder b;
    const auto x = b.input("x", ElementType::f32, {2});
    b.output(b.node("Cast", {b.node("Cast", {x}, {{"to", static_cast<std::int64_t>(type)}}, {.outputs = {"t"}})},
                    {{"to", std::int64_t{1}}}, {.outputs = {"y"}}));
    b.value_info("t", type, {2});
    return coarseness_of(b.build().graph);
  };
  EXPECT_EQ(of(ElementType::f64), Coarseness::float32);
  EXPECT_EQ(of(ElementType::i64), Coarseness::float32);
  EXPECT_EQ(of(ElementType::f16), Coarseness::half);
  EXPECT_EQ(of(ElementType::bf16), Coarseness::brain);
}

TEST(Coarseness, of_a_model_that_quantises_is_a_step) {
  for (const char* type : {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "QLinearConv",
                           "QLinearMatMul", "MatMulInteger", "ConvInteger", "MatMulNBits"}) {
    ModelBuilder b;
    b.output(b.node(type, {b.input("x", ElementType::f32, {2})}, {}, {.outputs = {"y"}}));
    EXPECT_EQ(coarseness_of(b.build().graph), Coarseness::step) << type;
  }
}

}  // namespace
}  // namespace takt
