#include "measure/timing/measure.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <thread>

#include "base/system/affinity.h"
#include "measure/run/results.h"
#include "places.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// A session whose every run takes as long as it says; operator times come at the end, as ONNX Runtime's do.
class ScriptedSession : public Session {
 public:
  ScriptedSession(std::string name, Nanoseconds each, std::string& order) : name_(name), each_(each), order_(order) {}
  const std::vector<Port>& inputs() const override { return ports_; }
  const std::vector<Port>& outputs() const override { return ports_; }
  std::string device() const override { return "scripted"; }
  void set_inputs(const std::vector<HostTensor>&) override {}
  Nanoseconds run() override {
    order_ += name_;
    ++runs_;
    return each_;
  }
  std::optional<std::vector<OpSample>> last_ops() override { return std::nullopt; }
  std::optional<std::vector<std::vector<OpSample>>> all_ops() override {
    std::vector<std::vector<OpSample>> all(runs_);
    for (std::size_t i = 0; i < runs_; ++i) all[i].push_back(sample(std::to_string(i), "", 0, 0));
    return all;
  }
  std::vector<HostTensor> outputs_of_last_run() override { return {}; }
  std::unique_ptr<Request> make_request() override { return nullptr; }
  bool reset_state() override {
    order_ += "|";
    return true;
  }

 private:
  std::string name_;
  Nanoseconds each_;
  std::string& order_;
  std::size_t runs_ = 0;
  std::vector<Port> ports_;
};

RunPass empty_pass(bool profiled) {
  RunPass pass;
  pass.profiled = profiled;
  return pass;
}

/// A plain session "a" and a profiled one "b" with runs of one length, and the order in which they ran.
class TwoSessions {
 public:
  explicit TwoSessions(Nanoseconds each) : plain_("a", each, order), profiled_("b", each, order) {}

  void take_turns(const std::function<void()>& between = {}) {
    passes.emplace_back(plain_, settings, nullptr, empty_pass(false));
    passes.emplace_back(profiled_, settings, nullptr, empty_pass(true));
    measure(passes, {}, between);
  }

  std::string order;
  RunSettings settings;
  std::vector<Measurement> passes;

 private:
  ScriptedSession plain_, profiled_;
};

TEST(Measure, without_a_number_or_a_time_long_runs_are_ten_and_short_ones_as_many_as_fill_a_second) {
  const auto runs_of = [](Nanoseconds each) {
    std::string order;
    ScriptedSession session("a", each, order);
    RunSettings settings;
    settings.warmup_iterations = 0;
    std::vector<Measurement> passes;
    passes.emplace_back(session, settings, nullptr, empty_pass(false));
    measure(passes, {});
    return order.size();
  };
  EXPECT_EQ(runs_of(900ms), 10u);
  EXPECT_EQ(runs_of(50ms), 20u);
  EXPECT_EQ(runs_of(20us), 1000u);
}

TEST(Measure, two_sessions_take_turns_after_both_are_warm) {
  TwoSessions both(20ms);
  both.settings.iterations = 3, both.settings.warmup_iterations = 2;
  both.take_turns();
  EXPECT_EQ(both.order,
            "aabb"
            "ababab");
}

TEST(Measure, kept_state_is_reset_every_few_runs_and_each_sample_is_at_its_step) {
  TwoSessions both(20ms);
  both.settings.iterations = 4, both.settings.warmup_iterations = 1, both.settings.state_steps = 3;
  both.take_turns();
  EXPECT_EQ(both.order,
            "ab"
            "|a|b"
            "abab"
            "|a|b");
  std::string order;
  ScriptedSession alone("a", 20ms, order);
  std::vector<Measurement> passes;
  passes.emplace_back(alone, both.settings, nullptr, empty_pass(false));
  measure(passes, {});
  EXPECT_EQ(order, "a|aaa|a");
}

TEST(Measure, uncounted_runs_between_turns_do_not_move_the_steps) {
  TwoSessions both(1ms);
  both.settings.iterations = 2, both.settings.warmup_iterations = 1, both.settings.state_steps = 10;
  both.take_turns();
  EXPECT_EQ(both.order,
            "ab"
            "aa|abb|b"      // two to settle, then the first step
            "aa|aabb|bb");  // the first step again, uncounted, and the second
  const RunPass pass = both.passes[1].finish();
  ASSERT_EQ(pass.ops.size(), 2u);
}

TEST(Measure, what_comes_between_comes_before_each_block) {
  TwoSessions both(20ms);
  both.settings.iterations = 2, both.settings.warmup_iterations = 1;
  both.take_turns([&] { both.order += "."; });
  EXPECT_EQ(both.order, "ab.a.b.a.b");
}

