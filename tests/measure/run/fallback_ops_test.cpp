// Operators that ran elsewhere than asked for; with what ONNX Runtime tells of a model on CUDA, written down by hand.
#include "measure/operators/fallback_ops.h"

#include <gtest/gtest.h>

#include "measure/run/results.h"

namespace takt {
namespace {

OpSample on(const std::string& provider, const OpSample& sample) {
  return with(sample, [&](ExecutedNode& node) { node.provider = provider + "ExecutionProvider"; });
}

/// Two runs of 1000 ns: a convolution on the GPU, two operators on the CPU in 300 ns, two copies in 50 ns.
RunResult with_fallback() {
  const std::vector<OpSample> ops{
      on("CUDA", sample("conv", "Conv", 0, 500)),          on("CUDA", sample("down", "MemcpyToHost", 500, 20)),
      on("CPU", sample("rows", "NonZero", 520, 200)),      on("CPU", sample("some", "Unique", 720, 100)),
      on("CUDA", sample("up", "MemcpyFromHost", 820, 30)),
  };
  RunResult result = profiled_result({{1000, ops}, {1000, ops}});
  result.runtime = "onnxruntime", result.device = "GPU";
  return result;
}

TEST(FallbackOps, are_counted_with_their_time_and_the_copies_that_they_cause) {
  const OpProfile profile = profile_ops(with_fallback());
  const FallbackOps left = fallback_ops(profile).value();
  EXPECT_EQ(left.operators, 2);
  EXPECT_EQ(left.time, ns(600));
  EXPECT_EQ(left.copies, 2);
  EXPECT_EQ(left.copy_time, ns(100));
  EXPECT_EQ(fallback_ops_line(profile),
            "2 of 3 operators fell back from GPU to CPU: 300 ns per run (30.0 %), plus 2 copies (50.0 ns per run).\n");
}

TEST(FallbackOps, on_the_device_that_was_asked_for_nobody_left) {
  RunResult result = with_fallback();
  result.device = "CPU";
  for (auto& run : result.profiled->ops) run = {on("CPU", sample("conv", "Conv", 0, 500))};
  const OpProfile profile = profile_ops(result);
  EXPECT_EQ(fallback_ops(profile).value().operators, 0);
  EXPECT_EQ(fallback_ops_line(profile), "");
}

TEST(FallbackOps, without_the_runtimes_word_nothing_is_known) {
  const OpProfile profile = profile_ops(profiled_result({{100, {sample("a", "Add", 0, 10)}}}));
  EXPECT_FALSE(fallback_ops(profile));
  EXPECT_EQ(fallback_ops_line(profile), "");
}

TEST(FallbackOps, go_to_several_devices_or_only_copies_do) {
  RunResult result = with_fallback();
  for (auto& run : result.profiled->ops)
    run = {on("Tensorrt", sample("conv", "Conv", 0, 500)), on("CUDA", sample("gemm", "Gemm", 500, 100)),
           on("DML", sample("some", "Unique", 600, 100)), on("CPU", sample("rows", "NonZero", 700, 200)),
           on("CUDA", sample("up", "MemcpyFromHost", 900, 30))};
  EXPECT_EQ(fallback_ops(profile_ops(result)).value().to, "CPU+DML");
  EXPECT_EQ(
      fallback_ops_line(profile_ops(result)),
      "2 of 4 operators fell back from GPU to CPU+DML: 300 ns per run (30.0 %), plus 1 copy (30.0 ns per run).\n");
  for (auto& run : result.profiled->ops)
    run = {on("CUDA", sample("gemm", "Gemm", 500, 100)), on("CUDA", sample("down", "MemcpyToHost", 600, 20)),
           on("CUDA", sample("up", "MemcpyFromHost", 900, 30))};
  EXPECT_EQ(fallback_ops_line(profile_ops(result)), "Between the host and GPU: 2 copies (50.0 ns per run).\n");
  for (auto& run : result.profiled->ops)
    run = {on("CUDA", sample("gemm", "Gemm", 500, 100)), on("CPU", sample("rows", "NonZero", 700, 200))};
  EXPECT_EQ(fallback_ops_line(profile_ops(result)),
            "1 of 2 operators fell back from GPU to CPU: 200 ns per run (20.0 %).\n");
}

}  // namespace
}  // namespace takt
