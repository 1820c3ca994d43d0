// Whether two files of one name are the same model.
#include "measure/open/model_content.h"

#include <gtest/gtest.h>

#include "test_folder.h"

namespace takt {
namespace {

std::string bytes_of(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i * 7 + i / 251);
  return bytes;
}

TEST(ModelContent, equal_bytes_have_one_fingerprint_and_any_other_byte_another) {
  const TestFolder folder;
  // Over a piece of the reading and no multiple of the words that are hashed.
  const std::string bytes = bytes_of((1 << 20) + 77);
  const auto content = content_of(folder.write("m.onnx", bytes), nullptr);
  ASSERT_TRUE(content);
  EXPECT_EQ(content->fingerprint.size(), 16u);
  EXPECT_EQ(content->files.at(0).name, "m.onnx");
  EXPECT_EQ(content->files.at(0).bytes, bytes.size());
  EXPECT_EQ(content_of(folder.write("copy.onnx", bytes), nullptr)->fingerprint, content->fingerprint);
  for (const std::size_t place : {std::size_t{0}, std::size_t{31}, std::size_t{4096}, bytes.size() - 1}) {
    std::string changed = bytes;
    changed[place] ^= 1;
    EXPECT_NE(content_of(folder.write("other.onnx", changed), nullptr)->fingerprint, content->fingerprint) << place;
  }
  EXPECT_NE(content_of(folder.write("longer.onnx", bytes + '\0'), nullptr)->fingerprint, content->fingerprint);
}

TEST(ModelContent, weights_outside_of_the_file_count) {
  const TestFolder folder;
  const auto model = folder.write("m.onnx", bytes_of(100));
  folder.write("w.bin", bytes_of(1000));
  Graph graph;
  graph.external_files = {"w.bin"};
  const auto content = content_of(model, &graph);
  ASSERT_TRUE(content && content->files.size() == 2);
  folder.write("w.bin", bytes_of(999) + "x");
  EXPECT_NE(content_of(model, &graph)->fingerprint, content->fingerprint);
  const auto ir = folder.write("n.xml", "<net/>");
  folder.write("n.bin", "weights");
  EXPECT_EQ(content_of(ir, nullptr)->files.size(), 2u);
}

TEST(ModelContent, a_file_that_cannot_be_read_has_none) {
  const TestFolder folder;
  EXPECT_FALSE(content_of(folder / "missing.onnx", nullptr));
}

}  // namespace
}  // namespace takt
