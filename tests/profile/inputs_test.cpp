#include "profile/inputs.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "core/error.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal(const std::string& text) {
  try {
    parse_input_specs(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

Port port(const std::string& name, ElementType type, std::vector<std::int64_t> shape) {
  Port made{name, type, {}};
  for (std::int64_t size : shape) made.shape.push_back(size < 0 ? Dim{std::nullopt, "n"} : Dim{size, ""});
  return made;
}

TEST(InputSpecs, are_shapes_in_braces_with_or_without_a_name) {
  const auto specs = parse_input_specs("{1,3,224,224}; ids:{1, 16} ;scalar:{}");
  ASSERT_EQ(specs.size(), 3u);
  EXPECT_EQ(specs[0].name, "");
  EXPECT_THAT(specs[0].shape, ElementsAre(1, 3, 224, 224));
  EXPECT_EQ(specs[1].name, "ids");
  EXPECT_THAT(specs[1].shape, ElementsAre(1, 16));
  EXPECT_EQ(specs[2].name, "scalar");
  EXPECT_THAT(specs[2].shape, IsEmpty());
}

TEST(InputSpecs, names_hold_colons_and_backslashes_behind_a_backslash) {
  EXPECT_EQ(parse_input_specs(R"(input\:0:{2})").at(0).name, "input:0");
  EXPECT_EQ(parse_input_specs(R"(a\\:{2})").at(0).name, R"(a\)");
  EXPECT_EQ(parse_input_specs(R"(dir\file:{2})").at(0).name, R"(dir\file)");
}

TEST(InputSpecs, wrong_ones_are_quoted_with_the_cause) {
  EXPECT_THAT(refusal(""), HasSubstr("empty item"));
  EXPECT_THAT(refusal("{1};"), HasSubstr("empty item"));
  EXPECT_THAT(refusal("x"), HasSubstr("must stand in braces"));
  EXPECT_THAT(refusal("x:1,2"), HasSubstr("must stand in braces"));
  EXPECT_THAT(refusal("x:{1"), HasSubstr("must stand in braces"));
  EXPECT_THAT(refusal("x:{"), HasSubstr("must stand in braces"));
  EXPECT_THAT(refusal("{1,a}"), HasSubstr("'a' is not a number"));
  EXPECT_THAT(refusal("{1,}"), HasSubstr("'' is not a number"));
  EXPECT_THAT(refusal("{1.5}"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("{-1}"), HasSubstr("cannot be -1"));
  EXPECT_THAT(refusal("{99999999999999999999}"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("{4294967296,4294967296}"), HasSubstr("more elements than can be counted"));
  EXPECT_EQ(refusal("{\x1b[31m}").find('\x1b'), std::string::npos) << "control characters do not reach the terminal";
}

class ChooseShapes : public testing::Test {
 protected:
  Shape chosen(const Port& only, const std::string& specs = "") {
    notes_.clear();
    return choose_shapes({only}, specs.empty() ? std::vector<InputSpec>{} : parse_input_specs(specs), notes_)
        .at(only.name);
  }
  std::string error(const std::vector<Port>& ports, const std::string& specs) {
    try {
      choose_shapes(ports, parse_input_specs(specs), notes_);
    } catch (const Error& refused) {
      EXPECT_EQ(refused.kind(), ErrorKind::bad_input);
      return refused.what();
    }
    return "accepted";
  }
  std::vector<std::string> notes_;
};

TEST_F(ChooseShapes, fills_open_dimensions_with_usual_values_and_says_so) {
  EXPECT_THAT(chosen(port("x", ElementType::f32, {-1, 3, -1, -1})), ElementsAre(1, 3, 224, 224));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("input 'x'")));
  EXPECT_THAT(chosen(port("x", ElementType::i64, {-1, -1})), ElementsAre(1, 16));
  EXPECT_THAT(chosen(port("x", ElementType::f32, {2, 5})), ElementsAre(2, 5));
  EXPECT_THAT(notes_, IsEmpty()) << "nothing was chosen";
  EXPECT_THAT(chosen(port("x", ElementType::f32, {-1, 5}), "{7,5}"), ElementsAre(7, 5));
  EXPECT_THAT(notes_, IsEmpty()) << "the user chose";
}

TEST_F(ChooseShapes, the_option_that_a_note_proposes_works_for_every_name) {
  for (const char* name : {"x", "input:0", R"(a\b)", R"(a\)", R"(a\:)"}) {
    const Port one = port(name, ElementType::f32, {-1, 4});
    chosen(one);
    ASSERT_EQ(notes_.size(), 1u);
    const std::string note = notes_[0], mark = "--input '";
    const auto begin = note.find(mark) + mark.size();
    EXPECT_THAT(chosen(one, note.substr(begin, note.rfind('\'') - begin)), ElementsAre(1, 4)) << note;
  }
}

TEST_F(ChooseShapes, specs_that_the_model_contradicts_are_refused) {
  const Port x = port("x", ElementType::f32, {-1, 3}), y = port("y", ElementType::f32, {1});
  EXPECT_THAT(error({x}, "z:{1,3}"), HasSubstr("no input 'z'; its inputs are 'x'"));
  EXPECT_THAT(error({x}, "{1,4}"), HasSubstr("does not fit input 'x'"));
  EXPECT_THAT(error({x}, "{1,3,1}"), HasSubstr("does not fit"));
  EXPECT_THAT(error({x}, "{1,3};x:{2,3}"), HasSubstr("given twice"));
  EXPECT_THAT(error({x, y}, "{1,3}"), HasSubstr("has 2 inputs ('x', 'y')"));
}

template <typename T>
std::vector<T> values(const HostTensor& tensor) {
  std::vector<T> out(tensor.bytes.size() / sizeof(T));
  std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
  return out;
}

HostTensor generated(ElementType type, Shape shape, std::uint64_t seed = 1) {
  return generate_inputs({port("x", type, shape)}, {{"x", shape}}, seed).at(0);
}

/// The value of an IEEE binary16 number, from its definition.
double from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return half & 0x8000 ? -size : size;
}

TEST(GenerateInputs, same_seed_same_values) {
  const auto once = generated(ElementType::f32, {1000}), again = generated(ElementType::f32, {1000});
  EXPECT_EQ(once.bytes, again.bytes);
  EXPECT_NE(once.bytes, generated(ElementType::f32, {1000}, 2).bytes);
}

TEST(GenerateInputs, floats_fill_the_range_from_minus_one_to_one) {
  double least = 1, most = -1, sum = 0;
  for (const float value : values<float>(generated(ElementType::f32, {100, 100}))) {
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    least = std::min<double>(least, value), most = std::max<double>(most, value), sum += value;
  }
  EXPECT_LT(least, -0.99);
  EXPECT_GT(most, 0.99);
  EXPECT_NEAR(sum / 10000, 0, 0.03);
}

TEST(GenerateInputs, half_precision_holds_the_same_values_rounded) {
  const auto exact = values<float>(generated(ElementType::f32, {100000}));
  const auto halves = values<std::uint16_t>(generated(ElementType::f16, {100000}));
  const auto brains = values<std::uint16_t>(generated(ElementType::bf16, {100000}));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double half = from_half(halves[i]);
    ASSERT_NEAR(half, exact[i], std::max(std::abs(exact[i]) * 0x1p-11, 0x1p-14)) << exact[i];
    ASSERT_GE(half, -1);
    ASSERT_LT(half, 1) << exact[i];
    const std::uint32_t widened = static_cast<std::uint32_t>(brains[i]) << 16;
    float brain = 0;
    std::memcpy(&brain, &widened, sizeof brain);
    ASSERT_NEAR(brain, exact[i], std::abs(exact[i]) * 0x1p-7);
  }
}

