// What keeps the cycle from being shorter, on pipelines where an expert could say it.
#include "pipeline/account/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/record/run_words.h"

namespace takt {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string bound_by(const Accounts& a) { return a.bindings.main ? binder_name(a, *a.bindings.main) : ""; }

/// The rows add up to the steady part, to the nanosecond.
void expect_adds_up(const Accounts& a) {
  Nanoseconds total{};
  for (const BinderShare& share : a.bindings.shares) total += share.total;
  EXPECT_EQ(total, a.bindings.window.length());
}

SimulationOptions every(std::int64_t between, int count) {
  SimulationOptions options;
  for (int b = 0; b < count; ++b) options.arrivals.push_back(Nanoseconds(b * between));
  return options;
}

Nanoseconds at(std::int64_t ns) { return Nanoseconds(ns); }

BinderShare share(Binder binder, std::int64_t total, int stage = -1, int device = -1) {
  return {binder, stage, device, 1, at(total)};
}

TEST(Laps, have_what_was_spent_inside_the_window_and_belong_to_what_they_waited_for) {
  Laps laps({at(10), at(100)});
  laps.spend(at(90), at(120));  // 10 of it inside
  laps.wait_for(Binder::stage, 2, -1);
  laps.wait_for(Binder::queue, 1, -1);  // of one instant: what couples counts
  laps.wait_for(Binder::order, 0, -1);  // and the first of these
  laps.spend(at(90), at(90));           // nothing
  laps.spend_apart(Binder::dispatch, at(80), at(90));
  laps.spend(at(50), at(80));
  laps.wait_for(Binder::stage, 2, -1);
  laps.spend(at(40), at(50));
  laps.wait_for(Binder::queue, 1, -1);
  laps.spend(at(5), at(40));  // 30 of it inside
  laps.spend_apart(Binder::source, at(0), at(10));
  const auto shares = laps.finish(Binder::start);
  ASSERT_EQ(shares.size(), 4u);
  EXPECT_EQ(shares[0].binder, Binder::stage) << "30, like the start, and found before it";
  EXPECT_EQ(shares[0].stage, 2);
  EXPECT_EQ(shares[0].total.count(), 30);
  EXPECT_EQ(shares[1].binder, Binder::start);
  EXPECT_EQ(shares[1].total.count(), 30);
  EXPECT_EQ(shares[2].binder, Binder::queue) << "two laps";
  EXPECT_EQ(shares[2].laps, 2);
  EXPECT_EQ(shares[2].total.count(), 20);
  EXPECT_EQ(shares[3].binder, Binder::dispatch);
  EXPECT_EQ(shares[3].total.count(), 10);
}

TEST(Bindings, are_named_by_the_first_rule_that_holds_on_its_border_too) {
  Accounts a;
  a.stages.resize(2);
  a.stages[0].name = "a", a.stages[1].name = "b";
  a.devices.resize(2);
  a.devices[0].name = "x", a.devices[1].name = "y";
  a.cycle = Duration(100);
  const auto named = [&](double load_us, int device, std::vector<BinderShare> shares) {
    a.stages[1].load = Duration(load_us);
    a.bindings = settle_bindings(a, LargestLoad{1, device}, {at(0), at(100)}, std::move(shares));
    return a.bindings.main ? binder_name(a, *a.bindings.main) : "";
  };
  const BinderShare queue = share(Binder::queue, 40, 0), stage = share(Binder::stage, 10, 1);
  EXPECT_EQ(named(95, -1, {queue, stage}), "stage b") << "95 % busy";
  EXPECT_EQ(a.bindings.main->total.count(), 10) << "with its share of the path";
  EXPECT_EQ(named(94.9, -1, {queue, stage}), "queue of a");
  EXPECT_EQ(named(95, 1, {queue}), "device y");
  EXPECT_EQ(a.bindings.main->total.count(), 0);
  EXPECT_EQ(named(95, 1, {queue, share(Binder::device, 3, -1, 0), share(Binder::device, 2, -1, 1)}), "device y");
  EXPECT_EQ(a.bindings.main->total.count(), 2);
  EXPECT_EQ(named(99, -1, {share(Binder::source, 50), share(Binder::queue, 50, 0)}), "source") << "half";
  EXPECT_EQ(named(99, -1, {share(Binder::queue, 51, 0), share(Binder::source, 49)}), "stage b");
  EXPECT_EQ(named(99, -1, {share(Binder::dispatch, 60), share(Binder::queue, 40, 0)}), "dispatch");
  EXPECT_EQ(named(1, -1, {stage, share(Binder::source, 9), share(Binder::dispatch, 8)}), "source");
  EXPECT_EQ(named(1, -1, {share(Binder::dispatch, 8), stage, share(Binder::dispatch, 3)}), "dispatch");
  EXPECT_EQ(named(1, -1, {share(Binder::start, 60), share(Binder::stage, 40, 0)}), "stage a");
  EXPECT_EQ(named(1, -1, {share(Binder::start, 60)}), "");
  EXPECT_EQ(named(1, -1, {share(Binder::order, 7, 0), share(Binder::in_flight, 7)}), "order in a")
      << "of equals the first";
  EXPECT_DOUBLE_EQ(a.bindings.load_share, 0.01);
}

// 6, 7 and 5 with two batches inside: each takes 18, so one leaves every 9, although no stage needs more than 7.
TEST(Binding, the_bound_on_batches_inside) {
  auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2)}, 40);
  shape.source.in_flight = 2;
  const auto a = account(simulated_run(shape, {takes(6000), takes(7000), takes(5000)}));
  EXPECT_DOUBLE_EQ(a.cycle->count(), 9);
  EXPECT_EQ(bound_by(a), "in flight");
  EXPECT_EQ(a.bottleneck, 1);
  expect_adds_up(a);
  EXPECT_THAT(to_text(a), HasSubstr("bound by    in flight: at most 2 batches in flight\nslowest     s_1 on sim:D1"));
}

