// Divided stages: parts on different runtimes, models that fix their number of rows, and whether the parts give what
// the whole gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/basics/error.h"
#include "model/onnx/onnx.h"
#include "model/onnx/open.h"
#include "model/onnx/weights.h"
#include "model/runtime/models.h"
#include "model/runtime/runtime.h"
#include "pipeline/engine/engine.h"
#include "pipeline/record/run_check.h"
#include "pipeline/stages/tensor_split.h"
#include "takt/data_parallel.h"

namespace takt {
namespace {

bool has(const std::string& runtime) {
  const auto names = runtime_names();
  return std::find(names.begin(), names.end(), runtime) != names.end();
}

/// y = relu(x + 1), with x of exactly these dimensions.
std::string fixed_model(const std::string& dims) {
  ModelBuilder b;
  Shape shape;
  std::string part;
  for (const char c : dims + ",")
    if (c == ',')
      shape.push_back(std::stoll(part)), part.clear();
    else
      part += c;
  const auto x = b.input("x", ElementType::f32, shape);
  const auto sum = b.node("Add", {x, b.floats({1}, {1})}, {}, {"add", "", {"s"}, {}});
  b.output(b.node("Relu", {sum}, {}, {"relu", "", {"y"}, {}}), ElementType::f32, shape);
  return b.serialize();
}

/// y = relu(x + 1), x of exactly eight rows, with the model's weights in a file beside it.
std::filesystem::path fixed_model_with_weights_beside(const TestFolder& folder) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {8, 40000});
  const auto sum = b.node("Add", {x, b.floats(std::vector<float>(40000, 1), {40000})}, {}, {"add", "", {"s"}, {}});
  b.output(b.node("Relu", {sum}, {}, {"relu", "", {"y"}, {}}), ElementType::f32, {8, 40000});
  const auto whole = folder.write("whole.onnx", b.serialize()), path = folder / "beside.onnx";
  const OnnxModel model = read_onnx_structure(whole);
  WeightFiles files(whole);
  write_with_weights(*model.proto, files, path, 0);
  std::filesystem::remove(whole);
  return path;
}

/// y = x − mean of all its rows: no part knows it.
std::string mixing_model() {
  ModelBuilder b;
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,2");
  const auto mean = b.node("ReduceMean", {x}, {{"axes", std::vector<std::int64_t>{0}}}, {"mean", "", {"m"}, {}});
  b.output(b.node("Sub", {x, mean}, {}, {"sub", "", {"y"}, {}}));
  return b.serialize();
}

/// y = x flattened to 4·2 and back: a constant inside says how many rows there are.
std::string stubborn_model() {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {4, 2});
  const auto flat = b.node("Reshape", {x, b.integers({8})}, {}, {"flatten", "", {"f"}, {}});
  b.output(b.node("Reshape", {flat, b.integers({4, 2})}, {}, {"fold", "", {"y"}, {}}), ElementType::f32, {4, 2});
  return b.serialize();
}

SharedTensor counting(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(*element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 3;
  return std::make_shared<HostTensor>(floats("x", shape, values));
}

void expect_whole(const DataParallelResult& done, const Shape& shape) {
  ASSERT_EQ(done.outputs.size(), 1u);
  EXPECT_EQ(done.outputs[0]->shape, shape);
  const auto values = values_of(*done.outputs[0]);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], std::max(static_cast<float>(i) - 2, 0.0f)) << i;
}

std::string refusal_of(const std::filesystem::path& model, const DataParallelSettings& settings) {
  try {
    const DataParallelStage stage(model, settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "taken";
}

class OneRuntime : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!has(GetParam())) GTEST_SKIP() << GetParam() << " is not in this binary";
    settings_.devices = {"CPU", "CPU"};
    settings_.ratio = {0.25, 0.75};
    settings_.stage.runtime = GetParam();
  }
  TestFolder folder_;
  DataParallelSettings settings_;
};

TEST_P(OneRuntime, divides_a_model_that_fixes_its_rows) {
  DataParallelStage stage(folder_.write("fixed.onnx", fixed_model("8,2")), settings_);
  EXPECT_EQ(stage.rows(), (std::vector<std::int64_t>{2, 6}));
  EXPECT_EQ(stage.deviation(), 0.0);
  EXPECT_EQ(stage.runtimes(), (std::vector<std::string>{GetParam(), GetParam()}));
  expect_whole(stage.run(0, {{0, counting({8, 2})}}), {8, 2});
}

