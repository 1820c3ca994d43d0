// A recording as data becomes a trace: every record by hand, and what names things that are not there.
#include "trace/recorder/recording.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace takt {
namespace {

using recording::Extra;
using recording::Record;

/// Ticks are nanoseconds, and the recorder began at 1000. Names: 0 step, 1 work (argument "n"), 2 note, 3 depth.
Recording small_recording(std::vector<RecordedPiece> pieces) {
  Recording recording;
  recording.process = "mine";
  recording.wall = Nanoseconds(5'000'000), recording.steady = Nanoseconds(1000);
  recording.conversion = TickConversion(false);
  recording.names = {{"step", "cat", ""}, {"work", "", "n"}, {"note", "", ""}, {"depth", "", ""}};
  recording.rows = {"device", "other device"};
  recording.threads = {"main", "", ""};
  for (RecordedPiece& piece : pieces)
    recording.pieces.push_back(std::make_shared<const RecordedPiece>(std::move(piece)));
  recording.events = 42;
  return recording;
}

Record record_of(recording::Kind kind, std::uint64_t start, std::uint64_t end, std::uint32_t name,
                 std::uint32_t argument = 0) {
  Record record{};
  record.start = start, record.end = end, record.name = name, record.argument = argument;
  record.kind = static_cast<std::uint32_t>(kind) & 7;
  return record;
}

Record span_record(std::uint64_t start, std::uint64_t end, std::uint32_t name, std::uint32_t row = 0,
                   std::uint32_t argument = 0) {
  Record record = record_of(recording::Kind::span, start, end, name, argument);
  record.row = row & 0xFFFFF;
  return record;
}

Record with_flow(Record record, std::uint32_t flow) {
  record.has_flow = 1, record.flow = flow;
  return record;
}

/// "row: name start duration {arguments}" of each event.
std::vector<std::string> lines_of(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events()) {
    std::string line = trace.rows()[static_cast<std::size_t>(event.row)].name + ": " + trace.text(event.name) + " " +
                       std::to_string(event.start_ns) + " " + std::to_string(event.duration_ns);
    for (const TraceArg arg : trace.args(event)) {
      line += " " + trace.text(arg.key) + "=";
      if (const auto* whole = std::get_if<std::int64_t>(&arg.value)) line += std::to_string(*whole);
      if (const auto* number = std::get_if<double>(&arg.value)) line += "~" + std::to_string(*number);
      if (const auto* text = std::get_if<StringId>(&arg.value)) line += "'" + trace.text(*text) + "'";
      if (const auto* json = std::get_if<TraceJson>(&arg.value)) line += "json " + trace.text(json->text);
    }
    lines.push_back(line);
  }
  return lines;
}
using Lines = std::vector<std::string>;

TEST(RecordingTrace, spans_stand_on_the_row_of_their_thread_or_their_own) {
  const Trace trace = to_trace(small_recording({{0, {span_record(1010, 1030, 0), span_record(1040, 1041, 1, 1, 7)}},
                                                {2, {span_record(1050, 1060, 1, 2, 8), span_record(900, 1000, 0)}}}));
  EXPECT_EQ(lines_of(trace), (Lines{"main: step 10 20", "device: work 40 1 n=7", "other device: work 50 10 n=8",
                                    "thread 3: step -100 100"}));
  EXPECT_EQ(trace.base_time(), Nanoseconds(5'000'000));
  EXPECT_EQ(trace.processes()[0].name, "mine");
  EXPECT_EQ(trace.text(trace.events()[0].category), "cat");
  EXPECT_EQ(trace.text(trace.events()[1].category), "");
  std::vector<std::string> rows;
  for (const TraceRow& row : trace.rows()) rows.push_back(row.name + " " + std::to_string(row.sort_index));
  EXPECT_EQ(rows, (Lines{"device 1", "other device 2", "main 3", "thread 2 4", "thread 3 5"}));
}

TEST(RecordingTrace, what_names_a_thread_a_row_or_a_text_that_is_not_there_is_left_out) {
  const Trace trace = to_trace(small_recording({{0,
                                                 {span_record(1001, 1002, 3), span_record(1003, 1004, 4),
                                                  span_record(1005, 1006, 0, 2), span_record(1007, 1008, 0, 3)}},
                                                {2, {span_record(1009, 1010, 0)}},
                                                {3, {span_record(1011, 1012, 0)}}}));
  EXPECT_EQ(lines_of(trace), (Lines{"main: depth 1 1", "other device: step 5 1", "thread 3: step 9 1"}));
}

