// The file that a recorder writes as it goes: what is in it when the program is killed, and what is refused.
#include "trace/recorder/recording_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "refused.h"
#include "test_folder.h"
#include "trace/read/reader.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/trace_file.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

const EventName step("step", "", "i");
const ArgumentName note("note");

void record_steps(Recorder& recorder, std::uint32_t from, std::uint32_t until) {
  for (std::uint32_t i = from; i < until; ++i) {
    Scope scope(recorder, step, i, i / 2);
    if (i % 3 == 0) scope.add(note, "a text that is longer than one record of it");
  }
}

bool has_fault(const TraceRead& read, TraceRule rule) {
  for (const TraceFault& fault : read.faults)
    if (fault.rule == rule) return true;
  return false;
}

TEST(RecordingFile, becomes_the_same_trace_as_a_recording_in_memory) {
  TestFolder folder;
  const std::string file = (folder.path() / "run.takt").string();
  std::string live;
  {
    Recorder recorder({.process = "mine", .file = file});
    recorder.name_thread("main");
    const RecorderRow row = recorder.add_row("device");
    record_steps(recorder, 0, 1000);
    { Scope scope(recorder, step, 1, {}, row); }
    recorder.count(step, 2.5);
    std::thread([&] { record_steps(recorder, 0, 10); }).join();
    live = recorder.chrome_json();
    EXPECT_EQ(recorder.recorded(), 1012u);
  }
  const TraceRead read = read_trace(file);
  EXPECT_TRUE(read.faults.empty());
  EXPECT_EQ(to_chrome_json(read.trace), live);
}

TEST(RecordingFile, of_a_program_that_lives_or_was_killed_has_all_that_was_collected) {
  TestFolder folder;
  const auto file = folder.path() / "run.takt", copy = folder.path() / "copy.takt";
  Recorder recorder({.collect_every = 0ms, .file = file.string()});
  record_steps(recorder, 0, 100);
  recorder.collect();
  record_steps(recorder, 100, 150);
  std::filesystem::copy_file(file, copy);
  const TraceRead read = read_trace(copy);
  EXPECT_EQ(read.trace.events().size(), 100u);
  EXPECT_TRUE(has_fault(read, TraceRule::recording_cut));
}

TEST(RecordingFile, is_written_by_the_background_thread_alone) {
  TestFolder folder;
  const auto file = folder.path() / "run.takt";
  Recorder recorder({.collect_every = 1ms, .file = file.string()});
  record_steps(recorder, 0, 100);
  while (recorder.recorded() < 100) std::this_thread::sleep_for(1ms);
  // It counts before it flushes, both under one lock that recorded() takes: the flush is done.
  EXPECT_EQ(read_trace(file).trace.events().size(), 100u);
}

TEST(RecordingFile, of_a_quiet_program_does_not_grow) {
  TestFolder folder;
  const auto file = folder.path() / "run.takt";
  Recorder recorder({.collect_every = 0ms, .file = file.string()});
  record_steps(recorder, 0, 1);
  recorder.collect();
  const auto size = std::filesystem::file_size(file);
  for (int i = 0; i < 100; ++i) recorder.collect();
  EXPECT_EQ(std::filesystem::file_size(file), size);
  record_steps(recorder, 0, 1);
  recorder.collect();
  EXPECT_GT(std::filesystem::file_size(file), size);
}

TEST(RecordingFile, holds_more_than_may_be_kept_in_memory) {
  TestFolder folder;
  Recorder recorder({.events_per_thread = 64, .most_events = 10, .file = (folder.path() / "run.takt").string()});
  record_steps(recorder, 0, 20000);
  EXPECT_EQ(recorded_trace(recorder).events().size(), 20000u);
  EXPECT_EQ(recorder.dropped(), 0u);
}

TEST(RecordingFile, cut_anywhere_gives_the_blocks_before_the_cut) {
  TestFolder folder;
  const auto file = folder.path() / "run.takt";
  {
    Recorder recorder({.collect_every = 0ms, .file = file.string()});
    for (std::uint32_t i = 0; i < 5; ++i) {
      record_steps(recorder, i, i + 1);
      recorder.collect();
    }
  }
  const std::string whole = read_file(file);
  EXPECT_TRUE(parse_recording(whole, "whole").ended);
  std::uint64_t before = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      const Recording recording = parse_recording(std::string_view(whole).substr(0, size), "cut");
      EXPECT_FALSE(recording.ended);
      EXPECT_GE(recording.events, before);
      before = recording.events;
      to_chrome_json(to_trace(recording));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_EQ(before, 0u) << "only where it does not say who recorded";
    }
  }
  EXPECT_EQ(before, 5u);
}

