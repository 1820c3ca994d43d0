// Stages that fail and stages that hang, wherever they are and whatever runs beside them: the run ends, says who it
// was, and keeps what was delivered until then.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pipeline/account/account_sums.h"
#include "pipeline/engine/fake_stages.h"
#include "pipeline/record/run_check.h"

namespace takt {
namespace {

/// Where an inference waits until the test has seen enough.
class Gate {
 public:
  ~Gate() { open(); }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

const std::string chain =
    "batches: 50\ntimeout: 300ms\nstages:\n  - {name: load, dummy: {matmul: 8}, device: CPU}\n"
    "  - {name: infer, dummy: {matmul: 8}, device: CPU}\n  - {name: store, dummy: {matmul: 8}, device: CPU}\n";
const std::string divided =
    "batches: 50\ntimeout: 300ms\nstages:\n  - {name: load, dummy: {matmul: 8}, device: CPU}\n"
    "  - {name: infer, dummy: {matmul: 8}, split: {devices: [CPU, CPU], ratio: [0.5, 0.5]}}\n";

/// Stage 1 (its last part) does `what` at its fifth inference, everything else goes well.
FakeInferences at_the_fifth(const std::function<std::optional<std::string>()>& what, int bad_part = 0) {
  return [=](int stage, int, int part) -> FakeInference {
    const bool bad = stage == 1 && part == bad_part;
    return [=](std::int64_t inference) { return bad && inference == 4 ? what() : std::nullopt; };
  };
}

void expect_kept(const FakeEngine& engine) {
  EXPECT_TRUE(engine.result.interrupted);
  EXPECT_LE(engine.result.schedule.batches.size(), 4u);
  check(engine.result, "kept");
  expect_devices_add_up(engine.result, account(engine.result));
}

TEST(EngineFailure, a_stage_that_fails_ends_the_run_with_stage_and_batch_named) {
  FakeEngine engine(chain, at_the_fifth([] { return std::optional<std::string>("the device is gone"); }));
  EXPECT_TRUE(engine.run()) << "everything came back";
  EXPECT_EQ(engine.result.failure, "p.yaml: stage 'infer', batch 4: the device is gone");
  expect_kept(engine);
}

/// Cannot keep any more after three batches, and gives back those that it has.
class SmallSink final : public BatchSink {
 public:
  void open(const PipelineRun& planned, std::optional<std::int64_t> warmup) override { kept_.open(planned, warmup); }
  void start(Nanoseconds base_time) override { kept_.start(base_time); }
  void take(const BatchPassage& batch) override {
    ++taken_;
    kept_.take(batch);
  }
  std::optional<std::string> failure() const override {
    return taken_ < 3 ? std::nullopt : std::optional<std::string>("the disk is full");
  }
  void end(PipelineRun& run) override { kept_.end(run); }

