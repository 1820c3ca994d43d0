#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "base/basics/error.h"
#include "model/inputs/image.h"
#include "model/inputs/json.h"
#include "model/inputs/npy.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::vector<GivenTensor> parse_json(std::span<const std::byte> file, std::string_view where) {
  return parse_input_json(std::string_view(reinterpret_cast<const char*>(file.data()), file.size()), where);
}

template <typename Parse>
std::string error_of(Parse parse, const std::string& file) {
  try {
    parse(bytes(file), "here");
  } catch (const Error& refused) {
    EXPECT_EQ(refused.kind(), ErrorKind::bad_input);
    EXPECT_EQ(std::string(refused.what()).rfind("here: ", 0), 0u) << refused.what();
    return refused.what();
  }
  return "accepted";
}

std::string npy(const std::string& header, const std::string& values, char version = 1) {
  std::string file = "\x93NUMPY";
  file += {version, '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8 & 255)};
  if (version > 1) file += std::string(2, '\0');
  return file + header + values;
}
std::string npy_of(const std::string& descr, const std::string& shape, const std::string& values,
                   bool fortran = false) {
  return npy(
      "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n",
      values);
}
std::string npy_error(const std::string& file) { return error_of(parse_npy, file); }

TEST(NpyFiles, are_read_as_they_were_written) {
  const std::vector<HostTensor> tensors{
      {"a", ElementType::f32, {2, 3}, to_bytes(std::vector<float>{1, 2, 3, 4, 5, -6}), {}},
      {"b", ElementType::i64, {4}, to_bytes(std::vector<std::int64_t>{-1, 0, 1, 1LL << 40}), {}},
      {"c", ElementType::f16, {1, 2}, to_bytes(std::vector<std::uint16_t>{0x3c00, 0xc000}), {}},
      {"d", ElementType::u8, {}, to_bytes(std::vector<std::uint8_t>{7}), {}},
      {"e", ElementType::boolean, {2}, to_bytes(std::vector<std::uint8_t>{1, 0}), {}}};
  for (const HostTensor& tensor : tensors) {
    const std::string file = npy_file(tensor);
    EXPECT_EQ((file.size() - tensor.bytes.size()) % 64, 0u) << "values begin at a multiple of 64";
    const HostTensor read = parse_npy(std::as_bytes(std::span(file)), "test").tensor;
    EXPECT_EQ(read.type, tensor.type);
    EXPECT_EQ(read.shape, tensor.shape);
    EXPECT_TRUE(read.bytes == tensor.bytes);
  }
}

TEST(Npy, every_type_byte_order_and_layout_gives_the_same_tensor) {
  struct Kind {
    const char* descr;
    ElementType type;
  };
  const Kind kinds[] = {{"f2", ElementType::f16}, {"f4", ElementType::f32}, {"f8", ElementType::f64},
                        {"i1", ElementType::i8},  {"i2", ElementType::i16}, {"i4", ElementType::i32},
                        {"i8", ElementType::i64}, {"u1", ElementType::u8},  {"u2", ElementType::u16},
                        {"u4", ElementType::u32}, {"u8", ElementType::u64}};
  std::mt19937 random(1);
  for (const auto& kind : kinds)
    for (const bool big : {false, true})
      for (const bool fortran : {false, true}) {
        const std::size_t size = static_cast<std::size_t>(*type_bits(kind.type)) / 8, rows = 3, columns = 4, depth = 2;
        std::string expected, stored(rows * columns * depth * size, '\0');
        for (std::size_t i = 0; i < stored.size(); ++i) expected += static_cast<char>(random());
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t c = 0; c < columns; ++c)
            for (std::size_t d = 0; d < depth; ++d) {
              const std::size_t to = fortran ? (d * columns + c) * rows + r : (r * columns + c) * depth + d;
              std::string element = expected.substr(((r * columns + c) * depth + d) * size, size);
              if (big) std::reverse(element.begin(), element.end());
              stored.replace(to * size, size, element);
            }
        const auto read =
            parse_npy(bytes(npy_of((big ? ">" : "<") + std::string(kind.descr), "(3, 4, 2)", stored, fortran)), "here")
                .tensor;
        EXPECT_EQ(read.type, kind.type);
        EXPECT_THAT(read.shape, ElementsAre(3, 4, 2));
        ASSERT_EQ(read.bytes.size(), expected.size());
        EXPECT_EQ(std::memcmp(read.bytes.data(), expected.data(), expected.size()), 0) << kind.descr << big << fortran;
      }
}

