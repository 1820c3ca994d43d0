// Stages measured in this process: what a sweep's child does.
#include "plan/sweep/stage_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
#include "plan/sweep/export.h"
#include "plan/sweep/stage_request.h"
#include "plan/sweep/work.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

constexpr std::int64_t features = 8;

bool has_runtime(const std::string& name) {
  const auto names = runtime_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Benches : public testing::Test {
 protected:
  StageTask task(int stage, const std::string& unit, const std::string& device, const std::string& runtime) {
    StageTask made;
    made.stage = {Network::sage, stage, stage};
    made.unit = unit, made.device = device, made.runtimes = {runtime};
    made.folder = folder_.path();
    made.features = features, made.warmup = 1, made.iterations = 3;
    return made;
  }
  void export_all() {
    const auto openvino = has_runtime("openvino") ? make_runtime("openvino") : nullptr;
    SweepCases cases;
    cases.sizes = {{10, 20}, {30, 60}};
    cases.features = features;
    export_models(stage_exports({Network::sage}, cases), {.folder = folder_.path(), .converter = openvino.get()});
  }

  TestFolder folder_;
};

// OpenVINO calls the inputs of these after what an Identity makes of them, once they are compiled.
TEST_F(Benches, ranges_that_begin_with_an_operator_that_does_nothing_are_measured) {
  if (!has_runtime("openvino")) GTEST_SKIP() << "no OpenVINO in this binary";
  SweepCases cases;
  cases.sizes = {{10, 20}};
  cases.features = features;
  auto exports = stage_exports({Network::sage}, cases, true);
  std::erase_if(exports, [](const StageExport& one) { return one.device != "CPU" || one.stage.first != 2; });
  ASSERT_EQ(exports.size(), 6u);
  const auto openvino = make_runtime("openvino");
  export_models(exports, {.folder = folder_.path(), .converter = openvino.get()});
  for (const StageExport& one : exports) {
    StageTask range = task(2, "CPU", "CPU", "openvino");
    range.stage = one.stage;
    const StageMeasurement row = StageBench(range).measure({10, 20});
    EXPECT_EQ(row.status, StageStatus::measured) << to_string(one.stage) << ": " << row.reason;
    EXPECT_EQ(row.runtime, "openvino");
  }
}

TEST_F(Benches, a_simulated_device_says_so_and_follows_its_description) {
  StageBench bench(task(1, "NPU", "sim:NPU", "sim"));
  const StageMeasurement row = bench.measure({10, 20});
  EXPECT_EQ(row.status, StageStatus::measured) << row.reason;
  EXPECT_EQ(to_string(row.key), "10,20,NPU,1");
  EXPECT_EQ(row.runtime, "sim");
  EXPECT_EQ(row.device, "sim:NPU");
  EXPECT_EQ(row.precision, "f16");
  EXPECT_EQ(row.times->samples.size(), 3u);
  EXPECT_GT(row.times->min.count(), 60);  // the overhead that its description has
  EXPECT_FALSE(row.inputs_copy);
}

// Every operator takes as long, whatever the size: only the noise differs.
TEST_F(Benches, a_simulated_device_has_new_noise_at_each_size_and_no_pauses_of_the_system) {
  folder_.write("even.yaml", "law: table\nops: {}\nunknown_op_ns: 50000\nnoise: {shape: lognormal, sigma: 0.1}\n");
  StageTask even = task(1, "NPU", "sim:" + (folder_.path() / "even").string(), "sim");
  even.iterations = 20;
  const auto samples_at = [&](const GraphSize& size) {
    const StageMeasurement row = StageBench(even).measure(size);
    EXPECT_EQ(row.status, StageStatus::measured) << row.reason;
    return row.times ? row.times->samples : std::vector<Nanoseconds>();
  };
  const auto small = samples_at({10, 20});
  EXPECT_EQ(small, samples_at({10, 20})) << "the same on any machine, however busy";
  EXPECT_NE(small, samples_at({30, 60}));
}

TEST_F(Benches, what_the_device_refuses_is_unsupported_with_its_reason) {
  for (const int stage : {3, 4}) {
    StageBench bench(task(stage, "NPU", "sim:NPU", "sim"));
    const StageMeasurement row = bench.measure({10, 20});
    EXPECT_EQ(row.status, StageStatus::unsupported);
    EXPECT_THAT(row.reason, HasSubstr("ScatterElements"));
    EXPECT_EQ(row.device, "");
    EXPECT_FALSE(row.times);
  }
}

TEST_F(Benches, a_device_that_is_not_there_is_a_failure_and_no_property_of_the_stage) {
  if (!has_runtime("openvino")) GTEST_SKIP() << "this binary lacks OpenVINO";
  export_all();
  StageBench bench(task(1, "NPU", "NPU.7", "openvino"));
  const StageMeasurement row = bench.measure({10, 20});
  EXPECT_EQ(row.status, StageStatus::failed);
  EXPECT_THAT(row.reason, HasSubstr("NPU.7"));
}

TEST_F(Benches, a_model_that_is_not_there_is_named) {
  if (!has_runtime("openvino")) GTEST_SKIP() << "this binary lacks OpenVINO";
  StageBench bench(task(1, "CPU", "CPU", "openvino"));
  const StageMeasurement row = bench.measure({10, 20});
  EXPECT_NE(row.status, StageStatus::measured);
  EXPECT_THAT(row.reason, HasSubstr("sage_stage1_cpu.xml"));
}

TEST_F(Benches, every_stage_runs_on_the_real_processor_at_sizes_that_change) {
  for (const std::string& runtime : {std::string("openvino"), std::string("onnxruntime")}) {
    if (!has_runtime(runtime)) continue;
    export_all();
    for (int stage = 1; stage <= 7; ++stage) {
      StageBench bench(task(stage, "CPU", "CPU", runtime));
      for (const GraphSize size : {GraphSize{10, 20}, GraphSize{30, 60}, GraphSize{7, 50}}) {
        const StageMeasurement row = bench.measure(size);
        ASSERT_EQ(row.status, StageStatus::measured) << runtime << " " << stage << ": " << row.reason;
        EXPECT_EQ(row.runtime, runtime);
        EXPECT_EQ(row.device, "CPU");
        EXPECT_EQ(row.precision, "f32");
        ASSERT_TRUE(row.outputs_copy);
        EXPECT_GT(row.outputs_copy->bytes, 0);
      }
    }
  }
}

TEST_F(Benches, a_request_computes_what_it_is_given_and_tells_what_went_wrong) {
  if (!has_runtime("onnxruntime")) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  export_all();
  const StageRange range{Network::sage, 1, 1};
  const auto runtime = make_runtime("onnxruntime");
  const auto session = runtime->open(folder_.path() / onnx_file(export_of(range, "CPU", {10, 20})), nullptr, {});
  auto inputs = stage_inputs(range, session->inputs(), edges_of({}, {10, 20}), features, 1);
  session->set_inputs(inputs);
  session->run();
  const auto outputs = session->outputs_of_last_run();
  StageRequest good(*session, inputs, outputs);
  EXPECT_GT(good.run().count(), 0);
  EXPECT_GT(good.run().count(), 0);  // into the same memory again
  for (HostTensor& input : inputs)
    if (input.name == "edge_index") std::fill_n(input.bytes.data(), input.bytes.size(), std::byte{0x11});
  StageRequest beyond_all_nodes(*session, inputs, outputs);
  EXPECT_THROW(beyond_all_nodes.run(), Error);
}

TEST(StageInputs, that_the_stage_does_not_have_are_refused) {
  EXPECT_THROW(
      stage_inputs({Network::sage, 1, 1}, {Port{"weather", ElementType::f32, {}}}, edges_of({}, {10, 20}), 4, 1),
      Error);
}

TEST_F(Benches, a_second_runtime_is_tried_only_where_it_was_asked_for_and_the_row_says_so) {
  if (!has_runtime("openvino") || !has_runtime("onnxruntime")) GTEST_SKIP() << "this binary lacks a runtime";
  export_all();
  std::filesystem::remove_all(folder_ / "exported_models/ir_models");
  StageTask only = task(5, "CPU", "CPU", "openvino");
  EXPECT_NE(StageBench(only).measure({10, 20}).status, StageStatus::measured);
  only.runtimes.push_back("onnxruntime");
  const StageMeasurement row = StageBench(only).measure({10, 20});
  EXPECT_EQ(row.status, StageStatus::measured) << row.reason;
  EXPECT_EQ(row.runtime, "onnxruntime");
}

TEST(StageInputs, fit_the_ports_of_every_range_of_every_network) {
  const EdgeList edges = edges_of({}, {5, 9});
  for (const Network network : all_networks)
    for (const StageRange& range : ranges_of(network)) {
      std::vector<Port> wanted;
      for (const StageTensor& tensor : ports_of(range).inputs)
        wanted.push_back(
            {std::string(tensor.name), tensor.holds == Holds::indices ? ElementType::i64 : ElementType::f16, {}});
      const auto inputs = stage_inputs(range, wanted, edges, features, 1);
      ASSERT_EQ(inputs.size(), wanted.size());
      for (const HostTensor& tensor : inputs) {
        std::size_t count = tensor.type == ElementType::i64 ? 8 : 2;
        for (const std::int64_t dim : tensor.shape) count *= static_cast<std::size_t>(dim);
        EXPECT_EQ(tensor.bytes.size(), count) << to_string(range) << " " << tensor.name;
      }
    }
}

TEST(SweepGraphs, are_of_the_kind_that_was_asked_for) {
  const GraphSize size{200, 4000};
  const auto most_at_one = [&](const std::string& kind) {
    std::vector<int> counts(200);
    for (const std::int64_t target : edges_of({kind, 1}, size).targets) ++counts[static_cast<std::size_t>(target)];
    return *std::max_element(counts.begin(), counts.end());
  };
  EXPECT_GT(most_at_one("power-law"), 3 * most_at_one("uniform"));
  const TestFolder folder;
  const auto file = folder.write("edges.csv", "0,1\n1,2\n2,2\n");
  EXPECT_EQ(edges_of({file.string(), 1}, size).edges(), 3);
}

TEST(Forecasts, are_of_the_stages_own_speed_once_one_row_of_it_is_done) {
  Forecast forecast;
  const StageRange first{Network::sage, 1, 1}, second{Network::sage, 2, 2};
  EXPECT_EQ(forecast.of(first, "CPU", 10).count(), 0);
  forecast.took(first, "CPU", 10, Duration(100));
  EXPECT_DOUBLE_EQ(forecast.of(first, "CPU", 20).count(), 200);
  EXPECT_DOUBLE_EQ(forecast.of(second, "CPU", 20).count(), 200);  // as the others
  forecast.took(second, "CPU", 10, Duration(300));
  EXPECT_DOUBLE_EQ(forecast.of(second, "CPU", 20).count(), 600);
  EXPECT_DOUBLE_EQ(forecast.of(first, "CPU", 20).count(), 200);
  EXPECT_DOUBLE_EQ(forecast.of(first, "GPU", 20).count(), 400);  // 400 us for 20 of work so far
}

TEST(Work, grows_with_the_graph_and_with_sums_over_edges) {
  const auto work = [](int stage, GraphSize size) { return guessed_work({Network::sage, stage, stage}, size, 500); };
  EXPECT_GT(work(1, {1000, 4000}), work(1, {1000, 2000}));
  EXPECT_GT(work(3, {1000, 4000}), work(2, {1000, 4000}));
  EXPECT_GT(work(6, {2000, 2000}), work(7, {2000, 2000}));
}

}  // namespace
}  // namespace takt
