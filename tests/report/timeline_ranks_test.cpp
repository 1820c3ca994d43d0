#include "report/timelines/timeline_ranks.h"

#include <gtest/gtest.h>

#include "report/timelines/rank_names.h"

namespace takt {
namespace {

using Names = std::vector<std::string>;

TEST(RankNames, are_what_distinguishes_files_from_word_to_word) {
  EXPECT_EQ(rank_names({"/a/run.rank_0.pt.json", "/a/run.rank_1.pt.json"}), (Names{"rank_0", "rank_1"}));
  EXPECT_EQ(rank_names({"resnet50_workers_0.json.gz", "resnet50_workers_14.json.gz"}),
            (Names{"workers_0", "workers_14"}));
  EXPECT_EQ(rank_names({"before.json", "after.json"}), (Names{"before", "after"}));
  EXPECT_EQ(rank_names({"rank0.json", "rank1.json"}), (Names{"rank0", "rank1"}));
  EXPECT_EQ(rank_names({"a/one.json"}), (Names{"one.json"}));
}

TEST(RankNames, are_whole_where_that_tells_nothing) {
  EXPECT_EQ(rank_names({"a/x.json", "b/x.json"}), (Names{"a/x.json", "b/x.json"}));
  EXPECT_EQ(rank_names({"run.json", "run.1.json"}), (Names{"run.json", "run.1.json"}));
  EXPECT_EQ(rank_names({"x", "x"}), (Names{"x", "x"}));
}

/// A row with one event of 10 ns, which begins 5 ns after the trace.
RankTimeline trace_of(const char* file, std::int64_t base, const char* event, std::uint64_t length = 100) {
  RankTimeline one{file, {}, Nanoseconds(base)};
  one.timeline.begin = Nanoseconds(3), one.timeline.length_ns = length;
  one.timeline.kinds = {{"k1", "convolution"}};
  one.timeline.names = {{event, 0}};
  one.timeline.rows = {{"python", "main", false, {{{5, 10, 0, 7}}}}};
  one.timeline.flows = {{7, 7}};
  one.timeline.counters = {{"memory", "host", {{2, 1.0}}}};
  return one;
}

TEST(SideBySide, traces_with_a_moment_in_common_lie_as_their_clocks_say) {
  const ReportTimeline joined = side_by_side({trace_of("r_0.json", 1000, "a"), trace_of("r_1.json", 1050, "b")});
  ASSERT_EQ(joined.rows.size(), 2u);
  EXPECT_EQ(joined.rows[0].name, "r_0 · main");
  EXPECT_EQ(joined.rows[1].name, "r_1 · main");
  EXPECT_EQ(joined.rows[0].levels[0][0].start_ns, 5u);
  EXPECT_EQ(joined.rows[1].levels[0][0].start_ns, 55u);
  EXPECT_EQ(joined.names[joined.rows[1].levels[0][0].name].text, "b");
  EXPECT_EQ(joined.kinds.size(), 1u);
  EXPECT_EQ(joined.length_ns, 150u);
  EXPECT_EQ(joined.flows[1], (ReportFlow{15, 15})) << "events of the second lie behind the eight of the first";
  EXPECT_EQ(joined.rows[1].levels[0][0].event, 15u);
  EXPECT_EQ(joined.counters[1].name, "r_1 · host");
  EXPECT_EQ(joined.counters[1].samples[0].time_ns, 52u);
  EXPECT_EQ(joined.ranks[0].begin_ns, 3);
  EXPECT_EQ(joined.ranks[1].begin_ns, -47) << "its 3 is 50 after the timeline's begin";
  EXPECT_EQ(joined.note, "");
}

TEST(SideBySide, traces_without_one_each_begin_at_zero_and_say_so) {
  const ReportTimeline joined = side_by_side({trace_of("r_0.json", 1000, "a"), trace_of("r_1.json", 5000, "a")});
  EXPECT_EQ(joined.rows[1].levels[0][0].start_ns, 5u);
  EXPECT_EQ(joined.names.size(), 1u);
  EXPECT_EQ(joined.length_ns, 100u);
  EXPECT_EQ(joined.ranks[1].begin_ns, 3);
  EXPECT_EQ(joined.note, "These traces have no moment in common by their clocks: each begins at 0.");
}

TEST(SideBySide, of_one_trace_it_is_that_traces_own_and_empty_ones_are_left_out) {
  RankTimeline empty = trace_of("r_1.json", 0, "a");
  empty.timeline.rows.clear();
  const ReportTimeline one = side_by_side({trace_of("r_0.json", 1000, "a"), empty});
  EXPECT_EQ(one.rows[0].name, "main");
  EXPECT_TRUE(one.ranks.empty());
  EXPECT_TRUE(side_by_side({empty}).rows.empty());
}

}  // namespace
}  // namespace takt
