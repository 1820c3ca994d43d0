// When a run is laid on a neighbour of its core: by turns whose caches answered late, and not by chance.
#include "measure/timing/shared_core.h"

#include <gtest/gtest.h>

#include <chrono>

#include "measure/run/results.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds alone = 40us, beside = 120us;

/// Turns of ten equal runs.
class Turns {
 public:
  Turns& add(int count, Nanoseconds walk, Nanoseconds run) {
    for (int turn = 0; turn < count; ++turn) {
      pass_.block_starts.push_back(pass_.samples.size());
      pass_.cache_walks.push_back(walk);
      pass_.samples.insert(pass_.samples.end(), 10, run);
    }
    return *this;
  }
  RunPass& pass() { return pass_; }

 private:
  RunPass pass_;
};

TEST(SharedCore, is_found_where_runs_take_longer_in_turns_whose_caches_answer_late) {
  Turns turns;
  const auto found = find_shared_core(turns.add(7, alone, 1ms).add(3, beside, 1300us).pass());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->turns, 10u);
  EXPECT_EQ(found->shared_turns, 3u);
  EXPECT_DOUBLE_EQ(found->walks, 3);
  EXPECT_DOUBLE_EQ(found->runs, 1.3);
  EXPECT_NEAR(found->cost.count(), 300, 1e-6);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(found->is_shared[i], i >= 70) << i;
}

TEST(SharedCore, needs_three_turns_of_each_kind) {
  EXPECT_FALSE(find_shared_core(Turns().add(13, alone, 1ms).add(2, beside, 1300us).pass()));
  EXPECT_FALSE(find_shared_core(Turns().add(2, alone, 1ms).add(13, beside, 1300us).pass()));
  EXPECT_TRUE(find_shared_core(Turns().add(3, alone, 1ms).add(12, beside, 1300us).pass()));
}

TEST(SharedCore, begins_at_half_as_long_again_and_a_twentieth_of_the_time) {
  EXPECT_TRUE(find_shared_core(Turns().add(7, alone, 1ms).add(3, 60us, 1300us).pass()));
  EXPECT_FALSE(find_shared_core(Turns().add(7, alone, 1ms).add(3, Nanoseconds(59'999), 1300us).pass()));
  EXPECT_TRUE(find_shared_core(Turns().add(7, alone, 1ms).add(3, beside, 1050us).pass()));
  EXPECT_FALSE(find_shared_core(Turns().add(7, alone, 1ms).add(3, beside, Nanoseconds(1'049'999)).pass()));
}

TEST(SharedCore, is_not_told_of_walks_that_belong_to_no_turn) {
  Turns turns;
  turns.add(7, alone, 1ms).add(3, beside, 1300us);
  turns.pass().block_starts.push_back(turns.pass().samples.size());
  EXPECT_FALSE(find_shared_core(turns.pass()));
}

TEST(SharedCore, is_not_blamed_for_what_turns_differ_by_anyway) {
  Turns turns;
  turns.add(12, alone, 1ms).add(5, alone, 1250us).add(2, beside, 1200us).add(1, beside, 1100us);
  EXPECT_FALSE(find_shared_core(turns.pass()));
}

// Of 3 and 5 turns all pairs, 15, less half of them and a half: 7, and chance alone makes 6.88.
TEST(SharedCore, is_no_chance_of_few_turns) {
  EXPECT_FALSE(find_shared_core(Turns().add(3, alone, 1ms).add(3, beside, 1300us).pass()));
  EXPECT_FALSE(find_shared_core(Turns().add(4, alone, 1ms).add(3, beside, 1300us).pass()));
  EXPECT_TRUE(find_shared_core(Turns().add(5, alone, 1ms).add(3, beside, 1300us).pass()));
  EXPECT_TRUE(find_shared_core(Turns().add(3, alone, 1ms).add(5, beside, 1300us).pass()));
  EXPECT_FALSE(find_shared_core(Turns().add(4, alone, 1ms).add(1, alone, 1300us).add(3, beside, 1300us).pass()))
      << "one that took as long alone counts half against each";
}

}  // namespace
}  // namespace takt
