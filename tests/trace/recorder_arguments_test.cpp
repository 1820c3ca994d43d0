// Arguments, names, arrows and frames of recorded events, as a trace has them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <thread>

#include "takt/recorder.h"
#include "trace/recorder/recording.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// The arguments of an event by key, as text.
std::map<std::string, std::string> arguments_of(const Trace& trace, const TraceEvent& event) {
  std::map<std::string, std::string> found;
  for (const TraceArg arg : trace.args(event)) {
    std::string& text = found[trace.text(arg.key)];
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) text = std::to_string(*integer);
    if (const auto* number = std::get_if<double>(&arg.value)) text = std::to_string(*number);
    if (const auto* string = std::get_if<StringId>(&arg.value)) text = "'" + trace.text(*string) + "'";
    if (const auto* json = std::get_if<TraceJson>(&arg.value)) text = "json " + trace.text(json->text);
  }
  return found;
}

const EventName plain("plain", "category", "batch");
const ArgumentName key("key"), other("other"), third("third");

TEST(RecorderArguments, of_every_type_and_to_the_last_bit) {
  Recorder recorder;
  {
    Scope scope(recorder, plain, 7);
    scope.add(key, std::numeric_limits<std::int64_t>::min());
    scope.add(other, std::numeric_limits<std::uint64_t>::max());
    scope.add(third, true);
  }
  {
    Scope scope(recorder, plain, 8);
    scope.add(key, 0.5);
    scope.add(other, NAN);
    scope.add(third, "text \"with\" quotes\n");
  }
  const Trace trace = recorded_trace(recorder);
  ASSERT_EQ(trace.events().size(), 2u);
  EXPECT_EQ(arguments_of(trace, trace.events()[0]),
            (std::map<std::string, std::string>{{"batch", "7"},
                                                {"key", "-9223372036854775808"},
                                                {"other", "json 18446744073709551615"},
                                                {"third", "json true"}}));
  EXPECT_EQ(arguments_of(trace, trace.events()[1]),
            (std::map<std::string, std::string>{
                {"batch", "8"}, {"key", "0.500000"}, {"other", "json null"}, {"third", "'text \"with\" quotes\n'"}}));
}

TEST(RecorderArguments, texts_are_copied_when_they_are_added) {
  Recorder recorder;
  {
    Scope scope(recorder, plain);
    std::string text = "a text of more than sixteen bytes, and of more than forty-eight, too";
    scope.add(key, text);
    std::fill(text.begin(), text.end(), 'x');
    scope.add(other, std::string());
    scope.add(third, "0123456789abcdef");  // fills its record to the last byte
  }
  const auto found = arguments_of(recorded_trace(recorder), recorded_trace(recorder).events()[0]);
  EXPECT_EQ(found.at("key"), "'a text of more than sixteen bytes, and of more than forty-eight, too'");
  EXPECT_EQ(found.at("other"), "''");
  EXPECT_EQ(found.at("third"), "'0123456789abcdef'");
}

TEST(RecorderArguments, a_text_without_room_is_cut_at_a_character_and_says_so) {
  Recorder recorder;
  for (const std::size_t before : {0, 1, 2, 3}) {
    Scope scope(recorder, plain);
    std::string text(before, 'a');
    while (text.size() < 10000) text += "…";
    scope.add(key, text);
  }
  const Trace trace = recorded_trace(recorder);
  for (const TraceEvent& event : trace.events()) {
    const std::string text = arguments_of(trace, event).at("key");
    EXPECT_TRUE(text.ends_with("……'")) << text;
    EXPECT_GT(text.size(), 360u);
    EXPECT_LT(text.size(), 380u);
    EXPECT_EQ(text.find('\xef'), text.npos) << "half a character";
  }
}

TEST(RecorderArguments, those_without_room_are_counted) {
  Recorder recorder;
  {
    Scope scope(recorder, plain, 1);
    for (int i = 0; i < 20; ++i) scope.add(key, i);
    scope.add(other, "text");
  }
  { Scope scope(recorder, plain, 2); }
  const Trace trace = recorded_trace(recorder);
  ASSERT_EQ(trace.events().size(), 2u);
  EXPECT_EQ(trace.args(trace.events()[0]).size(), 1 + 12 + 1u);
  EXPECT_EQ(arguments_of(trace, trace.events()[0]).at("arguments left out"), "9");
  EXPECT_EQ(arguments_of(trace, trace.events()[1]), (std::map<std::string, std::string>{{"batch", "2"}}));
}

