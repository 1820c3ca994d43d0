#include "measure/compare/memory.h"

#include <gmock/gmock.h>

#include "simulated_runs.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double mebibyte = 1 << 20;

RecordedProfile with_memory(double mebibytes) {
  RecordedProfile profile;
  profile.memory = {400 * mebibyte, mebibytes * mebibyte, 100 * mebibyte, std::nullopt};
  return profile;
}

std::vector<std::string> memory_said(const std::vector<RecordedProfile>& before,
                                     const std::vector<RecordedProfile>& after) {
  return changed_memory(before, after);
}

TEST(CompareMemory, what_grew_or_shrank_by_more_than_both_limits_is_named) {
  EXPECT_THAT(memory_said({with_memory(100)}, {with_memory(150)}),
              ElementsAre("memory while running grew from 100 MiB to 150 MiB (+50.0 %)"));
  EXPECT_THAT(memory_said({with_memory(150)}, {with_memory(100)}),
              ElementsAre("memory while running shrank from 150 MiB to 100 MiB (-33.3 %)"));
  EXPECT_THAT(memory_said({with_memory(100)}, {with_memory(104)}), IsEmpty()) << "4 %";
  EXPECT_THAT(memory_said({with_memory(2)}, {with_memory(2.9)}), IsEmpty()) << "below 1 MiB";
}

TEST(CompareMemory, of_several_runs_every_one_has_to_say_so) {
  EXPECT_THAT(memory_said({with_memory(100), with_memory(140)}, {with_memory(143), with_memory(200)}), IsEmpty());
  EXPECT_THAT(memory_said({with_memory(100), with_memory(104)}, {with_memory(120), with_memory(124)}),
              ElementsAre("memory while running grew from 102 MiB to 122 MiB (+19.6 %)"));
}

TEST(CompareMemory, what_a_side_does_not_record_has_not_shrunk) {
  EXPECT_THAT(memory_said({with_memory(100)}, {RecordedProfile{}}), IsEmpty());
  EXPECT_THAT(memory_said({RecordedProfile{}}, {with_memory(100)}), IsEmpty());
}

TEST(CompareMemory, is_a_note_and_no_part_of_the_verdict) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2);
  before.memory.run_peak = 100 * mebibyte, after.memory.run_peak = 300 * mebibyte;
  const auto with = compare_profiles({&before, 1}, {&after, 1}, {}, false);
  EXPECT_THAT(with.notes, testing::Contains(HasSubstr("memory while running grew")));
  before.memory = after.memory = {};
  EXPECT_EQ(with.whole.verdict, compare_profiles({&before, 1}, {&after, 1}, {}, false).whole.verdict);
}

}  // namespace
}  // namespace takt
