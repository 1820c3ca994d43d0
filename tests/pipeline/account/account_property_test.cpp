// What must hold in every run, and the causes of idle time against the definitions read instant by instant.
#include <gtest/gtest.h>

#include "base/statistics/random.h"
#include "pipeline/account/account.h"
#include "pipeline/account/account_sums.h"
#include "pipeline/record/run_words.h"
#include "places.h"

namespace takt {
namespace {

TEST(AccountProperty, all_sums_hold_on_three_thousand_random_runs) {
  for (std::uint64_t seed = 0; seed < random_cases(3000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = any_random_run(seed);
    const Accounts a = account(run);
    expect_devices_add_up(run, a);
    expect_batches_add_up(run, a);
    expect_parts_add_up(run, a);
    if (HasFatalFailure()) return;
  }
}

/// A measured run: every start is late by a little, as an engine's are, and what follows is late with it. Records keep
/// their order in each batch; the bounds of queues and devices may be broken, which an account must bear.
PipelineRun disturbed(PipelineRun run, std::uint64_t seed) {
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

/// `run` with copies: of each execution's inputs while it waits, and of its outputs after it. Of one side of a visit
/// there is one at most.
PipelineRun with_copies(PipelineRun run, std::uint64_t seed) {
  Random random(seed);
  const auto add = [&](const Execution& what, bool of_outputs, Nanoseconds from, Nanoseconds to) {
    if (random() % 2 == 0) return;
    CopySpan copy;
    copy.batch = what.batch, copy.stage = what.stage, copy.replica = what.replica, copy.part = what.part;
    copy.device = what.device, copy.of_outputs = of_outputs;
    const auto length = static_cast<std::uint64_t>((to - from).count());
    copy.start = from + Nanoseconds(static_cast<std::int64_t>(random() % (length + 1)));
    copy.end =
        copy.start +
        Nanoseconds(static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>((to - copy.start).count()) + 1)));
    run.copies.push_back(copy);
  };
  for (const ExecutionRecord& e : run.schedule.executions) {
    if (e.what.phase != FlowPhase::run) continue;
    const bool split = run.shape.stages[static_cast<std::size_t>(e.what.stage)].split();
    const auto& visit = run.schedule.visits[static_cast<std::size_t>(e.what.batch) * run.stages.size() +
                                            static_cast<std::size_t>(e.what.stage)];
    if (split) {
      add(e.what, false, std::min(std::max(e.ready, visit.dispatched), e.start), e.start);
      add(e.what, true, e.end, std::max(e.end, visit.done));
    } else {
      const Nanoseconds before = std::min(visit.started, e.start);
      add(e.what, false, std::min(visit.entered, before), before);
      add(e.what, true, std::max(visit.done, e.end), std::max(visit.left, e.end));
    }
  }
  std::stable_sort(run.copies.begin(), run.copies.end(),
                   [](const CopySpan& x, const CopySpan& y) { return x.start < y.start; });
  return run;
}

TEST(AccountProperty, all_sums_hold_whatever_an_engine_did_and_copied) {
  for (std::uint64_t seed = 0; seed < random_cases(2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const bool disturb = seed % 2 == 0;
    const PipelineRun run = with_copies(disturb ? disturbed(any_random_run(seed), seed) : any_random_run(seed), seed);
    const Accounts a = account(run);
    expect_devices_add_up(run, a);
    if (!disturb) expect_batches_add_up(run, a);
    ASSERT_LE(a.path.explained, a.path.length);
    if (!is_chain(run.shape)) continue;
    std::vector<std::int64_t> copied(a.batches.size());
    for (const CopySpan& copy : run.copies) {
      const FlowStage& stage = run.shape.stages[static_cast<std::size_t>(copy.stage)];
      if (!stage.split()) copied[static_cast<std::size_t>(copy.batch)] += (copy.end - copy.start).count();
    }
    for (std::size_t b = 0; b < copied.size(); ++b) ASSERT_EQ(a.batches[b].copy.count(), copied[b]);
    if (HasFatalFailure()) return;
  }
}

bool within(std::int64_t t, Nanoseconds from, Nanoseconds to) { return from.count() <= t && t < to.count(); }

/// The cause of one instant on one device, from the definitions and all records, as a place in causes().
class Definition {
 public:
  explicit Definition(const PipelineRun& run) : run_(run) {}

  std::size_t cause(int device, std::int64_t t) const {
    for (const auto& e : run_.schedule.executions)
      if (e.what.device == device && within(t, e.start, e.end)) return 0;
    bool reached = false, gone = true;
    for (const auto& v : run_.schedule.visits) {
      if (!here(device, v.stage, v.replica)) continue;
      reached = reached || v.entered.count() <= t;
      gone = gone && v.left.count() <= t;
    }
    if (!reached) return 6;
    if (gone) return 7;
    const auto any_stage = [&](auto holds) {
      for (int s = 0; s < stages(); ++s)
        if (holds(s)) return true;
      return false;
    };
    if (any_stage([&](int s) { return could_start(device, s, t); })) return 5;
    for (const CopySpan& copy : run_.copies)
      if (copy.device == device && within(t, copy.start, copy.end)) return 1;
    if (any_stage([&](int s) { return works_elsewhere(device, s, t); })) return 2;
    if (any_stage([&](int s) { return held_up(device, s, t); })) return 4;
    return 3;
  }

 private:
  int stages() const { return static_cast<int>(run_.stages.size()); }
  const FlowStage& stage_of(int s) const { return run_.shape.stages[static_cast<std::size_t>(s)]; }

  template <typename Holds>
  int visits(int stage, Holds holds) const {
    int count = 0;
    for (auto i = static_cast<std::size_t>(stage); i < run_.schedule.visits.size(); i += run_.stages.size())
      count += holds(run_.schedule.visits[i]);
    return count;
  }

  int queued(int stage, std::int64_t t) const {
    return visits(stage, [&](const VisitRecord& v) { return within(t, v.entered, v.started); });
  }
  bool full_behind(int stage, std::int64_t t) const {
    for (int next = stage + 1; next < stages(); ++next) {
      const auto before = stages_before(run_.shape, next);
      if (std::find(before.begin(), before.end(), stage) == before.end()) continue;
      const int count = before.size() == 1 ? queued(next, t) : on_the_way(stage, next, t);
      if (count >= stage_of(next).queue) return true;
    }
    return false;
  }
  /// Batches that left `stage` and have not started in `next`, whether or not they came there from elsewhere, too.
  int on_the_way(int stage, int next, std::int64_t t) const {
    return visits(next, [&](const VisitRecord& v) {
      const auto i = static_cast<std::size_t>(v.batch) * run_.stages.size() + static_cast<std::size_t>(stage);
      return within(t, std::min(run_.schedule.visits[i].left, v.entered), v.started);
    });
  }
  bool here(int device, int stage, int replica) const {
    const auto& parts = stage_of(stage).replicas[static_cast<std::size_t>(replica)];
    return std::find(parts.begin(), parts.end(), device) != parts.end();
  }
  /// Its input is on its way.
  bool fetched(std::int64_t batch, int stage, int part, std::int64_t t) const {
    return std::any_of(run_.copies.begin(), run_.copies.end(), [&](const CopySpan& copy) {
      return !copy.of_outputs && copy.batch == batch && copy.stage == stage && copy.part == part &&
             within(t, copy.start, copy.end);
    });
  }
  bool waits(int stage, std::int64_t t) const {
    return visits(stage,
                  [&](const VisitRecord& v) { return within(t, v.entered, v.started) && !ordinary_fetch(v, t); }) > 0;
  }
  bool ordinary_fetch(const VisitRecord& v, std::int64_t t) const {
    return !stage_of(v.stage).split() && fetched(v.batch, v.stage, 0, t);
  }

  bool could_start(int device, int stage, std::int64_t t) const {
    for (const auto& e : run_.schedule.executions) {
      const bool part_waits =
          e.what.stage == stage && e.what.device == device && stage_of(stage).split() && within(t, e.ready, e.start);
      if (part_waits && !fetched(e.what.batch, stage, e.what.part, t)) return true;
    }
    if (!waits(stage, t) || full_behind(stage, t)) return false;
    for (int r = 0; r < static_cast<int>(stage_of(stage).replicas.size()); ++r) {
      if (!here(device, stage, r)) continue;
      const auto taken = [&](const VisitRecord& v) {
        if (v.replica != r) return false;
        return within(t, v.started, v.left) || (within(t, v.entered, v.started) && ordinary_fetch(v, t));
      };
      if (visits(stage, taken) == 0) return true;
    }
    return false;
  }

  bool works_elsewhere(int device, int stage, std::int64_t t) const {
    if (!stage_of(stage).split()) return false;
    return visits(stage, [&](const VisitRecord& v) {
             return within(t, v.started, v.done) && here(device, stage, v.replica);
           }) > 0;
  }

  bool held_up(int device, int stage, std::int64_t t) const {
    const bool hosted = [&] {
      for (int r = 0; r < static_cast<int>(stage_of(stage).replicas.size()); ++r)
        if (here(device, stage, r)) return true;
      return false;
    }();
    if (hosted && waits(stage, t) && full_behind(stage, t)) return true;
    return visits(stage, [&](const VisitRecord& v) {
             return within(t, v.done, v.left) && here(device, stage, v.replica);
           }) > 0;
  }

  const PipelineRun& run_;
};

TEST(AccountProperty, causes_are_those_of_the_definitions_read_instant_by_instant) {
  int compared = 0;
  std::vector<int> seen(8, 0);
  for (std::uint64_t seed = 0; seed < 1200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = seed % 4 == 0   ? disturbed(random_run(seed), seed)
                            : seed % 4 == 1 ? with_copies(disturbed(random_run(seed), seed), seed)
                                            : any_random_run(seed);
    const Accounts a = account(run);
    if (a.window.length().count() > 400) continue;
    ++compared;
    const Definition definition(run);
    for (int d = 0; d < static_cast<int>(run.devices.size()); ++d) {
      std::vector<std::int64_t> expected(8, 0);
      for (std::int64_t t = a.window.begin.count(); t < a.window.end.count(); ++t) ++expected[definition.cause(d, t)];
      ASSERT_EQ(causes(a.devices[static_cast<std::size_t>(d)]), expected) << "device " << d;
      for (std::size_t cause = 0; cause < 8; ++cause) seen[cause] += expected[cause] > 0;
    }
  }
  EXPECT_GE(compared, 80);
  for (const int count : seen) EXPECT_GE(count, 10) << "every cause must occur";
}

}  // namespace
}  // namespace takt
