// What Perfetto's packets may hold beside plain slices, part by part: arguments within each other, clocks, names of
// tracks, older events and metadata.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perfetto_message.h"
#include "trace/perfetto/clocks.h"
#include "trace/perfetto/reader.h"

namespace takt {
namespace {

using perfetto::Clocks;
using proto::field;
using proto::fixed;
using proto::packet;

using Texts = std::vector<std::string>;

TraceRead read_of(const std::string& bytes) { return parse_perfetto_trace(bytes, "test"); }

Texts told_faults(const TraceRead& read) {
  Texts texts;
  for (const TraceFault& fault : read.faults)
    texts.push_back(fmt::format("{} {} {}", name_of(fault.rule), fault.count, fault.first));
  return texts;
}

/// An event at `time` of a track, of Perfetto's type 1 (begin), 2 (end), 3 (instant), 4 (counter).
std::string at_track(std::uint64_t track, std::uint64_t time, std::uint64_t type, const std::string& more = {}) {
  return packet(field(8, time) + field(11, field(9, type) + field(11, track) + more));
}

/// The value of the only argument of an event that has this annotation; "none": it was left out.
std::string argument(const std::string& annotation, const std::string& interned = {}) {
  const TraceRead read = read_of(
      packet(field(12, interned) + field(8, 1) + field(11, field(9, 3) + field(23, "e") + field(4, annotation))));
  if (read.trace.events().empty()) return told_faults(read).at(0);
  std::string text = read.faults.empty() ? "" : std::string(name_of(read.faults[0].rule)) + " ";
  for (const TraceArg arg : read.trace.args(read.trace.events()[0])) {
    text += read.trace.text(arg.key) + "=";
    if (const auto* json = std::get_if<TraceJson>(&arg.value)) text += read.trace.text(json->text);
    if (const auto* words = std::get_if<StringId>(&arg.value)) text += "'" + read.trace.text(*words) + "'";
  }
  return text;
}

TEST(PerfettoArguments, may_hold_others) {
  const auto member = [](const std::string& value) { return field(10, "a") + field(11, field(10, "k") + value); };
  const std::pair<std::string, const char*> cases[] = {
      {member(field(2, 0)), R"(a={"k":false})"},
      {member(field(2, 2)), R"(a={"k":true})"},
      {member(field(3, UINT64_MAX)), R"(a={"k":18446744073709551615})"},
      {member(field(3, std::uint64_t{INT64_MAX})), R"(a={"k":9223372036854775807})"},
      {member(field(4, UINT64_MAX)), R"(a={"k":-1})"},
      {member(fixed(5, 1.5)), R"(a={"k":1.5})"},
      {member(fixed(5, std::numeric_limits<double>::infinity())), R"(a={"k":null})"},
      {member(field(6, "q\"")), R"(a={"k":"q\""})"},
      {member(field(7, 31)), R"(a={"k":"0x1f"})"},
      {member(field(9, "[1]")), R"(a={"k":[1]})"},
      {member(field(9, "[1")), R"(a={"k":"[1"})"},
      {member(""), R"(a={"k":null})"},
      {member(field(14, "x")), "unread_field "},
      {member(field(3, 1)) + field(11, field(3, 2)), R"(a={"k":1,"":2})"},
      {member(field(3, 1)) + field(12, field(3, 2)) + field(12, field(3, 3)), "a=[2,3]"},
      {member(field(11, field(10, "n") + field(12, field(3, 7)))), R"(a={"k":{"n":[7]}})"},
      {field(10, "a") + field(16, "Type"), "a=null"},
      {field(10, "a") + field(12, "\xff"), "malformed_packet 1 byte 0"}};
  for (const auto& [annotation, value] : cases) EXPECT_EQ(argument(annotation), value);
}

TEST(PerfettoArguments, are_named_by_numbers_too) {
  const std::string names = field(3, field(1, 4) + field(2, "four")) + field(29, field(1, 5) + field(2, "five"));
  EXPECT_EQ(argument(field(1, 4) + field(17, 5), names), "four='five'");
  EXPECT_EQ(argument(field(10, "a") + field(11, field(1, 4) + field(17, 5)), names), R"(a={"four":"five"})");
  for (const std::string& unknown : {field(1, 5) + field(17, 5), field(1, 4) + field(17, 4),
                                     field(10, "a") + field(11, field(1, 5)), field(10, "a") + field(12, field(17, 4))})
    EXPECT_EQ(argument(unknown, names), "unknown_text ");
}

TEST(PerfettoArguments, hold_others_to_a_depth_of_64) {
  std::string nested;
  for (int depth = 0; depth < 64; ++depth) nested = field(12, nested);
  EXPECT_EQ(argument(field(10, "a") + nested), "a=" + std::string(64, '[') + "null" + std::string(64, ']'));
  EXPECT_EQ(argument(field(10, "a") + field(12, nested)), "malformed_packet 1 byte 0");
}

std::string reading(std::uint64_t clock, std::uint64_t time, const std::string& more = {}) {
  return field(1, field(1, clock) + field(2, time) + more);
}

TEST(PerfettoClocks, of_64_to_127_are_their_writers_own) {
  Clocks clocks;
  EXPECT_TRUE(clocks.is_empty());
  EXPECT_TRUE(clocks.add_snapshot(reading(63, 1) + reading(64, 1) + reading(127, 1) + reading(128, 1), 9));
  EXPECT_FALSE(clocks.is_empty());
  for (const auto& [clock, is_common] : {std::pair(63u, true), {64u, false}, {127u, false}, {128u, true}}) {
    EXPECT_TRUE(clocks.knows(clock, 9)) << clock;
    EXPECT_EQ(clocks.knows(clock, 8), is_common) << clock;
  }
}

TEST(PerfettoClocks, count_in_units_of_at_most_a_thousand_seconds) {
  const std::uint64_t most = 1'000'000'000'000;
  for (const auto& [unit, read] :
       {std::pair(std::uint64_t{0}, std::uint64_t{1}), {5, 5}, {most, most}, {most + 1, 1}}) {
    Clocks clocks;
    clocks.add_snapshot(reading(70, 2, field(4, unit)) + reading(6, 10), 1);
    EXPECT_EQ(clocks.to_trace(70, 1, 3), 10 + static_cast<std::int64_t>(read)) << unit;
    EXPECT_EQ(clocks.to_trace(70, 2, 3), std::nullopt) << "another writer's";
  }
  Clocks clocks;
  clocks.add_snapshot(reading(70, UINT64_MAX) + reading(6, 10), 1);
  EXPECT_FALSE(clocks.knows(70, 1)) << "no time of 63 bits";
  clocks.add_snapshot(reading(6, 10, field(4, 2)), 1);
  EXPECT_EQ(clocks.to_trace(6, 0, 5), 10) << "the trace's own";
}

TEST(PerfettoClocks, go_by_the_last_snapshot_before_a_time) {
  const std::string first = reading(3, 100) + reading(6, 1000), second = reading(3, 200) + reading(6, 5000);
  for (const bool is_turned : {false, true}) {
    Clocks clocks;
    clocks.add_snapshot(is_turned ? second : first, 1);
    clocks.add_snapshot(is_turned ? first : second, 1);
    for (const auto& [time, moved] : {std::pair(50u, 950), {100u, 1000}, {199u, 1099}, {200u, 5000}, {250u, 5050}})
      EXPECT_EQ(clocks.to_trace(3, 0, time), moved) << time;
    EXPECT_EQ(clocks.to_trace(3, 0, INT64_MAX), std::nullopt);
    EXPECT_EQ(clocks.to_trace(1, 0, 5), std::nullopt) << "in no snapshot";
  }
}

TEST(PerfettoClocks, are_joined_by_several_snapshots) {
  Clocks clocks;
  clocks.add_snapshot(reading(70, 10) + reading(3, 100), 1);
  EXPECT_EQ(clocks.to_trace(70, 1, 12), std::nullopt);
  clocks.add_snapshot(reading(3, 101) + reading(6, 1000), 1);
  EXPECT_EQ(clocks.to_trace(70, 1, 12), 1001);
}

TEST(PerfettoClocks, may_tell_steps) {
  const std::string steps = field(3, 1);
  Clocks clocks;
  clocks.add_snapshot(reading(70, 100, steps) + reading(6, 1000), 1);
  EXPECT_EQ(clocks.to_trace(70, 1, 5), 1005);
  EXPECT_EQ(clocks.to_trace(70, 1, 5), 1010);
  EXPECT_EQ(clocks.to_trace(70, 1, INT64_MAX), std::nullopt);
  EXPECT_EQ(clocks.to_trace(70, 1, 1), 1011) << "what did not fit is no step";
  clocks.add_snapshot(reading(70, 500, steps) + reading(6, 3000), 1);
  EXPECT_EQ(clocks.to_trace(70, 1, 3), 3003);
}

TEST(PerfettoClocks, are_told_in_the_one_that_the_trace_names) {
  Clocks clocks;
  EXPECT_TRUE(clocks.is_plain(6, INT64_MAX));
  EXPECT_FALSE(clocks.is_plain(6, std::uint64_t{1} << 63));
  clocks.add_snapshot(reading(3, 100) + reading(6, 1000) + field(2, 3), 1);
  EXPECT_TRUE(clocks.is_plain(3, 5));
  EXPECT_FALSE(clocks.is_plain(6, 5));
  EXPECT_EQ(clocks.to_trace(3, 1, 5), 5);
  EXPECT_EQ(clocks.to_trace(6, 1, 1001), 101);
  Clocks own;
  own.add_snapshot(reading(64, 100) + field(2, 64), 1);
  EXPECT_EQ(own.to_trace(64, 1, 5), 5);
  EXPECT_EQ(own.to_trace(64, 2, 5), std::nullopt);
}

TEST(PerfettoClocks, tell_the_time_of_day_of_their_0) {
  Clocks clocks;
  clocks.add_snapshot(reading(1, 700), 1);
  clocks.add_snapshot(reading(6, 700), 1);
  EXPECT_EQ(clocks.base_time(), std::nullopt);
  clocks.add_snapshot(reading(6, 2000) + reading(1, 5000), 1);
  clocks.add_snapshot(reading(6, 2000) + reading(1, 9000), 1);
  EXPECT_EQ(clocks.base_time(), 3000);
}

TEST(PerfettoClocks, of_a_broken_snapshot_are_those_before_the_break) {
  Clocks clocks;
  EXPECT_FALSE(clocks.add_snapshot(reading(3, 100) + reading(6, 1000) + field(1, "\xff") + reading(1, 5), 1));
  EXPECT_EQ(clocks.to_trace(3, 1, 101), 1001);
  EXPECT_FALSE(clocks.knows(1, 1));
  EXPECT_FALSE(clocks.add_snapshot(reading(3, 100) + "\xff", 1));
}

/// "PROCESS order/ROW order" of every row.
Texts rows_in(const std::string& bytes) {
  const TraceRead read = read_of(bytes);
  Texts texts;
  for (const TraceRow& row : read.trace.rows()) {
    const TraceProcess& process = read.trace.processes()[static_cast<std::size_t>(row.process)];
    texts.push_back(fmt::format("{}:{} {}/{}:{} {}", process.pid, process.name, process.sort_index, row.tid, row.name,
                                row.sort_index));
  }
  return texts;
}

std::string described(std::uint64_t uuid, const std::string& more) { return packet(field(60, field(1, uuid) + more)); }

TEST(PerfettoTracks, are_rows_with_names_and_orders) {
  const std::string process = described(1, field(3, field(1, 7) + field(3, 5) + field(6, "app") + field(8, "gpu 0")));
  const auto thread = [](const std::string& more) { return described(2, field(4, field(1, 7) + field(2, 8) + more)); };
  const auto part = [](const std::string& more) { return described(2, field(5, 1) + more); };
  const std::string slice = at_track(2, 10, 3, field(23, "e") + field(22, "cat"));
  const std::pair<std::string, const char*> cases[] = {
      {thread(""), "8: 0"},
      {thread(field(5, "main") + field(3, 4)), "8:main 4"},
      {thread(field(3, std::uint64_t{1} << 40)), "8: 2147483647"},
      {thread(field(3, std::uint64_t{0} - (std::uint64_t{1} << 40))), "8: -2147483648"},
      {part(field(2, "own")), "1:own 0"},
      {part(field(10, "static")), "1:static 0"},
      {part(field(13, "atrace")), "1:atrace 0"},
      {part(""), "1:cat 0"}};
  for (const auto& [track, row] : cases)
    EXPECT_EQ(rows_in(process + track + slice), Texts{"7:app (gpu 0) 5/" + std::string(row)});
  EXPECT_EQ(rows_in(process + at_track(1, 10, 1)), Texts{"7:app (gpu 0) 5/1:process 0"});
  EXPECT_EQ(rows_in(thread("") + slice), Texts{"7: 0/8: 0"});
  EXPECT_EQ(rows_in(described(2, field(4, field(5, "main"))) + slice), Texts{"1:0 0/1:main 0"})
      << "numbers that none has";
}

TEST(PerfettoTracks, belong_to_the_process_of_the_tracks_above) {
  std::string chain = described(1, field(3, field(1, 7)));
  for (std::uint64_t uuid = 2; uuid <= 33; ++uuid) chain += described(uuid, field(5, uuid - 1) + field(2, "t"));
  EXPECT_EQ(rows_in(chain + at_track(32, 10, 3)), Texts{"7: 0/1:t 0"});
  EXPECT_EQ(rows_in(chain + at_track(33, 10, 3)), (Texts{"1:trace 0/1:t 0"})) << "deeper than any trace";
  EXPECT_EQ(rows_in(described(2, field(5, 2) + field(2, "own")) + at_track(2, 10, 3)), Texts{"1:trace 0/1:own 0"});
  EXPECT_EQ(rows_in(at_track(0, 10, 3)), Texts{"1:trace 0/1:instants 0"});
  EXPECT_EQ(rows_in(at_track(2, 10, 3)), Texts{"1:trace 0/1:async 0"});
  EXPECT_EQ(rows_in(at_track(2, 10, 3, field(23, "name"))), Texts{"1:trace 0/1:name 0"});
}

/// Of an event of Chrome's older form on thread 8 of process 7: "PROCESS/ROW NAME SCOPE" or "COUNTER=VALUE".
std::string older(char phase, const std::string& legacy = {}, const std::string& more = {}) {
  const std::string inner = field(2, static_cast<std::uint64_t>(phase)) + legacy;
  const TraceRead read = read_of(
      packet(field(10, 1) + field(13, 1) + field(44, field(1, 7) + field(2, 8) + field(5, "main"))) +
      packet(field(10, 1) + field(8, 1000) + field(11, field(22, "cat") + field(23, "e") + field(6, inner) + more)));
  std::string text;
  for (const TraceEvent& event : read.trace.events()) {
    const TraceRow& row = read.trace.rows()[static_cast<std::size_t>(event.row)];
    text += fmt::format("{}/{} {} {} ", read.trace.processes()[static_cast<std::size_t>(row.process)].pid, row.name,
                        read.trace.text(event.category), event.duration_ns);
  }
  for (const TraceInstant& one : read.trace.instants()) text += std::to_string(static_cast<int>(one.scope)) + " ";
  for (const TraceCounter& one : read.trace.counters())
    text += fmt::format("{}={} ", read.trace.text(one.name), one.value);
  for (const TraceFault& fault : read.faults) text += fmt::format("{} {} ", name_of(fault.rule), fault.first);
  return text;
}

TEST(PerfettoOlderEvents, are_told_by_their_phase) {
  const auto argument = [](const std::string& name, const std::string& value) {
    return field(4, field(10, name) + value);
  };
  const std::string open = "unmatched_begin 'e' on row ";
  EXPECT_EQ(older('X', field(3, 5)), "7/main cat 5000 ");
  EXPECT_EQ(older('X'), "7/main cat 0 ");
  EXPECT_EQ(older('X', field(3, INT64_MAX)), "7/main cat 0 ") << "no duration of 63 bits";
  EXPECT_EQ(older('X', field(18, 9)), "9/ cat 0 ") << "thread 8 of another process";
  EXPECT_EQ(older('X', "", field(22, "two")), "7/main cat,two 0 ");
  EXPECT_EQ(older('B').find("7/main cat 0 " + open), 0u) << older('B');
  for (const char phase : {'b', 'S'}) EXPECT_EQ(older(phase, field(6, 1)).find("7/cat cat 0 " + open), 0u) << phase;
  for (const char phase : {'n', 'T', 'p'}) EXPECT_EQ(older(phase, field(6, 1)), "7/cat cat 0 0 ") << phase;
  for (const char phase : {'i', 'I', 'R'}) EXPECT_EQ(older(phase), "7/main cat 0 0 ") << phase;
  for (const char phase : {'e', 'F'}) EXPECT_EQ(older(phase, field(6, 1)).find("unmatched_end "), 0u) << phase;
  EXPECT_EQ(older('i', field(14, 1)), "7/main cat 0 2 ");
  EXPECT_EQ(older('i', field(14, 2)), "7/main cat 0 1 ");
  EXPECT_EQ(older('i', field(14, 3)), "7/main cat 0 0 ");
  EXPECT_EQ(older('C', "", argument("value", field(4, 3))), "e=3 ");
  EXPECT_EQ(older('C', "", argument("used", fixed(5, 0.5))), "e used=0.5 ");
  EXPECT_EQ(older('C', "", argument("value", field(4, 3)) + argument("text", field(6, "x"))), "e value=3 ");
  EXPECT_EQ(older('Q'), "unread_packet byte 19: an event of phase 81 ");
}

TEST(PerfettoEvents, of_an_unknown_type_are_told) {
  EXPECT_EQ(told_faults(read_of(at_track(2, 1, 9))), (Texts{"unread_packet 1 byte 0: an event of type 9"}));
}

TEST(PerfettoInstants, reach_as_far_as_their_track) {
  const std::string process = described(1, field(3, field(1, 7))),
                    thread = described(2, field(4, field(1, 7) + field(2, 8)));
  const TraceRead read = read_of(process + thread + at_track(1, 1, 3) + at_track(2, 2, 3) + at_track(0, 3, 3));
  std::vector<InstantScope> scopes;
  for (const TraceInstant& instant : read.trace.instants()) scopes.push_back(instant.scope);
  EXPECT_EQ(scopes, (std::vector{InstantScope::process, InstantScope::row, InstantScope::trace}));
}

TEST(PerfettoFlows, have_numbers_in_four_fields) {
  const auto flows = [](const std::string& first, const std::string& second) {
    std::string text;
    const std::string thread = described(2, field(4, field(1, 7) + field(2, 8)));
    const TraceRead read = read_of(thread + at_track(2, 1, 3, first) + at_track(2, 5, 3, second));
    for (const TraceFlow& flow : read.trace.flows())
      text += fmt::format("{} {}{}{} ", static_cast<int>(flow.event), flow.bind_id, flow.in ? " in" : "",
                          flow.out ? " out" : "");
    return text;
  };
  for (const unsigned start : {36u, 47u})
    for (const unsigned end : {42u, 48u}) EXPECT_EQ(flows(field(start, 9), field(end, 9)), "0 9 out 1 9 in ");
  EXPECT_EQ(flows(field(47, 9), field(47, 9)), "0 9 out 1 9 in ");
}

TEST(PerfettoMetadata, become_properties_and_provenance) {
  const auto kept = [](const std::string& metadata) {
    const TraceRead read = read_of(packet(field(5, field(2, metadata))) + at_track(2, 1, 3));
    std::string text = read.trace.provenance_json();
    for (const TraceProperty& one : read.trace.properties()) text += one.key + "=" + one.json;
    for (const TraceFault& fault : read.faults) text += name_of(fault.rule);
    return text;
  };
  EXPECT_EQ(kept(field(1, "a") + field(2, "q\"")), R"(a="q\"")");
  EXPECT_EQ(kept(field(1, "a") + field(3, 1)), "a=true");
  EXPECT_EQ(kept(field(1, "a") + field(3, 0)), "a=false");
  EXPECT_EQ(kept(field(1, "a") + field(4, UINT64_MAX)), "a=-1");
  EXPECT_EQ(kept(field(1, "a") + field(5, "[1]")), "a=[1]");
  EXPECT_EQ(kept(field(1, "a") + field(5, "[1")), "malformed_packet");
  EXPECT_EQ(kept(field(1, "takt") + field(5, "{\"version\":1}")), "{\"version\":1}");
  EXPECT_EQ(kept(field(1, "takt") + field(5, "[1]")), "takt=[1]");
  for (const char* own : {"traceEvents", "displayTimeUnit", "baseTimeNanoseconds"})
    EXPECT_EQ(kept(field(1, own) + field(4, 1)), "") << own;
  EXPECT_EQ(told_faults(read_of(packet(field(5, field(1, "x"))) + at_track(2, 1, 3))),
            Texts{"unread_packet 1 byte 0: Chrome's older events"});
}

}  // namespace
}  // namespace takt
