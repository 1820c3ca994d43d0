#include "plan/costs/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "plan/costs/measured_rows.h"
#include "plan/costs/range_bytes.h"
#include "test_folder.h"

namespace takt {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

Provenance some_provenance() {
  Provenance provenance;
  provenance.takt_version = "0";
  provenance.date = "2026-01-01T00:00:00Z";
  return provenance;
}
const Provenance provenance = some_provenance();

/// A whole sweep of GraphSAGE: the NPU refuses stages 3 and 4, and one row of the GPU failed.
StageMeasurements whole_sweep() {
  StageMeasurements all;
  for (const GraphSize& size : fifteen_sizes())
    for (const std::string_view unit : all_units)
      for (int stage = 1; stage <= 7; ++stage) {
        const StageKey key{size.nodes, size.edges, std::string(unit), stage, stage};
        if (unit == "NPU" && (stage == 3 || stage == 4))
          all.rows.push_back(without_time(key, StageStatus::unsupported, "the compiler has no ScatterElements"));
        else if (unit == "GPU" && stage == 2 && size.nodes == 2000 && size.edges == 3000)
          all.rows.push_back(without_time(key, StageStatus::failed, "the device was lost"));
        else
          all.rows.push_back(
              measured(key, Duration((unit == "CPU" ? 2.0 : 1.0) *
                                     (50 + 0.1 * stage * double(size.nodes) + 0.2 * double(size.edges)))));
      }
  return all;
}

json lookup(const StageMeasurements& all) { return json::parse(lookup_table_json(make_cost_tables(all), provenance)); }
json bandwidths(const StageMeasurements& all) {
  return json::parse(bandwidth_table_json(make_cost_tables(all), provenance));
}
std::int64_t ns_of(const json& ms) { return std::llround(ms.get<double>() * 1e6); }

TEST(CostTables, a_whole_sweep_has_all_keys_whatever_failed) {
  const json table = lookup(whole_sweep());
  EXPECT_EQ(table.size(), 315U + 1);
  for (const GraphSize& size : fifteen_sizes())
    for (const std::string_view unit : all_units)
      for (int stage = 1; stage <= 7; ++stage)
        EXPECT_TRUE(table.contains(to_string(StageKey{size.nodes, size.edges, std::string(unit), stage, stage})));
  EXPECT_TRUE(table["1000,1000,NPU,3"].is_null());
  EXPECT_TRUE(table["2000,3000,GPU,2"].is_null());
  EXPECT_EQ(table["takt"]["rows"].size(), 315U);
  EXPECT_EQ(table["takt"]["rows"]["1000,1000,NPU,3"]["status"], "unsupported");
  EXPECT_EQ(table["takt"]["rows"]["1000,1000,NPU,3"]["reason"], "the compiler has no ScatterElements");
  EXPECT_EQ(table["takt"]["rows"]["2000,3000,GPU,2"]["status"], "failed");
  EXPECT_EQ(table["takt"]["rows"]["1000,1000,NPU,1"],
            (json{{"status", "measured"}, {"runtime", "sim"}, {"device", "sim:NPU"}, {"precision", "f32"}}));
  EXPECT_EQ(table["takt"]["network"], "sage");
  EXPECT_EQ(table["takt"]["takt_version"], "0");

  const json bandwidth = bandwidths(whole_sweep());
  EXPECT_EQ(bandwidth.size(), 21U + 1);
  for (const std::string_view unit : all_units)
    for (int stage = 1; stage <= 7; ++stage) {
      const std::string key = std::string(unit) + "_stage" + std::to_string(stage);
      ASSERT_TRUE(bandwidth.contains(key));
      EXPECT_EQ(bandwidth[key].is_null(), unit == "NPU" && (stage == 3 || stage == 4)) << key;
      EXPECT_TRUE(bandwidth["takt"]["rows"].contains(key));
    }
}

TEST(CostTables, units_and_sizes_that_nobody_measured_are_there_as_missing) {
  StageMeasurements all;
  all.rows.push_back(measured({10, 20, "CPU", 1, 1}, Duration(5)));
  const std::vector<GraphSize> asked{{10, 20}, {30, 40}};
  const json table = json::parse(lookup_table_json(make_cost_tables(all, asked), provenance));
  EXPECT_EQ(table.size(), 2U * 21 + 1);
  EXPECT_TRUE(table["30,40,GPU,7"].is_null());
  EXPECT_EQ(table["takt"]["rows"]["30,40,GPU,7"]["status"], "missing");
  EXPECT_EQ(bandwidths(all).size(), 22U);
}

TEST(CostTables, compute_and_transfer_add_up_to_the_total_and_are_never_negative) {
  StageMeasurements all = laptop_rows();  // with times below what the regression takes for their transfer
  const json table = lookup(all), slopes = bandwidths(all)["takt"]["rows"];
  int cut = 0;
  for (const StageMeasurement& row : all.rows) {
    const json& times = table[to_string(row.key)];
    const std::int64_t compute = ns_of(times["compute_time_ms"]), transfer = ns_of(times["transfer_time_ms"]),
                       total = ns_of(times["total_time_ms"]);
    EXPECT_EQ(total, std::llround(row.times->mean.count() * 1e3));
    EXPECT_EQ(compute + transfer, total) << to_string(row.key);
    EXPECT_GE(compute, 0);
    EXPECT_GE(transfer, 0);
    const double slope = slopes[row.key.unit + "_stage" + std::to_string(row.key.first)]["ms_per_byte"];
    const double bytes =
        double(bytes_of({Network::sage, row.key.first, row.key.last}, {row.key.nodes, row.key.edges}, 500));
    EXPECT_NEAR(double(transfer), std::min(slope * bytes * 1e6, double(total)), 1);
    cut += compute == 0 ? 1 : 0;
  }
  EXPECT_GT(cut, 0);
}

TEST(CostTables, bandwidths_are_those_of_a_law_in_the_bytes) {
  StageMeasurements all;
  for (const GraphSize& size : fifteen_sizes()) {
    const double bytes = double(bytes_of({Network::sage, 1, 1}, size, 500));
    all.rows.push_back(measured({size.nodes, size.edges, "GPU", 1, 1}, Duration(300 + bytes / 2097.152)));  // 2000 MB/s
  }
  const json table = bandwidths(all);
  EXPECT_NEAR(table["GPU_stage1"].get<double>(), 2000, 1e-6);
  const json& row = table["takt"]["rows"]["GPU_stage1"];
  EXPECT_NEAR(row["intercept_ms"].get<double>(), 0.3, 1e-9);
  EXPECT_NEAR(row["r_squared"].get<double>(), 1, 1e-12);
  EXPECT_EQ(row["rows"], 15);
  EXPECT_EQ(row["identifiable"], false);
  EXPECT_THAT(row["reason"].get<std::string>(), HasSubstr("no copies were measured"));
  // bytes = 2000 · nodes + 2016 · edges
  EXPECT_NEAR(row["fit"]["ms_per_node"].get<double>(), 2000 / 2097152.0, 1e-9);
  EXPECT_NEAR(row["fit"]["ms_per_edge"].get<double>(), 2016 / 2097152.0, 1e-9);
  EXPECT_NEAR(row["fit"]["left_out_error"].get<double>(), 0, 1e-9);
  EXPECT_TRUE(table["takt"]["rows"]["CPU_stage1"]["fit"].is_null());
  EXPECT_THAT(table["takt"]["rows"]["CPU_stage1"]["fit_reason"].get<std::string>(), HasSubstr("sizes measured: 0"));
}

TEST(CostTables, times_that_fall_with_the_bytes_have_no_bandwidth_and_no_transfer) {
  StageMeasurements all;
  for (const GraphSize& size : fifteen_sizes())
    all.rows.push_back(measured({size.nodes, size.edges, "CPU", 2, 2}, Duration(1e5 - double(size.edges))));
  EXPECT_TRUE(bandwidths(all)["CPU_stage2"].is_null());
  EXPECT_EQ(lookup(all)["1000,1000,CPU,2"]["transfer_time_ms"], 0.0);
  EXPECT_EQ(lookup(all)["1000,1000,CPU,2"]["compute_time_ms"], 99.0);
}

TEST(CostTables, of_two_sizes_a_time_is_known_and_its_parts_are_not) {
  StageMeasurements all;
  all.rows = {measured({1000, 1000, "CPU", 1, 1}, Duration(5000)), measured({1000, 2000, "CPU", 1, 1}, Duration(9000))};
  const json table = lookup(all);
  EXPECT_EQ(table["1000,1000,CPU,1"]["total_time_ms"], 5.0);
  EXPECT_TRUE(table["1000,1000,CPU,1"]["compute_time_ms"].is_null());
  EXPECT_TRUE(table["1000,1000,CPU,1"]["transfer_time_ms"].is_null());
  EXPECT_THAT(table["takt"]["rows"]["1000,1000,CPU,1"]["reason"].get<std::string>(), HasSubstr("fewer than 3 sizes"));
  EXPECT_TRUE(bandwidths(all)["CPU_stage1"].is_null());
}

TEST(CostTables, measured_copies_decide_whether_parts_are_identifiable) {
  StageMeasurements all;
  for (const GraphSize& size : fifteen_sizes())
    for (const int stage : {1, 2}) {
      const double bytes = double(bytes_of({Network::sage, stage, stage}, size, 500));
      StageMeasurement row = measured({size.nodes, size.edges, "GPU", stage, stage}, Duration(300 + bytes / 1000));
      // Of stage 1 the copies take all that grows with the bytes, of stage 2 a quarter.
      const double copied = bytes / (stage == 1 ? 1000 : 4000);
      row.inputs_copy = StageCopy{std::int64_t(bytes / 2), Duration(10 + copied / 2)};
      row.outputs_copy = StageCopy{std::int64_t(bytes / 2), Duration(10 + copied / 2)};
      all.rows.push_back(row);
    }
  const json takt = bandwidths(all)["takt"];
  EXPECT_EQ(takt["rows"]["GPU_stage1"]["identifiable"], true);
  EXPECT_FALSE(takt["rows"]["GPU_stage1"].contains("reason"));
  EXPECT_EQ(takt["rows"]["GPU_stage2"]["identifiable"], false);
  EXPECT_THAT(takt["rows"]["GPU_stage2"]["reason"].get<std::string>(), HasSubstr("measured copies"));
  EXPECT_EQ(takt["copies"]["GPU"]["inputs"]["rows"], 30);
  EXPECT_TRUE(takt["copies"]["CPU"]["inputs"].is_null());
}

TEST(CostTables, fused_ranges_have_a_table_of_their_own) {
  StageMeasurements all = whole_sweep();
  for (const GraphSize& size : fifteen_sizes())
    all.rows.push_back(measured({size.nodes, size.edges, "GPU", 1, 4}, Duration(100 + double(size.edges))));
  const json table = json::parse(ranges_table_json(make_cost_tables(all), provenance));
  EXPECT_EQ(table.size(), 15U * 3 + 1);
  EXPECT_EQ(table["1000,2000,GPU,1-4"]["total_time_ms"], 2.1);
  EXPECT_TRUE(table["1000,2000,CPU,1-4"].is_null());
  EXPECT_EQ(lookup(all).size(), 316U);
  EXPECT_EQ(bandwidths(all).size(), 22U);
}

TEST(CostTables, the_report_tells_configuration_tables_and_failures_in_eighty_columns) {
  const std::string text = profiling_report(make_cost_tables(whole_sweep()), provenance);
  for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), 80U) << line;
  EXPECT_THAT(text, HasSubstr("GraphSAGE, 7 stages, 500 features"));
  EXPECT_THAT(text, HasSubstr("15: 1000 to 10000 nodes, 1000 to 10000 edges"));
  EXPECT_THAT(text, HasSubstr("315: 284 measured, 30 unsupported, 1 failed, 0 missing"));
  EXPECT_THAT(text, HasSubstr("sim on sim:GPU, f32"));
  // The speed-up: the CPU takes twice as long, and the NPU refuses the stage.
  EXPECT_THAT(text, testing::ContainsRegex("\n3 REDUCE_SUM +1 +2 +–\n"));
  for (const char* heading : {"Bandwidth by regression", "Mean compute time", "Speed-up against the CPU", "Failures"})
    EXPECT_THAT(text, HasSubstr(heading));
  EXPECT_THAT(text, HasSubstr("- NPU stage 3 REDUCE_SUM: unsupported at all sizes: the compiler has no"));
  EXPECT_THAT(text, HasSubstr("- GPU stage 2 MESSAGE: failed at 2000,3000: the device was lost"));
}

