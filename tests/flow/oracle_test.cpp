// The state machine and a brute-force simulation that shares nothing with it agree in every nanosecond.
#include "flow/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "flow/random_pipeline.h"
#include "places.h"

namespace takt {
namespace {

class ServiceFunction final : public ServiceTimes {
 public:
  explicit ServiceFunction(const OracleInput& input) : input_(input) {}
  Nanoseconds service(const Execution& execution) override { return Nanoseconds(input_.service(execution)); }

 private:
  const OracleInput& input_;
};

auto key(const ExecutionRecord& record) {
  return std::tie(record.what.batch, record.what.stage, record.what.phase, record.what.part);
}

void expect_same_executions(Schedule& flow, const Schedule& oracle) {
  std::sort(flow.executions.begin(), flow.executions.end(),
            [](const auto& a, const auto& b) { return key(a) < key(b); });
  ASSERT_EQ(flow.executions.size(), oracle.executions.size());
  for (std::size_t i = 0; i < flow.executions.size(); ++i) {
    const auto &ours = flow.executions[i], &theirs = oracle.executions[i];
    ASSERT_EQ(ours.what, theirs.what) << "execution " << i;
    ASSERT_EQ(std::tie(ours.ready, ours.start, ours.end), std::tie(theirs.ready, theirs.start, theirs.end))
        << "batch " << ours.what.batch << " stage " << ours.what.stage;
  }
}

void expect_same_visits(const Schedule& flow, const Schedule& oracle) {
  ASSERT_EQ(flow.visits.size(), oracle.visits.size());
  for (std::size_t i = 0; i < flow.visits.size(); ++i) {
    const auto &ours = flow.visits[i], &theirs = oracle.visits[i];
    ASSERT_EQ(std::tie(ours.batch, ours.stage, ours.replica), std::tie(theirs.batch, theirs.stage, theirs.replica));
    ASSERT_EQ(std::tie(ours.entered, ours.started, ours.dispatched, ours.joined, ours.done, ours.left),
              std::tie(theirs.entered, theirs.started, theirs.dispatched, theirs.joined, theirs.done, theirs.left))
        << "batch " << ours.batch << " stage " << ours.stage;
  }
}

void expect_agreement(const OracleInput& input, const ContentionLaw& law = {}) {
  ServiceFunction times(input);
  auto flow = simulate(input.shape, times, {input.arrivals, law, true});
  const auto slow = oracle(input);
  ASSERT_EQ(flow.batches.size(), slow.batches.size());
  for (std::size_t b = 0; b < flow.batches.size(); ++b) {
    const auto &ours = flow.batches[b], &theirs = slow.batches[b];
    ASSERT_EQ(std::tie(ours.arrived, ours.admitted, ours.delivered),
              std::tie(theirs.arrived, theirs.admitted, theirs.delivered))
        << "batch " << b;
  }
  expect_same_visits(flow, slow);
  expect_same_executions(flow, slow);
  EXPECT_EQ(flow.begin, slow.begin);
  EXPECT_EQ(flow.end, slow.end);
}

TEST(Oracle, agrees_on_a_thousand_random_pipelines) {
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_agreement(random_pipeline(seed));
    if (HasFatalFailure()) return;
  }
}

TEST(Oracle, agrees_on_a_thousand_random_pipelines_with_contention) {
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto input = random_pipeline(seed);
    const auto law = random_contention(input, seed);
    expect_agreement(input, law);
    if (HasFatalFailure()) return;
  }
}

TEST(Oracle, agrees_on_a_thousand_random_graphs_of_stages) {
  std::size_t forks = 0, meetings = 0;
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto input = random_graph(seed);
    for (const auto& behind : ways_of(input.shape).behind) forks += behind.size() > 1;
    for (const auto& stage : input.shape.stages) meetings += stage.after.size() > 1;
    if (seed % 2 == 0) {
      expect_agreement(input);
    } else {
      const auto law = random_contention(input, seed);
      expect_agreement(input, law);
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(forks, random_cases(1000));
  EXPECT_GT(meetings, random_cases(500));
}

}  // namespace
}  // namespace takt
