#include "report/timelines/timeline.h"

#include <gtest/gtest.h>

#include <tuple>

namespace takt {
namespace {

using Spans = std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>>;  // start, duration, name

Spans spans_of(const ReportTimeline& timeline, const ReportLevel& level) {
  Spans spans;
  for (const ReportSpan& span : level)
    spans.emplace_back(span.start_ns, span.duration_ns, timeline.names[span.name].text);
  return spans;
}

/// A trace of one row with these events.
struct OneRow {
  Trace trace;
  RowId row = trace.add_row(trace.add_process("program"), "main");

  void add(std::string_view name, int start, int duration, std::string_view category = "cpu_op") {
    trace.add_event(row, name, category, Nanoseconds(start), Nanoseconds(duration));
  }
};

TEST(Timeline, events_inside_others_lie_a_level_lower_and_overlapping_ones_beside_them) {
  OneRow one;
  one.add("outer", 100, 50);
  one.add("first", 100, 10);
  one.add("second", 110, 0);
  one.add("across", 140, 20);  // starts inside of outer and ends after it
  const ReportTimeline timeline = timeline_of(one.trace);
  ASSERT_EQ(timeline.rows.size(), 1u);
  const auto& levels = timeline.rows[0].levels;
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(spans_of(timeline, levels[0]), (Spans{{0, 50, "outer"}}));
  EXPECT_EQ(spans_of(timeline, levels[1]), (Spans{{0, 10, "first"}, {10, 0, "second"}}));
  EXPECT_EQ(spans_of(timeline, levels[2]), (Spans{{40, 20, "across"}}));
  EXPECT_EQ(timeline.begin, Nanoseconds(100));
  EXPECT_EQ(timeline.length_ns, 60u);
  EXPECT_EQ(timeline.spans(), 4u);
}

TEST(Timeline, a_negative_duration_is_a_moment_and_a_clock_that_was_set_no_overflow) {
  OneRow one;
  one.add("back", 5, -3);
  one.trace.add_event(one.row, "far", "", Nanoseconds(INT64_MAX - 10), Nanoseconds(5));
  one.trace.add_event(one.row, "early", "", Nanoseconds(-10), Nanoseconds(1));
  const ReportTimeline timeline = timeline_of(one.trace);
  EXPECT_EQ(spans_of(timeline, timeline.rows[0].levels[0]),
            (Spans{{0, 1, "early"}, {15, 0, "back"}, {static_cast<std::uint64_t>(INT64_MAX), 5, "far"}}));
}

TEST(Timeline, rows_without_events_are_left_out_and_the_others_stand_as_viewers_put_them) {
  Trace trace;
  const ProcessId device = trace.add_process("GPU 0", 0, 9), host = trace.add_process("python", 0, 1);
  const RowId stream = trace.add_row(device, "stream 7"), second = trace.add_row(host, "loader", 12, 2);
  trace.add_row(host, "idle");
  const RowId first = trace.add_row(host, "", 30, 1);
  trace.add_event(stream, "gemm", "kernel", Nanoseconds(0), Nanoseconds(1));
  for (const RowId row : {second, first}) trace.add_event(row, "aten::mm", "cpu_op", Nanoseconds(0), Nanoseconds(1));
  const ReportTimeline timeline = timeline_of(trace);
  ASSERT_EQ(timeline.rows.size(), 3u);
  EXPECT_EQ(timeline.rows[0].name, "row 30");
  EXPECT_EQ(timeline.rows[1].name, "loader");
  EXPECT_EQ(timeline.rows[2].name, "stream 7");
  EXPECT_EQ(timeline.rows[2].process, "GPU 0");
  EXPECT_FALSE(timeline.rows[0].is_device);
  EXPECT_TRUE(timeline.rows[2].is_device);
}

TEST(Timeline, the_most_frequent_names_come_first_and_stages_have_colours_of_their_own) {
  OneRow one;
  one.add("load", 0, 1, "run");
  one.add("infer merge", 1, 1, "merge");
  for (int at = 2; at < 5; ++at) one.add("infer", at, 1, "run");
  const std::vector<std::string> stages{"load", "infer"};
  const ReportTimeline timeline = timeline_of(one.trace, stages);
  ASSERT_EQ(timeline.names.size(), 3u);
  EXPECT_EQ(timeline.names[0].text, "infer");
  EXPECT_EQ(timeline.kinds[timeline.names[0].kind].colour, "k2");
  EXPECT_EQ(timeline.kinds[timeline.names[0].kind].label, "infer");
  EXPECT_EQ(timeline.names[1].text, "load");
  EXPECT_EQ(timeline.kinds[timeline.names[1].kind].colour, "k1");
  EXPECT_TRUE(timeline.rows[0].is_device);
}

TEST(Timeline, a_trace_without_events_has_no_rows) {
  Trace trace;
  trace.add_row(trace.add_process("program"), "main");
  EXPECT_TRUE(timeline_of(trace).rows.empty());
}

TEST(Timeline, beyond_what_a_page_holds_the_longest_stay_and_the_note_counts_the_others) {
  OneRow long_ones, short_ones;
  for (int at = 0; at < 4; ++at) long_ones.add("long", at * 10'000, 4000 + at);
  for (int at = 0; at < 6; ++at) short_ones.add("short", at * 10'000, at < 3 ? 500 : 2000);
  std::vector<ReportResult> results(3);
  results[0].timeline = timeline_of(short_ones.trace);
  results[2].timeline = timeline_of(long_ones.trace);
  keep_longest(results, 10);
  EXPECT_EQ(results[0].timeline->left_out, 0u);
  keep_longest(results, 5);  // the four long ones and the first of three that take 2 µs
  EXPECT_EQ(results[0].timeline->spans(), 1u);
  EXPECT_EQ(results[0].timeline->rows[0].levels[0][0].start_ns, 30'000u);
  EXPECT_EQ(results[0].timeline->left_out, 5u);
  EXPECT_EQ(
      results[0].timeline->note,
      "5 events, each of at most 2.00 µs, are left out: the page keeps the longest. takt trace cut makes a piece of "
      "the trace that has them all.");
  EXPECT_EQ(results[2].timeline->spans(), 4u);
  EXPECT_EQ(results[2].timeline->left_out, 0u);
  EXPECT_EQ(results[2].timeline->note, "");
  keep_longest(results, 0);
  EXPECT_EQ(results[0].timeline->spans() + results[2].timeline->spans(), 0u);
}

TEST(Timeline, of_counters_as_many_values_stay_as_of_events) {
  OneRow one;
  one.add("event", 0, 10);
  for (int at = 0; at < 10; ++at) one.trace.add_counter(ProcessId{}, "queue", Nanoseconds(at), at);
  std::vector<ReportResult> results(1);
  results[0].timeline = timeline_of(one.trace);
  EXPECT_EQ(results[0].timeline->counters.at(0).samples.size(), 10u);
  keep_longest(results, 4);
  EXPECT_EQ(results[0].timeline->counters[0].samples.size(), 4u);
  EXPECT_EQ(results[0].timeline->counters[0].samples[1].value, 3);
  EXPECT_EQ(results[0].timeline->note, "Of counters one value in 3 is kept.");
}

}  // namespace
}  // namespace takt