TEST(CostTables, speed_ups_compare_the_sizes_that_both_units_have) {
  const CostTables tables = make_cost_tables(whole_sweep());
  // Twice as fast by construction, also where one size is missing.
  EXPECT_NEAR(*speed_up(tables.stages[1], tables.stages[7 + 1]), 2, 1e-6);
  EXPECT_NEAR(*speed_up(tables.stages[7 + 1], tables.stages[1]), 0.5, 1e-6);
  EXPECT_FALSE(speed_up(tables.stages[2], tables.stages[14 + 2]).has_value());
  EXPECT_EQ(tables.stages[14 + 2].unit, "NPU");
  EXPECT_FALSE(mean_total_ms(tables.stages[14 + 2]).has_value());
}

TEST(CostTables, reports_of_foreign_and_of_empty_files_are_written_too) {
  const std::string foreign = profiling_report(make_cost_tables(laptop_rows()), provenance);
  EXPECT_THAT(foreign, HasSubstr("the file does not name the device"));
  EXPECT_THAT(foreign, HasSubstr("No measured copies confirm them"));
  EXPECT_THAT(profiling_report(make_cost_tables({}), provenance), HasSubstr("nothing was measured"));
}

TEST(CostTables, a_reason_that_wants_to_break_the_report_cannot) {
  StageMeasurements all;
  all.rows.push_back(without_time({1, 2, "NPU", 1, 1}, StageStatus::failed, "line one\nline two \x1b[31m"));
  EXPECT_THAT(profiling_report(make_cost_tables(all), provenance), Not(HasSubstr("\x1b")));
  EXPECT_EQ(lookup(all)["takt"]["rows"]["1,2,NPU,1"]["reason"], "line one\nline two \x1b[31m");
}

