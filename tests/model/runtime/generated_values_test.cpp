#include "model/runtime/generated_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/half.h"
#include "model/runtime/tensor_checks.h"
#include "model/sim/simulated.h"
#include "refused.h"

namespace takt {
namespace {

constexpr int newest_type = static_cast<int>(ElementType::i2);

std::vector<std::uint16_t> words_of(const HostTensor& tensor) {
  std::vector<std::uint16_t> words(tensor.bytes.size() / 2);
  std::memcpy(words.data(), tensor.bytes.data(), tensor.bytes.size());
  return words;
}

TEST(GeneratedValues, a_type_is_either_generated_in_full_or_refused) {
  for (int number = 0; number <= newest_type; ++number) {
    const auto type = static_cast<ElementType>(number);
    const Port port{"x", type, {}};
    if (!can_generate(type)) {
      try {
        generate_values(port, {2, 3}, 1);
        ADD_FAILURE() << type_name(type);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unsupported);
        EXPECT_EQ(std::string(error.what()),
                  "input 'x': values of type " + std::string(type_name(type)) + " cannot be generated");
      }
      continue;
    }
    const auto tensor = generate_values(port, {2, 3}, 1);
    if (type == ElementType::string)
      EXPECT_EQ(tensor.strings, std::vector<std::string>(6, "a"));
    else
      EXPECT_EQ(tensor.bytes.size(), byte_size(type, {2, 3})) << type_name(type);
  }
}

TEST(GeneratedValues, the_seed_decides) {
  const Port port{"x", ElementType::f32, {}};
  EXPECT_EQ(generate_values(port, {100}, 7).bytes, generate_values(port, {100}, 7).bytes);
  EXPECT_NE(generate_values(port, {100}, 7).bytes, generate_values(port, {100}, 8).bytes);
}

// Of 100,000 floats below 1 some round to 1 in 11 or 8 binary digits, which the range leaves out.
TEST(GeneratedValues, small_floats_stay_below_one) {
  for (const auto type : {ElementType::f16, ElementType::bf16}) {
    float least = 0, most = 0;
    for (const auto word : words_of(generate_values({"x", type, {}}, {100'000}, 3))) {
      const float value = type == ElementType::f16 ? from_half(word) : from_bfloat(word);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    EXPECT_GE(least, -1.0f) << type_name(type);
    EXPECT_LT(least, -0.99f) << type_name(type);
    EXPECT_LT(most, 1.0f) << type_name(type);
    EXPECT_GT(most, 0.99f) << type_name(type);
  }
}

template <typename Number>
std::vector<Number> values_in(const HostTensor& tensor) {
  std::vector<Number> numbers(tensor.bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

struct SmallFloats {
  ElementType type;
  int mantissa_bits, bias, sign_bit;
};

/// What the bits of a float of 8 bits or less mean; none of its special values.
double small_float_of(unsigned code, const SmallFloats& of) {
  const unsigned sign = code >> of.sign_bit & 1, size = code & ((1u << of.sign_bit) - 1);
  const auto mantissa = size & ((1u << of.mantissa_bits) - 1), exponent = size >> of.mantissa_bits;
  const double fraction = std::ldexp(mantissa, -of.mantissa_bits) + (exponent > 0 ? 1 : 0);
  return (sign ? -1 : 1) * std::ldexp(fraction, static_cast<int>(std::max(exponent, 1u)) - of.bias);
}

TEST(GeneratedValues, of_small_floats_are_those_of_float32_rounded_towards_zero) {
  for (const SmallFloats& of : {SmallFloats{ElementType::f8e4m3fn, 3, 7, 7},
                                {ElementType::f8e4m3fnuz, 3, 8, 7},
                                {ElementType::f8e5m2, 2, 15, 7},
                                {ElementType::f8e5m2fnuz, 2, 16, 7},
                                {ElementType::f4e2m1, 1, 1, 3}}) {
    const auto wide = values_in<float>(generate_values({"x", ElementType::f32, {}}, {2001}, 5));
    const auto narrow = values_in<std::uint8_t>(generate_values({"x", of.type, {}}, {2001}, 5));
    const bool packed = of.sign_bit == 3;
    ASSERT_EQ(narrow.size(), packed ? 1001u : 2001u);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const unsigned code = packed ? narrow[i / 2] >> (i % 2 * 4) & 15 : narrow[i];
      const double value = small_float_of(code, of), size = std::abs(wide[i]);
      const double step = std::max(std::ldexp(1.0, std::ilogb(size)), std::ldexp(1.0, 1 - of.bias));
      EXPECT_LE(std::abs(value), size) << type_name(of.type) << " of " << wide[i];
      EXPECT_LT(size - std::abs(value), std::ldexp(step, -of.mantissa_bits)) << type_name(of.type) << " of " << wide[i];
      EXPECT_GE(value * static_cast<double>(wide[i]), 0);
      EXPECT_NE(code, 1u << of.sign_bit) << "NaN in a type without negative zero";
    }
  }
}

TEST(GeneratedValues, of_less_than_a_byte_are_packed_from_the_lowest_bits) {
  const auto wholes = values_in<std::uint8_t>(generate_values({"x", ElementType::u8, {}}, {7}, 5));
  for (const auto& [type, bits] : {std::pair{ElementType::i4, 4u}, {ElementType::u4, 4u}, {ElementType::i2, 2u}}) {
    const auto packed = values_in<std::uint8_t>(generate_values({"x", type, {}}, {7}, 5));
    ASSERT_EQ(packed.size(), bits == 4 ? 4u : 2u);
    const auto at = [&packed, width = bits](std::size_t i) {
      return packed[i * width / 8] >> (i * width % 8) & ((1u << width) - 1);
    };
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(at(i), wholes[i]) << type_name(type);
    EXPECT_EQ(at(7), 0u) << "there is no eighth";
  }
  for (const auto code : values_in<std::uint8_t>(generate_values({"x", ElementType::f8e8m0, {}}, {20}, 5)))
    EXPECT_TRUE(code == 126 || code == 127) << "0.5 or 1";
  const auto pairs = values_in<float>(generate_values({"x", ElementType::complex64, {}}, {3}, 5));
  EXPECT_EQ(pairs, values_in<float>(generate_values({"x", ElementType::f32, {}}, {6}, 5)));
}

TEST(Simulated, the_prefix_makes_a_device_simulated_in_any_case) {
  for (const char* name : {"sim:NPU", "SIM:npu", "sim:"}) EXPECT_TRUE(is_simulated(name)) << name;
  for (const char* name : {"CPU", "sim", "xsim:NPU", ""}) EXPECT_FALSE(is_simulated(name)) << name;
  EXPECT_EQ(name_without_prefix("Sim:edge"), "edge");
  EXPECT_EQ(name_without_prefix("edge"), "edge");
  EXPECT_EQ(simulated_device("edge"), "sim:edge");
}

TEST(Simulated, a_built_in_device_needs_no_file) {
  const SimulatedDevice device("sim:npu", {});
  EXPECT_EQ(device.name(), "sim:NPU");
  EXPECT_EQ(device.overhead(), Nanoseconds(60'000));
  EXPECT_TRUE(device.op_times({}, "here").empty());
  EXPECT_EQ(
      refused_with([] { SimulatedDevice("sim:nowhere", {}); }),
      "device sim:nowhere: neither built in (CPU, GPU, NPU) nor described by a file nowhere.yaml; write that file "
      "or pass its path");
}

}  // namespace
}  // namespace takt
