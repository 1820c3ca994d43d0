// Files of values at the borders of what is read, and the whole sentence where it is not.
#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "model/inputs/image.h"
#include "model/inputs/json.h"
#include "model/inputs/npy.h"

namespace takt {
namespace {

using testing::ElementsAre;

/// Why it is refused, or "taken".
template <typename Parse>
std::string refusal_of(const Parse& parse, const std::string& file) {
  try {
    parse(std::as_bytes(std::span(file)), "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "taken";
}

std::string npy_with(const std::string& header, const std::string& values, const std::string& version = {1, 0}) {
  std::string file = "\x93NUMPY" + version;
  file += {static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  if (version[0] != 1) file += std::string(2, '\0');
  return file + header + values;
}

std::string npy_refusal(const std::string& header, const std::string& values = "") {
  return refusal_of(parse_npy, npy_with(header, values));
}

std::string typed(const std::string& descr, const std::string& shape = "(1,)") {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}";
}

const std::string again = "; save the array again with numpy.save";

TEST(NpyHeaders, that_are_damaged_are_told_where) {
  struct Header {
    std::string text, why;
  };
  for (const Header& header : std::vector<Header>{
           {"", "its header is damaged: there is no '{'"},
           {"{", "its header is damaged: there is no '''"},
           {"{'descr", "its header is damaged: a quote is not closed"},
           {"{\"descr'", "its header is damaged: a quote is not closed"},
           {"{'descr' '<f4'", "its header is damaged: there is no ':'"},
           {"{'descr': '<f4' 'shape'", "its header is damaged: there is no '}'"},
           {"{'descr': '<f4'", "its header is damaged: there is no '}'"},
           {"{'shape': 1", "its header is damaged: there is no '('"},
           {"{'shape': (1 2)", "its header is damaged: there is no ')'"},
           {"{'shape': (x)", "its header has an invalid shape"},
           {"{'shape': (-1,)", "its header has an invalid shape"},
           {"{'shape': (9223372036854775808,)", "its header has an invalid shape"},
           {"{'fortran_order': true", "its header is damaged: fortran_order is neither True nor False"},
           {"{'descr': ''", "its header has no type"},
           {"{'descr': '<'", "its header has no type"},
           {"{'a\n': 1", "its header has an unknown key 'a\\x0a'"},
           {"{}", "its header is missing one of descr, fortran_order and shape"},
           {"{'descr': '<f4', 'shape': (1,)}", "its header is missing one of descr, fortran_order and shape"},
           {"{'descr': '<f4', 'fortran_order': False}", "its header is missing one of descr, fortran_order and shape"},
           {"{'fortran_order': False, 'shape': (1,)}", "its header is missing one of descr, fortran_order and shape"},
           {typed("'<f4'") + "x", "its header has something after its end"}})
    EXPECT_EQ(npy_refusal(header.text), "f: " + header.why + again) << header.text;
}

TEST(NpyHeaders, types_that_are_read_and_those_that_are_not) {
  const auto refused = [](const std::string& what) {
    return "f: holds " + what +
           ", which cannot be read; convert the array with astype() to a float, integer, bool or string type";
  };
  for (const char* descr : {"f1", "f3", "f16", "i3", "i16", "u0", "u16", "b2", "c8", "V4", "M8", "f", "fx", "S-1",
                            "S1099511627777", "U1099511627777"})
    EXPECT_EQ(npy_refusal(typed(std::string("'<") + descr + "'")),
              refused(std::string("values of type '<") + descr + "'"));
  EXPECT_EQ(npy_refusal(typed("'|O'")), refused("Python objects"));
  EXPECT_EQ(npy_refusal(typed("'O8'")), refused("Python objects"));
  EXPECT_EQ(npy_refusal(typed("[('a', '<f4')]")), refused("records of several fields"));
  for (const std::string descr : {"f4", "<f4", "=f4", "|f4"})
    EXPECT_EQ(npy_refusal(typed("'" + descr + "'"), "abcd"), "taken") << descr;
  EXPECT_EQ(npy_refusal(typed("'S1099511627776'"), ""),
            "f: its shape {1} would take more than 8 GiB; save a smaller array");
}

TEST(NpyHeaders, have_up_to_64_dimensions) {
  const auto shape = [](int dimensions) {
    std::string text = "(";
    for (int i = 0; i < dimensions; ++i) text += "1,";
    return text + ")";
  };
  EXPECT_EQ(npy_refusal(typed("'<f4'", shape(64)), "abcd"), "taken");
  EXPECT_EQ(npy_refusal(typed("'<f4'", shape(65)), "abcd"), "f: its header has too many dimensions" + again);
}

TEST(NpyFileBorders, of_versions_and_lengths) {
  const std::string header = typed("'<f4'");
  const auto version = [&](char major, char minor) {
    return refusal_of(parse_npy, npy_with(header, "abcd", {major, minor}));
  };
  for (const char major : {'\1', '\2', '\3'}) EXPECT_EQ(version(major, 0), "taken");
  EXPECT_EQ(version(4, 0), "f: has the unknown format version 4.0" + again);
  EXPECT_EQ(version(0, 0), "f: has the unknown format version 0.0" + again);
  EXPECT_EQ(version(1, 1), "f: has the unknown format version 1.1" + again);
  const std::string whole = npy_with(header, "abcd");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string why =
        size < 6 ? "is not a .npy file"
        : size < 10 + header.size()
            ? "ends within its header"
            : "its shape {1} needs 4 bytes, but " + std::to_string(size - 10 - header.size()) + " follow the header";
    EXPECT_EQ(refusal_of(parse_npy, whole.substr(0, size)), "f: " + why + again) << size;
  }
  EXPECT_EQ(refusal_of(parse_npy, whole + "e"), "f: its shape {1} needs 4 bytes, but 5 follow the header" + again);
  const std::string large = "f: its shape {1073741825} would take more than 8 GiB; save a smaller array";
  EXPECT_EQ(npy_refusal(typed("'<f8'", "(1073741825,)")), large);
  EXPECT_EQ(npy_refusal(typed("'<f8'", "(1073741824,)")),
            "f: its shape {1073741824} needs 8589934592 bytes, but 0 follow the header" + again);
  EXPECT_EQ(npy_refusal(typed("'|S1'", "(268435457,)")),
            "f: its shape {268435457} would take more than 8 GiB; save a smaller array")
      << "each string takes 32 bytes at least";
  EXPECT_EQ(npy_refusal(typed("'|S1'", "(268435456,)")),
            "f: its shape {268435456} needs 268435456 bytes, but 0 follow the header" + again);
}

TEST(NpyFileBorders, headers_longer_than_a_byte_can_tell) {
  const std::string header = typed("'<f4'");
  for (const std::size_t size : {std::size_t{255}, std::size_t{256}, std::size_t{65535}})
    EXPECT_EQ(npy_refusal(header + std::string(size - header.size(), ' '), "abcd"), "taken") << size;
  std::string file = npy_with(header + std::string(65536 - header.size(), ' '), "abcd", {2, 0});
  file[8] = 0, file[9] = 0, file[10] = 1;
  EXPECT_EQ(refusal_of(parse_npy, file), "taken");
  file[10] = 0, file[11] = 1;
  EXPECT_EQ(refusal_of(parse_npy, file), "f: ends within its header" + again);
}

TEST(NpyFileBorders, what_is_written_is_what_numpy_knows) {
  const auto written = [](ElementType type, const Shape& shape, std::size_t bytes) -> std::string {
    try {
      const std::string file = npy_file({"x", type, shape, std::vector<std::byte>(bytes), {}});
      EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
      EXPECT_EQ((file.size() - bytes) % 64, 0u);
      return file.substr(10, file.find_last_not_of(" \n", file.size() - bytes - 1) - 9);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      return error.what();
    }
  };
  const auto header = [](const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  EXPECT_EQ(written(ElementType::f16, {2}, 4), header("<f2", "(2,)"));
  EXPECT_EQ(written(ElementType::f64, {1, 2}, 16), header("<f8", "(1, 2)"));
  EXPECT_EQ(written(ElementType::i8, {}, 1), header("|i1", "()"));
  EXPECT_EQ(written(ElementType::u8, {1}, 1), header("|u1", "(1,)"));
  EXPECT_EQ(written(ElementType::i16, {1}, 2), header("<i2", "(1,)"));
  EXPECT_EQ(written(ElementType::u64, {1}, 8), header("<u8", "(1,)"));
  EXPECT_EQ(written(ElementType::boolean, {1}, 1), header("|b1", "(1,)"));
  for (const ElementType type : {ElementType::f8e4m3fn, ElementType::f8e5m2, ElementType::bf16, ElementType::i4,
                                 ElementType::u4, ElementType::string})
    EXPECT_EQ(written(type, {0}, 0), "NumPy has no elements of type " + std::string(type_name(type)));
}

std::string image_refusal(const std::string& file) { return refusal_of(parse_netpbm, file); }

TEST(NetpbmBorders, are_told_in_whole_sentences) {
  struct Image {
    std::string file, why;
  };
  const std::string none = "is not an image of format P2, P3, P5 or P6";
  for (const Image& image :
       std::vector<Image>{{"P5", none},
                          {"P5x1 1 255 a", none},
                          {"2P3 1 1 255 0", none},
                          {"P7 1 1 255 0", none},
                          {"P5 ", "ends before its width"},
                          {"P5 1", "ends before its height"},
                          {"P5 1 1", "ends before its maximum"},
                          {"P5 1 1 # 255", "ends before its maximum"},
                          {"P5 1 x 255 ", "its height is not a number"},
                          {"P5 1 -1 255 ", "its height is not a number"},
                          {"P5 1 1 99999999999999999999 a", "its maximum is not a number"},
                          {"P5 1 0 255 ", "has no pixels"},
                          {"P5 0 1 255 ", "has no pixels"},
                          {"P5 1 1 0 a", "its maximum is 0, which is not in 1 to 65535"},
                          {"P5 1 1 65536 a", "its maximum is 65536, which is not in 1 to 65535"},
                          {"P5 1 1 255", "has no blank after its maximum"},
                          {"P5 1 1 255a", "has no blank after its maximum"},
                          {"P5 1 1 255#a", "has no blank after its maximum"},
                          {"P5 1 1 1\n\2", "sample 0 is 2, above the maximum 1 of its header"},
                          {"P5 2 1 1\n\1\2", "sample 1 is 2, above the maximum 1 of its header"},
                          {"P2 1 1 255 256", "sample 0 is 256, above the maximum 255 of its header"},
                          {"P2 1 1 255 4294967296", "sample 0 is 1048576, above the maximum 255 of its header"},
                          {"P2 1 1 255 x", "its sample is not a number"},
                          {"P2 3 1 9 1 2", "holds 2 of 3 samples"},
                          {"P2 1 1 9 1 2", "holds more than its 1 samples"},
                          {"P2 9 1 9 1 2", "has another length than its 9 samples need"},
                          {"P5 2 1 9\n\1", "has another length than its 2 samples need"},
                          {"P5 1 1 9\n\1\2", "has another length than its 1 samples need"},
                          {"P5 1 1 256\n\1", "has another length than its 1 samples need"},
                          {"P5 8589934593 1 255\n", "its size of 8589934593 x 1 would take more than 8 GiB"},
                          {"P5 8589934592 1 255\n", "has another length than its 8589934592 samples need"},
                          {"P5 4294967297 1 256\n", "its size of 4294967297 x 1 would take more than 8 GiB"},
                          {"P5 4294967296 1 256\n", "has another length than its 4294967296 samples need"}})
    EXPECT_EQ(image_refusal(image.file), "f: " + image.why + "; save the image again as PPM or PGM") << image.file;
  for (const std::string& file :
       {std::string("P2 1 1 1 1"), std::string("P2\v1\f1\t65535\r65535"), std::string("P5 1 1 1\n\1"),
        std::string("P5 1 1 65535 \xff\xff"), std::string("P2 1 1 1 1 # end"), std::string("P5 1 1 1\r\n\1")})
    EXPECT_EQ(image_refusal(file), "taken") << file;
}

TEST(NetpbmBorders, of_eight_and_of_sixteen_bits) {
  const auto read = [](const std::string& file) { return parse_netpbm(std::as_bytes(std::span(file)), "f"); };
  EXPECT_EQ(read("P5 1 1 255\n\xff").tensor.type, ElementType::u8);
  const GivenTensor wide = read(std::string("P5 1 1 256\n\1\0", 13));
  EXPECT_EQ(wide.as, GivenAs::image);
  EXPECT_EQ(wide.tensor.type, ElementType::u16);
  EXPECT_EQ(wide.tensor.bytes, (std::vector<std::byte>{std::byte{0}, std::byte{1}}));
  EXPECT_THAT(read("P2 3 2 9 1 2 3 4 5 6").tensor.shape, ElementsAre(1, 2, 3, 1));
  EXPECT_THAT(read("P3 1 1 9 1 2 3").tensor.shape, ElementsAre(1, 1, 1, 3));
  EXPECT_EQ(read("P5 1 1 10\r\n\n").tensor.bytes, (std::vector<std::byte>{std::byte{10}}))
      << "a carriage return and a line feed before the only sample";
}

std::string json_refusal(const std::string& text) {
  return refusal_of(
      [](std::span<const std::byte> file, std::string_view where) {
        parse_input_json(std::string_view(reinterpret_cast<const char*>(file.data()), file.size()), where);
      },
      text);
}

TEST(JsonBorders, are_told_in_whole_sentences) {
  struct Text {
    std::string json, why;
  };
  for (const Text& text : std::vector<Text>{
           {"", "the file is empty"},
           {"{}", "names no input"},
           {R"({"a": 1, "a": 2})", "input 'a' is given twice"},
           {R"({"a": null})", "input 'a': there is an object or null instead of a value"},
           {R"({"a": [{}]})", "input 'a': there is an object or null instead of a value"},
           {R"({"a": {}})", "input 'a': raw, the list of values, is missing"},
           {R"({"a": {"raw": [1], "raw": [1]}})", "input 'a': 'raw' is given twice"},
           {R"({"a": {"b\u0001": [1]}})", R"(input 'a': 'b\x01' is not one of shape, type and raw)"},
           {R"({"a": {"raw": [1], "shape": 1}})", "input 'a': shape is not a list; write \"shape\": [2, 3]"},
           {R"({"a": {"raw": [1], "shape": [1.5]}})", "input 'a': shape has a value that is not a size"},
           {R"({"a": {"raw": [1], "shape": [-1]}})", "input 'a': shape has a value that is not a size"},
           {R"({"a": {"raw": [1, 2], "shape": [3]}})", "input 'a': raw holds 2 values, but shape {3} needs 3"},
           {R"({"a": {"raw": [1], "shape": [4611686018427387904, 4]}})",
            "input 'a': raw holds 1 values, but shape {4611686018427387904,4} needs more than can be counted"},
           {R"({"a": {"raw": [[1], [2]], "shape": [1, 2]}})",
            "input 'a': raw is a list of shape {2,1}, but shape is {1,2}"},
           {R"({"a": {"raw": [1], "type": 1}})", "input 'a': type is not a string; write \"type\": \"float32\""}})
    EXPECT_EQ(json_refusal(text.json), "f: " + text.why) << text.json;
  for (const char* json : {R"({"a": {"raw": [], "shape": [0]}})", R"({"a": {"raw": [1, 2], "shape": [1, 2]}})",
                           R"({"a": {"raw": [[1, 2]], "shape": [1, 2]}})", R"({"a": {"raw": 7, "shape": []}})"})
    EXPECT_EQ(json_refusal(json), "taken") << json;
}

TEST(JsonBorders, types_have_other_names_too) {
  const auto type = [](const std::string& name) {
    return parse_input_json(R"({"a": {"raw": [1], "type": ")" + name + "\"}}", "f").at(0).tensor.type;
  };
  EXPECT_EQ(type("float"), ElementType::f32);
  EXPECT_EQ(type("int"), ElementType::i32);
  EXPECT_EQ(type("float16"), ElementType::f16);
  EXPECT_EQ(type("uint64"), ElementType::u64);
  EXPECT_EQ(parse_input_json(R"({"a": {"raw": [true], "type": "boolean"}})", "f").at(0).tensor.type,
            ElementType::boolean);
}

}  // namespace
}  // namespace takt
