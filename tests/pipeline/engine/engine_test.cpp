#include "pipeline/engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "measure/run/fake_session.h"
#include "model/runtime/models.h"
#include "pipeline/engine/engine_run.h"

namespace takt {
namespace {

using std::chrono::milliseconds;

/// What holds in every run, whoever made it.
void expect_consistent(const PipelineRun& run) {
  const auto& schedule = run.schedule;
  ASSERT_EQ(schedule.visits.size(), schedule.batches.size() * run.stages.size());
  for (const auto& e : schedule.executions) {
    ASSERT_LE(e.ready, e.start);
    ASSERT_LE(e.start, e.end);
  }
  for (const auto& v : schedule.visits) {
    ASSERT_LE(v.entered, v.started);
    ASSERT_LE(v.started, v.dispatched);
    ASSERT_LE(v.dispatched, v.joined);
    ASSERT_LE(v.joined, v.done);
    ASSERT_LE(v.done, v.left);
  }
  for (const auto& b : schedule.batches) {
    ASSERT_LE(b.arrived, b.admitted);
    ASSERT_LT(b.admitted, b.delivered);
    ASSERT_LE(b.delivered, schedule.end);
  }
  if (!run.counters.empty()) {
    ASSERT_EQ(run.counters.size(), schedule.executions.size());
  }
}

PipelineRun run(const std::string& text) {
  auto outcome = run_pipeline(parse_pipeline(text, "p.yaml"));
  EXPECT_FALSE(outcome.abandoned);
  expect_consistent(outcome.run);
  return std::move(outcome.run);
}

TEST(Engine, simulated_stages_take_real_time_and_overlap) {
  const auto made =
      run("batches: 20\nstages:\n  - {name: a, dummy: {time: 5ms}, device: sim:CPU}\n"
          "  - {name: b, dummy: {time: 8ms}, device: sim:GPU}\n  - {name: c, dummy: {time: 5ms}, device: sim:NPU}\n");
  ASSERT_EQ(made.schedule.batches.size(), 20u);
  EXPECT_FALSE(made.failure);
  EXPECT_TRUE(made.base_time);
  const auto& batches = made.schedule.batches;
  EXPECT_GE(batches.back().delivered - batches.front().admitted, 20 * milliseconds(8)) << "as its slowest stage alone";
  for (const auto& e : made.schedule.executions)
    EXPECT_EQ(e.end - e.start, e.what.stage == 1 ? milliseconds(8) : milliseconds(5)) << "the device's own time";
}

TEST(Engine, contention_stretches_simulated_stages_in_real_time_too) {
  const auto made =
      run("batches: 6\nin_flight: 2\ncontention: {interference: {b: {a: 2}}}\nstages:\n"
          "  - {name: a, dummy: {time: 20ms}, device: sim:CPU}\n  - {name: b, dummy: {time: 20ms}, device: sim:GPU}\n");
  Nanoseconds longest{0};
  for (const auto& e : made.schedule.executions)
    if (e.what.stage == 1) longest = std::max(longest, e.end - e.start);
  EXPECT_GT(longest, milliseconds(25)) << "b runs beside a";
  EXPECT_LE(longest, milliseconds(40));
}

TEST(Engine, an_open_source_keeps_its_rate_and_a_duration_ends) {
  const auto made =
      run("duration: 200ms\nsource: 100/s\nstages:\n  - {name: a, dummy: {time: 1ms}, device: sim:CPU}\n");
  ASSERT_EQ(made.schedule.batches.size(), 20u);
  for (std::size_t b = 0; b < 20; ++b) EXPECT_EQ(made.schedule.batches[b].arrived, milliseconds(10 * b));
  const auto closed = run("duration: 50ms\nstages:\n  - {name: a, dummy: {time: 5ms}, device: sim:CPU}\n");
  EXPECT_GE(closed.schedule.batches.size(), 1u);
}

TEST(Engine, a_hanging_stage_ends_the_run_and_is_named) {
  const auto made =
      run("batches: 5\ntimeout: 500ms\nstages:\n  - {name: a, dummy: {time: 1ms}, device: sim:CPU}\n"
          "  - {name: b, dummy: {time: 1h}, device: sim:GPU}\n");
  EXPECT_EQ(made.failure,
            "p.yaml: stage 'b', batch 0: not completed after 500 ms; raise 'timeout', or check the device");
  EXPECT_TRUE(made.interrupted);
  EXPECT_TRUE(made.schedule.batches.empty());
}

TEST(Engine, an_interrupt_keeps_what_was_delivered) {
  std::atomic<bool> stop{false};
  EngineSettings settings;
  settings.stop = &stop;
  settings.progress = [&](std::int64_t delivered, std::int64_t) { stop = stop || delivered >= 3; };
  const auto outcome = run_pipeline(
      parse_pipeline("batches: 10000\nstages:\n  - {name: a, dummy: {time: 5ms}, device: sim:CPU}\n", "p.yaml"),
      settings);
  EXPECT_TRUE(outcome.run.interrupted);
  EXPECT_FALSE(outcome.run.failure);
  EXPECT_GE(outcome.run.schedule.batches.size(), 3u);
  EXPECT_LT(outcome.run.schedule.batches.size(), 1000u);
  expect_consistent(outcome.run);
}

TEST(Engine, many_short_simulated_stages_keep_the_rules) {
  std::string text = "batches: 300\nin_flight: 20\nstages:\n";
  for (int s = 0; s < 6; ++s)
    text += "  - {name: s" + std::to_string(s) + ", dummy: {time: " + std::to_string(20 + 30 * (s % 3)) +
            "us}, device: sim:" + (s % 2 ? "CPU" : "GPU") + ", replicas: 2, ordered: " + (s % 3 ? "true" : "false") +
            "}\n";
  const auto made = run(text);
  EXPECT_EQ(made.schedule.batches.size(), 300u);
}

/// Never comes back, until it is told to.
class HangingRequest : public Request {
 public:
  std::int64_t set_input(std::size_t, SharedTensor) override { return 0; }
  std::vector<HostTensor> outputs() override { return {}; }
  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)> done) override { done_ = done; }
  void wait() override {}
  void come_back() { done_(steady_now(), std::nullopt); }