TEST(RecordingFile, with_a_wrong_bit_ends_before_it) {
  TestFolder folder;
  const auto file = folder.path() / "run.takt";
  {
    Recorder recorder({.file = file.string()});
    record_steps(recorder, 0, 50);
  }
  const std::string whole = read_file(file);
  for (std::size_t at = 21; at < whole.size(); at += 7) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 4);
    try {
      EXPECT_FALSE(parse_recording(wrong, "wrong").ended) << at;
    } catch (const Error&) {
    }
  }
}

TEST(RecordingFile, replaces_a_recording_and_no_other_file) {
  TestFolder folder;
  const auto file = folder.path() / "run.takt", letter = folder.path() / "letter.txt";
  for (int i = 0; i < 2; ++i) {
    Recorder recorder({.file = file.string()});
    record_steps(recorder, 0, 5);
  }
  EXPECT_EQ(read_trace(file).trace.events().size(), 5u);
  std::ofstream(letter) << "dear reader";
  const auto refusal = [](const std::filesystem::path& path) {
    return refused_with([&] { Recorder recorder({.file = path.string()}); });
  };
  EXPECT_EQ(refusal(letter), letter.string() + ": this is a file of another kind; choose another name");
  EXPECT_EQ(read_file(letter), "dear reader");
  EXPECT_EQ(refusal(folder / "no/such/folder"),
            "cannot write '" + (folder / "no/such/folder").string() + "': its folder does not exist");
}

TEST(RecordingFile, on_a_full_disk_ends_and_what_follows_is_dropped_and_told) {
  TestFolder folder;
  const auto file = folder.path() / "run.takt";
  ::setenv("TAKT_FAIL_WRITE_AFTER", "8000", 1);
  Recorder recorder({.collect_every = 0ms, .file = file.string()});
  record_steps(recorder, 0, 50);
  recorder.collect();
  const auto size = std::filesystem::file_size(file);
  record_steps(recorder, 50, 1000);
  recorder.collect();
  record_steps(recorder, 1000, 1010);
  recorder.collect();
  ::unsetenv("TAKT_FAIL_WRITE_AFTER");
  EXPECT_NE(recorder.file_error().find("no space left"), std::string::npos) << recorder.file_error();
  EXPECT_EQ(recorder.recorded(), 50u);
  EXPECT_EQ(recorder.dropped(), 960u);
  EXPECT_EQ(std::filesystem::file_size(file), size);
  EXPECT_EQ(recorded_trace(recorder).events().size(), 50u + 1);
}

TEST(RecordedDrops, stand_in_the_trace_and_are_a_fault_of_it) {
  TestFolder folder;
  const auto file = folder.path() / "run.json";
  Recorder recorder({.events_per_thread = 64, .collect_every = 0ms});
  record_steps(recorder, 0, 200);
  ASSERT_GT(recorder.dropped(), 0u);
  recorder.write(file.string());
  const TraceRead read = read_trace(file);
  ASSERT_EQ(read.faults.size(), 1u);
  EXPECT_EQ(read.faults[0].rule, TraceRule::dropped_events);
  EXPECT_EQ(read.faults[0].count, recorder.dropped());
  EXPECT_NE(read.faults[0].first.find(" ns"), std::string::npos);
  const TraceEvent& told = read.trace.events().back();
  EXPECT_EQ(read.trace.text(told.name), "events dropped from here on");
}

TEST(RecordedDrops, of_none_are_told_as_none) {
  Recorder recorder;
  record_steps(recorder, 0, 3);
  const TraceRead read = parse_trace(recorder.chrome_json());
  EXPECT_TRUE(read.faults.empty());
  EXPECT_NE(read.trace.provenance_json().find("\"dropped\":0"), std::string::npos) << read.trace.provenance_json();
}

TEST(RecordingFile, comes_through_a_pipe_as_well) {
  TestFolder folder;
  const auto file = folder.path() / "run.takt", pipe = folder.path() / "pipe";
  {
    Recorder recorder({.collect_every = 0ms, .file = file.string()});
    record_steps(recorder, 0, 1000);
  }
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << read_file(file); });
  const TraceRead read = read_trace(pipe);
  writer.join();
  EXPECT_EQ(to_chrome_json(read.trace), to_chrome_json(read_trace(file).trace));
}

}  // namespace
}  // namespace takt
