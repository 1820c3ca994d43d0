// Models of the zoo as ONNX Runtime optimises them: what is there already is made again only where it is of something
// else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/files/file.h"
#include "predict/kernels/real_models.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

std::string said(const onnx::ModelProto& proto, const std::string& key) {
  for (const auto& entry : proto.metadata_props())
    if (entry.key() == key) return entry.value();
  return "";
}

onnx::ModelProto read(const fs::path& file) {
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(read_file(file)));
  return proto;
}

TEST(OptimisedExport, says_what_made_it_and_is_made_again_where_that_was_another) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  ZooConfig config;
  config.models = {{"mlp", 3, 0.05, 1, 20}};
  const auto save = [&] { return export_zoo(config, {.folder = folder.path(), .optimised = true}).at(0); };
  const ExportedZooModel first = save();
  const fs::path file = folder / first.optimised;
  EXPECT_THAT(first.optimised.string(), testing::MatchesRegex("optimised/mlp3_w0.05_b1_20.(cpu|cuda).onnx"));
  EXPECT_THAT(first.optimised_by, testing::MatchesRegex("onnxruntime [0-9.]+ on (CPU|CUDA)"));
  const onnx::ModelProto made = read(file);
  EXPECT_EQ(said(made, "takt.optimised_by"), first.optimised_by);
  EXPECT_NE(said(made, "takt.source"), "");
  EXPECT_EQ(said(made, "takt.architecture"), "mlp3_w0.05");
  const auto changed = [&](const char* key) {
    onnx::ModelProto other = made;
    for (auto& entry : *other.mutable_metadata_props())
      if (entry.key() == key) entry.set_value("another");
    return other.SerializeAsString();
  };
  struct Case {
    std::string bytes;
    bool stays;
    const char* what;
  };
  onnx::ModelProto of_this = made;
  of_this.set_doc_string("of this source and runtime, whatever else is in it");
  for (const Case& one : {Case{of_this.SerializeAsString(), true, "the same"},
                          {changed("takt.source"), false, "of another model"},
                          {changed("takt.optimised_by"), false, "of another runtime"},
                          {"torn", false, "no model"}}) {
    write_file_atomically(file, one.bytes);
    EXPECT_EQ(save().optimised, first.optimised);
    EXPECT_EQ(read_file(file) == one.bytes, one.stays) << one.what;
    EXPECT_EQ(said(read(file), "takt.source"), said(made, "takt.source")) << one.what;
  }
  config.seed = 2;  // other weights
  save();
  EXPECT_NE(said(read(file), "takt.source"), said(made, "takt.source"));
}

}  // namespace
}  // namespace takt
