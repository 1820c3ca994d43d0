// Executions that a program logs with what an executor told of them: failures, counters, copies, parts.
#include <gtest/gtest.h>

#include <utility>

#include "base/files/temporary_folder.h"
#include "base/table/table.h"
#include "logged_pipeline.h"
#include "pipeline/account/account.h"
#include "trace/chrome/reader.h"

namespace takt {
namespace {

TEST(LoggedExecution, an_execution_that_failed_is_left_out) {
  Log log;
  log.event("a", "CPU", 0, 0, 1);
  StageResult failed;
  failed.batch = 1, failed.submitted = log.at(1), failed.completed = log.at(2), failed.error = "it failed";
  log.profiler.log_execution("a", "CPU", std::move(failed));
  EXPECT_EQ(log.profiler.finished(), 1);
  EXPECT_EQ(log.profiler.unfinished(), 0);
}

TEST(LoggedExecution, counters_that_a_runtime_does_not_have_are_missing_not_zero) {
  Log log;
  log.profiler.log_event("a", "CPU", 0, log.at(0), log.at(5), {milliseconds(4), std::nullopt, std::nullopt});
  log.event("b", "CPU", 0, 5, 6);
  EXPECT_EQ(numbers(log.profiler, "stages", "hardware_mean_us")[0], 4000);
  EXPECT_EQ(numbers(log.profiler, "stages", "penalty_mean_us")[0], 1000);
  for (const ProfileTable& table : log.profiler.tables())
    if (table.name == "stages") {
      const auto& value = table.rows[1][column_of(table, "hardware_mean_us")];
      EXPECT_TRUE(std::holds_alternative<std::monostate>(value));
    }
}

/// 1 ms to copy the inputs, 4 ms of inference, 2 ms to copy the outputs.
StageResult copied(const Log& log, std::int64_t batch, std::int64_t from_ms) {
  StageResult result;
  result.batch = batch;
  result.inputs_copied = {log.at(from_ms), log.at(from_ms + 1), 1000};
  result.submitted = log.at(from_ms + 1);
  result.completed = log.at(from_ms + 5);
  result.outputs_copied = {log.at(from_ms + 5), log.at(from_ms + 7), 5000};
  result.counters.bytes_moved = 6000;
  return result;
}

// decode  001122        infer  copies its inputs for 1 ms and its outputs for 2, and runs for 4
TEST(LoggedExecution, copies_of_an_executor_are_neither_its_time_nor_a_wait) {
  Log log;
  for (std::int64_t b = 0; b < 3; ++b) {
    log.event("decode", "GPU", b, 10 * b, 10 * b + 2);
    log.profiler.log_execution("infer", "CPU", copied(log, b, 10 * b + 2));
    log.event("label", "GPU", b, 10 * b + 9, 10 * b + 10);
  }
  EXPECT_EQ(numbers(log.profiler, "stages", "stage_mean_us"), (Numbers{2000, 4000, 1000}));
  EXPECT_EQ(numbers(log.profiler, "stages", "copy_mean_us"), (Numbers{0, 3000, 0}));
  EXPECT_EQ(numbers(log.profiler, "stages", "queue_mean_us"), (Numbers{0, 0, 0}));
  EXPECT_EQ(numbers(log.profiler, "batches", "batch_copy_us"), (Numbers{3000, 3000, 3000}));
  EXPECT_EQ(numbers(log.profiler, "batches", "latency_us"), (Numbers{10000, 10000, 10000}));
  const TemporaryFolder folder("takt-test-");
  const auto file = folder.path() / "pipeline_trace.json";
  log.profiler.export_chrome_trace(file);
  const auto read = read_pipeline_run(read_chrome_trace(file).trace, "t");
  ASSERT_EQ(read.copies.size(), 6u);
  EXPECT_EQ(read.copies[1].bytes, 5000);
}

TEST(LoggedExecution, copies_at_impossible_times_are_refused) {
  Log log;
  StageResult early = copied(log, 0, 0);
  early.outputs_copied.begin = early.completed - milliseconds(1);
  EXPECT_NE(message_of([&] { log.profiler.log_execution("a", "CPU", early); }).find("during the inference"),
            std::string::npos);
  StageResult late = copied(log, 0, 0);
  late.inputs_copied.end = late.submitted + milliseconds(1);
  EXPECT_NE(message_of([&] { log.profiler.log_execution("a", "CPU", late); }), "");
  StageResult less = copied(log, 0, 0);
  less.inputs_copied.bytes = -1;
  EXPECT_NE(message_of([&] { log.profiler.log_execution("a", "CPU", less); }), "");
  EXPECT_EQ(log.profiler.finished(), 0);
  log.profiler.log_execution("a", "CPU", copied(log, 0, 0));
  log.event("b", "CPU", 0, 6, 8);  // while the outputs of a are still being copied
  EXPECT_NE(message_of([&] { log.profiler.text(); }).find("before 'a' had completed it"), std::string::npos);
}

/// 1 ms to cut, parts of 5 and 8 ms, 1 ms until the merge starts, 1 ms merge.
DataParallelResult divided_stage(const Log& log, std::int64_t batch, std::int64_t from_ms) {
  DataParallelResult result;
  result.batch = batch;
  result.begin = log.at(from_ms);
  result.partition_time = milliseconds(1);
  result.device_time = {milliseconds(5), milliseconds(8)};
  result.parts = {{"CPU", log.at(from_ms + 1), log.at(from_ms + 6), {}},
                  {"GPU", log.at(from_ms + 1), log.at(from_ms + 9), {}}};
  result.wake_up = milliseconds(1);
  result.sync_merge_time = milliseconds(2);
  result.skew = milliseconds(3);
  return result;
}

TEST(LoggedExecution, a_data_parallel_stage_has_its_parts_and_adds_up) {
  Log log;
  for (std::int64_t b = 0; b < 3; ++b) {
    log.event("decode", "CPU", b, 20 * b, 20 * b + 2);
    const auto result = divided_stage(log, b, 20 * b + 2);
    EXPECT_EQ(result.stage_total(), milliseconds(11));
    log.profiler.log_execution("infer", result);
  }
  EXPECT_EQ(texts(log.profiler, "stages", "devices"), (Texts{"CPU", "CPU+GPU"}));
  EXPECT_EQ(numbers(log.profiler, "stages", "stage_mean_us"), (Numbers{2000, 11000}));
  EXPECT_EQ(numbers(log.profiler, "parts", "device_time_us"), (Numbers{5000, 8000, 5000, 8000, 5000, 8000}));
  EXPECT_EQ(numbers(log.profiler, "parts", "skew_us"), Numbers(6, 3000));
  EXPECT_EQ(numbers(log.profiler, "parts", "wake_up_us"), Numbers(6, 1000));
  EXPECT_EQ(numbers(log.profiler, "parts", "stage_time_us"), Numbers(6, 11000));
}

TEST(LoggedExecution, a_stage_has_as_many_parts_in_every_batch) {
  Log log;
  log.profiler.log_execution("infer", divided_stage(log, 0, 0));
  EXPECT_NE(message_of([&] { log.event("infer", "CPU", 1, 20, 30); }).find("1 parts in this batch and 2 in others"),
            std::string::npos);
  EXPECT_NE(message_of([&] { log.profiler.log_execution("other", DataParallelResult{}); }), "");
}

std::string all_tables(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables) text += table.name + "\n" + to_csv(table);
  return text;
}

TEST(LoggedExecution, the_trace_gives_the_same_tables) {
  Log log;
  for (std::int64_t b = 0; b < 5; ++b) {
    log.event("decode", "CPU", b, 12 * b, 12 * b + 2);
    log.profiler.log_execution("infer", divided_stage(log, b, 12 * b + 2 + b % 2));
    log.event("label", "CPU", b, 12 * b + 14, 12 * b + 15);
  }
  const TemporaryFolder folder("takt-test-");
  const auto file = folder.path() / "pipeline_trace.json";
  log.profiler.export_chrome_trace(file);
  const auto run = read_pipeline_run(read_chrome_trace(file).trace, file.string());
  std::string told;
  for (const char* name :
       {"summary", "devices", "stages", "batches", "parts", "splits", "critical_path", "bindings", "device_stages"})
    told += std::string(name) + "\n" + log.profiler.table(name, TableFormat::csv);
  EXPECT_EQ(all_tables(tables(account(run))), told);
  EXPECT_NE(log.profiler.json().find("\"critical_path\""), std::string::npos);
}

}  // namespace
}  // namespace takt
