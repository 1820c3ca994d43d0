#include "runtime/tensor_checks.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(ByteSize, absurd_shapes_have_none) {
  EXPECT_EQ(byte_size(ElementType::f32, {2, 3}), 24u);
  EXPECT_EQ(byte_size(ElementType::f32, {}), 4u);
  EXPECT_FALSE(byte_size(ElementType::f32, {std::int64_t{1} << 40}));
  EXPECT_FALSE(byte_size(ElementType::f32, {std::int64_t{1} << 62, 8}));
  EXPECT_FALSE(byte_size(ElementType::string, {2}));
}

}  // namespace
}  // namespace takt
