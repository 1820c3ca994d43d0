#include "plan/costs/raw_measurements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "base/basics/error.h"
#include "plan/costs/measured_rows.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Provenance raw_provenance() {
  Provenance provenance;
  provenance.takt_version = "0";
  return provenance;
}

StageMeasurement sampled_row() {
  StageMeasurement row = measured({1000, 2000, "GPU", 1, 4}, {});
  row.times = times_of({Nanoseconds(1234567), Nanoseconds(1300001), Nanoseconds(1111111)});
  row.inputs_copy = StageCopy{4096000, Duration(311.25)};
  row.outputs_copy = StageCopy{2004000, Duration(150)};
  return row;
}

StageMeasurements every_kind_of_row() {
  StageMeasurements all{Network::gat, 64, {}};
  all.rows.push_back(measured({50, 0, "CPU", 1, 1}, Duration(0.125)));
  all.rows.back().outputs_copy = StageCopy{0, Duration(0.2)};  // messages of no edge
  all.rows.push_back(measured({1000, 1000, "CPU", 2, 2}, Duration(0.125)));
  all.rows.push_back(without_time({1000, 1000, "NPU", 4, 4}, StageStatus::unsupported, "no scatter"));
  all.rows.push_back(sampled_row());
  all.rows.push_back(without_time({2000, 9000, "GPU", 1, 1}, StageStatus::failed, "the \"device\" was lost\nagain"));
  all.rows.back().device = "GPU";
  return all;
}

void expect_equal(const StageMeasurement& a, const StageMeasurement& b) {
  SCOPED_TRACE(to_string(a.key));
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(std::tie(a.runtime, a.device, a.precision), std::tie(b.runtime, b.device, b.precision));
  ASSERT_EQ(a.times.has_value(), b.times.has_value());
  if (a.times) {
    EXPECT_EQ(a.times->mean.count(), b.times->mean.count());
    EXPECT_EQ(a.times->min.count(), b.times->min.count());
    EXPECT_EQ(a.times->max.count(), b.times->max.count());
    EXPECT_EQ(a.times->stddev, b.times->stddev);
    EXPECT_EQ(a.times->median, b.times->median);
    EXPECT_EQ(a.times->p90, b.times->p90);
    EXPECT_EQ(a.times->samples, b.times->samples);
  }
  for (const auto copy : {&StageMeasurement::inputs_copy, &StageMeasurement::outputs_copy}) {
    ASSERT_EQ((a.*copy).has_value(), (b.*copy).has_value());
    if (!(a.*copy)) continue;
    EXPECT_EQ((a.*copy)->bytes, (b.*copy)->bytes);
    EXPECT_EQ((a.*copy)->median.count(), (b.*copy)->median.count());
  }
}

StageMeasurements parsed(std::string_view json) { return parse_raw_measurements(json, "raw.json"); }

std::string refusal(std::string_view json) {
  try {
    parsed(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), StartsWith("raw.json: "));
    return error.what();
  }
  return "accepted";
}

/// Of a file with one good row and this one behind it.
std::string refusal_of_row(const std::string& row) {
  return refusal(R"({"1000,2000,CPU,1": {"mean": 4, "std": 1, "min": 3, "max": 6},)" + row + "}");
}

std::string refusal_of_times(const std::string& times) {
  return refusal_of_row(R"("1000,2000,CPU,3": {)" + times + "}");
}

TEST(RawMeasurements, own_rows_come_back_as_they_were) {
  const StageMeasurements all = every_kind_of_row();
  const StageMeasurements back = parsed(raw_measurements_json(all, raw_provenance()));
  EXPECT_EQ(back.network, Network::gat);
  EXPECT_EQ(back.features, 64);
  ASSERT_EQ(back.rows.size(), all.rows.size());
  for (std::size_t i = 0; i < all.rows.size(); ++i) expect_equal(all.rows[i], back.rows[i]);
}

TEST(RawMeasurements, the_same_rows_give_the_same_bytes_also_read_and_written_again) {
  StageMeasurements all = every_kind_of_row();
  const std::string text = raw_measurements_json(all, raw_provenance());
  EXPECT_EQ(raw_measurements_json(parsed(text), raw_provenance()), text);
  std::swap(all.rows.front(), all.rows.back());  // the file is in the order of the keys
  EXPECT_EQ(raw_measurements_json(all, raw_provenance()), text);
}

