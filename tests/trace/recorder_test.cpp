#include "takt/recorder.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>
#include <thread>
#include <vector>

#include "refused.h"
#include "takt/error.h"
#include "test_folder.h"
#include "trace/events/trace.h"
#include "trace/recorder/recording.h"
#include "trace/recorder/tick_clock.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// `each` scopes from every thread, with the argument thread · each + number.
void record_from_threads(Recorder& recorder, std::uint32_t threads, std::uint32_t each) {
  static const EventName name("e", "", "i");
  std::vector<std::thread> running;
  for (std::uint32_t t = 0; t < threads; ++t) {
    running.emplace_back([&recorder, t, each] {
      for (std::uint32_t i = 0; i < each; ++i) Scope scope(recorder, name, t * each + i);
    });
  }
  for (auto& thread : running) thread.join();
}

TEST(Recorder, a_scope_is_one_event_on_the_threads_row) {
  Recorder recorder({.process = "mine"});
  recorder.name_thread("main");
  static const EventName name("infer", "stage", "batch");
  { Scope scope(recorder, name, 7); }
  const Trace trace = recorded_trace(recorder);
  ASSERT_EQ(trace.events().size(), 1u);
  const TraceEvent& event = trace.events()[0];
  EXPECT_EQ(trace.text(event.name), "infer");
  EXPECT_EQ(trace.text(event.category), "stage");
  EXPECT_GE(event.start_ns, 0);
  EXPECT_GE(event.duration_ns, 0);
  EXPECT_EQ(trace.text(trace.args(event)[0].key), "batch");
  EXPECT_EQ(std::get<std::int64_t>(trace.args(event)[0].value), 7);
  EXPECT_EQ(trace.rows()[0].name, "main");
  EXPECT_EQ(trace.processes()[0].name, "mine");
}

TEST(Recorder, scopes_nest_in_time) {
  Recorder recorder;
  static const EventName outer("outer"), inner("inner");
  {
    Scope a(recorder, outer);
    Scope b(recorder, inner);
  }
  const Trace trace = recorded_trace(recorder);
  const TraceEvent &in = trace.events()[0], &out = trace.events()[1];  // the inner one ends first
  EXPECT_LE(out.start_ns, in.start_ns);
  EXPECT_GE(out.start_ns + out.duration_ns, in.start_ns + in.duration_ns);
}

TEST(Recorder, a_full_buffer_drops_and_counts_and_keeps_the_first_events) {
  Recorder recorder({.events_per_thread = 64, .collect_every = 0ms});
  static const EventName name("e", "", "i");
  for (std::uint32_t i = 0; i < 100; ++i) Scope scope(recorder, name, i);
  EXPECT_EQ(recorder.dropped(), 36u);
  const Trace trace = recorded_trace(recorder);
  ASSERT_EQ(trace.events().size(), 64u + 1);  // and the one that tells of the drops
  EXPECT_EQ(std::get<std::int64_t>(trace.args(trace.events()[63])[0].value), 63);
  { Scope scope(recorder, name, 100); }
  EXPECT_EQ(recorded_trace(recorder).events().size(), 65u + 1);
  EXPECT_EQ(recorder.dropped(), 36u);
}

TEST(Recorder, more_rows_than_can_be_told_apart_are_refused) {
  Recorder recorder;
  for (int row = 1; row < 1 << 20; ++row) recorder.add_row("r");
  EXPECT_EQ(refused_with([&] { recorder.add_row("r"); }),
            "recorder: there are a million rows already; add rows for threads or streams, not for each event");
}

TEST(Recorder, memory_is_bounded_over_all_collections) {
  Recorder recorder({.events_per_thread = 64, .most_events = 150});
  static const EventName name("e");
  for (int i = 0; i < 200; ++i) {
    { Scope scope(recorder, name); }
    recorder.collect();
  }
  EXPECT_EQ(recorder.recorded(), 150u);
  EXPECT_EQ(recorder.dropped(), 50u);
}

