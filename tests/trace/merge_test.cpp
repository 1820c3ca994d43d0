#include "trace/read/merge.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

MergeInput input(const std::string& file, std::optional<Nanoseconds> base, std::optional<Nanoseconds> offset) {
  MergeInput made{{}, "label of " + file, file, offset};
  made.trace.add_event(made.trace.add_row(made.trace.add_process("p"), "r"), file, "", 10ns, 5ns);
  if (base) made.trace.set_base_time(*base);
  return made;
}

std::string refusal(const std::vector<MergeInput>& inputs) {
  try {
    merge_traces(inputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MergeTraces, a_trace_without_a_base_time_needs_an_offset) {
  for (const auto base : {std::optional<Nanoseconds>(5s), std::optional<Nanoseconds>()}) {
    const std::string message = refusal({input("a.json", base, {}), input("b.json", {}, {})});
    EXPECT_NE(message.find("b.json: the trace does not report when it began"), std::string::npos) << message;
    EXPECT_NE(message.find("--offset b.json=TIME"), std::string::npos) << message;
  }
  EXPECT_EQ(refusal({input("a.json", {}, {})}), "");
}

TEST(MergeTraces, an_offset_places_what_has_no_base_time) {
  const Trace none = merge_traces({input("a", {}, {}), input("b", {}, 100ns)});
  EXPECT_FALSE(none.base_time());
  EXPECT_EQ(none.events()[0].start_ns, 10);
  EXPECT_EQ(none.events()[1].start_ns, 110);
  const Trace one = merge_traces({input("a", {}, 7ns), input("b", 1000ns, {}), input("c", 1500ns, -1ns)});
  EXPECT_EQ(one.base_time(), Nanoseconds(1000));
  EXPECT_EQ(one.events()[0].start_ns, 17);
  EXPECT_EQ(one.events()[1].start_ns, 10);
  EXPECT_EQ(one.events()[2].start_ns, 509);
}

TEST(MergeTraces, arrows_join_what_they_joined_in_their_own_file) {
  std::vector<MergeInput> inputs{input("a", 0ns, {}), input("b", 0ns, {})};
  for (MergeInput& one : inputs) {
    one.trace.add_flow(EventId{0}, 7, false, true);
    one.trace.add_flow(one.trace.add_event(RowId{0}, "later", "", 30ns, 5ns), 7, true, false);
  }
  const auto merged = merge_traces(inputs);
  const auto& flows = merged.flows();
  ASSERT_EQ(flows.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(flows[i].event, EventId(i)) << i;
    EXPECT_EQ(flows[i].out, i % 2 == 0) << i;
  }
  EXPECT_EQ(flows[0].bind_id, flows[1].bind_id);
  EXPECT_EQ(flows[2].bind_id, flows[3].bind_id);
  EXPECT_NE(flows[0].bind_id, flows[2].bind_id);
}

// Both have process 7 and texts of the same numbers; the second one's must be its own in the merged trace.
TEST(MergeTraces, everything_of_the_second_trace_is_its_own_and_moved) {
  std::vector<MergeInput> inputs(2);
  for (std::size_t i = 0; i < 2; ++i) {
    Trace& trace = inputs[i].trace;
    const std::string mine = i == 0 ? "first" : "second";
    const ProcessId process = trace.add_process(mine + " process", 7, i == 0 ? 1 : 2);
    const RowId row = trace.add_row(process, mine + " row", 5, i == 0 ? 3 : 4);
    const EventId event = trace.add_event(row, mine + " name", mine + " category", 10ns, 5ns);
    trace.set_args(event, TraceValues{{mine + " key", mine + " text"}, {"json", TraceJsonText{"[\"" + mine + "\"]"}}});
    trace.add_counter(process, mine + " counter", 20ns, i == 0 ? 1.5 : 2.5);
    trace.set_base_time(Nanoseconds(i == 0 ? 1000 : 1400));
  }
  inputs[1].label = "label";
  const Trace merged = merge_traces(inputs);
  ASSERT_EQ(merged.events().size(), 2u);
  const TraceEvent& event = merged.events()[1];
  EXPECT_EQ(event.start_ns, 410);
  EXPECT_EQ(event.duration_ns, 5);
  EXPECT_EQ(merged.text(event.name), "second name");
  EXPECT_EQ(merged.text(event.category), "second category");
  const TraceRow& row = merged.rows()[static_cast<std::size_t>(event.row)];
  EXPECT_EQ(row.name + " " + std::to_string(row.tid) + " " + std::to_string(row.sort_index), "second row 5 4");
  const TraceProcess& process = merged.processes()[static_cast<std::size_t>(row.process)];
  EXPECT_EQ(process.name + " " + std::to_string(process.pid) + " " + std::to_string(process.sort_index),
            "label: second process 8 2");
  EXPECT_EQ(merged.processes()[0].name, "first process") << "without a label the name is as it was";
  const TraceArgs args = merged.args(event);
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(merged.text(args[0].key), "second key");
  EXPECT_EQ(merged.text(std::get<StringId>(args[0].value)), "second text");
  EXPECT_EQ(merged.text(std::get<TraceJson>(args[1].value).text), "[\"second\"]");
  ASSERT_EQ(merged.counters().size(), 2u);
  EXPECT_EQ(merged.counters()[1].time_ns, 420);
  EXPECT_EQ(merged.counters()[1].value, 2.5);
  EXPECT_EQ(merged.text(merged.counters()[1].name), "second counter");
  EXPECT_EQ(merged.counters()[1].process, row.process);
}

TEST(MergeTraces, instants_stay_instants_and_what_the_files_say_of_themselves_is_kept) {
  std::vector<MergeInput> inputs{input("a", 0ns, {}), input("b", 0ns, {})};
  for (std::size_t i = 0; i < 2; ++i) {
    Trace& trace = inputs[i].trace;
    trace.mark_instant(trace.add_event(RowId{0}, "moment", "", 20ns, 0ns), InstantScope::process);
    trace.set_property("schemaVersion", "1");
    trace.set_property("distributedInfo", "{\"rank\":" + std::to_string(i) + "}");
  }
  const Trace merged = merge_traces(inputs);
  ASSERT_EQ(merged.instants().size(), 2u);
  EXPECT_EQ(merged.instants()[1].event, EventId{3});
  EXPECT_EQ(merged.instants()[1].scope, InstantScope::process);
  EXPECT_EQ(merged.property("schemaVersion")->json, "1");
  EXPECT_EQ(merged.property("distributedInfo"), nullptr);
  EXPECT_EQ(
      merged.property("mergedTraces")->json,
      R"([{"label":"label of a","distributedInfo":{"rank":0}},{"label":"label of b","distributedInfo":{"rank":1}}])");
}

}  // namespace
}  // namespace takt