TEST(RawMeasurements, foreign_numbers_stay_the_same_to_the_byte_once_written) {
  std::string rows;
  Random random(3);
  for (int i = 1; i <= 300; ++i)
    rows += (i == 1 ? "" : ",") + std::string("\"") + std::to_string(i) +
            ",5,CPU,1\": {\"mean\": " + nlohmann::json(1e4 * positive_uniform(random)).dump() +
            R"(, "std": null, "min": 0, "max": 1e5})";
  const std::string text = raw_measurements_json(parsed("{" + rows + "}"), raw_provenance());
  EXPECT_EQ(raw_measurements_json(parsed(text), raw_provenance()), text);
}

TEST(RawMeasurements, times_of_any_length_stay_the_same_once_written) {
  for (const char* mean :
       {"1e-9", "0.00123456789123", "999999.9999999999", "1000000.123456789", "987654321.123456789"}) {
    const std::string row =
        std::string(R"({"1,5,CPU,1": {"mean": )") + mean + R"(, "std": null, "min": 0, "max": 1e9}})";
    const std::string text = raw_measurements_json(parsed(row), raw_provenance());
    EXPECT_EQ(raw_measurements_json(parsed(text), raw_provenance()), text) << mean;
    EXPECT_NEAR(parsed(text).rows[0].times->mean.count() / 1e3 / nlohmann::json::parse(mean).get<double>(), 1, 1e-3);
  }
}

TEST(RawMeasurements, the_file_is_strict_json_with_a_line_for_each_row) {
  const auto json = nlohmann::json::parse(raw_measurements_json(every_kind_of_row(), raw_provenance()));
  EXPECT_EQ(json.size(), 6U);
  EXPECT_EQ(json["takt"]["network"], "gat");
  EXPECT_EQ(json["takt"]["takt_version"], "0");
  const auto& row = json["1000,2000,GPU,1-4"];
  EXPECT_DOUBLE_EQ(row["mean"].get<double>(), 1.215226333);
  EXPECT_EQ(row["samples_ns"], nlohmann::json({1234567, 1300001, 1111111}));
  EXPECT_EQ(row["copies"]["inputs"]["bytes"], 4096000);
  EXPECT_DOUBLE_EQ(row["copies"]["inputs"]["median"].get<double>(), 0.31125);
  EXPECT_EQ(json["1000,1000,NPU,4"]["failed"], true);  // what other programs look at
  EXPECT_TRUE(json["1000,1000,NPU,4"]["mean"].is_null());
}

TEST(RawMeasurements, rows_of_other_programs_are_read) {
  const auto rows = parsed(R"({
    "10000,100000,GPU,1": {"mean": 82.7914, "std": 12.2225, "min": 70.1, "max": 140, "outliers_removed": 2},
    "1000,2000,NPU,3": {"mean": -1, "std": -1, "min": -1, "max": -1, "failed": true, "error": "ZE_RESULT_ERROR"},
    "1000,2000,NPU,4": {"failed": true}})")
                        .rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].status, StageStatus::failed);
  EXPECT_EQ(rows[0].reason, "ZE_RESULT_ERROR");
  EXPECT_FALSE(rows[0].times.has_value());
  EXPECT_EQ(rows[1].reason, "the file gives no reason");
  EXPECT_EQ(rows[2].key, (StageKey{10000, 100000, "GPU", 1, 1}));
  EXPECT_DOUBLE_EQ(rows[2].times->mean.count(), 82791.4);
  EXPECT_DOUBLE_EQ(rows[2].times->stddev->count(), 12222.5);
  EXPECT_FALSE(rows[2].times->median.has_value());
  EXPECT_EQ(rows[2].device, "");
}

TEST(RawMeasurements, what_foreign_files_do_not_say_is_told_by_the_caller) {
  const auto all = parse_raw_measurements(R"({"1,2,CPU,6": {"mean": 1, "std": 0, "min": 1, "max": 1}})", "raw.json",
                                          {Network::gcn, 32});
  EXPECT_EQ(all.network, Network::gcn);
  EXPECT_EQ(all.features, 32);
  EXPECT_EQ(laptop_rows().rows.size(), 168U);
  EXPECT_EQ(laptop_rows().features, 500);
}

