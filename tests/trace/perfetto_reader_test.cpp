// Files made byte by byte, as writers that are not takt make them.
#include "trace/perfetto/reader.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/error.h"
#include "perfetto_message.h"
#include "trace/perfetto/packets.h"
#include "trace/read/reader.h"

namespace takt {
namespace {

using proto::field;
using proto::fixed;
using proto::packet;

using Lines = std::vector<std::string>;

std::string thread_track(std::uint64_t uuid, std::uint64_t pid, std::uint64_t tid, const std::string& name) {
  return field(60, field(1, uuid) + field(4, field(1, pid) + field(2, tid) + field(5, name)));
}
std::string process_track(std::uint64_t uuid, std::uint64_t pid, const std::string& name) {
  return field(60, field(1, uuid) + field(3, field(1, pid) + field(6, name)));
}
std::string event(std::uint64_t time, std::uint64_t type, std::uint64_t track, const std::string& more = {}) {
  return field(8, time) + field(11, field(9, type) + field(11, track) + more);
}
constexpr std::uint64_t begin = 1, end = 2, instant = 3, counter = 4;
std::string named(const std::string& name) { return field(23, name); }

TraceRead read(const std::string& bytes) { return parse_trace(bytes, "test.pftrace"); }

Lines broken_rules(const TraceRead& read) {
  Lines rules;
  for (const TraceFault& fault : read.faults) {
    rules.push_back(std::string(name_of(fault.rule)) + " " + std::to_string(fault.count));
  }
  return rules;
}

/// "PROCESS/ROW NAME START+DURATION"
Lines spans(const Trace& trace) {
  Lines lines;
  for (const TraceEvent& e : trace.events()) {
    const TraceRow& row = trace.rows()[static_cast<std::size_t>(e.row)];
    lines.push_back(trace.processes()[static_cast<std::size_t>(row.process)].name + "/" + row.name + " " +
                    trace.text(e.name) + " " + std::to_string(e.start_ns) + "+" + std::to_string(e.duration_ns));
  }
  return lines;
}

Lines arguments(const Trace& trace, std::size_t event) {
  Lines lines;
  for (const TraceArg arg : trace.args(trace.events()[event])) {
    std::string value;
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) value = "int " + std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&arg.value)) value = "real " + std::to_string(*real);
    if (const auto* text = std::get_if<StringId>(&arg.value)) value = "text " + trace.text(*text);
    if (const auto* json = std::get_if<TraceJson>(&arg.value)) value = "json " + trace.text(json->text);
    lines.push_back(trace.text(arg.key) + ": " + value);
  }
  return lines;
}

/// "FROM -> TO" of every arrow between two ends of one number.
Lines arrows(const Trace& trace) {
  Lines lines;
  for (const TraceFlow& from : trace.flows()) {
    for (const TraceFlow& to : trace.flows()) {
      if (from.bind_id != to.bind_id || !from.out || !to.in || from.event == to.event) continue;
      const auto& a = trace.events()[static_cast<std::size_t>(from.event)];
      const auto& b = trace.events()[static_cast<std::size_t>(to.event)];
      if (a.start_ns <= b.start_ns) lines.push_back(trace.text(a.name) + " -> " + trace.text(b.name));
    }
  }
  return lines;
}

TEST(PerfettoReader, slices_of_threads_nest_and_tracks_of_a_process_are_rows) {
  const TraceRead r = read(packet(process_track(1, 7, "app")) + packet(thread_track(2, 7, 8, "main")) +
                           packet(field(60, field(1, 3) + field(5, 1) + field(2, "gpu"))) +
                           packet(field(60, field(1, 4) + field(5, 1) + field(2, "gpu"))) +
                           packet(event(10, begin, 2, named("outer"))) + packet(event(20, begin, 2, named("inner"))) +
                           packet(event(20, begin, 3, named("k1"))) + packet(event(30, end, 2)) +
                           packet(event(35, begin, 4, named("k2"))) + packet(event(40, end, 2)) +
                           packet(event(50, end, 3)) + packet(event(60, end, 4)));
  EXPECT_EQ(spans(r.trace),
            (Lines{"app/main outer 10+30", "app/main inner 20+10", "app/gpu k1 20+30", "app/gpu k2 35+25"}));
  EXPECT_EQ(r.trace.rows().size(), 2u);
  EXPECT_EQ(r.trace.rows()[0].tid, 8u);
  EXPECT_EQ(broken_rules(r), Lines{});
  EXPECT_EQ(r.file_events, 8u);
}