TEST(CostTables, the_files_are_written_and_the_same_rows_give_the_same_bytes) {
  const TestFolder folder;
  StageMeasurements all = whole_sweep();
  write_cost_tables(folder / "a/results", all, provenance);
  std::reverse(all.rows.begin(), all.rows.end());
  write_cost_tables(folder / "b", all, provenance);
  for (const char* name :
       {"raw_measurements.json", "lookup_table.json", "bandwidth_table.json", "profiling_report.txt"}) {
    const std::string bytes = read_file(folder.path() / "a/results" / name);
    EXPECT_EQ(bytes, read_file(folder.path() / "b" / name)) << name;
    EXPECT_EQ(bytes.back(), '\n');
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "b/ranges_table.json"));
  all.rows.push_back(measured({1000, 1000, "CPU", 1, 7}, Duration(5)));
  write_cost_tables(folder / "b", all, provenance);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "b/ranges_table.json"));
  // What was written gives the same tables again.
  const auto back = read_raw_measurements(folder.path() / "a/results/raw_measurements.json");
  EXPECT_EQ(lookup_table_json(make_cost_tables(back), provenance),
            read_file(folder.path() / "a/results/lookup_table.json"));
}

TEST(CostTables, a_folder_that_cannot_be_made_is_named) {
  const TestFolder folder;
  folder.write("file", "x");
  try {
    write_cost_tables(folder.path() / "file/results", whole_sweep(), provenance);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_THAT(error.what(), HasSubstr("file/results"));
  }
}

}  // namespace
}  // namespace takt
