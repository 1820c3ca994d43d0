#include "trace/write/chrome_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "refused.h"
#include "test_folder.h"

namespace takt {
namespace {

using nlohmann::json;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

struct OneRow {
  Trace trace;
  ProcessId process = trace.add_process("takt run");
  RowId row = trace.add_row(process, "CPU");

  EventId event(const std::string& name, nanoseconds start, nanoseconds duration) {
    return trace.add_event(row, name, "op", start, duration);
  }
};

std::vector<json> events_of(const Trace& trace, const std::string& phase) {
  std::vector<json> found;
  const json file = json::parse(to_chrome_json(trace));
  for (const json& event : file.at("traceEvents")) {
    if (event.at("ph") == phase) found.push_back(event);
  }
  return found;
}

TEST(ChromeWriter, an_empty_trace_is_a_valid_file) {
  const json file = json::parse(to_chrome_json(Trace()));
  EXPECT_TRUE(file.at("traceEvents").empty());
  EXPECT_FALSE(file.contains("baseTimeNanoseconds"));
  EXPECT_FALSE(file.contains("metadata"));
}

TEST(ChromeWriter, times_are_microseconds_with_three_decimals) {
  OneRow one;
  one.event("a", 1234567ns, 8ns);
  EXPECT_NE(to_chrome_json(one.trace).find("\"ts\":1234.567,\"dur\":0.008"), std::string::npos);
}

TEST(ChromeWriter, nanoseconds_survive_a_readers_doubles_after_a_hundred_days) {
  OneRow one;
  one.event("a", 100 * 24h + 1ns, 7ns);
  const json event = events_of(one.trace, "X").at(0);
  EXPECT_EQ(std::llround(event.at("ts").get<double>() * 1000), (100 * 24h + 1ns) / 1ns);
}

TEST(ChromeWriter, times_beyond_a_doubles_reach_are_moved_and_the_base_with_them) {
  OneRow one;
  one.trace.set_base_time(5ns);
  one.event("a", 20000 * 24h, 7ns);
  one.event("b", 20000 * 24h + 3ns, 2ns);
  const json file = json::parse(to_chrome_json(one.trace));
  EXPECT_EQ(file.at("baseTimeNanoseconds").get<std::int64_t>(), (20000 * 24h + 5ns) / 1ns);
  EXPECT_EQ(events_of(one.trace, "X").at(1).at("ts").get<double>(), 0.003);
}

TEST(ChromeWriter, times_before_the_base_move_it) {
  OneRow one;
  one.trace.set_base_time(1000000ns);
  one.event("early", -1500ns, 10ns);
  one.trace.add_counter(one.process, "q", 500ns, 1);
  EXPECT_EQ(json::parse(to_chrome_json(one.trace)).at("baseTimeNanoseconds"), 998500);
  EXPECT_EQ(events_of(one.trace, "X").at(0).at("ts"), 0.0);
  EXPECT_EQ(events_of(one.trace, "C").at(0).at("ts"), 2.0);
}

TEST(ChromeWriter, absurd_times_are_refused) {
  const std::string far = "trace: a time is more than 146 years from the base time; check its clock";
  OneRow one;
  one.event("a", nanoseconds::min(), 1ns);
  EXPECT_EQ(refused_with([&] { to_chrome_json(one.trace); }), far);
  OneRow other;
  other.event("a", 0ns, nanoseconds::max());
  EXPECT_EQ(refused_with([&] { to_chrome_json(other.trace); }), far);
}

TEST(ChromeWriter, a_base_that_cannot_be_moved_is_refused) {
  OneRow one;
  one.trace.set_base_time(nanoseconds::min());
  one.event("a", -1ns, 1ns);
  EXPECT_EQ(refused_with([&] { to_chrome_json(one.trace); }),
            "trace: the base time does not fit into 64-bit nanoseconds; check its clock");
}

TEST(ChromeWriter, a_negative_duration_is_drawn_as_zero_and_told) {
  OneRow one;
  one.event("back", 10ns, -4ns);
  const json event = events_of(one.trace, "X").at(0);
  EXPECT_EQ(event.at("dur"), 0.0);
  EXPECT_EQ(event.at("args").at("recorded_duration_ns"), -4);
}

TEST(ChromeWriter, overlapping_events_get_rows_of_their_own) {
  OneRow one;
  one.trace.add_row(one.process, "taken", 2);
  for (int i = 0; i < 3; ++i) one.event("request", nanoseconds(i), 10ns);
  std::set<int> tids;
  for (const json& event : events_of(one.trace, "X")) tids.insert(event.at("tid").get<int>());
  EXPECT_EQ(tids, (std::set<int>{1, 3, 4}));
  std::map<int, std::string> names;
  for (const json& event : events_of(one.trace, "M")) {
    if (event.at("name") == "thread_name") names[event.at("tid")] = event.at("args").at("name");
  }
  EXPECT_EQ(names, (std::map<int, std::string>{{1, "CPU"}, {2, "taken"}, {3, "CPU (lane 2)"}, {4, "CPU (lane 3)"}}));
}

TEST(ChromeWriter, lanes_find_numbers_when_the_largest_is_taken) {
  OneRow one;
  one.trace.add_row(one.process, "last", std::numeric_limits<std::uint32_t>::max());
  one.event("a", 0ns, 10ns);
  one.event("b", 5ns, 10ns);
  const auto events = events_of(one.trace, "X");
  EXPECT_GE(events.at(1).at("tid").get<std::uint32_t>(), 2u);
}

TEST(ChromeWriter, a_parent_comes_before_its_child_of_the_same_start) {
  OneRow one;
  one.event("child", 0ns, 5ns);
  one.event("parent", 0ns, 10ns);
  EXPECT_EQ(events_of(one.trace, "X").at(0).at("name"), "parent");
}

TEST(ChromeWriter, hostile_names_stay_valid_json) {
  const std::string nasty = "a\"b\\c\n\t\x01\x7f</script> \xC3\xA9 \xE2\x82\xAC";
  OneRow one;
  const EventId event = one.event(nasty, 0ns, 1ns);
  one.trace.set_args(event, {{nasty, nasty}});
  one.event("bad \xff\xfe utf-8 \xC3", 1ns, 1ns);
  one.event(std::string("nul\0inside", 10), 2ns, 1ns);
  const auto events = events_of(one.trace, "X");
  EXPECT_EQ(events.at(0).at("name"), nasty);
  EXPECT_EQ(events.at(0).at("args").at(nasty), nasty);
  EXPECT_NE(events.at(1).at("name").get<std::string>().find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_EQ(events.at(2).at("name"), std::string("nul\0inside", 10));
}

TEST(ChromeWriter, texts_that_end_in_a_backslash_read_back_as_they_were) {
  OneRow one;
  one.trace.set_provenance_json(R"({"path": "C:\\"})");
  for (const char* name : {"\\", "\\\\", "\\\"", "\"\\", "a\\b\\"}) one.event(name, 0ns, 0ns);
  const auto events = events_of(one.trace, "X");
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].at("name"), one.trace.text(one.trace.events()[i].name));
  }
  EXPECT_NE(to_chrome_json(one.trace).find(R"("name":"a\\b\u005c")"), std::string::npos);
  EXPECT_EQ(json::parse(to_chrome_json(one.trace)).at("metadata").at("takt").at("path"), "C:\\");
}