TEST(PerfettoReader, packets_of_several_writers_are_put_in_order) {
  const TraceRead r =
      read(packet(thread_track(2, 1, 1, "t")) + packet(event(50, end, 2)) + packet(event(60, begin, 2, named("b"))) +
           packet(field(10, 5) + event(10, begin, 2, named("a"))) + packet(event(70, end, 2)));
  EXPECT_EQ(spans(r.trace), (Lines{"/t b 60+10", "/t a 10+40"}));
  EXPECT_EQ(broken_rules(r), Lines{});
}

TEST(PerfettoReader, begins_and_ends_that_lack_the_other_are_told) {
  const TraceRead r = read(packet(thread_track(2, 1, 1, "t")) + packet(event(5, end, 2)) +
                           packet(event(10, begin, 2, named("open"))) + packet(event(30, instant, 2, named("i"))));
  EXPECT_EQ(spans(r.trace), (Lines{"/t open 10+20", "/t i 30+0"}));
  EXPECT_EQ(broken_rules(r), (Lines{"unmatched_begin 1", "unmatched_end 1"}));
}

TEST(PerfettoReader, texts_told_once_hold_for_their_writer_until_its_state_is_cleared) {
  const auto texts = [](const std::string& name) {
    return field(12, field(1, field(1, 1) + field(2, "cat")) + field(2, field(1, 1) + field(2, name)));
  };
  const std::string by_number = field(10, 1) + field(3, 1);
  const std::string first = field(10, 1) + field(13, 1), second = field(10, 2) + field(13, 1);
  const TraceRead r =
      read(packet(thread_track(2, 1, 1, "t")) + packet(first + texts("one") + event(1, instant, 2, by_number)) +
           packet(second + texts("two") + event(2, instant, 2, by_number)) +
           packet(field(10, 1) + field(13, 2) + event(3, instant, 2, by_number)) +
           packet(field(10, 1) + field(13, 1) + event(4, instant, 2, by_number)) +  // cleared: number 1 means nothing
           packet(field(10, 2) + field(42, 1) + event(5, instant, 2, by_number)) +  // lost packets, but needs none
           packet(field(10, 2) + field(13, 2) + event(6, instant, 2, by_number)) +  // lost packets
           packet(field(10, 3) + field(13, 2) + event(7, instant, 2, by_number)));  // a writer that was joined late
  EXPECT_EQ(spans(r.trace), (Lines{"/t one 1+0", "/t two 2+0", "/t one 3+0", "/t  4+0", "/t two 5+0"}));
  EXPECT_EQ(r.trace.text(r.trace.events()[0].category), "cat");
  EXPECT_EQ(broken_rules(r), (Lines{"lost_packets 2", "unknown_text 1"}));
}

TEST(PerfettoReader, annotations_of_every_kind_become_arguments) {
  const auto annotation = [](const std::string& name, const std::string& value) {
    return field(4, field(10, name) + value);
  };
  const TraceRead r = read(packet(
      thread_track(2, 1, 1, "t") +
      event(1, instant, 2,
            named("a") + annotation("none", "") + annotation("yes", field(2, 1)) +
                annotation("u", field(3, UINT64_MAX)) + annotation("small u", field(3, 5)) +
                annotation("i", field(4, static_cast<std::uint64_t>(INT64_MIN))) + annotation("d", fixed(5, 0.5)) +
                annotation("s", field(6, "te\"xt")) + annotation("p", field(7, 255)) +
                annotation("j", field(9, "[1,{}]")) + annotation("no j", field(9, "[1,")) +
                annotation("dict", field(11, field(10, "k") + field(12, field(4, 1)) + field(12, "")) +
                                       field(11, field(10, "n") + fixed(5, std::nan("")))) +
                annotation("proto", field(14, "x")))));
  EXPECT_EQ(arguments(r.trace, 0),
            (Lines{"none: json null", "yes: json true", "u: json 18446744073709551615", "small u: int 5",
                   "i: int -9223372036854775808", "d: real 0.500000", "s: text te\"xt", "p: text 0xff",
                   "j: json [1,{}]", "no j: text [1,", R"(dict: json {"k":[1,null],"n":null})"}));
  EXPECT_EQ(broken_rules(r), (Lines{"unread_field 1"}));
}

