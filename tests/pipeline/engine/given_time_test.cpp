// Stages that take a given time: they wait, or keep a thread busy, and hand on what they are given.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/basics/error.h"
#include "model/runtime/models.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/simulation.h"
#include "pipeline/record/run_check.h"
#include "pipeline/spec/stage_order.h"
#include "pipeline/stages/links.h"

namespace takt {
namespace {

using std::chrono::milliseconds;

PipelineSpec parsed(const std::string& text) { return parse_pipeline(text, "p.yaml"); }

PipelineRun run_really(const std::string& text) {
  auto outcome = run_pipeline(parsed(text));
  EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
  check(outcome.run, "run");
  return std::move(outcome.run);
}

const std::string two_calls =
    "batches: 12\nstages:\n  - {name: fetch, dummy: {wait: 10ms}, replicas: 3}\n"
    "  - {name: store, dummy: {wait: 4ms}}\n";

TEST(Waiting, takes_exactly_its_time_in_real_time_and_many_wait_at_once) {
  const auto made = run_really(two_calls);
  ASSERT_EQ(made.schedule.batches.size(), 12u);
  for (const auto& e : made.schedule.executions)
    EXPECT_EQ(e.end - e.start, e.what.stage == 0 ? milliseconds(10) : milliseconds(4));
  EXPECT_GE(made.schedule.end - made.schedule.begin, milliseconds(40)) << "three at once, no more";
  ASSERT_EQ(made.devices.size(), 1u);
  EXPECT_EQ(made.devices[0].name, "wait");
  EXPECT_EQ(made.devices[0].runtime, "takt");
  EXPECT_EQ(made.stages[0].model, "wait 10.0 ms");
  EXPECT_TRUE(made.counters.empty()) << "nothing computed, so nothing was counted";
}

TEST(Waiting, is_the_same_on_the_virtual_clock) {
  const auto made = simulate_pipeline(simulated(parsed(two_calls)));
  EXPECT_TRUE(made.virtual_clock);
  ASSERT_EQ(made.schedule.batches.size(), 12u);
  EXPECT_EQ(made.schedule.end - made.schedule.begin, milliseconds(10 + 12 * 4)) << "the second is the slower one";
  EXPECT_EQ(made.devices[0].name, "wait");
}

TEST(Waiting, is_bound_where_the_file_says_so) {
  const auto bound = simulate_pipeline(simulated(parsed("devices: {wait: {requests: 1}}\n" + two_calls)));
  EXPECT_EQ(bound.schedule.end - bound.schedule.begin, milliseconds(12 * 14));
}

TEST(Waiting, is_read_back_from_a_trace) {
  const auto made = simulate_pipeline(simulated(parsed(two_calls)));
  const auto back = read_pipeline_run(to_trace(made), "t");
  EXPECT_EQ(back.devices[0].name, "wait");
  EXPECT_EQ(back.devices[0].runtime, "takt");
  EXPECT_EQ(back.stages[1].model, "wait 4.00 ms");
  ASSERT_EQ(back.schedule.executions.size(), made.schedule.executions.size());
  for (std::size_t e = 0; e < back.schedule.executions.size(); ++e) {
    EXPECT_EQ(back.schedule.executions[e].start, made.schedule.executions[e].start);
    EXPECT_EQ(back.schedule.executions[e].end, made.schedule.executions[e].end);
  }
}

TEST(Waiting, longer_than_the_timeout_is_a_failure) {
  const auto outcome = run_pipeline(parsed("batches: 2\ntimeout: 50ms\nstages:\n  - {name: a, dummy: {wait: 1h}}\n"));
  ASSERT_TRUE(outcome.run.failure);
  EXPECT_NE(outcome.run.failure->find("p.yaml: stage 'a', batch 0: not completed after 50.0 ms"), std::string::npos)
      << *outcome.run.failure;
  EXPECT_FALSE(outcome.abandoned);
}

TEST(BusyThread, takes_at_least_its_time_and_computes_all_the_while) {
  const auto made = run_really("batches: 5\nstages:\n  - {name: decode, dummy: {time: 5ms}, device: CPU}\n");
  ASSERT_EQ(made.schedule.executions.size(), 5u);
  for (const auto& e : made.schedule.executions) EXPECT_GE(e.end - e.start, milliseconds(5));
  EXPECT_EQ(made.devices[0].name, "CPU");
  EXPECT_EQ(made.devices[0].runtime, "takt");
  EXPECT_EQ(made.stages[0].model, "busy 5.00 ms");
  EXPECT_EQ(made.stages[0].threads, 1);
  ASSERT_EQ(made.counters.size(), 5u);
  Nanoseconds worked{0};
  for (std::size_t e = 0; e < 5; ++e) {
    ASSERT_TRUE(made.counters[e].hardware);
    EXPECT_FALSE(made.counters[e].marshalling) << "nobody counted that";
    EXPECT_LE(*made.counters[e].hardware, made.schedule.executions[e].end - made.schedule.executions[e].start);
    worked += *made.counters[e].hardware;
  }
  EXPECT_GT(worked, Nanoseconds(0)) << "it had a processor";
}

TEST(BusyThread, takes_its_time_on_the_virtual_clock_as_a_simulated_device) {
  const auto spec = simulated(parsed("batches: 3\nstages:\n  - {name: a, dummy: {time: 5ms}, device: CPU}\n"));
  EXPECT_EQ(spec.stages[0].device, "sim:CPU");
  const auto made = simulate_pipeline(spec);
  for (const auto& e : made.schedule.executions) EXPECT_EQ(e.end - e.start, milliseconds(5));
  EXPECT_EQ(made.stages[0].model, "dummy");
}

// a → wait → fork of a wait and b → c: c gets values of b and, through both waits, of a.
TEST(HandingOn, later_stages_take_what_came_to_a_stage_that_computes_nothing) {
  const auto spec = parsed(
      "stages:\n  - {name: a, dummy: {matmul: 8}}\n  - {name: w, dummy: {wait: 1ms}}\n"
      "  - {name: v, dummy: {wait: 1ms}}\n  - {name: b, dummy: {matmul: 8}, after: w}\n"
      "  - {name: c, dummy: {matmul: 8}, after: [v, b]}\n");
  EXPECT_EQ(givers_of(spec, order_of(spec), 1), std::vector{0});
  EXPECT_EQ(givers_of(spec, order_of(spec), 3), std::vector{0});
  EXPECT_EQ(givers_of(spec, order_of(spec), 4), (std::vector{0, 3}));
  std::vector<StagePorts> ports(5);
  ports[0].outputs = {{"u", ElementType::f32, {}}};
  ports[3].outputs = {{"v", ElementType::f32, {}}};
  ports[4].inputs = {{"v", ElementType::f32, {}}, {"u", ElementType::f32, {}}};
  const auto links = links_into(spec, 4, ports);
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0].from, 3);
  EXPECT_EQ(links[1].from, 0);
}

