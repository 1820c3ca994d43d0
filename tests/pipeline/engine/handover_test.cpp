// Tensors on their way through a pipeline: without a copy, on and between the runtimes, and never torn, whatever runs
// beside them, however long somebody holds them. Every batch has values of its own, and every element of every batch is
// looked at.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/basics/error.h"
#include "model/runtime/models.h"
#include "pipeline/engine/engine.h"
#include "pipeline/record/run_check.h"

namespace takt {
namespace {

using RuntimePair = std::tuple<std::string, std::string>;

constexpr std::int64_t rows = 24, columns = 1000;

class Handover : public testing::TestWithParam<RuntimePair> {
 protected:
  void SetUp() override {
    const auto names = runtime_names();
    for (const auto& wanted : {std::get<0>(GetParam()), std::get<1>(GetParam())})
      if (std::find(names.begin(), names.end(), wanted) == names.end())
        GTEST_SKIP() << wanted << " is not in this binary";
    folder_.write("plus.onnx", plus("x", "u", 1));
    folder_.write("more.onnx", plus("u", "v", 10));
    folder_.write("last.onnx", plus("v", "y", 100));
  }

  /// out = in + by: one fused loop, which a runtime could write over its input with.
  static std::string plus(const std::string& in, const std::string& out, float by) {
    ModelBuilder b;
    const auto x = b.symbolic_input(in, ElementType::f32, "rows,1000");
    b.output(b.node("Add", {x, b.floats({by}, {1})}, {}, {"add", "", {out}, {}}));
    return b.serialize();
  }

  static float first_of(std::int64_t batch) { return static_cast<float>(batch * 7); }

  EngineSettings settings() {
    EngineSettings settings;
    settings.make_inputs = [](std::int64_t batch) {
      std::vector<float> values(static_cast<std::size_t>(rows * columns));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = first_of(batch) + static_cast<float>(i % 13);
      return std::vector<SharedTensor>{std::make_shared<HostTensor>(floats("x", {rows, columns}, values))};
    };
    settings.take_outputs = [this](std::int64_t batch, const std::vector<SharedTensor>& outputs) {
      delivered_[batch] = outputs.at(0);
      if (!holds_all_ && batch >= 3) delivered_.erase(delivered_.begin());
      check(batch, *outputs.at(0));
    };
    return settings;
  }

  void check(std::int64_t batch, const HostTensor& value) {
    ASSERT_EQ(value.shape, (Shape{rows, columns}));
    const auto values = values_of(value);
    ++checked_;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != first_of(batch) + static_cast<float>(i % 13) + added_) {
        ++wrong_;
        ADD_FAILURE() << "batch " << batch << ", element " << i << ": " << values[i];
        return;
      }
  }

  PipelineRun run(const std::string& yaml) {
    const auto [a, b] = GetParam();
    std::string text = yaml;
    for (const auto& [word, name] : {std::pair{"$A", a}, std::pair{"$B", b}})
      for (auto place = text.find(word); place != std::string::npos; place = text.find(word))
        text.replace(place, 2, name);
    auto outcome = run_pipeline(read_pipeline(folder_.write("p.yaml", text)), settings());
    EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
    takt::check(outcome.run, "run");
    return std::move(outcome.run);
  }

  static std::int64_t moved(const PipelineRun& run) {
    std::int64_t bytes = 0;
    for (const auto& counters : run.counters) bytes += counters.bytes_moved.value_or(0);
    return bytes;
  }

  void expect_all_and_no_copies(const PipelineRun& run, int batches) {
    EXPECT_EQ(checked_, batches);
    EXPECT_EQ(wrong_, 0);
    EXPECT_EQ(moved(run), 0);
    EXPECT_TRUE(run.copies.empty());
    ASSERT_FALSE(run.counters.empty()) << "0 is a measurement";
    for (const auto& stage : run.stages) EXPECT_FALSE(stage.copies_input);
    for (const auto& [batch, value] : delivered_) check(batch, *value);
    EXPECT_EQ(wrong_, 0) << "what somebody holds stays as it was";
  }

