// What stands in which cell of the table of `takt lookup`, and behind which key of the files of costs.
#include <nlohmann/json.hpp>

#include "plan/costs/lookup_tables.h"
#include "plan/costs/raw_measurements.h"
#include "plan/costs/tables.h"
#include "table_cells.h"

namespace takt {
namespace {

using nlohmann::json;

Duration ms(double count) { return Duration(count * 1000); }

TEST(Cells, of_lookup_costs) {
  AnsweredCost fused{Network::sage, {"GPU", 1, 4}, {}};
  fused.answer.cost =
      StageCost{Duration(100), Duration(90), Duration(120), CostOrigin::extrapolated, "openvino", "GPU.1"};
  AnsweredCost stage{Network::gat, {"NPU", 4, 4}, {}};
  stage.answer.cost = StageCost{Duration(200), {}, {}, CostOrigin::measured, "", ""};
  AnsweredCost none{Network::gcn, {"CPU", 1, 1}, {{}, "too few sizes"}};
  AnsweredCost fitted = fused;
  fitted.answer.cost->origin = CostOrigin::fitted;
  expect_cells(costs_table({fused, stage, none, fitted}),
               {{"unit", {"GPU", "NPU", "CPU", "GPU"}},
                {"stages", {"1-4", "4", "1", "1-4"}},
                {"stage_work", {"", "ATTENTION_SOFTMAX", "COMPUTE_NORM", ""}},
                {"cost_us", {"100", "200", "", "100"}},
                {"cost_low_us", {"90", "", "", "90"}},
                {"cost_high_us", {"120", "", "", "120"}},
                {"cost_origin", {"extrapolated", "measured", "", "fitted"}},
                {"runtime", {"openvino", "", "", "openvino"}},
                {"device", {"GPU.1", "", "", "GPU.1"}},
                {"missing_because", {"", "", "too few sizes", ""}}});
}

/// A row with everything.
StageMeasurement full_row() {
  StageMeasurement row;
  row.key = {10, 20, "GPU", 3, 3}, row.runtime = "openvino", row.device = "GPU.1", row.precision = "f16";
  row.times = StageTimes{
      ms(2), ms(1.5), ms(2.5), ms(0.25), ms(1.75), ms(2.25), {Nanoseconds(7), Nanoseconds(8), Nanoseconds(9)}, {1, 2}};
  row.inputs_copy = StageCopy{1000, ms(0.5)}, row.outputs_copy = StageCopy{2000, ms(0.75)};
  return row;
}

StageMeasurement refused_row() {
  StageMeasurement row;
  row.key = {10, 20, "NPU", 3, 3}, row.status = StageStatus::unsupported, row.reason = "no scatter";
  return row;
}

TEST(Keys, of_raw_measurements_have_their_values) {
  StageMeasurements all{Network::gcn, 64, {full_row(), refused_row()}};
  StageMeasurement bare;
  bare.key = {10, 20, "CPU", 1, 4}, bare.times = StageTimes{ms(3), ms(2), ms(4), {}, {}, {}, {}};
  all.rows.push_back(bare);
  json file = json::parse(raw_measurements_json(all, {}));
  EXPECT_EQ(file["takt"]["network"], "gcn");
  EXPECT_EQ(file["takt"]["features"], 64);
  file.erase("takt");
  EXPECT_EQ(file, json::parse(R"({
    "10,20,GPU,3": {"mean": 2.0, "std": 0.25, "min": 1.5, "max": 2.5, "median": 1.75, "p90": 2.25,
                    "samples_ns": [7, 8, 9], "rounds": [1, 2], "status": "measured", "runtime": "openvino",
                    "device": "GPU.1", "precision": "f16", "copies": {"inputs": {"bytes": 1000, "median": 0.5},
                    "outputs": {"bytes": 2000, "median": 0.75}}},
    "10,20,NPU,3": {"mean": null, "std": null, "min": null, "max": null, "failed": true, "status": "unsupported",
                    "reason": "no scatter"},
    "10,20,CPU,1-4": {"mean": 3.0, "std": null, "min": 2.0, "max": 4.0, "status": "measured"}})"));
}

/// A stage on two units, filled in by hand: no rows give such laws.
CostTables tables_by_hand() {
  CostTables tables;
  tables.network = Network::gcn, tables.features = 64, tables.sizes = {{10, 20}};
  RangeCosts gpu{"GPU", 3, 3, {{full_row().key, full_row(), SplitTime{2'000'000, 750'000}}}, {}, {}, {}};
  gpu.regression = {5, 0.5, 0.0625, 0.125, 0.03125, 0.875};
  gpu.split = {true, "", 0.375};
  StageFit fit;
  fit.law.terms = 4, fit.law.coefficients = {1000, 2000, 3000, 4000};
  fit.law.standard_errors = {100, 200, std::nullopt, 400};
  fit.law.r_squared = 0.75, fit.law.identifiable = false, fit.left_out_errors = {-0.25, 0.5};
  gpu.fit.fit = fit;
  RangeCosts npu{"NPU", 3, 3, {{refused_row().key, refused_row(), {}}}, {}, {false, "no copies", {}}, {{}, "too few"}};
  RangeCosts cpu = npu;
  cpu.unit = "CPU", cpu.rows = {{{10, 20, "CPU", 3, 3}, {}, {}}};
  tables.stages = {cpu, gpu, npu};
  tables.copies = {{"GPU", {6, 1.5, 0.25, 0.0625, 0.03125}, {7, 2.5, 0.5, 0.1875, 0.15625}}, {"NPU", {}, {}}};
  return tables;
}

TEST(Keys, of_a_lookup_table_have_their_values) {
  json file = json::parse(lookup_table_json(tables_by_hand(), {}));
  EXPECT_EQ(file["takt"]["network"], "gcn");
  EXPECT_EQ(file["takt"]["features"], 64);
  EXPECT_EQ(file["takt"]["rows"], json::parse(R"({
    "10,20,CPU,3": {"status": "missing", "reason": "it was not measured"},
    "10,20,GPU,3": {"status": "measured", "runtime": "openvino", "device": "GPU.1", "precision": "f16"},
    "10,20,NPU,3": {"status": "unsupported", "reason": "no scatter", "runtime": null, "device": null,
                    "precision": null}})"));
  file.erase("takt");
  EXPECT_EQ(file, json::parse(R"({
    "10,20,CPU,3": null, "10,20,NPU,3": null,
    "10,20,GPU,3": {"compute_time_ms": 1.25, "transfer_time_ms": 0.75, "total_time_ms": 2.0, "std_ms": 0.25}})"));
}

// A bandwidth in MB of 1024² bytes per second: 1 ms per 0.5 bytes are 2000 bytes per second.
TEST(Keys, of_a_bandwidth_table_have_their_values) {
  json file = json::parse(bandwidth_table_json(tables_by_hand(), {}));
  EXPECT_EQ(file["takt"]["rows"]["GPU_stage3"], json::parse(R"({
    "rows": 5, "ms_per_byte": 0.5, "ms_per_byte_error": 0.125, "intercept_ms": 0.0625, "intercept_ms_error": 0.03125,
    "r_squared": 0.875, "copied_ms_per_byte": 0.375, "identifiable": true,
    "fit": {"constant_ms": 1.0, "constant_ms_error": 0.1, "ms_per_node": 2.0, "ms_per_node_error": 0.2,
            "ms_per_edge": 3.0, "ms_per_edge_error": null, "ms_per_feature": 4.0, "ms_per_feature_error": 0.4,
            "r_squared": 0.75, "left_out_error": 0.375, "identifiable": false}})"));
  EXPECT_EQ(file["takt"]["rows"]["NPU_stage3"], json::parse(R"({
    "rows": 0, "ms_per_byte": null, "ms_per_byte_error": null, "intercept_ms": null, "intercept_ms_error": null,
    "r_squared": null, "copied_ms_per_byte": null, "identifiable": false, "reason": "no copies", "fit": null,
    "fit_reason": "too few"})"));
  EXPECT_EQ(file["takt"]["copies"], json::parse(R"({
    "GPU": {"inputs": {"rows": 6, "bandwidth_mb_per_s": 0.003814697265625, "ms_per_byte": 0.25,
                       "ms_per_byte_error": 0.03125, "latency_ms": 1.5, "latency_ms_error": 0.0625},
            "outputs": {"rows": 7, "bandwidth_mb_per_s": 0.0019073486328125, "ms_per_byte": 0.5,
                        "ms_per_byte_error": 0.15625, "latency_ms": 2.5, "latency_ms_error": 0.1875}},
    "NPU": {"inputs": null, "outputs": null}})"));
  file.erase("takt");
  EXPECT_EQ(file, json::parse(R"({"CPU_stage3": null, "GPU_stage3": 0.0019073486328125, "NPU_stage3": null})"));
}

TEST(Sentences, of_the_report_of_a_sweep_have_its_figures) {
  CostTables tables = tables_by_hand();
  tables.sizes = {{10, 70}, {30, 50}};
  Provenance provenance;
  provenance.takt_version = "1.2", provenance.date = "today", provenance.host = "here", provenance.cpu = "some CPU";
  const std::string text = "\n" + profiling_report(tables, provenance);
  for (const char* line :
       {"  takt              1.2", "  date              today", "  host              here, some CPU",
        "  network           GCN, 6 stages, 64 features", "  sizes             2: 10 to 30 nodes, 50 to 70 edges",
        "  rows of stages    3: 1 measured, 1 unsupported, 0 failed, 1 missing",
        "  CPU               nothing was measured", "  GPU               openvino on GPU.1, f16",
        "3 MESSAGE                        –      0.0019           –",
        "3 MESSAGE                        –        1.25           –",
        "3 MESSAGE                        –           2           –",
        "3 MESSAGE                        –        37.5           –",
        "- NPU stage 3 MESSAGE: unsupported at 10,20: no scatter"})
    EXPECT_NE(text.find("\n" + std::string(line) + "\n"), std::string::npos) << line << "\nis no line of\n" << text;
}

}  // namespace
}  // namespace takt