TEST(Binding, a_stage_that_is_always_busy) {
  const auto a = account(
      simulated_run(pipeline({stage_on(0), stage_on(1), stage_on(2)}, 40), {takes(6000), takes(7000), takes(5000)}));
  EXPECT_EQ(bound_by(a), "stage s_1");
  EXPECT_EQ(a.bindings.main->total, a.bindings.window.length());
  expect_adds_up(a);
  EXPECT_THAT(to_text(a), AllOf(testing::StartsWith("bottleneck  s_1 on sim:D1: a batch every 7.00 µs"),
                                HasSubstr("\nbound by    stage s_1: it works on one batch at a time\ntest ")));
}

TEST(Binding, a_stage_with_replicas) {
  const auto a = account(simulated_run(pipeline({stage_on(0), stage_on(1, 3, 4)}, 60), {takes(2000), takes(12000)}));
  EXPECT_EQ(bound_by(a), "stage s_1");
  EXPECT_THAT(to_text(a), HasSubstr("all its 3 replicas are busy"));
}

TEST(Binding, a_divided_stage) {
  const auto a = account(
      simulated_run(pipeline({stage_on(2), stage_over({0, 1})}, 40), {takes(3000), takes(1000, {6000, 3000}, 1000)}));
  EXPECT_EQ(bound_by(a), "stage s_1");
  expect_adds_up(a);
}

// 5 and 4 share device 0, which runs one at a time; the stage of 7 on device 1 rests for 2 of 9.
TEST(Binding, a_device_that_two_stages_share) {
  auto shape = pipeline({stage_on(0), stage_on(1), stage_on(0)}, 40);
  shape.devices[0].requests = 1;
  const auto a = account(simulated_run(shape, {takes(5000), takes(7000), takes(4000)}));
  EXPECT_EQ(bound_by(a), "device sim:D0");
  expect_adds_up(a);
  EXPECT_THAT(to_text(a), HasSubstr("device sim:D0: all its requests are busy"));
  EXPECT_THAT(to_text(a), HasSubstr("Stage busy"));  // the table of what each stage does there
}

