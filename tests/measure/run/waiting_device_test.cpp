#include "measure/operators/waiting_device.h"

#include <gtest/gtest.h>

#include "measure/run/results.h"

namespace takt {
namespace {

/// Runs of 1000 us, of which the device worked for `worked` in two kernels, beside a copy of 50 us.
RunResult on_a_gpu(std::int64_t worked) {
  const auto us = [](std::int64_t count) { return count * 1000; };
  const std::vector<OpSample> ops{sample("inputs to GPU", "Memcpy", 0, us(50)),
                                  sample("conv", "Conv", us(60), us(worked / 2)), sample("flat", "Reshape", us(500), 0),
                                  sample("gemm", "Gemm", us(600), us(worked / 2))};
  RunResult result = profiled_result({{us(1000), ops}, {us(1000), ops}});
  result.runtime = "onnxruntime", result.device = "GPU";
  result.profiled->device_clock = true;
  result.plain.emplace();
  result.plain->samples = {ns(us(1000)), ns(us(1000))};
  return result;
}

std::string line_of(const RunResult& result) { return waiting_device_line(result, profile_ops(result)); }

TEST(WaitingDevice, is_said_with_what_it_waits_for) {
  EXPECT_EQ(line_of(on_a_gpu(350)),
            "The GPU is idle for 60 % of a run, waiting for kernel launches (2 operators, 300 µs each on average). A "
            "larger batch is nearly free until the launch time is hidden.\n");
}

TEST(WaitingDevice, is_said_from_two_fifths_of_a_run_on) {
  EXPECT_NE(line_of(on_a_gpu(540)).find("idle for 41 %"), std::string::npos);
  EXPECT_NE(line_of(on_a_gpu(550)).find("idle for 40 %"), std::string::npos);
  EXPECT_EQ(line_of(on_a_gpu(552)), "");
  RunResult idle = on_a_gpu(350);
  for (auto& run : idle.profiled->ops) run.clear();
  EXPECT_EQ(line_of(idle), "") << "it was asked for nothing";
}

TEST(WaitingDevice, is_not_said_where_it_works_or_nothing_tells) {
  EXPECT_EQ(line_of(on_a_gpu(800)), "");
  RunResult by_the_host = on_a_gpu(350), without_plain_runs = on_a_gpu(350);
  by_the_host.profiled->device_clock = false;
  without_plain_runs.plain.reset();
  EXPECT_EQ(line_of(by_the_host), "");
  EXPECT_EQ(line_of(without_plain_runs), "");
}

}  // namespace
}  // namespace takt
