// What is written is read back the same: events, arguments, arrows, counters, names, to the nanosecond.
#include <gtest/gtest.h>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include "base/files/file.h"
#include "places.h"
#include "test_folder.h"
#include "trace/chrome/reader.h"
#include "trace/perfetto/reader.h"
#include "trace/read/reader.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/perfetto_writer.h"
#include "trace/write/trace_file.h"

namespace takt {
namespace {

const char* const texts[] = {"",
                             "conv",
                             "a \"quoted\" name",
                             "back\\slash\\",
                             "tab\tline\nend",
                             "\xE2\x82\xAC\xF0\x9F\x98\x80",
                             "}]},{\"ph\":\"X\"",
                             "\x01\x1f",
                             "0x12",
                             "17"};

std::string value_text(const Trace& trace, const TraceArg& arg) {
  if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) return "i" + std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&arg.value)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, number, sizeof bits);
    return "d" + std::to_string(bits);
  }
  if (const auto* json = std::get_if<TraceJson>(&arg.value)) return "j" + trace.text(json->text);
  return "s" + trace.text(std::get<StringId>(arg.value));
}

std::string row_text(const Trace& trace, RowId id) {
  const TraceRow& row = trace.rows()[static_cast<std::size_t>(id)];
  const TraceProcess& process = trace.processes()[static_cast<std::size_t>(row.process)];
  return std::to_string(process.pid) + "|" + process.name + "|" + std::to_string(row.tid) + "|" + row.name + "|" +
         std::to_string(row.sort_index);
}

/// Everything in a trace, in an order that does not depend on the order in which it was added.
std::vector<std::string> contents(const Trace& trace, bool with_arrows = true) {
  std::vector<std::string> all, arrows(trace.events().size());
  const std::int64_t base = trace.base_time() ? trace.base_time()->count() : 0;
  for (const TraceInstant& instant : trace.instants()) {
    arrows[static_cast<std::size_t>(instant.event)] += " instant " + std::to_string(static_cast<int>(instant.scope));
  }
  for (const TraceProperty& property : trace.properties()) all.push_back("key " + property.key + " " + property.json);
  for (const TraceFlow& flow : trace.flows()) {
    if (!with_arrows) break;
    arrows[static_cast<std::size_t>(flow.event)] +=
        " flow " + std::to_string(flow.bind_id) + (flow.in ? " in" : "") + (flow.out ? " out" : "");
  }
  for (std::size_t i = 0; i < trace.events().size(); ++i) {
    const TraceEvent& event = trace.events()[i];
    std::string text = row_text(trace, event.row) + " " + std::to_string(event.start_ns + base) + "+" +
                       std::to_string(event.duration_ns) + " " + trace.text(event.name) + "/" +
                       trace.text(event.category);
    for (const TraceArg arg : trace.args(event)) text += " " + trace.text(arg.key) + "=" + value_text(trace, arg);
    all.push_back(text + arrows[i]);
  }
  for (const TraceCounter& sample : trace.counters()) {
    all.push_back("counter " + std::to_string(trace.processes()[static_cast<std::size_t>(sample.process)].pid) + " " +
                  trace.text(sample.name) + " " + std::to_string(sample.time_ns + base) + " " +
                  std::to_string(sample.value));
  }
  for (std::size_t i = 0; i < trace.rows().size(); ++i) all.push_back("row " + row_text(trace, static_cast<RowId>(i)));
  std::sort(all.begin(), all.end());
  return all;
}

Trace random_trace(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto text = [&] { return std::string(texts[below(std::size(texts))]); };
  Trace trace;
  trace.set_base_time(Nanoseconds(1'700'000'000'000'000'000 + random()));
  trace.set_property("distributedInfo", R"({"rank":3,"path":"C:\\"})");
  trace.set_property("schema \"Version\"", "1");
  trace.set_property("metadata", R"({"other":[1]})");
  std::vector<RowId> rows;
  std::vector<ProcessId> processes;
  for (std::uint32_t p = 0; p <= below(3); ++p) {
    processes.push_back(trace.add_process(text(), p == 0 ? 0 : 100 + p, static_cast<int>(below(9)) - 4));
    for (std::uint32_t r = 0; r <= below(4); ++r)
      rows.push_back(trace.add_row(processes.back(), text(), 0, static_cast<int>(r)));
  }
  const std::uint32_t count = below(60);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto start = Nanoseconds(below(2000) - (below(20) == 0 ? 500 : 0));
    const auto drawn = Nanoseconds(below(30) == 0 ? -static_cast<int>(below(50)) : static_cast<int>(below(300)));
    const auto duration = below(6) == 0 ? Nanoseconds(0) : drawn;
    const EventId event =
        trace.add_event(rows[below(static_cast<std::uint32_t>(rows.size()))], text(), text(), start, duration);
    if (duration == Nanoseconds(0)) trace.mark_instant(event, static_cast<InstantScope>(below(3)));
    TraceValues values;
    for (std::uint32_t a = 0; a < below(5); ++a) {
      const std::string key = "k" + std::to_string(a) + text();
      switch (below(5)) {
        case 0:
          values.emplace_back(key, static_cast<std::int64_t>(random()) - 0x80000000);
          break;
        case 1:
          values.emplace_back(key, static_cast<std::int64_t>(std::uint64_t{random()} << 32 | random()));
          break;
        case 2:
          values.emplace_back(key, static_cast<double>(random()) / (below(2) == 0 ? 1.0 : 7.0));
          break;
        case 3:
          values.emplace_back(key, text());
          break;
        default:
          values.emplace_back(key, TraceJsonText{below(3) == 0   ? "true"
                                                 : below(3) == 0 ? "null"
                                                 : below(3) == 0 ? "18446744073709551615"
                                                                 : "[1,{\"a\":null,\"b\\\\\":\"c\\\\\"}]"});
      }
    }
    trace.set_args(event, values);
    for (std::uint32_t f = below(8); f < 3; ++f) {
      const std::uint32_t ends = below(3);
      trace.add_flow(event, 1 + below(20) + 100 * f, ends != 0, ends != 1);
    }
  }
  for (std::uint32_t i = 0; i < below(20); ++i) {
    trace.add_counter(processes[below(static_cast<std::uint32_t>(processes.size()))], text(), Nanoseconds(below(2000)),
                      below(1000) / 8.0);
  }
  return trace;
}

