// What cutting a trace is made of: the part that was meant, bytes by time, ranges of a file, the survey.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "refused.h"
#include "trace/cut/byte_ranges.h"
#include "trace/cut/part_choice.h"
#include "trace/cut/survey.h"
#include "trace/cut_traces.h"
#include "trace/events/byte_source.h"
#include "trace/write/chrome_writer.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

// The first slot begins with the first time and is 1024 ns long; there are 4096.
TEST(ByteCurve, ends_where_the_slot_begins_that_is_too_much) {
  ByteCurve curve;
  EXPECT_EQ(curve.end_for(0, 70, 0), 70) << "nothing is known";
  curve.add(0, 100), curve.add(1023, 50), curve.add(1024, 10);
  EXPECT_EQ(curve.end_for(0, 10'000, 160), 10'000);
  EXPECT_EQ(curve.end_for(0, 10'000, 159), 1024);
  EXPECT_EQ(curve.end_for(0, 10'000, 150), 1024);
  EXPECT_EQ(curve.end_for(0, 10'000, 149), 1) << "a nanosecond at least";
  EXPECT_EQ(curve.end_for(0, 1000, 150), 1000);
  EXPECT_EQ(curve.end_for(0, 1024, 5), 1);
  EXPECT_EQ(curve.end_for(1023, 10'000, 150), 1024) << "a slot counts as a whole";
  EXPECT_EQ(curve.end_for(1024, 10'000, 10), 10'000);
  EXPECT_EQ(curve.end_for(1024, 10'000, 9), 1025);
}

TEST(ByteCurve, has_slots_of_twice_the_length_where_times_lie_outside) {
  ByteCurve curve;
  constexpr std::int64_t room = 1024 * 4096;
  curve.add(0, 150), curve.add(1024, 10), curve.add(room - 1, 1);
  EXPECT_EQ(curve.end_for(0, 2 * room, 150), 1024);
  curve.add(room, 7);
  EXPECT_EQ(curve.end_for(0, 2 * room, 159), 1) << "two slots are one";
  EXPECT_EQ(curve.end_for(0, 2 * room, 160), room - 2048);
  EXPECT_EQ(curve.end_for(0, 2 * room, 161), room);
  EXPECT_EQ(curve.end_for(0, 2 * room, 168), 2 * room);
  ByteCurve backwards;
  backwards.add(0, 5), backwards.add(-1, 3);
  EXPECT_EQ(backwards.end_for(-10, 100, 3), 0);
  EXPECT_EQ(backwards.end_for(-10, 100, 2), -9);
  EXPECT_EQ(backwards.end_for(0, 100, 5), 100);
  ByteCurve centuries;  // the longest slots have 2^50 ns
  constexpr std::int64_t far = std::int64_t{1} << 62;
  centuries.add(0, 1), centuries.add(far, 1);
  EXPECT_EQ(centuries.end_for(1, far, 1), 4095 * (std::int64_t{1} << 50));
}

TEST(ByteRanges, are_read_as_if_nothing_stood_between_them) {
  const auto source = text_source("0123456789");
  ByteRanges ranges(*source, {{1, 3}, {3, 4}, {6, UINT64_MAX}});
  for (int turn = 0; turn < 2; ++turn) {
    std::string read;
    std::vector<std::size_t> counts;
    for (int i = 0; i < 4; ++i) {
      std::string buffer(3, '#');
      counts.push_back(ranges.read(buffer));
      read += buffer.substr(0, counts.back());
    }
    EXPECT_EQ(read, "1236789");
    EXPECT_THAT(counts, testing::ElementsAre(3, 3, 1, 0));
    EXPECT_TRUE(ranges.rewind());
  }
}

TEST(ByteRanges, of_a_source_that_is_shorter_end_with_it) {
  const auto read = [](std::vector<ByteRange> ranges) {
    const auto source = text_source("0123456789");
    ByteRanges part(*source, std::move(ranges));
    return read_rest(part);
  };
  EXPECT_EQ(read({{8, 20}, {21, 22}}), "89");
  EXPECT_EQ(read({{2, 3}, {20, 25}}), "2");
  EXPECT_EQ(read({{0, 10}}), "0123456789");
  EXPECT_EQ(read({}), "");
}

/// Steps 3 to 6 of a program, of which another rank has the fourth, too, which lasts longest on the device; step 8 is
/// marked on the device alone.
TraceSurvey some_steps() {
  TraceSurvey survey;
  survey.span = TimeInterval{50, 900};
  survey.process_names = {{1, "rank 0: python"}, {2, "rank 1: python"}, {9, "GPU 0"}};
  survey.steps = {{3, {100, 200}, false, 1}, {4, {150, 280}, false, 2}, {4, {200, 260}, false, 1},
                  {4, {140, 700}, true, 9},  {5, {260, 500}, false, 1}, {6, {500, 600}, false, 1},
                  {8, {800, 850}, true, 9}};
  return survey;
}

/// "150-700 steps 4-5 [500]": the span, the name, where a smaller piece had better end, and the processes.
std::string chosen(const PartWish& wish, const TraceSurvey& survey, std::optional<std::int64_t> rank = {}) {
  try {
    const PartChoice choice = choose_part(survey, wish, "f", rank);
    std::string words = std::to_string(choice.part.span.start) + "-" + std::to_string(choice.part.span.end);
    if (!choice.name.empty()) words += " " + choice.name;
    for (const std::int64_t end : choice.step_ends) words += " [" + std::to_string(end) + "]";
    if (choice.part.pids)
      for (const std::int64_t pid : *choice.part.pids) words += " pid " + std::to_string(pid);
    return words;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

PartWish steps_wish(std::int64_t first, std::int64_t last, std::optional<std::int64_t> rank = {}) {
  return {.steps = std::pair{first, last}, .rank = rank};
}

TEST(ChoosePart, of_steps_is_from_their_first_start_in_the_program_to_their_last_end_anywhere) {
  const TraceSurvey survey = some_steps();
  EXPECT_EQ(chosen(steps_wish(3, 3), survey), "100-200 step 3");
  EXPECT_EQ(chosen(steps_wish(4, 4), survey), "150-700 step 4");
  EXPECT_EQ(chosen(steps_wish(4, 5), survey), "150-700 steps 4-5 [500]");
  EXPECT_EQ(chosen(steps_wish(3, 6), survey), "100-700 steps 3-6 [200] [500] [600]");
  EXPECT_EQ(chosen(steps_wish(8, 8), survey), "800-850 step 8");
  EXPECT_EQ(chosen(steps_wish(6, 99), survey), "500-850 steps 6-99 [600]");
  EXPECT_EQ(chosen(steps_wish(7, 7), survey), "f: there is no step 7; the trace has steps 3 to 8");
  EXPECT_EQ(chosen(steps_wish(9, 12), survey), "f: there is no step 9-12; the trace has steps 3 to 8");
}

TEST(ChoosePart, of_a_rank_has_its_processes_and_what_the_device_did_for_its_steps) {
  const TraceSurvey survey = some_steps();
  EXPECT_EQ(chosen(steps_wish(4, 4, 1), survey), "150-700 step 4 pid 2");
  EXPECT_EQ(chosen(steps_wish(8, 8, 1), survey), "f: there is no step 8; the trace has steps 4 to 4");
  EXPECT_EQ(chosen(steps_wish(4, 4, 0), survey), "200-700 step 4 pid 1");
  EXPECT_EQ(chosen(steps_wish(4, 4, 5), survey, 5), "150-700 step 4") << "all of it is of this rank";
  const std::string hint = "; 'takt trace merge' writes ranks into the names of processes";
  EXPECT_EQ(chosen({.rank = 7}, survey), "f: it has no events of rank 7" + hint);
  EXPECT_EQ(chosen({.rank = 7}, survey, 2), "f: it has no events of rank 7: it is the trace of rank 2" + hint);
}

TEST(ChoosePart, around_the_slowest_step_are_its_neighbours_if_it_has_any) {
  TraceSurvey survey = some_steps();
  const auto around = [&] { return chosen({.around_slowest = true}, survey); };
  EXPECT_EQ(around(), "150-700 steps 4-6 around the slowest, 5 [500] [600]");
  survey.steps.push_back({6, {510, 750}, false, 2});  // as long as the fifth
  EXPECT_EQ(around(), "150-750 steps 4-6 around the slowest, 5 [500] [700]") << "the first of equals";
  survey.steps.push_back({9, {850, 1100}, true, 9});
  EXPECT_EQ(around(), "800-1100 steps 8-9 around the slowest, 9 [850]")
      << "without a mark in the program its own length";
  survey.steps = {{3, {100, 200}, false, 1}, {4, {200, 260}, false, 1}};
  EXPECT_EQ(around(), "100-260 steps 3-4 around the slowest, 3 [200]");
  survey.steps.pop_back();
  EXPECT_EQ(around(), "100-200 step 3 around the slowest, 3");
  survey.steps.clear();
  const std::string none =
      "f: the trace has no step markers (ProfilerStep#N); give a time span with --from and --to: 'takt diagnose' lists "
      "the steps that it detects without markers";
  EXPECT_EQ(around(), none);
  EXPECT_EQ(chosen(steps_wish(3, 3), survey), none);
}

TEST(ChoosePart, of_times_counts_from_the_first_event_and_has_the_last_moment) {
  const TraceSurvey survey = some_steps();
  EXPECT_EQ(chosen({}, survey), "50-901");
  EXPECT_EQ(chosen({.from = 10ns, .to = 20ns}, survey), "60-70");
  EXPECT_EQ(chosen({.to = 850ns}, survey), "50-900");
  EXPECT_EQ(chosen({.to = 851ns}, survey), "50-901");
  EXPECT_EQ(chosen({.from = 850ns}, survey), "900-901");
  EXPECT_EQ(chosen({.from = 851ns}, survey), "f: --from 851 ns: the trace ends after 850 ns");
  EXPECT_EQ(chosen({}, TraceSurvey()), "f: the trace has no events, so there is nothing to cut");
}

TEST(StepRange, is_one_step_or_the_first_and_the_last) {
  using Steps = std::pair<std::int64_t, std::int64_t>;
  for (const auto& [text, steps] :
       {std::pair("3", Steps{3, 3}), {"3-5", {3, 5}}, {" 3 - 5 ", {3, 5}}, {"0", {0, 0}}, {"7-7", {7, 7}}})
    EXPECT_EQ(parse_step_range(text), steps) << text;
  for (const std::string text : {"", "-", "-1", "3-", "a", "3-b", "1-2-3", "5-3", "1.5"})
    EXPECT_EQ(refused_with([&] { parse_step_range(text); }),
              "--steps '" + text + "': give a step or the first and the last of several, such as 3-5");
}

std::string in_words(const std::vector<SurveyedStep>& steps) {
  std::string words;
  for (const SurveyedStep& step : steps)
    words += std::to_string(step.number) + " " + std::to_string(step.span.start) + "-" + std::to_string(step.span.end) +
             (step.on_device ? " device " : " ") + std::to_string(step.pid) + "; ";
  return words;
}

TEST(Survey, of_a_file_is_that_of_its_trace_and_tells_where_its_events_stand) {
  Trace trace = training_trace(3);
  trace.add_event(RowId{1}, "ProfilerStep#1", "gpu_user_annotation", Nanoseconds(6100), 700ns);
  const std::string json = to_chrome_json(trace);
  const auto source = text_source(json);
  const TraceSurvey read = survey_chrome_trace(*source, "f", {.threads = 1, .window_bytes = 4096}),
                    made = survey_of(trace);
  const std::string steps = "0 5000-6000 11; 1 6000-7000 11; 1 6100-6800 device 12; 2 7000-8400 11; ";
  EXPECT_EQ(in_words(read.steps), steps);
  EXPECT_EQ(in_words(made.steps), steps);
  for (const TraceSurvey& one : {read, made}) {
    EXPECT_EQ(one.span, (TimeInterval{5000, 8400}));
    EXPECT_EQ(one.last_moment, 8400);
    EXPECT_EQ(one.process_names, (std::map<std::int64_t, std::string>{{11, "rank 0: python"}, {12, "rank 1: GPU"}}));
    EXPECT_TRUE(one.marks_in_order);
  }
  EXPECT_TRUE(made.windows.empty());
  ASSERT_GE(read.windows.size(), 2u);
  EXPECT_TRUE(read.windows.front().is_needed) << "names";
  EXPECT_FALSE(read.windows.back().is_needed);
  std::optional<TimeInterval> all;
  for (std::size_t i = 0; i < read.windows.size(); ++i) {
    EXPECT_LT(read.windows[i].begin, read.windows[i].end);
    EXPECT_GE(read.windows[i].begin, i == 0 ? 1 : read.windows[i - 1].end);
    const TimeInterval& span = read.windows[i].span.value();
    all = all ? TimeInterval{std::min(all->start, span.start), std::max(all->end, span.end)} : span;
  }
  EXPECT_LE(read.windows.back().end, json.size());
  EXPECT_EQ(all, read.span);
  EXPECT_EQ(read.bytes.end_for(5000, 9000, static_cast<double>(json.size())), 9000);
  EXPECT_LT(read.bytes.end_for(5000, 9000, static_cast<double>(json.size()) / 2), 9000);
}

}  // namespace
}  // namespace takt
