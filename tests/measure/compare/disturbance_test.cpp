// What is known of the machine explains as far as it goes, in the direction in which it goes, and no further.
#include "measure/compare/disturbance.h"

#include <gmock/gmock.h>

#include <cmath>

#include "simulated_runs.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RecordedProfile with(std::optional<double> walk, std::optional<double> waiting = std::nullopt) {
  RecordedProfile profile;
  profile.cache_walk_ns = walk, profile.waiting_share = waiting;
  return profile;
}

double disturbed(const RecordedProfile& before, const RecordedProfile& after) {
  return log_of_disturbance({&before, 1}, {&after, 1});
}

TEST(Disturbance, is_half_of_what_the_caches_took_longer_beyond_what_walks_differ_by) {
  EXPECT_NEAR(disturbed(with(40'000), with(120'000)), (std::log(3) - 0.2) / 2, 1e-12);
  EXPECT_NEAR(disturbed(with(120'000), with(40'000)), -(std::log(3) - 0.2) / 2, 1e-12);
  EXPECT_EQ(disturbed(with(40'000), with(48'000)), 0) << "memory lies in another place";
  EXPECT_EQ(disturbed(with(40'000), with({})), 0) << "not recorded";
  RecordedProfile elsewhere = with(120'000);
  elsewhere.from.cpu = "another";
  EXPECT_EQ(disturbed(with(40'000), elsewhere), 0) << "other caches";
}

TEST(Disturbance, of_waiting_is_by_what_runs_took_longer) {
  EXPECT_NEAR(disturbed(with({}), with({}, 0.5)), std::log(2), 1e-12);
  EXPECT_NEAR(disturbed(with(40'000, 0.5), with(120'000)), (std::log(3) - 0.2) / 2 - std::log(2), 1e-12);
}

TEST(Disturbance, is_told_where_it_is_noticeable) {
  const RecordedProfile usual = with(40'000), shared = with(100'000);
  EXPECT_THAT(what_the_machine_did({&usual, 1}, {&usual, 1}), IsEmpty());
  EXPECT_THAT(what_the_machine_did({&usual, 1}, {&shared, 1}),
              ElementsAre(HasSubstr("cache accesses took 2.5 times as long after")));
  EXPECT_THAT(what_the_machine_did({&shared, 1}, {&usual, 1}), ElementsAre(HasSubstr("times as long before")));
}

TEST(Disturbance, of_several_runs_is_that_of_their_mean) {
  const std::vector<RecordedProfile> before{with(40'000, 0), with(40'000, 0.5)},
      after{with(80'000, 0.5), with(160'000, 0.75)};
  // Walks: log 2 and log 4 on the mean of both sides; waiting: (log 2 + log 4) / 2 against log 2 / 2.
  const double walks = 1.5 * std::log(2), waiting = std::log(2);
  EXPECT_NEAR(log_of_disturbance(before, after), waiting + (walks - 0.2) / 2, 1e-12);
  const auto told = what_the_machine_did(before, after);
  EXPECT_THAT(told, ElementsAre(HasSubstr("they waited for 25 % before and 62 % after"),
                                HasSubstr("took 2.8 times as long after")));
  std::vector<RecordedProfile> unknown = after;
  unknown[1].waiting_share.reset(), unknown[1].cache_walk_ns.reset();
  EXPECT_NEAR(log_of_disturbance(before, unknown), 0, 1e-12) << "half of log 2 on both sides, and walks not known";
  EXPECT_THAT(what_the_machine_did(before, unknown), ElementsAre(HasSubstr("25 % before and 50 % after")))
      << "the mean of those that tell";
  std::vector<RecordedProfile> elsewhere = after;
  elsewhere[1].from.cpu = "another";
  EXPECT_NEAR(log_of_disturbance(before, elsewhere), waiting, 1e-12);
}

TEST(Disturbance, borders_are_noticeable) {
  const auto told = [](const RecordedProfile& before, const RecordedProfile& after) {
    return what_the_machine_did({&before, 1}, {&after, 1}).size();
  };
  EXPECT_EQ(told(with({}, 0.05), with({}, 0)), 1u);
  EXPECT_EQ(told(with({}, 0.0499), with({}, 0.01)), 0u);
  EXPECT_EQ(told(with(1000), with(1000 * std::exp(0.4001))), 1u);
  EXPECT_EQ(told(with(1000 * std::exp(0.4001)), with(1000)), 1u);
  EXPECT_EQ(told(with(1000), with(1000 * std::exp(0.3999))), 0u);
  EXPECT_NEAR(disturbed(with(1000), with(1000 * std::exp(0.19))), 0, 1e-12);
  EXPECT_NEAR(disturbed(with({}), with({}, 1)), -std::log(0.01), 1e-9) << "not endless";
}

// A neighbour on the core makes the second run a third slower: no change; what is doubled is one all the same.
TEST(Disturbance, one_run_beside_a_neighbour_is_no_change_as_far_as_that_explains) {
  RecordedProfile before = run_on({}, 1), slower = run_on({}, 2, {.all = 1.3}), doubled = run_on({}, 2, {.all = 2});
  before.cache_walk_ns = 38'000;
  EXPECT_EQ(compare(before, slower).whole.verdict, Verdict::slower);
  slower.cache_walk_ns = doubled.cache_walk_ns = 100'000;
  EXPECT_FALSE(any_change(compare(before, slower)));
  EXPECT_FALSE(any_change(compare(slower, before)));
  EXPECT_NE(compare(before, slower).whole.verdict, Verdict::same) << "a slow-down may hide in it";
  EXPECT_EQ(compare(before, doubled).whole.verdict, Verdict::slower);
}

}  // namespace
}  // namespace takt
