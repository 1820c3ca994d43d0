#include "report/timelines/timeline_extras.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

using Pairs = std::vector<std::pair<double, double>>;  // time, value

Pairs samples_of(const ReportCounter& counter) {
  Pairs pairs;
  for (const ReportSample& sample : counter.samples)
    pairs.emplace_back(static_cast<double>(sample.time_ns), sample.value);
  return pairs;
}

TEST(TimelineExtras, arrows_go_from_what_sends_a_flow_to_all_that_get_it_later) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("p"), "r");
  std::vector<EventId> events;
  for (int at = 0; at < 5; ++at) events.push_back(trace.add_event(row, "e", "", Nanoseconds(10 * at), Nanoseconds(5)));
  trace.add_flow(events[3], 7, true, false);
  trace.add_flow(events[0], 7, false, true);  // 0 → 2 → 3, and 4 sends another that nothing gets
  trace.add_flow(events[2], 7, true, true);
  trace.add_flow(events[1], 8, true, false);  // gets what nothing sent
  trace.add_flow(events[4], 9, false, true);
  EXPECT_EQ(flows_of(trace), (std::vector<ReportFlow>{{0, 2}, {2, 3}}));
}

TEST(TimelineExtras, counters_are_by_process_and_name_and_in_order_of_time) {
  Trace trace;
  const ProcessId one = trace.add_process("one"), two = trace.add_process("two");
  trace.add_counter(one, "queue", Nanoseconds(300), 2);
  trace.add_counter(one, "queue", Nanoseconds(50), 1);  // before the begin
  trace.add_counter(two, "queue", Nanoseconds(200), 0.5);
  const auto counters = counters_of(trace, 100);
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(counters[0].process, "one");
  EXPECT_EQ(counters[0].name, "queue");
  EXPECT_EQ(samples_of(counters[0]), (Pairs{{0, 1}, {200, 2}}));
  EXPECT_EQ(samples_of(counters[1]), (Pairs{{100, 0.5}}));
  trace.add_counter(one, "waiting", Nanoseconds(100), 3);
  EXPECT_EQ(counters_of(trace, 100).at(1).name, "waiting") << "of the first process";
}

TEST(TimelineExtras, memory_is_what_is_held_or_what_changed_since_the_begin) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("p"), "r");
  const auto add = [&](int time, TraceValues values) {
    const EventId event = trace.add_event(row, "[memory]", "cpu_instant_event", Nanoseconds(time), Nanoseconds(0));
    trace.set_args(event, values);
  };
  add(10, {{"Device Type", std::int64_t{1}},
           {"Device Id", std::int64_t{0}},
           {"Bytes", std::int64_t{512}},
           {"Total Allocated", std::int64_t{4096}}});
  add(20, {{"Device Type", std::int64_t{0}}, {"Device Id", std::int64_t{-1}}, {"Bytes", std::int64_t{100}}});
  add(30, {{"Device Type", std::int64_t{0}}, {"Device Id", std::int64_t{-1}}, {"Bytes", std::int64_t{-40}}});
  const auto counters = counters_of(trace, 0);
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(counters[0].process, "memory");
  EXPECT_EQ(counters[0].name, "memory, device 0");
  EXPECT_EQ(samples_of(counters[0]), (Pairs{{10, 4096}}));
  EXPECT_EQ(counters[1].process, "memory beyond that at the begin");
  EXPECT_EQ(counters[1].name, "memory, host");
  EXPECT_EQ(samples_of(counters[1]), (Pairs{{20, 100}, {30, 60}}));
}

}  // namespace
}  // namespace takt
