#include "pipeline/engine/simulation.h"

#include <gtest/gtest.h>

#include <set>

#include "base/basics/error.h"
#include "flow/flow_words.h"
#include "model/runtime/models.h"
#include "pipeline/engine/shared_resources.h"
#include "refused.h"

namespace takt {
namespace {

using std::chrono::milliseconds;

PipelineSpec spec_of(const std::string& text) { return parse_pipeline(text, "p.yaml"); }

TEST(Simulation, constant_times_give_the_textbook_makespan) {
  const auto run = simulate_pipeline(spec_of(
      "batches: 50\nstages:\n  - {name: a, dummy: {time: 3ms}, device: sim:CPU}\n"
      "  - {name: b, dummy: {time: 5ms}, device: sim:GPU}\n  - {name: c, dummy: {time: 2ms}, device: sim:NPU}\n"));
  EXPECT_EQ(run.schedule.makespan(), milliseconds(3 + 5 + 2 + 49 * 5));
  EXPECT_TRUE(run.virtual_clock);
  EXPECT_EQ(run.devices[2].name, "sim:NPU");
  EXPECT_EQ(run.stages[0].model, "dummy");
  EXPECT_EQ(run.warmup, 2);
  EXPECT_EQ(run.schedule.executions.size(), 150u);
  EXPECT_EQ(run.counters.size(), 150u);
}

TEST(Simulation, a_balanced_split_finishes_together) {
  const auto run =
      simulate_pipeline(spec_of("batches: 1\nstages:\n  - name: s\n    split: {devices: [sim:GPU, sim:NPU]}\n"
                                "    dummy: {time: {sim:GPU: 10ms, sim:NPU: 30ms}, partition: 1ms, merge: 2ms}\n"));
  // Speeds 3 : 1, so each device takes 7.5 ms.
  EXPECT_EQ(run.schedule.makespan(), Nanoseconds(1'000'000 + 7'500'000 + 2'000'000));
}

TEST(Simulation, contention_stretches_as_its_matrix_says) {
  // Both stages always run beside each other once the pipeline is full: a takes twice as long.
  const std::string stages =
      "stages:\n  - {name: a, dummy: {time: 10ms}, device: sim:CPU}\n  - {name: b, dummy: {time: 30ms}, device: "
      "sim:GPU}\n";
  const auto alone = simulate_pipeline(spec_of("batches: 2\n" + stages));
  const auto beside = simulate_pipeline(spec_of("batches: 2\ncontention: {interference: {b: {a: 2}}}\n" + stages));
  EXPECT_EQ(alone.schedule.makespan(), milliseconds(10 + 30 + 30));
  // b runs at half speed during the 10 ms of the second a.
  EXPECT_EQ(beside.schedule.makespan(), milliseconds(10 + 35 + 30));
}

TEST(Simulation, a_duration_closes_the_source) {
  const auto run =
      simulate_pipeline(spec_of("duration: 100ms\nstages:\n  - {name: a, dummy: {time: 10ms}, device: sim:CPU}\n"));
  EXPECT_GE(run.schedule.batches.size(), 10u);
  EXPECT_LE(run.schedule.batches.size(), 13u) << "what stood in the queue when the source closed is delivered too";
  const auto open = simulate_pipeline(
      spec_of("duration: 1s\nsource: 50/s\nstages:\n  - {name: a, dummy: {time: 10ms}, device: sim:CPU}\n"));
  EXPECT_EQ(open.schedule.batches.size(), 50u);
  EXPECT_EQ(open.schedule.makespan(), milliseconds(990));
}

TEST(Simulation, models_take_what_their_devices_description_says) {
  const TestFolder folder;
  folder.write("m.onnx", conv_matmul().serialize());
  folder.write("box.yaml",
               "{law: table, ops: {Conv: 5000, Relu: 3000, Reshape: 1000, MatMul: 2000}, unknown_op_ns: "
               "0, overhead_ns: 500}");
  const auto file = folder.write("p.yaml", "batches: 3\nstages:\n  - {name: a, model: m.onnx, device: sim:box}\n");
  const auto run = simulate_pipeline(read_pipeline(file));
  EXPECT_EQ(run.schedule.makespan(), Nanoseconds(3 * 11'500));
  EXPECT_EQ(run.stages[0].model, "m.onnx");
  EXPECT_EQ(run.stages[0].input_bytes, 64);
}

TEST(Simulation, the_input_bytes_of_a_stage_are_those_of_all_inputs_of_its_model) {
  const TestFolder folder;
  ModelBuilder three, open;
  const auto a = three.input("a", ElementType::f32, {4}), b = three.input("b", ElementType::i64, {4, 2});
  const auto c = three.input("c", ElementType::u8, {3});
  for (const auto& name : {a, b, c}) three.output(three.node("Identity", {name}));
  folder.write("three.onnx", three.serialize());
  folder.write("box.yaml", "{law: table, ops: {}, unknown_op_ns: 1000}");
  const auto file = folder.write("p.yaml",
                                 "batches: 1\nstages:\n  - {name: a, model: three.onnx, device: sim:box}\n"
                                 "  - {name: b, dummy: {time: 1ms}, device: sim:CPU}\n");
  const auto run = simulate_pipeline(read_pipeline(file));
  EXPECT_EQ(run.stages[0].input_bytes, 4 * 4 + 8 * 8 + 3);
  EXPECT_EQ(run.stages[1].input_bytes, std::nullopt);
}

TEST(Simulation, noise_is_the_same_for_the_same_seed_only) {
  const TestFolder folder;
  folder.write("box.yaml", "{law: table, ops: {}, unknown_op_ns: 0, noise: {shape: lognormal, sigma: 0.2}}");
  const auto run = [&](int seed) {
    const auto file = folder.write("p.yaml", "batches: 30\nseed: " + std::to_string(seed) +
                                                 "\nstages:\n  - {name: a, dummy: {time: 5ms}, device: sim:box}\n"
                                                 "  - {name: b, dummy: {time: 4ms}, device: sim:box}\n");
    return simulate_pipeline(read_pipeline(file)).schedule.makespan();
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(Simulation, seeds_that_follow_each_other_have_nothing_in_common) {
  const TestFolder folder;
  folder.write("box.yaml", "{law: table, ops: {}, unknown_op_ns: 0, noise: {shape: lognormal, sigma: 0.2}}");
  std::set<Nanoseconds> drawn;
  for (int seed = 0; seed < 8; ++seed) {
    const auto file = folder.write("p.yaml", "batches: 64\nseed: " + std::to_string(seed) +
                                                 "\nstages:\n  - {name: a, dummy: {time: 5ms}, device: sim:box}\n");
    for (const auto& one : simulate_pipeline(read_pipeline(file)).schedule.executions)
      drawn.insert(one.end - one.start);
  }
  EXPECT_EQ(drawn.size(),
            8u * 64);  // a seed that is only mixed with a batch's number gives the same 64 in another order
}

TEST(Simulation, devices_that_share_something_slow_each_other_down) {
  const TestFolder folder;
  folder.write("m.onnx", conv_matmul().serialize());  // Conv, Relu, Reshape, MatMul
  const std::string law = "law: table, ops: {Conv: 5000, Relu: 3000, Reshape: 1000, MatMul: 1000}, unknown_op_ns: 0";
  folder.write("left.yaml", "{" + law + ", shares: {memory: {law: linear, pressure: 0.2, sensitivity: 0.5}}}");
  // Half of its time at full pressure, the other half, with the overhead of a sixth of it all, at none.
  folder.write("right.yaml", "{" + law +
                                 ", overhead_ns: 2000, shares: {memory: {law: linear, sensitivity: 0.6, ops: {Conv: "
                                 "{pressure: 1, sensitivity: 0}}}, bus: {law: cliff, pressure: 1, sensitivity: 1}}}");
  const std::string stages =
      "stages:\n  - {name: a, model: m.onnx, device: sim:left}\n  - {name: b, model: m.onnx, device: sim:right, "
      "connect: "
      "{}}\n";
  const auto run = simulate_pipeline(read_pipeline(folder.write("p.yaml", stages)));
  ASSERT_TRUE(run.contention);
  // a suffers from b, whose Conv is 5 of 12 us; of b all but the Conv and the overhead suffers.
  EXPECT_NEAR(slow_down_of(*run.contention, 2, 0, {1}), 1 + 0.5 * (5.0 / 12), 1e-9);
  EXPECT_NEAR(slow_down_of(*run.contention, 2, 1, {0}), 1 + 0.6 * (5.0 / 12) * 0.2, 1e-9);
  const auto own = simulate_pipeline(read_pipeline(folder.write(
      "p.yaml", stages + "contention: {resources: {memory: {law: linear, stages: {a: {sensitivity: 1}}}}}\n")));
  EXPECT_NEAR(slow_down_of(*own.contention, 2, 0, {1}), 1 + 5.0 / 12, 1e-9)
      << "what the pipeline says of a stage holds";
  EXPECT_EQ(slow_down_of(*own.contention, 2, 1, {0}), 1);
  folder.write("right.yaml", "{" + law + ", shares: {memory: {law: queue, pressure: 1}}}");
  EXPECT_EQ(
      refused_with([&] { simulate_pipeline(read_pipeline(folder.write("p.yaml", stages))); }),
      (folder / "p.yaml").string() +
          ": 'memory' has one contention model on the device of stage 'b' and another on that of an earlier stage; "
          "describe it in the same way");
}

// A quarter of the divided stage is on the left: 0.25 · 0.2 + 0.75 · 1 of pressure, 0.25 · 0.4 + 0.75 · 0.8 of
// sensitivity.
TEST(Simulation, a_divided_stage_shares_what_its_devices_share_by_their_parts) {
  const TestFolder folder;
  const std::string law = "law: table, ops: {}, unknown_op_ns: 0, shares: {memory: {law: linear, ";
  folder.write("left.yaml", "{" + law + "pressure: 0.2, sensitivity: 0.4}}}");
  folder.write("right.yaml", "{" + law + "pressure: 1, sensitivity: 0.8}}}");
  const auto run = simulate_pipeline(read_pipeline(folder.write(
      "p.yaml",
      "batches: 3\nstages:\n  - {name: a, dummy: {time: 4ms}, split: {devices: [sim:left, sim:right], ratio: [0.25, "
      "0.75]}}\n  - {name: b, dummy: {time: 4ms}, device: sim:left}\n")));
  ASSERT_TRUE(run.contention);
  EXPECT_NEAR(slow_down_of(*run.contention, 2, 0, {1}), 1 + 0.7 * 0.2, 1e-9);
  EXPECT_NEAR(slow_down_of(*run.contention, 2, 1, {0}), 1 + 0.4 * 0.8, 1e-9);
}

TEST(Simulation, given_times_take_the_place_of_models) {
  const TestFolder folder;
  folder.write("m.onnx", conv_matmul().serialize());
  folder.write("box.yaml",
               "{law: table, ops: {Conv: 5000}, unknown_op_ns: 1000, overhead_ns: 500, shares: {memory: "
               "{pressure: 1, sensitivity: 1}}}");
  const auto spec = read_pipeline(folder.write(
      "p.yaml",
      "batches: 7\nstages:\n  - {name: a, model: m.onnx, device: sim:box}\n  - {name: b, model: m.onnx, device: "
      "sim:box, connect: {}}\n"));
  const SimulatedTimes times(spec);
  const auto short_way = with_given_times(with_shared_resources(spec, times), times);
  EXPECT_TRUE(short_way.stages[0].model.empty());
  const auto run = simulate_pipeline(spec), again = simulate_pipeline(short_way);
  EXPECT_EQ(again.schedule.makespan(), run.schedule.makespan());
  const double slow_down = slow_down_of(*run.contention, 2, 0, {1});
  EXPECT_EQ(slow_down_of(*again.contention, 2, 0, {1}), slow_down);
  EXPECT_GT(slow_down, 1.8);
}

TEST(Simulation, shapes_that_do_not_fit_are_named_before_anything_runs) {
  const auto refusal = [](const std::string& rest) {
    try {
      simulate_pipeline(spec_of("stages:\n  - {name: a, dummy: {matmul: 8}, device: sim:CPU}\n  - " + rest));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refusal("{name: b, dummy: {matmul: 16}, device: sim:CPU}"),
            "p.yaml:3: stages[1] 'b': input 'x' takes float32 {16,16}, but 'a.y' gives float32 {8,8}; connect another "
            "output, or change the model");
  EXPECT_EQ(refusal("{name: b, dummy: {matmul: 8}, device: sim:CPU, connect: {x: a.z}}"),
            "p.yaml:3: stages[1] 'b': connect.x: 'a' has no output 'z'; did you mean 'y'?");
  EXPECT_EQ(refusal("{name: b, dummy: {matmul: 8}, device: CPU}"),
            "p.yaml: CPU is a real device and cannot be simulated; use sim:CPU");
  EXPECT_EQ(refusal("{name: b, dummy: {matmul: 8}, device: sim:CPU}"), "taken");
}

TEST(Simulation, the_built_in_pipeline_runs) {
  const auto run = simulate_pipeline(dummy_pipeline());
  EXPECT_EQ(run.schedule.batches.size(), 100u);
  EXPECT_TRUE(run.shape.stages[1].split());
}

}  // namespace
}  // namespace takt