// Four replicas of 8, and a device that runs two at a time: a batch every 4.
TEST(Binding, the_requests_of_a_device_that_has_one_stage_with_more_replicas) {
  auto shape = pipeline({stage_on(0, 4, 4)}, 40);
  shape.devices[0].requests = 2;
  const auto a = account(simulated_run(shape, {takes(8000)}));
  EXPECT_DOUBLE_EQ(a.cycle->count(), 4);
  EXPECT_EQ(bound_by(a), "device sim:D0");
}

// Batches come every 20 and no stage needs more than 7.
TEST(Binding, a_slow_source) {
  auto shape = pipeline({stage_on(0), stage_on(1)}, 40);
  shape.source.open = true;
  const auto a = account(simulated_run(shape, {takes(6000), takes(7000)}, every(20000, 40)));
  EXPECT_DOUBLE_EQ(a.cycle->count(), 20);
  EXPECT_EQ(bound_by(a), "source");
  EXPECT_FALSE(a.overload);
  expect_adds_up(a);
  EXPECT_THAT(to_text(a), HasSubstr("bound by    source: 5e+04 batches/s arrive\nslowest     s_1"));
  EXPECT_THAT(to_text(a), Not(HasSubstr("overload")));
}

// Batches come every 5 and leave every 8: of each second 0.6 are waited longer (8 / 5 − 1), as the last one's wait
// shows.
TEST(Binding, an_overloaded_source_is_said) {
  auto shape = pipeline({stage_on(0)}, 400);
  shape.source.open = true;
  const auto a = account(simulated_run(shape, {takes(8000)}, every(5000, 400)));
  EXPECT_EQ(bound_by(a), "stage s_0");
  ASSERT_TRUE(a.overload);
  EXPECT_NEAR(a.overload->in_per_s, 2e5, 1);
  EXPECT_NEAR(a.overload->out_per_s, 1.25e5, 1);
  EXPECT_NEAR(a.overload->wait_growth, 0.6, 1e-3);
  EXPECT_NEAR(a.source_wait.max->count(), 3 * 399, 16);
  EXPECT_THAT(to_text(a), HasSubstr("overload    2e+05 batches/s arrive, 1.25e+05 complete"));
  EXPECT_THAT(to_text(a), HasSubstr("queueing delay grows by 600 ms per second"));
  EXPECT_THAT(to_text(a), HasSubstr("mean wait before a batch is admitted"));
}

// Both stages take 5 on average and never 5: four times 1, four times 9, A fast when B is slow. One place between them
// is too few to level that out, sixteen are enough.
TEST(Binding, a_queue_that_is_too_short_for_times_that_vary) {
  for (const int queue : {1, 16}) {
    std::vector<std::vector<std::int64_t>> times;
    for (int b = 0; b < 200; ++b)
      times.push_back(b / 4 % 2 == 0 ? std::vector<std::int64_t>{1000, 9000} : std::vector<std::int64_t>{9000, 1000});
    auto run = simulated_run(pipeline({stage_on(0), stage_on(1, 1, queue)}, 200), times);
    run.warmup = 16;
    const auto a = account(run);
    expect_adds_up(a);
    if (queue == 1) {
      EXPECT_EQ(bound_by(a), "queue of s_1");
      EXPECT_GT(a.cycle->count(), 5.5);
    } else {
      EXPECT_THAT(bound_by(a), testing::StartsWith("stage"));
      EXPECT_NEAR(a.cycle->count(), 5, 0.3);
    }
  }
}