TEST(PerfettoReader, arguments_of_an_end_are_added_and_a_negative_duration_is_restored) {
  const auto number = [](const std::string& name, std::int64_t value) {
    return field(4, field(10, name) + field(4, static_cast<std::uint64_t>(value)));
  };
  const TraceRead r =
      read(packet(thread_track(2, 1, 1, "t")) + packet(event(1, begin, 2, named("a") + number("x", 1))) +
           packet(event(9, end, 2, number("y", 2))) +
           packet(event(10, begin, 2, named("b") + number("z", 3) + number("recorded_duration_ns", -4))) +
           packet(event(10, end, 2)));
  EXPECT_EQ(arguments(r.trace, 0), (Lines{"x: int 1", "y: int 2"}));
  EXPECT_EQ(arguments(r.trace, 1), (Lines{"z: int 3"}));
  EXPECT_EQ(spans(r.trace)[1], "/t b 10+-4");
}

TEST(PerfettoReader, arrows_lead_on_until_they_are_ended_and_numbers_are_used_again) {
  const auto from = [](std::uint64_t id) { return fixed(47, id); };
  const auto to = [](std::uint64_t id) { return fixed(48, id); };
  const TraceRead r =
      read(packet(thread_track(2, 1, 1, "t")) + packet(event(1, instant, 2, named("a") + from(9))) +
           packet(event(2, instant, 2, named("b") + from(9))) + packet(event(3, instant, 2, named("c") + to(9))) +
           packet(event(4, instant, 2, named("d") + from(9))) + packet(event(5, begin, 2, named("e"))) +
           packet(event(6, end, 2, to(9))) + packet(event(7, instant, 2, named("f") + from(8))) +
           packet(event(8, instant, 2, named("g") + from(8))));
  EXPECT_EQ(arrows(r.trace), (Lines{"a -> b", "a -> c", "b -> c", "d -> e", "f -> g"}));
  EXPECT_EQ(broken_rules(r), Lines{});
}

TEST(PerfettoReader, clocks_are_moved_to_the_traces_own) {
  const auto reading = [](std::uint64_t clock, std::uint64_t time, const std::string& more = {}) {
    return field(1, field(1, clock) + field(2, time) + more);
  };
  const std::string own_clocks = reading(6, 5000) + reading(64, 100, field(3, 1) + field(4, 1000)) + reading(3, 2000);
  const std::string first = field(10, 1) + field(13, 1);
  const TraceRead r =
      read(packet(first + thread_track(2, 1, 1, "t") + field(6, own_clocks) + field(59, field(58, 64))) +
           packet(field(6, reading(1, 1'700'000'000'000'000'000) + reading(6, 4000))) +
           packet(field(10, 1) + event(2, instant, 2, named("2 us later"))) +
           packet(field(10, 1) + event(3, instant, 2, named("3 us more"))) +
           packet(field(10, 1) + field(58, 3) + event(2500, instant, 2, named("monotonic"))) +
           packet(field(10, 1) + field(58, 1) + event(1'700'000'000'000'000'700, instant, 2, named("real"))) +
           packet(field(10, 2) + field(58, 64) + event(1, instant, 2, named("a clock of another writer"))));
  EXPECT_EQ(spans(r.trace),
            (Lines{"/t 2 us later 7000+0", "/t 3 us more 10000+0", "/t monotonic 5500+0", "/t real 4700+0"}));
  EXPECT_EQ(r.trace.base_time(), Nanoseconds(1'700'000'000'000'000'000 - 4000));
  EXPECT_EQ(broken_rules(r), (Lines{"unknown_clock 1"}));
}

