// A user's pipeline, told from outside: each test says what a program logged, and what must come out is derived by hand
// or read back from the trace.
#include "takt/pipeline_profiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "account/account.h"
#include "core/table.h"
#include "core/temporary_folder.h"
#include "takt/error.h"
#include "trace/chrome_reader.h"

namespace takt {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A profiler with times counted in milliseconds from a moment of its own.
class Log {
 public:
  void event(const char* stage, const char* device, std::int64_t batch, std::int64_t from_ms, std::int64_t to_ms) {
    profiler.log_event(stage, device, batch, base_ + milliseconds(from_ms), base_ + milliseconds(to_ms));
  }
  std::chrono::nanoseconds at(std::int64_t ms) const { return base_ + milliseconds(ms); }

  PipelineProfiler profiler{"mine"};

 private:
  std::chrono::nanoseconds base_ = PipelineProfiler::now();
};

std::size_t column_of(const ProfileTable& table, const std::string& name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  EXPECT_NE(found, table.columns.end()) << name;
  return static_cast<std::size_t>(found - table.columns.begin());
}

/// The column of a table, every value as a double (text and what is missing as not a number).
std::vector<double> numbers(const PipelineProfiler& profiler, const std::string& table, const std::string& column) {
  for (const ProfileTable& candidate : profiler.tables()) {
    if (candidate.name != table) continue;
    std::vector<double> result;
    for (const auto& row : candidate.rows) {
      const auto& value = row[column_of(candidate, column)];
      if (const auto* integer = std::get_if<std::int64_t>(&value))
        result.push_back(static_cast<double>(*integer));
      else
        result.push_back(std::holds_alternative<double>(value) ? std::get<double>(value) : std::nan(""));
    }
    return result;
  }
  ADD_FAILURE() << "no table " << table;
  return {};
}

std::vector<std::string> texts(const PipelineProfiler& profiler, const std::string& table, const std::string& column) {
  std::vector<std::string> result;
  for (const ProfileTable& candidate : profiler.tables())
    if (candidate.name == table)
      for (const auto& row : candidate.rows) result.push_back(std::get<std::string>(row[column_of(candidate, column)]));
  return result;
}

template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

// CPU  0000111122223333
// GPU      000000111111222222333333      one batch each 6 ms, the GPU never waits after its first
void log_two_stages(Log& log) {
  for (std::int64_t b = 0; b < 4; ++b) log.event("decode", "CPU", b, 4 * b, 4 * b + 4);
  for (std::int64_t b = 0; b < 4; ++b) log.event("infer", "GPU", b, 4 + 6 * b, 10 + 6 * b);
}

TEST(PipelineProfiler, gives_the_tables_of_what_it_was_told) {
  Log log;
  log_two_stages(log);
  const auto& p = log.profiler;
  EXPECT_EQ(numbers(p, "summary", "batches"), Numbers{4});
  EXPECT_EQ(numbers(p, "summary", "makespan_us"), Numbers{28000});
  EXPECT_EQ(numbers(p, "summary", "cycle_us"), Numbers{6000});
  EXPECT_EQ(texts(p, "summary", "bottleneck"), Texts{"infer"});
  EXPECT_EQ(texts(p, "devices", "device"), (Texts{"CPU", "GPU"}));
  EXPECT_EQ(numbers(p, "devices", "busy_us"), (Numbers{16000, 24000}));
  EXPECT_EQ(texts(p, "stages", "stage"), (Texts{"decode", "infer"}));
  EXPECT_EQ(numbers(p, "stages", "stage_mean_us"), (Numbers{4000, 6000}));
  EXPECT_EQ(numbers(p, "stages", "replicas"), (Numbers{1, 1}));
  EXPECT_EQ(numbers(p, "stages", "queue_mean_us"), (Numbers{0, 3000})) << "0, 2, 4 and 6 ms";
  EXPECT_EQ(numbers(p, "batches", "latency_us"), (Numbers{10000, 12000, 14000, 16000}));
}

TEST(PipelineProfiler, a_devices_time_adds_up) {
  Log log;
  log_two_stages(log);
  const auto wall = numbers(log.profiler, "devices", "wall_us");
  Numbers sum(wall.size(), 0);
  for (const char* part : {"busy_us", "starved_us", "blocked_us", "dispatch_us", "fill_drain_us"}) {
    const auto values = numbers(log.profiler, "devices", part);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  EXPECT_EQ(sum, wall);
}

TEST(PipelineProfiler, stages_stand_as_batches_went_through_them_whoever_told_first) {
  Log log;
  log.event("c", "CPU", 0, 4, 5);
  log.event("a", "CPU", 0, 0, 2);
  log.event("b", "CPU", 0, 2, 4);
  EXPECT_EQ(texts(log.profiler, "stages", "stage"), (Texts{"a", "b", "c"}));
}

TEST(PipelineProfiler, stages_that_took_no_time_stand_as_they_were_named) {
  Log log;
  for (const char* stage : {"z", "m", "a"}) log.event(stage, "CPU", 0, 3, 3);
  EXPECT_EQ(texts(log.profiler, "stages", "stage"), (Texts{"z", "m", "a"}));
}

TEST(PipelineProfiler, batches_in_flight_are_left_out_and_counted) {
  Log log;
  log_two_stages(log);
  log.event("decode", "CPU", 4, 16, 20);
  log.event("decode", "other", 5, 20, 24);
  EXPECT_EQ(log.profiler.finished(), 4);
  EXPECT_EQ(log.profiler.unfinished(), 2);
  EXPECT_EQ(numbers(log.profiler, "summary", "batches"), Numbers{4});
  EXPECT_EQ(texts(log.profiler, "devices", "device"), (Texts{"CPU", "GPU"})) << "no finished batch used the other";
}

TEST(PipelineProfiler, batches_may_have_any_numbers) {
  Log log;
  log.event("a", "CPU", std::numeric_limits<std::int64_t>::max(), 2, 3);
  log.event("a", "CPU", -7, 1, 2);
  log.event("a", "CPU", std::numeric_limits<std::int64_t>::min(), 0, 1);
  EXPECT_EQ(numbers(log.profiler, "batches", "batch"), (Numbers{0, 1, 2}));
  EXPECT_EQ(numbers(log.profiler, "batches", "delivered_us"), (Numbers{1000, 2000, 3000}));
}

TEST(PipelineProfiler, as_many_batches_at_once_are_as_many_replicas) {
  Log log;
  for (std::int64_t b = 0; b < 3; ++b) log.event("a", "CPU", b, b, b + 3);
  log.event("a", "CPU", 3, 3, 6);  // after the first
  EXPECT_EQ(numbers(log.profiler, "stages", "replicas"), Numbers{3});
}

TEST(PipelineProfiler, refuses_what_cannot_be_and_keeps_what_it_had) {
  Log log;
  log_two_stages(log);
  const auto before = log.profiler.table("batches", TableFormat::csv);
  EXPECT_NE(message_of([&] { log.event("decode", "CPU", 2, 50, 51); }).find("in this stage before"), std::string::npos);
  EXPECT_NE(message_of([&] { log.event("decode", "CPU", 9, 5, 4); }).find("before it was submitted"),
            std::string::npos);
  EXPECT_NE(message_of([&] { log.event("", "CPU", 9, 4, 5); }).find("no name"), std::string::npos);
  EXPECT_NE(message_of([&] { log.event("decode", "", 9, 4, 5); }).find("device has no name"), std::string::npos);
  EXPECT_NE(message_of([&] {
              log.profiler.log_event("decode", "CPU", 9, std::chrono::nanoseconds::min(), std::chrono::nanoseconds(0));
            }).find("steady clock"),
            std::string::npos);
  EXPECT_EQ(log.profiler.table("batches", TableFormat::csv), before);
  EXPECT_EQ(log.profiler.unfinished(), 0);
}

TEST(PipelineProfiler, says_why_there_are_no_tables) {
  Log empty, typing_error, back;
  EXPECT_NE(message_of([&] { empty.profiler.text(); }).find("none of 0 batches"), std::string::npos);
  typing_error.event("decode", "CPU", 0, 0, 1);
  typing_error.event("decod", "CPU", 1, 1, 2);
  EXPECT_NE(message_of([&] { typing_error.profiler.text(); }).find("'decode', 'decod'"), std::string::npos);
  log_two_stages(back);
  back.event("infer", "GPU", 4, 30, 31);
  back.event("decode", "CPU", 4, 31, 32);
  EXPECT_NE(message_of([&] { back.profiler.text(); }).find("batch 4 was in stage 'infer' before 'decode' was done"),
            std::string::npos);
  EXPECT_NE(message_of([&] { back.profiler.table("stage"); }), "");
}

TEST(PipelineProfiler, an_execution_that_failed_is_left_out) {
  Log log;
  log.event("a", "CPU", 0, 0, 1);
  StageResult failed;
  failed.batch = 1, failed.submitted = log.at(1), failed.completed = log.at(2), failed.error = "it failed";
  log.profiler.log_execution("a", "CPU", std::move(failed));
  EXPECT_EQ(log.profiler.finished(), 1);
  EXPECT_EQ(log.profiler.unfinished(), 0);
}

TEST(PipelineProfiler, counters_that_a_runtime_does_not_have_are_missing_not_zero) {
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
TEST(PipelineProfiler, copies_of_an_executor_are_neither_its_time_nor_a_wait) {
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

TEST(PipelineProfiler, copies_at_impossible_times_are_refused) {
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
  EXPECT_NE(message_of([&] { log.profiler.text(); }).find("before 'a' was done with it"), std::string::npos);
}

/// 1 ms to cut, parts of 5 and 8 ms, 1 ms until the merge starts, 1 ms merge.
DataParallelResult divided(const Log& log, std::int64_t batch, std::int64_t from_ms) {
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

TEST(PipelineProfiler, a_data_parallel_stage_has_its_parts_and_adds_up) {
  Log log;
  for (std::int64_t b = 0; b < 3; ++b) {
    log.event("decode", "CPU", b, 20 * b, 20 * b + 2);
    const auto result = divided(log, b, 20 * b + 2);
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

TEST(PipelineProfiler, a_stage_has_as_many_parts_in_every_batch) {
  Log log;
  log.profiler.log_execution("infer", divided(log, 0, 0));
  EXPECT_NE(message_of([&] { log.event("infer", "CPU", 1, 20, 30); }).find("1 parts in this batch and 2 in others"),
            std::string::npos);
  EXPECT_NE(message_of([&] { log.profiler.log_execution("other", DataParallelResult{}); }), "");
}

std::string all_tables(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables) text += table.name + "\n" + to_csv(table);
  return text;
}

TEST(PipelineProfiler, the_trace_gives_the_same_tables) {
  Log log;
  for (std::int64_t b = 0; b < 5; ++b) {
    log.event("decode", "CPU", b, 12 * b, 12 * b + 2);
    log.profiler.log_execution("infer", divided(log, b, 12 * b + 2 + b % 2));
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

TEST(PipelineProfiler, many_threads_log_while_another_asks) {
  constexpr int threads = 6, each = 500;
  PipelineProfiler profiler("threads");
  std::atomic<bool> done = false;
  std::thread asking([&] {
    while (!done) {
      profiler.finished();
      try {
        profiler.text();
      } catch (const Error&) {  // no batch has come through yet
      }
    }
  });
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&profiler, t] {
      for (int i = 0; i < each; ++i) {
        const std::int64_t batch = t * each + i;
        auto from = PipelineProfiler::now();
        for (const char* stage : {"a", "b", "c"}) {
          const auto until = PipelineProfiler::now();
          profiler.log_event(stage, t % 2 == 0 ? "CPU" : "GPU", batch, from, until);
          from = until;
        }
      }
    });
  for (auto& thread : running) thread.join();
  done = true;
  asking.join();
  EXPECT_EQ(profiler.finished(), threads * each);
  EXPECT_EQ(profiler.unfinished(), 0);
  EXPECT_EQ(numbers(profiler, "stages", "stage_batches"), Numbers(3, threads * each));
}

// What is random here is everything that a program may do: batches come through in any order, overlap, wait, are told
// in any order, and some are not done.
TEST(PipelineProfiler, any_log_becomes_a_run_whose_times_add_up) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](int most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
    Log log;
    struct Event {
      int stage;
      std::int64_t batch, from, to;
    };
    std::vector<Event> events;
    const int stages = 1 + static_cast<int>(up_to(3));
    const std::int64_t batches = 1 + up_to(30);
    double total = 0;
    for (std::int64_t b = 0; b < batches; ++b) {
      std::int64_t time = up_to(50);
      for (int s = 0; s < stages; ++s) {
        const auto from = time + up_to(5), to = from + up_to(7);
        events.push_back({s, b, from, to});
        total += static_cast<double>(to - from) * 1000;
        time = to + 1;  // so that the order of the stages is never left open
      }
    }
    std::shuffle(events.begin(), events.end(), random);
    const char* const names[] = {"w", "z", "a", "m"};
    for (const auto& e : events) log.event(names[e.stage], e.batch % 3 == 0 ? "X" : "Y", e.batch, e.from, e.to);
    const auto sums = numbers(log.profiler, "stages", "stage_total_us");
    EXPECT_EQ(texts(log.profiler, "stages", "stage"), Texts(names, names + stages)) << seed;
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0), total) << seed;
    EXPECT_EQ(numbers(log.profiler, "summary", "batches"), Numbers{static_cast<double>(batches)}) << seed;
  }
}

TEST(PipelineProfiler, many_batches_at_once_do_not_take_for_ever) {
  PipelineProfiler profiler("many");
  const auto base = PipelineProfiler::now();
  for (std::int64_t b = 0; b < 20000; ++b)
    profiler.log_event("a", "CPU", b, base + microseconds(b), base + milliseconds(200) + microseconds(b));
  EXPECT_EQ(numbers(profiler, "stages", "replicas"), Numbers{20000});
}

}  // namespace
}  // namespace takt