TEST(RecordingTrace, counters_are_finite_numbers) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const Trace trace = to_trace(small_recording({{1,
                                                 {record_of(recording::Kind::counter, 1200, bits(2.5), 3),
                                                  record_of(recording::Kind::counter, 1300, bits(NAN), 3),
                                                  record_of(recording::Kind::counter, 1400, bits(INFINITY), 3),
                                                  record_of(recording::Kind::counter, 1500, bits(-1), 0)}}}));
  ASSERT_EQ(trace.counters().size(), 2u);
  EXPECT_EQ(trace.counters()[0].time_ns, 200);
  EXPECT_EQ(trace.counters()[0].value, 2.5);
  EXPECT_EQ(trace.text(trace.counters()[0].name), "depth");
  EXPECT_EQ(trace.counters()[1].time_ns, 500);
  EXPECT_EQ(trace.counters()[1].value, -1);
  EXPECT_EQ(trace.text(trace.counters()[1].name), "step");
  EXPECT_TRUE(trace.events().empty());
}

// Of each thread and name apart: the first mark begins a frame, each other one ends the frame before.
TEST(RecordingTrace, marks_of_frames_are_spans_from_one_to_the_next) {
  const auto mark = [](std::uint64_t time, std::uint32_t name) {
    return record_of(recording::Kind::frame, time, 0, name);
  };
  const Trace trace =
      to_trace(small_recording({{0, {mark(1100, 0), mark(1110, 1), mark(1125, 0), mark(1160, 0), mark(1170, 1)}},
                                {1, {mark(1200, 0), mark(1207, 0)}}}));
  EXPECT_EQ(lines_of(trace), (Lines{"step frames: step 100 25 frame=0", "step frames: step 125 35 frame=1",
                                    "work frames: work 110 60 frame=0", "step frames: step 200 7 frame=0"}));
  EXPECT_EQ(trace.rows().size(), 5u + 2u);
}

// One higher than recorded; arrows go in the order of starts, and a flow of one event is none.
TEST(RecordingTrace, flows_join_events_in_the_order_of_their_starts) {
  const Trace trace = to_trace(small_recording(
      {{0,
        {with_flow(span_record(1300, 1301, 0), 0), with_flow(span_record(1100, 1101, 1), 0),
         with_flow(span_record(1200, 1201, 0), 0), with_flow(span_record(1150, 1151, 0), 9), span_record(1160, 1161, 0),
         with_flow(span_record(1170, 1171, 0), 3), with_flow(span_record(1180, 1181, 0), 3)}}}));
  std::vector<std::string> flows;
  for (const TraceFlow& flow : trace.flows())
    flows.push_back(std::to_string(flow.bind_id) + " " + std::to_string(static_cast<std::uint32_t>(flow.event)) +
                    (flow.in ? " in" : "") + (flow.out ? " out" : ""));
  EXPECT_EQ(flows, (Lines{"1 1 out", "1 2 in out", "1 0 in", "4 5 out", "4 6 in"}));
}

/// A record and its arguments, as a Scope lays them down.
std::vector<Record> span_with(const EventArguments& arguments, std::uint32_t name = 1) {
  std::vector<Record> records{span_record(1010, 1020, name, 0, 5)};
  records[0].extras = arguments.records() & 0xFF;
  records.resize(1 + arguments.records());
  std::memcpy(records.data() + 1, arguments.data(), arguments.records() * sizeof(Extra));
  return records;
}

/// The names of arguments are numbers of the whole program, so the recording has all of them.
Recording recording_with(std::vector<Record> records) {
  Recording recording = small_recording({{0, std::move(records)}});
  recording.names = registered_names();
  return recording;
}

const EventName hand_step("step by hand", "", "n");
const ArgumentName hand_a("a"), hand_b("b");

TEST(RecordingTrace, arguments_of_every_kind_follow_the_number_of_the_event) {
  EventArguments arguments;
  arguments.add(hand_a, std::int64_t{-3});
  arguments.add(hand_b, std::uint64_t{INT64_MAX});
  arguments.add(hand_a, std::uint64_t{INT64_MAX} + 1);
  arguments.add(hand_b, true);
  arguments.add(hand_a, false);
  arguments.add(hand_b, 0.5);
  arguments.add(hand_a, std::numeric_limits<double>::infinity());
  arguments.add(hand_b, "");
  arguments.add(hand_a, "sixteen letters!");
  const Trace trace = to_trace(recording_with(span_with(arguments, hand_step.number())));
  EXPECT_EQ(lines_of(trace),
            (Lines{"main: step by hand 10 10 n=5 a=-3 b=9223372036854775807 a=json 9223372036854775808 b=json true "
                   "a=json false b=~0.500000 a=json null b='' a='sixteen letters!'"}));
}

TEST(RecordingTrace, texts_go_on_in_as_many_records_as_they_need) {
  for (const std::size_t size : {15u, 16u, 17u, 47u, 48u, 49u, 80u, 81u}) {
    const std::string text(size, 'x');
    EventArguments arguments;
    arguments.add(hand_a, text);
    arguments.add(hand_b, std::int64_t{9});
    EXPECT_EQ(arguments.records(), 2 + (size <= 16 ? 0 : (size - 16 + 31) / 32)) << size;
    const Trace trace = to_trace(recording_with(span_with(arguments, hand_step.number())));
    EXPECT_EQ(lines_of(trace), (Lines{"main: step by hand 10 10 n=5 a='" + text + "' b=9"})) << size;
  }
}

