// The engine under random scheduling: random pipelines of real threads that sleep, yield and spin at random, beside
// simulated devices in real time; some are interrupted, some fail. Whatever happens, the record is one that can be, its
// account adds up to the nanosecond, and the trace tells the same. Meant for the thread sanitizer too.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <thread>

#include "base/statistics/random.h"
#include "pipeline/account/account_sums.h"
#include "pipeline/engine/fake_stages.h"
#include "pipeline/record/measured_runs.h"
#include "pipeline/record/run_check.h"
#include "pipeline/record/run_journal.h"
#include "test_folder.h"

namespace takt {
namespace {

using std::chrono::microseconds;

class StressDice {
 public:
  explicit StressDice(std::uint64_t seed) : source_(seed) { source_(); }
  int roll(int least, int most) {
    return least + static_cast<int>(source_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool one_in(int n) { return roll(1, n) == 1; }

 private:
  Random source_;
};

std::string random_stage(StressDice& dice, int number, bool simulated) {
  const bool split = dice.one_in(3);
  std::string text = "  - {name: s" + std::to_string(number) + ", replicas: " + std::to_string(dice.roll(1, 3)) +
                     ", queue: " + std::to_string(dice.roll(1, 3)) +
                     ", ordered: " + (dice.one_in(2) ? "true" : "false");
  const std::string one = simulated ? (dice.one_in(2) ? "sim:GPU" : "sim:NPU") : "CPU";
  const std::string other = simulated ? "sim:NPU" : "CPU";
  text += split ? ", split: {devices: [" + one + ", " + other + "], ratio: [0.7, 0.3]}" : ", device: " + one;
  if (!simulated) return text + ", dummy: {matmul: 8}}\n";
  text += ", dummy: {time: " + std::to_string(dice.roll(0, 300)) + "us";
  return text + (split ? ", partition: 20us, merge: 30us}}\n" : "}}\n");
}

std::string random_yaml(std::uint64_t seed) {
  StressDice dice(seed);
  std::string text = "batches: " + std::to_string(dice.roll(10, 40)) + "\nqueue: 2\ntimeout: 60s\n";
  if (dice.one_in(3)) text += "source: poisson 4000/s\nseed: " + std::to_string(seed) + "\n";
  if (dice.one_in(2)) text += "in_flight: " + std::to_string(dice.roll(1, 8)) + "\n";
  const int stages = dice.roll(1, 5);
  std::vector<bool> simulated;
  for (int s = 0; s < stages; ++s) simulated.push_back(dice.one_in(3));
  const bool real = std::find(simulated.begin(), simulated.end(), false) != simulated.end();
  if (real && dice.one_in(2)) text += "devices: {CPU: {requests: " + std::to_string(dice.roll(1, 4)) + "}}\n";
  if (stages > 1 && simulated[0] && simulated[1]) text += "contention: {interference: {s0: {s1: 1.5}}}\n";
  text += "stages:\n";
  for (int s = 0; s < stages; ++s) text += random_stage(dice, s, simulated[static_cast<std::size_t>(s)]);
  return text;
}

void dawdle(StressDice& dice) {
  switch (dice.roll(0, 3)) {
    case 0:
      return;
    case 1:
      for (int i = dice.roll(1, 20); i > 0; --i) std::this_thread::yield();
      return;
    case 2:
      std::this_thread::sleep_for(microseconds(dice.roll(0, 200)));
      return;
    default:
      for (const auto until = steady_now() + microseconds(dice.roll(0, 50)); steady_now() < until;) {
      }
  }
}

/// Every request dawdles by dice of its own; with `fails`, one of stage 0 fails at its third inference.
FakeInferences random_inferences(std::uint64_t seed, bool fails) {
  return [=](int stage, int replica, int part) -> FakeInference {
    const auto own = seed * 1000003 + static_cast<std::uint64_t>(stage * 100 + replica * 10 + part);
    const bool bad = fails && stage == 0 && replica == 0 && part == 0;
    const auto dice = std::make_shared<StressDice>(own);  // touched by one request, which runs one inference at a time
    return [=](std::int64_t inference) {
      dawdle(*dice);
      return bad && inference == 2 ? std::optional<std::string>("broken") : std::nullopt;
    };
  };
}

/// No device runs more at once than it may, no replica holds two batches, ordered stages keep the order.
void expect_rules_kept(const PipelineRun& run) {
  for (std::size_t d = 0; d < run.devices.size(); ++d) {
    std::vector<std::pair<Nanoseconds, int>> changes;
    for (const auto& e : run.schedule.executions)
      if (e.what.device == static_cast<int>(d)) changes.insert(changes.end(), {{e.start, 1}, {e.end, -1}});
    std::sort(changes.begin(), changes.end());  // an end goes before a start of the same time
    int now = 0;
    for (const auto& change : changes) {
      now += change.second;
      if (const auto most = run.shape.devices[d].requests) {
        ASSERT_LE(now, *most) << run.devices[d].name;
      }
    }
  }
  std::map<std::pair<int, int>, Nanoseconds> free_at;
  auto visits = run.schedule.visits;
  std::sort(visits.begin(), visits.end(), [](auto& x, auto& y) { return x.started < y.started; });
  for (const auto& v : visits) {
    auto& free = free_at[{v.stage, v.replica}];
    ASSERT_GE(v.started, free) << "stage " << v.stage << ", batch " << v.batch;
    free = v.left;
  }
  for (std::size_t s = 0; s < run.stages.size(); ++s)
    for (std::size_t b = 1; run.shape.stages[s].ordered && b < run.schedule.batches.size(); ++b) {
      const auto &before = run.schedule.visits[(b - 1) * run.stages.size() + s],
                 &after = run.schedule.visits[b * run.stages.size() + s];
      if (before.entered < after.entered) {
        ASSERT_LE(before.left, after.left) << "stage " << s << ", batch " << b;
      }
    }
}

void expect_no_overlap_on_a_row(const Trace& trace) {
  std::vector<std::int64_t> reached(trace.rows().size(), std::numeric_limits<std::int64_t>::min());
  for (const TraceEvent& event : trace.events()) {
    auto& end = reached[static_cast<std::size_t>(event.row)];
    ASSERT_GE(event.start_ns, end) << trace.rows()[static_cast<std::size_t>(event.row)].name;
    end = event.start_ns + event.duration_ns;
  }
}

void expect_sound(const PipelineRun& run) {
  check(run, "stress");
  const Accounts a = account(run);
  expect_devices_add_up(run, a);
  expect_batches_add_up(run, a);
  expect_parts_add_up(run, a);
  ASSERT_LE(a.path.explained, a.path.length);
  expect_rules_kept(run);
  const Trace trace = to_trace(run);
  expect_no_overlap_on_a_row(trace);
  const auto live = tables(a), read = tables(account(read_pipeline_run(trace, "trace")));
  ASSERT_EQ(live.size(), read.size());
  for (std::size_t t = 0; t < live.size(); ++t) ASSERT_EQ(to_csv(live[t]), to_csv(read[t]));
}

/// Every second run is told to a journal instead of being kept in memory.
class StressJournal {
 public:
  StressJournal(std::uint64_t seed, EngineSettings& settings) {
    if (seed % 2 == 0) return;
    journal_.emplace(folder_ / "run.journal");
    settings.sink = &*journal_;
  }
  /// The file tells what the engine gave.
  void expect_same_run(const PipelineRun& run) const {
    if (!journal_) return;
    const JournalledRun read = read_run_journal(journal_->path());
    EXPECT_TRUE(read.ended);
    expect_same(run, read.run);
  }

 private:
  TestFolder folder_;
  std::optional<RunJournal> journal_;
};

TEST(EngineStress, every_run_is_sound_however_threads_are_scheduled) {
  std::int64_t delivered = 0, failed = 0, interrupted = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto yaml = random_yaml(seed);
    SCOPED_TRACE(testing::Message() << "seed " << seed << "\n" << yaml);
    std::atomic<bool> stop{false};
    EngineSettings settings;
    settings.stop = &stop;
    if (seed % 5 == 3) settings.progress = [&](std::int64_t done, std::int64_t) { stop = stop || done >= 5; };
    const StressJournal journal(seed, settings);
    FakeEngine engine(yaml, random_inferences(seed, seed % 7 == 6), settings);
    ASSERT_TRUE(engine.run()) << "something never came back";
    expect_sound(engine.result);
    journal.expect_same_run(engine.result);
    if (HasFatalFailure()) return;
    const auto& run = engine.result;
    if (run.failure) {
      // A stage that the machine held up for longer than an interrupt waits is abandoned.
      const bool is_abandoned = stop && run.failure->find("interrupted; it had not returned") != std::string::npos;
      EXPECT_TRUE(run.failure->find("p.yaml: stage 's0'") != std::string::npos || is_abandoned) << *run.failure;
    } else if (!run.interrupted) {
      EXPECT_EQ(static_cast<std::int64_t>(run.schedule.batches.size()), *engine.spec().batches);
    }
    delivered += static_cast<std::int64_t>(run.schedule.batches.size());
    failed += run.failure.has_value();
    interrupted += run.interrupted && !run.failure;
  }
  EXPECT_GT(delivered, 1000);
  EXPECT_GT(failed, 3);
  EXPECT_GT(interrupted, 3);
}

}  // namespace
}  // namespace takt