 private:
  KeptBatches kept_;
  std::atomic<int> taken_{0};
};

TEST(EngineFailure, a_sink_that_can_keep_no_more_ends_the_run_with_what_it_has) {
  SmallSink sink;
  EngineSettings settings;
  settings.sink = &sink;
  FakeEngine engine(
      "batches: 1000000\nstages:\n  - {name: load, dummy: {matmul: 8}, device: CPU}\n",
      [](int, int, int) -> FakeInference {
        return [](std::int64_t) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          return std::nullopt;
        };
      },
      settings);
  EXPECT_TRUE(engine.run());
  EXPECT_EQ(engine.result.failure, "the disk is full");
  EXPECT_TRUE(engine.result.interrupted);
  EXPECT_GE(engine.result.schedule.batches.size(), 3u);
  EXPECT_LT(engine.result.schedule.batches.size(), 1'000'000u);
  check(engine.result, "kept");
}

TEST(EngineFailure, a_part_that_fails_names_its_device) {
  FakeEngine engine(divided, at_the_fifth([] { return std::optional<std::string>("the device is gone"); }, 1));
  EXPECT_TRUE(engine.run());
  EXPECT_EQ(engine.result.failure, "p.yaml: stage 'infer' on CPU, batch 4: the device is gone");
  expect_kept(engine);
}

TEST(EngineFailure, a_stage_that_hangs_ends_the_run_after_its_time_limit) {
  Gate gate;
  FakeEngine engine(chain, at_the_fifth([&] {
                      gate.wait();
                      return std::nullopt;
                    }));
  EXPECT_FALSE(engine.run()) << "something is still in flight";
  EXPECT_EQ(engine.result.schedule.batches.size(), 4u) << "those before it were delivered";
  EXPECT_EQ(engine.result.failure,
            "p.yaml: stage 'infer', batch 4: not completed after 300 ms; raise 'timeout', or check the device");
  expect_kept(engine);
  gate.open();
}

TEST(EngineFailure, a_part_that_hangs_ends_the_run_after_its_time_limit) {
  Gate gate;
  FakeEngine engine(divided, at_the_fifth(
                                 [&] {
                                   gate.wait();
                                   return std::nullopt;
                                 },
                                 1));
  EXPECT_FALSE(engine.run());
  EXPECT_EQ(engine.result.failure,
            "p.yaml: stage 'infer' on CPU, batch 4: not completed after 300 ms; raise 'timeout', or check the device");
  expect_kept(engine);
  gate.open();
}

TEST(EngineFailure, whoever_gives_or_takes_values_may_throw) {
  const auto all_well = at_the_fifth([] { return std::nullopt; });
  EngineSettings settings;
  settings.take_outputs = [](std::int64_t batch, const std::vector<SharedTensor>&) {
    if (batch == 3) throw std::runtime_error("the disk is full");
  };
  FakeEngine taking(chain, all_well, settings);
  EXPECT_TRUE(taking.run());
  EXPECT_EQ(taking.result.failure, "p.yaml: stage 'store', batch 3: the disk is full");
  settings.take_outputs = nullptr;
  settings.make_inputs = [](std::int64_t batch) {
    if (batch == 3) throw std::runtime_error("no more pictures");
    return std::vector<SharedTensor>{};
  };
  FakeEngine making(chain, all_well, settings);
  EXPECT_TRUE(making.run());
  EXPECT_EQ(making.result.failure, "p.yaml: stage 'load', batch 3: no more pictures");
}

TEST(EngineFailure, an_execution_that_is_late_but_in_time_is_no_failure) {
  FakeEngine engine(chain, at_the_fifth([] {
                      std::this_thread::sleep_for(std::chrono::milliseconds(50));
                      return std::nullopt;
                    }));
  EXPECT_TRUE(engine.run());
  EXPECT_FALSE(engine.result.failure);
  EXPECT_EQ(engine.result.schedule.batches.size(), 50u);
}

TEST(EngineFailure, an_interrupt_ends_within_a_second_whatever_the_time_limit) {
  Gate gate;
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> stopped_at{0};
  EngineSettings settings;
  settings.stop = &stop;
  settings.progress = [&](std::int64_t delivered, std::int64_t) {
    if (delivered < 4 || stop) return;
    stopped_at = steady_now().count();
    stop = true;
  };
  std::string patient = chain;
  patient.replace(patient.find("300ms"), 5, "1h");
  FakeEngine engine(patient, at_the_fifth([&] {
                      gate.wait();
                      return std::nullopt;
                    }),
                    settings);
  EXPECT_FALSE(engine.run());
  EXPECT_LT(steady_now() - Nanoseconds(stopped_at), std::chrono::milliseconds(950));
  ASSERT_TRUE(engine.result.failure);
  EXPECT_EQ(engine.result.failure->rfind("p.yaml: stage 'infer', batch 4: interrupted; it had not returned after ", 0),
            0u)
      << *engine.result.failure;
  expect_kept(engine);
  gate.open();
}

TEST(EngineFailure, an_interrupt_waits_for_what_is_inside_and_not_for_a_lost_execution) {
  Gate gate;
  std::atomic<bool> stop{false};
  EngineSettings settings;
  settings.stop = &stop;
  settings.progress = [&](std::int64_t delivered, std::int64_t) { stop = stop || delivered >= 4; };
  FakeEngine engine(chain, at_the_fifth([&] {
                      gate.wait();
                      return std::nullopt;
                    }),
                    settings);
  EXPECT_FALSE(engine.run());
  EXPECT_TRUE(engine.result.failure) << "the time limit holds after Ctrl-C too";
  expect_kept(engine);
  gate.open();
}

}  // namespace
}  // namespace takt