TEST(RecordingTrace, a_name_of_its_own_stands_in_the_place_of_the_events) {
  EventArguments arguments;
  arguments.set_name("a name of more than sixteen letters");
  arguments.add(hand_a, std::int64_t{1});
  const Trace trace = to_trace(recording_with(span_with(arguments, hand_step.number())));
  EXPECT_EQ(lines_of(trace), (Lines{"main: a name of more than sixteen letters 10 10 n=5 a=1"}));
}

TEST(RecordingTrace, twelve_arguments_find_room_and_the_others_are_counted) {
  EventArguments arguments;
  std::string expected = "main: step by hand 10 10 n=5";
  for (std::int64_t i = 0; i < 12; ++i) {
    arguments.add(hand_a, i);
    expected += " a=" + std::to_string(i);
  }
  EXPECT_EQ(lines_of(to_trace(recording_with(span_with(arguments, hand_step.number())))), Lines{expected});
  arguments.add(hand_a, std::int64_t{12});
  EXPECT_EQ(lines_of(to_trace(recording_with(span_with(arguments, hand_step.number())))),
            Lines{expected + " arguments left out=1"});
  arguments.add(hand_b, "too much");
  EXPECT_EQ(lines_of(to_trace(recording_with(span_with(arguments, hand_step.number())))),
            Lines{expected + " arguments left out=2"});
}

// A text that is alone has 16 bytes and 11 records of 32: 368.
TEST(RecordingTrace, a_text_that_was_cut_says_so_and_has_no_half_character) {
  const auto text_of = [](const std::string& text) {
    EventArguments arguments;
    arguments.add(hand_a, text);
    const Trace trace = to_trace(recording_with(span_with(arguments, hand_step.number())));
    return trace.text(std::get<StringId>(trace.args(trace.events()[0])[1].value));
  };
  const std::string fits(368, 'x');
  EXPECT_EQ(text_of(fits), fits);
  EXPECT_EQ(text_of(fits + "y"), fits + "…");
  for (const std::string character : {"é", "€", "😀"})
    for (std::size_t inside = 1; inside <= character.size(); ++inside) {
      const std::string front(368 - inside, 'x');
      EXPECT_EQ(text_of(front + character + "y"), front + (inside == character.size() ? character : "") + "…")
          << character << " " << inside;
    }
}

// Records that a file lost: what is there is read, and nothing behind it.
TEST(RecordingTrace, an_event_that_is_cut_off_has_what_is_there) {
  EventArguments arguments;
  arguments.add(hand_a, std::int64_t{4});
  arguments.add(hand_b, std::string(40, 'x'));
  std::vector<Record> records = span_with(arguments, hand_step.number());
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records_of_event(records.data(), 0, 4), 4u);
  records.resize(3);
  EXPECT_EQ(records_of_event(records.data(), 0, 3), 3u);
  EXPECT_EQ(lines_of(to_trace(recording_with(records))),
            Lines{"main: step by hand 10 10 n=5 a=4 b='" + std::string(16, 'x') + "'"});
  records.resize(1);
  EXPECT_EQ(lines_of(to_trace(recording_with(records))), Lines{"main: step by hand 10 10 n=5"});
}

TEST(RecordingTrace, says_what_was_dropped_and_from_when_on) {
  Recording recording = small_recording({{0, {span_record(1010, 1030, 0)}}});
  EXPECT_EQ(to_trace(recording).provenance_json(),
            R"({"recorder":{"events":42,"dropped":0,"first_dropped_ns":null,"ended":true}})");
  recording.dropped = {17, 1250};
  recording.ended = false;
  const Trace trace = to_trace(recording);
  EXPECT_EQ(trace.provenance_json(), R"({"recorder":{"events":42,"dropped":17,"first_dropped_ns":250,"ended":false}})");
  EXPECT_EQ(lines_of(trace), (Lines{"main: step 10 20", "recorder: events dropped from here on 250 0 dropped=17"}));
}

TEST(RecordedDropsSum, has_the_count_of_all_and_the_first_of_them) {
  RecordedDrops drops;
  drops.add(0, 50);
  EXPECT_EQ(drops.count + drops.first, 0u);
  drops.add(3, 90);
  EXPECT_EQ(drops.first, 90u);
  drops.add(4, 70);
  drops.add(5, 80);
  drops.add(0, 10);
  EXPECT_EQ(drops.count, 12u);
  EXPECT_EQ(drops.first, 70u);
}

// Times of nobody's clock are bounded at 2^62 - 1 on either side of the construction.
TEST(RecordingTrace, times_of_no_clock_are_bounded) {
  Recording recording = small_recording({{0, {span_record(UINT64_MAX, UINT64_MAX, 0)}}});
  recording.steady = Nanoseconds(-1000);
  constexpr std::int64_t most = (std::int64_t{1} << 62) - 1;
  EXPECT_EQ(lines_of(to_trace(recording)), Lines{"main: step " + std::to_string(most) + " 0"});
}

}  // namespace
}  // namespace takt