 private:
  std::function<void(Nanoseconds, std::optional<std::string>)> done_;
};

class HangingSession : public FakeSession {
 public:
  std::unique_ptr<Request> make_request() override {
    auto made = std::make_unique<HangingRequest>();
    request = made.get();
    return made;
  }
  HangingRequest* request = nullptr;
};

TEST(Engine, a_runtime_that_never_comes_back_hangs_nobody_and_may_come_back_late) {
  const auto spec =
      parse_pipeline("batches: 5\ntimeout: 50ms\nstages:\n  - {name: a, dummy: {matmul: 8}, device: CPU}\n", "p.yaml");
  auto session = std::make_unique<HangingSession>();
  auto* const hanging = session.get();
  StageExecutorSettings settings;
  settings.counters = settings.outputs = false;
  std::vector<OpenedStage> stages(1);
  stages[0].runtimes = {"fake"};
  stages[0].replicas.push_back(executor_over(nullptr, std::move(session), settings));
  SimulatedTimes times(spec);
  EngineSettings engine_settings;
  EngineRun engine(spec, engine_settings, times, flow_shape(spec), std::move(stages));
  PipelineRun made;
  EXPECT_FALSE(engine.run(made)) << "something is still in flight";
  EXPECT_EQ(made.failure,
            "p.yaml: stage 'a', batch 0: not completed after 50.0 ms; raise 'timeout', or check the device");
  hanging->request->come_back();
}

class RealEngine : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto names = runtime_names();
    if (std::find(names.begin(), names.end(), GetParam()) == names.end()) GTEST_SKIP() << "not in this binary";
  }
  /// y = Relu(x + by).
  static std::string adder(float by, const std::string& in, const std::string& out,
                           const std::string& dims = "rows,2") {
    ModelBuilder b;
    const auto x = b.symbolic_input(in, ElementType::f32, dims);
    const auto sum = b.node("Add", {x, b.floats({by}, {1})}, {}, {"add", "", {"s"}, {}});
    b.output(b.node("Relu", {sum}, {}, {"relu", "", {out}, {}}));
    return b.serialize();
  }
  PipelineOutcome run_file(const std::string& text, const EngineSettings& settings = {}) {
    return run_pipeline(read_pipeline(folder_.write("p.yaml", text)), settings);
  }
  /// Batch b is the pair (b, -b).
  EngineSettings numbered(std::map<std::int64_t, std::vector<float>>& seen, std::int64_t rows = 1) {
    EngineSettings settings;
    settings.make_inputs = [rows](std::int64_t batch) {
      std::vector<float> values;
      for (std::int64_t r = 0; r < rows; ++r) {
        values.push_back(static_cast<float>(batch + r));
        values.push_back(static_cast<float>(-batch));
      }
      return std::vector<SharedTensor>{std::make_shared<HostTensor>(floats("x", {rows, 2}, values))};
    };
    settings.take_outputs = [&seen](std::int64_t batch, const std::vector<SharedTensor>& outputs) {
      seen[batch] = values_of(*outputs.at(0));
    };
    return settings;
  }
  TestFolder folder_;
};

