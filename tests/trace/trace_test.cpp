#include "trace/events/trace.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "base/basics/error.h"
#include "refused.h"

namespace takt {
namespace {

using std::chrono::nanoseconds;

TEST(Trace, numbers_of_processes_and_rows_start_at_one_and_avoid_given_ones) {
  Trace trace;
  const ProcessId given = trace.add_process("given", 2);
  const ProcessId next = trace.add_process("next");
  EXPECT_EQ(trace.processes()[static_cast<std::size_t>(given)].pid, 2u);
  EXPECT_EQ(trace.processes()[static_cast<std::size_t>(next)].pid, 3u);
  trace.add_row(given, "a");
  trace.add_row(given, "b", 3);
  trace.add_row(given, "c");
  EXPECT_EQ(trace.rows()[0].tid, 1u);
  EXPECT_EQ(trace.rows()[1].tid, 3u);
  EXPECT_EQ(trace.rows()[2].tid, 4u);
}

TEST(Trace, a_number_given_twice_is_refused) {
  Trace trace;
  const ProcessId process = trace.add_process("p", 7);
  trace.add_row(process, "r", 5);
  EXPECT_EQ(refused_with([&] { trace.add_process("again", 7); }),
            "trace: process 7 exists already; use another number");
  EXPECT_EQ(refused_with([&] { trace.add_row(process, "again", 5); }),
            "trace: row 5 of process 7 exists already; use another number");
  EXPECT_NO_THROW(trace.add_row(trace.add_process("other"), "r", 5));
}

TEST(Trace, the_largest_row_number_leaves_room_for_automatic_ones) {
  Trace trace;
  const ProcessId process = trace.add_process("p");
  trace.add_row(process, "last", std::numeric_limits<std::uint32_t>::max());
  trace.add_row(process, "free");
  EXPECT_NE(trace.rows()[1].tid, 0u);
}

TEST(Trace, equal_names_are_stored_once) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("p"), "r");
  for (int i = 0; i < 1000; ++i) trace.add_event(row, "conv", "op", nanoseconds(i), nanoseconds(1));
  EXPECT_EQ(trace.strings().size(), 3u);  // "", "conv", "op"
  EXPECT_EQ(trace.text(trace.events()[999].name), "conv");
}

TEST(Trace, arguments_belong_to_their_event_and_the_last_set_counts) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("p"), "r");
  const EventId first = trace.add_event(row, "a", "", nanoseconds(0), nanoseconds(1));
  trace.add_event(row, "b", "", nanoseconds(1), nanoseconds(1));
  trace.set_args(first, {{"old", 1.0}});
  trace.set_args(first, {{"type", "Conv"}, {"count", std::int64_t{3}}});
  const auto args = trace.args(trace.events()[0]);
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(trace.text(args[0].key), "type");
  EXPECT_EQ(trace.text(std::get<StringId>(args[0].value)), "Conv");
  EXPECT_EQ(std::get<std::int64_t>(args[1].value), 3);
  EXPECT_TRUE(trace.args(trace.events()[1]).empty());
}

TEST(Trace, a_copy_is_independent_of_the_original) {
  auto original = std::make_unique<Trace>();
  const RowId row = original->add_row(original->add_process("p"), "r");
  original->add_event(row, "kept", "", nanoseconds(0), nanoseconds(1));
  Trace copy = *original;
  original.reset();
  copy.add_event(row, "kept", "", nanoseconds(1), nanoseconds(1));
  EXPECT_EQ(copy.events()[0].name, copy.events()[1].name);
  EXPECT_EQ(copy.text(copy.events()[1].name), "kept");
}

TEST(Trace, a_counter_value_that_is_not_finite_is_refused) {
  Trace trace;
  const ProcessId process = trace.add_process("p");
  for (const double value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(refused_with([&] { trace.add_counter(process, "q", nanoseconds(0), value); }),
              "trace: counter 'q': a value is not finite; omit the sample");
  EXPECT_TRUE(trace.counters().empty());
}

TEST(Trace, what_is_set_again_takes_the_place_of_what_was) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("p", 0, 3), "r", 0, 4);
  const EventId first = trace.add_event(row, "a", "", nanoseconds(0), nanoseconds(1)),
                second = trace.add_event(row, "b", "c", nanoseconds(5), nanoseconds(2));
  trace.set_flow(first, 7, true, false), trace.set_flow(second, 7, false, true), trace.set_flow(first, 8, false, true);
  ASSERT_EQ(trace.flows().size(), 2u);
  EXPECT_EQ(trace.flows()[0].event, first);
  EXPECT_EQ(trace.flows()[0].bind_id, 8u);
  EXPECT_TRUE(!trace.flows()[0].in && trace.flows()[0].out);
  trace.add_flow(first, 9, true, true);
  EXPECT_EQ(trace.flows().size(), 3u) << "one more";
  trace.set_duration(second, nanoseconds(6));
  EXPECT_EQ(trace.events()[1].duration_ns, 6);
  trace.set_property("k", "1"), trace.set_property("other", "2"), trace.set_property("k", "3");
  ASSERT_EQ(trace.properties().size(), 2u);
  EXPECT_EQ(trace.property("k")->json, "3");
  EXPECT_EQ(trace.property("other")->json, "2");
  EXPECT_EQ(trace.property("none"), nullptr);
  EXPECT_EQ(trace.processes()[0].sort_index, 3);
  EXPECT_EQ(trace.rows()[0].sort_index, 4);
  trace.mark_instant(first, InstantScope::process);
  trace.add_counter(ProcessId{}, "q", nanoseconds(3), 1.5);
  trace.clear_events();
  EXPECT_TRUE(trace.events().empty() && trace.flows().empty() && trace.counters().empty() && trace.instants().empty());
  EXPECT_EQ(trace.rows().size(), 1u);
  trace.set_flow(trace.add_event(row, "a", "", nanoseconds(0), nanoseconds(1)), 5, true, false);
  EXPECT_EQ(trace.flows().size(), 1u) << "an event of the same number is another";
}

}  // namespace
}  // namespace takt
