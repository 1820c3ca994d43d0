#include "plan/search/choices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/statistics/random.h"

namespace takt {
namespace {

constexpr int steps = 24;

/// One stage whose times on each unit rise with the share in jumps of any size; beyond some share a unit cannot.
class JumpingCosts final : public PlanCosts {
 public:
  JumpingCosts(int units, std::uint64_t seed) {
    Random random(seed);
    for (int unit = 0; unit < units; ++unit) {
      names_.push_back("U" + std::to_string(unit));
      auto& times = times_.emplace_back(1);  // nobody asks for a share of 0
      for (int step = 1; step <= steps; ++step)
        times.push_back(times.back() + static_cast<std::int64_t>(random() % 3 == 0 ? 0 : random() % 50));
      most_.push_back(random() % 3 == 0 ? static_cast<int>(random() % steps) : steps);
    }
  }
  int stages() const override { return 1; }
  const std::vector<std::string>& units() const override { return names_; }
  std::optional<Nanoseconds> time(StageSpan, int unit, double share) const override {
    const auto step = static_cast<std::size_t>(std::llround(share * steps));
    const auto place = static_cast<std::size_t>(unit);
    if (static_cast<int>(step) > most_[place]) return std::nullopt;
    return Nanoseconds(times_[place][step]);
  }
  std::string why_missing(StageSpan, int) const override { return "it is too much"; }
  std::optional<Nanoseconds> transfer(int, int, int) const override { return Nanoseconds(0); }
  std::optional<DivideCost> divide(StageSpan, const std::vector<int>&) const override {
    return DivideCost{Nanoseconds(7), Nanoseconds(2)};
  }
  bool has_slow_downs() const override { return factor > 1; }
  double slow_down(StageSpan, int, StageSpan, int) const override { return factor; }

  double factor = 1;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<std::int64_t>> times_;
  std::vector<int> most_;
};

/// The longest part of the best of all divisions from unit `unit` on; −1: none is possible.
std::int64_t least_longest(const PlanCosts& costs, int unit, int left) {
  const int units = static_cast<int>(costs.units().size());
  std::int64_t best = -1;
  for (int part = unit + 1 == units ? left : 1; part <= left - (units - unit - 1); ++part) {
    const auto time = costs.time({1, 1}, unit, static_cast<double>(part) / steps);
    if (!time) return best;
    std::int64_t rest = 0;
    if (unit + 1 < units) rest = least_longest(costs, unit + 1, left - part);
    if (rest < 0) continue;
    const std::int64_t longest = std::max(time->count(), rest);
    best = best < 0 ? longest : std::min(best, longest);
  }
  return best;
}

TEST(PlanChoices, divide_among_any_number_of_units_as_the_best_of_all_divisions) {
  int impossible = 0;
  for (int units = 2; units <= 5; ++units)
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const JumpingCosts costs(units, seed);
      const PlanChoices choices(costs, {.steps = steps});
      const std::int64_t best = least_longest(costs, 0, steps);
      const std::int64_t total = choices.total({1, 1}, choices.all_units());
      if (best < 0) {
        EXPECT_EQ(total, PlanChoices::impossible);
        ++impossible;
        continue;
      }
      EXPECT_EQ(total, best + 9) << units << " units, seed " << seed;
      const auto shares = choices.best_steps({1, 1}, choices.all_units());
      EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0), steps);
      for (const int share : shares) EXPECT_GE(share, 1);
    }
  EXPECT_GT(impossible, 3);
}

TEST(PlanChoices, of_two_parts_that_slow_each_other_down_are_the_best_of_all_divisions) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    JumpingCosts costs(2, seed);
    costs.factor = 1.3;
    const PlanChoices choices(costs, {.steps = steps});
    std::int64_t best = -1;
    for (int part = 1; part < steps; ++part) {
      const auto one = costs.time({1, 1}, 0, static_cast<double>(part) / steps);
      const auto other = costs.time({1, 1}, 1, static_cast<double>(steps - part) / steps);
      if (!one || !other) continue;
      const std::int64_t time = least_time_together({*one, *other}, 1.3);
      best = best < 0 ? time : std::min(best, time);
    }
    EXPECT_EQ(choices.total({1, 1}, 3), best < 0 ? PlanChoices::impossible : best + 9) << "seed " << seed;
  }
}

TEST(PlanChoices, of_parts_that_slow_each_other_down_take_as_long_as_one_works_out) {
  // Three at a quarter of their speed until 10 are done, two at half until 10 more are, one alone for 10.
  const std::int64_t time = least_time_together({Nanoseconds(30), Nanoseconds(10), Nanoseconds(20)}, 2);
  EXPECT_LE(time, 40 + 20 + 10);
  EXPECT_GE(time, 40 + 20 + 10 - 4);
  EXPECT_EQ(least_time_together({Nanoseconds(30), Nanoseconds(10)}, 1), 30);
}

TEST(PlanChoices, leave_out_teams_where_nothing_is_divided) {
  const JumpingCosts costs(2, 1);
  EXPECT_EQ(PlanChoices(costs, {.steps = steps, .divide = false}).total({1, 1}, 3), PlanChoices::impossible);
}

}  // namespace
}  // namespace takt
