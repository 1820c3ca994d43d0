// The pipeline of a model's pieces: a file that a pipeline is made of, with each input connected to who makes it.
#include "pipeline/stages/model_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "model/runtime/runtime.h"
#include "pipeline/engine/piece_models.h"
#include "pipeline/engine/simulation.h"
#include "pipeline/spec/pipeline_spec.h"
#include "pipeline/spec/stage_order.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// Writes the network and parts it everywhere across at most `most` tensors.
class ModelPieces : public testing::Test {
 protected:
  WrittenPieces part(const ModelBuilder& network, std::size_t most, PieceSettings settings = {}) {
    const OnnxModel model = read_onnx(folder_.write("net.onnx", network.serialize()));
    const Graph graph = with_known_tensors(model);
    settings.folder = folder_ / "new/pieces";
    return write_pieces(model, graph, find_cuts(graph, most), settings);
  }

  TestFolder folder_;
};

const std::string odd_name = "b \"quoted\": {#}";

/// x → a → b → y, where y also reads a and the mask, which b reads too.
ModelBuilder small_network() {
  ModelBuilder b("small");
  b.symbolic_input("x", ElementType::f32, "n,4");
  b.symbolic_input("mask", ElementType::f32, "n,4");
  b.node("Relu", {"x"}, {}, {.outputs = {"a"}});
  b.node("Add", {"a", "mask"}, {}, {.outputs = {odd_name}});
  b.node("Sum", {odd_name, "a", "mask"}, {}, {.outputs = {"y"}});
  b.output("y");
  return b;
}

TEST_F(ModelPieces, are_stages_that_are_connected_by_what_they_make) {
  const auto written = part(small_network(), 3, {.units = {{"CPU"}, {"sim:GPU"}}, .input_shapes = {{"mask", {2, 4}}}});
  EXPECT_EQ(written.pipeline.filename(), "net_pieces.yaml");
  const PipelineSpec spec = read_pipeline(written.pipeline);
  ASSERT_EQ(spec.stages.size(), 3u);
  EXPECT_EQ(spec.name, "net_pieces");
  EXPECT_EQ(spec.stages[0].device, "CPU");
  EXPECT_EQ(spec.stages[1].device, "sim:GPU");
  EXPECT_EQ(spec.stages[2].device, "sim:GPU") << "the last device has the rest";
  EXPECT_EQ(spec.stages[2].model, written.models[2]);
  EXPECT_THAT(spec.stages[0].connect, IsEmpty());
  EXPECT_THAT(spec.stages[1].connect, ElementsAre(Pair("a", "piece1.a")));
  EXPECT_THAT(spec.stages[2].connect,
              ElementsAre(Pair("a", "piece1.a"), Pair(odd_name, "piece2." + odd_name), Pair("mask", "piece2.mask")));
  EXPECT_THAT(spec.stages[0].inputs, IsEmpty()) << "no mask there";
  EXPECT_THAT(spec.stages[1].inputs, ElementsAre(Pair("mask", "{2,4}")));
  EXPECT_THAT(spec.stages[2].inputs, IsEmpty()) << "the second piece hands it on";
  EXPECT_THAT(order_of(spec), ElementsAre(ElementsAre(), ElementsAre(0), ElementsAre(1)));
}

TEST_F(ModelPieces, are_fed_one_by_one_where_no_input_is_to_be_handed_on) {
  const auto written = part(small_network(), 3, {.input_shapes = {{"mask", {2, 4}}}, .hand_on_inputs = false});
  const PipelineSpec spec = read_pipeline(written.pipeline);
  EXPECT_THAT(spec.stages[1].inputs, ElementsAre(Pair("mask", "{2,4}")));
  EXPECT_THAT(spec.stages[2].inputs, ElementsAre(Pair("mask", "{2,4}")));
  EXPECT_THAT(spec.stages[2].connect, ElementsAre(Pair("a", "piece1.a"), Pair(odd_name, "piece2." + odd_name)));
  const Graph second = read_onnx(written.models[1]).graph;
  EXPECT_EQ(second.outputs.size(), 1u);
}

TEST_F(ModelPieces, that_do_not_touch_run_side_by_side) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {4});
  b.input("z", ElementType::f32, {4});
  b.output(b.node("Relu", {"x"}));
  b.output(b.node("Exp", {"z"}));
  const PipelineSpec spec = read_pipeline(part(b, 1).pipeline);
  EXPECT_THAT(order_of(spec), ElementsAre(ElementsAre(), ElementsAre()));
}

TEST_F(ModelPieces, run_as_a_pipeline_of_simulated_devices) {
  if (runtime_names() == std::vector<std::string>{"sim"}) GTEST_SKIP() << "shapes within a model come from a runtime";
  for (const auto& [name, build] : piece_models()) {
    const auto written = part(build(), 3, {.units = {{"sim:CPU"}, {"sim:GPU"}, {"sim:NPU"}}});
    PipelineSpec spec = read_pipeline(written.pipeline);
    spec.batches = 5;
    const auto run = simulate_pipeline(spec);
    EXPECT_EQ(run.schedule.batches.size(), 5u) << name;
    EXPECT_EQ(run.schedule.executions.size(), 5 * written.models.size()) << name;
  }
}

TEST_F(ModelPieces, are_read_back_as_models_whose_operators_are_those_of_the_whole) {
  for (const auto& [name, build] : piece_models()) {
    const auto written = part(build(), 3);
    std::size_t ops = 0;
    for (const auto& path : written.models) ops += read_onnx(path).graph.ops.size();
    EXPECT_EQ(ops, build().build().graph.ops.size()) << name;
  }
}

TEST_F(ModelPieces, wrong_devices_and_inputs_are_refused) {
  EXPECT_THROW(part(small_network(), 3, {.units = {}}), Error);
  try {
    part(small_network(), 1, {.units = std::vector<PieceUnit>(4)});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot run on 4 devices"));
  }
  const OnnxModel model = read_onnx(folder_.write("net.onnx", small_network().serialize()));
  EXPECT_THROW(with_known_tensors(model, {{"nothing", {1}}}), Error);
}

TEST_F(ModelPieces, are_written_into_a_folder_that_can_be_made) {
  folder_.write("new", "a file");
  try {
    part(small_network(), 2, {.units = {{"sim:CPU"}}});
    ADD_FAILURE() << "written";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot make the folder "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace takt