TEST(RawMeasurements, keys_that_name_no_row_are_refused_by_name) {
  const std::string times = R"({"mean": 4, "std": 1, "min": 3, "max": 6})";
  for (const std::string key :
       {"1000,2000,CPU", "1000,2000,CPU,0", "1000,2000,CPU,x", "-1,2000,CPU,1", "1e3,2000,CPU,1", "1000,2000,CPU,1-",
        "1000,2000,CPU,4-1", " 1000,2000,CPU,1", "", "stage_1.CPU"})
    EXPECT_THAT(refusal("{\"" + key + "\": " + times + "}"), HasSubstr("'" + key + "' is not a row")) << key;
  // Two spellings of one key would be two rows.
  EXPECT_THAT(refusal("{\"01000,2000,CPU,1\": " + times + "}"),
              HasSubstr("is not a row; write NODES,EDGES,UNIT,STAGE"));
  EXPECT_THAT(refusal("{\"1000,2000,CPU,2-2\": " + times + "}"),
              HasSubstr("is not a row; write NODES,EDGES,UNIT,STAGE"));
  EXPECT_THAT(refusal("{\"0,2000,CPU,1\": " + times + "}"), HasSubstr("nodes are 1 to"));
  EXPECT_THAT(refusal("{\"3000000000,2000,CPU,1\": " + times + "}"), HasSubstr("nodes are 1 to"));
}

TEST(RawMeasurements, stages_that_the_network_lacks_are_refused) {
  const std::string row = R"("1000,2000,CPU,7": {"mean": 4, "std": 1, "min": 3, "max": 6})";
  EXPECT_EQ(refusal("{" + row + "}"), "accepted");
  EXPECT_EQ(refusal(R"({"takt": {"network": "gcn"}, )" + row + "}"),
            "raw.json: '1000,2000,CPU,7': GCN has 6 stages, so number 7 does not exist");
  EXPECT_THAT(refusal_of_row(R"("1000,2000,CPU,5-8": {})"),
              HasSubstr("GraphSAGE has 7 stages, so number 8 does not exist"));
}

TEST(RawMeasurements, unknown_units_are_refused_with_the_near_one) {
  EXPECT_THAT(refusal_of_row(R"("1000,2000,GPUU,1": {})"), HasSubstr("'GPUU' is not a unit; did you mean 'GPU'?"));
  EXPECT_THAT(refusal_of_row(R"("1000,2000,sim:CPU,1": {})"), HasSubstr("is not a unit; use CPU, GPU or NPU"));
}

TEST(RawMeasurements, keys_that_are_there_twice_are_refused) {
  EXPECT_EQ(refusal_of_row(R"("1000,2000,CPU,1": {"mean": 5, "std": 1, "min": 3, "max": 6})"),
            "raw.json: '1000,2000,CPU,1' is listed twice; keep one");
  EXPECT_EQ(refusal_of_times(R"("mean": 4, "mean": 5, "std": 1, "min": 3, "max": 6)"),
            "raw.json: '1000,2000,CPU,3': 'mean' is listed twice; keep one");
}

TEST(RawMeasurements, missing_times_are_refused_by_name) {
  EXPECT_EQ(refusal_of_times(R"("std": 1, "min": 3, "max": 6)"),
            "raw.json: '1000,2000,CPU,3': has no 'mean'; give a time in ms");
  EXPECT_THAT(refusal_of_times(R"("mean": 4, "min": 3, "max": 6)"), HasSubstr("has no 'std'"));
  EXPECT_EQ(refusal_of_times(R"("mean": 4, "std": null, "min": 3, "max": 6)"), "accepted");
  EXPECT_THAT(refusal_of_times(R"("mean": 4, "std": 1, "max": 6)"), HasSubstr("has no 'min'"));
  EXPECT_THAT(refusal_of_times(R"("mean": 4, "std": 1, "min": 3)"), HasSubstr("has no 'max'"));
  EXPECT_THAT(refusal_of_times(R"("mean": null, "std": 1, "min": 3, "max": 6)"), HasSubstr("has no 'mean'"));
  EXPECT_THAT(refusal_of_times(R"("mean_us": 4000, "std": 1, "min": 3, "max": 6)"), HasSubstr("has no 'mean'"));
  EXPECT_THAT(refusal_of_times(""), HasSubstr("has no 'mean'"));
}