TEST(RoundTrip, random_traces_through_chrome_json_are_the_same) {
  std::mt19937 random(11);
  for (unsigned i = 0; i < random_cases(400); ++i) {
    const Trace trace = random_trace(random);
    const std::string json = to_chrome_json(trace);
    const unsigned threads = 1 + static_cast<unsigned>(i % 3);
    const TraceRead read = parse_chrome_trace(json, "test", {.threads = threads, .window_bytes = 500});
    ASSERT_EQ(contents(read.trace), contents(trace)) << json;
    ASSERT_EQ(to_chrome_json(read.trace), to_chrome_json(read.trace));
  }
}

TEST(RoundTrip, random_traces_through_perfettos_protobuf_are_the_same) {
  std::mt19937 random(14);
  for (unsigned i = 0; i < random_cases(400); ++i) {
    const Trace trace = random_trace(random);
    const TraceRead read = parse_trace(to_perfetto(trace));
    // A number of an arrow that two targets share becomes two, so arrows are compared with those read back once more.
    ASSERT_EQ(contents(read.trace, false), contents(trace, false)) << i;
    const TraceRead again = parse_trace(to_perfetto(read.trace));
    ASSERT_EQ(contents(again.trace, false), contents(read.trace, false)) << i;
  }
}

TEST(RoundTrip, traces_go_from_chrome_to_perfetto_and_back) {
  std::mt19937 random(15);
  for (unsigned i = 0; i < random_cases(200); ++i) {
    const Trace trace = parse_trace(to_chrome_json(random_trace(random))).trace;
    const Trace through = parse_trace(to_perfetto(trace)).trace;
    ASSERT_EQ(contents(parse_trace(to_chrome_json(through)).trace, false), contents(trace, false)) << i;
  }
}

TEST(RoundTrip, damaged_protobuf_never_crashes_the_reader) {
  std::mt19937 random(16);
  for (unsigned i = 0; i < random_cases(3000); ++i) {
    std::string bytes = to_perfetto(random_trace(random));
    for (std::uint32_t k = 0; k <= random() % 6 && !bytes.empty(); ++k) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, random() % 20);
          break;
        case 2:
          bytes.insert(at, "\xff\xff\xff\xff\x7f");
          break;
        default:
          bytes.resize(at + 1);
      }
    }
    try {
      const TraceRead read = parse_perfetto_trace(bytes, "test");
      to_chrome_json(read.trace);
      to_perfetto(read.trace);
    } catch (const std::runtime_error& error) {
      ASSERT_FALSE(std::string(error.what()).empty());
    }
  }
}

TEST(RoundTrip, compressed_files_are_the_same_and_equal_traces_give_equal_bytes) {
  std::mt19937 random(12);
  const Trace trace = random_trace(random);
  const TestFolder folder;
  const auto path = folder / "trace.json.gz";
  write_trace(trace, path);
  const std::string bytes = read_file(path);
  EXPECT_EQ(bytes.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(contents(read_chrome_trace(path).trace), contents(trace));
  write_trace(trace, path);
  EXPECT_EQ(read_file(path), bytes);
  EXPECT_EQ(contents(parse_chrome_trace(bytes + bytes.substr(0, 0)).trace), contents(trace));
  for (std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{12}}) {
    try {
      const TraceRead cut = parse_chrome_trace(std::string_view(bytes).substr(0, size));
      EXPECT_FALSE(cut.faults.empty()) << size;
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("truncated"), std::string::npos) << error.what();
    }
  }
}

TEST(RoundTrip, damaged_files_never_crash_the_reader) {
  std::mt19937 random(13);
  for (unsigned i = 0; i < random_cases(3000); ++i) {
    std::string json = to_chrome_json(random_trace(random));
    for (std::uint32_t k = 0; k <= random() % 6 && !json.empty(); ++k) {
      const std::size_t at = random() % json.size();
      switch (random() % 4) {
        case 0:
          json[at] = static_cast<char>(random());
          break;
        case 1:
          json.erase(at, random() % 20);
          break;
        case 2:
          json.insert(at, "[{\"");
          break;
        default:
          json.resize(at + 1);
      }
    }
    try {
      const TraceRead read =
          parse_chrome_trace(json, "test", {.threads = 1 + i % 2u, .find_overlaps = i % 3 == 0, .window_bytes = 300});
      to_chrome_json(read.trace);
    } catch (const std::runtime_error& error) {
      ASSERT_FALSE(std::string(error.what()).empty());
    }
  }
}

}  // namespace
}  // namespace takt
