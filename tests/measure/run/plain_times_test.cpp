// One operator of most of the time among many tiny ones, each record of which costs many times what it takes.
#include "measure/operators/plain_times.h"

#include <gmock/gmock.h>

#include <optional>
#include <random>

#include "base/basics/error.h"
#include "base/statistics/statistics.h"
#include "measure/operators/stretches.h"
#include "measure/operators/table.h"
#include "measure/run/fake_session.h"
#include "measure/run/results.h"

namespace takt {
namespace {

constexpr std::int64_t large = 190'000, tiny = 200, tinies = 300, record = 4'800, call = 8'000;  // ns

/// `slowed`: how much longer the large operator takes because records emptied the caches. `quick`: what the first tiny
/// one takes with its record, if its record costs less than those of the others.
RunResult measured(std::int64_t slowed, bool interrupted = false, std::optional<std::int64_t> quick = {}) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.01);
  const auto about = [&](std::int64_t time) {
    return static_cast<std::int64_t>(static_cast<double>(time) * (1 + noise(random)));
  };
  std::vector<std::pair<std::int64_t, std::vector<OpSample>>> runs;
  RunPass plain;
  for (int run = 0; run < 100; ++run) {
    std::vector<OpSample> ops{sample("large", "MatMul", 0, about(large + slowed + record))};
    std::int64_t at = ops.back().duration.count();
    for (int i = 0; i < tinies; ++i) {
      const std::int64_t stop = interrupted && run % 10 == 0 && i == 7 ? 3'000'000 : 0;
      ops.push_back(
          sample("tiny" + std::to_string(i), "Sin", at, about(i == 0 && quick ? *quick : tiny + record) + stop));
      at += ops.back().duration.count();
    }
    if (run % 5 == 0) plain.block_starts.push_back(plain.samples.size());
    runs.emplace_back(at + call, std::move(ops));
    plain.samples.push_back(ns(about(large + tinies * tiny + call)));
    plain.host_samples.push_back(plain.samples.back());
  }
  RunResult result = profiled_result(std::move(runs));
  result.profiled->block_starts = plain.block_starts;
  result.plain = std::move(plain);
  return result;
}

Duration sum_of(const OpProfile& profile) {
  Duration sum = *profile.plain_unattributed;
  for (const OpRow& row : profile.ops) sum += *row.plain_mean;
  return sum;
}

TEST(PlainTimes, add_up_to_the_plain_run_and_give_the_large_operator_its_share) {
  const OpProfile profile = profile_ops(measured(0));
  EXPECT_NEAR(sum_of(profile).count(), profile.plain_mean->count(), 1e-6);
  EXPECT_NEAR(profile.ops[0].plain_mean->count(), 190, 4);
  EXPECT_LE(profile.ops[0].plain_interval.low, 190);
  EXPECT_GE(profile.ops[0].plain_interval.high, 190);
  Nanoseconds taken{};
  for (const OpRow& row : profile.ops) {
    EXPECT_GE(row.record_cost.count(), 0);
    EXPECT_LE(row.record_cost, row.total);
    taken += row.record_cost;
  }
  EXPECT_EQ(taken, profile.recording);
  EXPECT_NEAR(static_cast<double>(taken.count()) / 100 / (tinies + 1), record, 0.05 * record);
}

TEST(PlainTimes, of_sessions_that_ran_beside_each_other_or_of_requests_are_not_told) {
  const auto has_plain_times = [](const RunResult& result) {
    const OpProfile profile = profile_ops(result);
    return profile.plain_mean.has_value() || profile.plain_unattributed.has_value() ||
           std::any_of(profile.ops.begin(), profile.ops.end(), [](const OpRow& row) { return !!row.plain_mean; });
  };
  RunResult result = measured(0);
  EXPECT_TRUE(has_plain_times(result));
  result.instances.push_back(*result.plain);
  EXPECT_FALSE(has_plain_times(result));
  result.instances.clear();
  result.throughput.emplace();
  EXPECT_FALSE(has_plain_times(result));
  RunResult half = measured(0);
  half.plain->samples.clear();
  EXPECT_FALSE(has_plain_times(half));
  half.plain.reset();
  EXPECT_FALSE(has_plain_times(half));
}

TEST(PlainTimes, a_record_costs_no_more_than_what_was_recorded) {
  const OpProfile profile = profile_ops(measured(0, false, 500));
  Nanoseconds taken{};
  for (const OpRow& row : profile.ops) {
    if (row.name == "tiny0") {
      EXPECT_EQ(row.record_cost, row.total);
    }
    EXPECT_LE(row.record_cost, row.total) << row.name;
    taken += row.record_cost;
  }
  EXPECT_EQ(taken, profile.recording);
  EXPECT_NEAR(sum_of(profile).count(), profile.plain_mean->count(), 1e-6);
}

