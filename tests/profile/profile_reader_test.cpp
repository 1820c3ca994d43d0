#include "comparison/profile_reader.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "profile/peer_writer.h"
#include "profile/results.h"

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
  EXPECT_EQ(profile.model, "m.onnx");
  EXPECT_EQ(profile.runtime, "sim");
  EXPECT_EQ(profile.device, "sim:x");
  EXPECT_EQ(profile.host, "h");
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
  EXPECT_THAT(refusal("[1"), HasSubstr("p.json: is JSON, but not an object"));
  EXPECT_THAT(refusal(head + "{}"), HasSubstr("p.json: is no well-formed JSON"));
  EXPECT_THAT(refusal(head + "{]}"), HasSubstr("is no well-formed JSON"));
  EXPECT_THAT(refusal(R"({"takt": {}})"), HasSubstr("has no 'graph_exec.operator'"));
  EXPECT_THAT(refusal(R"({"graph_exec": {"operator": {}}, "profiler": {}})"), HasSubstr("has no key 'takt'"));
  EXPECT_THAT(refusal(head + "{}}"), HasSubstr("'takt.profile' is missing"));
  EXPECT_THAT(refusal(head + "3}"), HasSubstr("'takt' is missing or no object"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": 3}}})"), HasSubstr("samples_ns' is missing or no list"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": [], )" + operators + "}}}"), HasSubstr("no profiled run"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": [-1], )" + operators + "}}}"),
              HasSubstr("something other than nanoseconds"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": [1e3], )" + operators + "}}}"),
              HasSubstr("something other than nanoseconds"));
  EXPECT_THAT(refusal(head + R"({"profile": {"samples_ns": [1], "operators": {"9": {"samples_ns": []}}}}})"),
              HasSubstr("'takt.profile.operators.9' is not among graph_exec.operator"));
}

}  // namespace
}  // namespace takt
