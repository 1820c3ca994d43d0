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

#include "logged_pipeline.h"

namespace takt {
namespace {

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
  EXPECT_EQ(numbers(log.profiler, "batches", "batch"),
            (Numbers{static_cast<double>(std::numeric_limits<std::int64_t>::min()), -7,
                     static_cast<double>(std::numeric_limits<std::int64_t>::max())}));
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
  EXPECT_NE(message_of([&] { log.event("decode", "CPU", 2, 50, 51); }).find("the batch was already in this stage"),
            std::string::npos);
  EXPECT_NE(message_of([&] { log.event("decode", "CPU", 9, 5, 4); }).find("before it was submitted"),
            std::string::npos);
  EXPECT_NE(message_of([&] { log.event("", "CPU", 9, 4, 5); }).find("the stage has no name; give it one"),
            std::string::npos);
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
  EXPECT_NE(message_of([&] { empty.profiler.text(); }).find("none of the 0 batches"), std::string::npos);
  typing_error.event("decode", "CPU", 0, 0, 1);
  typing_error.event("decod", "CPU", 1, 1, 2);
  EXPECT_NE(message_of([&] { typing_error.profiler.text(); }).find("'decode', 'decod'"), std::string::npos);
  log_two_stages(back);
  back.event("infer", "GPU", 4, 30, 31);
  back.event("decode", "CPU", 4, 31, 32);
  EXPECT_NE(
      message_of([&] { back.profiler.text(); }).find("batch 4 was in stage 'infer' before 'decode' had completed it"),
      std::string::npos);
  EXPECT_NE(message_of([&] { back.profiler.table("stage"); }), "");
  Log good;
  log_two_stages(good);
  EXPECT_EQ(
      message_of([&] { good.profiler.table("stage"); }).find("'stage' is not a table of a pipeline; it has summary, "),
      0u)
      << message_of([&] { good.profiler.table("stage"); });
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
