#include "pipeline/record/run_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "pipeline/record/run_words.h"

namespace takt {
namespace {

std::string refusal(const std::function<void(PipelineRun&)>& damage) {
  auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 2), {takes(4), takes(2)});
  damage(run);
  try {
    check(run, "r");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RunCheck, a_simulated_run_is_right) {
  EXPECT_EQ(refusal([](PipelineRun&) {}), "");
}

TEST(RunCheck, every_record_that_cannot_be_is_named) {
  EXPECT_EQ(
      refusal([](PipelineRun& r) { r.devices.pop_back(); }),
      "r: not a run of a pipeline: the number of devices differs from the number of their names; record the run again");
  EXPECT_NE(refusal([](PipelineRun& r) { r.stages.pop_back(); }).find("stages"), std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) { r.schedule.visits.pop_back(); }).find("visited"), std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) { r.schedule.visits.push_back(r.schedule.visits.back()); }).find("visited"),
            std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) { r.counters.resize(1); }).find("counters"), std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) { r.schedule.executions[1].what.device = 5; }).find("device"),
            std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) { r.schedule.executions[1].start = Nanoseconds(-3); }).find("order"),
            std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) { r.schedule.visits[2].replica = 3; }).find("replica"), std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) { r.schedule.batches[0].delivered = Nanoseconds::max(); }).find("range"),
            std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) { r.shape.stages[0].queue = 0; }).find("queue"), std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) { r.warmup = -1; }).find("warm-up"), std::string::npos);
}

TEST(RunCheck, executions_and_visits_that_cannot_be_are_named) {
  const auto with = [](const std::function<void(Execution&)>& damage) {
    return refusal([&](PipelineRun& r) { damage(r.schedule.executions[1].what); });
  };
  EXPECT_NE(with([](Execution& e) { e.batch = -1; }).find("has a negative batch"), std::string::npos);
  EXPECT_NE(with([](Execution& e) { e.stage = 2; }).find("has a stage that does not exist"), std::string::npos);
  EXPECT_NE(with([](Execution& e) { e.replica = 1; }).find("has a replica that does not exist"), std::string::npos);
  EXPECT_NE(with([](Execution& e) { e.part = 1; }).find("has a part that does not exist"), std::string::npos);
  EXPECT_NE(with([](Execution& e) { e.phase = FlowPhase::merge; }).find("splits a batch in a stage that is not split"),
            std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) {
              ExecutionRecord& late = r.schedule.executions[0];
              late.start = late.end = r.schedule.executions[1].start + Nanoseconds(1);
            }).find("execution 1 started before the previous one in the list"),
            std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) {
              std::swap(r.schedule.visits[0], r.schedule.visits[1]);
            }).find("batch 0 in stage 0 is at the wrong position"),
            std::string::npos);
  EXPECT_NE(refusal([](PipelineRun& r) {
              for (const std::size_t e : {1, 0}) {
                const ExecutionRecord& of = r.schedule.executions[e];
                r.copies.push_back({of.what.batch, of.what.stage, of.what.replica, of.what.part, of.what.device, true,
                                    of.end, of.end, 8});
              }
              r.copies[0].start = r.copies[0].end = r.copies[1].start + Nanoseconds(100);
            }).find("copy 1 started before the previous one in the list"),
            std::string::npos);
}

TEST(RunCheck, numbers_one_beyond_the_last_are_named) {
  const auto of_execution = [](const std::function<void(Execution&)>& damage) {
    return refusal([&](PipelineRun& r) { damage(r.schedule.executions[1].what); });
  };
  const std::string ends = "; record the run again", begins = "r: not a run of a pipeline: ";
  for (const int number : {-1, 2})
    EXPECT_EQ(of_execution([&](Execution& e) { e.stage = number; }),
              begins + "execution 1 has a stage that does not exist" + ends);
  for (const int number : {-1, 1}) {
    EXPECT_EQ(of_execution([&](Execution& e) { e.replica = number; }),
              begins + "execution 1 has a replica that does not exist" + ends);
    EXPECT_EQ(of_execution([&](Execution& e) { e.part = number; }),
              begins + "execution 1 has a part that does not exist" + ends);
    EXPECT_EQ(refusal([&](PipelineRun& r) { r.schedule.visits[3].replica = number; }),
              begins + "batch 1 in stage 1 was in a replica that does not exist" + ends);
  }
  EXPECT_EQ(of_execution([](Execution& e) { e.batch = -1; }), begins + "execution 1 has a negative batch" + ends);
  EXPECT_EQ(of_execution([](Execution& e) { e.phase = FlowPhase::merge; }),
            begins + "execution 1 splits a batch in a stage that is not split" + ends);
  EXPECT_EQ(refusal([](PipelineRun& r) { r.schedule.visits[1].stage = 0; }),
            begins + "batch 0 in stage 1 is at the wrong position" + ends);
  // Beyond its batches a run that was cut off has executions still.
  EXPECT_NE(of_execution([](Execution& e) { e.batch = 2; }), "");
}

TEST(RunCheck, copies_that_cannot_be_are_named) {
  const auto with = [](const std::function<void(CopySpan&)>& damage, bool twice = false) {
    return refusal([&](PipelineRun& r) {
      const ExecutionRecord& of = r.schedule.executions[1];
      CopySpan copy{of.what.batch, of.what.stage,           of.what.replica,
                    of.what.part,  of.what.device,          true,
                    of.end,        of.end + Nanoseconds(1), 8};
      damage(copy);
      r.copies.assign(twice ? 2 : 1, copy);
    });
  };
  EXPECT_EQ(with([](CopySpan&) {}), "");
  EXPECT_NE(with([](CopySpan&) {}, true).find("two copies"), std::string::npos);
  EXPECT_NE(with([](CopySpan& c) { c.batch = 77; }).find("does not exist"), std::string::npos);
  EXPECT_NE(with([](CopySpan& c) { c.part = -1; }).find("does not exist"), std::string::npos);
  EXPECT_NE(with([](CopySpan& c) { c.device = 1 - c.device; }).find("another device"), std::string::npos);
  EXPECT_NE(with([](CopySpan& c) { c.bytes = -1; }).find("has a negative number of bytes"), std::string::npos);
  EXPECT_NE(with([](CopySpan& c) { c.start -= Nanoseconds(1); }).find("out of order"), std::string::npos);
  EXPECT_NE(with([](CopySpan& c) { c.end = c.start - Nanoseconds(1); }).find("out of order"), std::string::npos);
  EXPECT_NE(with([](CopySpan& c) { c.of_outputs = false; }).find("out of order"), std::string::npos);
  EXPECT_NE(with([](CopySpan& c) { c.end = Nanoseconds::max(); }).find("out of range"), std::string::npos);
}

TEST(RunCheck, counters_that_add_up_beyond_what_can_be_held_are_refused) {
  EXPECT_NE(refusal([](PipelineRun& r) {
              r.counters.resize(r.schedule.executions.size());
              for (auto& c : r.counters) c.bytes_moved = std::int64_t{1} << 60;
            }).find("the sum of its counters is too large"),
            std::string::npos);
}

TEST(RunCheck, spans_that_add_up_beyond_nanoseconds_are_refused) {
  EXPECT_NE(refusal([](PipelineRun& r) {
              constexpr std::int64_t late = std::int64_t{1} << 60;
              r.schedule.executions[3].end = Nanoseconds(late);
              for (auto& v : r.schedule.visits) v.left = Nanoseconds(late);
            }).find("the sum of its times is too large"),
            std::string::npos);
}

}  // namespace
}  // namespace takt