TEST(Npy, booleans_and_text) {
  const auto flags = parse_npy(bytes(npy_of("|b1", "(3,)", std::string("\0\1\2", 3))), "here").tensor;
  EXPECT_EQ(flags.bytes, (std::vector<std::byte>{std::byte{0}, std::byte{1}, std::byte{1}}));
  EXPECT_THAT(parse_npy(bytes(npy_of("|S3", "(2,)", std::string("ab\0cde", 6))), "here").tensor.strings,
              ElementsAre("ab", "cde"));
  const std::string wide("\0\0\0\xe9\0\1\xf6\0", 8);  // é, U+1F600, most significant byte first
  EXPECT_THAT(parse_npy(bytes(npy_of(">U2", "()", wide)), "here").tensor.strings, ElementsAre("é\U0001F600"));
}

TEST(Npy, headers_are_read_as_numpy_writes_them) {
  const std::string values(12, 'x');
  const std::string header =
      "{\"shape\" : ( 3L, ) ,'fortran_order':True, 'descr': \"<i4\"}" + std::string(300, ' ') + "\n";
  for (const char version : {'\1', '\2', '\3'})
    EXPECT_THAT(parse_npy(bytes(npy(header, values, version)), "h").tensor.shape, ElementsAre(3));
  EXPECT_TRUE(parse_npy(bytes(npy_of("<f8", "()", std::string(8, '\0'))), "h").tensor.shape.empty());
  EXPECT_THAT(parse_npy(bytes(npy_of("<f8", "(0, 3)", "", true)), "h").tensor.shape, ElementsAre(0, 3));
}

