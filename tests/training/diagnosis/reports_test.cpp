// Traces with properties that public reports told of, each with what is true of it, and trainings by PyTorch on a busy
// processor. Steps, times and causes were worked out by hand or by how the trace was made.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "places.h"
#include "refused.h"
#include "trace/read/reader.h"
#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/tables.h"

namespace takt {
namespace {

using enum TrainingCause;

NamedTrace report(const std::string& name) {
  NamedTrace one;
  one.file = name;
  one.read = read_trace(source_dir() / "tests/training/diagnosis/reports" / (name + ".json.gz"));
  return one;
}

struct Reported {
  const char* name;
  std::size_t steps;
  double step_ms;                      // mean
  std::optional<TrainingCause> cause;  // first; nullopt: none
  double saved_ms = 0;                 // per step, to 5 %
  const char* says = "";               // in the text
};

class Reports : public testing::TestWithParam<Reported> {};

TEST_P(Reports, have_the_steps_the_cause_and_the_price_that_are_true) {
  const Reported& truth = GetParam();
  const NamedTrace named = report(truth.name);
  const Diagnosis one = diagnose(named.file, named.read.trace);
  const auto steps = static_cast<double>(one.steps.list.size());
  EXPECT_EQ(one.steps.list.size(), truth.steps);
  EXPECT_NEAR(static_cast<double>(one.breakdown.total) / 1e6 / steps, truth.step_ms, 0.005 * truth.step_ms);
  EXPECT_EQ(one.verdicts.empty(), !truth.cause);
  const std::string text = diagnosis_text(std::span(&one, 1), {.width = 1000});
  EXPECT_NE(text.find(truth.says), std::string::npos) << text;
  if (!truth.cause || one.verdicts.empty()) return;
  EXPECT_EQ(name_of(one.verdicts[0].verdict.cause), name_of(*truth.cause)) << text;
  EXPECT_NEAR(static_cast<double>(one.verdicts[0].verdict.total()) / 1e6 / steps, truth.saved_ms,
              0.05 * truth.saved_ms);
}

INSTANTIATE_TEST_SUITE_P(
    Of, Reports,
    testing::Values(Reported{"zero_ts", 3, 10.5, tiny_kernels, 2.02,
                             "Left out: steps 3-5, whose device work is not in the trace"},
                    Reported{"overflow", 8, 20.0, tiny_kernels, 7.47, ""},
                    Reported{"deferred", 11, 20.0, std::nullopt, 0, "its times cannot be assigned to steps"},
                    Reported{"cuda_item", 8, 14.7, host_synchronisation, 6.06, "24.0 calls per step wait"},
                    Reported{"rocm_item", 8, 14.7, host_synchronisation, 6.06, "24.0 calls per step wait"},
                    Reported{"mtia_item", 8, 14.7, host_synchronisation, 6.06, "24.0 calls per step wait"},
                    Reported{"accum_8_8", 8, 24.1, exposed_communication, 3.75, "Affected steps: 7."},
                    Reported{"logging", 8, 53.1, host_bound, 32.3, "up to 2.5"},
                    Reported{"comm", 8, 24.5, exposed_communication, 20.0, "communication"},
                    Reported{"turns", 8, 20.3, serial_devices, 13.9, "each computes for 23 % of the time"},
                    Reported{"one_forward", 1, 7.16, tiny_kernels, 2.27, "one pass of the model (model_inference)"},
                    Reported{"graph_lost", 2, 9.30, compute_bound, 0, "Left out: steps 2-19"},
                    Reported{"last_lost", 5, 10.0, tiny_kernels, 1.20, "Left out: steps 5-7"},
                    Reported{"cpu_gc_each_step", 10, 542.9, host_bound, 508, "no operator runs"},
                    Reported{"cpu_python_metrics", 10, 115.3, host_bound, 62.1, "no operator runs"},
                    Reported{"cpu_checkpoints", 10, 778.5, periodic_stall, 44.8, "every 4 steps one takes"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(ReportedJobs, of_a_slow_rank_have_its_price_and_that_of_the_link_apart) {
  std::vector<NamedTrace> ranks;
  for (int i = 0; i < 8; ++i) ranks.push_back(report("slow_rank_" + std::to_string(i)));
  for (const Diagnosis& one : diagnose(ranks)) {
    ASSERT_EQ(one.verdicts.size(), 2u);
    EXPECT_EQ(one.verdicts[0].verdict.cause, straggler);
    EXPECT_NEAR(static_cast<double>(one.verdicts[0].verdict.total()) / 6e6, 12, 0.1);
    EXPECT_EQ(one.verdicts[1].verdict.cause, exposed_communication);
    EXPECT_NEAR(static_cast<double>(one.verdicts[1].verdict.total()) / 6e6, 5, 0.1) << "6.5 % of 77 ms";
  }
}

TEST(ReportedJobs, whose_ranks_recorded_other_steps_have_no_straggler) {
  std::vector<NamedTrace> ranks;
  for (int i = 0; i < 8; ++i) ranks.push_back(report("other_steps_" + std::to_string(i)));
  for (const Diagnosis& one : diagnose(ranks))
    for (const PlacedVerdict& placed : one.verdicts) EXPECT_NE(placed.verdict.cause, straggler);
}

TEST(ReportedTraces, have_the_same_steps_with_frames_that_never_end_and_without_frames) {
  std::vector<std::string> steps;
  for (const char* name : {"optimizer_over_mark", "frames_without_end"}) {
    const NamedTrace named = report(name);
    const Diagnosis one = diagnose("of both", named.read.trace);
    EXPECT_EQ(one.steps.list.size(), 8u) << name;
    EXPECT_EQ(one.steps.source, StepSource::marks) << name;
    steps.push_back(to_csv(table_named(diagnosis_tables(std::span(&one, 1)), "steps")));
  }
  EXPECT_EQ(steps[0], steps[1]);
}

TEST(ReportedTraces, of_another_framework_are_refused) {
  const NamedTrace jax = report("jax.trace");
  EXPECT_EQ(
      refused_with([&] { diagnose(jax.file, jax.read.trace); }),
      "jax.trace: the trace has no operators, kernels or step markers, so it is not a training that takt knows; give a "
      "trace of PyTorch's profiler, or list its contents with 'takt trace info'");
}

}  // namespace
}  // namespace takt
