#include "measure/report/peer_writer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "measure/profiles/peer_profile.h"
#include "measure/run/results.h"
#include "test_folder.h"

namespace takt {
namespace {

using nlohmann::json;

const std::string hostile = "a\"b\\c\n\t\x01</script>\xff卷积,{}[0]";

RunResult hostile_runs() {
  RunResult result = profiled_result({
      {2'000'000'100, {sample("conv", "Conv", 0, 1'999'999'999), sample(hostile, "Relu", 1'999'999'999, 1)}},
      {107, {sample("conv", "Conv", 3, 31), sample(hostile, "Relu", 34, 21), sample("conv", "Conv", 60, 9)}},
      {93, {sample("conv", "Conv", 0, 29), sample("once", "If", 29, 7)}},
  });
  for (auto& run : result.profiled->ops)
    for (OpSample& op : run)
      op = with(op, [](ExecutedNode& node) {
        node.inputs = {"x", hostile}, node.outputs = {"out of " + node.name}, node.output_shapes = {{1, 2}};
      });
  return result;
}

std::string text_of(const RunResult& result, ProfileContent content = ProfileContent::device_and_host) {
  return to_peer_json(result, profile_ops(result), Provenance{}, content);
}

std::int64_t nanoseconds(const json& seconds) {
  EXPECT_TRUE(seconds.is_number_float()) << seconds << ": a reader takes 0 and 0.0 for different types";
  return std::llround(seconds.get<double>() * 1e9);
}

TEST(PeerWriter, spans_of_the_median_run_add_up_to_its_operators_exactly) {
  const json file = json::parse(text_of(hostile_runs()));
  EXPECT_EQ(file["takt"]["profile"]["median_run"], 1);
  for (const char* section : {"device", "host"}) {
    std::int64_t sum = 0;
    EXPECT_EQ(file["profiler"][section].size(), 2u) << "the operator that did not execute in this run has no times";
    for (const auto& [id, rows] : file["profiler"][section].items())
      for (const auto& [where, times] : rows.items()) {
        EXPECT_EQ(where, section == std::string("device") ? "sim:CPU" : "main");
        EXPECT_EQ(nanoseconds(times["kern"]), nanoseconds(times["start"]));
        sum += nanoseconds(times["end"]) - nanoseconds(times["start"]);
      }
    EXPECT_EQ(sum, 31 + 21 + 9) << section;
  }
}

TEST(PeerWriter, long_times_keep_their_nanoseconds_and_stay_real_numbers) {
  RunResult result = hostile_runs();
  result.profiled->samples = {ns(2), ns(1), ns(3)};  // the first run is the median one
  const std::string text = text_of(result);
  EXPECT_THAT(text, testing::HasSubstr(R"("start": 0.000000000, "kern": 0.000000000, "end": 1.999999999)"));
  EXPECT_THAT(text, testing::HasSubstr(R"("start": 1.999999999, "kern": 1.999999999, "end": 2.000000000)"));
}

TEST(PeerWriter, all_samples_are_kept_in_integers_that_add_up) {
  const json profile = json::parse(text_of(hostile_runs()))["takt"]["profile"];
  std::int64_t sum = profile["unattributed_ns"].get<std::int64_t>();
  for (const auto& [id, op] : profile["operators"].items()) {
    std::int64_t of_op = 0;
    for (const auto& one : op["samples_ns"]) of_op += one.get<std::int64_t>();
    EXPECT_EQ(of_op, op["total_ns"]);
    EXPECT_EQ(op["samples_ns"].size(), 3u);
    EXPECT_TRUE(op["kernel"].is_null());
    sum += of_op;
  }
  EXPECT_EQ(sum, profile["measured_ns"]);
  EXPECT_EQ(profile["runs"], 3);
}

TEST(PeerWriter, ids_are_shared_by_operators_and_tensors_and_all_resolve) {
  const json graph = json::parse(text_of(hostile_runs()))["graph_exec"];
  EXPECT_EQ(graph["comp_seq"].size(), 3u);
  for (const auto& id : graph["comp_seq"]) {
    const json& op = graph["operator"].at(id.get<std::string>());
    EXPECT_FALSE(graph["var"].contains(id.get<std::string>()));
    EXPECT_EQ(op["input"].size(), 2u);
    for (const auto& list : {op["input"], op["output"]})
      for (const auto& var : list) EXPECT_TRUE(graph["var"].contains(var.get<std::string>()));
  }
}

TEST(PeerWriter, names_survive_whatever_they_contain) {
  std::string clean = hostile;
  clean.replace(clean.find('\xff'), 1, "\xEF\xBF\xBD");
  const json graph = json::parse(text_of(hostile_runs()))["graph_exec"];
  bool found = false;
  for (const auto& [id, op] : graph["operator"].items()) found = found || op["name"] == clean;
  EXPECT_TRUE(found);
}

TEST(PeerWriter, host_only_has_no_device_times) {
  const json file = json::parse(text_of(hostile_runs(), ProfileContent::host_only));
  EXPECT_TRUE(file["profiler"]["device"].empty());
  EXPECT_EQ(file["profiler"]["host"].size(), 2u);
}

TEST(PeerWriter, shapes_and_types_of_tensors_come_from_the_model) {
  RunResult result = profiled_result({{9, {sample("relu", "Relu", 0, 5, {"relu"})}}});
  result.graph = GraphSketch({2, 8}).op("relu", "Relu", {"x"}).graph("relu");
  const json file = json::parse(text_of(result));
  const json& layout = file["graph_exec"]["var"]["0"]["mem_plan"]["layout"];
  EXPECT_EQ(layout["shape"], json({2, 8}));
  EXPECT_EQ(layout["stride"], json({8, 1}));
  EXPECT_EQ(layout["dtype"], "Float32");
  EXPECT_EQ(file["graph_exec"]["mem_chunk"]["chk0"]["size"], 64);
  EXPECT_EQ(file["profiler"]["opr_footprint"]["1"]["computation"], 16);
  EXPECT_EQ(file["profiler"]["opr_footprint"]["1"]["memory"], 128);
}

TEST(PeerWriter, the_analyser_reads_what_is_written) {
  const TestFolder folder;
  const PeerProfile read(folder.write("profile.json", text_of(hostile_runs())), true);
  ASSERT_EQ(read.operators().size(), 3u);
  const PeerOperator& conv = read.operators()[0];
  EXPECT_EQ(conv.name, "conv");
  EXPECT_EQ(conv.device.entries, 1u);
  EXPECT_NEAR(conv.device.end, 40e-9, 1e-15) << "both calls of the run";
  EXPECT_FALSE(conv.device.integral_end);
  EXPECT_EQ(conv.computation.has_value(), false);
  EXPECT_EQ(read.operators()[2].device.entries, 0u);
  const auto shapes = parse_shapes(conv.out_shapes);
  ASSERT_TRUE(shapes);
  EXPECT_THAT(*shapes->at(0), testing::ElementsAre("1", "2"));
}

TEST(PeerWriter, same_result_same_bytes) { EXPECT_EQ(text_of(hostile_runs()), text_of(hostile_runs())); }

}  // namespace
}  // namespace takt
