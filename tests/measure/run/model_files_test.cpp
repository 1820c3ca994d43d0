// Which model it was, and files that are none.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "measure/open/misplaced_file.h"
#include "measure/open/model_content.h"
#include "measure/run/run.h"
#include "model/onnx/builder.h"
#include "model/runtime/runtime.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

std::string fingerprint_of(const std::filesystem::path& model) {
  const auto content = content_of(model, nullptr);
  return content ? content->fingerprint : "";
}

TEST(ModelContent, follows_the_bytes_and_not_the_name) {
  const TestFolder folder;
  folder.write("a.onnx", "0123456789");
  folder.write("b.onnx", "0123456789");
  folder.write("c.onnx", "0123456780");
  EXPECT_EQ(fingerprint_of(folder / "a.onnx"), fingerprint_of(folder / "b.onnx"));
  EXPECT_NE(fingerprint_of(folder / "a.onnx"), fingerprint_of(folder / "c.onnx"));
  EXPECT_EQ(fingerprint_of(folder / "a.onnx").size(), 16u);
  EXPECT_EQ(fingerprint_of(folder / "none.onnx"), "");
}

TEST(ModelContent, knows_weights_in_other_files) {
  const TestFolder folder;
  const auto model = folder.write("m.xml", "<net/>");
  const std::string bare = fingerprint_of(model);
  folder.write("m.bin", "weights");
  const std::string with = fingerprint_of(model);
  folder.write("m.bin", "Weights");
  EXPECT_NE(bare, with);
  EXPECT_NE(with, fingerprint_of(model));
}

TEST(MisplacedFile, a_model_is_none_whatever_it_is_called) {
  EXPECT_EQ(misplacement("m.onnx", "\x08\x07\x12\x04test", "onnxruntime"), "");
  EXPECT_EQ(misplacement("model", "\x08\x07\x12\x04test", "onnxruntime"), "");
  EXPECT_EQ(misplacement("m.xml", "<?xml version=\"1.0\"?><net name=\"m\">", "openvino"), "");
}

TEST(MisplacedFile, is_refused_by_its_name) {
  const TestFolder folder;
  write_file_atomically(folder / "p.json", R"({"traceEvents": []})");
  try {
    refuse_misplaced_file(folder / "p.json", "onnxruntime");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(),
                HasSubstr("p.json: is not a model that takt runs: it is JSON; name an .onnx or .xml file"));
  }
  refuse_misplaced_file(folder / "none.onnx", "onnxruntime");
}

TEST(InputFiles, of_different_shapes_take_turns_where_the_model_leaves_dimensions_open) {
  if (runtime_names().size() < 2) GTEST_SKIP() << "needs a runtime that tells the shapes behind an input";
  const TestFolder folder;
  ModelBuilder b;
  const auto x = b.symbolic_input("x", ElementType::f32, "batch,4");
  const auto mask = b.symbolic_input("mask", ElementType::f32, "batch,4");
  b.output(b.node("Mul", {x, mask}));
  folder.write("turns/a.json", "[[1,2,3,4]]");
  folder.write("turns/b.json", "[[1,2,3,4],[5,6,7,8]]");
  RunSettings settings;
  settings.iterations = 3;
  settings.inputs = parse_input_specs("x:" + (folder / "turns").string());
  const RunResult result = run_model(folder.write("open.onnx", b.serialize()), settings, RunPasses::plain);
  ASSERT_EQ(result.turns.size(), 2u);
  EXPECT_EQ(result.turns[0].shapes, "x {1,4}, mask {1,4}");
  EXPECT_EQ(result.turns[1].shapes, "x {2,4}, mask {2,4}") << "what is generated follows";
  EXPECT_EQ(result.turns[0].activations, 3 * 16);
  EXPECT_EQ(result.turns[1].activations, 3 * 32);
  EXPECT_EQ(result.plain->samples.size(), 3u);
  EXPECT_EQ(result.plain->resident.size(), 3u);
  EXPECT_THAT(result.notes, testing::Contains(HasSubstr("files of different shapes take turns")));
}

TEST(InputFiles, of_another_shape_than_the_model_fixes_are_refused) {
  const TestFolder folder;
  ModelBuilder b;
  b.output(b.node("Relu", {b.input("x", ElementType::f32, {1, 4})}), ElementType::f32, {1, 4});
  folder.write("a.json", "[[1,2,3,4]]");
  folder.write("b.json", "[[1,2,3,4],[5,6,7,8]]");
  RunSettings settings;
  settings.device = "sim:CPU", settings.iterations = 2;
  settings.inputs = parse_input_specs("x:" + (folder / "a.json").string() + "," + (folder / "b.json").string());
  try {
    run_model(folder.write("fixed.onnx", b.serialize()), settings, RunPasses::plain);
    ADD_FAILURE() << "it ran";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("b.json: shape {2,4} does not fit input 'x', which is {1,4} in the model"));
  }
}

TEST(BatchSizes, are_changed_where_the_model_has_another_and_that_is_said) {
  const auto names = runtime_names();
  if (std::find(names.begin(), names.end(), "openvino") == names.end()) GTEST_SKIP() << "needs a runtime that reshapes";
  const TestFolder folder;
  ModelBuilder b;
  const auto one = b.input("one", ElementType::f32, {1, 4}), two = b.input("two", ElementType::f32, {2, 4});
  const auto scalar = b.input("scalar", ElementType::f32, {}), open = b.symbolic_input("open", ElementType::f32, "n,4");
  b.output(b.node("Sum", {b.node("Mul", {one, scalar}), two, open}));
  RunSettings settings;
  settings.runtime = "openvino", settings.iterations = 1, settings.batch_size = 2;
  const RunResult result = run_model(folder.write("m.onnx", b.serialize()), settings, RunPasses::plain);
  std::vector<std::string> notes;
  for (const auto& note : result.notes)
    if (note.starts_with("input '")) notes.push_back(note);
  EXPECT_THAT(notes, testing::ElementsAre("input 'one' is {1,4} in the model; its first dimension is changed to 2"));
  std::string shapes;
  for (const HostTensor& input : result.input_values) shapes += input.name + to_string(input.shape);
  EXPECT_EQ(shapes, "one{2,4}two{2,4}scalar{}open{2,4}");
}

}  // namespace
}  // namespace takt
