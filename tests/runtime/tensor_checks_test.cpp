#include "runtime/tensor_checks.h"

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace takt {
namespace {

TEST(ByteSize, absurd_shapes_have_none) {
  EXPECT_EQ(byte_size(ElementType::f32, {2, 3}), 24u);
  EXPECT_EQ(byte_size(ElementType::f32, {}), 4u);
  EXPECT_FALSE(byte_size(ElementType::f32, {std::int64_t{1} << 40}));
  EXPECT_FALSE(byte_size(ElementType::f32, {std::int64_t{1} << 62, 8}));
  EXPECT_FALSE(byte_size(ElementType::string, {2}));
}

TEST(CheckInput, of_less_than_a_byte_is_refused) {
  const HostTensor half{"x", ElementType::i4, {2}, Bytes(std::vector<std::byte>(1)), {}};
  try {
    check_input(std::vector<Port>{{"x", ElementType::i4, {Dim{2, ""}}}}, 0, half, "m.onnx");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("input 'x' is int4, which takes less than a byte"), std::string::npos);
  }
}

}  // namespace
}  // namespace takt