TEST(GenerateInputs, integers_are_safe_as_indices_and_masks) {
  for (const auto value : values<std::int64_t>(generated(ElementType::i64, {100})))
    EXPECT_TRUE(value == 0 || value == 1);
  for (const auto value : values<std::uint8_t>(generated(ElementType::boolean, {100}))) EXPECT_LE(value, 1);
  EXPECT_EQ(generated(ElementType::i32, {3, 5}).bytes.size(), 60u);
}

TEST(GenerateInputs, strings_scalars_and_nothing_at_all) {
  EXPECT_THAT(generated(ElementType::string, {2}).strings, ElementsAre("a", "a"));
  EXPECT_EQ(generated(ElementType::f64, {}).bytes.size(), 8u);
  EXPECT_THAT(generated(ElementType::f32, {0, 3}).bytes, IsEmpty());
}

TEST(GenerateInputs, what_would_not_fit_into_memory_is_refused_before_it_is_asked_for) {
  for (const auto& [type, elements] :
       {std::pair(ElementType::f32, std::int64_t{1} << 40), std::pair(ElementType::u8, (std::int64_t{8} << 30) + 1),
        std::pair(ElementType::string, std::int64_t{1} << 30)})
    try {
      generated(type, {elements});
      ADD_FAILURE() << "accepted " << elements;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("8 GiB"));
    }
  EXPECT_THROW(generated(ElementType::f32, {1LL << 62, 1LL << 62}), Error);
  EXPECT_THROW(generated(ElementType::complex64, {1}), Error);
}

}  // namespace
}  // namespace takt
