// Networks cut into pieces, run piece by piece on every real runtime of this binary: the same outputs as of the whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "model/runtime/generated_values.h"
#include "model/runtime/runtime.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/piece_models.h"
#include "pipeline/engine/piece_runs.h"
#include "pipeline/stages/model_pieces.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

/// The networks of the onnx package, without their trained weights. A sanitizer sees the same of takt with a few of
/// them.
std::vector<std::string> light_networks() {
  if (is_sanitized()) return {"squeezenet"};
  return {"bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50",
          "shufflenet",   "squeezenet",  "vgg19",        "zfnet512"};
}

/// One size for what a network leaves open.
std::map<std::string, Shape> shapes_for(const Graph& graph) {
  std::map<std::string, Shape> shapes;
  for (const TensorId id : graph.inputs) {
    Shape& shape = shapes[graph.tensor(id).name];
    for (const Dim& dim : graph.tensor(id).shape.value()) shape.push_back(dim.value.value_or(3));
  }
  return shapes;
}

Values generated_inputs(const Graph& graph) {
  Values values;
  std::uint64_t seed = 1;
  for (const auto& [name, shape] : shapes_for(graph)) {
    const Tensor& tensor = graph.tensor(graph.find_tensor(name).value());
    values[name] = generate_values({name, tensor.type, tensor.shape.value()}, shape, seed++);
  }
  return values;
}

class PiecesOnRuntimes : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  /// Cuts the model into `count` pieces and runs them one after another, and the whole.
  void compare(const std::filesystem::path& path, std::size_t count) {
    const OnnxModel model = read_onnx_structure(path);
    const Graph graph = with_known_tensors(model);
    const auto cuts = choose_cuts(graph, find_cuts(graph), {.pieces = count});
    const auto written = write_pieces(model, graph, cuts, {.folder = folder_ / "pieces"});
    ASSERT_EQ(written.models.size(), count);
    Values there = generated_inputs(graph);
    const Values inputs = there;
    for (const auto& piece : written.models)
      for (auto& [name, value] : run_once(*runtime_, piece, there)) there[name] = std::move(value);
    for (const auto& [name, wanted] : run_once(*runtime_, path, inputs)) expect_close(there.at(name), wanted, 1e-5);
    compare_inside(graph, cuts, there, run_once(*runtime_, path, inputs, true));
  }

  std::unique_ptr<Runtime> runtime_ = make_runtime(std::get<0>(GetParam()));
  TestFolder folder_;

 private:
  /// Where constant weights make all outputs alike, a wrong piece shows in what goes across the cuts. Without fused
  /// operators sums are in another order.
  static void compare_inside(const Graph& graph, const std::vector<Cut>& cuts, const Values& there, const Values& all) {
    std::size_t compared = 0;
    for (const Cut& cut : cuts)
      for (const TensorId id : cut.tensors) {
        const auto wanted = all.find(graph.tensor(id).name);
        if (wanted == all.end()) continue;  // a runtime need not keep every tensor
        expect_close(there.at(wanted->first), wanted->second, 1e-4);
        ++compared;
      }
    EXPECT_GT(compared, 0u);
  }
};

class BuiltNetworks : public PiecesOnRuntimes {};

TEST_P(BuiltNetworks, in_four_to_seven_pieces_give_the_outputs_of_the_whole) {
  for (const auto& [name, build] : piece_models())
    if (name == std::get<1>(GetParam())) {
      const auto path = folder_.write(name + ".onnx", build().serialize());
      for (const std::size_t count : {4, 5, 7}) compare(path, count);
    }
}

TEST_P(BuiltNetworks, cut_wherever_they_can_be_give_the_outputs_of_the_whole) {
  for (const auto& [name, build] : piece_models())
    if (name == std::get<1>(GetParam())) {
      const auto path = folder_.write(name + ".onnx", build().serialize());
      const Graph graph = with_known_tensors(read_onnx(path));
      compare(path, find_cuts(graph).size() + 1);
    }
}

