// Pieces of traces: what lies inside is there, to the nanosecond, whichever way the file is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "cut_traces.h"
#include "places.h"
#include "refused.h"
#include "test_folder.h"
#include "trace/chrome/reader.h"
#include "trace/cut/cut.h"
#include "trace/cut/file_piece.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/trace_file.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

class Cut : public testing::Test {
 protected:
  FilePiece piece_of(const PartWish& wish, std::optional<double> most = {}) {
    return cut_file(file_, wish, most, false, {.threads = 2, .window_bytes = 4096});
  }
  void write(const Trace& trace) { write_trace(trace, file_); }
  TestFolder folder_;
  std::filesystem::path file_ = folder_.path() / "whole.json";
};

TEST_F(Cut, steps_are_chosen_by_their_numbers_and_other_events_are_clipped_and_marked) {
  write(training_trace(6));
  const FilePiece found = piece_of({.steps = std::pair{1, 1}});
  EXPECT_EQ(found.choice.name, "step 1");
  EXPECT_EQ(found.choice.part.span, (TimeInterval{6000, 7000}));
  const Trace& trace = found.piece.trace;
  // The mark, five launches, five kernels; the fifth kernel of step 1 goes on until 6860: all inside.
  EXPECT_EQ(trace.events().size(), 11u);
  EXPECT_EQ(found.piece.clipped, 0);
  EXPECT_EQ(trace.flows().size(), 10u);
  EXPECT_EQ(trace.counters().size(), 1u);
}

