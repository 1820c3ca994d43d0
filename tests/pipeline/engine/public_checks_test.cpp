// What the public classes refuse: always an Error of the kind bad_input, in the words of a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/runtime/models.h"
#include "pipeline/spec/public_door.h"
#include "pipeline/stages/tensor_split.h"
#include "takt/data_parallel.h"
#include "takt/error.h"
#include "takt/pipeline_profiler.h"
#include "takt/stage_executor.h"

namespace takt {
namespace {

using testing::HasSubstr;
using testing::Not;
constexpr auto largest = std::numeric_limits<std::int64_t>::max();

/// The sentence of an Error(bad_input); empty: something else happened.
template <typename Call>
std::string refused_by(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
    EXPECT_THAT(error.what(), Not(HasSubstr("--")));
    return error.what();
  } catch (...) {
    ADD_FAILURE() << "an exception that is no Error";
  }
  return "";
}

SharedTensor held(HostTensor tensor) { return std::make_shared<const HostTensor>(std::move(tensor)); }
SharedTensor short_of_bytes() {
  return held({"x", ElementType::f32, {4, 1000}, Bytes(std::vector<std::byte>(16)), {}});
}

std::string model_that_doubles() {
  ModelBuilder b("doubling");
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,2");
  b.output(b.node("Add", {x, x}, {}, {.name = "twice"}));
  return b.serialize();
}

std::unique_ptr<StageExecutor> echo() {
  return std::make_unique<StageExecutor>([](std::int64_t, const std::vector<SharedTensor>& inputs) { return inputs; });
}

std::vector<std::unique_ptr<StageExecutor>> echoes(int number) {
  std::vector<std::unique_ptr<StageExecutor>> executors;
  for (int i = 0; i < number; ++i) executors.push_back(echo());
  return executors;
}

TEST(PublicDoor, speaks_of_settings_where_a_command_line_has_options) {
  EXPECT_EQ(in_words_of_settings("--device sim:GPU is simulated, but --runtime onnxruntime is asked for"),
            "device sim:GPU is simulated, but runtime onnxruntime is asked for");
  EXPECT_EQ(in_words_of_settings("give '--input' or (--batch-size 4)"), "give 'input' or (batch_size 4)");
  EXPECT_EQ(in_words_of_settings("my--model.onnx: a -- b, 1--2 and --"), "my--model.onnx: a -- b, 1--2 and --");
}

TEST(PublicChecks, a_device_that_contradicts_the_runtime_is_bad_input) {
  const TestFolder folder;
  const auto model = folder.write("doubling.onnx", model_that_doubles());
  EXPECT_EQ(refused_by([&] { StageExecutor stage(model, {.device = "sim:GPU", .runtime = "onnxruntime"}); }),
            "device sim:GPU is simulated, but runtime onnxruntime is given; leave out one of the two");
  EXPECT_THAT(refused_by([&] { StageExecutor stage(model, {.device = "sim:CPU", .inputs = {"x:{1,"}}); }),
              HasSubstr("input 'x:{1,'"));
}

TEST(PublicChecks, settings_of_an_executor_are_possible_ones) {
  const TestFolder folder;
  const auto model = folder.write("doubling.onnx", model_that_doubles());
  const auto open = [&](auto change) {
    StageExecutorSettings settings{.device = "sim:CPU", .inputs = {"x:{1,2}"}};
    change(settings);
    return refused_by([&] { StageExecutor stage(model, settings); });
  };
  for (const int number : {0, -3, 1025, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    EXPECT_THAT(open([&](auto& s) { s.requests = number; }), HasSubstr("requests is not possible")) << number;
    EXPECT_THAT(open([&](auto& s) { s.threads = number; }), HasSubstr("threads is not possible")) << number;
    EXPECT_THAT(refused_by([&] {
                  StageExecutor stage([](auto, auto&) { return std::vector<SharedTensor>(); }, {.requests = number});
                }),
                HasSubstr("requests is not possible"));
  }
  EXPECT_THAT(open([](auto& s) { s.precision = ElementType::string; }), HasSubstr("use f32, f16 or bf16"));
  const auto tuned = [&](const std::string& name, const std::string& value) {
    return open([&](auto& s) { s.tuning = {{name, value}}; });
  };
  EXPECT_EQ(tuned("nonsense", "1"),
            "tuning 'nonsense': this name does not exist; use arena, hint, hyper_threading, memory_pattern, pinning, "
            "spinning");
  EXPECT_EQ(tuned("spining", "off"), "tuning 'spining': this name does not exist; did you mean 'spinning'?");
  for (const auto& [name, values] : {std::pair("arena", "on, off"),
                                     {"hint", "latency, throughput"},
                                     {"hyper_threading", "on, off"},
                                     {"memory_pattern", "on, off"},
                                     {"pinning", "on, off, own"},
                                     {"spinning", "on, off"}})
    EXPECT_EQ(tuned(name, "1"), std::string("tuning '") + name + "' is '1'; use " + values);
  EXPECT_THAT(open([](auto& s) { s.device = ""; }), HasSubstr("device"));
  EXPECT_EQ(open([](auto& s) { s.tuning = {{"spinning", "off"}, {"pinning", "own"}}; }), "");
}

TEST(PublicChecks, a_function_is_given_and_gives_only_values_that_are_what_they_say) {
  const auto stage = echo();
  EXPECT_THAT(refused_by([&] {
                stage->start_async(0, {{0, short_of_bytes()}});
              }),
              HasSubstr("holds 16 bytes, but {4,1000}"));
  EXPECT_THAT(refused_by([&] {
                stage->start_async(0, {{0, held({"x", ElementType::f32, {-1}, {}, {}})}});
              }),
              HasSubstr("has the invalid shape"));
  EXPECT_THAT(refused_by([&] {
                stage->start_async(0, {{0, held({"x", ElementType::f32, {largest, 2}, {}, {}})}});
              }),
              HasSubstr("has the invalid shape"));
  EXPECT_THAT(refused_by([&] {
                stage->start_async(0, {{0, held({"x", static_cast<ElementType>(99), {}, {}, {}})}});
              }),
              HasSubstr("no element type"));
  EXPECT_THAT(refused_by([&] {
                stage->start_async(0, {{0, held({"x", ElementType::string, {2}, {}, {"a"}})}});
              }),
              HasSubstr("holds 1 strings"));
  StageExecutor lies([](auto, auto&) { return std::vector<SharedTensor>{short_of_bytes()}; });
  lies.start_async(3);
  try {
    lies.wait();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("stage 'function', batch 3: output 0 holds 16 bytes, but {4,1000}"));
  }
}

TEST(PublicChecks, a_divided_stage_reads_no_memory_that_a_value_does_not_have) {
  const TestFolder folder;
  DataParallelSettings settings;
  settings.devices = {"sim:CPU", "sim:CPU"};
  settings.ratio = {0.5, 0.5};
  settings.stage.inputs = {"x:{4,2}"};
  DataParallelStage stage(folder.write("doubling.onnx", model_that_doubles()), settings);
  const auto too_short = held({"x", ElementType::f32, {4, 2}, Bytes(std::vector<std::byte>(12)), {}});
  EXPECT_THAT(refused_by([&] {
                stage.run(0, {{0, too_short}});
              }),
              HasSubstr("holds 12 bytes, but {4,2} of float32 is 32 bytes"));
  EXPECT_THAT(refused_by([&] { stage.partition({{0, too_short}}); }), HasSubstr("holds 12 bytes"));
  EXPECT_THAT(refused_by([&] {
                stage.partition({{7, held(floats("x", {1}, {1}))}});
              }),
              HasSubstr("input number 7 does not exist"));
  EXPECT_THAT(refused_by([&] { stage.merge({{too_short}, {too_short}}); }), HasSubstr("holds 12 bytes"));
  EXPECT_THAT(refused_by([&] { stage.merge({}); }), HasSubstr("outputs of 0 parts"));
  const auto row = held(floats("x", {1, 2}, {1, 2}));
  EXPECT_THAT(refused_by([&] { stage.merge({{row}, {row, row}}); }), HasSubstr("has no output 1"));
  EXPECT_THAT(refused_by([&] { stage.merge({{row}, {nullptr}}); }), HasSubstr("has no output 0"));
  const auto endless = held({"x", ElementType::f32, {largest, 0}, {}, {}});
  EXPECT_THAT(refused_by([&] { stage.merge({{endless}, {endless}}); }), HasSubstr("too many rows"));
  EXPECT_EQ(stage.merge({{row}, {row}}).front()->shape, (Shape{2, 2}));
  EXPECT_THAT(refused_by([&] { stage.part(1, 0); }), HasSubstr("no part 0 of replica 1"));
  EXPECT_THAT(refused_by([&] { stage.part(-1, 0); }), HasSubstr("no part"));
  EXPECT_THAT(refused_by([&] { stage.part(0, 2); }), HasSubstr("no part 2"));
}

TEST(PublicChecks, executors_of_the_callers_own_are_there_and_fit_their_shares) {
  EXPECT_THAT(refused_by([] { DataParallelStage stage({}, {0.5, 0.5}); }), HasSubstr("of 2 parts has 0 executors"));
  EXPECT_THAT(refused_by([] { DataParallelStage stage(echoes(2), {}); }), HasSubstr("without shares"));
  EXPECT_THAT(refused_by([] { DataParallelStage stage(echoes(3), {0.5, 0.5}); }), HasSubstr("has 3 executors"));
  for (const std::vector<double>& ratio :
       std::vector<std::vector<double>>{{std::nan(""), 0.5}, {0, 1}, {-0.5, 1.5}, {0.5, 0.6}, {INFINITY, 0.5}})
    EXPECT_THAT(refused_by([&] { DataParallelStage stage(echoes(2), ratio); }),
                HasSubstr("must be above 0 and add up to 1"));
  auto one_is_null = echoes(1);
  one_is_null.push_back(nullptr);
  EXPECT_THAT(refused_by([&] { DataParallelStage stage(std::move(one_is_null), {0.5, 0.5}); }), HasSubstr("is null"));
}

TEST(PublicChecks, what_is_nothing_is_named) {
  EXPECT_THAT(
      refused_by([] { StageExecutor stage([](auto, auto&) { return std::vector<SharedTensor>(); }, {.name = ""}); }),
      HasSubstr("a stage that is a function has no name"));
  EXPECT_THAT(refused_by([] { DataParallelStage stage("model.onnx", {.devices = {"CPU"}}); }),
              HasSubstr("needs two devices or more"));
  EXPECT_THAT(refused_by([] { split_tensor(nullptr, 0, {1}); }), HasSubstr("a value to split is null"));
  EXPECT_THAT(refused_by([] { merge_tensors({nullptr}, 0); }), HasSubstr("a part to merge is null"));
}

TEST(PublicChecks, an_empty_value_of_many_rows_is_divided_at_once) {
  DataParallelStage stage(echoes(2), {0.5, 0.5});
  const auto empty = held({"x", ElementType::f32, {largest / 4, 0}, {}, {}});
  EXPECT_EQ(stage.run(0, {{0, empty}}).outputs.front()->shape, (Shape{2 * (largest / 4), 0}));
}

TEST(PublicChecks, times_that_no_sum_can_hold_are_refused) {
  using std::chrono::nanoseconds;
  PipelineProfiler profiler("mine");
  const auto now = PipelineProfiler::now();
  DataParallelResult divided;
  divided.begin = now;
  divided.parts = {{"CPU", now + nanoseconds(5), now + nanoseconds(7), {}},
                   {"GPU", now + nanoseconds(5), now + nanoseconds(9), {}}};
  for (const std::int64_t time : {largest, largest - 1, std::int64_t{-1}, -largest}) {
    auto wrong = divided;
    wrong.partition_time = nanoseconds(time);
    EXPECT_THAT(refused_by([&] { profiler.log_execution("split", wrong); }), HasSubstr("a time is 0 or more"));
    wrong = divided;
    wrong.sync_merge_time = nanoseconds(time);
    EXPECT_THAT(refused_by([&] { profiler.log_execution("split", wrong); }), HasSubstr("a time is 0 or more"));
    wrong = divided;
    wrong.begin = nanoseconds(time == -1 ? -largest - 1 : time);
    EXPECT_NE(refused_by([&] { profiler.log_execution("split", wrong); }), "");
  }
  for (const ExecutionCounters& counters :
       {ExecutionCounters{nanoseconds(-1), {}, {}}, ExecutionCounters{{}, nanoseconds(-1), {}}})
    EXPECT_THAT(refused_by([&] { profiler.log_event("a", "CPU", 0, now, now, counters); }),
                HasSubstr("a time of -1 ns was given; a time is 0 or more, and less than 36 years"));
  EXPECT_THAT(refused_by([&] {
                profiler.log_event("a", "CPU", 0, now, now, {{}, {}, -1});
              }),
              HasSubstr("the number of bytes moved is negative"));
  EXPECT_THAT(refused_by([&] {
                profiler.log_event("a", "CPU", 0, now, now, {{}, {}, largest});
              }),
              HasSubstr("is too large to be counted"));
  const auto years = nanoseconds(std::int64_t{1} << 57);  // more than four; what the device computes counts as well
  profiler.log_event("a", "CPU", 0, now - years, now);
  profiler.log_event("a", "CPU", 1, now - years, now);
  profiler.log_event("a", "CPU", 2, now - years, now);
  EXPECT_THAT(refused_by([&] { profiler.log_event("a", "CPU", 3, now - years, now); }),
              HasSubstr("is too large to be counted"));
  EXPECT_EQ(profiler.finished(), 3);
  EXPECT_NE(profiler.text(), "");
}

}  // namespace
}  // namespace takt