TEST(Npy, what_cannot_be_read_is_refused_with_the_cause) {
  EXPECT_THAT(npy_error(""), HasSubstr("not a .npy file"));
  EXPECT_THAT(npy_error("PK\3\4 an npz"), HasSubstr("not a .npy file"));
  EXPECT_THAT(npy_error(npy("{}", "", 4)), HasSubstr("version 4.0"));
  EXPECT_THAT(npy_error(npy_of("<f4", "(2,)", "1234")), HasSubstr("needs 8 bytes, but 4 follow"));
  EXPECT_THAT(npy_error(npy_of("<f4", "(1,)", "12345")), HasSubstr("needs 4 bytes, but 5 follow"));
  EXPECT_THAT(npy_error(npy_of("<f4", "(4611686018427387904, 4)", "")), HasSubstr("8 GiB"));
  EXPECT_THAT(npy_error(npy_of("<f4", "(3000000000,)", "")), HasSubstr("8 GiB"));
  EXPECT_THAT(npy_error(npy_of("|S0", "(3000000000,)", "")), HasSubstr("8 GiB"));
  EXPECT_THAT(npy_error(npy_of("<f4", "(-1,)", "")), HasSubstr("an invalid shape"));
  EXPECT_THAT(npy_error(npy_of("<f4", "(99999999999999999999,)", "")), HasSubstr("an invalid shape"));
  std::string many = "(";
  for (int i = 0; i < 100; ++i) many += "1, ";
  EXPECT_THAT(npy_error(npy_of("<f4", many + ")", "1234")), HasSubstr("too many dimensions"));
  EXPECT_THAT(npy_error(npy_of("|O", "(1,)", "")), HasSubstr("Python objects"));
  EXPECT_THAT(npy_error(npy_of("<c8", "(1,)", std::string(8, '\0'))), HasSubstr("type '<c8'"));
  EXPECT_THAT(npy_error(npy_of("<f16", "(1,)", std::string(16, '\0'))), HasSubstr("type '<f16'"));
  EXPECT_THAT(npy_error(npy_of("<i3", "(1,)", "123")), HasSubstr("type '<i3'"));
  EXPECT_THAT(npy_error(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
              HasSubstr("records of several fields"));
  EXPECT_THAT(npy_error(npy("{'descr': '<f4', 'shape': (1,)}", "1234")), HasSubstr("is missing one of"));
  EXPECT_THAT(npy_error(npy("{'descr': '<f4', 'extra': 1}", "1234")), HasSubstr("unknown key 'extra'"));
}

std::string pnm_error(const std::string& file) { return error_of(parse_netpbm, file); }

std::vector<int> samples(const std::string& file) {
  const auto tensor = parse_netpbm(bytes(file), "here").tensor;
  std::vector<int> out;
  const std::size_t size = tensor.type == ElementType::u16 ? 2 : 1;
  for (std::size_t i = 0; i < tensor.bytes.size(); i += size) {
    int value = std::to_integer<int>(tensor.bytes[i]);
    if (size == 2) value |= std::to_integer<int>(tensor.bytes[i + 1]) << 8;
    out.push_back(value);
  }
  return out;
}

TEST(Netpbm, headers_hold_comments_and_line_ends_anywhere) {
  for (const std::string header : {"P5\n2 1\n255\n", "P5 2 1 255 ", "P5\n# a\n2 # b\n#c\n1\n# d\n255\n",
                                   "P5\r\n2 1\r\n255\r\n", "P5\n2 1\n255# e\n", "P5\t2\n1\v255\t"}) {
    EXPECT_THAT(samples(header + "\7\11"), ElementsAre(7, 9)) << header;
    EXPECT_THAT(samples(header + "\12\12"), ElementsAre(10, 10)) << "samples may be line ends: " << header;
  }
  EXPECT_THAT(samples("P5 2 1 255\n\7\11\n"), ElementsAre(7, 9)) << "a line end behind the samples";
  EXPECT_THAT(parse_netpbm(bytes("P6 1 2 255\nabcdef"), "here").tensor.shape, ElementsAre(1, 2, 1, 3));
}

TEST(Netpbm, text_and_sixteen_bits) {
  EXPECT_THAT(samples("P2\n3 1\n15\n 0 7\n15 "), ElementsAre(0, 7, 15));
  EXPECT_THAT(samples("P3 1 1 300 # c\n1 2 300"), ElementsAre(1, 2, 300));
  EXPECT_THAT(samples(std::string("P5 2 1 65535\n\1\2\xff\0", 17)), ElementsAre(258, 65280));
  EXPECT_EQ(parse_netpbm(bytes("P2 1 1 256 0"), "here").tensor.type, ElementType::u16);
}

TEST(Netpbm, what_cannot_be_read_is_refused_with_the_cause) {
  for (const char* file : {"", "P", "P4 1 1 x", "P1 1 1 0", "\x89PNG", "P55 1 1 255 x"})
    EXPECT_THAT(pnm_error(file), HasSubstr("not an image")) << file;
  EXPECT_THAT(pnm_error("P5 2"), HasSubstr("ends before its height"));
  EXPECT_THAT(pnm_error("P5 2 x"), HasSubstr("height is not a number"));
  EXPECT_THAT(pnm_error("P5 -2 1 255 "), HasSubstr("width is not a number"));
  EXPECT_THAT(pnm_error("P5 0 1 255 "), HasSubstr("no pixels"));
  EXPECT_THAT(pnm_error("P5 1 1 0 a"), HasSubstr("maximum is 0"));
  EXPECT_THAT(pnm_error("P5 1 1 65536 a"), HasSubstr("maximum is 65536"));
  EXPECT_THAT(pnm_error("P5 1 1 9\n\12"), HasSubstr("sample 0 is 10, above the maximum 9"));
  EXPECT_THAT(pnm_error("P2 1 1 9 10"), HasSubstr("sample 0 is 10, above"));
  EXPECT_THAT(pnm_error("P5 2 2 255\nabc"), HasSubstr("another length than its 4 samples"));
  EXPECT_THAT(pnm_error("P5 2 2 255\nabcde"), HasSubstr("another length"));
  EXPECT_THAT(pnm_error("P2 2 1 255\n1"), HasSubstr("holds 1 of 2"));
  EXPECT_THAT(pnm_error("P2 2 1 255\n1 2 3"), HasSubstr("more than its 2"));
  EXPECT_THAT(pnm_error("P6 100000 100000 255\nabc"), HasSubstr("8 GiB"));
  EXPECT_THAT(pnm_error("P3 50000 50000 255\n1"), HasSubstr("another length")) << "not allocated";
  EXPECT_THAT(pnm_error("P6 9223372036854775807 9223372036854775807 255\n"), HasSubstr("8 GiB"));
}

TEST(InputJson, reads_descriptions_and_plain_lists) {
  const auto given = parse_json(
      bytes(
          R"({"a":{"shape":[2,1],"type":"uint8","raw":[1,255]},"b":[[1,2.5]],"c":"text","d":{"raw":[[true],[false]]},)"
          R"("e":{"type":"float","raw":["inf","-inf"]}})"),
      "here");
  ASSERT_EQ(given.size(), 5u);
  EXPECT_EQ(given[0].tensor.name, "a");
  EXPECT_EQ(given[0].tensor.type, ElementType::u8);
  EXPECT_EQ(given[0].as, GivenAs::typed);
  EXPECT_THAT(given[0].tensor.shape, ElementsAre(2, 1));
  EXPECT_THAT(given[0].tensor.bytes, ElementsAre(std::byte{1}, std::byte{255}));
  EXPECT_EQ(given[1].as, GivenAs::written);
  EXPECT_THAT(given[1].tensor.shape, ElementsAre(1, 2));
  EXPECT_THAT(given[2].tensor.strings, ElementsAre("text"));
  EXPECT_THAT(given[3].tensor.shape, ElementsAre(2, 1));
  EXPECT_EQ(given[4].tensor.type, ElementType::f32);
  EXPECT_EQ(parse_json(bytes("[1]"), "here").at(0).tensor.name, "");
}

TEST(InputJson, what_cannot_be_read_is_refused_with_the_cause) {
  const auto error = [](const std::string& file) { return error_of(parse_json, file); };
  EXPECT_THAT(error(""), HasSubstr("empty"));
  EXPECT_THAT(error("{\"a\":[1}"), HasSubstr("not JSON"));
  EXPECT_THAT(error("[1] 2"), HasSubstr("not JSON"));
  EXPECT_THAT(error("{}"), HasSubstr("names no input"));
  EXPECT_THAT(error(R"({"a":null})"), HasSubstr("input 'a': there is an object or null instead of a value"));
  EXPECT_THAT(error(R"({"a":1,"a":2})"), HasSubstr("given twice"));
  EXPECT_THAT(error(R"({"a":{"shape":[2]}})"), HasSubstr("raw, the list of values, is missing"));
  EXPECT_THAT(error(R"({"a":{"shape":[2,2],"raw":[1,2,3]}})"),
              HasSubstr("raw holds 3 values, but shape {2,2} needs 4"));
  EXPECT_THAT(error(R"({"a":{"shape":[4611686018427387904,8],"raw":[1]}})"), HasSubstr("more than can be counted"));
  EXPECT_THAT(error(R"({"a":{"shape":[-2],"raw":[1]}})"), HasSubstr("a value that is not a size"));
  EXPECT_THAT(error(R"({"a":{"shape":2,"raw":[1]}})"), HasSubstr("shape is not a list"));
  EXPECT_THAT(error(R"({"a":{"shape":[1,4],"raw":[[1,2],[3,4]]}})"), HasSubstr("a list of shape {2,2}"));
  EXPECT_THAT(error(R"({"a":{"type":"float99","raw":[1]}})"), HasSubstr("'float99' is not one of"));
  EXPECT_THAT(error(R"({"a":{"type":"int32","raw":[1.5]}})"), HasSubstr("1.5 at {0}"));
  EXPECT_THAT(error(R"({"a":{"type":"int8","raw":[300]}})"), HasSubstr("int8 does not hold"));
  EXPECT_THAT(error(R"({"a":{"typ":"int8","raw":[300]}})"), HasSubstr("'typ' is not one of"));
  EXPECT_THAT(error(R"({"a":[[1],[2,3]]})"), HasSubstr("ragged"));
  for (const char* both : {"[18446744073709551615,-1]", "[-1,18446744073709551615]"})
    EXPECT_THAT(error(R"({"a":)" + std::string(both) + "}"),
                HasSubstr("negative numbers are mixed with numbers above 2^63"))
        << both;
  EXPECT_THAT(error("{\"a\":" + std::string(900, '[') + std::string(900, ']') + "}"), HasSubstr("64 deep"));
  EXPECT_THAT(error(std::string(100000, '[')), HasSubstr("not JSON"));
}

void expect_whole(const GivenTensor& given) {
  const auto count = element_count(given.tensor.shape);
  ASSERT_TRUE(count) << "the shape has a number of elements";
  if (given.tensor.type == ElementType::string)
    EXPECT_EQ(given.tensor.strings.size(), static_cast<std::size_t>(*count));
  else
    EXPECT_EQ(given.tensor.bytes.size(), static_cast<std::size_t>(*byte_count(given.tensor.type, *count)));
}
void expect_whole(const std::vector<GivenTensor>& all) {
  for (const GivenTensor& one : all) expect_whole(one);
}

// Whatever is cut off or overwritten: a tensor that is whole, or an Error; the sanitizers' builds watch the rest.
TEST(InputFiles, damaged_ones_give_a_whole_tensor_or_an_error) {
  int read = 0, refused = 0;
  const auto try_one = [&](const std::string& file) {
    const auto each = [&](auto parse) {
      try {
        expect_whole(parse(bytes(file), "here"));
        ++read;
      } catch (const Error&) {
        ++refused;
      }
    };
    each(parse_npy);
    each(parse_netpbm);
    each(parse_json);
  };
  const std::string files[] = {npy_of("<f4", "(2, 3)", std::string(24, 'x'), true),
                               npy_of(">U2", "(2,)", std::string(16, '\0')), "P6 2 2 255\nabcdefghijkl",
                               "P3 2 1 300\n1 2 3 4 5 6\n",
                               R"({"a":{"shape":[2],"type":"float16","raw":[1,2]},"b":[[true],[false]]})"};
  std::mt19937 random(7);
  for (const auto& file : files) {
    for (std::size_t length = 0; length < file.size(); ++length) try_one(file.substr(0, length));
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = file;
      for (std::size_t k = 0; k < 1 + random() % 3; ++k)
        damaged[random() % damaged.size()] =
            random() % 2 ? static_cast<char>(random()) : "0123456789[]{}(),'\"#-"[random() % 21];
      try_one(damaged);
    }
  }
  EXPECT_GT(read, 100) << "damage that leaves a file readable";
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace takt
