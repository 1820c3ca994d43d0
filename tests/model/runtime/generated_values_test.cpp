#include "model/runtime/generated_values.h"

#include <gtest/gtest.h>

#include <cstring>

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
