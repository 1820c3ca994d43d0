#include "model/inputs/tensor_convert.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <span>

#include "base/basics/error.h"
#include "base/basics/half.h"
#include "refused.h"

namespace takt {
namespace {

using testing::HasSubstr;

template <typename T>
HostTensor tensor(ElementType type, const std::vector<T>& values) {
  HostTensor made{"x", type, {static_cast<std::int64_t>(values.size())}, {}, {}};
  const auto bytes = std::as_bytes(std::span(values));
  made.bytes = std::vector(bytes.begin(), bytes.end());
  return made;
}

bool holds(const HostTensor& from, ElementType type, Rounding rounding = Rounding::none) {
  try {
    convert(from, type, rounding, "here");
    return true;
  } catch (const Error&) {
    return false;
  }
}
bool holds(double value, ElementType type, Rounding rounding = Rounding::none) {
  return holds(tensor<double>(ElementType::f64, {value}), type, rounding);
}

TEST(Convert, zero_and_one_go_through_every_pair_of_types_and_back) {
  const auto original = tensor<std::uint8_t>(ElementType::boolean, {0, 1, 1});
  for (const auto first : givable_types())
    for (const auto second : givable_types()) {
      if (first == ElementType::string || second == ElementType::string) continue;
      const auto there = convert(convert(original, first, Rounding::none, "h"), second, Rounding::none, "h");
      EXPECT_EQ(there.type, second);
      EXPECT_EQ(convert(there, ElementType::boolean, Rounding::none, "h").bytes, original.bytes);
    }
}

TEST(Convert, every_type_holds_its_own_limits_and_not_what_lies_beyond) {
  struct Limits {
    ElementType type;
    double least, greatest, below, above;
  };
  const Limits all[] = {{ElementType::i8, -128, 127, -129, 128},
                        {ElementType::u8, 0, 255, -1, 256},
                        {ElementType::i16, -32768, 32767, -32769, 32768},
                        {ElementType::u16, 0, 65535, -1, 65536},
                        {ElementType::i32, -0x1p31, 0x1p31 - 1, -0x1p31 - 1, 0x1p31},
                        {ElementType::u32, 0, 0x1p32 - 1, -1, 0x1p32},
                        {ElementType::i64, -0x1p63, 0x1p63 - 1024, -0x1p63 - 2048, 0x1p63},
                        {ElementType::u64, 0, 0x1p64 - 2048, -1, 0x1p64},
                        {ElementType::f16, -65504, 65504, -65505, 65520},
                        {ElementType::bf16, -0x1.FEp127, 0x1.FEp127, -0x1.FFp127, 0x1p128},
                        {ElementType::f32, -0x1.FFFFFEp127, 0x1.FFFFFEp127, -0x1.FFFFFFp127, 0x1p128},
                        {ElementType::boolean, 0, 1, -1, 2}};
  for (const auto& limits : all) {
    EXPECT_TRUE(holds(limits.least, limits.type)) << type_name(limits.type);
    EXPECT_TRUE(holds(limits.greatest, limits.type)) << type_name(limits.type);
    EXPECT_FALSE(holds(limits.below, limits.type)) << type_name(limits.type);
    EXPECT_FALSE(holds(limits.above, limits.type)) << type_name(limits.type);
    const bool is_float = type_name(limits.type).find("float") != std::string_view::npos;
    EXPECT_EQ(holds(NAN, limits.type), is_float);
    EXPECT_EQ(holds(INFINITY, limits.type), is_float);
    EXPECT_EQ(holds(0.5, limits.type), is_float);
  }
}

TEST(Convert, decimal_digits_mean_the_nearest_number_but_files_mean_what_they_hold) {
  for (const auto type : {ElementType::f16, ElementType::bf16, ElementType::f32}) {
    EXPECT_FALSE(holds(0.1, type));
    EXPECT_TRUE(holds(0.1, type, Rounding::decimal));
    EXPECT_FALSE(holds(1e300, type, Rounding::decimal)) << "infinity is not near";
    EXPECT_FALSE(holds(tensor<std::int64_t>(ElementType::i64, {16777217}), type, Rounding::decimal)) << "an integer";
    EXPECT_FALSE(holds(tensor<std::uint64_t>(ElementType::u64, {~0ull}), type));
  }
  EXPECT_FALSE(holds(0.1, ElementType::i32, Rounding::decimal));
  EXPECT_FALSE(holds(tensor<std::int64_t>(ElementType::i64, {INT64_MAX}), ElementType::f64));
  EXPECT_TRUE(holds(tensor<std::int64_t>(ElementType::i64, {INT64_MIN}), ElementType::f32));
}

TEST(Convert, names_the_first_value_that_is_lost) {
  auto square = tensor<std::int32_t>(ElementType::i32, {1, 2, 3, 300});
  square.shape = {2, 2};
  try {
    convert(square, ElementType::u8, Rounding::none, "here");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("here: 300 at {1,1} is int32, which uint8 does not hold"));
  }
  const auto refusal = [](const HostTensor& from, ElementType type) {
    return refused_with([&] { convert(from, type, Rounding::none, "here"); });
  };
  EXPECT_EQ(refusal(square, ElementType::string),
            "here: the values are int32, but string is needed; write them in double quotes");
  EXPECT_EQ(refusal({"x", ElementType::string, {1}, {}, {"1"}}, ElementType::i32),
            "here: the values are string, but int32 is needed; write them without quotes");
  EXPECT_EQ(refusal(square, ElementType::complex64),
            "here: values of type int32 cannot be given as complex64; convert the model");
  const HostTensor nothing{"x", ElementType::string, {0, 2}, {}, {}};
  EXPECT_EQ(convert(nothing, ElementType::i32, Rounding::none, "here").type, ElementType::i32) << "nothing is lost";
}

TEST(Half, every_value_comes_back_and_what_lies_between_goes_to_the_nearer) {
  for (unsigned bits = 0; bits < 0x7C00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = from_half(half),
                 next = bits + 1 < 0x7C00 ? from_half(static_cast<std::uint16_t>(bits + 1)) : 65536;
    ASSERT_EQ(to_half(value), half);
    ASSERT_EQ(to_half(-value), half | 0x8000);
    const double middle = (value + next) / 2;
    ASSERT_EQ(to_half(middle), half + (half & 1)) << "ties go to even";
    ASSERT_EQ(to_half(std::nextafter(middle, 0)), half);
    ASSERT_EQ(to_half(std::nextafter(middle, 1e9)), half + 1);
  }
  EXPECT_TRUE(std::isnan(from_half(to_half(NAN))));
  EXPECT_EQ(from_half(to_half(1e9)), INFINITY);
  EXPECT_EQ(from_half(to_half(-INFINITY)), -INFINITY);
}

TEST(Bfloat, is_the_upper_half_of_a_float_rounded) {
  for (unsigned bits = 0; bits < 0x7F80; ++bits) {
    const auto small = static_cast<std::uint16_t>(bits);
    ASSERT_EQ(to_bfloat(from_bfloat(small)), small);
    const double next = bits + 1 < 0x7F80 ? from_bfloat(static_cast<std::uint16_t>(bits + 1)) : 0x1p128;
    ASSERT_EQ(to_bfloat((from_bfloat(small) + next) / 2), small + (small & 1));
  }
  EXPECT_TRUE(std::isnan(from_bfloat(to_bfloat(NAN))));
  EXPECT_EQ(to_bfloat(1e300), 0x7F80);
}

}  // namespace
}  // namespace takt