TEST(RecorderArguments, names_made_at_run_time_are_of_one_event) {
  Recorder recorder;
  for (int i = 0; i < 3; ++i) {
    Scope scope(recorder, plain, 4);
    scope.set_name("layer " + std::to_string(i));
  }
  { Scope scope(recorder, plain); }
  const Trace trace = recorded_trace(recorder);
  EXPECT_EQ(trace.text(trace.events()[2].name), "layer 2");
  EXPECT_EQ(trace.text(trace.events()[2].category), "category");
  EXPECT_EQ(arguments_of(trace, trace.events()[2]).at("batch"), "4");
  EXPECT_EQ(trace.text(trace.events()[3].name), "plain");
}

TEST(RecorderArguments, of_an_event_with_times_of_its_own) {
  Recorder recorder;
  const std::uint64_t now = TickClock::now();
  EventArguments more;
  more.add(key, -1);
  recorder.record(plain, now, now + 1000, more, 5, 6);
  const Trace trace = recorded_trace(recorder);
  EXPECT_EQ(arguments_of(trace, trace.events()[0]).at("key"), "-1");
  EXPECT_EQ(arguments_of(trace, trace.events()[0]).at("batch"), "5");
}

TEST(RecorderArguments, an_event_is_never_split_where_buffers_are_emptied_or_full) {
  Recorder recorder({.events_per_thread = 64, .collect_every = 1h});
  constexpr int each = 5000;
  for (int i = 0; i < each; ++i) {
    Scope scope(recorder, plain, static_cast<std::uint32_t>(i));
    for (int k = 0; k < i % 14; ++k) scope.add(key, i);
  }
  const Trace trace = recorded_trace(recorder);
  EXPECT_EQ(recorder.dropped(), 0u);
  EXPECT_EQ(recorder.recorded(), static_cast<std::uint64_t>(each));
  ASSERT_EQ(trace.events().size(), static_cast<std::size_t>(each));
  for (int i = 0; i < each; ++i) {
    const TraceEvent& event = trace.events()[static_cast<std::size_t>(i)];
    ASSERT_EQ(std::get<std::int64_t>(trace.args(event)[0].value), i);
    ASSERT_EQ(trace.args(event).size(), static_cast<std::size_t>(1 + i % 14)) << i;
  }
}

TEST(RecorderArguments, what_is_dropped_is_dropped_in_whole_events_and_counted_as_such) {
  for (const auto every : {0ms, 3600000ms}) {
    Recorder recorder({.events_per_thread = 64, .most_events = 50, .collect_every = every});
    for (int i = 0; i < 100; ++i) {
      Scope scope(recorder, plain, static_cast<std::uint32_t>(i));
      for (int k = 0; k < 6; ++k) scope.add(key, k);
    }
    const Trace trace = recorded_trace(recorder);
    EXPECT_EQ(recorder.recorded(), 7u);  // of seven records each
    EXPECT_EQ(recorder.dropped(), 93u);
    ASSERT_EQ(trace.events().size(), 7u + 1);  // and the event that says so
    EXPECT_EQ(trace.args(trace.events()[6]).size(), 7u);
  }
}

TEST(RecorderFlows, number_zero_is_an_arrow_and_none_is_none) {
  Recorder recorder;
  for (int i = 0; i < 2; ++i) {
    { Scope scope(recorder, plain, 0, 0); }
    { Scope scope(recorder, plain, 0); }
  }
  const Trace trace = recorded_trace(recorder);
  ASSERT_EQ(trace.flows().size(), 2u);
  EXPECT_NE(trace.flows()[0].bind_id, 0u);
  EXPECT_EQ(trace.flows()[0].bind_id, trace.flows()[1].bind_id);
}

TEST(RecorderFrames, last_from_one_mark_to_the_next_on_each_thread) {
  Recorder recorder;
  static const EventName picture("picture"), sound("sound");
  const auto mark_twice = [&] {
    for (int i = 0; i < 3; ++i) recorder.frame(picture);
  };
  mark_twice();
  std::thread(mark_twice).join();
  recorder.frame(sound);
  const Trace trace = recorded_trace(recorder);
  ASSERT_EQ(trace.events().size(), 4u);
  for (const std::size_t i : {0u, 2u}) {
    const TraceEvent &first = trace.events()[i], &second = trace.events()[i + 1];
    EXPECT_EQ(trace.rows()[static_cast<std::size_t>(first.row)].name, "picture frames");
    EXPECT_EQ(first.start_ns + first.duration_ns, second.start_ns);
    EXPECT_EQ(arguments_of(trace, first).at("frame"), "0");
    EXPECT_EQ(arguments_of(trace, second).at("frame"), "1");
  }
}

}  // namespace
}  // namespace takt
