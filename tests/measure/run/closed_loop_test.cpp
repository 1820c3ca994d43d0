#include "measure/timing/closed_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "base/basics/error.h"
#include "measure/run/fake_session.h"
#include "model/runtime/worker.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// What all requests of a test see.
struct Field {
  std::atomic<int> in_flight{0}, started{0}, copied{0};
  int failing = -1;  ///< the start that fails
  int lost = -1;     ///< the completion whose outputs cannot be copied
  int late = -1;     ///< the start that reports its end only after `late_until` starts
  int late_until = 0;
  bool throws = false;
  bool tells_where = false;  ///< a request that failed says of which model
  bool own_thread = true;    ///< or one that only hands requests back
};

class FieldRequest : public Request {
 public:
  explicit FieldRequest(Field& field) : field_(field) {}
  ~FieldRequest() override { worker_.wait(); }
  std::int64_t set_input(std::size_t, SharedTensor) override { return 0; }
  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)> done) override {
    const int number = field_.started++;
    if (number == field_.failing && field_.throws) throw Error(ErrorKind::runtime, "it did not start");
    const bool fails = number == field_.failing;
    ++field_.in_flight;
    EXPECT_TRUE(worker_.start([] {},
                              [this, number, fails, done = std::move(done)] {
                                const Nanoseconds at = steady_now();
                                while (number == field_.late && field_.started < field_.late_until)
                                  std::this_thread::yield();
                                --field_.in_flight;
                                has_failed_ = has_failed_ || fails;
                                done(at, fails ? std::optional<std::string>("it broke") : std::nullopt);
                              }));
  }
  bool completes_on_own_thread() const override { return field_.own_thread; }
  void wait() override {
    worker_.wait();
    if (has_failed_ && field_.tells_where) throw Error(ErrorKind::runtime, "m.onnx: it broke");
  }
  std::vector<HostTensor> outputs() override {
    if (field_.copied++ == field_.lost) throw Error(ErrorKind::runtime, "its outputs are lost");
    return {};
  }

 private:
  Field& field_;
  std::atomic<bool> has_failed_{false};
  Worker worker_;
};

std::vector<std::unique_ptr<Request>> requests_of(Field& field, int count) {
  std::vector<std::unique_ptr<Request>> requests;
  for (int i = 0; i < count; ++i) requests.push_back(std::make_unique<FieldRequest>(field));
  return requests;
}

LoopLimit runs(std::size_t most, std::size_t warmup = 2) {
  LoopLimit limit;
  limit.warmup = warmup, limit.most = most;
  return limit;
}

/// Requests that start themselves, and requests that are handed back.
class ClosedLoop : public testing::TestWithParam<bool> {
 protected:
  ClosedLoop() { field.own_thread = GetParam(); }
  Field field;
};
INSTANTIATE_TEST_SUITE_P(BothWays, ClosedLoop, testing::Bool());

TEST_P(ClosedLoop, counts_as_many_as_asked_after_every_request_was_warm) {
  const auto requests = requests_of(field, 4);
  const auto record = run_closed_loop(requests, false, runs(100, 3));
  EXPECT_EQ(record.counted.size(), 100u);
  EXPECT_GE(record.warmup.size(), 12u);
  EXPECT_LE(record.counted.size() + record.warmup.size(), static_cast<std::size_t>(field.started));
  EXPECT_EQ(field.in_flight, 0);
  Nanoseconds last = record.began;
  for (const auto& one : record.counted) {
    EXPECT_LE(one.started, one.completed);
    EXPECT_LE(last, one.completed);
    last = one.completed;
  }
  EXPECT_EQ(record.window(), last - record.began);
  EXPECT_GT(record.per_second(), 0);
}

TEST_P(ClosedLoop, a_completion_reported_late_leaves_every_warm_up_a_warm_up) {
  field.late = 0, field.late_until = 4;
  const auto record = run_closed_loop(requests_of(field, 3), false, runs(50, 1));
  EXPECT_GE(record.warmup.size(), 3u);
  EXPECT_EQ(record.counted.size(), 50u);
}