TEST(RawMeasurements, times_that_are_no_times_are_refused) {
  EXPECT_EQ(refusal_of_times(R"("mean": -1, "std": 1, "min": 3, "max": 6)"),
            "raw.json: '1000,2000,CPU,3': 'mean' is -1; give a time in ms, from 0 to 1e9");
  EXPECT_THAT(refusal_of_times(R"("mean": "4", "std": 1, "min": 3, "max": 6)"), HasSubstr("'mean' is \"4\""));
  EXPECT_THAT(refusal_of_times(R"("mean": 4, "std": [1], "min": 3, "max": 6)"), HasSubstr("'std' is [1]; give a time"));
  EXPECT_THAT(refusal_of_times(R"("mean": 4, "std": -0.5, "min": 3, "max": 6)"), HasSubstr("'std' is -0.5"));
  EXPECT_THAT(refusal_of_times(R"("mean": 4, "std": 1, "min": 3, "max": 6e300)"), HasSubstr("'max' is 6e+300"));
  EXPECT_THAT(refusal_of_times(R"("mean": 0, "std": 0, "min": 0, "max": 0)"), HasSubstr("'mean' is 0"));
  EXPECT_THAT(refusal_of_times(R"("mean": true, "std": 0, "min": 0, "max": 0)"), HasSubstr("'mean' is true"));
}

TEST(RawMeasurements, numbers_that_json_does_not_have_are_refused_with_their_row) {
  for (const std::string word : {"NaN", "Infinity", "-Infinity", "nan"})
    EXPECT_THAT(refusal_of_times("\"mean\": " + word + R"(, "std": 1, "min": 3, "max": 6)"),
                testing::AllOf(HasSubstr("'1000,2000,CPU,3'"), HasSubstr("is not JSON"), HasSubstr("finite")))
        << word;
  EXPECT_THAT(refusal_of_times(R"("mean": 1e999, "std": 1, "min": 3, "max": 6)"),
              testing::AllOf(HasSubstr("'1000,2000,CPU,3'"), HasSubstr("too large")));
}

TEST(RawMeasurements, times_in_another_unit_than_their_neighbours_are_refused) {
  EXPECT_THAT(refusal_of_times(R"("mean": 4000, "std": 1, "min": 3, "max": 6)"), HasSubstr("not in ascending order"));
  EXPECT_THAT(refusal_of_times(R"("mean": 0.004, "std": 1, "min": 3, "max": 6)"), HasSubstr("ascending order"));
  EXPECT_THAT(refusal_of_times(R"("mean": 4, "std": 1, "min": 3, "max": 6, "samples_ns": [4000, 4000])"),
              HasSubstr("its 'samples_ns' have a mean of 0.004 ms"));
}

TEST(RawMeasurements, samples_that_are_no_times_are_refused) {
  for (const std::string samples : {"[]", "[0]", "[-4]", "[1.5]", "\"4\"", "[null]", "[[4]]", "[18446744073709551615]"})
    EXPECT_THAT(refusal_of_times(R"("mean": 4, "std": 1, "min": 3, "max": 6, "samples_ns": )" + samples),
                HasSubstr("'samples_ns' is"))
        << samples;
}

TEST(RawMeasurements, rounds_come_back_and_share_the_samples) {
  const std::string times =
      R"({"1,5,CPU,1": {"mean": 3, "std": 1, "min": 2, "max": 4, "samples_ns": [2000000, 3000000, 4000000], "rounds": )";
  const auto rows = parsed(times + "[2, 1]}}");
  EXPECT_THAT(rows.rows[0].times->rounds, testing::ElementsAre(2, 1));
  const std::string text = raw_measurements_json(rows, raw_provenance());
  EXPECT_THAT(text, HasSubstr(R"("rounds":[2,1])"));
  EXPECT_EQ(raw_measurements_json(parsed(text), raw_provenance()), text);
  const std::string list = "a list of numbers of samples", sum = "numbers whose sum is 3",
                    whole = "whole numbers above 0";
  for (const auto& [wrong, shown, wanted] : {std::tuple("[]", "[]", list),
                                             {"3", "3", list},
                                             {"[2]", "[2]", sum},
                                             {"[4]", "[4]", sum},
                                             {"[2, 2]", "[2,2]", sum},
                                             {"[3, 0]", "0", whole},
                                             {"[1.5, 1.5]", "1.5", whole},
                                             {"[18446744073709551615, 4]", "18446744073709551615", whole}})
    EXPECT_EQ(refusal(times + wrong + "}}"),
              std::string("raw.json: '1,5,CPU,1': 'rounds' is ") + shown + "; give " + wanted);
}

