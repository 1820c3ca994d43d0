#include "training/trainer/thread_logs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace takt {
namespace {

const auto no_dims = [](std::vector<std::int64_t>&) {};

TEST(ThreadLogs, of_a_thread_have_its_spans_as_they_lie_in_one_another) {
  forget_logs();
  ThreadLog& own = ThreadLog::own();
  own.begin_span("outer", {.is_annotation = true}, no_dims);
  own.begin_span("inner", {.sequence = 4, .forward_thread = 9}, [](std::vector<std::int64_t>& dims) {
    for (const std::int64_t dim : {2, 5, 6, -1}) dims.push_back(dim);
  });
  own.end_span();
  own.note({.bytes = 64, .allocated = 640, .device_type = 1, .device = 3});
  own.begin_span("inner", {}, [](std::vector<std::int64_t>& dims) { dims.push_back(0); });
  own.end_span();
  own.end_span();
  own.end_span();  // of one that began before anybody listened
  own.begin_span("open", {}, no_dims);
  const std::vector<LoggedThread> threads = take_logs();
  own.end_span();
  ASSERT_FALSE(threads.empty());
  const LoggedThread& log = threads[0];
  EXPECT_EQ(log.names, (std::vector<std::string>{"outer", "inner", "open"}));
  ASSERT_EQ(log.spans.size(), 4u);
  const std::int32_t parents[] = {-1, 0, 0, -1};
  const std::uint32_t names[] = {0, 1, 1, 2}, dims[] = {0, 0, 4, 5}, counts[] = {0, 4, 1, 0};
  for (std::size_t s = 0; s < 4; ++s) {
    EXPECT_EQ(log.spans[s].parent, parents[s]) << s;
    EXPECT_EQ(log.spans[s].name, names[s]) << s;
    EXPECT_EQ(log.spans[s].dims, dims[s]) << s;
    EXPECT_EQ(log.spans[s].dim_count, counts[s]) << s;
    EXPECT_EQ(log.spans[s].end_ns >= log.spans[s].start_ns, s != 3) << s;
    EXPECT_GT(log.spans[s].start_ns, s == 0 ? 0 : log.spans[s - 1].start_ns - 1) << s;
  }
  EXPECT_GE(log.spans[0].end_ns, log.spans[2].end_ns);
  EXPECT_TRUE(log.spans[0].is_annotation);
  EXPECT_EQ(log.spans[1].sequence, 4);
  EXPECT_EQ(log.spans[1].forward_thread, 9u);
  EXPECT_EQ(log.dims, (std::vector<std::int64_t>{2, 5, 6, -1, 0}));
  ASSERT_EQ(log.memory.size(), 1u);
  EXPECT_EQ(log.memory[0].bytes, 64);
  EXPECT_EQ(log.memory[0].allocated, 640);
  EXPECT_EQ(log.memory[0].device_type, 1);
  EXPECT_EQ(log.memory[0].device, 3);
  EXPECT_GE(log.memory[0].time_ns, log.spans[1].end_ns);
  EXPECT_LE(log.memory[0].time_ns, log.spans[2].start_ns);
}

TEST(ThreadLogs, that_were_taken_or_forgotten_are_empty) {
  ThreadLog& own = ThreadLog::own();
  own.begin_span("before", {}, [](std::vector<std::int64_t>& dims) { dims.push_back(1); });
  own.note({.bytes = 1});
  forget_logs();
  own.end_span();  // which nobody has to know of
  own.begin_span("after", {}, no_dims);
  own.end_span();
  const LoggedThread log = take_logs().at(0);
  ASSERT_EQ(log.spans.size(), 1u);
  EXPECT_EQ(log.names.at(log.spans[0].name), "after");
  EXPECT_EQ(log.spans[0].parent, -1);
  EXPECT_TRUE(log.dims.empty() && log.memory.empty());
  EXPECT_TRUE(take_logs().at(0).spans.empty());
}

TEST(ThreadLogs, the_taking_thread_comes_first_and_each_has_a_name_and_a_number) {
  ThreadLog::own().rename("main");
  std::vector<LoggedThread> taken;
  std::thread([&] {
    ThreadLog::own().begin_span("x", {}, no_dims);
    ThreadLog::own().end_span();
    taken = take_logs();
  }).join();
  ASSERT_GE(taken.size(), 2u);
  EXPECT_EQ(taken[0].spans.size(), 1u);
  EXPECT_EQ(taken[0].name, "thread " + std::to_string(taken.size()));
  EXPECT_EQ(std::count_if(taken.begin(), taken.end(), [](const LoggedThread& one) { return one.name == "main"; }), 1);
  EXPECT_NE(taken[0].number, taken[1].number);
}

// What the thread sanitizer looks at: one takes and forgets while others note.
TEST(ThreadLogs, are_taken_while_others_write_and_nothing_is_lost) {
  forget_logs();
  constexpr int writers = 3, spans = 3000;
  std::atomic<int> running{writers};
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w)
    threads.emplace_back([&] {
      ThreadLog& own = ThreadLog::own();
      for (int s = 0; s < spans; ++s) {
        own.begin_span(s % 2 == 0 ? "even" : "odd", {}, [](std::vector<std::int64_t>& dims) { dims.push_back(7); });
        own.note({.bytes = 8});
        own.end_span();
      }
      --running;
    });
  std::size_t found = 0, bytes = 0;
  const auto take = [&] {
    for (const LoggedThread& log : take_logs()) {
      found += log.spans.size(), bytes += log.memory.size();
      EXPECT_EQ(log.dims.size(), log.spans.size());
    }
  };
  while (running > 0) take();
  for (std::thread& thread : threads) thread.join();
  take();
  EXPECT_EQ(found, static_cast<std::size_t>(writers * spans));
  EXPECT_EQ(bytes, found);
}

}  // namespace
}  // namespace takt