TEST_P(RealEngine, tensors_are_handed_from_stage_to_stage) {
  folder_.write("a.onnx", adder(1, "x", "u"));
  folder_.write("b.onnx", adder(10, "v", "w"));  // in order: no name fits
  folder_.write("c.onnx", adder(100, "p", "y"));
  const std::string runtime = ", runtime: " + GetParam();
  std::map<std::int64_t, std::vector<float>> seen;
  const auto outcome = run_file("batches: 40\nstages:\n  - {name: a, model: a.onnx, inputs: {x: \"{1,2}\"}" + runtime +
                                    "}\n  - {name: b, model: b.onnx, replicas: 2" + runtime +
                                    "}\n  - {name: c, model: c.onnx, connect: {p: b.w}" + runtime + "}\n",
                                numbered(seen));
  EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
  expect_consistent(outcome.run);
  ASSERT_EQ(seen.size(), 40u);
  for (const auto& [batch, values] : seen) {
    const auto b = static_cast<float>(batch);
    EXPECT_EQ(values, (std::vector<float>{b + 111, std::max(1 - b, 0.0f) + 110})) << batch;
  }
  EXPECT_FALSE(outcome.run.stages[1].copies_input);
  EXPECT_EQ(outcome.run.stages[1].input_bytes, 8);
  ASSERT_FALSE(outcome.run.counters.empty());
  EXPECT_EQ(outcome.run.counters[0].bytes_moved, 0) << "nothing had to be copied";
  EXPECT_EQ(outcome.run.devices[0].runtime, GetParam());
}

TEST_P(RealEngine, floats_change_their_type_between_stages_of_different_precision) {
  folder_.write("a.onnx", adder(1, "x", "u"));
  ModelBuilder b;  // takes halves and gives halves
  const auto u = b.symbolic_input("u", ElementType::f16, "rows,2");
  const auto wide = b.node("Cast", {u}, {{"to", std::int64_t{1}}});
  const auto sum = b.node("Add", {wide, b.floats({0.25f}, {1})});
  b.output(b.node("Cast", {sum}, {{"to", std::int64_t{10}}}, {"cast", "", {"v"}, {}}));
  folder_.write("b.onnx", b.serialize());
  folder_.write("c.onnx", adder(100, "v", "y"));
  const std::string runtime = ", runtime: " + GetParam() + "}\n";
  std::map<std::int64_t, std::vector<float>> seen;
  const auto outcome = run_file("batches: 12\nstages:\n  - {name: a, model: a.onnx, inputs: {x: \"{1,2}\"}" + runtime +
                                    "  - {name: b, model: b.onnx" + runtime + "  - {name: c, model: c.onnx" + runtime,
                                numbered(seen));
  EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
  expect_consistent(outcome.run);
  ASSERT_EQ(seen.size(), 12u);
  for (const auto& [batch, values] : seen) EXPECT_EQ(values[0], static_cast<float>(batch) + 101.25f) << batch;
  std::int64_t copied = 0;
  for (const CopySpan& copy : outcome.run.copies)
    if (!copy.of_outputs && copy.stage > 0) copied += copy.bytes;
  EXPECT_GE(copied, 12 * (4 + 8)) << "two halves into b, two floats into c";
}

