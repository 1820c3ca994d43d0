// StageExecutor and DataParallelStage as a user's program meets them: what they refuse, and what a failure leaves
// behind.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "model/onnx/builder.h"
#include "model/runtime/models.h"
#include "pipeline/engine/fake_stages.h"
#include "pipeline/stages/stage_executor.h"
#include "takt/data_parallel.h"
#include "takt/error.h"

namespace takt {
namespace {

FakeInference takes_no_time() {
  return [](std::int64_t) { return std::nullopt; };
}

template <typename Call>
ErrorKind kind_of(Call call, std::string* message = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (message) *message = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::io;
}

std::string doubling_model() {
  ModelBuilder b("doubling");
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,2");
  b.output(b.node("Add", {x, x}, {}, {.name = "twice"}));
  return b.serialize();
}

TEST(StageExecutor, what_a_callback_throws_comes_out_of_wait_once) {
  const auto executor = fake_executor(takes_no_time());
  executor->set_callback([](StageResult) { throw std::runtime_error("the queue is full"); });
  executor->start_async(0);
  std::string message;
  EXPECT_EQ(kind_of([&] { executor->wait(); }, &message), ErrorKind::runtime);
  EXPECT_EQ(message, "the queue is full");
  executor->set_callback([](StageResult) { throw 42; });
  executor->start_async(7);
  EXPECT_EQ(kind_of([&] { executor->wait(); }, &message), ErrorKind::runtime);
  EXPECT_NE(message.find("batch 7"), std::string::npos);
  executor->wait();
}

TEST(StageExecutor, refuses_values_of_ports_that_are_not_there_and_goes_on) {
  const TestFolder folder;
  const auto model = folder.write("doubling.onnx", doubling_model());
  StageExecutor executor(model, {.device = "sim:CPU", .inputs = {"x:{1,2}"}});
  const auto value = std::make_shared<const HostTensor>(floats("x", {1, 2}, {1, 2}));
  const auto other = std::make_shared<const HostTensor>(floats("x", {1, 3}, {1, 2, 3}));
  EXPECT_EQ(kind_of([&] { executor.start_async(0, {{1000, value}}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { executor.start_async(0, {{0, other}}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { executor.start_async(0, {{0, nullptr}}); }), ErrorKind::bad_input);
  std::atomic<int> done = 0;
  executor.set_callback([&](StageResult) { ++done; });
  executor.start_async(0, {{0, value}});
  executor.wait();
  EXPECT_EQ(done, 1);
}

TEST(StageExecutor, inputs_that_cannot_be_read_are_bad_input_not_a_wrong_command_line) {
  const TestFolder folder;
  const auto model = folder.write("doubling.onnx", doubling_model());
  EXPECT_EQ(kind_of([&] { StageExecutor executor(model, {.device = "sim:CPU", .inputs = {"x:{1,"}}); }),
            ErrorKind::bad_input);
}

TEST(DataParallelStage, refuses_shares_that_do_not_fit) {
  const TestFolder folder;
  const auto model = folder.write("doubling.onnx", doubling_model());
  const auto open = [&](std::vector<double> ratio, int axis = 0, int replicas = 1) {
    DataParallelSettings settings;
    settings.devices = {"sim:CPU", "sim:CPU"};
    settings.ratio = std::move(ratio);
    settings.axis = axis;
    settings.replicas = replicas;
    settings.stage.inputs = {"x:{4,2}"};
    const DataParallelStage stage(model, settings);
  };
  EXPECT_EQ(kind_of([&] { open({1}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { open({0.5, 0.6}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { open({1.5, -0.5}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { open({0.5, 0.5}, -1); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { open({0.5, 0.5}, 2); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { open({0.5, 0.5}, 0, 0); }), ErrorKind::bad_input);
  open({0.25, 0.75});
}

TEST(DataParallelStage, runs_again_after_a_part_has_failed) {
  std::atomic<bool> fails = true;
  std::vector<std::unique_ptr<StageExecutor>> parts;
  parts.push_back(fake_executor(takes_no_time()));
  parts.push_back(fake_executor([&](std::int64_t) -> std::optional<std::string> {
    return fails ? std::optional<std::string>("the device was lost") : std::nullopt;
  }));
  DataParallelStage stage(std::move(parts), {0.5, 0.5});
  std::string message;
  EXPECT_EQ(kind_of([&] { stage.run(0); }, &message), ErrorKind::runtime);
  EXPECT_EQ(message, "the device was lost");
  fails = false;
  const auto done = stage.run(1);
  EXPECT_EQ(done.device_time.size(), 2u);
  EXPECT_EQ(done.stage_total(),
            done.partition_time + std::max(done.device_time[0], done.device_time[1]) + done.sync_merge_time);
  EXPECT_LE(done.wake_up, done.sync_merge_time);
  EXPECT_EQ(done.skew, std::max(done.parts[0].completed, done.parts[1].completed) -
                           std::min(done.parts[0].completed, done.parts[1].completed));
}

TEST(DataParallelStage, of_parts_that_fail_together_the_first_is_named) {
  std::vector<std::unique_ptr<StageExecutor>> parts;
  for (const char* error : {"the first was lost", "the second was lost"})
    parts.push_back(fake_executor([=](std::int64_t) { return std::optional<std::string>(error); }));
  DataParallelStage stage(std::move(parts), {0.5, 0.5});
  std::string message;
  EXPECT_EQ(kind_of([&] { stage.run(0); }, &message), ErrorKind::runtime);
  EXPECT_EQ(message, "the first was lost");
}

TEST(DataParallelStage, a_batch_takes_its_partition_its_longest_part_and_its_merge) {
  DataParallelResult result;
  result.partition_time = std::chrono::nanoseconds(10);
  result.sync_merge_time = std::chrono::nanoseconds(5);
  EXPECT_EQ(result.stage_total().count(), 15);
  result.device_time = {std::chrono::nanoseconds(20), std::chrono::nanoseconds(30), std::chrono::nanoseconds(7)};
  EXPECT_EQ(result.stage_total().count(), 45);
}

// The second input has one row for all: each part gets it whole.
TEST(DataParallelStage, divides_only_inputs_with_as_many_rows_as_the_first) {
  const TestFolder folder;
  ModelBuilder b("shifting");
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,2"),
             shift = b.symbolic_input("shift", ElementType::f32, "one,2");
  b.output(b.node("Add", {x, shift}, {}, {.name = "sum"}));
  DataParallelSettings settings;
  settings.devices = {"sim:CPU", "sim:CPU"};
  settings.ratio = {0.25, 0.75};
  settings.stage.inputs = {"x:{4,2}", "shift:{1,2}"};
  const DataParallelStage stage(folder.write("shifting.onnx", b.serialize()), settings);
  EXPECT_EQ(stage.rows(), (std::vector<std::int64_t>{1, 3}));
  const auto values = std::make_shared<const HostTensor>(floats("x", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  const auto one_row = std::make_shared<const HostTensor>(floats("shift", {1, 2}, {1, 1}));
  const auto parts = stage.partition({{0, values}, {1, one_row}});
  ASSERT_EQ(parts.size(), 2u);
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(parts[p][0].second->shape, (Shape{p == 0 ? 1 : 3, 2}));
    EXPECT_EQ(parts[p][1].second, one_row);
  }
}

}  // namespace
}  // namespace takt