TEST_F(Cut, steps_of_xla_have_their_numbers_in_an_argument) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("/host:CPU", 701), "python", 5);
  for (int step = 0; step < 4; ++step) {
    const EventId mark = trace.add_event(row, "train", "", Nanoseconds(1'000 * step), Nanoseconds(900));
    trace.set_args(mark, TraceValues{{"step_num", std::to_string(40 + step)}});
    trace.add_event(row, "PjitFunction(f)", "", Nanoseconds(1'000 * step + 10), Nanoseconds(100));
  }
  write(trace);
  const FilePiece found = piece_of({.steps = std::pair{41, 42}});
  EXPECT_EQ(found.choice.part.span, (TimeInterval{1000, 2900}));
  EXPECT_EQ(found.piece.trace.events().size(), 4u);
}

TEST_F(Cut, a_clipped_event_tells_what_it_was) {
  write(training_trace(3));
  // From 5500 on: the mark of step 0 began at 5000.
  const FilePiece found = piece_of({.from = 500ns, .to = 600ns});
  const Trace& trace = found.piece.trace;
  const auto mark = std::find_if(trace.events().begin(), trace.events().end(),
                                 [&](const TraceEvent& event) { return trace.text(event.name) == "ProfilerStep#0"; });
  ASSERT_NE(mark, trace.events().end());
  EXPECT_EQ(mark->start_ns, 5500);
  EXPECT_EQ(mark->duration_ns, 100);
  std::map<std::string, std::int64_t> args;
  for (const TraceArg arg : trace.args(*mark)) args[trace.text(arg.key)] = std::get<std::int64_t>(arg.value);
  EXPECT_EQ(args, (std::map<std::string, std::int64_t>{{"whole_duration_ns", 1000}, {"whole_start_ns", 5000}}));
}

TEST_F(Cut, of_an_arrow_both_ends_stay_or_none) {
  write(training_trace(3));
  // The launch at 5010 is inside, its kernel begins at 5120.
  const FilePiece found = piece_of({.from = 0ns, .to = 100ns});
  EXPECT_EQ(found.piece.trace.flows().size(), 0u);
  EXPECT_EQ(found.piece.trace.rows().size(), 1u);  // the device has nothing to show
}

TEST_F(Cut, around_the_slowest_step_are_its_neighbours) {
  write(training_trace(6));
  EXPECT_EQ(piece_of({.around_slowest = true}).choice.name, "steps 1-3 around the slowest, 2");
}

TEST_F(Cut, a_rank_of_a_merged_trace_is_known_by_the_names_of_its_processes) {
  write(training_trace(3));
  const FilePiece found = piece_of({.rank = 1});
  ASSERT_EQ(found.piece.trace.processes().size(), 1u);
  EXPECT_EQ(found.piece.trace.processes()[0].name, "rank 1: GPU");
  EXPECT_EQ(found.piece.trace.events().size(), 15u);
  EXPECT_EQ(
      refused_with([&] { piece_of({.rank = 7}); }),
      file_.string() + ": it has no events of rank 7; 'takt trace merge' writes ranks into the names of processes");
}

TEST_F(Cut, a_step_of_a_rank_is_where_that_rank_has_it) {
  Trace trace;
  for (const std::int64_t rank : {0, 1}) {
    const RowId row = trace.add_row(
        trace.add_process("rank " + std::to_string(rank) + ": python", static_cast<std::uint32_t>(rank + 1)), "main");
    for (std::int64_t step = 0; step < 3; ++step)
      trace.add_event(row, "ProfilerStep#" + std::to_string(step), "user_annotation",
                      Nanoseconds(10'000 * rank + 1000 * step), 1000ns);
  }
  write(trace);
  EXPECT_EQ(piece_of({.steps = std::pair{1, 1}, .rank = 0}).choice.part.span, (TimeInterval{1000, 2000}));
  EXPECT_EQ(piece_of({.steps = std::pair{1, 1}, .rank = 1}).choice.part.span, (TimeInterval{11'000, 12'000}));
  EXPECT_EQ(piece_of({.steps = std::pair{1, 1}}).choice.part.span, (TimeInterval{1000, 12'000})) << "of all";
}

TEST_F(Cut, a_piece_that_must_be_small_ends_after_a_whole_step) {
  write(training_trace(200));
  const FilePiece found = piece_of({.steps = std::pair{3, 150}}, 40000.0);
  EXPECT_TRUE(found.was_shortened);
  const std::size_t bytes = to_chrome_json(found.piece.trace).size();
  EXPECT_LE(bytes, 40000u);
  EXPECT_GE(bytes, 30000u);
  EXPECT_EQ((found.choice.part.span.end - 5400) % 1000, 0);
  EXPECT_TRUE(refused_with([&] {
                piece_of({}, 10.0);
              }).starts_with(file_.string() + ": --max 10 B: the first moment of the excerpt alone takes "));
}

TEST_F(Cut, what_cannot_be_met_is_refused_with_what_there_is) {
  write(training_trace(3));
  const auto message = [&](const PartWish& wish) -> std::string {
    try {
      piece_of(wish);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(message({.steps = std::pair{7, 9}}).find("there is no step 7-9; the trace has steps 0 to 2"),
            std::string::npos);
  EXPECT_NE(message({.from = 1s}).find("the trace ends after 3.40"), std::string::npos);
  write_file_atomically(file_, "[]");
  EXPECT_NE(message({.from = 1s}).find("no events"), std::string::npos);
  write_file_atomically(file_, R"([{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}])");
  EXPECT_NE(message({.around_slowest = true}).find("no step markers"), std::string::npos);
}

std::vector<std::string> lines_inside(const Trace& trace, TimeInterval span) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events()) {
    if (event.start_ns < span.start || event.start_ns + event.duration_ns > span.end) continue;
    if (event.duration_ns == 0 && event.start_ns == span.end) continue;
    std::string line = trace.rows()[static_cast<std::size_t>(event.row)].name +
                       std::to_string(trace.rows()[static_cast<std::size_t>(event.row)].tid) + " " +
                       trace.text(event.name) + " " + std::to_string(event.start_ns) + "+" +
                       std::to_string(event.duration_ns);
    bool was_clipped = false;
    for (const TraceArg arg : trace.args(event)) {
      was_clipped = was_clipped || trace.text(arg.key) == "whole_start_ns";
      line += " " + trace.text(arg.key);
    }
    if (!was_clipped) lines.push_back(line);
  }
  for (const TraceCounter& sample : trace.counters()) {
    if (sample.time_ns >= span.start && sample.time_ns < span.end)
      lines.push_back(trace.text(sample.name) + std::to_string(sample.time_ns) + "=" + std::to_string(sample.value));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Arrows by the events at both ends, of those that lie inside as a whole.
std::vector<std::string> arrows_inside(const Trace& trace, TimeInterval span) {
  std::map<std::uint64_t, std::vector<std::string>> ends;
  for (const TraceFlow& flow : trace.flows()) {
    const TraceEvent& event = trace.events()[static_cast<std::size_t>(flow.event)];
    if (event.start_ns < span.start || event.start_ns + event.duration_ns >= span.end) continue;
    ends[flow.bind_id].push_back((flow.in ? "i" : "") + std::string(flow.out ? "o" : "") +
                                 std::to_string(event.start_ns) + trace.text(event.name));
  }
  std::vector<std::string> lines;
  for (auto& [id, list] : ends) {
    std::sort(list.begin(), list.end());
    if (list.front()[0] != 'i' || list.back()[0] != 'o') continue;
    std::string line;
    for (const std::string& end : list) line += end + ";";
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_F(Cut, random_pieces_of_random_files_hold_what_lies_inside) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < random_cases(50); ++round) {
    std::string json = random_json(random);
    if (round % 5 == 4) json.resize(json.size() * 3 / 4);  // a program that was killed leaves no end
    write_file_atomically(file_, json);
    const Trace whole = parse_chrome_trace(json).trace;
    const auto from = static_cast<std::int64_t>(random() % 8000),
               length = 1 + static_cast<std::int64_t>(random() % 6000);
    const TraceReadSettings settings{.threads = 1 + round % 3, .window_bytes = 200 + random() % 3000};
    const FilePiece found =
        cut_file(file_, {.from = Nanoseconds(from), .to = Nanoseconds(from + length)}, {}, false, settings);
    const TimeInterval span = found.choice.part.span;
    const TracePiece reference = cut_trace(whole, {.span = span, .pids = {}});
    EXPECT_EQ(lines_inside(found.piece.trace, span), lines_inside(whole, span)) << json;
    EXPECT_EQ(arrows_inside(found.piece.trace, span), arrows_inside(whole, span)) << json;
    EXPECT_EQ(found.piece.trace.events().size(), reference.trace.events().size()) << json;
    EXPECT_EQ(found.piece.clipped, reference.clipped) << json;
    // As a file it has no fault but those of the whole one (a begin without its end is no fault any more).
    const TraceRead again = parse_chrome_trace(to_chrome_json(found.piece.trace), "piece", {.find_overlaps = true});
    EXPECT_TRUE(again.faults.empty() || again.trace.events().empty())
        << (again.faults.empty() ? "" : again.faults[0].first);
    const Trace folded = parse_chrome_trace(to_chrome_json(found.piece.trace)).trace;  // lanes are rows again
    EXPECT_EQ(lines_inside(folded, span), lines_inside(whole, span)) << json;
  }
}

TEST_F(Cut, begins_that_do_not_come_by_time_are_read_whole) {
  // The end of "a" stands in the file long before its begin.
  std::string json = R"([{"ph":"E","name":"a","ts":90,"pid":1,"tid":1})";
  for (int i = 0; i < 100; ++i)
    json += R"(,{"ph":"X","name":"x","ts":)" + std::to_string(i) + R"(,"dur":1,"pid":1,"tid":2})";
  json += R"(,{"ph":"B","name":"a","ts":10,"pid":1,"tid":1}])";
  write_file_atomically(file_, json);
  const FilePiece found = cut_file(file_, {.from = 50us, .to = 60us}, {}, false, {.threads = 1, .window_bytes = 500});
  EXPECT_EQ(found.piece.trace.events().size(), 11u);
  EXPECT_EQ(found.piece.clipped, 1);
}

TEST_F(Cut, compressed_files_and_protobuf_give_the_same_piece) {
  const Trace whole = training_trace(20);
  write(whole);
  const std::string plain = to_chrome_json(piece_of({.steps = std::pair{4, 6}}).piece.trace);
  for (const char* name : {"whole.json.gz", "whole.pftrace"}) {
    file_ = folder_.path() / name;
    write(whole);
    const Trace piece = piece_of({.steps = std::pair{4, 6}}).piece.trace;
    EXPECT_EQ(piece.events().size(), parse_chrome_trace(plain).trace.events().size()) << name;
  }
}

}  // namespace
}  // namespace takt