TEST_P(OneRuntime, divides_it_where_its_weights_lie_in_another_file) {
  const auto model = fixed_model_with_weights_beside(folder_);
  ASSERT_FALSE(read_onnx(model).graph.external_files.empty());
  DataParallelStage stage(model, settings_);
  EXPECT_EQ(stage.rows(), (std::vector<std::int64_t>{2, 6}));
  expect_whole(stage.run(0, {{0, counting({8, 40000})}}), {8, 40000});
}

TEST_P(OneRuntime, divides_it_along_another_axis_too) {
  settings_.axis = 1;
  DataParallelStage stage(folder_.write("fixed.onnx", fixed_model("2,8")), settings_);
  EXPECT_EQ(stage.rows(), (std::vector<std::int64_t>{2, 6}));
  expect_whole(stage.run(0, {{0, counting({2, 8})}}), {2, 8});
}

TEST_P(OneRuntime, divides_its_own_format_along_any_axis) {
  const auto own = folder_ / "fixed.xml";
  if (!make_runtime(GetParam())->convert(folder_.write("fixed.onnx", fixed_model("2,8")), own))
    GTEST_SKIP() << "it has none";
  settings_.axis = 1;
  DataParallelStage stage(own, settings_);
  EXPECT_EQ(stage.rows(), (std::vector<std::int64_t>{2, 6}));
  expect_whole(stage.run(0, {{0, counting({2, 8})}}), {2, 8});
}

TEST_P(OneRuntime, says_why_a_model_does_not_run_in_parts) {
  const auto what = refusal_of(folder_.write("stubborn.onnx", stubborn_model()), settings_);
  EXPECT_EQ(what.find("the model fixes its number of rows ({4,2} of input 'x') and does not run in parts: "), 0u)
      << what;
  EXPECT_NE(what.find("export it with that dimension dynamic, or do not split it"), std::string::npos) << what;
}

TEST_P(OneRuntime, compares_values_unless_told_not_to) {
  const auto model = folder_.write("mixing.onnx", mixing_model());
  settings_.stage.inputs = {"x:{8,2}"};
  const auto what = refusal_of(model, settings_);
  EXPECT_EQ(what.find("the stage cannot be split along axis 0: output 'y' differs at {"), 0u) << what;
  EXPECT_NE(what.find("; if values differ between runs, turn 'verify' off"), std::string::npos) << what;
  settings_.verify = false;
  const DataParallelStage stage(model, settings_);
  EXPECT_FALSE(stage.deviation()) << "nobody looked";
}

// Equal rows have an equal mean: only values that differ tell that the parts do not know it.
TEST_P(OneRuntime, compares_on_the_values_that_it_is_given) {
  const auto model = folder_.write("mixing.onnx", mixing_model());
  settings_.stage.inputs = {"x:{8,2}"};
  settings_.first = {std::make_shared<HostTensor>(floats("x", {8, 2}, std::vector<float>(16, 5)))};
  EXPECT_EQ(refusal_of(model, settings_), "taken");
  std::vector<float> other(16, 5);
  other[15] = 6;
  settings_.first = {std::make_shared<HostTensor>(floats("x", {8, 2}, other))};
  EXPECT_NE(refusal_of(model, settings_), "taken");
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OneRuntime, testing::Values("onnxruntime", "openvino"));

TEST(TwoRuntimes, each_runs_its_part) {
  if (!has("onnxruntime") || !has("openvino")) GTEST_SKIP() << "needs both runtimes";
  const TestFolder folder;
  DataParallelSettings settings;
  settings.devices = {"CPU", "CPU", "CPU"};
  settings.runtimes = {"openvino", "onnxruntime", "openvino"};
  settings.ratio = {0.25, 0.5, 0.25};
  DataParallelStage fixed(folder.write("fixed.onnx", fixed_model("8,2")), settings);
  EXPECT_EQ(fixed.runtimes(), settings.runtimes);
  expect_whole(fixed.run(0, {{0, counting({8, 2})}}), {8, 2});
  settings.ratio.reset();
  settings.stage.inputs = {"x:{9,3}"};
  const DataParallelStage balanced(folder.write("open.onnx", open_batch().serialize()), settings);
  EXPECT_EQ(balanced.ratio()[0], balanced.ratio()[2]) << "one device and runtime, one speed";
}