TEST(Recorder, a_disabled_recorder_leaves_nothing) {
  Recorder recorder;
  recorder.enable(false);
  static const EventName name("e");
  { Scope scope(recorder, name); }
  recorder.count(name, 1);
  EXPECT_TRUE(recorded_trace(recorder).events().empty());
  EXPECT_TRUE(recorded_trace(recorder).counters().empty());
}

TEST(Recorder, events_with_the_same_flow_are_joined_in_the_order_of_their_starts) {
  Recorder recorder;
  static const EventName first("first"), second("second"), third("third"), alone("alone");
  const std::uint64_t t = TickClock::now();
  recorder.record(third, t + 20000, t + 21000, 0, 5);
  recorder.record(first, t, t + 1000, 0, 5);
  recorder.record(second, t + 10000, t + 11000, 0, 5);
  recorder.record(alone, t, t + 1000, 0, 6);
  const Trace trace = recorded_trace(recorder);
  ASSERT_EQ(trace.flows().size(), 3u);
  std::vector<std::string> order;
  for (const TraceFlow& flow : trace.flows()) {
    EXPECT_EQ(flow.bind_id, 6u);
    order.push_back(trace.text(trace.events()[static_cast<std::size_t>(flow.event)].name) + (flow.in ? " in" : "") +
                    (flow.out ? " out" : ""));
  }
  EXPECT_EQ(order, (std::vector<std::string>{"first out", "second in out", "third in"}));
}

TEST(Recorder, counters_and_rows_of_their_own) {
  Recorder recorder;
  static const EventName depth("queue depth"), work("work");
  const RecorderRow device = recorder.add_row("sim:NPU");
  recorder.count(depth, 2.5);
  recorder.count(depth, NAN);
  { Scope scope(recorder, work, 0, {}, device); }
  const Trace trace = recorded_trace(recorder);
  ASSERT_EQ(trace.counters().size(), 1u);
  EXPECT_EQ(trace.counters()[0].value, 2.5);
  EXPECT_EQ(trace.rows()[static_cast<std::size_t>(trace.events()[0].row)].name, "sim:NPU");
}

TEST(Recorder, many_threads_and_a_collector_lose_and_repeat_nothing) {
  constexpr std::uint32_t threads = 4, each = 20000;
  Recorder recorder({.events_per_thread = 1024, .collect_every = 1ms});
  record_from_threads(recorder, threads, each);
  const Trace trace = recorded_trace(recorder);
  EXPECT_EQ(trace.events().size() + recorder.dropped(), threads * each);
  std::set<std::int64_t> seen;
  for (const TraceEvent& event : trace.events()) seen.insert(std::get<std::int64_t>(trace.args(event)[0].value));
  EXPECT_EQ(seen.size(), trace.events().size());
}

TEST(Recorder, a_thread_that_is_faster_than_the_collector_loses_nothing) {
  constexpr std::uint32_t threads = 4, each = 50000;
  Recorder recorder({.events_per_thread = 64, .collect_every = 1h});
  record_from_threads(recorder, threads, each);
  const Trace trace = recorded_trace(recorder);
  EXPECT_EQ(recorder.dropped(), 0u);
  std::vector<std::int64_t> last(threads, -1);  // in order, and each once
  for (const TraceEvent& event : trace.events()) {
    const auto number = std::get<std::int64_t>(trace.args(event)[0].value);
    auto& before = last[static_cast<std::size_t>(number / each)];
    ASSERT_EQ(number % each, before + 1);
    ++before;
  }
  EXPECT_EQ(trace.events().size(), threads * each);
}

TEST(Recorder, beyond_the_most_events_a_full_buffer_is_dropped_and_counted) {
  Recorder recorder({.events_per_thread = 64, .most_events = 100, .collect_every = 1h});
  static const EventName name("e");
  for (int i = 0; i < 1000; ++i) Scope scope(recorder, name);
  EXPECT_EQ(recorded_trace(recorder).events().size(), 100u + 1);  // and the one that tells of the drops
  EXPECT_EQ(recorder.dropped(), 900u);
}