TEST_P(RealEngine, a_split_stage_gives_the_undivided_result) {
  folder_.write("a.onnx", adder(1, "x", "u", "rows,2"));
  folder_.write("b.onnx", adder(10, "u", "y", "rows,2"));
  std::map<std::int64_t, std::vector<float>> seen;
  const auto outcome =
      run_file("batches: 20\nstages:\n  - {name: a, model: a.onnx, inputs: {x: \"{7,2}\"}, runtime: " + GetParam() +
                   "}\n  - {name: b, model: b.onnx, runtime: " + GetParam() +
                   ", split: {devices: [CPU, CPU], ratio: [0.7, 0.3], verify: true}, replicas: 2}\n",
               numbered(seen, 7));
  EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
  expect_consistent(outcome.run);
  ASSERT_EQ(seen.size(), 20u);
  for (const auto& [batch, values] : seen)
    for (std::size_t r = 0; r < 7; ++r) {
      EXPECT_EQ(values[2 * r], static_cast<float>(batch) + static_cast<float>(r) + 11);
      EXPECT_EQ(values[2 * r + 1], std::max(1 - static_cast<float>(batch), 0.0f) + 10);
    }
  const auto parts = std::count_if(outcome.run.schedule.executions.begin(), outcome.run.schedule.executions.end(),
                                   [](const auto& e) { return e.what.stage == 1 && e.what.device >= 0; });
  EXPECT_EQ(parts, 40);
}

TEST_P(RealEngine, a_stage_that_cannot_be_divided_is_refused) {
  ModelBuilder b;  // Softmax over the rows mixes them
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,2");
  b.output(b.node("Softmax", {x}, {{"axis", std::int64_t{0}}}, {"softmax", "", {"y"}, {}}));
  folder_.write("s.onnx", b.serialize());
  try {
    run_file("stages:\n  - name: s\n    model: s.onnx\n    inputs: {x: \"{4,2}\"}\n    runtime: " + GetParam() +
             "\n    split: {devices: [CPU, CPU], ratio: [0.5, 0.5], verify: true}\n");
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("p.yaml:2: stages[0] 's': the stage cannot be split along axis 0: output 'y' differs at"),
              std::string::npos)
        << what;
  }
}

TEST_P(RealEngine, shapes_that_do_not_fit_are_named_before_anything_runs) {
  folder_.write("a.onnx", adder(1, "x", "u"));
  folder_.write("b.onnx", adder(1, "u", "y", "rows,3"));
  try {
    run_file("stages:\n  - {name: a, model: a.onnx, inputs: {x: \"{1,2}\"}, runtime: " + GetParam() +
             "}\n  - {name: b, model: b.onnx, runtime: " + GetParam() + "}\n");
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("p.yaml:3: stages[1] 'b': input 'u' takes float32 {rows,3}, but 'a.u' gives float32 {1,2}"),
              std::string::npos)
        << what;
  }
}

TEST_P(RealEngine, a_stage_that_fails_stops_the_pipeline_with_stage_and_batch_named) {
  ModelBuilder b;  // Gather takes the row that the batch's number says, and there are three
  const auto i = b.symbolic_input("i", ElementType::i64, "count");
  b.output(b.node("Gather", {b.floats({1, 2, 3}, {3}), i}, {}, {"gather", "", {"y"}, {}}));
  folder_.write("g.onnx", b.serialize());
  EngineSettings settings;
  settings.make_inputs = [](std::int64_t batch) {
    auto value = std::make_shared<HostTensor>(HostTensor{"i", ElementType::i64, {1}, {}, {}});
    const std::int64_t index = batch;
    value->bytes.resize(8);
    std::memcpy(value->bytes.data(), &index, 8);
    return std::vector<SharedTensor>{value};
  };
  const auto outcome = run_file(
      "batches: 10\nin_flight: 1\nstages:\n  - {name: g, model: g.onnx, inputs: {i: \"{1}\"}, "
      "runtime: " +
          GetParam() + "}\n",
      settings);
  if (GetParam() == "openvino") return;  // its Gather reads zero beyond the end
  ASSERT_TRUE(outcome.run.failure);
  EXPECT_NE(outcome.run.failure->find("p.yaml: stage 'g', batch 3: "), std::string::npos) << *outcome.run.failure;
  EXPECT_EQ(outcome.run.schedule.batches.size(), 3u);
  EXPECT_FALSE(outcome.abandoned);
}

INSTANTIATE_TEST_SUITE_P(All, RealEngine, testing::Values("onnxruntime", "openvino"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace takt
