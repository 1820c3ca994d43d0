// Dumps of tensors: the form of others, and back without loss.
#include "model/inputs/tensor_dump.h"

#include <gmock/gmock.h>

#include <cstring>

#include "base/basics/error.h"

namespace takt {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

HostTensor tensor_of(ElementType type, Shape shape, std::size_t bytes) {
  HostTensor tensor{"ab", type, std::move(shape), {}, {}};
  tensor.bytes.resize(bytes);
  for (std::size_t i = 0; i < bytes; ++i) tensor.bytes.data()[i] = static_cast<std::byte>(i + 1);
  return tensor;
}

GivenTensor parsed_dump(const std::string& bytes) { return parse_dump(std::as_bytes(std::span(bytes)), "d/000000"); }

std::string dump_refusal(const std::string& bytes) {
  try {
    parsed_dump(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), StartsWith("d/000000: "));
    return error.what();
  }
  return "accepted";
}

TEST(TensorDump, has_the_header_of_the_format) {
  const std::string bytes = dump_binary(tensor_of(ElementType::f32, {2, 1}, 8));
  ASSERT_EQ(bytes.size(), 4u * 10 + 2 + 8);
  EXPECT_EQ(bytes.substr(0, 12), std::string("\2\0\0\0\0\0\0\0\7\0\0\0", 12));
  EXPECT_EQ(bytes.substr(12, 12), std::string("\2\0\0\0\1\0\0\0\0\0\0\0", 12));
  EXPECT_EQ(bytes.substr(40, 2), "ab");
}

TEST(TensorDump, comes_back_with_its_name_type_shape_and_bytes) {
  const std::vector<std::tuple<ElementType, Shape, std::size_t>> tensors{
      {ElementType::f32, {2, 3}, 24},    {ElementType::i64, {1, 1, 1, 1, 1, 1, 2}, 16},
      {ElementType::f16, {}, 2},         {ElementType::boolean, {5}, 5},
      {ElementType::f64, {3, 0}, 0},     {ElementType::u64, {0}, 0},
      {ElementType::bf16, {2, 2, 2}, 16}};
  for (const auto& [type, shape, bytes] : tensors) {
    SCOPED_TRACE(to_string(shape));
    const HostTensor tensor = tensor_of(type, shape, bytes);
    const HostTensor back = parsed_dump(dump_binary(tensor)).tensor;
    EXPECT_EQ(back.name, "ab");
    EXPECT_EQ(back.type, type);
    EXPECT_EQ(back.shape, shape);
    ASSERT_EQ(back.bytes.size(), bytes);
    EXPECT_EQ(std::memcmp(back.bytes.data(), tensor.bytes.data(), bytes), 0);
  }
}

TEST(TensorDump, strings_and_many_dimensions_do_not_fit) {
  EXPECT_FALSE(fits_dump(tensor_of(ElementType::string, {1}, 0)));
  EXPECT_FALSE(fits_dump(tensor_of(ElementType::u8, Shape(8, 1), 1)));
  EXPECT_TRUE(fits_dump(tensor_of(ElementType::u8, Shape(7, 1), 1)));
  const auto refusal = [](const HostTensor& tensor) -> std::string {
    try {
      dump_binary(tensor);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      return std::string(error.what()).substr(std::string(error.what()).find(": "));
    }
    return "";
  };
  EXPECT_EQ(refusal(tensor_of(ElementType::string, {1}, 0)),
            ": strings cannot be written in this format; use --io-dump");
  EXPECT_EQ(refusal(tensor_of(ElementType::u8, Shape(8, 1), 1)),
            ": its rank cannot be written in this format; use --io-dump");
}

TEST(TensorDump, what_is_damaged_is_refused_in_a_sentence) {
  const std::string whole = dump_binary(tensor_of(ElementType::f32, {2, 1}, 8));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (size == 42) continue;
    EXPECT_NE(dump_refusal(whole.substr(0, size)), "accepted") << size;
  }
  // Without any values it is the dump of {2,1,0}, which no input of two dimensions takes.
  EXPECT_EQ(parsed_dump(whole.substr(0, 42)).tensor.shape, (Shape{2, 1, 0}));
  EXPECT_THAT(dump_refusal(whole + "x"), HasSubstr("has 9 bytes of values, which do not match its shape"));
  std::string other = whole;
  other[4] = 77;
  EXPECT_THAT(dump_refusal(other), HasSubstr("has values of the unknown type 77"));
  for (const char* type :
       {"\xe8\x03", "\xe9\x03", "\xf0\x03"}) {  // 1000 undefined, 1001 f32 by ONNX's number, 1008 strings
    other = whole;
    other.replace(4, 2, type, 2);
    EXPECT_NE(dump_refusal(other), "accepted");
  }
  other = whole;
  other[8] = 8;
  EXPECT_THAT(dump_refusal(other), HasSubstr("is not a tensor dump"));
  other = whole;
  other[15] = '\xff';
  EXPECT_THAT(dump_refusal(other), HasSubstr("which do not match its shape"));
}

TEST(TensorDump, is_told_by_its_name) {
  for (const char* name : {"d/000000", "./00002f", "/tmp/d/0000012", "run0-var000001", "d/run0-var00002f"})
    EXPECT_TRUE(is_dump_file(name)) << name;
  for (const char* name : {"000000", "123456", "d/00000", "d/00000G", "run0-var1", "d/000000.npy", "run0-var", ""})
    EXPECT_FALSE(is_dump_file(name)) << name;
}

}  // namespace
}  // namespace takt