TEST(RawMeasurements, a_status_that_contradicts_the_row_is_refused) {
  const std::string times = R"("mean": 4, "std": 1, "min": 3, "max": 6)";
  EXPECT_THAT(refusal_of_times(times + R"(, "status": "skipped")"), HasSubstr("'status' is \"skipped\""));
  EXPECT_THAT(refusal_of_times(times + R"(, "status": "failed")"), HasSubstr("'status' is \"failed\"; give measured"));
  EXPECT_EQ(refusal_of_times(times + R"(, "failed": true, "status": "measured")"),
            "raw.json: '1000,2000,CPU,3': 'status' is \"measured\"; give unsupported or failed, as 'failed' is true");
  EXPECT_THAT(refusal_of_times(times + R"(, "failed": 1)"), HasSubstr("'failed' is 1; give true or false"));
  EXPECT_THAT(refusal_of_times(times + R"(, "device": 4)"), HasSubstr("'device' is 4; give a string"));
}

TEST(RawMeasurements, copies_without_bytes_or_time_are_refused) {
  const std::string times = R"("mean": 4, "std": 1, "min": 3, "max": 6, "copies": )";
  EXPECT_THAT(refusal_of_times(times + R"({"inputs": {"median": 1}})"),
              HasSubstr("'copies': 'inputs': has no 'bytes'"));
  EXPECT_THAT(refusal_of_times(times + R"({"outputs": {"bytes": 8}})"), HasSubstr("has no 'median'"));
  EXPECT_THAT(refusal_of_times(times + R"({"outputs": {"bytes": -8, "median": 1}})"), HasSubstr("'bytes' is -8"));
  EXPECT_THAT(refusal_of_times(times + "[]"), HasSubstr("'copies' is []; write an object"));
}

TEST(RawMeasurements, files_that_are_something_else_are_refused) {
  EXPECT_EQ(refusal(""), "raw.json: is empty");
  EXPECT_EQ(refusal(" \n"), "raw.json: is empty");
  EXPECT_THAT(refusal("[]"), HasSubstr("is []; write an object with rows"));
  EXPECT_THAT(refusal("{}"), HasSubstr("has no row"));
  EXPECT_THAT(refusal(R"({"takt": {}})"), HasSubstr("has no row"));
  EXPECT_THAT(refusal("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal("{}{}"), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal(R"({"1000,2000,CPU,1": 4})"), HasSubstr("'1000,2000,CPU,1' is 4; write an object"));
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("more than 100 lists"));
  EXPECT_THAT(refusal(std::string(100000, '[') + std::string(100000, ']')), HasSubstr("more than 100 lists"));
  EXPECT_THAT(refusal("\xff\xfe"), HasSubstr("is not JSON"));
}

TEST(RawMeasurements, what_a_file_says_of_itself_is_checked) {
  const std::string row = R"("1,2,CPU,1": {"mean": 1, "std": 0, "min": 1, "max": 1}})";
  EXPECT_THAT(refusal(R"({"takt": 4, )" + row), HasSubstr("'takt' is 4"));
  EXPECT_THAT(refusal(R"({"takt": {"schema_version": 2}, )" + row), HasSubstr("use a newer version"));
  EXPECT_THAT(refusal(R"({"takt": {"network": "gin"}, )" + row), HasSubstr("'network' is \"gin\""));
  for (const std::string features : {"0", "-1", "1.5", "\"500\"", "99999999999"})
    EXPECT_THAT(refusal(R"({"takt": {"features": )" + features + "}, " + row), HasSubstr("'features' is " + features));
}

TEST(RawMeasurements, files_that_cannot_be_read_are_named) {
  const TestFolder folder;
  try {
    read_raw_measurements(folder / "none.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_THAT(error.what(), HasSubstr("none.json"));
  }
}

}  // namespace
}  // namespace takt
