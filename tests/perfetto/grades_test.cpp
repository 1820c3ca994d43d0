// The grades of `takt trace check` against the reader that they speak of: an error is what Perfetto reports, a warning
// is what it takes without a word. And what takt makes of other tools' traces is without any complaint.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "places.h"
#include "test_folder.h"
#include "trace/read/reader.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/perfetto_writer.h"

namespace takt {
namespace {

using nlohmann::json;

class PerfettoProblems : public testing::Test {
 protected:
  void SetUp() override {
    const auto wasm = sdk_dir() / "perfetto" / "trace_processor.wasm";
    if (!std::filesystem::exists(wasm)) GTEST_SKIP() << wasm << " is missing: run tools/bootstrap";
    if (std::system("node --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "node is missing: run tools/bootstrap";
    command_ = "timeout 300 node '" + (source_dir() / "tests/perfetto/count_problems.mjs").string() + "' '" +
               wasm.string() + "' ";
  }

  void add(const std::string& name, const std::string& bytes) { write_file_atomically(folder_ / name, bytes); }

  /// By file: of those added.
  json read() const {
    FILE* pipe = popen((command_ + "'" + folder_.path().string() + "'/*").c_str(), "r");
    std::string output;
    std::array<char, 65536> piece;
    while (const std::size_t size = fread(piece.data(), 1, piece.size(), pipe)) output.append(piece.data(), size);
    EXPECT_EQ(pclose(pipe), 0);
    return json::parse(output);
  }

  std::string command_;
  TestFolder folder_;
};

const std::string slice = R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"a"})";

/// A slice, and an event under test.
std::string with(const std::string& event) { return R"({"traceEvents":[)" + slice + "," + event + "]}"; }
std::string timed(const std::string& members) { return with(R"({"pid":1,"tid":1,"name":"b",)" + members + "}"); }

const std::vector<std::pair<std::string, std::string>> cases = {
    {"sound", "[" + slice + "]"},
    {"object_not_closed", R"({"traceEvents":[)" + slice},
    {"list_not_closed", "[" + slice},
    {"list_ends_in_a_comma", "[" + slice + ",\n"},
    {"text_behind", R"({"traceEvents":[)" + slice + "]} hello"},
    {"byte_order_mark", "\xEF\xBB\xBF[" + slice + "]"},
    {"no_events", R"({"traceEvents":[]})"},
    {"malformed", with(R"({"ph":"X" "pid":1},)" + slice)},
    {"control_character", timed("\"ph\":\"X\",\"ts\":8,\"dur\":1,\"cat\":\"\t\"")},
    {"missing_phase", timed(R"("ts":8,"dur":1)")},
    {"unknown_phase", timed(R"("ph":"Q","ts":8,"dur":1)")},
    {"missing_ts", timed(R"("ph":"X","dur":1)")},
    {"missing_dur", timed(R"("ph":"X","ts":8)")},
    {"negative_dur", timed(R"("ph":"X","ts":8,"dur":-1)")},
    {"nan_ts", timed(R"("ph":"X","ts":NaN,"dur":1)")},
    {"text_dur", timed(R"("ph":"X","ts":8,"dur":"soon")")},
    {"nan_argument", timed(R"("ph":"X","ts":8,"dur":1,"args":{"v":NaN})")},
    {"nan_in_a_list", timed(R"("ph":"X","ts":8,"dur":1,"args":{"v":[1,NaN]})")},
    {"time_out_of_range", timed(R"("ph":"X","ts":1e30,"dur":1)")},
    {"lost_precision", timed(R"("ph":"X","ts":8,"dur":1.12345)")},
    {"zero_pid", with(R"({"ph":"X","pid":0,"tid":1,"ts":8,"dur":1,"name":"b"})")},
    {"zero_tid", with(R"({"ph":"X","pid":1,"tid":0,"ts":8,"dur":1,"name":"b"})")},
    {"odd_id", with(R"({"ph":"X","pid":1,"tid":-7,"ts":8,"dur":1,"name":"b"})")},
    {"text_ids", with(R"({"ph":"X","pid":"Spans","tid":"T","ts":8,"dur":1,"name":"b"})")},
    {"overlap", timed(R"("ph":"X","ts":3,"dur":9)")},
    {"begin_alone", timed(R"("ph":"B","ts":8)")},
    {"end_alone", timed(R"("ph":"E","ts":8)")},
    {"async_begin_alone", timed(R"("ph":"b","ts":8,"id":1)")},
    {"async_without_id", timed(R"("ph":"b","ts":8)")},
    {"instant_of_the_process", with(R"({"ph":"i","s":"p","pid":1,"ts":8,"name":"b"})")},
    {"instant_without_thread", with(R"({"ph":"i","s":"t","pid":1,"ts":8,"name":"b"})")},
    {"arrow_on_no_slice", timed(R"("ph":"s","ts":8,"id":1,"cat":"c")")},
    {"arrow_to_nowhere", timed(R"("ph":"s","ts":3,"id":1,"cat":"c")")},
    {"arrow_from_nowhere", timed(R"("ph":"f","bp":"e","ts":3,"id":1,"cat":"c")")},
    {"arrow_without_id", timed(R"("ph":"s","ts":3,"cat":"c")")},
    {"arrow_with_a_text_id", timed(R"("ph":"s","ts":3,"id":"x y","cat":"c")")},
    {"arrow_repeated", with(R"({"ph":"s","pid":1,"tid":1,"ts":3,"id":1,"cat":"c","name":"b"},)"
                            R"({"ph":"s","pid":1,"tid":1,"ts":4,"id":1,"cat":"c","name":"b"})")},
    {"counter_of_text", with(R"({"ph":"C","pid":1,"ts":3,"name":"b","args":{"v":"abc"}})")},
    {"counter_of_null", with(R"({"ph":"C","pid":1,"ts":3,"name":"b","args":{"v":null}})")},
    {"process_without_name", with(R"({"ph":"M","pid":1,"name":"process_name","args":{"name":""}})")},
    {"thread_named_by_a_number", with(R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":5}})")},
    {"name_without_arguments", with(R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{}})")},
};

TEST_F(PerfettoProblems, an_error_is_what_perfetto_reports) {
  for (const auto& [name, text] : cases) add(name, text);
  const json report = read();
  ASSERT_EQ(report.size(), cases.size());
  for (const auto& [name, text] : cases) {
    bool has_error = false;
    for (const TraceFault& fault : parse_trace(text, name, {.threads = 1, .find_overlaps = true}).faults) {
      has_error = has_error || grade_of(fault.rule) == FaultGrade::error;
    }
    EXPECT_EQ(has_error, !report.at(name).at("problems").empty()) << name << ": " << report.at(name);
  }
}

TEST_F(PerfettoProblems, what_takt_makes_of_faulty_traces_is_sound) {
  for (const auto& [name, text] : cases) {
    const Trace trace = parse_trace(text, name).trace;
    add(name + ".json", to_chrome_json(trace));
    add(name + ".pftrace", to_perfetto(trace));
  }
  const json report = read();
  EXPECT_EQ(report.size(), 2 * cases.size());
  for (const auto& [name, seen] : report.items()) {
    // Two arrows that start with one number are kept as the file has them in the form that has room for both.
    if (name == "arrow_repeated.json") continue;
    EXPECT_EQ(seen.at("problems"), json::array()) << name;
  }
}

TEST_F(PerfettoProblems, what_takt_makes_of_foreign_traces_is_sound_and_whole) {
  const char* given = std::getenv("TAKT_SHARED_TRACES");
  const auto folder = given != nullptr ? std::filesystem::path(given) : source_dir() / "../shared/data/traces";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no foreign traces at " << folder;
  std::map<std::string, std::size_t> events;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".gz") continue;
    const Trace trace = read_trace(entry.path()).trace;
    const std::string name = entry.path().filename().string();
    add(name + ".json", to_chrome_json(trace));
    add(name + ".pftrace", to_perfetto(trace));
    events[name] = trace.events().size();
  }
  const json report = read();
  for (const auto& [name, count] : events) {
    const json &as_json = report.at(name + ".json"), &as_protobuf = report.at(name + ".pftrace");
    EXPECT_EQ(as_json.at("problems"), json::array()) << name;
    EXPECT_EQ(as_protobuf.at("problems"), json::array()) << name;
    EXPECT_EQ(as_json.at("slices"), count) << name;
    EXPECT_EQ(as_protobuf.at("slices"), count) << name;
    EXPECT_EQ(as_protobuf.at("flows"), as_json.at("flows")) << name;
  }
}

}  // namespace
}  // namespace takt
