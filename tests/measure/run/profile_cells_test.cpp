// What stands behind which key of the files that `takt run` writes: the profile, its trace, the nodes of a model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "measure/report/model_explorer.h"
#include "measure/report/peer_writer.h"
#include "measure/report/run_trace.h"
#include "measure/run/results.h"

namespace takt {
namespace {

using nlohmann::json;

OpSample full_sample(const char* name, const char* type, std::int64_t start, std::int64_t duration) {
  return with(sample(name, type, start, duration), [](ExecutedNode& node) { node.kernel = "fast"; });
}

UsageSpan span_of(std::size_t runs, std::int64_t first) {
  UsageSpan span{runs, ns(first), {}};
  span.used.run_delay = ns(first + 1), span.used.cpu_time = ns(first + 2), span.used.voluntary_switches = first + 3;
  span.used.involuntary_switches = first + 4, span.used.minor_faults = first + 5, span.used.major_faults = first + 6;
  span.used.machine_busy = ns(first + 7), span.used.steal = ns(first + 8), span.used.throttled = ns(first + 9);
  span.used.mhz = static_cast<double>(first) + 10.5;
  return span;
}

/// Three runs, of which the last is the median; two operators, of which the second is fused and fully told.
RunResult full_runs() {
  RunResult result = profiled_result({{300, {full_sample("n1", "Conv", 5, 41), full_sample("n2", "Add", 50, 42)}},
                                      {100, {full_sample("n1", "Conv", 6, 51), full_sample("n2", "Add", 60, 52)}},
                                      {200, {full_sample("n1", "Conv", 7, 61), full_sample("n2", "Add", 70, 62)}}});
  result.model = "dir/net.onnx", result.device = "GPU", result.precision = ElementType::bf16;
  result.content = ModelContent{{{"net.onnx", 71}, {"net.bin", 72}}, "00ff00ff00ff00ff"};
  result.input_values = {{"x", ElementType::f32, {1, 4}, {}, {}}}, result.input_origins = {"values of x.npy"};
  result.notes = {"a note", "another"};
  result.graph = GraphSketch({2, 4}).op("conv", "Conv", {"x"}).op("add", "Add", {"conv"}).graph("add");
  result.plain.emplace();
  result.plain->samples = {ns(81), ns(82), ns(83)}, result.plain->block_starts = {0};
  result.plain->memory = {1001, {}, 1003}, result.profiled->memory = {2001, 2002, 2003}, result.process_peak = 3001;
  result.plain->usage = {span_of(2, 500), span_of(1, 600)}, result.profiled->usage = {span_of(3, 700)};
  result.profiled->usage[0].used = {};
  result.plain->cache_walks = {ns(91), ns(92)};
  result.profiled->block_starts = {0}, result.profiled->starts = {ns(0), ns(1000), ns(2000)};
  result.profiled->started = ns(7'000'000);
  return result;
}

OpProfile two_rows() {
  OpProfile profile;
  profile.ops.resize(2);
  OpRow &conv = profile.ops[0], &add = profile.ops[1];
  conv.name = "conv", conv.type = "Conv", conv.node = "n1", conv.kernel = "fast", conv.calls = 3, conv.total = ns(153);
  conv.samples = {ns(41), ns(51), ns(61)}, conv.inputs = {"x"}, conv.outputs = {"conv"};
  add.name = "add", add.type = "Add", add.node = "n2", add.kernel = "fast", add.calls = 4, add.total = ns(156);
  add.samples = {ns(42), ns(52), ns(62)}, add.inputs = {"conv"}, add.outputs = {"add"};
  add.model_ops = {"add", "relu"}, add.flops = 11, add.bytes = 12, add.constant_bytes = 13;
  add.plain_mean = Duration(0.014), add.input_shapes = {{2, 4}}, add.output_shapes = {{2, 4}, {5}};
  profile.runs = 3, profile.measured = ns(600), profile.unattributed = ns(291);
  profile.unattributed_samples = {ns(31), ns(32), ns(33)};
  return profile;
}

json profile_file() { return json::parse(to_peer_json(full_runs(), two_rows(), {}, ProfileContent::device_and_host)); }

TEST(Keys, of_a_profile_s_own_part_have_their_values) {
  json takt = profile_file()["takt"];
  takt.erase("provenance");
  EXPECT_EQ(takt["profile"], json::parse(R"({
    "runs": 3, "measured_ns": 600, "unattributed_ns": 291, "median_run": 2, "samples_ns": [300, 100, 200],
    "unattributed_samples_ns": [31, 32, 33], "plain_samples_ns": [81, 82, 83],
    "operators": {
      "1": {"calls": 3, "total_ns": 153, "node": "n1", "kernel": "fast", "constant_bytes": null, "plain_mean_ns": null,
            "fused": [], "tensors": ["x", "conv"], "samples_ns": [41, 51, 61]},
      "3": {"calls": 4, "total_ns": 156, "node": "n2", "kernel": "fast", "constant_bytes": 13, "plain_mean_ns": 14,
            "fused": ["add", "relu"], "samples_ns": [42, 52, 62]}}})"));
  EXPECT_EQ(takt["usage"], json::parse(R"({
    "plain": {"runs": [2, 1], "wall_ns": [500, 600], "run_delay_ns": [501, 601], "cpu_time_ns": [502, 602],
              "voluntary_switches": [503, 603], "involuntary_switches": [504, 604], "minor_faults": [505, 605],
              "major_faults": [506, 606], "machine_busy_ns": [507, 607], "steal_ns": [508, 608],
              "throttled_ns": [509, 609], "mhz": [510.5, 610.5], "cache_walk_ns": [91, 92]},
    "profiled": {"runs": [3], "wall_ns": [700], "run_delay_ns": [null], "cpu_time_ns": [null],
                 "voluntary_switches": [null], "involuntary_switches": [null], "minor_faults": [null],
                 "major_faults": [null], "machine_busy_ns": [null], "steal_ns": [null], "throttled_ns": [null],
                 "mhz": [null]}})"));
  takt.erase("profile"), takt.erase("usage");
  EXPECT_EQ(takt, json::parse(R"({
    "model": {"path": "dir/net.onnx", "files": [{"name": "net.onnx", "bytes": 71}, {"name": "net.bin", "bytes": 72}],
              "fingerprint": "00ff00ff00ff00ff"},
    "inputs": [{"name": "x", "type": "float32", "shape": [1, 4], "origin": "values of x.npy"}],
    "precision": "bfloat16", "notes": ["a note", "another"],
    "profiling_cost": {"ratio": 2.439024, "interval_95": null},
    "memory": {"plain": {"base_bytes": 1001, "load_peak_bytes": null, "run_peak_bytes": 1003},
               "profiled": {"base_bytes": 2001, "load_peak_bytes": 2002, "run_peak_bytes": 2003},
               "weight_bytes": 0, "activation_peak_bytes": 96, "process_peak_bytes": 3001}})"));
}

TEST(Keys, of_a_profile_s_graph_have_their_values) {
  const json graph = profile_file()["graph_exec"];
  EXPECT_EQ(graph["comp_seq"], json::parse(R"(["1", "3"])"));
  EXPECT_EQ(graph["operator"], json::parse(R"({
    "1": {"node_type": "operator", "id": "1", "name": "conv", "type": "Conv", "input": ["0"], "output": ["2"],
          "extra": {"priority": 0, "input_update_time": 0, "dfs_step_num": 0}, "waiting_spec": {}},
    "3": {"node_type": "operator", "id": "3", "name": "add", "type": "Add", "input": ["2"], "output": ["4"],
          "extra": {"priority": 0, "input_update_time": 0, "dfs_step_num": 1}, "waiting_spec": {}}})"));
  EXPECT_EQ(graph["var"]["2"], json::parse(R"({
    "node_type": "var", "id": "2", "name": "conv", "comp_node": "GPU", "flag": [],
    "mem_plan": {"mem_chunk_id": "chk2", "offset_byte": 0,
                 "layout": {"shape": [2, 4], "stride": [4, 1], "dtype": "Float32"}},
    "dev_ptr": null, "prev_dev_ptr": 0, "mem_readonly_fwd_src": null, "force_update_src": null,
    "static_infer_tags": {}})"));
  EXPECT_EQ(graph["mem_chunk"]["chk4"], json::parse(R"({
    "node_type": "mem_chunk", "id": "chk4", "size": 32, "owner_var": "4", "dev_ptr": null})"));
}

// The times of the third run, in seconds.
TEST(Keys, of_a_profile_s_times_have_their_values) {
  const json times = profile_file()["profiler"];
  EXPECT_EQ(times["device"], json::parse(R"({
    "1": {"GPU": {"start": 0.000000007, "kern": 0.000000007, "end": 0.000000068}},
    "3": {"GPU": {"start": 0.000000070, "kern": 0.000000070, "end": 0.000000132}}})"));
  EXPECT_EQ(times["host"]["1"], json::parse(R"({"main": {"start": 7e-9, "kern": 7e-9, "end": 68e-9}})"));
  EXPECT_EQ(times["opr_footprint"], json::parse(R"({
    "1": {"computation": null, "param": {}},
    "3": {"computation": 11, "memory": 12, "in_shapes": [[2, 4]], "out_shapes": [[2, 4], [5]], "param": {}}})"));
}

std::string told(const Trace& trace, const TraceEvent& event) {
  std::string text =
      fmt::format("{} {} {} {}", trace.text(event.name), trace.text(event.category), event.start_ns, event.duration_ns);
  for (const TraceArg arg : trace.args(event)) {
    const auto* word = std::get_if<StringId>(&arg.value);
    text += fmt::format(" {}={}", trace.text(arg.key),
                        word ? trace.text(*word) : fmt::format("{}", std::get<std::int64_t>(arg.value)));
  }
  return text;
}

TEST(Keys, of_a_run_s_trace_have_their_values) {
  RunResult result = full_runs();
  for (OpSample& op : result.profiled->ops[2]) op = with(op, [](ExecutedNode& node) { node.model_ops = {"a", "b"}; });
  const Trace trace = make_trace(result, two_rows(), {});
  EXPECT_EQ(trace.base_time(), ns(7'000'000));
  EXPECT_EQ(trace.processes()[0].name, "sim GPU");
  EXPECT_EQ(trace.rows()[1].name, "GPU operators");
  ASSERT_EQ(trace.events().size(), 9u);
  EXPECT_EQ(told(trace, trace.events()[3]), "run 1 run 1000 100 run=1 runtime=sim device=GPU");
  EXPECT_EQ(told(trace, trace.events()[5]), "add Add 1060 52 run=1 type=Add node=n2 kernel=fast");
  EXPECT_EQ(told(trace, trace.events()[7]), "conv Conv 2007 61 run=2 type=Conv node=n1 kernel=fast fused=a+b");
}

// 153 and 156 ns in three runs; 291 that nobody claims.
TEST(Keys, of_a_model_s_nodes_have_their_values) {
  RunResult result = full_runs();
  result.graph->name = "net";
  const NodeData data = to_model_explorer(result, two_rows());
  const json node = json::parse(data.json)["net"];
  EXPECT_EQ(node["name"], "takt: mean time, us (sim on GPU)");
  EXPECT_EQ(node["results"], json::parse(R"({"conv": {"value": 0.051}, "add": {"value": 0.052}})"));
  EXPECT_DOUBLE_EQ(data.shown.count(), 0.103);
  EXPECT_DOUBLE_EQ(data.not_shown.count(), 0.097);
}

}  // namespace
}  // namespace takt
