// What takt writes, read back by Perfetto's own importer.
//
// The unit tests of the writer check the text; these check that the reader which users open agrees: every event there,
// to the nanosecond, nothing dropped or moved. The tests of bad files show that the reader would have told.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "places.h"
#include "test_folder.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/perfetto_writer.h"

namespace takt {
namespace {

using nlohmann::json;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

const std::filesystem::path wasm = sdk_dir() / "perfetto" / "trace_processor.wasm";

class Perfetto : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(wasm)) GTEST_SKIP() << wasm << " is missing: run tools/bootstrap";
    if (std::system("node --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "node is missing: run tools/bootstrap";
  }

  json read(const std::string& file) {
    write_file_atomically(path_, file);
    const std::string command = "timeout 60 node '" + (source_dir() / "tests/perfetto/read_trace.mjs").string() +
                                "' '" + wasm.string() + "' '" + path_.string() + "'";
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 65536> piece;
    while (const std::size_t size = fread(piece.data(), 1, piece.size(), pipe)) output.append(piece.data(), size);
    EXPECT_EQ(pclose(pipe), 0);
    const json report = json::parse(output, nullptr, false);
    EXPECT_FALSE(report.is_discarded()) << "no report";
    return report;
  }
  json read(const Trace& trace) { return read(to_chrome_json(trace)); }
  json read_protobuf(const Trace& trace) { return read(to_perfetto(trace)); }

  TestFolder folder_;
  std::filesystem::path path_ = folder_ / "trace.json";
};

/// Time, duration and name of every slice, in a fixed order.
std::vector<std::string> slices_seen(const json& report) {
  std::vector<std::string> seen;
  for (const json& slice : report.at("slices")) {
    seen.push_back(slice.at("ts").dump() + " " + slice.at("dur").dump() + " " + slice.at("name").get<std::string>());
  }
  std::sort(seen.begin(), seen.end());
  return seen;
}

std::vector<std::string> slices_written(const Trace& trace) {
  std::vector<std::string> written;
  for (const TraceEvent& event : trace.events()) {
    written.push_back(std::to_string(event.start_ns) + " " + std::to_string(event.duration_ns) + " " +
                      trace.text(event.name));
  }
  std::sort(written.begin(), written.end());
  return written;
}

TEST_F(Perfetto, sees_nested_touching_and_zero_length_events_to_the_nanosecond) {
  Trace trace;
  trace.set_base_time(1700000000123456789ns);
  trace.set_provenance_json(R"({"tool_version": "test"})");
  const RowId row = trace.add_row(trace.add_process("takt run"), "CPU");
  const nanoseconds late = 90 * 24h;  // near the end of what a double holds exactly
  for (const nanoseconds base : {0ns, 1ns, late}) {
    trace.add_event(row, "first child", "op", base + 10ns, 7ns);
    trace.add_event(row, "run", "session", base + 10ns, 1001ns);
    trace.add_event(row, "second \"child\"\n\\ \xE2\x82\xAC", "op", base + 17ns, 994ns);
    trace.add_event(row, "instant", "op", base + 1011ns, 0ns);
    trace.add_event(row, "instant", "op", base + 1011ns, 0ns);
    trace.add_event(row, "after", "op", base + 1011ns, 1ns);
  }
  for (const json& report : {read(trace), read_protobuf(trace)}) {
    EXPECT_EQ(slices_seen(report), slices_written(trace));
    EXPECT_EQ(report.at("problems"), json::array());
  }
}

TEST_F(Perfetto, sees_every_one_of_many_overlapping_events) {
  Trace trace;
  const ProcessId process = trace.add_process("host");
  const RowId rows[] = {trace.add_row(process, "GPU stream 7"), trace.add_row(process, "GPU stream 8"),
                        trace.add_row(trace.add_process("other host"), "CPU")};
  std::uint32_t random = 1;
  for (int i = 0; i < 3000; ++i) {
    random = random * 1664525 + 1013904223;
    trace.add_event(rows[i % 3], "kernel" + std::to_string(i % 11), "kernel", nanoseconds(random % 100000),
                    nanoseconds(random / 1000 % 500));
  }
  for (const json& report : {read(trace), read_protobuf(trace)}) {
    EXPECT_EQ(slices_seen(report), slices_written(trace));
    EXPECT_EQ(report.at("problems"), json::array());
  }
}

TEST_F(Perfetto, sees_in_protobuf_what_the_trace_holds) {
  Trace trace;
  const ProcessId process = trace.add_process("takt \xC3\xA9");
  const EventId a = trace.add_event(trace.add_row(process, "stage 1"), "send", "stage", 100ns, 50ns);
  const EventId b = trace.add_event(trace.add_row(process, "stage 2"), "receive", "stage", 200ns, 50ns);
  trace.set_args(a, {{"batch", std::int64_t{-7}}, {"type", "Conv\\"}, {"ms", 0.25}, {"list", TraceJsonText{"[1,2]"}}});
  trace.add_flow(a, 1, false, true);
  trace.add_flow(a, 2, false, true);
  trace.add_flow(b, 1, true, false);
  trace.add_flow(b, 2, true, false);
  trace.add_counter(process, "queue depth", 120ns, 2);
  const json chrome = read(trace);
  EXPECT_EQ(chrome.at("problems"), json::array());
  EXPECT_EQ(chrome.at("flows").size(), 2u);
  const json report = read_protobuf(trace);
  EXPECT_EQ(report.at("problems"), json::array());
  ASSERT_EQ(report.at("slices").size(), 2u);
  EXPECT_EQ(report.at("slices").at(0).at("process"), "takt \xC3\xA9");
  EXPECT_EQ(report.at("slices").at(0).at("row"), "stage 1");
  EXPECT_EQ(report.at("slices").at(0).at("category"), "stage");
  ASSERT_EQ(report.at("flows").size(), 2u);
  EXPECT_EQ(report.at("flows").at(1).at("target"), "receive");
  ASSERT_EQ(report.at("counters").size(), 1u);
  EXPECT_EQ(report.at("counters").at(0).at("name"), "queue depth");
  EXPECT_EQ(report.at("counters").at(0).at("value"), 2);
  std::vector<std::string> args;
  for (const json& arg : report.at("arguments")) {
    const json& value = !arg.at("int_value").is_null()      ? arg.at("int_value")
                        : !arg.at("string_value").is_null() ? arg.at("string_value")
                                                            : arg.at("real_value");
    args.push_back(arg.at("key").get<std::string>() + "=" + value.dump());
  }
  std::sort(args.begin(), args.end());
  EXPECT_EQ(args, (std::vector<std::string>{"debug.batch=-7", "debug.list[0]=1", "debug.list[1]=2", "debug.ms=0.25",
                                            R"(debug.type="Conv\\")"}));
}

TEST_F(Perfetto, sees_rows_processes_arguments_counters_and_flows) {
  Trace trace;
  const ProcessId process = trace.add_process("takt \xC3\xA9");
  const EventId a = trace.add_event(trace.add_row(process, "stage 1"), "send", "stage", 100ns, 50ns);
  const EventId b = trace.add_event(trace.add_row(process, "stage 2"), "pass on", "stage", 200ns, 50ns);
  const EventId c = trace.add_event(trace.add_row(process, "stage 3"), "receive", "stage", 300ns, 50ns);
  trace.set_args(a, {{"batch_id", std::int64_t{7}}, {"type", "Conv"}, {"hw_time_ms", 0.25}, {"missing", NAN}});
  trace.set_flow(a, 1, false, true);
  trace.set_flow(b, 1, true, true);
  trace.set_flow(c, 1, true, false);
  trace.add_counter(process, "queue depth", 120ns, 2);
  trace.add_counter(process, "queue depth", 250ns, 0.5);
  const json report = read(trace);
  EXPECT_EQ(report.at("problems"), json::array());
  const json& slice = report.at("slices").at(0);
  EXPECT_EQ(slice.at("process"), "takt \xC3\xA9");
  EXPECT_EQ(slice.at("row"), "stage 1");
  EXPECT_EQ(slice.at("category"), "stage");
  ASSERT_EQ(report.at("counters").size(), 2u);
  EXPECT_EQ(report.at("counters").at(0).at("name"), "queue depth value");
  EXPECT_EQ(report.at("counters").at(1).at("value"), 0.5);
  EXPECT_EQ(report.at("counters").at(1).at("ts"), 250);
  ASSERT_EQ(report.at("flows").size(), 2u);
  EXPECT_EQ(report.at("flows").at(0).at("source"), "send");
  EXPECT_EQ(report.at("flows").at(0).at("target"), "pass on");
  EXPECT_EQ(report.at("flows").at(1).at("target"), "receive");
  const json expected = {{"args.batch_id", 7}, {"args.hw_time_ms", 0.25}, {"args.type", "Conv"}};
  for (const auto& item : expected.items()) {
    const std::string& key = item.key();
    const json& value = item.value();
    const bool found = std::any_of(report.at("arguments").begin(), report.at("arguments").end(), [&](const json& arg) {
      return arg.at("key") == key &&
             (arg.at("int_value") == value || arg.at("real_value") == value || arg.at("string_value") == value);
    });
    EXPECT_TRUE(found) << key << " in " << report.at("arguments");
  }
}

TEST_F(Perfetto, sees_arrows_out_of_slices_without_length) {
  Trace trace;
  const ProcessId process = trace.add_process("p");
  const RowId device = trace.add_row(process, "device"), host = trace.add_row(process, "host");
  const EventId from = trace.add_event(device, "from", "", 0ns, 10ns);
  const EventId instant = trace.add_event(host, "merge", "", 10ns, 0ns);
  const EventId to = trace.add_event(device, "to", "", 10ns, 5ns);
  trace.add_flow(from, 1, false, true);
  trace.add_flow(instant, 1, true, false);
  trace.add_flow(instant, 2, false, true);
  trace.add_flow(to, 2, true, false);
  for (const json& report : {read(trace), read_protobuf(trace)}) {
    EXPECT_EQ(report.at("problems"), json::array());
    ASSERT_EQ(report.at("flows").size(), 2u);
    EXPECT_EQ(report.at("flows").at(1).at("target"), "to");
  }
}

TEST_F(Perfetto, sees_every_arrow_of_a_fan_out_and_of_a_chain) {
  Trace trace;
  const ProcessId process = trace.add_process("p");
  const RowId host = trace.add_row(process, "host"), device = trace.add_row(process, "device");
  const EventId launch = trace.add_event(host, "launch", "", 0ns, 10ns);
  const EventId other = trace.add_event(host, "other", "", 100ns, 10ns);
  trace.add_flow(launch, 7, false, true);
  for (int i = 0; i < 4; ++i) {
    trace.add_flow(trace.add_event(device, "kernel", "", nanoseconds(20 * i), 10ns), 7, true, false);
  }
  const EventId waited = trace.add_event(device, "at once", "", 100ns, 0ns);  // starts with its source
  trace.add_flow(waited, 8, true, false);
  trace.add_flow(other, 8, false, true);
  const EventId middle = trace.add_event(device, "middle", "", 120ns, 1ns);
  trace.add_flow(middle, 7, true, true);
  trace.add_flow(trace.add_event(device, "last", "", 140ns, 1ns), 7, true, false);
  trace.add_flow(other, 9, false, true);  // leads nowhere
  for (const json& report : {read(trace), read_protobuf(trace)}) {
    EXPECT_EQ(report.at("problems"), json::array());
    std::vector<std::string> seen;
    for (const json& flow : report.at("flows")) {
      seen.push_back(flow.at("source").get<std::string>() + " -> " + flow.at("target").get<std::string>() + " " +
                     flow.at("target_ts").dump());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, (std::vector<std::string>{"launch -> kernel 0", "launch -> kernel 20", "launch -> kernel 40",
                                              "launch -> kernel 60", "launch -> middle 120", "middle -> last 140",
                                              "other -> at once 100"}));
  }
}

TEST_F(Perfetto, sees_instants_and_arguments_without_value_and_of_64_bits) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process(""), "");
  const EventId event = trace.add_event(row, "a", "", 0ns, 10ns);
  trace.set_args(event, {{"null", TraceJsonText{"null"}},
                         {"nan", NAN},
                         {"infinite", INFINITY},
                         {"least", std::int64_t{INT64_MIN}},
                         {"unsigned", TraceJsonText{"9223372036854775808"}},
                         {"huge", TraceJsonText{"123456789012345678901234567890"}},
                         {"flag", TraceJsonText{"true"}},
                         {"number", TraceJsonText{"1.5"}},
                         {"nothing", TraceJsonText{"[null,{}]"}}});
  const InstantScope scopes[] = {InstantScope::row, InstantScope::process, InstantScope::trace};
  for (int i = 0; i < 3; ++i) trace.mark_instant(trace.add_event(row, "i", "", nanoseconds(i), 0ns), scopes[i]);
  trace.set_property("distributedInfo", R"({"rank":1})");
  trace.set_provenance_json(R"({"host":"h"})");
  for (const json& report : {read(trace), read_protobuf(trace)}) {
    EXPECT_EQ(report.at("problems"), json::array());
    // Instants of a process or the trace are not on the row, so the query of rows sees two.
    EXPECT_EQ(report.at("slices").size(), 2u);
  }
  const json report = read_protobuf(trace);
  const auto value = [&](const std::string& key, const char* column) -> json {
    for (const json& arg : report.at("arguments")) {
      if (arg.at("key") == "debug." + key) return arg.at(column);
    }
    return "missing";
  };
  EXPECT_EQ(value("null", "int_value"), "missing");
  EXPECT_EQ(value("least", "int_value"), std::to_string(INT64_MIN));
  EXPECT_EQ(value("unsigned", "int_value"), std::to_string(INT64_MIN));  // the same 64 bits: its column is signed
  EXPECT_EQ(value("huge", "string_value"), "123456789012345678901234567890");
  EXPECT_EQ(value("flag", "int_value"), 1);
  EXPECT_EQ(value("number", "string_value"), "1.5");
}

