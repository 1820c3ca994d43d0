// Two speeds of one program are seen, named, and taken for no change.
#include "measure/compare/speeds.h"

#include <gmock/gmock.h>

#include <cmath>

#include "measure/compare/compare.h"
#include "simulated_runs.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// `ratio` times as long in a share of the samples, which the speed is kept for `dwell` of.
std::vector<Nanoseconds> at_two_speeds(std::uint64_t seed, double ratio, double share, double dwell,
                                       std::size_t count = 300) {
  Random random(seed);
  std::vector<Nanoseconds> samples;
  bool is_slow = uniform(random) < share;
  for (std::size_t i = 0; i < count; ++i) {
    if (uniform(random) < 1 / dwell) is_slow = uniform(random) < share;
    samples.push_back(
        whole_nanoseconds(20e6 * (is_slow ? ratio : 1) * (1 + 0.004 * std::abs(standard_normal(random)))));
  }
  return samples;
}

RecordedProfile profile_of(std::vector<Nanoseconds> samples) {
  RecordedProfile profile;
  profile.origin = "p.json", profile.from.model = "m.onnx", profile.from.runtime = "sim";
  profile.samples = std::move(samples);
  return profile;
}

TEST(TwoSpeeds, are_told_with_their_shares) {
  std::vector<Nanoseconds> samples(75, Nanoseconds(10'000'000));
  samples.insert(samples.end(), 25, Nanoseconds(13'000'000));
  samples.insert(samples.begin(), 50, Nanoseconds(0));
  const auto found = two_speeds(samples);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->fast, 1e7, 1);
  EXPECT_NEAR(found->slow, 1.3e7, 1);
  EXPECT_EQ(found->slow_share, 0.25);
  EXPECT_NEAR(found->gap(), std::log(1.3), 1e-12);
  const RecordedProfile two = profile_of(samples), one = profile_of(std::vector<Nanoseconds>(60, Nanoseconds(5)));
  EXPECT_THAT(
      notes_on_speeds({two_speeds_of({&one, 1}), two_speeds_of({&two, 1})}),
      ElementsAre(
          "the runs after go at two speeds: 75 % of them take 10.0 ms, the others 13.0 ms; which of the two a run "
          "has is chance, so intervals reach over both unless each side has three profiles"));
  EXPECT_THAT(notes_on_speeds({}), IsEmpty());
}

TEST(TwoSpeeds, need_two_groups_with_nothing_between) {
  const auto of = [](int fast, int slow, double ratio) {
    std::vector<Nanoseconds> samples(static_cast<std::size_t>(fast), Nanoseconds(1'000'000));
    samples.insert(samples.end(), static_cast<std::size_t>(slow), whole_nanoseconds(1e6 * ratio));
    return two_speeds(samples).has_value();
  };
  EXPECT_TRUE(of(36, 4, 1.1));
  EXPECT_FALSE(of(36, 3, 1.1)) << "too few samples";
  EXPECT_FALSE(of(37, 3, 1.1)) << "less than a tenth";
  EXPECT_TRUE(of(4, 36, 1.1)) << "the faster may be the rarer";
  EXPECT_FALSE(of(3, 37, 1.1));
  EXPECT_FALSE(of(20, 20, 1.02)) << "too near";
  EXPECT_FALSE(of(40, 0, 1));
}

TEST(TwoSpeeds, noise_and_long_tails_have_one) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    std::vector<Nanoseconds> normal, long_tail, even;
    for (int i = 0; i < 200; ++i) {
      normal.push_back(whole_nanoseconds(1e6 * std::exp(0.2 * standard_normal(random))));
      long_tail.push_back(whole_nanoseconds(1e6 * (1 - 0.5 * std::log(1 - uniform(random)))));
      even.push_back(whole_nanoseconds(1e6 * (1 + uniform(random))));
    }
    found += two_speeds(normal).has_value() + two_speeds(long_tail).has_value() + two_speeds(even).has_value();
  }
  EXPECT_EQ(found, 0);
}

TEST(TwoSpeeds, of_the_same_code_are_no_change) {
  int changed = 0;
  for (const double ratio : {1.1, 1.3})
    for (const double dwell : {10, 100})
      for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const auto before = at_two_speeds(2 * seed, ratio, 0.4, dwell),
                   after = at_two_speeds(2 * seed + 1, ratio, 0.4, dwell);
        if (!two_speeds(before) && !two_speeds(after)) continue;  // nothing shows that there is another
        changed += any_change(compare(profile_of(before), profile_of(after))) ? 1 : 0;
      }
  EXPECT_LE(changed, 1);
}

}  // namespace
}  // namespace takt
