// Runs of models whose weights are so heavy that both sessions read them from one file: nothing else changes.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/basics/error.h"
#include "measure/operators/op_profile.h"
#include "measure/run/run.h"
#include "model/onnx/builder.h"
#include "test_folder.h"

namespace takt {
namespace {

constexpr auto f32 = ElementType::f32;
constexpr std::int64_t width = 2048;  // two square matrices are 32 MiB

/// The tensor that the heavy part makes.
std::string add_heavy_part(ModelBuilder& b) {
  const auto x = b.node("MatMul", {b.input("x", f32, {1, width}), b.weight({width, width})}, {}, {.name = "first"});
  return b.node("MatMul", {x, b.weight({width, width})}, {}, {.name = "second"});
}

class SharedWeights : public testing::TestWithParam<std::string> {
 protected:
  RunResult run(const ModelBuilder& model, RunPasses passes = RunPasses::both) {
    RunSettings settings;
    settings.runtime = GetParam();
    settings.threads = 1;
    settings.iterations = 3;
    settings.warmup_iterations = 2;
    settings.device = GetParam() == "sim" ? "sim:CPU" : "CPU";
    return run_model(folder_.write("m.onnx", model.serialize()), settings, passes);
  }

  TestFolder folder_;
};

void expect_both_passes(const RunResult& result) {
  ASSERT_TRUE(result.plain && result.profiled);
  EXPECT_THAT(result.plain->samples, testing::SizeIs(3));
  EXPECT_THAT(result.plain->warmup, testing::SizeIs(2)) << "those of the session that was opened first";
  EXPECT_THAT(result.profiled->ops, testing::SizeIs(3));
  EXPECT_GT(result.profiled->load_time.count(), 0);
  const OpProfile profile = profile_ops(result);
  for (const std::string name : {"first", "second"})
    EXPECT_TRUE(std::any_of(profile.ops.begin(), profile.ops.end(), [&](const OpRow& row) {
      return std::count(row.model_ops.begin(), row.model_ops.end(), name) > 0;
    })) << name;
}

TEST_P(SharedWeights, change_nothing_of_what_is_measured) {
  ModelBuilder b;
  b.output(add_heavy_part(b));
  expect_both_passes(run(b));
}

TEST_P(SharedWeights, are_done_without_where_results_differ_from_run_to_run) {
  ModelBuilder b;
  const auto h = add_heavy_part(b);
  b.output(b.node("Add", {h, b.node("RandomUniformLike", {h}, {{"high", 2.0f}})}));
  if (GetParam() != "sim") expect_both_passes(run(b));
}

TEST_P(SharedWeights, do_not_ask_for_results_that_nobody_asked_for) {
  ModelBuilder b;
  const auto h = add_heavy_part(b);
  b.output(h, f32, {1, width});
  b.output(b.node("SequenceConstruct", {h, h}));
  const auto refusal = [&](RunPasses passes) -> std::string {
    try {
      run(b, passes);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal(RunPasses::both), refusal(RunPasses::plain));
}

INSTANTIATE_TEST_SUITE_P(Runtimes, SharedWeights, testing::ValuesIn(runtime_names()),
                         [](const auto& which) { return which.param; });

}  // namespace
}  // namespace takt
