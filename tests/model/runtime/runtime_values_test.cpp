// Values of the simulated devices, and small words of every runtime, with what they are worked out from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "model/runtime/generated_values.h"
#include "model/runtime/models.h"
#include "model/runtime/ports.h"
#include "model/runtime/precision.h"
#include "model/sim/device_description.h"
#include "model/sim/plan.h"
#include "model/sim/simulated.h"

namespace takt {
namespace {

using testing::ElementsAre;

TEST(DeviceDescription, of_the_built_in_devices_in_full) {
  struct BuiltIn {
    const char *name, *description;
    double flops, bandwidth;
    std::int64_t launch, unknown, overhead;
  };
  for (const auto& expected : {BuiltIn{"CPU", "simulated CPU", 2e11, 2e10, 2000, 5000, 10'000},
                               BuiltIn{"GPU", "simulated GPU", 4e12, 2e11, 8000, 15'000, 30'000},
                               BuiltIn{"NPU", "simulated NPU", 8e12, 6e10, 12'000, 40'000, 60'000}}) {
    const DeviceDescription device = find_device_description(expected.name, {});
    EXPECT_EQ(device.description, expected.description);
    ASSERT_TRUE(device.law.roofline);
    EXPECT_EQ(device.law.roofline->flops_per_second, expected.flops);
    EXPECT_EQ(device.law.roofline->bytes_per_second, expected.bandwidth);
    EXPECT_EQ(device.law.roofline->launch.count(), expected.launch);
    EXPECT_EQ(device.law.otherwise.count(), expected.unknown);
    EXPECT_EQ(device.overhead.count(), expected.overhead);
    EXPECT_FALSE(device.virtual_clock || device.compute || device.fault);
    EXPECT_EQ(device.noise.shape, NoiseShape::none);
  }
  EXPECT_THAT(built_in_devices(), ElementsAre("CPU", "GPU", "NPU"));
  EXPECT_TRUE(find_device_description("CPU", {}).unsupported_ops.empty());
  EXPECT_THAT(find_device_description("npu", {}).unsupported_ops,
              ElementsAre("If", "Loop", "NonZero", "Scan", "ScatterElements", "ScatterND"));
}

TEST(DeviceDescription, every_key_has_its_place) {
  const DeviceDescription device = parse_device_description(
      "name: edge\ndescription: an edge\nlaw: table\nunknown_op_ns: 7.6\noverhead_ns: 11\nclock: virtual\ncompute: "
      "true\n"
      "ops: {Conv: {fixed_ns: 1.5, ns_per_flop: 2.5, ns_per_byte: 3.5}, Relu: 13}\nunsupported_ops: [If, Loop]\n"
      "noise: {shape: gaussian, sigma: 0.25}\nfails: {as: memory, from_bytes: 17}\n"
      "shares: {bus: {law: queue, pressure: 0.125, sensitivity: 0.5, ops: {Conv: {pressure: 0.75, sensitivity: 1}}}}\n",
      "edge.yaml");
  EXPECT_EQ(device.name, "edge");
  EXPECT_EQ(device.description, "an edge");
  EXPECT_FALSE(device.law.roofline);
  EXPECT_EQ(device.law.otherwise.count(), 8) << "whole nanoseconds";
  EXPECT_EQ(device.overhead.count(), 11);
  EXPECT_TRUE(device.virtual_clock && device.compute);
  const LinearLaw &conv = device.law.by_type.at("Conv"), &relu = device.law.by_type.at("Relu");
  EXPECT_EQ((std::vector{conv.fixed_ns, conv.ns_per_flop, conv.ns_per_byte}), (std::vector{1.5, 2.5, 3.5}));
  EXPECT_EQ((std::vector{relu.fixed_ns, relu.ns_per_flop, relu.ns_per_byte}), (std::vector{13.0, 0.0, 0.0}));
  EXPECT_THAT(device.unsupported_ops, ElementsAre("If", "Loop"));
  EXPECT_EQ(device.noise.shape, NoiseShape::gaussian);
  EXPECT_EQ(device.noise.sigma, 0.25);
  ASSERT_TRUE(device.fault);
  EXPECT_EQ(device.fault->kind, DeviceFault::Kind::memory);
  EXPECT_EQ(device.fault->from_bytes, 17);
  const DescribedResource& bus = device.shares.at("bus");
  EXPECT_EQ(bus.law, PressureLaw::queue);
  EXPECT_EQ((std::vector{bus.otherwise.pressure, bus.otherwise.sensitivity}), (std::vector{0.125, 0.5}));
  EXPECT_EQ((std::vector{bus.by_type.at("Conv").pressure, bus.by_type.at("Conv").sensitivity}),
            (std::vector{0.75, 1.0}));
}

TEST(DeviceDescription, numbers_at_their_borders) {
  const std::string roofline = "peak_flops_per_s: 1\nbandwidth_bytes_per_s: 1\nunknown_op_ns: 0\n";
  const auto accepted = [](const std::string& text) {
    try {
      parse_device_description(text, "edge.yaml");
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  EXPECT_TRUE(accepted(roofline)) << "the least of each";
  EXPECT_TRUE(accepted("peak_flops_per_s: 1e21\nbandwidth_bytes_per_s: 1e18\nunknown_op_ns: 3.6e12\n"));
  EXPECT_FALSE(accepted("peak_flops_per_s: 1.1e21\nbandwidth_bytes_per_s: 1e18\nunknown_op_ns: 1\n"));
  EXPECT_FALSE(accepted("peak_flops_per_s: 1e21\nbandwidth_bytes_per_s: 1.1e18\nunknown_op_ns: 1\n"));
  EXPECT_FALSE(accepted("peak_flops_per_s: 0.9\nbandwidth_bytes_per_s: 1\nunknown_op_ns: 1\n"));
  EXPECT_FALSE(accepted("peak_flops_per_s: 1\nbandwidth_bytes_per_s: 0.9\nunknown_op_ns: 1\n"));
  EXPECT_FALSE(accepted("peak_flops_per_s: 1\nbandwidth_bytes_per_s: 1\n")) << "what others take is not told";
  for (const auto& [key, most, more] : {std::tuple{"launch_ns: ", "3.6e12", "3.7e12"},
                                        {"overhead_ns: ", "3.6e12", "3.7e12"},
                                        {"ops: {Conv: ", "3.6e12}", "3.7e12}"},
                                        {"ops: {Conv: {fixed_ns: ", "3.6e12}}", "3.7e12}}"},
                                        {"ops: {Conv: {ns_per_flop: ", "1e6}}", "1.1e6}}"},
                                        {"ops: {Conv: {ns_per_byte: ", "1e6}}", "1.1e6}}"},
                                        {"noise: {shape: lognormal, sigma: ", "10}", "10.1}"},
                                        {"fails: {as: lost, from_bytes: ", "1125899906842624}", "1125899906842625}"},
                                        {"shares: {m: {pressure: ", "1}}", "1.1}}"},
                                        {"shares: {m: {sensitivity: ", "1}}", "1.1}}"},
                                        {"shares: ", "{a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {}}",
                                         "{a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {}, i: {}}"}}) {
    EXPECT_TRUE(accepted(roofline + key + most + "\n")) << key << most;
    EXPECT_FALSE(accepted(roofline + key + more + "\n")) << key << more;
  }
  for (const char* key : {"peak_flops_per_s", "bandwidth_bytes_per_s", "launch_ns"})
    EXPECT_FALSE(accepted("law: table\nunknown_op_ns: 1\nops: {}\n" + std::string(key) + ": 5\n")) << key;
  EXPECT_TRUE(accepted("law: table\nunknown_op_ns: 1\nops: {}\n"));
}

TEST(DeviceDescription, every_way_to_fail_has_its_word) {
  using Kind = DeviceFault::Kind;
  for (const auto& [word, kind] :
       {std::pair{"lost", Kind::lost}, {"memory", Kind::memory}, {"crash", Kind::crash}, {"hang", Kind::hang}}) {
    const auto device = parse_device_description(
        "peak_flops_per_s: 1\nbandwidth_bytes_per_s: 1\nunknown_op_ns: 0\nfails: {as: " + std::string(word) + "}\n",
        "edge.yaml");
    EXPECT_EQ(device.fault.value().kind, kind) << word;
    EXPECT_EQ(device.fault.value().from_bytes, 0) << word;
  }
}

/// x n×3 and z n×m, of which y is n×3 and r m.
Graph of_open_sizes() {
  ModelBuilder b;
  b.symbolic_input("x", ElementType::f32, "n,3");
  b.symbolic_input("z", ElementType::i64, "n,m");
  b.node("Relu", {"x"}, {}, {.name = "first", .outputs = {"y"}});
  b.node("Strange", {"z", ""}, {}, {.name = "second", .outputs = {"r", "", "u"}});
  b.symbolic_output("y", ElementType::f32, "n,3");
  b.symbolic_output("r", ElementType::i64, "m");
  b.output("u");
  return b.build().graph;
}

TEST(SimPlan, sizes_of_inputs_are_those_of_all_tensors_of_their_symbols) {
  const Graph graph = with_input_shapes(of_open_sizes(), {{"x", {5, 3}}, {"z", {5, 7}}}, "m.onnx");
  const auto told = [&](const char* name) {
    const Tensor& tensor = graph.tensor(graph.find_tensor(name).value());
    return (tensor.shape ? to_string(*tensor.shape) : "?") + " " + std::to_string(tensor.bytes.value_or(-1));
  };
  EXPECT_EQ(told("x"), "{5,3} 60");
  EXPECT_EQ(told("z"), "{5,7} 280");
  EXPECT_EQ(told("y"), "{5,3} 60");
  EXPECT_EQ(told("r"), "{7} 56");
  EXPECT_EQ(told("u"), "? -1");
  const Graph half = with_input_shapes(of_open_sizes(), {{"x", {5, 3}}}, "m.onnx");
  EXPECT_EQ(to_string(*half.tensor(half.find_tensor("z").value()).shape), "{5,m}");
}

TEST(SimPlan, operators_follow_each_other_with_their_tensors) {
  const Graph graph = with_input_shapes(of_open_sizes(), {{"x", {5, 3}}, {"z", {5, 7}}}, "m.onnx");
  const DeviceDescription device = parse_device_description(
      "law: table\nunknown_op_ns: 7\nops: {Relu: {fixed_ns: 10, ns_per_flop: 2, ns_per_byte: 1}}\n", "d");
  const auto plan = plan_ops(graph, device, "m.onnx");
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[0].start.count(), 0);
  EXPECT_EQ(plan[0].duration.count(), 10 + 2 * 15 + 120) << "15 comparisons, 60 bytes in and 60 out";
  EXPECT_EQ(plan[1].start.count(), 160);
  EXPECT_EQ(plan[1].duration.count(), 7);
  const ExecutedNode &first = *plan[0].node, &second = *plan[1].node;
  EXPECT_EQ(first.name + " " + first.type, "first Relu");
  EXPECT_THAT(first.model_ops, ElementsAre("first"));
  EXPECT_THAT(first.inputs, ElementsAre("x"));
  EXPECT_THAT(first.outputs, ElementsAre("y"));
  EXPECT_THAT(first.input_shapes, ElementsAre(Shape{5, 3}));
  EXPECT_THAT(second.inputs, ElementsAre("z"));
  EXPECT_THAT(second.input_shapes, ElementsAre(Shape{5, 7}));
  EXPECT_THAT(second.outputs, ElementsAre("r", "u"));
  EXPECT_THAT(second.output_shapes, testing::IsEmpty()) << "not of both";
  DeviceDescription poor = device;
  poor.name = "poor", poor.unsupported_ops = {"Strange"};
  try {
    plan_ops(graph, poor, "m.onnx");
    ADD_FAILURE() << "planned";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_STREQ(error.what(),
                 "m.onnx: sim:poor does not support operator 'second' of type Strange; use another device");
  }
}

class SimSessions : public testing::Test {
 protected:
  std::unique_ptr<Session> open(const std::string& more, bool profile_ops = true, std::uint64_t seed = 9) {
    const auto path = folder_.write("model.onnx", conv_matmul().serialize());
    model_ = read_onnx(path);
    SessionSettings settings;
    settings.device = "sim:edge", settings.profile_ops = profile_ops, settings.seed = seed;
    settings.device_description = folder_.write(
        "edge.yaml", "law: table\nclock: virtual\nunknown_op_ns: 7\noverhead_ns: 1000\nops: {Conv: 100}\n" + more);
    return runtime_->open(path, &model_.graph, settings);
  }
  static HostTensor ones() { return floats("x", {1, 1, 4, 4}, std::vector<float>(16, 1.0f)); }
  static std::string said(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(text.find("model.onnx"));
    }
    return "done";
  }

  TestFolder folder_;
  OnnxModel model_;
  std::unique_ptr<Runtime> runtime_ = make_runtime("sim");
};

TEST_F(SimSessions, fail_from_so_many_bytes_of_inputs_on) {
  const auto run_with = [&](const std::string& bytes) {
    const auto session = open("name: small\nfails: {as: memory, from_bytes: " + bytes + "}\n");
    session->set_inputs({ones()});  // of 64 bytes
    const std::string run = said([&] { session->run(); });
    EXPECT_EQ(said([&] {
                const auto request = session->make_request();
                request->start_async([](Nanoseconds, std::optional<std::string>) {});
                request->wait();
              }),
              run);
    return run;
  };
  EXPECT_EQ(run_with("64"), "model.onnx: sim: sim:small is out of memory, as its description says");
  EXPECT_EQ(run_with("65"), "done");
}

TEST_F(SimSessions, a_lost_device_is_named) {
  const auto session = open("name: gone\nfails: {as: lost}\n");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(said([&] { session->run(); }), "model.onnx: sim: sim:gone: device lost, as its description says");
}

TEST_F(SimSessions, tell_of_themselves) {
  const auto session = open("name: edge\n");
  EXPECT_FALSE(session->keeps_real_time());
  EXPECT_EQ(session->copy_outputs(), Nanoseconds(0));
  ASSERT_TRUE(session->concurrency());
  EXPECT_EQ(session->concurrency()->requests, 1);
  EXPECT_EQ(session->concurrency()->streams, 1);
  EXPECT_EQ(session->concurrency()->threads, std::nullopt);
  EXPECT_THAT(session->notes(), ElementsAre("sim:edge is simulated: times follow its description, not hardware",
                                            "virtual clock: no real time passed",
                                            "outputs are generated values of the right shape, not computed"));
}

TEST_F(SimSessions, operators_are_told_of_the_last_run_where_asked_for) {
  const auto session = open("name: edge\n"), other = open("name: edge\n", false);
  EXPECT_FALSE(session->last_ops()) << "nothing ran";
  session->run(), other->run();
  EXPECT_FALSE(other->last_ops());
  std::vector<std::int64_t> times;
  const auto ops = session->last_ops().value();
  for (const OpSample& op : ops) times.push_back(op.start.count()), times.push_back(op.duration.count());
  EXPECT_THAT(times, ElementsAre(0, 100, 100, 7, 107, 7, 114, 7));
}

TEST_F(SimSessions, outputs_are_drawn_from_the_seed_and_the_number_of_the_output) {
  const auto session = open("name: edge\n");
  const auto made = session->outputs_of_last_run();
  ASSERT_EQ(made.size(), 1u);
  const Port port{"z", ElementType::f32, {}};
  EXPECT_EQ(made[0].bytes, generate_values(port, {1, 1}, 9).bytes);
  const auto first = session->make_request(), second = session->make_request();
  EXPECT_EQ(first->outputs()[0].bytes, generate_values(port, {1, 1}, 10).bytes);
  EXPECT_EQ(second->outputs()[0].bytes, generate_values(port, {1, 1}, 11).bytes);
  const TakenOutputs taken = first->take_outputs();
  EXPECT_EQ(taken.copied_bytes, 0);
  EXPECT_EQ(taken.values.at(0)->bytes, first->outputs()[0].bytes);
}

TEST_F(SimSessions, what_a_simulated_device_does_not_have_is_refused) {
  const auto path = folder_.write("model.onnx", conv_matmul().serialize());
  const auto refused = [&](const std::function<void(SessionSettings&)>& ask) {
    SessionSettings settings;
    settings.device = "sim:CPU";
    ask(settings);
    return said([&] { runtime_->open(path, nullptr, settings); });
  };
  EXPECT_EQ(refused([](SessionSettings& s) { s.streams = 1; }), "done");
  EXPECT_EQ(refused([](SessionSettings& s) { s.streams = 2; }),
            "model.onnx: sim: a simulated device has one stream; leave out --streams");
  EXPECT_EQ(refused([](SessionSettings& s) { s.executed_graph = "e.xml"; }),
            "model.onnx: sim: a simulated device executes no graph; leave out --executed-graph");
  EXPECT_EQ(refused([](SessionSettings& s) {
              s.properties = {{"a", "b"}};
            }),
            "model.onnx: sim: a simulated device has no properties; leave out --property");
}

TEST(SimulatedShares, of_several_operators_are_those_of_each_by_its_time) {
  const TestFolder folder;
  const auto file =
      folder.write("edge.yaml",
                   "law: table\nunknown_op_ns: 7\noverhead_ns: 100\nops: {Conv: 200, Relu: 100}\n"
                   "shares: {memory: {law: queue, pressure: 0.25, sensitivity: 0.75, ops: {Conv: {pressure: 0.5, "
                   "sensitivity: 1}}}, bus: {pressure: 1}}\n");
  const SimulatedDevice device("sim:edge", file);
  const auto idle = device.shared_uses(nullptr, "m");
  EXPECT_EQ(idle.at("memory").law, PressureLaw::queue);
  EXPECT_EQ(idle.at("memory").pressure, 0.25);
  EXPECT_EQ(idle.at("memory").sensitivity, 0.75);
  EXPECT_EQ(idle.at("bus").pressure, 1);
  EXPECT_EQ(idle.at("bus").sensitivity, 0);
  ModelBuilder b;
  b.input("x", ElementType::f32, {1, 1, 4, 4});
  b.node("Conv", {"x", b.weight({1, 1, 3, 3})}, {}, {.outputs = {"c"}});
  b.output(b.node("Relu", {"c"}));
  const Graph graph = b.build().graph;
  EXPECT_THAT(device.op_times(graph, "m"), ElementsAre(Nanoseconds(200), Nanoseconds(100)));
  // Half of 400 ns are the convolution's, a quarter the other's, and a quarter nobody's.
  const auto uses = device.shared_uses(&graph, "m");
  EXPECT_DOUBLE_EQ(uses.at("memory").pressure, 0.5 * 0.5 + 0.25 * 0.25);
  EXPECT_DOUBLE_EQ(uses.at("memory").sensitivity, 0.5 * 1 + 0.25 * 0.75);
  EXPECT_DOUBLE_EQ(uses.at("bus").pressure, 0.75);
  EXPECT_EQ(uses.at("memory").law, PressureLaw::queue);
}

template <typename Number>
std::vector<Number> numbers_of(const HostTensor& tensor) {
  std::vector<Number> numbers(tensor.bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

TEST(GeneratedValues, are_these_on_every_system) {
  LongRandom random(5);
  std::vector<std::uint64_t> drawn(4);
  for (auto& one : drawn) one = random();
  const auto floats_made = numbers_of<float>(generate_values({"x", ElementType::f32, {}}, {4}, 5));
  const auto doubles = numbers_of<double>(generate_values({"x", ElementType::f64, {}}, {4}, 5));
  const auto wholes = numbers_of<std::int64_t>(generate_values({"x", ElementType::i64, {}}, {2, 2}, 5));
  const auto bytes = numbers_of<std::uint8_t>(generate_values({"x", ElementType::boolean, {}}, {4}, 5));
  for (std::size_t i = 0; i < 4; ++i) {
    const float expected =
        static_cast<float>(static_cast<std::int64_t>(drawn[i] / (std::uint64_t{1} << 40)) - (1 << 23)) / (1 << 23);
    EXPECT_EQ(floats_made[i], expected) << "one of 2^24 steps from -1";
    EXPECT_EQ(doubles[i], expected);
    EXPECT_EQ(wholes[i], drawn[i] >= std::uint64_t{1} << 63) << "0 or 1";
    EXPECT_EQ(bytes[i], wholes[i]);
  }
}

TEST(GeneratedValues, of_every_type) {
  EXPECT_FALSE(can_generate(ElementType::undefined));
  for (int number = 1; number <= 26; ++number) EXPECT_TRUE(can_generate(static_cast<ElementType>(number))) << number;
}

TEST(Precision, has_short_names) {
  for (const auto& [type, name] :
       {std::pair{ElementType::f32, "f32"}, {ElementType::f16, "f16"}, {ElementType::bf16, "bf16"}}) {
    EXPECT_EQ(precision_name(type), name);
    EXPECT_EQ(precision_named(name), type);
  }
  EXPECT_EQ(precision_named("BF16"), ElementType::bf16);
  EXPECT_EQ(precision_named("i8"), std::nullopt);
  EXPECT_EQ(precision_named(""), std::nullopt);
  EXPECT_EQ(precision_name(ElementType::i8), "int8");
}

TEST(MovesData, of_what_brings_data_in_out_or_into_another_form) {
  for (const char* type : {"Input", "parameter", "OUTPUT", "Result", "Reorder", "Convert", "Cast"})
    EXPECT_TRUE(moves_data(type)) << type;
  for (const char* type : {"Conv", "Reshape", "", "Inputs", "Transpose"}) EXPECT_FALSE(moves_data(type)) << type;
}

TEST(HeldBytes, are_those_of_numbers_and_of_texts) {
  EXPECT_EQ(held_bytes(floats("x", {3}, {1, 2, 3})), 12);
  EXPECT_EQ(held_bytes({"x", ElementType::string, {3}, {}, {"abc", "", "de"}}), 5);
  EXPECT_EQ(held_bytes({}), 0);
}

TEST(HintName, is_the_word_of_the_option) {
  EXPECT_EQ(hint_name(Hint::latency), "latency");
  EXPECT_EQ(hint_name(Hint::throughput), "throughput");
}

TEST(SharedWeightsOfRuntimes, need_a_cpu_and_no_file) {
  const auto could = [](const std::function<void(SessionSettings&)>& change) {
    SessionSettings settings;
    settings.device = "cpu";
    change(settings);
    return could_share_weights(settings);
  };
  EXPECT_TRUE(could([](SessionSettings&) {}));
  EXPECT_FALSE(could([](SessionSettings& s) { s.device = "GPU"; }));
  EXPECT_FALSE(could([](SessionSettings& s) { s.cache = "c"; }));
  EXPECT_FALSE(could([](SessionSettings& s) { s.optimised_model = "o"; }));
  EXPECT_FALSE(could([](SessionSettings& s) { s.executed_graph = "e"; }));
  EXPECT_FALSE(could([](SessionSettings& s) { s.all_tensors = true; }));
}

TEST(Ports, of_a_graph_have_what_it_says_of_their_tensors) {
  const Graph graph = of_open_sizes();
  const auto ports = ports_of(graph, {graph.inputs[1], graph.outputs[0], graph.outputs[2]});
  ASSERT_EQ(ports.size(), 3u);
  EXPECT_EQ(ports[0].name + to_string(ports[0].shape), "z{n,m}");
  EXPECT_EQ(ports[0].type, ElementType::i64);
  EXPECT_EQ(ports[1].name + to_string(ports[1].shape), "y{n,3}");
  EXPECT_EQ(ports[2].name + to_string(ports[2].shape), "u{}") << "not known";
}

/// A request that tells these operators.
struct ToldRequest : Request {
  std::optional<std::vector<OpSample>> ops;
  std::vector<HostTensor> made;
  std::int64_t set_input(std::size_t, SharedTensor) override { return 0; }
  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)>) override {}
  void wait() override {}
  std::vector<HostTensor> outputs() override { return made; }
  std::optional<std::vector<OpSample>> last_ops() override { return ops; }
};

TEST(Requests, totals_count_each_moment_once) {
  ToldRequest request;
  EXPECT_FALSE(request.last_totals());
  const auto op = [](const char* type, int lasts, int inside) {
    ExecutedNode node;
    node.type = type;
    OpSample sample;
    sample.node = std::make_shared<const ExecutedNode>(node);
    sample.duration = Nanoseconds(lasts), sample.inside = Nanoseconds(inside);
    return sample;
  };
  request.ops.emplace();
  for (const OpSample& one : {op("Loop", 100, 30), op("Add", 20, 0), op("Reorder", 10, 3), op("Convert", 5, 0)})
    request.ops->push_back(one);
  const OpTotals totals = request.last_totals().value();
  EXPECT_EQ(totals.all, Nanoseconds(70 + 20 + 7 + 5));
  EXPECT_EQ(totals.moving, Nanoseconds(7 + 5));
}

TEST(Requests, outputs_that_are_taken_are_copies_where_nothing_better_is_known) {
  ToldRequest request;
  request.made = {floats("a", {2}, {1, 2}), {"b", ElementType::string, {1}, {}, {"xyz"}}};
  const TakenOutputs taken = request.take_outputs();
  EXPECT_EQ(taken.copied_bytes, 8 + 3);
  ASSERT_EQ(taken.values.size(), 2u);
  EXPECT_EQ(taken.values[0]->name, "a");
  EXPECT_EQ(taken.values[1]->strings, std::vector<std::string>{"xyz"});
}

}  // namespace
}  // namespace takt