TEST(Measure, short_runs_settle_before_each_turn_and_only_counted_ones_have_operators) {
  TwoSessions both(1ms);
  both.settings.iterations = 2, both.settings.warmup_iterations = 1;
  both.take_turns();
  EXPECT_EQ(both.order,
            "ab"
            "aaabbb"
            "aaabbb");  // two runs to settle, one that counts
  RunPass pass = both.passes[1].finish();
  ASSERT_EQ(pass.ops.size(), 2u);
  EXPECT_EQ(pass.ops[0][0].node->name, "3");
  EXPECT_EQ(pass.ops[1][0].node->name, "6");
  EXPECT_EQ(pass.block_starts, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(pass.usage.empty());
}

TEST(Measure, the_caches_are_asked_before_each_turn_where_time_is_real) {
  std::string order;
  ScriptedSession plain("a", 20ms, order), profiled("b", 20ms, order);
  RunSettings settings;
  settings.iterations = 3, settings.warmup_iterations = 1;
  UsageReader reader;
  std::vector<Measurement> passes;
  passes.emplace_back(plain, settings, &reader, empty_pass(false));
  passes.emplace_back(profiled, settings, &reader, empty_pass(true));
  measure(passes, {});
  for (Measurement& pass : passes) {
    const RunPass found = pass.finish();
    EXPECT_EQ(found.cache_walks.size(), found.block_starts.size());
    for (const Nanoseconds walk : found.cache_walks) EXPECT_GT(walk.count(), 0);
  }
}

TEST(Measure, one_session_goes_on_until_its_time_is_measured) {
  std::string order;
  ScriptedSession plain("a", 10ms, order);
  RunSettings settings;
  settings.min_time = 300ms;
  std::vector<Measurement> passes;
  passes.emplace_back(plain, settings, nullptr, empty_pass(false));
  measure(passes, {});
  RunPass pass = passes[0].finish();
  EXPECT_EQ(pass.samples.size(), 30u);
  EXPECT_EQ(pass.warmup.size(), 3u);
  EXPECT_EQ(pass.block_starts.size(), 1u);
}

RunPass measured_with_usage(Session& plain, const RunSettings& settings) {
  UsageReader reader;
  std::vector<Measurement> passes;
  passes.emplace_back(plain, settings, &reader, empty_pass(false));
  measure(passes, {});
  return passes[0].finish();
}

/// Really computes, for some 50 us of a processor, and does not ask for the time meanwhile.
class BusySession : public ScriptedSession {
 public:
  using ScriptedSession::ScriptedSession;
  Nanoseconds run() override {
    const Nanoseconds begin = steady_now();
    for (volatile int i = 0; i < 40'000;) i = i + 1;
    return steady_now() - begin;
  }
};

/// The share of the wall time that was runs, beside others; nothing where the system does not tell how long threads
/// wait.
std::optional<double> share_of_runs_on_a_busy_machine() {
  std::atomic<bool> stop = false;
  std::vector<std::jthread> others;
  for (int i = 0; i < 2 * usable_core_count(); ++i)
    others.emplace_back([&stop] {
      while (!stop) {
      }
    });
  std::string order;
  BusySession session("a", 50us, order);
  RunSettings settings;
  settings.time = 500ms;
  const RunPass pass = measured_with_usage(session, settings);
  stop = true;
  if (!pass.usage.front().used.run_delay) return std::nullopt;
  Nanoseconds wall{};
  for (const UsageSpan& span : pass.usage) wall += span.wall;
  const Nanoseconds runs = std::accumulate(pass.samples.begin(), pass.samples.end(), Nanoseconds{});
  return static_cast<double>(runs.count()) / static_cast<double>(wall.count());
}

/// A reading draws waits out of the runs: with one each half millisecond runs were 0.6 of the time, with few 0.9.
/// Beside other programs even few draw some, so the best of some tries counts.
TEST(Measure, a_busy_machine_is_waited_for_within_runs) {
  if (is_sanitized()) GTEST_SKIP() << "readings take much longer there";
  double best = 0;
  for (int i = 0; i < 5 && best <= 0.72; ++i) {
    const auto share = share_of_runs_on_a_busy_machine();
    if (!share) GTEST_SKIP() << "this system does not tell how long threads wait";
    best = std::max(best, *share);
  }
  EXPECT_GT(best, 0.72);
}

TEST(Measure, usage_spans_cover_every_sample) {
  RunSettings settings;
  settings.iterations = 500;
  std::string order;
  ScriptedSession plain("a", 1us, order);
  const RunPass pass = measured_with_usage(plain, settings);
  std::size_t runs = 0;
  for (const auto& span : pass.usage) runs += span.runs;
  EXPECT_EQ(runs, 500u);
  EXPECT_LT(pass.usage.size(), 250u);  // runs of no time are read in groups
}

RunPass pass_of(std::vector<Nanoseconds> samples, std::size_t block) {
  RunPass pass;
  for (std::size_t i = 0; i < samples.size(); i += block) pass.block_starts.push_back(i);
  pass.samples = std::move(samples);
  return pass;
}

TEST(ProfilingCost, does_not_see_drift) {
  // Both get slower by half from block to block; profiling always costs a tenth.
  std::vector<Nanoseconds> plain, profiled;
  for (int i = 0; i < 10; ++i) plain.push_back(1000us + i * 500us), profiled.push_back(1100us + i * 550us);
  auto cost = profiling_cost(pass_of(plain, 1), pass_of(profiled, 1)).value();
  EXPECT_NEAR(cost.ratio, 1.1, 1e-9);
  ASSERT_TRUE(cost.interval);
  EXPECT_NEAR(cost.interval->low, 1.1, 1e-9);
  EXPECT_NEAR(cost.interval->high, 1.1, 1e-9);
}

TEST(ProfilingCost, of_few_blocks_has_no_interval_and_of_none_is_missing) {
  auto cost = profiling_cost(pass_of({10us, 10us, 20us}, 3), pass_of({12us, 12us, 12us}, 3)).value();
  EXPECT_NEAR(cost.ratio, 1.2, 1e-9);
  EXPECT_FALSE(cost.interval);
  EXPECT_FALSE(profiling_cost(RunPass(), RunPass()));
  EXPECT_FALSE(profiling_cost(pass_of({0us}, 1), pass_of({1us}, 1)));
}

TEST(Measure, a_run_that_takes_next_to_no_time_is_not_repeated_for_ever) {
  std::string order;
  ScriptedSession session("a", Nanoseconds(10), order);
  RunSettings settings;
  settings.warmup_iterations = 0;
  std::vector<Measurement> passes;
  passes.emplace_back(session, settings, nullptr, empty_pass(false));
  measure(passes, {});
  EXPECT_EQ(passes[0].finish().samples.size(), 1000u);
}

}  // namespace
}  // namespace takt