TEST(PerfettoReader, a_time_beyond_64_signed_bits_is_none_of_the_clocks_and_one_beyond_62_no_moment) {
  const TraceRead r =
      read(packet(thread_track(2, 1, 1, "t")) + packet(event(UINT64_MAX, instant, 2, named("a"))) +
           packet(event(std::uint64_t{1} << 62, instant, 2, named("b"))) + packet(event(5, instant, 2, named("c"))));
  EXPECT_EQ(spans(r.trace), (Lines{"/t c 5+0"}));
  EXPECT_EQ(broken_rules(r), (Lines{"time_out_of_range 1", "unknown_clock 1"}));
}

TEST(PerfettoReader, slices_on_the_track_of_a_counter_have_a_row) {
  const std::string track = packet(field(60, field(1, 2) + field(2, "memory") + field(5, 1) + field(8, field(4, 1))));
  const TraceRead r =
      read(packet(process_track(1, 7, "app")) + track + packet(event(1, counter, 2, field(30, 3))) +
           packet(event(5, begin, 2, named("fill"))) + packet(event(8, end, 2)) + packet(event(9, end, 2)));
  EXPECT_EQ(spans(r.trace), Lines{"app/memory fill 5+3"});
  EXPECT_EQ(r.trace.counters().size(), 1u);
  EXPECT_EQ(broken_rules(r), Lines{"unmatched_end 1"});
}

TEST(PerfettoReader, counters_are_in_their_unit_and_steps_are_added) {
  const auto counter_track = [](std::uint64_t uuid, const std::string& name, const std::string& more) {
    return packet(field(60, field(1, uuid) + field(5, 1) + field(2, name) + field(8, more)));
  };
  const TraceRead r = read(packet(process_track(1, 7, "app")) + counter_track(2, "memory", field(4, 1024)) +
                           counter_track(3, "steps", field(5, 1)) + packet(event(1, counter, 2, field(30, 3))) +
                           packet(event(2, counter, 3, fixed(44, 0.5))) + packet(event(3, counter, 3, fixed(44, 1.0))) +
                           packet(event(4, counter, 3)));
  Lines seen;
  for (const TraceCounter& sample : r.trace.counters()) {
    seen.push_back(r.trace.processes()[static_cast<std::size_t>(sample.process)].name + " " +
                   r.trace.text(sample.name) + " " + std::to_string(sample.time_ns) + " " +
                   std::to_string(sample.value));
  }
  EXPECT_EQ(seen, (Lines{"app memory 1 3072.000000", "app steps 2 0.500000", "app steps 3 1.500000"}));
  EXPECT_EQ(broken_rules(r), (Lines{"counter_without_value 1"}));
}

TEST(PerfettoReader, chromes_older_events_are_read) {
  const auto legacy = [](std::uint64_t time, char phase, const std::string& more, const std::string& name) {
    const std::string inner = field(2, static_cast<std::uint64_t>(phase)) + more;
    return packet(field(10, 1) + field(8, time) + field(11, field(22, "cat") + field(23, name) + field(6, inner)));
  };
  const std::string of_thread =
      packet(field(10, 1) + field(13, 1) + field(44, field(1, 7) + field(2, 8) + field(5, "main")));
  const TraceRead r = read(of_thread + legacy(1000, 'X', field(3, 5), "x") + legacy(1000, 'b', field(6, 1), "one") +
                           legacy(2000, 'b', field(6, 2), "two") + legacy(3000, 'e', field(6, 1), "one") +
                           legacy(5000, 'e', field(6, 2), "two") + legacy(6000, 'B', field(19, 9), "other thread") +
                           legacy(7000, 'E', field(19, 9), "") + legacy(8000, 'I', field(14, 1), "global") +
                           legacy(9000, 'N', field(6, 1), "object"));
  EXPECT_EQ(spans(r.trace), (Lines{"/main x 1000+5000", "/cat one 1000+2000", "/cat two 2000+3000",
                                   "/ other thread 6000+1000", "/main global 8000+0"}));
  EXPECT_EQ(broken_rules(r), (Lines{"unread_packet 1"}));
  ASSERT_EQ(r.trace.instants().size(), 1u);
  EXPECT_EQ(r.trace.instants()[0].scope, InstantScope::trace);
}

