#include "flow/pipeline_flow.h"
#include "base/statistics/random.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/basics/error.h"
#include "flow/flow_words.h"
#include "flow/makespan.h"
#include "flow/random_pipeline.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> said(const std::vector<FlowAction>& actions) {
  std::vector<std::string> words;
  for (const auto& action : actions) {
    const auto batch = std::to_string(action.what.batch), stage = std::to_string(action.what.stage);
    switch (action.kind) {
      case FlowActionKind::admit:
        words.push_back("admit " + batch);
        break;
      case FlowActionKind::start:
        words.push_back("start " + batch + " in " + stage);
        break;
      case FlowActionKind::leave:
        words.push_back("leave " + batch + " from " + stage);
        break;
      case FlowActionKind::deliver:
        words.push_back("deliver " + batch);
        break;
      case FlowActionKind::finish:
        words.push_back("finish");
        break;
    }
  }
  return words;
}

Execution run(std::int64_t batch, int stage, int replica = 0, int device = 0) {
  return {batch, stage, replica, 0, device, FlowPhase::run};
}

TEST(PipelineFlow, tells_a_story) {
  PipelineFlow flow(pipeline({stage_on(0), stage_on(0)}, 3));
  EXPECT_THAT(said(flow.settle()), ElementsAre("admit 0", "start 0 in 0", "admit 1"));
  EXPECT_THAT(said(flow.settle()), IsEmpty());
  flow.done(run(0, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("leave 0 from 0", "start 0 in 1", "start 1 in 0", "admit 2"));
  EXPECT_EQ(flow.running(0), 2);
  EXPECT_EQ(flow.queued(0), 1);
  flow.done(run(1, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("leave 1 from 0", "start 2 in 0"));
  flow.done(run(2, 0));
  EXPECT_THAT(said(flow.settle()), IsEmpty());  // blocked: batch 1 waits in front of stage 1
  flow.done(run(0, 1));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 0", "start 1 in 1", "leave 2 from 0"));
  flow.done(run(1, 1));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 1", "start 2 in 1"));
  flow.done(run(2, 1));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 2", "finish"));
  EXPECT_TRUE(flow.finished());
  EXPECT_THAT(said(flow.settle()), IsEmpty());
}

TEST(PipelineFlow, without_batches_it_is_finished_at_once) {
  PipelineFlow flow(pipeline({stage_on(0)}, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("finish"));
}

TEST(PipelineFlow, a_closed_source_admits_nothing_and_the_rest_is_delivered) {
  PipelineFlow flow(pipeline({stage_on(0)}, 1000));
  EXPECT_THAT(said(flow.settle()), ElementsAre("admit 0", "start 0 in 0", "admit 1"));
  flow.close();
  flow.done(run(0, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 0", "start 1 in 0"));
  flow.done(run(1, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 1", "finish"));
}

TEST(PipelineFlow, what_came_to_an_open_source_before_it_was_closed_is_served) {
  auto shape = pipeline({stage_on(0)}, 0);
  shape.source = {true, 1, std::nullopt};
  PipelineFlow flow(shape);
  EXPECT_THAT(said(flow.settle()), IsEmpty());
  flow.arrive(2);
  EXPECT_EQ(flow.backlog(), 2);
  EXPECT_THAT(said(flow.settle()), ElementsAre("admit 0", "start 0 in 0"));
  EXPECT_EQ(flow.backlog(), 1);
  flow.close();
  flow.arrive();
  flow.done(run(0, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 0", "admit 1", "start 1 in 0"));
  flow.done(run(1, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 1", "finish"));
}

TEST(PipelineFlow, an_interrupted_run_forgets_its_backlog) {
  auto shape = pipeline({stage_on(0)}, 0);
  shape.source = {true, 1, std::nullopt};
  PipelineFlow flow(shape);
  flow.arrive(5);
  flow.settle();
  flow.close();
  flow.drop_backlog();
  flow.done(run(0, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 0", "finish"));
}

TEST(PipelineFlow, takes_no_more_arrivals_than_there_are_batches) {
  auto shape = pipeline({stage_on(0)}, 1);
  shape.source.open = true;
  PipelineFlow flow(shape);
  flow.arrive(7);
  EXPECT_EQ(flow.backlog(), 1);
  flow.arrive(-3);
  EXPECT_EQ(flow.backlog(), 1);
}

TEST(PipelineFlow, refuses_what_it_did_not_start) {
  PipelineFlow flow(pipeline({stage_on(0, 2), stage_over({0, 1})}, 3));
  const auto refused = [&](const Execution& what) {
    return flow_refusal([&] { flow.done(what); }, ErrorKind::runtime);
  };
  const auto no = [](int batch, int part, int replica, int stage) {
    return fmt::format(
        "flow: batch {} does not execute part {} in replica {} of stage {}; report an execution once, "
        "after it was started",
        batch, part, replica, stage);
  };
  EXPECT_EQ(refused(run(0, 0)), no(0, 0, 0, 0));
  flow.settle();
  EXPECT_EQ(refused(run(7, 0)), no(7, 0, 0, 0));
  EXPECT_EQ(refused(run(0, 7)), no(0, 0, 0, 7));
  EXPECT_EQ(refused(run(0, -1)), no(0, 0, 0, -1));
  EXPECT_EQ(refused(run(0, 0, 2)), no(0, 0, 2, 0));
  EXPECT_EQ(refused({0, 0, 0, 1, 0, FlowPhase::run}), no(0, 1, 0, 0));
  EXPECT_EQ(refused({0, 0, 0, 0, 0, FlowPhase::merge}), no(0, 0, 0, 0));
  EXPECT_EQ(refused(run(0, 0)), "");
  EXPECT_EQ(refused(run(0, 0)), no(0, 0, 0, 0));
  flow.settle();
  EXPECT_EQ(refused(run(0, 1)), no(0, 0, 0, 1)) << "its partition comes first";
}

/// All actions of a run in which the reports of one instant are shuffled by the seed.
std::vector<FlowAction> story(const OracleInput& input, std::uint64_t seed) {
  Random random(seed);
  PipelineFlow flow(input.shape);
  std::multimap<std::int64_t, Execution> running;
  std::vector<FlowAction> all;
  for (std::int64_t now = 0;; now = running.begin()->first) {
    std::vector<Execution> over;
    while (!running.empty() && running.begin()->first == now) {
      over.push_back(running.begin()->second);
      running.erase(running.begin());
    }
    for (std::size_t i = over.size(); i > 1; --i) std::swap(over[i - 1], over[random() % i]);
    for (const auto& execution : over) flow.done(execution);
    for (const auto& action : flow.settle()) {
      all.push_back(action);
      if (action.kind == FlowActionKind::start) running.emplace(now + input.service(action.what), action.what);
    }
    if (flow.finished()) return all;
  }
}

TEST(PipelineFlow, the_order_of_reports_of_one_instant_does_not_show) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto input = random_pipeline(seed);
    input.shape.source.open = false;
    const auto first = story(input, 1), second = story(input, 2);
    ASSERT_EQ(first.size(), second.size()) << "seed " << seed;
    for (std::size_t i = 0; i < first.size(); ++i) {
      ASSERT_EQ(first[i].kind, second[i].kind) << "seed " << seed;
      ASSERT_EQ(first[i].what, second[i].what) << "seed " << seed;
    }
  }
}

TEST(FlowShape, refuses_what_cannot_work) {
  const auto good = pipeline({stage_on(0), stage_over({0, 1}, 2)}, 3);
  const auto refused = [&](const std::function<void(FlowShape&)>& change) {
    auto shape = good;
    change(shape);
    return flow_refusal([&] { PipelineFlow{shape}; });
  };
  EXPECT_EQ(refused([](FlowShape&) {}), "");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.stages.clear(); }),
            "pipeline: it has no stage; describe at least one");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.stages[1].replicas.clear(); }),
            "stage 1: it has no replica; give it 1 or more");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.stages[0].replicas = {{}}; }),
            "stage 0: it has no device; name the one it runs on");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.stages[0].queue = -4; }),
            "stage 0: a queue of -4 holds no batch; use 1 or more");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.stages[0].queue = 0; }),
            "stage 0: a queue of 0 holds no batch; use 1 or more");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.stages[0].replicas = {{2}}; }),
            "stage 0: device 2 does not exist; use 0 to 1");
  EXPECT_EQ(refused([](FlowShape& shape) {
              shape.stages[1].replicas[1] = {0, -1};
            }),
            "stage 1: device -1 does not exist; use 0 to 1");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.stages[1].replicas[1].pop_back(); }),
            "stage 1: its replicas have different numbers of parts; split all of them in the same way");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.devices[1].requests = 0; }),
            "device 1: 0 requests cannot run anything; allow 1 or more");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.source.in_flight = 0; }),
            "source: 0 batches in flight cannot run anything; allow 1 or more");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.source.batches = -1; }),
            "source: -1 is not a number of batches; use 0 or more");
  EXPECT_EQ(refused([](FlowShape& shape) { shape.source.batches = 0; }), "");
}

