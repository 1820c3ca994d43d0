#include "measure/compare/profile_reader.h"

#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "measure/report/peer_writer.h"
#include "measure/run/results.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& json) {
  try {
    parse_recorded_profile(json, "p.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const std::string head =
    R"({"profiler": {}, "graph_exec": {"operator": {"0": {"name": "a", "type": "Relu", "id": "0"}}}, "takt": )";
const std::string operators = R"("operators": {"0": {"samples_ns": [1, 2]}})";

TEST(ProfileReader, reads_back_what_the_writer_wrote) {
  RunResult result = profiled_result({
      {100, {sample("conv", "Conv", 0, 60, {"c", "relu"}), sample("a\"\\\n", "Relu", 60, 30)}},
      {90, {sample("conv", "Conv", 0, 50, {"c", "relu"})}},
  });
  Provenance provenance;
  provenance.command = {"takt", "run", "--device", "sim:x", "dir/m.onnx"};
  provenance.runtime = "sim", provenance.device = "sim:x", provenance.host = "h", provenance.cpu = "c";
  const OpProfile ops = profile_ops(result);
  const auto profile =
      parse_recorded_profile(to_peer_json(result, ops, provenance, ProfileContent::device_and_host), "p.json");
  EXPECT_EQ(profile.from.model, "model.onnx");
  EXPECT_EQ(profile.from.runtime, "sim");
  EXPECT_EQ(profile.from.device, "sim:x");
  EXPECT_EQ(profile.from.host, "h");
  EXPECT_THAT(profile.samples, ElementsAre(ns(100), ns(90)));
  EXPECT_TRUE(profile.plain_samples.empty());
  EXPECT_FALSE(profile.waiting_share);
  ASSERT_EQ(profile.ops.size(), 2u);
  EXPECT_EQ(profile.ops[0].name, ops.ops[0].name);
  EXPECT_THAT(profile.ops[0].fused, ElementsAre("c", "relu"));
  EXPECT_THAT(profile.ops[0].samples, ElementsAre(ns(60), ns(50)));
  EXPECT_EQ(profile.ops[1].name, "a\"\\\n");
  EXPECT_THAT(profile.ops[1].samples, ElementsAre(ns(30), ns(0)));
}

TEST(ProfileReader, reads_back_under_what_conditions_it_was_measured) {
  RunResult result = profiled_result({{100, {sample("conv", "Conv", 0, 60, {"c"})}}});
  result.model = "dir/m.onnx";
  result.content = ModelContent{{{"m.onnx", 10}, {"weights.bin", 90}}, "00ff"};
  result.precision = ElementType::bf16;
  result.input_values = {{"x \"1\"", ElementType::f32, {1, 3}, {}, {}}, {"scalar", ElementType::i64, {}, {}, {}}};
  result.input_origins = {"values of cat.npy", "generated values"};
  result.notes = {"a \"note\""};
  Provenance provenance;
  provenance.device = "CPU", provenance.settings = {{"threads", "1"}};
  const auto from =
      parse_recorded_profile(to_peer_json(result, profile_ops(result), provenance, ProfileContent::device_and_host),
                             "p.json")
          .from;
  EXPECT_EQ(from.model, "m.onnx");
  EXPECT_EQ(from.content, "00ff");
  EXPECT_EQ(from.precision, "bfloat16");
  EXPECT_EQ(from.settings.at("threads"), "1");
  ASSERT_TRUE(from.inputs && from.inputs->size() == 2);
  EXPECT_EQ((*from.inputs)[0].name, "x \"1\"");
  EXPECT_EQ((*from.inputs)[0].type, "float32");
  EXPECT_EQ((*from.inputs)[0].shape, "{1,3}");
  EXPECT_EQ((*from.inputs)[0].origin, "values of cat.npy");
  EXPECT_EQ((*from.inputs)[1].shape, "{}");
}

TEST(ProfileReader, an_older_profile_without_conditions_is_read) {
  const auto profile =
      parse_recorded_profile(head + R"({"profile": {"samples_ns": [3, 4], )" + operators + "}}}", "p.json");
  EXPECT_FALSE(profile.from.inputs);
  EXPECT_EQ(profile.from.content, "");
  EXPECT_FALSE(profile.virtual_clock);
}

/// ONNX Runtime's profile of runs that take 20 us in one node and 100 us in all.
std::string ort_profile(int runs) {
  std::string text = "[\n";
  for (int run = 0; run < runs; ++run) {
    const int start = 1000 * run;
    text += R"({"cat":"Node","pid":1,"tid":1,"dur":20,"ts":)" + std::to_string(start + 5) +
            R"(,"ph":"X","name":"n0_kernel_time","args":{"op_name":"Relu","provider":"CPUExecutionProvider"}},)" +
            R"({"cat":"Session","pid":1,"tid":1,"dur":100,"ts":)" + std::to_string(start) +
            R"(,"ph":"X","name":"model_run","args":{}})" + (run + 1 < runs ? ",\n" : "\n]");
  }
  return text;
}

TEST(ProfileReader, reads_the_samples_of_other_programs) {
  const auto ort = parse_recorded_profile(ort_profile(6), "o.json");
  EXPECT_EQ(ort.kind, "ONNX Runtime profile");
  EXPECT_EQ(ort.from.runtime, "onnxruntime");
  EXPECT_THAT(ort.samples, testing::Each(Nanoseconds(100'000)));
  ASSERT_EQ(ort.ops.size(), 1u);
  EXPECT_EQ(ort.ops[0].name, "n0");
  EXPECT_EQ(ort.ops[0].samples.size(), 6u);
  const std::string layers = "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms)\n";
  const std::string request = layers + "a;EXECUTED;Conv;jit;0.5;0.5\nb;EXECUTED;Relu;jit;0.25;0.2\n";
  const auto app = parse_recorded_profile(request + request, "benchmark_detailed_counters_report.csv");
  EXPECT_EQ(app.from.runtime, "openvino");
  EXPECT_THAT(app.samples, ElementsAre(Nanoseconds(750'000), Nanoseconds(750'000)));
}

TEST(ProfileReader, says_why_means_cannot_be_compared) {
  const std::string report =
      "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms)\na;EXECUTED;Conv;jit;0.5;0.5\n";
  try {
    parse_recorded_profile(report, "benchmark_average_counters_report.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a mean alone does not show how large the noise is; run benchmark_app with"));
  }
}

TEST(ProfileReader, the_waiting_share_leaves_out_what_the_system_did_not_tell) {
  const auto profile = parse_recorded_profile(
      head + R"({"profile": {"samples_ns": [3, 4], )" + operators +
          R"(}, "usage": {"plain": {"run_delay_ns": [10, null], "cpu_time_ns": [70, 20]}, "profiled": {}}}})",
      "p.json");
  ASSERT_TRUE(profile.waiting_share);
  EXPECT_DOUBLE_EQ(*profile.waiting_share, 0.1);
}

TEST(ProfileReader, refuses_with_the_cause) {
  EXPECT_THAT(refusal(""), HasSubstr("p.json: is empty"));
  EXPECT_THAT(refusal("[1"), HasSubstr("p.json: is JSON, but neither a profile nor a list of trace events"));
  EXPECT_THAT(refusal("1"), HasSubstr("p.json: is JSON, but not an object"));
  EXPECT_THAT(refusal(head + "{}"), HasSubstr("p.json: is not well-formed JSON"));
  EXPECT_THAT(refusal(head + "{]}"), HasSubstr("is not well-formed JSON"));
  EXPECT_THAT(refusal(R"({"takt": {}})"), HasSubstr("has no 'graph_exec.operator'"));
  EXPECT_THAT(refusal(R"({"graph_exec": {"operator": {}}, "profiler": {}})"), HasSubstr("has no key 'takt'"));
  EXPECT_THAT(refusal(head + "{}}"), HasSubstr("'takt.profile' is missing"));
  EXPECT_THAT(refusal(head + "3}"), HasSubstr("'takt' is missing or not an object"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": 3}}})"), HasSubstr("samples_ns' is missing or not a list"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": [], )" + operators + "}}}"), HasSubstr("no profiled run"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": [-1], )" + operators + "}}}"),
              HasSubstr("a value that is not a number of nanoseconds"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": [1e3], )" + operators + "}}}"),
              HasSubstr("a value that is not a number of nanoseconds"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": [1], "operators": {"9": {"samples_ns": []}}}}})"),
              HasSubstr("'takt.profile.operators.9' is not among graph_exec.operator"));
}

}  // namespace
}  // namespace takt
