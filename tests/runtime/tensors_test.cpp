#include "runtime/tensors.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace takt {
namespace {

TEST(OneSentence, line_ends_and_source_positions_go) {
  EXPECT_EQ(one_sentence("Exception from src/inference/src/cpp/core.cpp:90:\nCannot load library\n\n"),
            "Cannot load library");
  EXPECT_EQ(one_sentence("/a/b/model.cc:12 (onnxruntime::Model::Load(int)) Protobuf parsing failed."),
            "Protobuf parsing failed");
  EXPECT_EQ(one_sentence(""), "no reason given");
}

TEST(OneSentence, a_long_or_hostile_message_stays_short) {
  EXPECT_LE(one_sentence(std::string(100'000, 'x')).size(), 300u);
  EXPECT_LE(one_sentence(std::string(100'000, '(')).size(), 300u);
  EXPECT_EQ(one_sentence("a\x1b[31mb").find('\x1b'), std::string::npos);
}

TEST(ByteSize, absurd_shapes_have_none) {
  EXPECT_EQ(byte_size(ElementType::f32, {2, 3}), 24u);
  EXPECT_EQ(byte_size(ElementType::f32, {}), 4u);
  EXPECT_FALSE(byte_size(ElementType::f32, {std::int64_t{1} << 40}));
  EXPECT_FALSE(byte_size(ElementType::f32, {std::int64_t{1} << 62, 8}));
  EXPECT_FALSE(byte_size(ElementType::string, {2}));
}

}  // namespace
}  // namespace takt