TEST_P(ClosedLoop, feeds_every_start_with_a_turn_of_its_own) {
  const auto requests = requests_of(field, 3);
  std::mutex mutex;
  std::multiset<std::size_t> turns;
  run_closed_loop(requests, false, runs(50), {}, [&](Request&, std::size_t turn) {
    const std::lock_guard lock(mutex);
    turns.insert(turn);
  });
  ASSERT_EQ(turns.size(), static_cast<std::size_t>(field.started));
  std::size_t wanted = 0;
  for (const auto turn : turns) EXPECT_EQ(turn, wanted++);
}

TEST_P(ClosedLoop, time_ends_it_only_after_the_fewest) {
  LoopLimit limit;
  limit.time = 1ns, limit.fewest = 40;
  const auto record = run_closed_loop(requests_of(field, 2), false, limit);
  EXPECT_GE(record.counted.size(), 40u);
  EXPECT_LE(record.counted.size(), 45u);
}

TEST_P(ClosedLoop, of_a_number_and_a_time_the_first_ends_it) {
  LoopLimit limit = runs(10);
  limit.time = 1h;
  EXPECT_EQ(run_closed_loop(requests_of(field, 2), false, limit).counted.size(), 10u);
}

TEST_P(ClosedLoop, warm_up_lasts_as_long_as_asked) {
  LoopLimit limit = runs(1, 0);
  limit.warmup_time = 20ms;
  const Nanoseconds before = steady_now();
  const auto record = run_closed_loop(requests_of(field, 2), false, limit);
  EXPECT_GE(record.began - before, Nanoseconds(20ms));
}

TEST_P(ClosedLoop, ends_when_its_watch_says_so) {
  LoopLimit limit;
  limit.time = 1h;
  run_closed_loop(requests_of(field, 2), false, limit, [](std::size_t, Nanoseconds) { return false; });
  EXPECT_EQ(field.in_flight, 0);
}

TEST_P(ClosedLoop, copies_the_outputs_of_every_completion) {
  run_closed_loop(requests_of(field, 2), true, runs(20));
  EXPECT_EQ(field.copied, field.started);
}

TEST_P(ClosedLoop, a_failing_request_ends_all_with_its_message) {
  for (const bool throws : {false, true}) {
    field.started = 0, field.failing = 17, field.throws = throws;
    const auto requests = requests_of(field, 3);
    try {
      run_closed_loop(requests, false, runs(100'000));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), throws ? "it did not start" : "it broke");
    }
    for (const auto& request : requests) request->wait();
    EXPECT_EQ(field.in_flight, 0);
  }
}

TEST_P(ClosedLoop, a_failure_is_told_as_its_request_tells_it) {
  field.failing = 5, field.tells_where = true;
  const auto requests = requests_of(field, 3);
  try {
    run_closed_loop(requests, false, runs(100'000));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "m.onnx: it broke");
  }
}

TEST_P(ClosedLoop, outputs_that_cannot_be_copied_end_it_with_their_message) {
  field.lost = 9;
  const auto requests = requests_of(field, 2);
  try {
    run_closed_loop(requests, true, runs(1000));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "its outputs are lost");
  }
  for (const auto& request : requests) request->wait();
  EXPECT_EQ(field.in_flight, 0);
}

TEST(VirtualLoop, requests_wait_for_one_another) {
  FakeSession session;
  session.next_time = [] { return Nanoseconds(90); };
  const auto record = run_virtual_loop(session, 3, runs(6, 1));
  EXPECT_EQ(record.began, Nanoseconds(270));
  EXPECT_EQ(record.warmup.size(), 3u);
  ASSERT_EQ(record.counted.size(), 6u);
  for (const auto& one : record.counted) EXPECT_EQ(one.completed - one.started, Nanoseconds(270));
  EXPECT_DOUBLE_EQ(record.per_second(), 1e9 / 90);
}

}  // namespace
}  // namespace takt