TEST(FlowShape, has_at_most_a_million_replicas_and_parts) {
  auto shape = pipeline({stage_over({0, 1}, 2), stage_over(std::vector<int>((1 << 20) - 4, 0))}, 3);
  EXPECT_EQ(flow_refusal([&] { check(shape, {}); }), "");
  shape.stages[1].replicas[0].push_back(0);
  EXPECT_EQ(flow_refusal([&] { check(shape, {}); }), "pipeline: more than 1048576 replicas and parts; use fewer");
}

/// 0 forks into 1 and 2, which meet in 3.
FlowShape diamond(std::int64_t batches, int queue = 1) {
  auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2), stage_on(3)}, batches);
  for (auto& stage : shape.stages) stage.queue = queue;
  shape.stages[2].after = {0};
  shape.stages[3].after = {1, 2};
  return shape;
}

TEST(PipelineFlow, sends_a_batch_along_all_ways_and_waits_for_it_where_they_meet) {
  PipelineFlow flow(diamond(1));
  EXPECT_THAT(said(flow.settle()), ElementsAre("admit 0", "start 0 in 0"));
  flow.done(run(0, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("leave 0 from 0", "start 0 in 1", "start 0 in 2"));
  flow.done(run(0, 2, 0, 2));
  EXPECT_THAT(said(flow.settle()), ElementsAre("leave 0 from 2"));
  EXPECT_EQ(flow.queued(3), 0);
  flow.done(run(0, 1, 0, 1));
  EXPECT_THAT(said(flow.settle()), ElementsAre("leave 0 from 1", "start 0 in 3"));
  flow.done(run(0, 3, 0, 3));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 0", "finish"));
}

TEST(PipelineFlow, delivers_a_batch_when_it_has_left_the_last_of_several_ways_out) {
  auto shape = pipeline({stage_on(0), stage_on(1)}, 1);
  shape.stages[1].after = {FlowStage::source};
  PipelineFlow flow(shape);
  EXPECT_THAT(said(flow.settle()), ElementsAre("admit 0", "start 0 in 0", "start 0 in 1"));
  flow.done(run(0, 1, 0, 1));
  EXPECT_THAT(said(flow.settle()), ElementsAre("leave 0 from 1"));
  EXPECT_EQ(flow.delivered(), 0);
  flow.done(run(0, 0));
  EXPECT_THAT(said(flow.settle()), ElementsAre("deliver 0", "finish"));
}

TEST(PipelineFlow, takes_the_longest_way_for_one_batch_and_the_slowest_stage_for_many) {
  EXPECT_EQ(simulated(diamond(1), {takes(1), takes(10), takes(4), takes(2)}), 13);
  EXPECT_EQ(simulated(diamond(11), {takes(1), takes(10), takes(4), takes(2)}), 13 + 10 * 10);
}

TEST(PipelineFlow, holds_a_short_way_back_by_the_room_where_it_meets_a_long_one) {
  // 0, 1, 2 and 3 in a row, and straight from 0 to 3: what waits there for the long way fills the queue of one.
  auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2), stage_on(3)}, 101);
  shape.stages[3].after = {0, 2};
  const std::vector<StageTime> times{takes(10), takes(10), takes(10), takes(10)};
  const auto cramped = simulated(shape, times);
  for (auto& stage : shape.stages) stage.queue = 3;
  EXPECT_EQ(simulated(shape, times), 40 + 100 * 10);
  EXPECT_GT(cramped, 100 * 14);
}