TEST(TwoRuntimes, are_named_in_the_rows_of_a_pipeline) {
  if (!has("onnxruntime") || !has("openvino")) GTEST_SKIP() << "needs both runtimes";
  const TestFolder folder;
  folder.write("fixed.onnx", fixed_model("8,2"));
  const auto file = folder.write("p.yaml",
                                 "batches: 6\nstages:\n  - name: a\n    model: fixed.onnx\n    split: {devices: [CPU, "
                                 "cpu], runtimes: [OpenVINO, onnxruntime], ratio: [0.5, 0.5]}\n");
  EngineSettings engine;
  int delivered = 0;
  engine.make_inputs = [](std::int64_t) { return std::vector<SharedTensor>{counting({8, 2})}; };
  engine.take_outputs = [&](std::int64_t, const std::vector<SharedTensor>& outputs) {
    ++delivered;
    DataParallelResult result;
    result.outputs = outputs;
    expect_whole(result, {8, 2});
  };
  const auto outcome = run_pipeline(read_pipeline(file), engine);
  EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
  check(outcome.run, "run");
  EXPECT_EQ(delivered, 6);
  EXPECT_EQ(outcome.run.devices.at(0).runtime, "onnxruntime+openvino");
  EXPECT_EQ(outcome.notes, std::vector<std::string>{
                               "stage 'a': its merged outputs were compared with those of the unsplit stage: equal"});
}

TEST(Settings, runtimes_are_one_for_each_device) {
  const TestFolder folder;
  DataParallelSettings settings;
  settings.devices = {"CPU", "CPU"};
  settings.runtimes = {"sim"};
  EXPECT_EQ(refusal_of(folder.write("fixed.onnx", fixed_model("8,2")), settings),
            "a data-parallel stage has 1 runtimes for 2 devices; give one each, or none");
}

TEST(Settings, of_each_part_are_checked_before_anything_is_opened) {
  const TestFolder folder;
  DataParallelSettings settings;
  settings.devices = {"CPU", "CPU"};
  settings.stage.requests = 0;
  EXPECT_NE(refusal_of(folder.write("fixed.onnx", fixed_model("8,2")), settings).find("requests"), std::string::npos)
      << refusal_of(folder / "fixed.onnx", settings);
}

TEST_P(OneRuntime, compares_the_shape_of_what_the_parts_give) {
  ModelBuilder b;  // y = the sum of all rows, as one row: two parts give two
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,2");
  b.output(b.node("ReduceSum", {x, b.integers({0})}, {}, {"sum", "", {"y"}, {}}));
  settings_.stage.inputs = {"x:{8,2}"};
  const auto what = refusal_of(folder_.write("sum.onnx", b.serialize()), settings_);
  EXPECT_EQ(what.find("the stage cannot be split along axis 0: output 'y' "), 0u) << what;
}

// What simulated devices give is drawn: there is nothing to compare.
TEST(Settings, simulated_devices_are_not_compared) {
  if (!has("onnxruntime") && !has("openvino")) GTEST_SKIP() << "needs a runtime that tells the output's shape";
  const TestFolder folder;
  DataParallelSettings settings;
  settings.devices = {"sim:CPU", "sim:GPU"};
  settings.ratio = {0.5, 0.5};
  settings.stage.inputs = {"x:{4,3}"};
  const DataParallelStage stage(folder.write("open.onnx", open_batch().serialize()), settings);
  EXPECT_FALSE(stage.deviation());
}

TEST(OpenDimension, leaves_all_else_of_the_model_as_it_is) {
  const TestFolder folder;
  const auto from = folder.write("fixed.onnx", fixed_model("8,2")), to = folder.path() / "open.onnx";
  write_with_open_dimension(from, {"x"}, 0, to);
  const auto before = read_onnx(from).graph, after = read_onnx(to).graph;
  EXPECT_EQ(after.ops.size(), before.ops.size());
  const auto& shape = *after.tensor(after.inputs.at(0)).shape;
  ASSERT_EQ(shape.size(), 2u);
  EXPECT_FALSE(shape[0].value);
  EXPECT_EQ(shape[1].value, 2);
}

}  // namespace
}  // namespace takt
