// A pipeline told by the events of any program: what counts as a stage, a batch, a device, and what is refused.
#include "pipeline/record/stage_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/basics/error.h"
#include "pipeline/account/account.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// Traces in few words: at(row, name, category, start in µs, end in µs, arguments).
class Story {
 public:
  Story() : process_(trace_.add_process("mine")) {}

  RowId row(const std::string& name) { return trace_.add_row(process_, name); }
  Story& at(RowId row, const std::string& name, const std::string& category, int from, int until, TraceValues args) {
    const EventId event =
        trace_.add_event(row, name, category, Nanoseconds(from * 1000), Nanoseconds((until - from) * 1000));
    trace_.set_args(event, args);
    return *this;
  }
  Trace& trace() { return trace_; }
  StageEventsRun run() const { return run_of_events(trace_, "x.json"); }
  std::string refusal() const {
    try {
      run();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.what();
    }
    return "not refused";
  }

 private:
  Trace trace_;
  ProcessId process_;
};

TraceValues batch(std::int64_t number) { return {{"batch", number}}; }

/// Two stages on two threads, three batches; the second stage is the slower one.
Story two_stages(const std::string& category = "stage") {
  Story story;
  const RowId loader = story.row("loader"), worker = story.row("worker");
  for (int b = 0; b < 3; ++b) {
    story.at(loader, "load", category, 100 * b, 100 * b + 50, batch(10 + b));
    story.at(worker, "infer", category, 200 * b + 50, 200 * b + 250, batch(10 + b));
  }
  return story;
}

TEST(StageEvents, of_a_category_and_a_batch_are_a_run) {
  const StageEventsRun found = two_stages().run();
  EXPECT_EQ(found.unfinished, 0);
  const PipelineRun& run = found.run;
  EXPECT_EQ(run.name, "mine");
  ASSERT_EQ(run.stages.size(), 2u);
  EXPECT_EQ(run.stages[0].name, "load");
  EXPECT_EQ(run.devices[1].name, "worker");
  ASSERT_EQ(run.schedule.batches.size(), 3u);
  EXPECT_EQ(run.schedule.batches[0].arrived, Nanoseconds(0));
  EXPECT_EQ(run.schedule.batches[2].delivered, Nanoseconds(650'000));
  // Batch 11 left the first stage at 150 µs and waited until 250 µs for the second.
  EXPECT_EQ(run.schedule.visits[3].entered, Nanoseconds(150'000));
  EXPECT_EQ(run.schedule.visits[3].started, Nanoseconds(250'000));
  EXPECT_FALSE(run.base_time.has_value());
  EXPECT_NO_THROW(account(run));
}

TEST(StageEvents, without_any_mark_all_with_a_batch_count) { EXPECT_EQ(two_stages("").run().run.stages.size(), 2u); }

TEST(StageEvents, with_a_mark_others_are_left_alone) {
  Story story = two_stages();
  const RowId row = story.row("inside");
  for (int b = 0; b < 3; ++b) story.at(row, "layer", "op", 200 * b + 60, 200 * b + 70, batch(10 + b));
  story.at(row, "no batch", "stage", 0, 5, {});
  EXPECT_EQ(story.run().run.stages.size(), 2u);
}

TEST(StageEvents, arguments_name_stage_device_and_the_devices_own_time) {
  Story story;
  const RowId row = story.row("thread 1");
  for (int b = 0; b < 2; ++b)
    story.at(row, "call", "", 10 * b, 10 * b + 8,
             {{"batch_id", std::int64_t{b}},
              {"batch", std::int64_t{99}},
              {"stage", "infer"},
              {"device", "NPU"},
              {"hw_time_ms", 0.005}});
  const PipelineRun run = story.run().run;
  EXPECT_EQ(run.stages[0].name, "infer");
  EXPECT_EQ(run.devices[0].name, "NPU");
  EXPECT_EQ(run.schedule.batches.size(), 2u);
  EXPECT_EQ(run.counters[0].hardware, Nanoseconds(5000));
}

TEST(StageEvents, rows_of_several_processes_are_told_apart) {
  Story story = two_stages();
  const ProcessId other = story.trace().add_process("other");
  const RowId row = story.trace().add_row(other, "worker");
  for (int b = 0; b < 3; ++b) story.at(row, "show", "stage", 200 * b + 250, 200 * b + 260, batch(10 + b));
  EXPECT_EQ(story.run().run.devices[1].name, "mine worker");
  EXPECT_EQ(story.run().run.devices[2].name, "other worker");
}

TEST(StageEvents, batches_that_were_not_everywhere_are_counted) {
  Story story = two_stages();
  story.at(story.row("late"), "load", "stage", 900, 950, batch(13));
  const StageEventsRun found = story.run();
  EXPECT_EQ(found.unfinished, 1);
  EXPECT_EQ(found.run.schedule.batches.size(), 3u);
}

TEST(StageEvents, that_say_too_little_are_refused_with_what_is_missing) {
  Story none;
  none.at(none.row("a"), "load", "stage", 0, 1, {{"batch", "three"}});
  EXPECT_THAT(none.refusal(), HasSubstr("x.json: this is not a trace of a pipeline"));

  Story twice = two_stages();
  twice.at(twice.row("again"), "infer", "stage", 700, 800, batch(11));
  EXPECT_THAT(twice.refusal(), HasSubstr("batch 11 in stage 'infer' is a duplicate"));

  Story nameless = two_stages();
  nameless.at(nameless.row("odd"), "", "stage", 700, 800, batch(13));
  EXPECT_THAT(nameless.refusal(), HasSubstr("batch 13 is in a stage without a name"));

  Story backwards = two_stages();
  backwards.at(backwards.row("odd"), "load", "stage", 700, 600, batch(13));
  EXPECT_THAT(backwards.refusal(), HasSubstr("ends before it starts"));

  Story overlapping = two_stages();
  const RowId row = overlapping.row("third");
  for (int b = 0; b < 3; ++b) overlapping.at(row, "show", "stage", 200 * b + 240, 200 * b + 260, batch(10 + b));
  EXPECT_THAT(overlapping.refusal(), HasSubstr("before 'infer' had completed it"));

  Story apart;
  const RowId one = apart.row("one");
  apart.at(one, "load", "stage", 0, 1, batch(1)).at(one, "infer", "stage", 2, 3, batch(2));
  EXPECT_THAT(apart.refusal(), HasSubstr("none of the 2 batches was logged in all stages"));

  Story far;
  far.at(far.row("a"), "load", "stage", 0, 1, batch(1));
  far.trace().add_event(
      {std::int64_t{1} << 62, 5, far.trace().intern("load"), far.trace().intern("stage"), RowId{}, 0});
  far.trace().set_args(EventId{1}, batch(2));
  EXPECT_THAT(far.refusal(), HasSubstr("a time that is not valid"));
}

}  // namespace
}  // namespace takt