  TestFolder folder_;
  std::map<std::int64_t, SharedTensor> delivered_;
  float added_ = 111;
  bool holds_all_ = false;
  int checked_ = 0, wrong_ = 0;
};

const std::string three_stages =
    "stages:\n  - {name: a, model: plus.onnx, inputs: {x: \"{24,1000}\"}, runtime: $A, threads: 1}\n"
    "  - {name: b, model: more.onnx, runtime: $B, threads: 1}\n  - {name: c, model: last.onnx, runtime: $A, threads: "
    "1}\n";

// u = x + 1 goes two ways; y = (u + 10) + (u + 100): each value twice, 112 added.
TEST_P(Handover, values_go_along_both_ways_of_a_fork_and_meet_again) {
  ModelBuilder b;
  const auto v = b.symbolic_input("v", ElementType::f32, "rows,1000");
  const auto w = b.symbolic_input("w", ElementType::f32, "rows,1000");
  const auto half =
      b.node("Mul", {b.node("Sub", {b.node("Add", {v, w}), b.floats({112}, {1})}), b.floats({0.5f}, {1})});
  b.output(b.node("Add", {half, b.floats({111}, {1})}, {}, {"add", "", {"y"}, {}}));
  folder_.write("meet.onnx", b.serialize());
  folder_.write("left.onnx", plus("u", "v", 10));
  folder_.write("right.onnx", plus("u", "w", 100));
  holds_all_ = true;
  const auto record =
      run("batches: 60\nqueue: 2\nstages:\n"
          "  - {name: a, model: plus.onnx, inputs: {x: \"{24,1000}\"}, runtime: $A, threads: 1}\n"
          "  - {name: b, model: left.onnx, runtime: $B, threads: 1}\n"
          "  - {name: c, model: right.onnx, runtime: $A, threads: 1, after: a}\n"
          "  - {name: d, model: meet.onnx, runtime: $B, threads: 1, after: [b, c]}\n");
  EXPECT_EQ(record.shape.stages[3].after, (std::vector{1, 2}));
  expect_all_and_no_copies(record, 60);
}

TEST_P(Handover, of_models_whose_sizes_stay_open_goes_without_a_copy_too) {
  std::string text = "batches: 60\nqueue: 2\n" + three_stages;
  for (auto at = text.find("threads: 1"); at != std::string::npos; at = text.find("threads: 1", at + 20))
    text.replace(at, 10, "threads: 1, open_shapes: true");
  expect_all_and_no_copies(run(text), 60);
}

// Its outputs have memory of one size.
TEST_P(Handover, a_stage_whose_sizes_stay_open_refuses_batches_of_other_sizes_than_the_first) {
  StageExecutorSettings how;
  how.runtime = std::get<0>(GetParam()), how.inputs = {"x:{24,1000}"}, how.open_shapes = true;
  StageExecutor executor(folder_.path() / "plus.onnx", how);
  EXPECT_FALSE(executor.inputs().at(0).shape.at(0).value);
  std::vector<SharedTensor> outputs;
  executor.set_callback([&](const StageResult& result) {
    ASSERT_FALSE(result.error) << *result.error;
    outputs.push_back(result.outputs.at(0));
  });
  const auto start = [&](std::int64_t batch, std::int64_t height) {
    const std::vector<float> values(static_cast<std::size_t>(height * columns), static_cast<float>(height));
    executor.start_async(batch, {{0, std::make_shared<HostTensor>(floats("x", {height, columns}, values))}});
    executor.wait();
  };
  start(0, 24);
  for (const std::int64_t height : {300, 1, 25}) try {
      start(1, height);
      ADD_FAILURE() << height << " rows were taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("but the first batch had {24,1000}"), std::string::npos) << error.what();
    }
  start(2, 24);
  ASSERT_EQ(outputs.size(), 2u);
  for (const SharedTensor& output : outputs) EXPECT_EQ(values_of(*output).at(23'999), 25);
}

// Else a producer would need a second piece of memory for each of its batches, and two do not fit a cache that one
// does.
TEST_P(Handover, a_value_is_let_go_when_the_outputs_are_there_and_kept_where_that_is_asked_for) {
  for (const bool keeps : {false, true}) {
    StageExecutorSettings how;
    how.runtime = std::get<0>(GetParam()), how.inputs = {"x:{24,1000}"}, how.keeps_inputs = keeps;
    StageExecutor executor(folder_.path() / "plus.onnx", how);
    std::vector<std::vector<float>> outputs;
    executor.set_callback([&](const StageResult& result) {
      ASSERT_FALSE(result.error) << *result.error;
      outputs.push_back(values_of(*result.outputs.at(0)));
    });
    const SharedTensor given = std::make_shared<HostTensor>(
        floats("x", {rows, columns}, std::vector<float>(static_cast<std::size_t>(rows * columns), 5)));
    const StageExecutor::InputValues none, one{{0, given}};
    for (const auto* values : {&none, &one, &none}) {
      executor.start_async(static_cast<std::int64_t>(outputs.size()), *values);
      executor.wait();
    }
    ASSERT_EQ(outputs.size(), 3u);
    EXPECT_EQ(outputs[1].at(17), 6);
    EXPECT_EQ(outputs[2], outputs[keeps ? 1 : 0]);
    EXPECT_EQ(given.use_count(), keeps ? 3 : 2) << "one of them is the test's list";
  }
}

TEST_P(Handover, all_stages_in_front_of_the_sink_give_their_outputs) {
  folder_.write("left.onnx", plus("u", "v", 110));
  auto engine = settings();
  int deliveries = 0;
  engine.take_outputs = [&](std::int64_t batch, const std::vector<SharedTensor>& outputs) {
    ++deliveries;
    ASSERT_EQ(outputs.size(), 2u);
    check(batch, *outputs[0]);
    check(batch, *outputs[1]);
  };
  const auto [a, b] = GetParam();
  const auto outcome = run_pipeline(
      read_pipeline(folder_.write(
          "p.yaml", "batches: 20\nstages:\n  - {name: a, model: plus.onnx, inputs: {x: \"{24,1000}\"}, runtime: " + a +
                        ", threads: 1}\n  - {name: b, model: left.onnx, runtime: " + b +
                        ", threads: 1}\n  - {name: c, model: left.onnx, runtime: " + a + ", threads: 1, after: a}\n")),
      engine);
  EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
  EXPECT_EQ(deliveries, 20);
  EXPECT_EQ(wrong_, 0);
}

TEST_P(Handover, nothing_is_copied_in_lock_step) {
  expect_all_and_no_copies(run("batches: 60\nin_flight: 1\n" + three_stages), 60);
}

TEST_P(Handover, nothing_is_copied_and_nothing_torn_where_stages_overlap) {
  expect_all_and_no_copies(run("batches: 400\nqueue: 3\n" + three_stages), 400);
}

TEST_P(Handover, what_is_delivered_may_be_held_for_ever) {
  holds_all_ = true;
  expect_all_and_no_copies(run("batches: 80\n" + three_stages), 80);
  EXPECT_EQ(delivered_.size(), 80u);
}

TEST_P(Handover, replicas_out_of_order_share_nothing) {
  const auto made =
      run("batches: 300\nqueue: 4\nstages:\n"
          "  - {name: a, model: plus.onnx, inputs: {x: \"{24,1000}\"}, runtime: $A, replicas: 3, ordered: false, "
          "threads: 1}\n"
          "  - {name: b, model: more.onnx, runtime: $B, replicas: 3, ordered: false, threads: 1}\n"
          "  - {name: c, model: last.onnx, runtime: $A, replicas: 2, threads: 1}\n");
  expect_all_and_no_copies(made, 300);
}

TEST_P(Handover, an_output_that_two_later_stages_read_is_one) {
  ModelBuilder b;  // u comes from two stages back, past the one that reads it, too
  const auto u = b.symbolic_input("u", ElementType::f32, "rows,1000"),
             v = b.symbolic_input("v", ElementType::f32, "rows,1000");
  b.output(b.node("Sub", {v, u}, {}, {"sub", "", {"d"}, {}}));
  b.output(b.node("Add", {b.node("Mul", {u, b.floats({0}, {1})}), v}, {}, {"add", "", {"y"}, {}}));
  folder_.write("both.onnx", b.serialize());
  added_ = 11;
  EngineSettings own = settings();
  const auto [first, second] = GetParam();
  own.take_outputs = [this](std::int64_t batch, const std::vector<SharedTensor>& outputs) {
    check(batch, *outputs.at(1));
    const auto differences = values_of(*outputs.at(0));
    EXPECT_TRUE(std::all_of(differences.begin(), differences.end(), [](float d) { return d == 10; })) << batch;
  };
  const auto outcome = run_pipeline(
      read_pipeline(folder_.write(
          "p.yaml",
          "batches: 150\nqueue: 3\nstages:\n  - {name: a, model: plus.onnx, inputs: {x: \"{24,1000}\"}, runtime: " +
              first + ", threads: 1}\n  - {name: b, model: more.onnx, runtime: " + second +
              ", threads: 1}\n  - {name: c, model: both.onnx, runtime: " + first +
              ", threads: 1, connect: {u: a.u, v: b.v}}\n")),
      own);
  EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
  EXPECT_EQ(checked_, 150);
  EXPECT_EQ(moved(outcome.run), 0);
}

TEST_P(Handover, a_stage_that_hands_its_input_through_keeps_it_alive) {
  ModelBuilder b;
  const auto u = b.symbolic_input("u", ElementType::f32, "rows,1000");
  b.output(b.node("Identity", {u}, {}, {"same", "", {"v"}, {}}));
  folder_.write("more.onnx", b.serialize());
  added_ = 101;
  run("batches: 150\nqueue: 3\n" + three_stages);
  EXPECT_EQ(checked_, 150);
  EXPECT_EQ(wrong_, 0);
}

TEST_P(Handover, parts_read_rows_of_the_whole_and_write_rows_of_the_merged) {
  const auto made =
      run("batches: 200\nqueue: 3\nstages:\n"
          "  - {name: a, model: plus.onnx, inputs: {x: \"{24,1000}\"}, runtime: $A, threads: 1}\n"
          "  - {name: b, model: more.onnx, runtime: $B, replicas: 2, threads: 1, split: {devices: [CPU, CPU, CPU], "
          "ratio: [0.5, 0.3, 0.2]}}\n"
          "  - {name: c, model: last.onnx, runtime: $A, threads: 1}\n");
  expect_all_and_no_copies(made, 200);
}

TEST_P(Handover, along_another_axis_parts_are_copied_and_it_is_told) {
  ModelBuilder b;
  const auto u = b.symbolic_input("u", ElementType::f32, "24,columns");
  b.output(b.node("Add", {u, b.floats({10}, {1})}, {}, {"add", "", {"v"}, {}}));
  folder_.write("more.onnx", b.serialize());
  const auto made =
      run("batches: 20\nstages:\n  - {name: a, model: plus.onnx, inputs: {x: \"{24,1000}\"}, runtime: $A, threads: 1}\n"
          "  - {name: b, model: more.onnx, runtime: $B, threads: 1, split: {devices: [CPU, CPU], ratio: [0.5, 0.5], "
          "axis: 1}}\n"
          "  - {name: c, model: last.onnx, runtime: $A, threads: 1}\n");
  EXPECT_EQ(checked_, 20);
  EXPECT_EQ(wrong_, 0);
  EXPECT_EQ(moved(made), 20 * 2 * rows * columns * 4) << "cut, and put together";
}

TEST_P(Handover, sizes_that_only_the_inference_knows_are_handed_on_too) {
  ModelBuilder b;
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,1000");
  b.output(b.node("NonZero", {x}, {}, {"nonzero", "", {"u"}, {}}));
  folder_.write("plus.onnx", b.serialize());
  ModelBuilder c;
  const auto u = c.symbolic_input("u", ElementType::i64, "2,count");
  c.output(c.node("Add", {u, c.integers({1}, {1})}, {}, {"add", "", {"y"}, {}}));
  folder_.write("more.onnx", c.serialize());
  const auto [first, second] = GetParam();
  EngineSettings own;
  own.make_inputs = [](std::int64_t) {  // the session's shapes are settled when it opens: as many in every batch
    std::vector<float> values(columns, 0.0f);
    for (std::size_t i = 0; i < 40; ++i) values[i * 3] = 1;
    return std::vector<SharedTensor>{std::make_shared<HostTensor>(floats("x", {1, columns}, values))};
  };
  int checked = 0;
  own.take_outputs = [&](std::int64_t batch, const std::vector<SharedTensor>& outputs) {
    std::vector<std::int64_t> expected(40, 1), values(80);
    for (std::int64_t i = 0; i < 40; ++i) expected.push_back(i * 3 + 1);
    ASSERT_EQ(outputs.at(0)->bytes.size(), 80 * sizeof(std::int64_t)) << batch;
    std::memcpy(values.data(), outputs.at(0)->bytes.data(), outputs.at(0)->bytes.size());
    EXPECT_EQ(values, expected) << batch;
    ++checked;
  };
  std::string given = "[[";
  for (int i = 0; i < columns; ++i) given += std::string(i ? "," : "") + (i < 120 && i % 3 == 0 ? "1" : "0");
  const auto outcome = run_pipeline(
      read_pipeline(folder_.write(
          "p.yaml", "batches: 100\nqueue: 3\nstages:\n  - {name: a, model: plus.onnx, inputs: {x: \"" + given +
                        "]]\"}, runtime: " + first +
                        ", threads: 1}\n  - {name: b, model: more.onnx, runtime: " + second + ", threads: 1}\n")),
      own);
  EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
  EXPECT_EQ(checked, 100);
  EXPECT_EQ(moved(outcome.run), 0);
}

TEST_P(Handover, a_stage_that_fails_leaves_what_was_delivered_whole) {
  ModelBuilder b;  // Gather of the row that the batch's number says: there are 24
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,1000");
  const auto number =
      b.node("Cast", {b.node("ReduceMin", {x}, {{"keepdims", std::int64_t{0}}})}, {{"to", std::int64_t{7}}});
  b.output(b.node("Add", {x, b.floats({1}, {1})}, {}, {"add", "", {"u"}, {}}));
  b.output(b.node("Gather", {b.floats(std::vector<float>(100, 1.0f), {100}), number}, {}, {"gather", "", {"g"}, {}}));
  folder_.write("plus.onnx", b.serialize());
  holds_all_ = true;
  const auto [first, second] = GetParam();
  if (first == "openvino") GTEST_SKIP() << "its Gather reads zero beyond the end";
  const auto outcome = run_pipeline(
      read_pipeline(folder_.write(
          "p.yaml", "batches: 100\nstages:\n  - {name: a, model: plus.onnx, inputs: {x: \"{24,1000}\"}, runtime: " +
                        first + ", threads: 1}\n  - {name: b, model: more.onnx, runtime: " + second +
                        ", threads: 1}\n  - {name: c, model: last.onnx, runtime: " + first + ", threads: 1}\n")),
      settings());
  ASSERT_TRUE(outcome.run.failure);
  EXPECT_NE(outcome.run.failure->find("stage 'a', batch 15"), std::string::npos) << *outcome.run.failure;
  EXPECT_FALSE(delivered_.empty());
  for (const auto& [batch, value] : delivered_) check(batch, *value);
  EXPECT_EQ(wrong_, 0);
}

INSTANTIATE_TEST_SUITE_P(, Handover,
                         testing::Combine(testing::Values("onnxruntime", "openvino"),
                                          testing::Values("onnxruntime", "openvino")),
                         [](const auto& tested) {
                           return std::get<0>(tested.param) + "_to_" + std::get<1>(tested.param);
                         });

}  // namespace
}  // namespace takt