TEST(PlainTimes, an_operator_that_was_interrupted_in_some_runs_is_not_made_the_largest) {
  const OpProfile profile = profile_ops(measured(0, true));
  for (const OpRow& row : profile.ops) EXPECT_LE(row.plain_mean->count(), profile.ops[0].plain_mean->count());
  EXPECT_NEAR(*profile.ops[0].plain_mean / *profile.plain_mean, 0.74, 0.05);
}

TEST(PlainTimes, stretches_timed_without_records_overrule_what_records_did_to_the_caches) {
  RunResult result = measured(40'000);
  EXPECT_GT(*profile_ops(result).ops[0].plain_mean / *profile_ops(result).plain_mean, 0.8) << "records alone mislead";
  result.stretches.resize(2);
  result.stretches[0] = {{"large"}, std::vector<double>(9, 0.76)};
  for (int i = 0; i < tinies; ++i) result.stretches[1].ops.push_back("tiny" + std::to_string(i));
  result.stretches[1].shares.assign(9, 0.24);
  const OpProfile profile = profile_ops(result);
  EXPECT_NEAR(*profile.ops[0].plain_mean / *profile.plain_mean, 0.76, 0.001);
  EXPECT_EQ(profile.plain_unattributed->count(), 0) << "not what 301 sums round off";
  EXPECT_NEAR(sum_of(profile).count(), profile.plain_mean->count(), 1e-6);
}

/// Four equal convolutions of 96 us on a machine that interrupts about every fifth run for up to some milliseconds, and
/// stretches that say what such a machine makes of them.
RunResult busy(std::vector<std::vector<double>> shares) {
  std::mt19937 random(3);
  std::uniform_int_distribution<std::int64_t> stop(0, 3'000'000);
  std::uniform_int_distribution<int> chance(0, 4);
  const auto disturbed = [&](std::int64_t time) { return time + (chance(random) == 0 ? stop(random) : 0); };
  std::vector<std::pair<std::int64_t, std::vector<OpSample>>> runs;
  RunPass plain;
  for (int run = 0; run < 60; ++run) {
    std::vector<OpSample> ops;
    std::int64_t at = 0;
    for (const char* name : {"a", "b", "c", "d"}) {
      ops.push_back(sample(name, "Conv", at, disturbed(96'000)));
      at += ops.back().duration.count();
    }
    if (run % 5 == 0) plain.block_starts.push_back(plain.samples.size());
    runs.emplace_back(at + call, std::move(ops));
    plain.samples.push_back(ns(disturbed(4 * 94'000 + call)));
    plain.host_samples.push_back(plain.samples.back());
  }
  RunResult result = profiled_result(std::move(runs));
  result.profiled->block_starts = plain.block_starts;
  result.plain = std::move(plain);
  const std::vector<std::string> names{"a", "b", "c", "d"};
  for (std::size_t i = 0; i < shares.size(); ++i) result.stretches.push_back({{names[i]}, shares[i]});
  return result;
}

void expect_equal_convolutions(const OpProfile& profile) {
  EXPECT_NEAR(sum_of(profile).count(), profile.plain_mean->count(), 1e-6);
  double least = 1e9, most = 0;
  for (const OpRow& row : profile.ops) {
    least = std::min(least, row.plain_mean->count()), most = std::max(most, row.plain_mean->count());
    EXPECT_LE(row.plain_interval.low, row.plain_mean->count() + 1e-9) << row.name;
    EXPECT_GE(row.plain_interval.high, row.plain_mean->count() - 1e-9) << row.name;
  }
  EXPECT_GT(least, 0) << "a convolution of 96 us";
  EXPECT_LE(most, 1.5 * least);
}

TEST(PlainTimes, equal_operators_stay_equal_where_stretches_say_the_noise_of_a_busy_machine) {
  const std::vector<double> much{0.9, 0.76, 0.8, 0.5, 0.7}, little{0.0, 0.2, 0.06, 0.3, 0.1},
      nothing{0.0, 0.0, 0.0, 0.0, 0.0}, some{0.1, 0.04, 0.14, 0.2, 0.2};
  expect_equal_convolutions(profile_ops(busy({much, little, nothing, some})));
  expect_equal_convolutions(profile_ops(busy({nothing, much, some, little})));
  expect_equal_convolutions(profile_ops(busy({})));
}

// The recorded runs were interrupted in their only operator, which takes 2 us of a plain run of 4 us.
TEST(PlainTimes, of_interrupted_records_no_operator_takes_more_than_the_plain_run) {
  std::vector<std::pair<std::int64_t, std::vector<OpSample>>> runs;
  RunPass plain;
  for (const std::int64_t lasts : {0, 90'000}) {
    runs.emplace_back(lasts + 40'000, std::vector<OpSample>{sample("relu", "Relu", 0, lasts)});
    plain.block_starts.push_back(plain.samples.size());
    plain.samples.push_back(ns(4'000)), plain.host_samples.push_back(ns(4'000));
  }
  RunResult result = profiled_result(std::move(runs));
  result.profiled->block_starts = plain.block_starts;
  result.plain = std::move(plain);
  const OpProfile profile = profile_ops(result);
  EXPECT_LE(profile.ops[0].plain_mean->count(), 4.0 + 1e-9);
  EXPECT_GE(profile.plain_unattributed->count(), -1e-9);
}

TEST(PlainTimes, one_that_plain_runs_cannot_tell_is_the_recorded_one_and_says_so) {
  RunResult result = measured(0);
  // The large operator's stretch took nothing in most rounds, and the others all the rest.
  result.stretches = {{{"large"}, {0.0, 0.9, 0.0, 0.0, 0.8}}, {{"tiny7"}, {1.0, 0.1, 1.0, 1.0, 0.2}}};
  const OpProfile profile = profile_ops(result);
  EXPECT_GT(profile.ops[0].plain_mean->count(), 100);
  for (const OpRow& row : profile.ops)
    EXPECT_TRUE(row.name == "large" || !row.plain_from_records) << "a record costs as much: " << row.name;
  const OpProfile quiet = profile_ops(measured(0));
  EXPECT_FALSE(quiet.ops[0].plain_from_records);
  const Table table = some_columns(operators_table(quiet, std::nullopt, nullptr), {"time_from"});
  EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "plain");
}

TEST(PlainTimes, a_disturbed_plain_pass_takes_no_long_operator_away) {
  RunResult result = busy({});
  // Recorded runs took three times as long: what they cost is not to be told, and no convolution is nothing.
  for (std::size_t run = 0; run < result.plain->samples.size(); ++run)
    if (run % 2 == 0) result.plain->samples[run] = ns(130'000 + static_cast<std::int64_t>(run) * 1000);
  const OpProfile profile = profile_ops(result);
  for (const OpRow& row : profile.ops) EXPECT_GT(row.plain_mean->count(), 15) << row.name;
}

TEST(PlainTimes, without_plain_runs_nothing_is_claimed) {
  const OpProfile profile = profile_ops(profiled_result({{100, {sample("a", "Conv", 0, 30)}}}));
  EXPECT_FALSE(profile.plain_mean || profile.ops[0].plain_mean);
  EXPECT_EQ(profile.recording.count(), 0);
}

/// Heads take what their operators take.
class HeadSession : public FakeSession {
 public:
  std::unique_ptr<Head> head(std::size_t operators) override {
    struct Fixed : Head {
      explicit Fixed(std::int64_t time) : time_(time) {}
      Nanoseconds run() override { return ns(time_); }
      std::int64_t time_;
    };
    asked.push_back(operators);
    return std::make_unique<Fixed>(call + large * (operators > 0) + tiny * static_cast<std::int64_t>(operators - 1));
  }
  std::vector<std::size_t> asked;
};

TEST(Stretches, are_cut_around_the_heavy_operator) {
  HeadSession session;
  const auto stretches = measure_stretches(session, measured(40'000), std::chrono::seconds(1));
  EXPECT_THAT(session.asked, testing::ElementsAre(1, 301));
  ASSERT_EQ(stretches.size(), 2u);
  EXPECT_THAT(stretches[0].ops, testing::ElementsAre("large"));
  EXPECT_EQ(stretches[1].ops.size(), 300u);
  const double all = call + large + tinies * tiny;
  EXPECT_NEAR(*median(stretches[0].shares), (call + large) / all, 1e-9);
  EXPECT_NEAR(*median(stretches[1].shares), tinies * tiny / all, 1e-9);
}

TEST(Stretches, are_not_measured_where_the_budget_or_the_runtime_forbids_it) {
  HeadSession session;
  EXPECT_TRUE(measure_stretches(session, measured(0), std::chrono::microseconds(100)).empty());
  FakeSession other;
  EXPECT_TRUE(measure_stretches(other, measured(0), std::chrono::seconds(1)).empty());
}

TEST(Stretches, a_part_that_does_not_run_costs_the_stretches_and_not_the_run) {
  struct Broken : FakeSession {
    std::unique_ptr<Head> head(std::size_t) override {
      struct Fails : Head {
        Nanoseconds run() override { throw Error(ErrorKind::runtime, "at least one output should be requested"); }
      };
      return std::make_unique<Fails>();
    }
  } session;
  EXPECT_TRUE(measure_stretches(session, measured(40'000), std::chrono::seconds(1)).empty());
}

}  // namespace
}  // namespace takt
