#include "plan/sweep/stage_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

StageRecord measured_record() {
  StageRecord record{Network::gat, "sim:NPU", {}};
  record.row.key = {1000, 2000, "NPU", 2, 3};
  record.row.runtime = "sim", record.row.device = "sim:NPU", record.row.precision = "f16";
  record.row.times = times_of({3000ns, 1000ns, 2000ns});
  record.row.inputs_copy = StageCopy{4096, Duration(12.5)};
  return record;
}

std::string refused(const std::string& line) {
  try {
    parse_stage_record(line, "file:3");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(StageTask, is_the_same_after_it_was_sent) {
  StageTask task;
  task.stage = {Network::gcn, 2, 4};
  task.unit = "GPU", task.device = "GPU.1", task.runtimes = {"openvino", "onnxruntime"};
  task.folder = "a folder/with \"signs\"";
  task.features = 12, task.warmup = 3, task.iterations = 4, task.graph = {"power-law", 7};
  task.sizes = {{10, 20}, {30, 0}};
  task.parent = 4711;
  EXPECT_EQ(to_json(parse_stage_task(to_json(task))), to_json(task));
  const StageTask read = parse_stage_task(to_json(task));
  EXPECT_EQ(read.folder, task.folder);
  EXPECT_EQ(read.stage.last, 4);
  EXPECT_EQ(read.sizes[1].nodes, 30);
  EXPECT_THROW(parse_stage_task("{}"), Error);
  EXPECT_THROW(parse_stage_task("no json"), Error);
}

TEST(StageRecord, is_the_same_after_it_was_written) {
  const StageRecord record = measured_record();
  const StageRecord read = parse_stage_record(to_json(record), "");
  EXPECT_EQ(to_json(read), to_json(record));
  EXPECT_EQ(read.network, Network::gat);
  EXPECT_EQ(read.row.key, record.row.key);
  EXPECT_EQ(read.row.times->samples, record.row.times->samples);
  EXPECT_EQ(read.row.times->median->count(), 2);
  EXPECT_EQ(read.row.times->mean.count(), 2);
  EXPECT_EQ(read.row.times->max.count(), 3);
  EXPECT_EQ(read.row.inputs_copy->bytes, 4096);
  EXPECT_FALSE(read.row.outputs_copy);
}

TEST(StageRecord, a_failure_keeps_its_reason_whatever_bytes_are_in_it) {
  StageRecord record{Network::sage, "NPU", {}};
  record.row.key = {1, 2, "NPU", 3, 3};
  record.row.status = StageStatus::failed;
  record.row.reason = "driver says \"\xff\"\n";
  const StageRecord read = parse_stage_record(to_json(record), "");
  EXPECT_EQ(read.row.status, StageStatus::failed);
  EXPECT_THAT(read.row.reason, testing::StartsWith("driver says"));
  EXPECT_FALSE(read.row.times);
}

TEST(StageRecord, what_is_no_row_is_refused_by_its_place) {
  const std::string good = to_json(measured_record());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return refused(text);
  };
  EXPECT_THAT(refused("{"), testing::StartsWith("file:3: "));
  EXPECT_THAT(with("gat", "cat"), testing::StartsWith("file:3: 'cat' is not a network"));
  EXPECT_THAT(with("1000,2000", "1000"), testing::StartsWith("file:3: 'key'"));
  EXPECT_THAT(with("\"measured\"", "\"done\""), testing::HasSubstr("'done' is not a status"));
  EXPECT_THAT(with("\"reason\":\"\"", "\"reason\":\"-\""), testing::HasSubstr("its reason does not match its status"));
  EXPECT_THAT(with("\"measured\"", "\"failed\""), testing::HasSubstr("do not match its status"));
  EXPECT_THAT(with("[3000,1000,2000]", "[]"), testing::HasSubstr("do not match its status"));
  EXPECT_THAT(with("[3000,1000,2000]", "\"3000\""), testing::StartsWith("file:3: "));
}

TEST(StageRecord, what_no_row_can_hold_is_refused_with_its_key) {
  const std::string good = to_json(measured_record());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return refused(text);
  };
  for (const char* stage : {"2,8", "1000,2000,NPU,2-8", "1000,2000,NPU,99", "0,2000,NPU,2-3", "1000,2000,TPU,2-3",
                            "1000,9223372036854775807,NPU,2-3", "01000,2000,NPU,2-3"})
    EXPECT_THAT(with("1000,2000,NPU,2-3", stage), testing::StartsWith("file:3: 'key'")) << stage;
  for (const char* sample : {"-5", "0", "9223372036854775808", "1e300", "0.5", "null", "[]", "1000000000000001"})
    EXPECT_THAT(with("1000,2000]", std::string(sample) + ",2000]"), testing::StartsWith("file:3: 'samples_ns' is "))
        << sample;
  EXPECT_THAT(with("12.5", "-12.5"), testing::StartsWith("file:3: 'inputs_copy': 'median_us' is -12.5; give"));
  EXPECT_THAT(with("4096", "-4096"), testing::StartsWith("file:3: 'inputs_copy': 'bytes' is -4096; give"));
  EXPECT_THAT(with("\"asked\"", "\"asked\":1,\"asked\""), testing::HasSubstr("'asked' is listed twice"));
  EXPECT_THAT(with("\"asked\"", "\"more\":1,\"asked\""), testing::HasSubstr("'more' is not a known key"));
  EXPECT_THAT(with("\"asked\"", "\"round\":4294967297,\"asked\""), testing::HasSubstr("'round' is 4294967297"));
  EXPECT_EQ(with("3000,1000,2000", "7,7,7"), "accepted");
}

}  // namespace
}  // namespace takt