TEST(ChromeWriter, arguments_keep_their_type_and_a_missing_number_is_null) {
  OneRow one;
  const EventId event = one.event("a", 0ns, 1ns);
  one.trace.set_args(event, {{"whole", std::int64_t{9007199254740993}},
                             {"part", 0.1},
                             {"none", std::numeric_limits<double>::quiet_NaN()},
                             {"text", "Conv"}});
  const json args = events_of(one.trace, "X").at(0).at("args");
  EXPECT_EQ(args.at("whole").get<std::int64_t>(), 9007199254740993);
  EXPECT_EQ(args.at("part"), 0.1);
  EXPECT_TRUE(args.at("none").is_null());
  EXPECT_EQ(args.at("text"), "Conv");
}

TEST(ChromeWriter, flows_carry_a_hexadecimal_bind_id) {
  OneRow one;
  const EventId from = one.event("a", 0ns, 1ns), through = one.event("b", 1ns, 1ns);
  one.trace.set_flow(from, 0xbeef, false, true);
  one.trace.set_flow(through, 0xbeef, true, true);
  const auto events = events_of(one.trace, "X");
  EXPECT_EQ(events.at(0).at("bind_id"), "0xbeef");
  EXPECT_FALSE(events.at(0).contains("flow_in"));
  EXPECT_EQ(events.at(0).at("flow_out"), true);
  EXPECT_EQ(events.at(1).at("flow_in"), true);
}

TEST(ChromeWriter, all_arrows_take_the_same_form_once_an_event_has_two) {
  OneRow one;
  const EventId from = one.event("a", 0ns, 1ns), to = one.event("b", 1ns, 1ns), last = one.event("c", 2ns, 1ns);
  one.trace.add_flow(from, 1, false, true);
  one.trace.add_flow(to, 1, true, false);
  one.trace.add_flow(to, 2, false, true);
  one.trace.add_flow(last, 2, true, false);
  for (const json& slice : events_of(one.trace, "X")) EXPECT_FALSE(slice.contains("bind_id")) << slice;
  EXPECT_EQ(events_of(one.trace, "s").size(), 2u);
  EXPECT_EQ(events_of(one.trace, "f").at(1).at("id"), "0x2");
}

TEST(ChromeWriter, provenance_lies_under_metadata) {
  Trace trace;
  trace.set_base_time(1700000000000000001ns);
  trace.set_provenance_json(R"({"tool_version": "0.1.0", "host": "a\"b"})");
  const json file = json::parse(to_chrome_json(trace));
  EXPECT_EQ(file.at("metadata").at("takt").at("host"), "a\"b");
  EXPECT_EQ(file.at("baseTimeNanoseconds").get<std::int64_t>(), 1700000000000000001);
}

TEST(ChromeWriter, provenance_that_is_no_object_is_refused) {
  for (const char* text : {"[1]", "{\"a\":", "null", "{} trailing"}) {
    Trace trace;
    trace.set_provenance_json(text);
    EXPECT_EQ(refused_with([&] { to_chrome_json(trace); }),
              "trace: the provenance is not a JSON object; pass one or nothing")
        << text;
  }
}

TEST(ChromeWriter, equal_traces_give_equal_bytes_and_the_file_holds_the_same) {
  OneRow one, two;
  for (OneRow* built : {&one, &two}) {
    // Enough events for several pieces.
    for (int i = 0; i < 10000; ++i) built->event("op" + std::to_string(i % 7), nanoseconds(i * 3), nanoseconds(4));
  }
  const std::string text = to_chrome_json(one.trace);
  EXPECT_EQ(text, to_chrome_json(two.trace));
  EXPECT_EQ(events_of(one.trace, "X").size(), 10000u);
  const TestFolder folder;
  const auto path = folder / "trace.json";
  write_chrome_trace(one.trace, path);
  EXPECT_EQ(read_file(path), text);
}

TEST(ChromeWriter, a_folder_that_does_not_exist_is_an_error_that_names_it) {
  try {
    write_chrome_trace(Trace(), "/nonexistent-folder/trace.json");
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("/nonexistent-folder"), std::string::npos);
  }
}

}  // namespace
}  // namespace takt
