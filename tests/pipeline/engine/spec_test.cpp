#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>

#include "base/basics/error.h"
#include "model/runtime/models.h"
#include "pipeline/spec/pipeline_spec.h"
#include "pipeline/spec/stage_order.h"
#include "pipeline/stages/links.h"

namespace takt {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_pipeline(text, "p.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "taken";
}

std::string stage(const std::string& rest) { return "stages:\n  - name: a\n" + rest; }
const std::string two_stages =
    "stages:\n  - {name: a, dummy: {time: 5ms}, device: sim:CPU}\n  - {name: b, dummy: {time: 5ms}, device: sim:NPU";

struct Mistake {
  std::string name, text, message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.text; }

class PipelineMistake : public testing::TestWithParam<Mistake> {};

TEST_P(PipelineMistake, is_named_with_line_and_key) { EXPECT_EQ(refusal(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    All, PipelineMistake,
    testing::Values(
        Mistake{"no_yaml", "stages: [", "p.yaml:1: not YAML: the '[' has no ']'"},
        Mistake{"no_stages", "name: x\n", "p.yaml:1: stages: is missing; describe at least one stage"},
        Mistake{"empty_stages", "name: x\nstages: []\n",
                "p.yaml:2: stages: is not a list of stages; describe at least one"},
        Mistake{"unknown_key", "batchs: 3\nstages: []", "p.yaml:1: batchs: unknown key; did you mean 'batches'?"},
        Mistake{"unknown_stage_key", stage("    dummy: {time: 1ms}\n    device: sim:CPU\n    replica: 2"),
                "p.yaml:5: stages[0].replica: unknown key; did you mean 'replicas'?"},
        Mistake{"zero_replicas", stage("    dummy: {time: 1ms}\n    device: sim:CPU\n    replicas: 0"),
                "p.yaml:5: stages[0].replicas: 0 is out of range; use 1 to 1024"},
        Mistake{"negative_queue", stage("    dummy: {time: 1ms}\n    device: sim:CPU\n    queue: -1"),
                "p.yaml:5: stages[0].queue: -1 is out of range; use 1 to 1000000"},
        Mistake{"negative_time", stage("    dummy: {time: -1ms}\n    device: sim:CPU"),
                "p.yaml:3: stages[0].dummy.time: -1.00 ms is out of range; use 0 ns to 3600 s"},
        Mistake{"missing_model", stage("    model: none.onnx"),
                "p.yaml:3: stages[0].model: the file none.onnx does not exist; check the path, which is relative to "
                "this file's folder"},
        Mistake{"no_model", stage("    device: CPU"),
                "p.yaml:2: stages[0].model: is missing; name a model file, or a 'dummy'"},
        Mistake{"unknown_device", stage("    dummy: {matmul: 8}\n    device: GPV"),
                "p.yaml:4: stages[0].device: the device 'GPV' does not exist; did you mean 'GPU'?"},
        Mistake{"unknown_sim", stage("    dummy: {matmul: 8}\n    device: sim:NPV"),
                "p.yaml:4: stages[0].device: the device sim:NPV does not exist: it is neither built in (CPU, GPU, NPU) "
                "nor described by NPV.yaml; did you mean 'NPU'?"},
        Mistake{"real_time", stage("    dummy: {time: 1ms}\n    device: GPU"),
                "p.yaml:3: stages[0].dummy.time: is for simulated devices or an unsplit CPU stage, and GPU is neither; "
                "use a sim: device, 'wait' or 'matmul'"},
        Mistake{"real_time_divided", stage("    dummy: {time: 1ms}\n    split: {devices: [CPU, CPU]}"),
                "p.yaml:3: stages[0].dummy.time: is for simulated devices or an unsplit CPU stage, and CPU+CPU is "
                "neither; use a sim: device, 'wait' or 'matmul'"},
        Mistake{"precision", stage("    dummy: {matmul: 8}\n    precision: f8"),
                "p.yaml:4: stages[0].precision: f8 is not a precision; use f32, f16 or bf16"},
        Mistake{"precision_without_a_model", stage("    dummy: {time: 1ms}\n    device: sim:CPU\n    precision: f32"),
                "p.yaml:5: stages[0].precision: is for models, and this stage has none; leave it out"},
        Mistake{"open_shapes_without_a_model", stage("    dummy: {time: 1ms}\n    open_shapes: true"),
                "p.yaml:4: stages[0].open_shapes: is for models, and this stage has none; leave it out"},
        Mistake{"busy_threads", stage("    dummy: {time: 1ms}\n    threads: 2"),
                "p.yaml:4: stages[0].threads: is for models, and this stage keeps one thread busy; leave it out"},
        Mistake{"busy_inputs", stage("    dummy: {time: 1ms}\n    connect: {x: b.y}"),
                "p.yaml:4: stages[0].connect: is for the inputs of a model; this stage passes its input on (give its "
                "predecessors with 'after')"},
        Mistake{"two_dummies", stage("    dummy: {time: 1ms, wait: 1ms}"),
                "p.yaml:3: stages[0].dummy: needs one of 'time', 'wait' and 'matmul'; give one of them"},
        Mistake{"no_dummy", stage("    dummy: {merge: 1ms}"),
                "p.yaml:3: stages[0].dummy: needs one of 'time', 'wait' and 'matmul'; give one of them"},
        Mistake{"long_wait", stage("    dummy: {wait: 2h}"),
                "p.yaml:3: stages[0].dummy.wait: 7200 s is out of range; use 0 ns to 3600 s"},
        Mistake{"wait_device", stage("    dummy: {wait: 1ms}\n    device: CPU"),
                "p.yaml:4: stages[0].device: is for stages that compute, and this stage waits; leave it out"},
        Mistake{"wait_split", stage("    dummy: {wait: 1ms}\n    split: {devices: [CPU, CPU]}"),
                "p.yaml:4: stages[0].split: is for stages that compute, and this stage waits; leave it out"},
        Mistake{"split_device",
                stage("    dummy: {time: 1ms}\n    device: sim:CPU\n    split: {devices: [sim:GPU, sim:NPU]}"),
                "p.yaml:4: stages[0].device: is given in addition to 'split', which names the devices; keep one"},
        Mistake{"sim_runtime", stage("    dummy: {matmul: 8}\n    device: CPU\n    runtime: sim"),
                "p.yaml:5: stages[0].runtime: 'sim' does not run CPU; leave it out"},
        Mistake{"real_runtime", stage("    dummy: {matmul: 8}\n    device: sim:CPU\n    runtime: openvino"),
                "p.yaml:5: stages[0].runtime: 'openvino' does not run sim:CPU; leave it out"},
        Mistake{"runtimes_real",
                stage("    dummy: {matmul: 8}\n    split: {devices: [CPU, CPU], runtimes: [openvino, sim]}"),
                "p.yaml:4: stages[0].split.runtimes: 'sim' does not run CPU; leave it out"},
        Mistake{"runtimes_second",
                stage("    dummy: {matmul: 8}\n    split: {devices: [sim:GPU, sim:CPU], runtimes: [sim, openvino]}"),
                "p.yaml:4: stages[0].split.runtimes: 'openvino' does not run sim:CPU; leave it out"},
        Mistake{"no_wait", "devices: {wait: {requests: 2}}\n" + stage("    dummy: {time: 1ms}\n    device: sim:CPU"),
                "p.yaml:1: devices.wait: no stage runs on it; name it in a stage, or remove it here"},
        Mistake{"runtimes_count",
                stage("    dummy: {matmul: 8}\n    split: {devices: [CPU, CPU], runtimes: [openvino]}"),
                "p.yaml:4: stages[0].split.runtimes: has 1 runtimes for 2 devices; give one each"},
        Mistake{"runtimes_name",
                stage("    dummy: {matmul: 8}\n    split: {devices: [CPU, CPU], runtimes: [openvino, onxruntime]}"),
                "p.yaml:4: stages[0].split.runtimes: 'onxruntime' is unknown; did you mean 'onnxruntime'?"},
        Mistake{
            "runtimes_text", stage("    dummy: {matmul: 8}\n    split: {devices: [CPU, CPU], runtimes: openvino}"),
            "p.yaml:4: stages[0].split.runtimes: is not a list; write one for each device: [openvino, onnxruntime]"},
        Mistake{"runtimes_sim",
                stage("    dummy: {matmul: 8}\n    split: {devices: [sim:GPU, sim:CPU], runtimes: [openvino, sim]}"),
                "p.yaml:4: stages[0].split.runtimes: 'openvino' does not run sim:GPU; leave it out"},
        Mistake{"runtimes_twice",
                stage("    dummy: {matmul: 8}\n    runtime: openvino\n    split: {devices: [CPU, CPU], runtimes: "
                      "[openvino, openvino]}"),
                "p.yaml:5: stages[0].split.runtimes: is given in addition to 'runtime'; keep one"},
        Mistake{"ratio", stage("    dummy: {time: 1ms}\n    split: {devices: [sim:GPU, sim:NPU], ratio: [0.5, 0.6]}"),
                "p.yaml:4: stages[0].split.ratio: adds up to 1.1; make the shares add up to 1"},
        Mistake{"ratio_count", stage("    dummy: {time: 1ms}\n    split: {devices: [sim:GPU, sim:NPU], ratio: [1]}"),
                "p.yaml:4: stages[0].split.ratio: has 1 shares for 2 devices; give one each"},
        Mistake{
            "mixed_split", stage("    dummy: {matmul: 8}\n    split: {devices: [sim:GPU, CPU]}"),
            "p.yaml:4: stages[0].split.devices: mixes real and simulated devices, so there is no complete result to "
            "merge; use one kind"},
        Mistake{"rate", "source: 50\n" + stage("    dummy: {time: 1ms}\n    device: sim:CPU"),
                "p.yaml:1: source: '50' is not a source; write closed, 50/s or poisson 50/s"},
        Mistake{"unused_device",
                "devices: {sim:GPU: {requests: 1}}\n" + stage("    dummy: {time: 1ms}\n    device: sim:CPU"),
                "p.yaml:1: devices.sim:GPU: no stage runs on it; did you mean 'sim:CPU'?"},
        Mistake{"same_name", two_stages + "}\n  - {name: b, dummy: {time: 5ms}, device: sim:CPU}",
                "p.yaml:4: stages[2].name: 'b' is also the name of an earlier stage; choose another"},
        Mistake{"cycle",
                "stages:\n  - {name: a, dummy: {matmul: 8}, connect: {x: b.y}}\n  - {name: b, dummy: {matmul: 8}}",
                "p.yaml:2: stages[0].connect.x: stage 'b' does not come before 'a', so this is a cycle; connect to an "
                "earlier stage"},
        Mistake{"self", two_stages + ", connect: {x: b.y}}",
                "p.yaml:3: stages[1].connect.x: stage 'b' does not come before 'b', so this is a cycle; connect to an "
                "earlier stage"},
        Mistake{"warmup", "batches: 5\nwarmup: 5\n" + two_stages + "}",
                "p.yaml:2: warmup: 5 leaves nothing of 5 batches; use fewer"},
        Mistake{"contention", "contention: {interference: {a: {c: 2}}}\n" + two_stages + "}",
                "p.yaml:1: contention.interference.a.c: unknown key; did you mean 'a'?"},
        Mistake{"twice", two_stages + ", queue: 1, queue: 2}", "p.yaml:3: stages[1].queue: is listed twice; keep one"}),
    [](const auto& tested) { return tested.param.name; });

TEST(PipelineSpec, reads_everything_that_its_header_shows) {
  const TestFolder folder;
  const auto model = folder.write("gather.onnx", open_batch().serialize());
  const auto npu = folder.write("npu.yaml", "{law: table, ops: {Relu: 5000}, unknown_op_ns: 1000}");
  const auto file = folder.write("gnn.yaml", R"(
batches: 200
source: poisson 50/s
in_flight: 8
queue: 3
timeout: 30s
devices:
  CPU: {requests: 2}
  sim:npu: {description: npu.yaml, requests: 1}
contention:
  interference: {infer: {gather: 1.3}}
stages:
  - name: gather
    model: gather.onnx
    device: cpu
    replicas: 2
    precision: F16
    open_shapes: true
    inputs: {x: "{4,3}"}
  - name: infer
    dummy: {time: 5ms}
    queue: 1
    ordered: false
    split: {devices: [sim:GPU, sim:npu], ratio: [0.6, 0.4], verify: true}
)");
  const auto spec = read_pipeline(file);
  EXPECT_EQ(spec.name, "gnn");
  EXPECT_EQ(spec.source.kind, SourceKind::poisson);
  EXPECT_EQ(spec.source.per_second, 50);
  EXPECT_EQ(spec.stages[0].device, "CPU");
  EXPECT_EQ(spec.stages[0].model, model);
  EXPECT_EQ(spec.stages[0].precision, ElementType::f16);
  EXPECT_FALSE(spec.stages[1].precision);
  EXPECT_TRUE(spec.stages[0].open_shapes);
  EXPECT_FALSE(spec.stages[1].open_shapes);
  EXPECT_EQ(description_of(spec, "sim:npu"), npu);
  EXPECT_EQ(device_names(spec), (std::vector<std::string>{"CPU", "sim:GPU", "sim:npu"}));
  const auto shape = flow_shape(spec);
  EXPECT_EQ(shape.devices[0].requests, 2);
  EXPECT_EQ(shape.devices[1].requests, 1) << "a simulated device does one thing at a time";
  EXPECT_EQ(shape.stages[0].queue, 3);
  EXPECT_EQ(shape.stages[0].replicas.size(), 2u);
  EXPECT_EQ(shape.stages[1].replicas, (std::vector<std::vector<int>>{{1, 2}}));
  EXPECT_FALSE(shape.stages[1].ordered);
  EXPECT_TRUE(shape.source.open);
  const auto law = contention_law(spec);
  EXPECT_EQ(law.interference, (std::vector<std::vector<double>>{{1, 1}, {1.3, 1}}));
  EXPECT_EQ(device_names(simulated(spec)).front(), "sim:CPU");
}

/// Four stages on a simulated device, with `rest[s]` in stage s.
std::string four_stages(const std::array<std::string, 4>& rest) {
  std::string text = "stages:\n";
  for (std::size_t s = 0; s < 4; ++s)
    text += fmt::format("  - {{name: {}, dummy: {{matmul: 8}}, device: sim:CPU{}}}\n", "abcd"[s], rest[s]);
  return text;
}

std::vector<std::vector<int>> order_in(const std::array<std::string, 4>& rest) {
  return order_of(parse_pipeline(four_stages(rest), "p.yaml"));
}

TEST(StageOrder, is_that_of_the_list_unless_connections_or_after_say_otherwise) {
  using Order = std::vector<std::vector<int>>;
  EXPECT_EQ(order_in({}), (Order{{}, {0}, {1}, {2}}));
  EXPECT_EQ(order_in({"", "", ", after: a", ", after: [b, c]"}), (Order{{}, {0}, {0}, {1, 2}}));
  EXPECT_EQ(order_in({"", ", after: source", ", after: [a, b]", ""}), (Order{{}, {}, {0, 1}, {2}}));
  EXPECT_EQ(order_in({"", ", connect: {x: a.y}", ", connect: {x: a.y}", ", connect: {x: b.y, z: c.y}"}),
            (Order{{}, {0}, {0}, {1, 2}}));
  // What comes by way of b needs no queue of its own from a.
  EXPECT_EQ(order_in({"", "", ", connect: {x: a.y, z: b.y}", ", connect: {}"}), (Order{{}, {0}, {1}, {2}}));
}

TEST(StageOrder, becomes_the_shape_that_moves) {
  const auto shape = flow_shape(parse_pipeline(four_stages({"", ", after: source", ", after: [a, b]", ""}), "p.yaml"));
  EXPECT_TRUE(shape.stages[0].after.empty());
  EXPECT_EQ(shape.stages[1].after, std::vector{FlowStage::source});
  EXPECT_EQ(shape.stages[2].after, (std::vector{0, 1}));
  EXPECT_TRUE(shape.stages[3].after.empty());
}

TEST(StageOrder, mistakes_are_named_with_line_and_key) {
  EXPECT_EQ(refusal(four_stages({"", ", after: c", "", ""})),
            "p.yaml:3: stages[1].after: the stage 'c' does not exist before 'b'; did you mean 'a'?");
  EXPECT_EQ(
      refusal(four_stages({"", ", after: [source, a]", "", ""})),
      "p.yaml:3: stages[1].after: names the source in addition to stages, which come after it anyway; name only the "
      "stages");
  EXPECT_EQ(refusal(four_stages({"", ", after: []", "", ""})),
            "p.yaml:3: stages[1].after: names nothing; write [a, b], or source");
  EXPECT_EQ(refusal(four_stages({"", "", ", after: a, connect: {x: b.y}", ""})),
            "p.yaml:4: stages[2].connect.x: 'b' may still be running when 'c' starts; add it to 'after'");
  EXPECT_EQ(
      refusal(four_stages({"", ", replicas: 2, ordered: false", ", after: a", ", after: [b, c]"})),
      "p.yaml:2: stages: stage 'b': its batches may overtake each other, but its downstream branches join again; keep "
      "their order");
}

TEST(StageOrder, is_found_at_once_however_many_ways_there_are) {
  std::vector<std::vector<int>> order{{}, {}};
  for (int fork = 1; fork < 300; fork += 3) order.insert(order.end(), {{fork}, {fork}, {fork + 1, fork + 2}});
  EXPECT_TRUE(comes_after(order, 301, 1));
  EXPECT_FALSE(comes_after(order, 301, 0));
  EXPECT_FALSE(comes_after(order, 301, 301));
  EXPECT_FALSE(comes_after(order, 299, 300));
}

std::vector<Link> links_in(const std::string& rest, const std::vector<StagePorts>& ports) {
  return links_into(parse_pipeline(four_stages({"", "", ", after: a", ", after: [b, c]" + rest}), "p.yaml"), 3, ports);
}

TEST(StageOrder, values_come_from_all_stages_before) {
  const auto port = [](const char* name) { return Port{name, ElementType::f32, {}}; };
  const auto tie = [](const std::vector<Link>& links) {
    std::vector<std::array<std::size_t, 3>> found;
    for (const Link& l : links) found.push_back({static_cast<std::size_t>(l.from), l.output, l.input});
    return found;
  };
  using Found = std::vector<std::array<std::size_t, 3>>;
  std::vector<StagePorts> ports(4);
  ports[0].outputs = {port("p")};
  ports[1].outputs = {port("u"), port("v")};
  ports[2].outputs = {port("w")};
  ports[3].inputs = {port("w"), port("u")};
  EXPECT_EQ(tie(links_in("", ports)), (Found{{2, 0, 0}, {1, 0, 1}}));  // by name
  ports[3].inputs = {port("x"), port("y"), port("z"), port("more")};
  EXPECT_EQ(tie(links_in("", ports)), (Found{{1, 0, 0}, {1, 1, 1}, {2, 0, 2}}));  // in order
  EXPECT_EQ(tie(links_in(", connect: {y: a.p}", ports)), (Found{{0, 0, 1}}));     // from further above
}

TEST(PipelineSpec, hostile_text_is_refused_and_never_crashes) {
  const std::string good = two_stages + ", connect: {x: a.y}, inputs: {x: \"{1}\"}}\n";
  for (std::size_t cut = 0; cut <= good.size(); ++cut) refusal(good.substr(0, cut));
  for (const char* text : {"", "[]", "stages: {a: b}", "stages: [[]]", "stages: [{name: [], dummy: {}}]",
                           "devices: []\nstages: []", "? [a]\n: b", "stages: [{name: a, split: {devices: 3}}]",
                           "devices: {[a]: {}}\nstages: [{name: a, dummy: {time: 1ms}, device: sim:CPU}]"})
    EXPECT_NE(refusal(text), "taken") << text;
  EXPECT_NE(refusal(std::string(100'000, '[')), "taken");
}

}  // namespace
}  // namespace takt