TEST(PipelineFlow, refuses_stages_that_cannot_follow_one_another) {
  auto shape = diamond(1);
  for (const auto& [after, why] : std::vector<std::pair<std::vector<int>, std::string>>{
           {{3}, "it cannot follow stage 3; name stages that precede it"},
           {{4}, "it cannot follow stage 4; name stages that precede it"},
           {{0, 1, 0}, "it follows stage 'in' twice; name a stage once"},
           {{-1, 0}, "a stage that follows other stages already follows the source; name the stages only"},
           {{-2}, "it cannot follow stage -2; name stages that precede it"}}) {
    shape.stages[3].after = after;
    EXPECT_EQ(flow_refusal([&] { check(shape, {"in", "left"}); }), "stage 3: " + why);
    EXPECT_NE(flow_refusal([&] { PipelineFlow{shape}; }), "");
  }
  shape = diamond(1);
  shape.stages[1] = stage_on(1, 2);
  shape.stages[1].ordered = false;
  // Its batches could come to stage 3 in another order than those of stage 2.
  EXPECT_EQ(flow_refusal([&] {
              check(shape, {"in", "left"});
            }),
            "stage 'left': its batches may overtake each other, but its downstream branches join again; keep their "
            "order");
  shape.stages[1] = stage_on(1);
  shape.stages[1].ordered = false;
  shape.stages[3].replicas.push_back({3});
  shape.stages[3].ordered = false;
  EXPECT_NO_THROW(PipelineFlow{shape});
}

}  // namespace
}  // namespace takt
