// Mistakes of pipeline profilers that only show where something really runs; bubbles_test.cpp has those that show in a
// record. The table in docs/how-it-works.md names them all.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "model/runtime/models.h"
#include "pipeline/account/account_sums.h"
#include "pipeline/engine/fake_stages.h"

namespace takt {
namespace {

using std::chrono::milliseconds;

FakeInferences parts_take(std::vector<int> sleep_ms) {
  return [=](int, int, int part) -> FakeInference {
    return [=](std::int64_t) {
      std::this_thread::sleep_for(milliseconds(sleep_ms[static_cast<std::size_t>(part)]));
      return std::nullopt;
    };
  };
}

// Waiting for the parts one after the other would give the second at least the time of the first, and the waiting
// would be counted in the devices' times and once more as synchronisation: in every batch, so the calmest batch tells
// it, and a machine that stalls one does not.
TEST(LiveMistakes, a_part_is_timed_by_its_own_completion_whichever_is_longer) {
  for (const bool long_one_first : {true, false}) {
    FakeEngine engine(
        "batches: 6\nstages:\n  - {name: a, dummy: {matmul: 8}, split: {devices: [CPU, CPU], ratio: [0.5, 0.5]}}\n",
        parts_take(long_one_first ? std::vector<int>{60, 2} : std::vector<int>{2, 60}));
    ASSERT_TRUE(engine.run());
    const Accounts a = account(engine.result);
    expect_parts_add_up(engine.result, a);
    ASSERT_EQ(a.parts.size(), 12u);
    Nanoseconds short_one = Nanoseconds::max(), merge = Nanoseconds::max(), skew{};
    for (const PartAccount& part : a.parts) {
      const bool is_long = (part.part == 0) == long_one_first;
      if (is_long) {
        EXPECT_GE(part.device_time, milliseconds(60));
      } else {
        short_one = std::min(short_one, part.device_time);
      }
      skew = std::max(skew, part.skew);
      merge = std::min(merge, part.sync_merge);
    }
    EXPECT_LE(short_one, milliseconds(45)) << "slept 2 ms";
    EXPECT_GE(skew, milliseconds(15));
    EXPECT_LE(merge, milliseconds(45)) << "the longer part is not in it";
  }
}

/// Where two inferences must be at the same time to go on.
class Meeting {
 public:
  bool arrive() {
    std::unique_lock lock(mutex_);
    const int number = here_++ / 2;
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return here_ >= 2 * (number + 1); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int here_ = 0;
};

// Batch 1 meets batch 0, which is one stage ahead: a driver that finishes a batch before it begins the next one would
// wait for ever, and its bubbles would be of its own making.
TEST(LiveMistakes, stages_work_on_neighbouring_batches_at_the_same_time) {
  constexpr int batches = 6;
  Meeting meeting;
  FakeEngine engine(
      "batches: 6\ntimeout: 60s\nstages:\n  - {name: a, dummy: {matmul: 8}, device: CPU}\n"
      "  - {name: b, dummy: {matmul: 8}, device: CPU}\n",
      [&](int stage, int, int) -> FakeInference {
        return [&meeting, stage](std::int64_t batch) {
          const bool alone = stage == 0 ? batch == 0 : batch == batches - 1;
          return alone || meeting.arrive() ? std::nullopt : std::optional<std::string>("met nobody");
        };
      });
  ASSERT_TRUE(engine.run());
  EXPECT_FALSE(engine.result.failure) << *engine.result.failure;
  EXPECT_EQ(engine.result.schedule.batches.size(), 6u);
}

// A node that the plugin has optimised away (here the Reshape) has a time of zero. Summing up those, instead of the
// nodes that were executed, would say that the device had hardly worked.
TEST(LiveMistakes, counters_are_those_of_the_nodes_that_were_executed) {
  const auto names = runtime_names();
  if (std::find(names.begin(), names.end(), "openvino") == names.end()) GTEST_SKIP() << "no OpenVINO in this binary";
  constexpr std::int64_t edge = 768;
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {edge, edge});
  const auto product = b.node("MatMul", {x, b.weight({edge, edge}, "w")}, {}, {"product", "", {"p"}, {}});
  const auto flat = b.node("Reshape", {product, b.integers({1, edge * edge})}, {}, {"flatten", "", {"f"}, {}});
  b.output(b.node("Relu", {flat}, {}, {"relu", "", {"y"}, {}}), ElementType::f32, {1, edge * edge});
  const TestFolder folder;
  StageExecutorSettings settings;
  settings.runtime = "openvino";
  settings.threads = 1;
  StageExecutor executor(folder.write("m.onnx", b.serialize()), settings);
  std::vector<StageResult> results;
  executor.set_callback([&](StageResult result) { results.push_back(std::move(result)); });
  std::vector<double> shares;
  for (int batch = 0; batch < 9; ++batch) {
    executor.start_async(batch, {});
    executor.wait();
    ASSERT_TRUE(results.back().counters.hardware);
    shares.push_back(static_cast<double>(results.back().counters.hardware->count()) /
                     static_cast<double>(results.back().wall().count()));
  }
  std::nth_element(shares.begin(), shares.begin() + 4, shares.end());
  EXPECT_GT(shares[4], 0.3);
  EXPECT_LE(shares[4], 1.05) << "one thread: the nodes lie within the call";
}

}  // namespace
}  // namespace takt