TEST_F(Perfetto, sees_hostile_names_without_complaint) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("\xff\x01"), "\"}]\\");
  const EventId event = trace.add_event(row, "\xC3(\x80 bytes \x1b[31m", "", 1ns, 1ns);
  trace.set_args(event, {{"a.b\"", "\xF0\x28"}, {"", ""}});
  trace.add_event(row, "", "", 2ns, -5ns);
  for (const json& report : {read(trace), read_protobuf(trace)}) {
    EXPECT_EQ(report.at("slices").size(), 2u);
    EXPECT_EQ(report.at("problems"), json::array());
  }
}

TEST_F(Perfetto, sees_texts_that_end_in_a_backslash) {
  Trace trace;
  trace.set_provenance_json(R"({"command": "takt run C:\\"})");
  const RowId row = trace.add_row(trace.add_process("process\\"), "row\\\\");
  trace.set_args(trace.add_event(row, "C:\\", "cat\\", 1ns, 1ns), {{"path\\", "C:\\models\\"}});
  trace.add_event(row, "after\\\"quote", "", 2ns, 1ns);
  const json report = read(trace);
  EXPECT_EQ(report.at("slices").size(), 2u);
  EXPECT_EQ(report.at("problems"), json::array());
}

std::string file_of(const std::string& events) { return "{\"traceEvents\":[" + events + "]}"; }

TEST_F(Perfetto, complains_about_an_overlap_that_was_not_set_apart) {
  const json report = read(file_of(R"({"ph":"X","pid":1,"tid":1,"ts":1.000,"dur":5.000,"name":"a"},)"
                                   R"({"ph":"X","pid":1,"tid":1,"ts":2.000,"dur":9.000,"name":"b"})"));
  EXPECT_FALSE(report.at("problems").empty());
}

TEST_F(Perfetto, complains_about_a_missing_duration) {
  const json report = read(file_of(R"({"ph":"X","pid":1,"tid":1,"ts":1.000,"name":"a"})"));
  EXPECT_FALSE(report.at("problems").empty());
  EXPECT_TRUE(report.at("slices").empty());
}

TEST_F(Perfetto, complains_about_a_file_that_is_cut_off) {
  const json report = read(R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1.000,"dur":1.000,"name":"a"},{"ph)");
  EXPECT_FALSE(report.at("problems").empty());
}

}  // namespace
}  // namespace takt
