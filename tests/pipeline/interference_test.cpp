#include "pipeline/interference.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/error.h"
#include "pipeline/what_if_cases.h"

namespace takt {
namespace {

/// Stages of a pipeline on devices of their own, which slow each other down by a law; every call draws new noise.
StageRunner runner(std::vector<double> times_us, ContentionLaw law, double sigma) {
  auto calls = std::make_shared<std::uint64_t>(0);
  return [=](const std::vector<int>& stages) {
    std::vector<double> chosen;
    for (const int s : stages) chosen.push_back(times_us[static_cast<std::size_t>(s)]);
    TruePipeline truth = chain(chosen, 2, 150);
    truth.sigma = sigma;
    truth.seed = ++*calls;
    if (!law.interference.empty()) {
      for (const int i : stages) {
        auto& row = truth.contention.interference.emplace_back();
        for (const int j : stages)
          row.push_back(law.interference[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
      }
    }
    PipelineRun run = run_truth(truth);
    for (auto& stage : run.stages) stage.input_bytes = 4'000'000;
    return run;
  };
}

const PairRow& pair(const InterferenceReport& report, int stage, int beside) {
  for (const auto& row : report.pairs)
    if (row.stage_number == stage && row.beside_number == beside) return row;
  throw std::logic_error("no such pair");
}

TEST(interference, finds_the_matrix_also_where_the_partner_is_idle_now_and_then) {
  ContentionLaw law;
  law.interference = {{1, 1.5, 1}, {1, 1, 1.25}, {1.4, 1, 1}};
  const auto report = measure_interference({"a", "b", "c"}, runner({1000, 2500, 1500}, law, 0.05));
  ASSERT_EQ(report.pairs.size(), 6u);
  for (const auto& row : report.pairs) {
    const double truth =
        law.interference[static_cast<std::size_t>(row.stage_number)][static_cast<std::size_t>(row.beside_number)];
    EXPECT_EQ(row.significant, truth > 1) << row.stage << " beside " << row.beside;
    EXPECT_NEAR(row.factor.value(), truth, 0.06) << row.stage << " beside " << row.beside;
  }
  EXPECT_LT(pair(report, 1, 0).overlap.value(), 0.6);  // a is done long before b
  const auto found = law_of(report);
  EXPECT_NEAR(found.interference[0][1], 1.5, 0.06);
  EXPECT_EQ(found.interference[0][2], 1);
}

TEST(interference, noise_is_never_called_contention) {
  for (int repeat = 0; repeat < 6; ++repeat) {
    const auto report = measure_interference({"a", "b", "c"}, runner({1000 + 10.0 * repeat, 2500, 1500}, {}, 0.2));
    for (const auto& row : report.pairs) EXPECT_FALSE(row.significant) << row.stage << " beside " << row.beside;
    EXPECT_TRUE(law_of(report).empty());
  }
}

TEST(interference, tells_the_share_of_the_memory_bandwidth) {
  InterferenceSettings settings;
  settings.peak_bytes_per_second = 8e9;  // 4 MB in 1 ms are half of it
  const auto report = measure_interference({"a", "b"}, runner({1000, 2000}, {}, 0), settings);
  EXPECT_NEAR(report.alone[0].bandwidth_share.value(), 0.5, 1e-9);
  EXPECT_NEAR(report.alone[1].bandwidth_share.value(), 0.25, 1e-9);
  EXPECT_FALSE(measure_interference({"a", "b"}, runner({1000, 2000}, {}, 0)).alone[0].bandwidth_share);
}

TEST(interference, needs_two_stages) { EXPECT_THROW(measure_interference({"a"}, runner({1000}, {}, 0)), Error); }

}  // namespace
}  // namespace takt