// Two replicas, kept in order: a batch of 9 lets the one of 1 that started beside it wait, and its replica with it.
TEST(Binding, the_order_that_a_stage_keeps) {
  std::vector<std::vector<std::int64_t>> times;
  for (int b = 0; b < 100; ++b) times.push_back({b % 2 == 0 ? 9000 : 1000});
  auto shape = pipeline({stage_on(0, 2, 4)}, 100);
  const auto ordered = account(simulated_run(shape, times));
  EXPECT_EQ(bound_by(ordered), "order in s_0");
  expect_adds_up(ordered);
  shape.stages[0].ordered = false;
  const auto free = account(simulated_run(shape, times));
  EXPECT_LT(free.cycle->count(), ordered.cycle->count());
  EXPECT_EQ(bound_by(free), "stage s_0");
}

// An engine that takes 6 between two executions of 2: making the stage faster brings next to nothing.
TEST(Binding, an_engine_that_takes_longer_than_the_stages) {
  auto run = simulated_run(pipeline({stage_on(0)}, 30), {takes(2000)});
  for (std::int64_t b = 0; b < 30; ++b) {
    const Nanoseconds start(b * 8000), end(b * 8000 + 2000);
    auto& execution = run.schedule.executions[static_cast<std::size_t>(b)];
    auto& visit = run.schedule.visits[static_cast<std::size_t>(b)];
    visit.entered = execution.ready = std::min(visit.entered, start);
    execution.start = visit.started = visit.dispatched = start;
    execution.end = visit.joined = visit.done = visit.left = end;
    run.schedule.batches[static_cast<std::size_t>(b)] = {visit.entered, visit.entered, end};
  }
  const auto a = account(run);
  EXPECT_EQ(bound_by(a), "dispatch");
  expect_adds_up(a);
}

TEST(Binding, one_batch_waits_for_no_other) {
  const auto a = account(simulated_run(pipeline({stage_on(0), stage_on(1)}, 1), {takes(4), takes(2)}));
  EXPECT_EQ(bound_by(a), "");
  ASSERT_EQ(a.bindings.shares.size(), 1U);
  EXPECT_EQ(binder_name(a, a.bindings.shares[0]), "[start]");
  EXPECT_THAT(to_text(a), Not(HasSubstr("bound by")));
}

TEST(Binding, shares_of_random_runs_add_up_to_the_steady_part) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_adds_up(account(any_random_run(seed)));
    if (HasFailure()) return;
  }
}

// The first batch of the second stage is cold: 100 times as long, and in no mean, percentile, load or cycle.
TEST(WarmUp, is_shown_apart_and_is_in_no_mean) {
  std::vector<std::vector<std::int64_t>> times(20, {4000, 2000});
  times[0][1] = 200'000;
  auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 20), times);
  run.warmup = 1;
  for (std::size_t i = 0; i < run.schedule.executions.size(); ++i)
    run.counters.push_back({run.schedule.executions[i].end - run.schedule.executions[i].start, {}, {}});
  const auto a = account(run);
  EXPECT_EQ(a.stages[1].first->count(), 200'000);
  EXPECT_DOUBLE_EQ(a.stages[1].time.mean->count(), 2);
  EXPECT_DOUBLE_EQ(a.stages[1].load.count(), 2);
  EXPECT_EQ(a.stages[1].hardware->count(), 19 * 2000);
  EXPECT_EQ(a.stages[1].total.count(), 200'000 + 19 * 2000);
  EXPECT_EQ(a.stages[1].batches, 20);
  EXPECT_EQ(a.latency.count, 19);
  EXPECT_EQ(a.bottleneck, 0);
  EXPECT_EQ(bound_by(a), "stage s_0");
  EXPECT_THAT(to_text(a), HasSubstr("warm-up     1 batch, excluded from all statistics,\n"
                                    "            the first took 200 µs in s_1, later ones 2.00 µs\n"));
}

// Whatever a record says of its warm-up, one batch is left.
TEST(WarmUp, never_takes_all_batches) {
  auto run = simulated_run(pipeline({stage_on(0)}, 3), {takes(4)});
  run.warmup = 1000;
  const auto a = account(run);
  EXPECT_EQ(a.warmup, 2);
  EXPECT_EQ(a.latency.count, 1);
}

}  // namespace
}  // namespace takt
