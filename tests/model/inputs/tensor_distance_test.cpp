// How far apart two values are, worked out by hand.
#include "model/inputs/tensor_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/basics/half.h"

namespace takt {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float endless = std::numeric_limits<float>::infinity();

template <typename Number>
HostTensor of_type(ElementType type, const std::vector<Number>& values) {
  return {"y", type, {static_cast<std::int64_t>(values.size())}, to_bytes(values), {}};
}
HostTensor floats32(const std::vector<float>& values) { return of_type(ElementType::f32, values); }
HostTensor halves(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits;
  for (const float value : values) bits.push_back(to_half(value));
  return of_type(ElementType::f16, bits);
}
HostTensor longs(const std::vector<std::int64_t>& values) { return of_type(ElementType::i64, values); }

double share(const HostTensor& expected, const HostTensor& actual, Integers integers = Integers::exact) {
  return distance_of(expected, actual, integers).share;
}

TEST(TensorDistance, is_a_share_of_the_largest_number) {
  EXPECT_EQ(share(floats32({1, -8}), floats32({1, -8})), 0);
  EXPECT_EQ(share(floats32({1, -8}), floats32({3, -8})), 0.25);
  EXPECT_EQ(share(floats32({0, -0.0f}), floats32({0, 0})), 0);
  EXPECT_EQ(share(floats32({}), floats32({})), 0);
}

TEST(TensorDistance, names_the_worst_place) {
  HostTensor expected = floats32({1, 2, 3, 4}), actual = floats32({1, 2.5, 0, 4});
  expected.shape = actual.shape = {2, 2};
  EXPECT_EQ(distance_of(expected, actual).what, "output 'y' differs at {1,0}: 0 instead of 3");
  EXPECT_EQ(distance_of(expected, expected).what, "");
}

TEST(TensorDistance, what_is_no_number_equals_only_the_same_at_the_same_place) {
  EXPECT_EQ(share(floats32({not_a_number, endless, 1}), floats32({not_a_number, endless, 1})), 0);
  EXPECT_EQ(share(floats32({not_a_number, 2}), floats32({not_a_number, 1})), 0.5);
  EXPECT_TRUE(std::isinf(share(floats32({1, 2, 3}), floats32({1, not_a_number, 3}))));
  EXPECT_TRUE(std::isinf(share(floats32({1, not_a_number}), floats32({1, 2}))));
  EXPECT_TRUE(std::isinf(share(floats32({1, not_a_number}), floats32({not_a_number, 1}))));
  EXPECT_TRUE(std::isinf(share(floats32({1, 2}), floats32({1, endless}))));
  EXPECT_TRUE(std::isinf(share(floats32({endless}), floats32({-endless}))));
  EXPECT_TRUE(std::isinf(share(floats32({endless}), floats32({3e38f}))));
  EXPECT_EQ(distance_of(floats32({1, 2}), floats32({1, not_a_number})).what,
            "output 'y' differs at {1}: nan instead of 2");
  EXPECT_EQ(distance_of(floats32({-not_a_number}), floats32({2})).what, "output 'y' differs at {0}: 2 instead of nan");
}

TEST(TensorDistance, other_shapes_and_types_are_nothing_alike) {
  EXPECT_TRUE(std::isinf(share(floats32({1}), floats32({1, 2}))));
  HostTensor square = floats32({1, 2, 3, 4});
  square.shape = {2, 2};
  EXPECT_TRUE(std::isinf(share(floats32({1, 2, 3, 4}), square)));
  EXPECT_TRUE(std::isinf(share(floats32({1}), of_type(ElementType::i32, std::vector<std::int32_t>{1}))));
  EXPECT_EQ(distance_of(floats32({1}), longs({1})).what, "output 'y' is int64 {1} instead of float32 {1}");
}

TEST(TensorDistance, floats_of_other_widths_are_numbers) {
  EXPECT_EQ(share(floats32({1, -4}), halves({1, -4})), 0);
  EXPECT_EQ(share(halves({2, -4}), floats32({1, -4})), 0.25);
  EXPECT_EQ(share(of_type(ElementType::f64, std::vector<double>{8, 2}), floats32({8, 1})), 0.125);
  EXPECT_TRUE(std::isinf(share(floats32({70000}), halves({70000})))) << "beyond the range of a half";
}

TEST(TensorDistance, a_value_that_stands_out_hides_no_other) {
  // A mask beside scores: by the largest number the others would be off by 1e-9.
  EXPECT_GT(share(floats32({1, 2, 3, -1e9f}), floats32({1, 2.5, 3, -1e9f})), 1e-6);
  EXPECT_GT(share(floats32({1, 2, 3, -3.4e38f}), floats32({2, 3, 1, -3.4e38f})), 1e-6);
  // Itself it is held to its own size.
  EXPECT_LT(share(floats32({1, 2, 3, -1e9f}), floats32({1, 2, 3, -1e9f + 64})), 1e-7);
  EXPECT_EQ(share(floats32({1, 2, 3, -1e9f}), floats32({1, 2, 3, 0})), 1);
}

TEST(TensorDistance, the_usual_size_is_the_median_and_no_more_than_the_largest) {
  EXPECT_EQ(usual_size(floats32({})), 0);
  EXPECT_EQ(usual_size(floats32({0, -3, 0})), 3) << "zeros say nothing";
  EXPECT_EQ(usual_size(floats32({1, 2, 8})), 8);
  EXPECT_EQ(usual_size(floats32({1, 1, 20'000})), 10'000) << "ten thousand medians";
  EXPECT_EQ(usual_size(floats32({2, 2, 20'000})), 20'000);
  EXPECT_EQ(usual_size(floats32({1, 2, 3, 1e9f})), 30'000) << "the upper of the two in the middle";
  EXPECT_EQ(usual_size(floats32({endless, not_a_number, 4})), 4);
  // Of more than 65536 numbers some are looked at for the median, and all for the largest.
  std::vector<float> many(200'000, 1);
  many[100'001] = 5;
  EXPECT_EQ(usual_size(floats32(many)), 5);
}

TEST(TensorDistance, of_zeros_only_zeros_are_near) {
  EXPECT_EQ(share(floats32({0, 0}), floats32({0, 0})), 0);
  EXPECT_TRUE(std::isinf(share(floats32({0, 0}), floats32({0, 1e-9f}))));
}

TEST(TensorDistance, numbers_that_runtimes_take_for_zero_are_nothing) {
  EXPECT_LT(share(floats32({1e-40f, 2e-39f}), floats32({0, 0})), 1e-4);
  EXPECT_LT(share(floats32({0, 0}), floats32({1e-40f, 0})), 1e-4);
  EXPECT_EQ(share(floats32({1e-30f}), floats32({0})), 1);
}

TEST(TensorDistance, huge_numbers_do_not_overflow) {
  EXPECT_DOUBLE_EQ(share(floats32({3e38f, 1}), floats32({-3e38f, 1})), 2);
  EXPECT_NEAR(share(of_type(ElementType::f64, std::vector<double>{1.5e308, 1e308}),
                    of_type(ElementType::f64, std::vector<double>{-1.5e308, 1e308})),
              1.2, 0.01);
}

TEST(TensorDistance, indices_and_counts_are_the_same_or_others) {
  EXPECT_EQ(share(longs({50000, 1, 2, 3}), longs({50000, 1, 2, 3})), 0);
  EXPECT_EQ(share(longs({50000, 1, 2, 3}), longs({50001, 1, 2, 3})), 0.25);
  const std::int64_t large = std::int64_t{1} << 60;
  EXPECT_EQ(share(longs({large}), longs({large + 1})), 1) << "no number that doubles can tell apart";
  EXPECT_EQ(distance_of(longs({1, 7}), longs({1, 8})).what, "output 'y' differs at {1}: 8 instead of 7");
  EXPECT_TRUE(distance_of(longs({1, 7}), longs({1, 7})).is_exact);
  EXPECT_FALSE(distance_of(floats32({1, 7}), floats32({1, 8})).is_exact);
  const auto flags = [](std::uint8_t a, std::uint8_t b) {
    return of_type(ElementType::boolean, std::vector<std::uint8_t>{a, b});
  };
  EXPECT_EQ(share(flags(0, 1), flags(1, 1), Integers::rounded), 0.5);
}

TEST(TensorDistance, quantised_integers_are_numbers) {
  const auto bytes = [](std::vector<std::int8_t> values) { return of_type(ElementType::i8, values); };
  EXPECT_EQ(share(bytes({100, 3}), bytes({100, 4}), Integers::rounded), 0.01);
  EXPECT_EQ(share(bytes({100, 3}), bytes({100, 4})), 0.5);
  EXPECT_EQ(share(longs({100, 3}), longs({100, 4}), Integers::rounded), 0.5) << "an index is never rounded";
}

TEST(TensorDistance, strings_and_packed_numbers_are_the_same_or_others) {
  const HostTensor a{"y", ElementType::string, {2}, {}, {"cat", "dog"}},
      b{"y", ElementType::string, {2}, {}, {"cat", "cow"}};
  EXPECT_EQ(share(a, a), 0);
  EXPECT_EQ(share(a, b), 0.5);
  EXPECT_EQ(distance_of(a, b).what, "output 'y' differs at {1}: 'cow' instead of 'dog'");
  const HostTensor packed{"y", ElementType::i4, {4}, std::vector<std::byte>{std::byte{0x12}, std::byte{0x34}}, {}};
  HostTensor other = packed;
  other.bytes = std::vector<std::byte>{std::byte{0x12}, std::byte{0x35}};
  EXPECT_EQ(share(packed, packed), 0);
  EXPECT_GT(share(packed, other), 0);
}

}  // namespace
}  // namespace takt