TEST(PerfettoReader, older_arrows_of_two_categories_stay_apart) {
  const auto legacy = [](std::uint64_t time, char phase, const std::string& more, const std::string& name,
                         const std::string& category) {
    const std::string inner = field(2, static_cast<std::uint64_t>(phase)) + more;
    return packet(field(10, 1) + field(8, time) + field(11, field(22, category) + field(23, name) + field(6, inner)));
  };
  std::string text = packet(field(10, 1) + field(13, 1) + field(44, field(1, 7) + field(2, 8) + field(5, "main")));
  for (std::uint64_t i = 0; i < 4; ++i)
    text += legacy(1000 + 10'000 * i, 'X', field(3, 5), std::string(1, static_cast<char>('a' + i)), "work");
  const auto arrow = [&](std::uint64_t inside, char phase, const std::string& category) {
    text += legacy(2000 + 10'000 * inside, phase, field(6, 5) + (phase == 'f' ? field(12, 1) : ""), "go", category);
  };
  arrow(0, 's', "one"), arrow(1, 's', "two"), arrow(2, 'f', "one"), arrow(3, 'f', "two");
  EXPECT_EQ(arrows(read(text).trace), (Lines{"a -> c", "b -> d"}));
}

TEST(PerfettoReader, older_times_are_steps_in_the_event) {
  const auto stepped = [](const std::string& time, const std::string& name) {
    return packet(field(10, 1) + field(11, time + field(9, instant) + named(name)));
  };
  const TraceRead r = read(packet(field(10, 1) + field(13, 1) + field(44, field(1, 7) + field(2, 8) + field(6, 100))) +
                           stepped(field(1, 5), "a") + stepped(field(1, 5), "b") + stepped(field(16, 50), "c") +
                           stepped(field(1, 1), "d"));
  EXPECT_EQ(spans(r.trace), (Lines{"/ a 105000+0", "/ b 110000+0", "/ c 50000+0", "/ d 111000+0"}));
}

TEST(PerfettoReader, what_has_no_place_in_a_trace_is_counted) {
  const TraceRead r =
      read(packet(thread_track(2, 1, 1, "t")) + packet(field(33, "config")) + packet(field(8, 5) + field(9, "memory")) +
           packet(event(1, instant, 2, named("a") + field(1000, "task"))));
  EXPECT_EQ(broken_rules(r), (Lines{"unread_packet 2", "unread_field 1"}));
  EXPECT_EQ(grade_of(TraceRule::unread_packet), FaultGrade::note);
  EXPECT_EQ(r.faults[0].first, "byte " + std::to_string(packet(thread_track(2, 1, 1, "t")).size()) + ": field 33");
}

TEST(PerfettoReader, compressed_packets_are_read_and_never_within_each_other) {
  // A zlib stream of one stored block: header, length and its complement, bytes, Adler-32.
  const auto zlib = [](const std::string& bytes) {
    std::uint32_t a = 1, b = 0;
    for (const char c : bytes) {
      a = (a + static_cast<std::uint8_t>(c)) % 65521;
      b = (b + a) % 65521;
    }
    const auto size = static_cast<std::uint16_t>(bytes.size());
    const auto rest = static_cast<std::uint16_t>(~size);
    std::string stream = "\x78\x01\x01";
    for (const std::uint16_t word : {size, rest}) {
      stream += static_cast<char>(word & 0xFF);
      stream += static_cast<char>(word >> 8);
    }
    stream += bytes;
    for (const std::uint32_t word : {b, a}) {
      stream += static_cast<char>(word >> 8);
      stream += static_cast<char>(word & 0xFF);
    }
    return stream;
  };
  const std::string inner = packet(thread_track(2, 1, 1, "t")) + packet(event(4, instant, 2, named("packed")));
  const TraceRead good = read(packet(field(50, zlib(inner))));
  EXPECT_EQ(spans(good.trace), (Lines{"/t packed 4+0"}));
  EXPECT_EQ(broken_rules(good), Lines{});
  const TraceRead nested = read(packet(field(50, zlib(packet(field(50, zlib(inner)))))));
  EXPECT_EQ(broken_rules(nested), (Lines{"empty 1", "malformed_packet 1"}));
  std::string damaged = zlib(inner);
  damaged[damaged.size() - 1] = static_cast<char>(damaged.back() + 1);
  EXPECT_EQ(broken_rules(read(packet(field(50, damaged)))), (Lines{"empty 1", "malformed_packet 1"}));
  std::string packets;
  EXPECT_FALSE(perfetto::inflate_packets(zlib(inner), inner.size() - 1, packets));
}

TEST(PerfettoReader, a_file_that_is_cut_or_damaged_keeps_what_came_before) {
  const std::string start = packet(thread_track(2, 1, 1, "t")) + packet(event(1, instant, 2, named("a")));
  const std::string last = packet(event(2, instant, 2, named("b")));
  for (std::size_t size = 1; size < last.size(); ++size) {
    const TraceRead cut = read(start + last.substr(0, size));
    EXPECT_EQ(spans(cut.trace), (Lines{"/t a 1+0"}));
    EXPECT_EQ(broken_rules(cut), (Lines{"cut_packet 1"})) << size;
  }
  EXPECT_EQ(broken_rules(read(start + "no packet")), (Lines{"malformed_packet 1"}));
  EXPECT_EQ(broken_rules(read(start + packet("\xff\xff"))), (Lines{"malformed_packet 1"}));
  EXPECT_EQ(spans(read(start + packet("\xff\xff") + last).trace), (Lines{"/t a 1+0", "/t b 2+0"}));
  // A length that no file has.
  EXPECT_EQ(broken_rules(read(start + "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x01")), (Lines{"malformed_packet 1"}));
}

TEST(PerfettoReader, formats_are_told_apart_by_their_bytes) {
  const std::string json = R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]})";
  for (const char* blanks : {"", "\n", "\n\n", "\n \t\n", "\n\r\n"}) {
    EXPECT_EQ(parse_trace(std::string(blanks) + json).trace.events().size(), 1u);
    EXPECT_EQ(parse_trace(std::string(blanks) + "[" + json.substr(json.find("{\"ph"))).trace.events().size(), 1u);
  }
  // Packets whose length looks like a bracket or a brace of JSON.
  for (const std::size_t size : {std::size_t{'['}, std::size_t{'{'}}) {
    const std::string start = thread_track(2, 1, 1, "");
    const std::string filled = thread_track(2, 1, 1, std::string(size - start.size(), 'x'));
    ASSERT_EQ(filled.size(), size);
    EXPECT_EQ(read(packet(filled) + packet(event(1, instant, 2, named("a")))).trace.events().size(), 1u);
  }
}

