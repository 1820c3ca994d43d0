// The first and the last value that each key of a pipeline takes, and those beyond; and what holds without the keys.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {
namespace {

/// A pipeline of one stage "a" with `root` above its stages, `rest` behind the stage's name and `dummy` as what it is.
std::string with_keys(const std::string& root, const std::string& rest, const std::string& dummy = "time: 1ms") {
  return fmt::format("{}stages:\n  - {{name: a, dummy: {{{}}}{}}}\n", root, dummy, rest);
}
std::string root_key(const std::string& text) { return with_keys(text + "\n", ", device: sim:CPU"); }
std::string stage_key(const std::string& text) { return with_keys("", ", device: sim:CPU, " + text); }
std::string dummy_key(const std::string& text) { return with_keys("", ", device: sim:CPU", text); }
std::string split_key(const std::string& text) {
  return with_keys("", ", split: {devices: [sim:CPU, sim:GPU], " + text + "}");
}

std::string limit_refusal(const std::string& text) {
  try {
    parse_pipeline(text, "p.yaml");
  } catch (const Error& error) {
    return error.what();
  }
  return "taken";
}

struct KeyLimits {
  std::string (*text)(const std::string&);
  const char* key;  ///< with {} for the value
  std::vector<const char*> taken, refused;
  const char* range;
};

TEST(PipelineLimits, both_ends_of_every_number_are_taken) {
  const KeyLimits limits[] = {
      {root_key, "batches: {}", {"1", "100000000"}, {"0", "100000001"}, "1 to 100000000"},
      {root_key, "duration: {}", {"1ms", "86400s"}, {"0.999ms", "86400.001s"}, "1.00 ms to 86400 s"},
      {root_key, "warmup: {}", {"0", "99"}, {"-1"}, "0 to 100000000"},
      {root_key, "duration: 1s\nwarmup: {}", {"0", "100000000"}, {"100000001"}, "0 to 100000000"},
      {root_key, "in_flight: {}", {"1", "1000000"}, {"0", "1000001"}, "1 to 1000000"},
      {root_key, "queue: {}", {"1", "1000000"}, {"0", "1000001"}, "1 to 1000000"},
      {root_key, "seed: {}", {"0", "9223372036854775807"}, {"-1"}, "0 to 9223372036854775807"},
      {root_key, "timeout: {}", {"1us", "86400s"}, {"0.999us", "86400.001s"}, "1.00 µs to 86400 s"},
      {root_key, "source: {}", {"0.001/s", "1000000/s"}, {"0.00099/s", "1000001/s"}, "0.001/s to 1000000/s"},
      {root_key, "source: poisson {}", {"0.001/s", "1000000/s"}, {"0.00099/s", "1000001/s"}, "0.001/s to 1000000/s"},
      {root_key, "devices: {{sim:CPU: {{requests: {}}}}}", {"1", "4096"}, {"0", "4097"}, "1 to 4096"},
      {root_key, "contention: {{interference: {{a: {{a: {}}}}}}}", {"0.01", "1e6"}, {"0.0099", "1000001"}, "0.01 to 1"},
      {root_key,
       "contention: {{resources: {{m: {{law: share, stages: {{a: {{pressure: {}}}}}}}}}}}",
       {"0", "1"},
       {"-0.01", "1.01"},
       "0 to 1"},
      {root_key,
       "contention: {{resources: {{m: {{law: share, stages: {{a: {{sensitivity: {}}}}}}}}}}}",
       {"0", "1"},
       {"-0.01", "1.01"},
       "0 to 1"},
      {stage_key, "replicas: {}", {"1", "1024"}, {"0", "1025"}, "1 to 1024"},
      {stage_key, "queue: {}", {"1", "1000000"}, {"0", "1000001"}, "1 to 1000000"},
      {stage_key, "threads: {}", {"1", "4096"}, {"0", "4097"}, "1 to 4096"},
      {dummy_key, "time: {}", {"0ns", "3600s"}, {"3600.001s"}, "0 ns to 3600 s"},
      {dummy_key, "matmul: {}", {"1", "16384"}, {"0", "16385"}, "1 to 16384"},
      {split_key, "axis: {}", {"0", "15"}, {"-1", "16"}, "0 to 15"},
  };
  for (const KeyLimits& one : limits) {
    for (const char* value : one.taken)
      EXPECT_EQ(limit_refusal(one.text(fmt::format(fmt::runtime(one.key), value))), "taken") << one.key << " " << value;
    for (const char* value : one.refused) {
      const std::string said = limit_refusal(one.text(fmt::format(fmt::runtime(one.key), value)));
      EXPECT_NE(said.find(std::string("is out of range; use ") + one.range), std::string::npos)
          << one.key << " " << value << ": " << said;
    }
  }
}

TEST(PipelineLimits, of_a_divided_stage_what_cuts_and_what_joins_may_take_an_hour) {
  for (const char* key : {"partition", "merge"}) {
    const auto said = [&](const char* time) {
      return limit_refusal(with_keys("", ", split: {devices: [sim:CPU, sim:GPU], ratio: [0.5, 0.5]}",
                                     fmt::format("time: 1ms, {}: {}", key, time)));
    };
    EXPECT_EQ(said("0ns"), "taken");
    EXPECT_EQ(said("3600s"), "taken");
    EXPECT_NE(said("3600.001s"), "taken");
  }
}

TEST(PipelineLimits, a_thousand_stages_and_eight_resources_are_taken) {
  const auto stages = [](int count) {
    std::string text = "stages:\n";
    for (int s = 0; s < count; ++s)
      text += fmt::format("  - {{name: s{}, dummy: {{time: 1ms}}, device: sim:CPU}}\n", s);
    return limit_refusal(text);
  };
  EXPECT_EQ(stages(1000), "taken");
  EXPECT_EQ(stages(1001), "p.yaml:2: stages: has 1001 stages; use up to 1000");
  const auto resources = [](int count) {
    std::string text = "contention:\n  resources:\n";
    for (int r = 0; r < count; ++r)
      text += fmt::format("    r{}: {{law: share, stages: {{a: {{pressure: 0.5}}}}}}\n", r);
    return limit_refusal(root_key(text));
  };
  EXPECT_EQ(resources(8), "taken");
  EXPECT_NE(resources(9).find("contention.resources: has 9 resources; use up to 8"), std::string::npos) << resources(9);
}

TEST(PipelineLimits, warm_up_leaves_a_batch_at_least) {
  EXPECT_EQ(limit_refusal(root_key("batches: 7\nwarmup: 6")), "taken");
  EXPECT_EQ(limit_refusal(root_key("batches: 7\nwarmup: 7")),
            "p.yaml:2: warmup: 7 leaves nothing of 7 batches; use fewer");
  EXPECT_EQ(limit_refusal(root_key("warmup: 100")), "p.yaml:1: warmup: 100 leaves nothing of 100 batches; use fewer");
}

TEST(PipelineDefaults, are_these) {
  const PipelineSpec spec = parse_pipeline(root_key(""), "folder/mine.yaml");
  EXPECT_EQ(spec.name, "mine");
  EXPECT_EQ(spec.batches, 100);
  EXPECT_FALSE(spec.duration || spec.warmup || spec.source.in_flight);
  EXPECT_EQ(spec.source.kind, SourceKind::closed);
  EXPECT_EQ(spec.seed, 1u);
  EXPECT_EQ(spec.timeout, std::chrono::seconds(60));
  EXPECT_EQ(spec.combination, Combination::multiply);
  ASSERT_EQ(spec.stages.size(), 1u);
  const StageSpec& stage = spec.stages[0];
  EXPECT_EQ(stage.replicas, 1);
  EXPECT_EQ(stage.queue, 2);
  EXPECT_TRUE(stage.ordered && stage.connects_by_default);
  EXPECT_FALSE(stage.threads || stage.precision || stage.open_shapes || stage.after || stage.split);
  EXPECT_FALSE(parse_pipeline(root_key("duration: 1s"), "p.yaml").batches) << "a time is enough";
}

TEST(PipelineDefaults, of_stages_are_those_above_them) {
  const PipelineSpec spec = parse_pipeline(
      "queue: 7\nstages:\n  - {name: a, dummy: {time: 1ms}, device: sim:CPU}\n"
      "  - {name: b, dummy: {time: 2ms}, device: sim:GPU, queue: 3, replicas: 4, ordered: false, threads: 5}\n"
      "  - {name: c, dummy: {time: 3ms, partition: 4ms, merge: 5ms}, split: {devices: [sim:GPU, sim:NPU], ratio: "
      "[0.25, 0.75], axis: 3, verify: false}}\n",
      "p.yaml");
  EXPECT_EQ(spec.stages[0].queue, 7);
  EXPECT_EQ(spec.stages[1].queue, 3);
  EXPECT_EQ(spec.stages[1].replicas, 4);
  EXPECT_EQ(spec.stages[1].threads, 5);
  EXPECT_FALSE(spec.stages[1].ordered);
  ASSERT_TRUE(spec.stages[2].split);
  EXPECT_EQ(spec.stages[2].split->axis, 3);
  EXPECT_FALSE(spec.stages[2].split->verify);
  EXPECT_EQ(spec.stages[2].split->ratio, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(spec.stages[2].dummy->time, std::chrono::milliseconds(3));
  EXPECT_EQ(spec.stages[2].dummy->partition, std::chrono::milliseconds(4));
  EXPECT_EQ(spec.stages[2].dummy->merge, std::chrono::milliseconds(5));
}

TEST(PipelineDefaults, of_the_built_in_pipeline_are_three_stages_of_one_size) {
  const PipelineSpec spec = dummy_pipeline();
  EXPECT_EQ(spec.name, "dummy");
  EXPECT_EQ(spec.batches, 100);
  ASSERT_EQ(spec.stages.size(), 3u);
  for (const StageSpec& stage : spec.stages) EXPECT_EQ(stage.dummy->matmul, 1024) << stage.name;
  EXPECT_EQ(spec.stages[0].name + spec.stages[1].name + spec.stages[2].name, "prepareinferfinish");
  EXPECT_EQ(spec.stages[0].device + spec.stages[2].device, "sim:CPUsim:NPU");
  EXPECT_EQ(devices_of(spec.stages[1]), (std::vector<std::string>{"sim:GPU", "sim:NPU"}));
}

TEST(PipelineShape, of_simulated_devices_is_one_request_unless_somebody_says_more) {
  const auto requests = [](const std::string& devices, const std::string& device) {
    const FlowShape shape = flow_shape(
        parse_pipeline(devices + "stages:\n  - {name: a, dummy: {matmul: 8}, device: " + device + "}\n", "p.yaml"));
    return shape.devices.at(0).requests;
  };
  EXPECT_EQ(requests("", "sim:CPU"), 1);
  EXPECT_EQ(requests("devices: {sim:CPU: {requests: 3}}\n", "sim:CPU"), 3);
  EXPECT_EQ(requests("", "CPU"), std::nullopt);
  EXPECT_EQ(requests("devices: {CPU: {requests: 2}}\n", "CPU"), 2);
}

TEST(PipelineShape, of_a_law_has_a_row_for_each_stage_in_their_order) {
  const PipelineSpec spec = parse_pipeline(
      "contention:\n  interference: {b: {a: 1.5}, a: {c: 2.5}}\n  combine: largest\n"
      "  resources: {m: {law: queue, stages: {c: {pressure: 0.25, sensitivity: 0.5}, a: {pressure: 0.75}}}}\n"
      "stages:\n  - {name: a, dummy: {time: 1ms}, device: sim:CPU}\n  - {name: b, dummy: {time: 1ms}, device: "
      "sim:GPU}\n"
      "  - {name: c, dummy: {time: 1ms}, device: sim:NPU}\n",
      "p.yaml");
  const ContentionLaw law = contention_law(spec);
  using Matrix = std::vector<std::vector<double>>;
  EXPECT_EQ(law.interference, (Matrix{{1, 1, 2.5}, {1.5, 1, 1}, {1, 1, 1}}));
  ASSERT_EQ(law.resources.size(), 1u);
  EXPECT_EQ(law.resources[0].law, PressureLaw::queue);
  EXPECT_EQ(law.resources[0].pressure, (std::vector<double>{0.75, 0, 0.25}));
  EXPECT_EQ(law.resources[0].sensitivity, (std::vector<double>{0, 0, 0.5}));
  EXPECT_EQ(law.combination, Combination::largest);
}

TEST(PipelineShape, simulated_devices_stand_for_those_of_their_family) {
  const auto twin = [](const std::string& device) {
    PipelineSpec spec = dummy_pipeline();
    spec.stages.resize(1);
    spec.stages[0].device = device, spec.stages[0].runtime = "openvino";
    spec.devices[device].requests = 5;
    spec = simulated(spec);
    EXPECT_EQ(spec.stages[0].runtime, "");
    EXPECT_EQ(spec.devices.at(spec.stages[0].device).requests, 5);
    return spec.stages[0].device;
  };
  EXPECT_EQ(twin("CPU"), "sim:CPU");
  EXPECT_EQ(twin("CPU.0"), "sim:CPU");
  EXPECT_EQ(twin("GPU"), "sim:GPU");
  EXPECT_EQ(twin("GPU.1"), "sim:GPU");
  EXPECT_EQ(twin("NPU"), "sim:NPU");
  EXPECT_EQ(twin("AUTO:GPU,CPU"), "sim:CPU");
  EXPECT_EQ(twin("sim:edge"), "sim:edge");
}

}  // namespace
}  // namespace takt
