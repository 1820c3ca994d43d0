#include "model/runtime/tensor_checks.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/basics/error.h"
#include "model/graph/graph.h"

namespace takt {
namespace {

TEST(ByteSize, absurd_shapes_have_none) {
  EXPECT_EQ(byte_size(ElementType::f32, {2, 3}), 24u);
  EXPECT_EQ(byte_size(ElementType::f32, {}), 4u);
  EXPECT_FALSE(byte_size(ElementType::f32, {std::int64_t{1} << 40}));
  EXPECT_FALSE(byte_size(ElementType::f32, {std::int64_t{1} << 62, 8}));
  EXPECT_FALSE(byte_size(ElementType::string, {2}));
}

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "taken";
}

HostTensor value(const std::string& name, ElementType type, const Shape& shape, std::size_t bytes) {
  return {name, type, shape, std::vector<std::byte>(bytes), {}};
}

TEST(ByteSize, a_tebibyte_is_the_most) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  EXPECT_EQ(byte_size(ElementType::u8, {most}), static_cast<std::size_t>(most));
  EXPECT_FALSE(byte_size(ElementType::u8, {most + 1}));
  EXPECT_EQ(byte_size(ElementType::f64, {most / 8}), static_cast<std::size_t>(most));
  EXPECT_FALSE(byte_size(ElementType::f64, {most / 8 + 1}));
  EXPECT_EQ(byte_size(ElementType::f16, {0, 7}), 0u);
}

TEST(FaultOf, values_have_as_many_bytes_as_their_shape_says) {
  EXPECT_FALSE(fault_of(value("x", ElementType::f32, {2, 3}, 24)));
  EXPECT_EQ(fault_of(value("x", ElementType::f32, {2, 3}, 23)), "holds 23 bytes, but {2,3} of float32 is 24 bytes");
  EXPECT_EQ(fault_of(value("x", ElementType::f32, {2, 3}, 25)), "holds 25 bytes, but {2,3} of float32 is 24 bytes");
  EXPECT_FALSE(fault_of(value("x", ElementType::i4, {3}, 2))) << "two in a byte";
  EXPECT_TRUE(fault_of(value("x", ElementType::f32, {-1}, 4)));
  HostTensor words{"x", ElementType::string, {2}, {}, {"a", "b"}};
  EXPECT_FALSE(fault_of(words));
  words.strings.pop_back();
  EXPECT_EQ(fault_of(words), "holds 1 strings, which {2} does not fit");
}

TEST(CheckInputs, each_of_several_is_there_once_and_fits_its_own_port) {
  const std::vector<Port> ports{
      {"a", ElementType::f32, {{2, ""}}}, {"b", ElementType::i64, {{{}, "n"}}}, {"c", ElementType::f32, {}}};
  const HostTensor a = value("a", ElementType::f32, {2}, 8), b = value("b", ElementType::i64, {3}, 24),
                   c = value("c", ElementType::f32, {}, 4);
  const auto refused = [&](const std::vector<HostTensor>& inputs) {
    return refusal_of([&] { check_inputs(ports, inputs, "m.onnx"); });
  };
  EXPECT_EQ(refused({a, b, c}), "taken");
  EXPECT_EQ(refused({c, b, a}), "taken") << "in any order";
  EXPECT_EQ(refused({a, b}), "m.onnx: input 'c' is not given; pass a value for it");
  EXPECT_EQ(refused({b, c}), "m.onnx: input 'a' is not given; pass a value for it");
  EXPECT_EQ(refused({a, b, c, b}), "m.onnx: input 'b' is given twice");
  EXPECT_EQ(refused({a, b, c, value("long", ElementType::f32, {}, 4)}),
            "m.onnx: there is no input 'long'; the inputs are a, b, c");
  EXPECT_EQ(refused({a, value("b", ElementType::f32, {3}, 12), c}),
            "m.onnx: input 'b' is int64, not float32; convert it");
  EXPECT_EQ(refused({value("a", ElementType::f32, {3}, 12), b, c}),
            "m.onnx: input 'a' has shape {2}, which {3} does not fit; pass a fitting one");
  const auto at = [&](std::size_t port, const HostTensor& value) {
    return refusal_of([&] { check_input(ports, port, value, "m.onnx"); });
  };
  EXPECT_EQ(at(1, b), "taken");
  EXPECT_EQ(at(2, c), "taken");
  EXPECT_EQ(at(3, c), "m.onnx: there is no input number 3; the model has 3");
  EXPECT_NE(at(0, b), "taken");
}

TEST(FixShape, changes_what_is_open_and_nothing_else) {
  const PartialShape open{{{}, "n"}, {3, ""}};
  EXPECT_EQ(to_string(fix_shape(open, {5, 3}, "m", "x")), "{5,3}");
  EXPECT_EQ(to_string(fix_shape(open, {0, 3}, "m", "x")), "{0,3}");
  for (const Shape& wrong : {Shape{5, 4}, Shape{5}, Shape{5, 3, 1}, Shape{-1, 3}, Shape{std::int64_t{1} << 62, 3}})
    EXPECT_NE(refusal_of([&] { fix_shape(open, wrong, "m", "x"); }), "taken") << to_string(wrong);
  EXPECT_EQ(refusal_of([&] { check_shape_names({"a", "b"}, {{"a", {1}}, {"b", {1}}}, "m"); }), "taken");
  EXPECT_EQ(refusal_of([&] {
              check_shape_names({"a", "b"}, {{"a", {1}}, {"z", {7}}}, "m");
            }),
            "m: there is no input 'z' to give shape {7}; the inputs are a, b");
}

TEST(CheckInput, of_less_than_a_byte_is_packed) {
  const std::vector<Port> ports{{"x", ElementType::i4, {Dim{3, ""}}}};
  EXPECT_EQ(byte_size(ElementType::i4, {3}), 2u);
  EXPECT_EQ(refusal_of([&] {
              check_input(ports, 0, {"x", ElementType::i4, {3}, Bytes(std::vector<std::byte>(2)), {}}, "m.onnx");
            }),
            "taken");
  EXPECT_EQ(refusal_of([&] {
              check_input(ports, 0, {"x", ElementType::i4, {3}, Bytes(std::vector<std::byte>(3)), {}}, "m.onnx");
            }),
            "m.onnx: input 'x' holds 3 bytes, but {3} of int4 is 2 bytes");
}

TEST(FixShape, limits_of_a_dimension_are_kept) {
  const PartialShape limited{{{}, "2..10"}, {{}, "4.."}};
  EXPECT_EQ(to_string(fix_shape(limited, {10, 4}, "m", "x")), "{10,4}");
  EXPECT_EQ(refusal_of([&] {
              fix_shape(limited, {11, 4}, "m", "x");
            }),
            "m: input 'x' has shape {2..10,4..}, which {11,4} does not fit; change only dimensions that the model "
            "leaves open");
  EXPECT_NE(refusal_of([&] { fix_shape(limited, {2, 3}, "m", "x"); }), "taken");
}

}  // namespace
}  // namespace takt