TEST(PerfettoReader, what_is_no_trace_is_refused_in_a_sentence) {
  for (const std::string& bytes : {std::string(), std::string("\x0a"), std::string("MZ\x90")}) {
    try {
      parse_perfetto_trace(bytes, "x.pftrace");
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 11), "x.pftrace: ") << error.what();
    }
  }
}

TEST(PerfettoReader, a_first_packet_larger_than_what_is_looked_at_is_one_all_the_same) {
  for (const std::size_t size :
       {1u, 100u, 4000u, 5000u, 1u << 17, 1u << 22}) {  // a name as long as takt's own metadata may be
    const std::string name(size, 'n');
    const std::string bytes =
        packet(thread_track(1, 7, 8, name)) + packet(event(10, begin, 1, named("a"))) + packet(event(30, end, 1));
    EXPECT_EQ(spans(read(bytes).trace), Lines{"/" + name + " a 10+20"}) << size;
  }
}

TEST(PerfettoReader, json_behind_a_line_feed_is_json) {
  for (const std::string text : {"\n[]", "\n{\"traceEvents\":[]}", "\n\n  [ ]", "\n{\"a\":\"b\",\"traceEvents\":[]}"}) {
    EXPECT_FALSE(perfetto::looks_like_packets(text)) << text;
    EXPECT_EQ(read(text).trace.events().size(), 0u) << text;
  }
}

}  // namespace
}  // namespace takt
