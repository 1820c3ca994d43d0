#include "model/openvino/node_times.h"

#include <gmock/gmock.h>

namespace takt::openvino {
namespace {

using std::chrono::microseconds;

constexpr Nanoseconds origin = std::chrono::seconds(1000);  // of the system clock

NodeStamp stamp(std::string_view name, int start_us, int own_us) {
  return {name, origin + microseconds(start_us), microseconds(own_us), true};
}

TimedCall call_of(int wall_us) { return {origin, origin + microseconds(wall_us), microseconds(wall_us)}; }

std::vector<int> durations(NodeClock& clock, const std::vector<NodeStamp>& nodes, const TimedCall& call) {
  std::vector<int> result;
  for (const NodeTime& time : clock.times(nodes, call))
    result.push_back(static_cast<int>(time.duration.count() / 1000));
  return result;
}

TEST(NodeClock, a_node_lasts_until_the_next_one_starts) {
  NodeClock clock;
  // "a" takes longer this time than its mean, and has all of it.
  EXPECT_THAT(durations(clock, {stamp("a", 1, 10), stamp("b", 11, 5)}, call_of(17)), testing::ElementsAre(10, 6));
  EXPECT_THAT(durations(clock, {stamp("a", 1, 10), stamp("b", 41, 5)}, call_of(47)), testing::ElementsAre(40, 6));
}

TEST(NodeClock, the_last_node_is_bounded_by_its_own_mean_and_not_by_the_return_of_the_call) {
  NodeClock clock;
  EXPECT_THAT(durations(clock, {stamp("a", 0, 10), stamp("b", 10, 5)}, call_of(400)), testing::ElementsAre(10, 6));
  EXPECT_THAT(durations(clock, {stamp("a", 0, 10), stamp("b", 10, 5)}, call_of(13)), testing::ElementsAre(10, 3))
      << "faster than its mean";
}

TEST(NodeClock, where_more_than_the_next_node_always_follows_a_node_has_its_own_mean) {
  NodeClock clock;
  const auto of = [](int next) { return std::vector{stamp("nonzero", 0, 1), stamp("b", next, 5)}; };
  EXPECT_THAT(durations(clock, of(6), call_of(20)), testing::ElementsAre(2, 6));
  EXPECT_THAT(durations(clock, of(90), call_of(99)), testing::ElementsAre(2, 6));
  // Once the next one follows at once: what came between was chance, and is the node's.
  EXPECT_THAT(durations(clock, of(3), call_of(20)), testing::ElementsAre(3, 6));
  EXPECT_THAT(durations(clock, of(90), call_of(99)), testing::ElementsAre(90, 6));
}

TEST(NodeClock, two_looks_at_one_inference_agree) {
  NodeClock clock;
  const std::vector<NodeStamp> nodes{stamp("a", 0, 1), stamp("b", 50, 5)};
  const auto first = durations(clock, nodes, call_of(60));
  EXPECT_EQ(durations(clock, nodes, call_of(60)), first);
}

TEST(NodeClock, stamps_of_earlier_inferences_and_of_nodes_that_did_not_run_are_left_out) {
  NodeClock clock;
  NodeStamp never{"never", Nanoseconds(0), microseconds(3), false};
  EXPECT_THAT(durations(clock, {stamp("old", -500, 10), never, stamp("a", -1, 10)}, call_of(20)),
              testing::ElementsAre(11));
}

TEST(NodeClock, without_stamps_means_are_laid_end_to_end_within_the_call) {
  NodeClock clock;
  const auto node = [](std::string_view name, int own_us) {
    return NodeStamp{name, Nanoseconds(0), microseconds(own_us), true};
  };
  EXPECT_THAT(durations(clock, {node("a", 7), node("b", 8)}, call_of(10)), testing::ElementsAre(7, 3));
}

}  // namespace
}  // namespace takt::openvino
