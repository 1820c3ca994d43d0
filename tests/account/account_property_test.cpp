// What must hold in every run, and the causes of idle time against the definitions read instant by instant.
#include <gtest/gtest.h>

#include "account/account.h"
#include "account/account_sums.h"
#include "record/run_words.h"

namespace takt {
namespace {

TEST(AccountProperty, all_sums_hold_on_a_thousand_random_runs) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = random_run(seed);
    const Accounts a = account(run);
    expect_devices_add_up(run, a);
    expect_batches_add_up(run, a);
    expect_parts_add_up(run, a);
    if (HasFatalFailure()) return;
  }
}

/// A measured run: every start is late by a little, as an engine's are, and what follows is late with it. Records keep
/// their order in each batch; the bounds of queues and devices may be broken, which an account must bear.
PipelineRun disturbed_run(std::uint64_t seed) {
  PipelineRun run = random_run(seed);
  run.virtual_clock = false;
  std::uint64_t state = seed * 2654435761U + 1;
  const auto late = [&](Nanoseconds time) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return Nanoseconds(time.count() * 7 + static_cast<std::int64_t>((state >> 33) % 3));
  };
  for (auto& e : run.schedule.executions) {
    // Times seven leaves room for two, so nothing changes its order.
    e.ready = Nanoseconds(e.ready.count() * 7), e.start = late(e.start), e.end = Nanoseconds(e.end.count() * 7 + 2);
  }
  std::sort(run.schedule.executions.begin(), run.schedule.executions.end(),
            [](const auto& x, const auto& y) { return x.start < y.start; });
  for (auto& v : run.schedule.visits) {
    v.entered = Nanoseconds(v.entered.count() * 7);
    v.started = late(v.started);
    v.dispatched = std::max(v.started, Nanoseconds(v.dispatched.count() * 7));
    v.joined = Nanoseconds(v.joined.count() * 7 + 2), v.done = Nanoseconds(v.done.count() * 7 + 2);
    v.left = Nanoseconds(v.left.count() * 7 + 3);
  }
  for (auto& b : run.schedule.batches) {
    b.arrived = Nanoseconds(b.arrived.count() * 7), b.admitted = Nanoseconds(b.admitted.count() * 7);
    b.delivered = Nanoseconds(b.delivered.count() * 7 + 4);
  }
  return run;
}

TEST(AccountProperty, devices_add_up_whatever_an_engine_did) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = disturbed_run(seed);
    const Accounts a = account(run);
    expect_devices_add_up(run, a);
    ASSERT_LE(a.path.explained, a.path.length);
    if (HasFatalFailure()) return;
  }
}

bool within(std::int64_t t, Nanoseconds from, Nanoseconds to) { return from.count() <= t && t < to.count(); }

/// The cause of one instant on one device, from the definitions and all records; 0 busy, 1 starved, 2 blocked,
/// 3 dispatch, 4 fill, 5 drain.
class Definition {
 public:
  explicit Definition(const PipelineRun& run) : run_(run) {}

  std::size_t cause(int device, std::int64_t t) const {
    bool reached = false;
    std::int64_t left = -1;
    for (const auto& e : run_.schedule.executions) {
      if (e.what.device != device) continue;
      if (within(t, e.start, e.end)) return 0;
      reached = reached || e.ready.count() <= t;
      const auto& visit = visit_of(e.what.batch, e.what.stage);
      const bool split = stage_of(e.what.stage).split();
      left = std::max<std::int64_t>(left, (split ? e.end : visit.left).count());
    }
    if (!reached) return 4;
    if (left <= t) return 5;
    for (int s = 0; s < stages(); ++s)
      if (could_start(device, s, t)) return 3;
    for (int s = 0; s < stages(); ++s)
      if (held_up(device, s, t)) return 2;
    return 1;
  }

 private:
  int stages() const { return static_cast<int>(run_.stages.size()); }
  const FlowStage& stage_of(int s) const { return run_.shape.stages[static_cast<std::size_t>(s)]; }
  const VisitRecord& visit_of(std::int64_t batch, int stage) const {
    return run_.schedule.visits[static_cast<std::size_t>(batch) * run_.stages.size() + static_cast<std::size_t>(stage)];
  }

  int queued(int stage, std::int64_t t) const {
    int count = 0;
    for (const auto& v : run_.schedule.visits) count += v.stage == stage && within(t, v.entered, v.started);
    return count;
  }
  bool full_behind(int stage, std::int64_t t) const {
    return stage + 1 < stages() && queued(stage + 1, t) >= stage_of(stage + 1).queue;
  }
  bool here(int device, int stage, int replica) const {
    const auto& parts = stage_of(stage).replicas[static_cast<std::size_t>(replica)];
    return std::find(parts.begin(), parts.end(), device) != parts.end();
  }

  bool could_start(int device, int stage, std::int64_t t) const {
    for (const auto& e : run_.schedule.executions)
      if (e.what.stage == stage && e.what.device == device && stage_of(stage).split() && within(t, e.ready, e.start))
        return true;
    if (queued(stage, t) == 0 || full_behind(stage, t)) return false;
    for (int r = 0; r < static_cast<int>(stage_of(stage).replicas.size()); ++r) {
      if (!here(device, stage, r)) continue;
      const auto taken = [&](const VisitRecord& v) {
        return v.stage == stage && v.replica == r && within(t, v.started, v.left);
      };
      if (std::none_of(run_.schedule.visits.begin(), run_.schedule.visits.end(), taken)) return true;
    }
    return false;
  }

  bool held_up(int device, int stage, std::int64_t t) const {
    const bool hosted = [&] {
      for (int r = 0; r < static_cast<int>(stage_of(stage).replicas.size()); ++r)
        if (here(device, stage, r)) return true;
      return false;
    }();
    if (hosted && queued(stage, t) > 0 && full_behind(stage, t)) return true;
    for (const auto& v : run_.schedule.visits)
      if (v.stage == stage && here(device, stage, v.replica) && within(t, v.done, v.left)) return true;
    return false;
  }

  const PipelineRun& run_;
};

TEST(AccountProperty, causes_are_those_of_the_definitions_read_instant_by_instant) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = seed % 3 == 0 ? disturbed_run(seed) : random_run(seed);
    const Accounts a = account(run);
    if (a.window.length().count() > 600) continue;
    ++compared;
    const Definition definition(run);
    for (int d = 0; d < static_cast<int>(run.devices.size()); ++d) {
      std::vector<std::int64_t> expected(6, 0);
      for (std::int64_t t = a.window.begin.count(); t < a.window.end.count(); ++t) ++expected[definition.cause(d, t)];
      ASSERT_EQ(causes(a.devices[static_cast<std::size_t>(d)]), expected) << "device " << d;
    }
  }
  EXPECT_GE(compared, 80);
}

}  // namespace
}  // namespace takt
