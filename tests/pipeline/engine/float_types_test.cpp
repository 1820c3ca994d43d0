#include "pipeline/stages/float_types.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "base/basics/half.h"

namespace takt {
namespace {

SharedTensor floats_of(const std::vector<float>& values) {
  return std::make_shared<HostTensor>(
      HostTensor{"x", ElementType::f32, {static_cast<std::int64_t>(values.size())}, to_bytes(values), {}});
}

TEST(FloatTypes, halves_and_back_are_the_nearest_numbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto halves = in_type(floats_of({1, -0.1f, 65504, 1e6f, infinity, 0}), ElementType::f16);
  EXPECT_EQ(halves->type, ElementType::f16);
  EXPECT_EQ(halves->bytes.size(), 12u);
  const auto back = in_type(halves, ElementType::f32);
  std::vector<float> values(6);
  std::memcpy(values.data(), back->bytes.data(), 24);
  EXPECT_EQ(values, (std::vector<float>{1, from_half(to_half(-0.1f)), 65504, infinity, infinity, 0}));
}

TEST(FloatTypes, a_value_that_fits_stays_the_same_object_and_others_are_counted) {
  const auto value = floats_of({1, 2});
  EXPECT_EQ(in_type(value, ElementType::f32), value);
  const std::vector<Port> inputs{{"a", ElementType::f32, {}}, {"b", ElementType::f64, {}}, {"c", ElementType::i64, {}}};
  StageExecutor::InputValues values{{0, value}, {1, value}, {2, value}};
  EXPECT_EQ(fit_types(values, inputs), 16);
  EXPECT_EQ(values[0].second, value);
  EXPECT_EQ(values[1].second->type, ElementType::f64);
  EXPECT_EQ(values[2].second, value) << "no float: left for the links' check";
}

TEST(FloatTypes, only_floats_go_together) {
  EXPECT_TRUE(hands_on_as(ElementType::bf16, ElementType::f32));
  EXPECT_TRUE(hands_on_as(ElementType::i64, ElementType::i64));
  EXPECT_FALSE(hands_on_as(ElementType::i64, ElementType::f32));
  EXPECT_FALSE(hands_on_as(ElementType::f32, ElementType::boolean));
}

}  // namespace
}  // namespace takt
