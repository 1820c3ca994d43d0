// Stages that are functions of the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "model/runtime/models.h"
#include "takt/data_parallel.h"
#include "takt/error.h"
#include "takt/pipeline_profiler.h"
#include "takt/stage_executor.h"

namespace takt {
namespace {

using Inputs = std::vector<SharedTensor>;
using Outputs = std::vector<SharedTensor>;

SharedTensor one_float(float value) { return std::make_shared<const HostTensor>(floats("x", {1}, {value})); }

/// What callbacks gather, on whatever thread they come.
class Gathered {
 public:
  explicit Gathered(StageExecutor& executor) {
    executor.set_callback([this](StageResult result) {
      const std::lock_guard lock(mutex_);
      results_[result.batch] = std::move(result);
    });
  }
  const std::map<std::int64_t, StageResult>& results() const { return results_; }

 private:
  std::mutex mutex_;
  std::map<std::int64_t, StageResult> results_;
};

std::string failure_of(StageExecutor& executor) {
  try {
    executor.wait();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::runtime);
    return error.what();
  }
  return "none";
}

TEST(StageFunction, gets_batch_and_values_and_gives_outputs_with_times_and_counters) {
  StageExecutor add([](std::int64_t batch, const Inputs& inputs) {
    return Outputs{one_float(values_of(*inputs.at(0))[0] + static_cast<float>(batch))};
  });
  EXPECT_EQ(add.device(), "CPU");
  EXPECT_TRUE(add.inputs().empty());
  const Gathered gathered(add);
  for (int batch = 0; batch < 50; ++batch) add.start_async(batch, {{0, one_float(100)}});
  add.wait();
  ASSERT_EQ(gathered.results().size(), 50u);
  for (const auto& [batch, result] : gathered.results()) {
    EXPECT_FALSE(result.error);
    EXPECT_LE(result.submitted, result.completed);
    ASSERT_EQ(result.outputs.size(), 1u);
    EXPECT_EQ(values_of(*result.outputs[0]), std::vector{100 + static_cast<float>(batch)});
    ASSERT_TRUE(result.counters.hardware);
    EXPECT_LE(*result.counters.hardware, result.wall());
    EXPECT_FALSE(result.counters.marshalling);
    EXPECT_EQ(result.counters.bytes_moved, 0);
  }
}

TEST(StageFunction, counters_can_be_left_out_and_waiting_is_no_work) {
  const auto sleep = [](std::int64_t, const Inputs&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return Outputs();
  };
  StageExecutor counted(sleep), bare(sleep, {.counters = false});
  const Gathered with(counted), without(bare);
  counted.start_async(0);
  bare.start_async(0);
  counted.wait();
  bare.wait();
  const auto& result = with.results().at(0);
  EXPECT_GE(result.wall(), std::chrono::milliseconds(30));
  EXPECT_LT(*result.counters.hardware, result.wall() / 2) << "it slept";
  EXPECT_FALSE(without.results().at(0).counters.hardware);
}

TEST(StageFunction, an_input_that_was_not_given_is_null_and_none_of_an_earlier_batch) {
  std::vector<std::size_t> sizes;
  StageExecutor look([&](std::int64_t, const Inputs& inputs) {
    sizes.push_back(inputs.size());
    EXPECT_TRUE(inputs.empty() || (!inputs[0] && !inputs[1] && inputs[2]));
    return Outputs();
  });
  look.start_async(0, {{2, one_float(1)}});
  look.start_async(1);
  EXPECT_THROW(look.start_async(2, {{0, one_float(1)}, {5'000'000'000, one_float(1)}}), Error);
  look.start_async(3);
  look.wait();
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 0, 0})) << "also nothing of the start that was refused";
}

TEST(StageFunction, lets_its_inputs_go_when_it_is_done) {
  StageExecutor look([](std::int64_t, const Inputs&) { return Outputs(); });
  auto value = one_float(1);
  const std::weak_ptr<const HostTensor> watched = value;
  look.start_async(0, {{0, std::move(value)}});
  look.wait();
  EXPECT_TRUE(watched.expired());
}

TEST(StageFunction, what_it_throws_is_the_error_of_its_batch_and_the_next_goes_on) {
  StageExecutor decode(
      [](std::int64_t batch, const Inputs&) -> Outputs {
        if (batch == 3) throw std::runtime_error("frame 3 is torn");
        if (batch == 5) throw 42;
        if (batch == 7) return {nullptr};
        if (batch == 9) return {one_float(1), one_float(2), nullptr};
        return {one_float(1)};
      },
      {.name = "decode"});
  const Gathered gathered(decode);
  for (int batch = 0; batch < 4; ++batch) decode.start_async(batch);
  EXPECT_EQ(failure_of(decode), "stage 'decode', batch 3: frame 3 is torn");
  for (int batch = 4; batch < 10; ++batch) decode.start_async(batch);
  EXPECT_EQ(failure_of(decode), "stage 'decode', batch 5: it threw something that is not a std::exception")
      << "the first one";
  EXPECT_EQ(failure_of(decode), "none");
  ASSERT_EQ(gathered.results().size(), 10u);
  EXPECT_EQ(gathered.results().at(7).error, "stage 'decode', batch 7: output 0 is null; give every output a value");
  EXPECT_EQ(gathered.results().at(9).error, "stage 'decode', batch 9: output 2 is null; give every output a value");
  for (const auto& [batch, result] : gathered.results()) {
    const bool fails = batch == 3 || batch == 5 || batch == 7 || batch == 9;
    EXPECT_EQ(result.error.has_value(), fails) << batch;
    EXPECT_EQ(result.outputs.empty(), fails) << batch;
  }
}

TEST(StageFunction, an_empty_one_is_refused) {
  try {
    StageExecutor none{StageFunction(), {.name = "decode"}};
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(error.what(), "stage 'decode': its function is empty; give one");
  }
}

// 24 batches of 16 MB, four at once, some held until the end: none is copied and none torn.
TEST(StageFunction, large_outputs_of_several_calls_at_once_are_handed_on_as_they_are) {
  constexpr std::size_t bytes = 16 << 20;
  std::atomic<int> inside = 0, most = 0;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::map<std::int64_t, const std::byte*> made;
  StageExecutor fill(
      [&](std::int64_t batch, const Inputs&) {
        const int now = ++inside;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        HostTensor tensor{"y", ElementType::u8, {static_cast<std::int64_t>(bytes)}, {}, {}};
        tensor.bytes = std::vector<std::byte>(bytes, static_cast<std::byte>(batch));
        auto shared = std::make_shared<const HostTensor>(std::move(tensor));
        {
          const std::lock_guard lock(mutex);
          threads.insert(std::this_thread::get_id());
          made[batch] = shared->bytes.data();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // until the others are inside, too
        --inside;
        return Outputs{std::move(shared)};
      },
      {.requests = 4});
  const Gathered gathered(fill);
  for (int batch = 0; batch < 24; ++batch) fill.start_async(batch);
  fill.wait();
  ASSERT_EQ(gathered.results().size(), 24u);
  for (const auto& [batch, result] : gathered.results()) {
    const auto& output = *result.outputs.at(0);
    EXPECT_EQ(output.bytes.data(), made[batch]) << "not copied";
    EXPECT_EQ(result.outputs_copied.bytes, 0);
    const auto is_other = [&, b = batch](std::byte byte) { return byte != static_cast<std::byte>(b); };
    EXPECT_EQ(std::count_if(output.bytes.begin(), output.bytes.end(), is_other), 0) << batch;
  }
  EXPECT_GT(most, 1);
  EXPECT_LE(most, 4);
  EXPECT_LE(threads.size(), 4u);
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0u);
}

TEST(StageFunction, its_end_waits_for_what_is_in_flight) {
  std::atomic<int> done = 0;
  {
    StageExecutor slow(
        [&](std::int64_t, const Inputs&) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          ++done;
          return Outputs();
        },
        {.requests = 2});
    slow.start_async(0);
    slow.start_async(1);
  }
  EXPECT_EQ(done, 2);
}

// A chain as a program has it: the callback of one stage starts the next.
TEST(StageFunction, is_measured_as_a_stage_of_a_pipeline) {
  PipelineProfiler profiler("functions");
  StageExecutor label([](std::int64_t, const Inputs& inputs) { return Outputs{inputs.at(0)}; }, {.name = "label"});
  StageExecutor decode([](std::int64_t batch, const Inputs&) { return Outputs{one_float(static_cast<float>(batch))}; },
                       {.name = "decode"});
  std::vector<float> labelled;
  label.set_callback([&](StageResult result) {
    profiler.log_execution("label", label.device(), result);
    labelled.push_back(values_of(*result.outputs.at(0))[0]);
  });
  decode.set_callback([&](StageResult result) {
    profiler.log_execution("decode", decode.device(), result);
    label.start_async(result.batch, {{0, result.outputs.at(0)}});
  });
  for (int batch = 0; batch < 20; ++batch) decode.start_async(batch);
  decode.wait();
  label.wait();
  std::sort(labelled.begin(), labelled.end());
  ASSERT_EQ(labelled.size(), 20u);
  for (std::size_t b = 0; b < 20; ++b) EXPECT_EQ(labelled[b], static_cast<float>(b));
  const std::string stages = profiler.table("stages", TableFormat::csv);
  EXPECT_NE(stages.find("decode,CPU,1,1,20,"), std::string::npos) << stages;
}

TEST(StageFunction, may_be_a_part_of_a_divided_stage) {
  std::vector<std::unique_ptr<StageExecutor>> parts;
  for (int p = 0; p < 2; ++p)
    parts.push_back(std::make_unique<StageExecutor>(
        [p](std::int64_t, const Inputs&) { return Outputs{one_float(static_cast<float>(p))}; }));
  DataParallelStage stage(std::move(parts), {0.5, 0.5});
  const auto done = stage.run(0);
  ASSERT_EQ(done.outputs.size(), 1u);
  EXPECT_EQ(values_of(*done.outputs[0]), (std::vector<float>{0, 1}));
}

}  // namespace
}  // namespace takt
