#include "model/inputs/spec.h"

#include <gmock/gmock.h>

#include <cstring>

#include "base/basics/error.h"
#include "model/inputs/literal.h"

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

Shape shape(const InputSpec& spec) { return std::get<Shape>(spec.content); }
std::string path(const std::string& text) {
  return std::get<std::filesystem::path>(parse_input_specs(text).at(0).content).string();
}

TEST(InputSpecs, are_shapes_in_braces_with_or_without_a_name) {
  const auto specs = parse_input_specs("{1,3,224,224}; ids:{1, 16} ;scalar:{}");
  ASSERT_EQ(specs.size(), 3u);
  EXPECT_EQ(specs[0].name, "");
  EXPECT_THAT(shape(specs[0]), ElementsAre(1, 3, 224, 224));
  EXPECT_EQ(specs[1].name, "ids");
  EXPECT_THAT(shape(specs[1]), ElementsAre(1, 16));
  EXPECT_EQ(specs[2].name, "scalar");
  EXPECT_THAT(shape(specs[2]), IsEmpty());
}

TEST(InputSpecs, shapes_of_other_tools_are_understood) {
  using Named = std::vector<std::pair<std::string, Shape>>;
  const std::pair<const char*, Named> cases[] = {
      {"1x3x224x224", {{"", {1, 3, 224, 224}}}},
      {"ids:1X128", {{"ids", {1, 128}}}},
      {"(1, 3)", {{"", {1, 3}}}},
      {"x:(5,)", {{"x", {5}}}},
      {"ids[1,128]", {{"ids", {1, 128}}}},
      {"a.b/c[2, 3] , mask[1,16];y:{4}", {{"a.b/c", {2, 3}}, {"mask", {1, 16}}, {"y", {4}}}},
  };
  for (const auto& [text, expected] : cases) {
    Named found;
    for (const auto& spec : parse_input_specs(text)) found.emplace_back(spec.name, shape(spec));
    EXPECT_EQ(found, expected) << text;
  }
  EXPECT_THAT(refusal("x:0x10"), HasSubstr("'0x10' is not a number"));
  EXPECT_THAT(refusal("ids[1,128"), HasSubstr("is not a shape in braces"));
  EXPECT_THAT(refusal("ids[1,128],"), HasSubstr("is not a shape in braces"));
  EXPECT_TRUE(std::holds_alternative<GivenTensor>(parse_input_specs("[1,128]").at(0).content));
}

TEST(InputSpecs, files_with_commas_between_them_take_turns) {
  const auto files = [](const std::string& text) {
    std::vector<std::string> names;
    const auto specs = parse_input_specs(text);
    for (const auto& file : specs.at(0).files) names.push_back(file.string());
    return names;
  };
  EXPECT_EQ(parse_input_specs("x:a.npy, b/c.json").at(0).name, "x");
  EXPECT_THAT(files("x:a.npy, b/c.json"), ElementsAre("a.npy", "b/c.json"));
  EXPECT_EQ(path("x:a.npy, b/c.json"), "a.npy");
  EXPECT_EQ(path("x=a.npy"), "a.npy");
  EXPECT_EQ(parse_input_specs("x=a.npy,b.npy").at(0).name, "x");
  EXPECT_THAT(files("x=a.npy,b.npy"), ElementsAre("a.npy", "b.npy"));
  EXPECT_THAT(files("a,b.npy"), IsEmpty()) << "one file of that name";
}

TEST(InputSpecs, names_and_paths_hold_separators_behind_a_backslash) {
  EXPECT_EQ(parse_input_specs(R"(input\:0:{2})").at(0).name, "input:0");
  EXPECT_EQ(parse_input_specs(R"(a\\:{2})").at(0).name, R"(a\)");
  EXPECT_EQ(parse_input_specs(R"(dir\file:{2})").at(0).name, R"(dir\file)");
  EXPECT_EQ(path(R"(dir\file.npy)"), R"(dir\file.npy)");
  EXPECT_EQ(path(R"(x:dir\:1/a\;b.NPY)"), "dir:1/a;b.NPY");
  EXPECT_EQ(path("x: a:b.json"), "a:b.json") << "only the first colon ends a name";
  for (const char* name : {"a:b", R"(\)", R"(\:)", "a;b", R"("a")", "plain"}) {
    const auto specs = parse_input_specs(escape_input_name(name) + ":{1}; y:{2}");
    ASSERT_EQ(specs.size(), 2u) << name;
    EXPECT_EQ(specs[0].name, name);
  }
}

TEST(InputSpecs, quotes_hold_separators) {
  const auto specs = parse_input_specs(R"("a:b;c";x:["d,e","\"]"])");
  ASSERT_EQ(specs.size(), 2u);
  EXPECT_EQ(specs[0].name, "");
  EXPECT_THAT(std::get<GivenTensor>(specs[0].content).tensor.strings, ElementsAre("a:b;c"));
  EXPECT_THAT(std::get<GivenTensor>(specs[1].content).tensor.strings, ElementsAre("d,e", "\"]"));
}