TEST(Recorder, its_text_is_a_chrome_trace_and_compression_is_left_to_others) {
  Recorder recorder;
  static const EventName name("only one");
  { Scope scope(recorder, name); }
  EXPECT_NE(recorder.chrome_json().find("\"name\":\"only one\""), std::string::npos);
  try {
    recorder.write("run.json.gz");
    FAIL() << "a file was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  }
}

TEST(Recorder, a_file_that_cannot_be_written_is_refused_at_once) {
  RecorderSettings settings;
  settings.file = "/dev/full";
  const auto refusal = [&] { return refused_with([&] { Recorder{settings}; }); };
  EXPECT_EQ(refusal(), "cannot write '/dev/full': no space left on the device");
  settings.file = "/nowhere/trace";
  EXPECT_EQ(refusal(), "cannot write '/nowhere/trace': its folder does not exist");
}

/// What is said of a recording that may have so many bytes; "" where they are enough to begin with.
std::string refusal_within(const std::string& file, rlim_t bytes) {
  RecorderSettings settings;
  settings.file = file, settings.collect_every = 0ms;
  rlimit usual{};
  ::getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit small{bytes, usual.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string said;
  try {
    const Recorder recorder(settings);
  } catch (const Error& error) {
    said = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &usual);
  return said;
}

TEST(Recorder, a_disk_that_is_full_from_the_start_is_told_at_once) {
  const TestFolder folder;
  std::signal(SIGXFSZ, SIG_IGN);
  const std::string file = folder / "run.takt",
                    full = "cannot write '" + file + "': larger than the system or its limit (ulimit -f) allows";
  EXPECT_EQ(refusal_within(file, 1 << 20), "");
  const auto whole = std::filesystem::file_size(file);  // what is written at its end, too
  EXPECT_EQ(refusal_within(file, whole), "");
  rlim_t bytes = 0;
  for (; bytes < whole && !refusal_within(file, bytes).empty(); ++bytes)
    EXPECT_EQ(refusal_within(file, bytes), full) << bytes;
  EXPECT_GT(bytes, 50u);
  for (; bytes < whole; ++bytes) EXPECT_EQ(refusal_within(file, bytes), "") << bytes << " of " << whole;
  std::signal(SIGXFSZ, SIG_DFL);
}

TEST(Recorder, two_recorders_on_one_thread_stay_apart) {
  Recorder a, b;
  static const EventName name("e");
  { Scope scope(a, name); }
  { Scope scope(b, name); }
  { Scope scope(a, name); }
  EXPECT_EQ(recorded_trace(a).events().size(), 2u);
  EXPECT_EQ(recorded_trace(b).events().size(), 1u);
  EXPECT_EQ(recorded_trace(a).rows().size(), 1u);
}

TEST(TickConversion, interpolates_between_anchors_and_extends_beyond_them) {
  if (!TickClock::uses_counter()) GTEST_SKIP() << "the clock is in nanoseconds here";
  TickConversion conversion;
  conversion.add({1000, 500});
  conversion.add({3000, 1500});
  conversion.add({3000, 9999});  // no time has passed: ignored
  conversion.add({5000, 3500});
  EXPECT_EQ(conversion.steady_time(2000), Nanoseconds(1000));
  EXPECT_EQ(conversion.steady_time(4000), Nanoseconds(2500));
  EXPECT_EQ(conversion.steady_time(0), Nanoseconds(0));
  EXPECT_EQ(conversion.steady_time(6000), Nanoseconds(4500));
}

TEST(TickConversion, forgets_anchors_rather_than_growing_without_end) {
  TickConversion conversion;
  for (std::uint64_t i = 1; i <= 200000; ++i) conversion.add({i * 100, static_cast<std::int64_t>(i * 50)});
  EXPECT_LE(conversion.anchors().size(), 65536u);
  if (!TickClock::uses_counter()) GTEST_SKIP() << "the clock is in nanoseconds here";
  EXPECT_EQ(conversion.steady_time(12345600), Nanoseconds(6172800));
}

}  // namespace
}  // namespace takt