TEST_P(BuiltNetworks, whose_operators_are_not_fused_give_the_same_to_the_bit) {
  if (std::get<0>(GetParam()) == "openvino") GTEST_SKIP() << "OpenVINO fuses operators whose results are outputs, too";
  for (const auto& [name, build] : piece_models())
    if (name == std::get<1>(GetParam())) {
      const auto path = folder_.write(name + ".onnx", build().serialize());
      const OnnxModel model = read_onnx(path);
      const Graph graph = with_known_tensors(model);
      const auto written = write_pieces(model, graph, find_cuts(graph), {.folder = folder_ / "pieces"});
      Values there = generated_inputs(graph);
      const Values whole = run_once(*runtime_, path, there, true);
      for (const auto& piece : written.models)
        for (auto& [tensor, value] : run_once(*runtime_, piece, there, true)) there[tensor] = std::move(value);
      for (const TensorId id : graph.outputs) {
        const HostTensor &got = there.at(graph.tensor(id).name), &wanted = whole.at(graph.tensor(id).name);
        ASSERT_EQ(got.bytes.size(), wanted.bytes.size());
        EXPECT_EQ(std::memcmp(got.bytes.data(), wanted.bytes.data(), got.bytes.size()), 0) << wanted.name;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, BuiltNetworks,
                         testing::Combine(testing::ValuesIn(real_runtimes()),
                                          testing::Values("skips", "two_inputs", "transformer")),
                         [](const auto& named) { return std::get<0>(named.param) + "_" + std::get<1>(named.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BuiltNetworks);

TEST(PiecesWithWeightsBeside, are_read_by_every_runtime) {
  ModelBuilder b;
  std::string last = b.input("x", ElementType::f32, {2, 200});
  for (int layer = 0; layer < 3; ++layer) last = b.node("Tanh", {b.node("MatMul", {last, b.weight({200, 200})})});
  b.output(last);
  const TestFolder folder;
  const auto path = folder.write("net.onnx", b.serialize());
  const OnnxModel model = read_onnx_structure(path);
  const Graph graph = with_known_tensors(model);
  const auto written = write_pieces(model, graph, choose_cuts(graph, find_cuts(graph), {.pieces = 3}),
                                    {.folder = folder / "pieces", .most_weights_inside = 0});
  for (const auto& piece : written.models) EXPECT_TRUE(std::filesystem::exists(piece.string() + ".data"));
  for (const std::string& name : real_runtimes()) {
    const auto runtime = make_runtime(name);
    Values there = generated_inputs(graph);
    const Values whole = run_once(*runtime, path, there);
    for (const auto& piece : written.models)
      for (auto& [tensor, value] : run_once(*runtime, piece, there)) there[tensor] = std::move(value);
    for (const auto& [tensor, wanted] : whole) expect_close(there.at(tensor), wanted, 1e-5);
  }
}

/// A product of bytes that makes floats, by an operator that is none of ONNX's own: no rule tells its type.
ModelBuilder quantised_network() {
  ModelBuilder b("quantised");
  std::string last = b.input("x", ElementType::f32, {2, 8});
  const auto weight = b.raw(ElementType::u8, {8, 8}, std::string(32, '\3') + std::string(32, '\5'), "w");
  for (int layer = 0; layer < 2; ++layer) {
    const std::string number = std::to_string(layer), q = "q" + number, scale = "scale" + number,
                      zero = "zero" + number;
    b.node("DynamicQuantizeLinear", {last}, {}, {.outputs = {q, scale, zero}});
    last = b.node("Relu", {b.node("MatMulIntegerToFloat", {q, weight, scale, b.floats({0.1f}, {}), zero}, {},
                                  {.domain = "com.microsoft"})});
  }
  b.output(last);
  return b;
}

TEST(QuantisedPieces, have_the_types_that_the_runtime_knows) {
  const auto runtimes = real_runtimes();
  if (std::find(runtimes.begin(), runtimes.end(), "onnxruntime") == runtimes.end())
    GTEST_SKIP() << "no ONNX Runtime in this binary";
  const TestFolder folder;
  const auto path = folder.write("net.onnx", quantised_network().serialize());
  const OnnxModel model = read_onnx(path);
  const Graph graph = with_known_tensors(model);
  const auto cuts = find_cuts(graph);
  EXPECT_EQ(cuts.size(), 5u);
  const auto written = write_pieces(model, graph, cuts, {.folder = folder / "pieces"});
  const auto runtime = make_runtime("onnxruntime");
  Values there = generated_inputs(graph);
  const Values inputs = there;
  for (const auto& piece : written.models)
    for (auto& [name, value] : run_once(*runtime, piece, there)) there[name] = std::move(value);
  for (const auto& [name, wanted] : run_once(*runtime, path, inputs)) expect_close(there.at(name), wanted, 1e-5);
}

class LightNetworks : public PiecesOnRuntimes {};

TEST_P(LightNetworks, in_four_pieces_give_the_outputs_of_the_whole) {
  const auto path = sdk_dir() / "onnx/onnx/backend/test/data/light" / ("light_" + std::get<1>(GetParam()) + ".onnx");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  compare(path, 4);
}

INSTANTIATE_TEST_SUITE_P(All, LightNetworks,
                         testing::Combine(testing::ValuesIn(real_runtimes()), testing::ValuesIn(light_networks())),
                         [](const auto& named) { return std::get<0>(named.param) + "_" + std::get<1>(named.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LightNetworks);

/// The outputs of the pipeline's last stage, each stage on the next runtime.
std::vector<SharedTensor> run_pieces(const WrittenPieces& written, const std::vector<std::string>& runtimes,
                                     const std::vector<SharedTensor>& inputs) {
  PipelineSpec spec = read_pipeline(written.pipeline);
  for (std::size_t stage = 0; stage < spec.stages.size(); ++stage)
    spec.stages[stage].runtime = runtimes[stage % runtimes.size()];
  spec.batches = 3;
  std::vector<SharedTensor> outputs;
  EngineSettings settings;
  settings.make_inputs = [&](std::int64_t) { return inputs; };
  settings.take_outputs = [&](std::int64_t, const std::vector<SharedTensor>& given) { outputs = given; };
  const auto outcome = run_pipeline(spec, settings);
  EXPECT_FALSE(outcome.run.failure);
  return outputs;
}

TEST(PiecePipeline, gives_the_outputs_of_the_whole_model_on_two_runtimes_at_once) {
  const auto runtimes = real_runtimes();
  if (runtimes.empty()) GTEST_SKIP() << "no real runtime in this binary";
  for (const bool second_input : {false, true}) {
    const TestFolder folder;
    const auto path = folder.write("net.onnx", (second_input ? two_input_network() : skip_network()).serialize());
    const OnnxModel model = read_onnx(path);
    const Graph graph = with_known_tensors(model);
    const auto cuts = choose_cuts(graph, find_cuts(graph), {.pieces = 4});
    const auto written = write_pieces(
        model, graph, cuts,
        {.folder = folder / "pieces", .units = {{.precision = ElementType::f32}}, .input_shapes = shapes_for(graph)});
    const Values inputs = generated_inputs(graph);
    std::vector<SharedTensor> fed;
    for (const TensorId id : written.pieces[0].inputs)
      fed.push_back(std::make_shared<const HostTensor>(inputs.at(graph.tensor(id).name)));
    ASSERT_EQ(fed.size(), graph.inputs.size()) << "all are read by the first piece";
    const auto outputs = run_pieces(written, runtimes, fed);
    ASSERT_EQ(outputs.size(), 1u);
    HostTensor got = *outputs[0];
    expect_close(got, run_once(*make_runtime(runtimes[0]), path, inputs).at(second_input ? "end" : "pooled"), 1e-4);
  }
}

}  // namespace
}  // namespace takt