TEST(InputSpecs, wrong_ones_are_quoted_with_the_cause) {
  EXPECT_THAT(refusal(""), HasSubstr("empty item"));
  EXPECT_THAT(refusal("{1};"), HasSubstr("empty item"));
  EXPECT_THAT(refusal("x:"), HasSubstr("nothing follows the name"));
  EXPECT_THAT(refusal("cat.png"), HasSubstr("'cat.png' is not a shape in braces, a literal"));
  EXPECT_THAT(refusal("x:{1"), HasSubstr("no closing brace"));
  EXPECT_THAT(refusal("x:{"), HasSubstr("no closing brace"));
  EXPECT_THAT(refusal("{1,a}"), HasSubstr("'a' is not a number"));
  EXPECT_THAT(refusal("{1,}"), HasSubstr("'' is not a number"));
  EXPECT_THAT(refusal("{1.5}"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("{-1}"), HasSubstr("cannot be -1"));
  EXPECT_THAT(refusal("{99999999999999999999}"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("{4294967296,4294967296}"), HasSubstr("more elements than can be counted"));
  EXPECT_THAT(refusal("x:[1"), HasSubstr("--input 'x:[1': a '[' has no ']'"));
  EXPECT_EQ(refusal("{\x1b[31m}").find('\x1b'), std::string::npos) << "control characters do not reach the terminal";
}

GivenTensor literal(const std::string& text) { return parse_literal(text, "here"); }

template <typename T>
std::vector<T> values_given(const std::string& text) {
  const auto tensor = literal(text).tensor;
  std::vector<T> out(tensor.bytes.size() / sizeof(T));
  std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
  return out;
}

TEST(Literals, have_the_shape_that_numpy_gives_them) {
  EXPECT_THAT(literal("5").tensor.shape, IsEmpty());
  EXPECT_THAT(literal("[5]").tensor.shape, ElementsAre(1));
  EXPECT_THAT(literal("1,2,3").tensor.shape, ElementsAre(3));
  EXPECT_THAT(literal(" [ 1 , 2 ] ").tensor.shape, ElementsAre(2));
  EXPECT_THAT(literal("[[1,2],[3,4]]").tensor.shape, ElementsAre(2, 2));
  EXPECT_THAT(literal("[1,2],[3,4],[5,6]").tensor.shape, ElementsAre(3, 2));
  EXPECT_THAT(literal("[[[1],[2]]]").tensor.shape, ElementsAre(1, 2, 1));
  EXPECT_THAT(literal("[]").tensor.shape, ElementsAre(0));
  EXPECT_THAT(literal("[[],[]]").tensor.shape, ElementsAre(2, 0));
}

TEST(Literals, take_the_narrowest_type_that_holds_them_exactly) {
  EXPECT_THAT(values_given<std::int64_t>("-9223372036854775808, 9223372036854775807"),
              ElementsAre(INT64_MIN, INT64_MAX));
  EXPECT_EQ(literal("18446744073709551615").tensor.type, ElementType::u64);
  EXPECT_EQ(literal("[1, 2.5]").tensor.type, ElementType::f64);
  EXPECT_THAT(values_given<double>("1, -0.5, 1e3, +2, .25, 4."), ElementsAre(1, -0.5, 1000, 2, 0.25, 4));
  EXPECT_THAT(values_given<double>("inf, -inf"), ElementsAre(INFINITY, -INFINITY));
  EXPECT_TRUE(std::isnan(values_given<double>("nan").at(0)));
  EXPECT_EQ(literal("true,False").tensor.bytes, (std::vector<std::byte>{std::byte{1}, std::byte{0}}));
  EXPECT_THAT(literal(R"(["a\"\\\n", ""])").tensor.strings, ElementsAre("a\"\\\n", ""));
}

TEST(Literals, that_are_no_tensor_are_refused) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      literal(text);
    } catch (const Error& refused) {
      return refused.what();
    }
    return "accepted";
  };
  for (const char* text : {"[[1,2],[3]]", "[1,[2]]", "[[1],2]", "[[],1]", "[[],[1]]", "[[[]],[]]", "1,[2]"})
    EXPECT_THAT(error(text), HasSubstr("ragged")) << text;
  for (const char* text : {"", "[1,]", ",1", "1,,2", "["}) EXPECT_THAT(error(text), HasSubstr("missing")) << text;
  for (const char* text : {"1]", "[1]]", "1,2]"}) EXPECT_THAT(error(text), HasSubstr("']' without")) << text;
  for (const char* text : {"[1", "[[1]"}) EXPECT_THAT(error(text), HasSubstr("has no ']'")) << text;
  for (const char* text : {"[1][2]", "[1]2", "\"a\"1"}) EXPECT_THAT(error(text), HasSubstr("no comma")) << text;
  for (const char* text : {"1,true", "[\"a\",1]"}) EXPECT_THAT(error(text), HasSubstr("mixed")) << text;
  for (const char* text : {"abc", "0x10", "1 2", "infinity", "1_000"})
    EXPECT_THAT(error(text), HasSubstr("not a number"));
  EXPECT_THAT(error("18446744073709551616"), HasSubstr("larger than any integer"));
  EXPECT_THAT(error("1e999"), HasSubstr("not a number that a type can hold"));
  EXPECT_THAT(error("-1,18446744073709551615"), HasSubstr("no integer type"));
  EXPECT_THAT(error("9007199254740993,0.5"), HasSubstr("too many digits"));
  EXPECT_THAT(error("0.5,9007199254740993"), HasSubstr("too many digits"));
  EXPECT_THAT(error("\"a"), HasSubstr("closing quote"));
  EXPECT_THAT(error(R"("\x")"), HasSubstr("after '\\'"));
  EXPECT_THAT(error(std::string(100, '[')), HasSubstr("64 deep"));
}

}  // namespace
}  // namespace takt