class HandingOnReally : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto names = runtime_names();
    if (std::find(names.begin(), names.end(), GetParam()) == names.end())
      GTEST_SKIP() << GetParam() << " is not in this binary";
  }
};

// y = relu(x) waits, is decoded (nothing happens to it), and goes through relu again.
TEST_P(HandingOnReally, values_pass_waits_and_busy_threads_unharmed) {
  const TestFolder folder;
  folder.write("relu.onnx", open_batch().serialize());
  const std::string model = ", runtime: " + GetParam() + ", threads: 1";
  const auto file = folder.write(
      "p.yaml", "batches: 30\nstages:\n  - {name: first, model: relu.onnx, inputs: {x: \"{1,3}\"}" + model +
                    "}\n  - {name: hop, dummy: {wait: 2ms}, replicas: 4}\n"
                    "  - {name: decode, dummy: {time: 100us}, device: CPU}\n"
                    "  - {name: second, model: relu.onnx" +
                    model + "}\n");
  std::map<std::int64_t, std::vector<float>> seen;
  EngineSettings settings;
  settings.make_inputs = [](std::int64_t batch) {
    const auto b = static_cast<float>(batch);
    return std::vector<SharedTensor>{std::make_shared<HostTensor>(floats("x", {1, 3}, {b, -b, 2 * b}))};
  };
  settings.take_outputs = [&](std::int64_t batch, const std::vector<SharedTensor>& outputs) {
    seen[batch] = values_of(*outputs.at(0));
  };
  const auto outcome = run_pipeline(read_pipeline(file), settings);
  EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
  check(outcome.run, "run");
  ASSERT_EQ(seen.size(), 30u);
  for (const auto& [batch, values] : seen) {
    const auto b = static_cast<float>(batch);
    EXPECT_EQ(values, (std::vector<float>{b, 0, 2 * b})) << batch;
  }
  ASSERT_EQ(outcome.run.devices.size(), 2u);
  EXPECT_EQ(outcome.run.devices[0].runtime, GetParam() + "+takt") << "both ran on the CPU";
  EXPECT_EQ(outcome.run.devices[1].name, "wait");
  EXPECT_TRUE(outcome.notes.empty()) << "nothing is simulated: " << outcome.notes.front();
}

INSTANTIATE_TEST_SUITE_P(Runtimes, HandingOnReally, testing::Values("onnxruntime", "openvino"));

}  // namespace
}  // namespace takt
