#include "pipeline/engine/loaded_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "flow/flow_words.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

constexpr const char* noisy =
    "peak_flops_per_s: 1.0e12\nbandwidth_bytes_per_s: 1.0e11\nunknown_op_ns: 1000\nnoise: {shape: lognormal, sigma: "
    "0.05}\n";

struct RandomSet {
  const char* law;
  const char* combine = "multiply";
  int resources = 1;
};

/// Four stages that take 0.5 to 5 ms, with 5 % noise, and press on resources and suffer from them at random.
PipelineSpec random_set(const RandomSet& set, std::uint64_t seed, const std::filesystem::path& description) {
  Random random(seed);
  std::string text = fmt::format("seed: {}\nbatches: 150\ndevices: {{sim:noisy: {{description: {}, requests: 8}}}}\n",
                                 seed, description.string());
  text += "stages:\n";
  const char* names[] = {"a", "b", "c", "d"};
  for (const char* name : names)
    text += fmt::format("  - {{name: {}, dummy: {{time: {}us}}, device: sim:noisy}}\n", name,
                        500 + static_cast<int>(4500 * uniform(random)));
  text += fmt::format("contention:\n  combine: {}\n  resources:\n", set.combine);
  for (int r = 0; r < set.resources; ++r) {
    text += fmt::format("    r{}: {{law: {}, stages: {{", r, set.law);
    for (const char* name : names)
      text += fmt::format("{}: {{pressure: {:.3f}, sensitivity: {:.3f}}}, ", name, uniform(random), uniform(random));
    text += "}}\n";
  }
  return parse_pipeline(text, "random.yaml");
}

SingleReport measured_alone(const PipelineSpec& spec, int levels = 5) {
  CutRunner runner(spec, true);
  SimulatedLoadedRuns runs(spec, runner);
  SingleSettings settings;
  settings.plan = {even_levels(levels), spec.resources.size() > 1 ? runs.mixture() : std::vector<double>{}};
  std::vector<std::string> names;
  for (const auto& stage : spec.stages) names.push_back(stage.name);
  return measure_single(names, runs.resources(), runs, settings);
}

/// What one execution of `beside` makes of one of `stage`, as the description says.
double true_factor(const PipelineSpec& spec, int stage, int beside) {
  return slow_down_of(contention_law(spec), static_cast<int>(spec.stages.size()), stage, {beside});
}

/// Of |predicted / true slow-down − 1| over all pairs; a stage beside itself, too.
std::vector<double> errors_of(const PipelineSpec& spec, const SingleReport& report) {
  std::vector<double> errors;
  for (const PairRow& pair : report.pairs)
    errors.push_back(std::abs(*pair.factor / true_factor(spec, pair.stage_number, pair.beside_number) - 1));
  return errors;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(LoadedRuns, predicts_pairs_that_never_ran_together_whatever_the_law) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  const TestFolder folder;
  const auto description = folder.write("noisy.yaml", noisy);
  const RandomSet sets[] = {{"linear"},
                            {"share"},
                            {"queue"},
                            {"cliff"},
                            {"saturating"},
                            {"linear", "multiply", 2},
                            {"share", "largest", 2},
                            {"queue", "add", 2},
                            {"cliff", "multiply", 2},
                            {"saturating", "largest", 3},
                            {"queue", "multiply", 3}};
  for (const RandomSet& set : sets) {
    std::vector<double> errors, harms;
    for (std::uint64_t seed = 1; seed <= (is_sanitized() ? 3u : 12u); ++seed) {
      const PipelineSpec spec = random_set(set, seed, description);
      const auto found = errors_of(spec, measured_alone(spec));
      errors.insert(errors.end(), found.begin(), found.end());
      const int stages = static_cast<int>(spec.stages.size());
      for (int stage = 0; stage < stages; ++stage)
        for (int beside = 0; beside < stages; ++beside) harms.push_back(true_factor(spec, stage, beside) - 1);
    }
    EXPECT_LE(mean_of(errors), 0.05) << set.law << ", " << set.combine;
    EXPECT_GE(mean_of(harms), 0.1) << set.law;  // so much is to be predicted
  }
}

TEST(LoadedRuns, measured_pairs_agree_with_the_law_that_predictions_are_held_against) {
  const TestFolder folder;
  const PipelineSpec spec = random_set({"queue", "add", 2}, 3, folder.write("noisy.yaml", noisy));
  CutRunner runner(spec, true);
  const auto measured =
      measure_interference({"a", "b", "c", "d"}, [&](const std::vector<int>& stages) { return runner.run(stages); });
  const PredictionCheck check = check_predictions(measured_alone(spec), measured);
  EXPECT_EQ(check.rows.size(), 16u);
  EXPECT_LE(check.mean_error.value(), 0.05);
}

TEST(LoadedRuns, simulated_loads_press_on_the_resources_alone) {
  const PipelineSpec spec = parse_pipeline(
      "batches: 40\nstages:\n  - {name: a, dummy: {time: 1ms}, device: sim:CPU}\n"
      "  - {name: b, dummy: {time: 2ms}, device: sim:GPU}\n"
      "contention: {interference: {a: {b: 3}}, resources: {m: {law: linear, stages: {a: {sensitivity: 0.5, pressure: "
      "0.25}}}}}\n",
      "p.yaml");
  CutRunner runner(spec, true);
  SimulatedLoadedRuns runs(spec, runner);
  EXPECT_EQ(runs.resources(), std::vector<std::string>{"m"});
  EXPECT_DOUBLE_EQ(runs.alone(0), 1e6);
  const auto half = runs.beside(0, std::vector{0.5}), full = runs.beside(0, std::vector{1.0});
  EXPECT_NEAR(half.time_ns, 1.25e6, 1e3);  // 1 + 0.5 · 0.5
  EXPECT_NEAR(half.overlap, 1, 0.01);
  EXPECT_FALSE(half.load_lost);
  EXPECT_NEAR(full.load_lost.value(), 1.25, 0.01);  // the load's sensitivity is 1, the stage's pressure 0.25
  EXPECT_NEAR(runs.load_beside(0, std::vector{0.5}), 1.5, 0.01);
}

TEST(LoadedRuns, what_no_load_presses_on_is_refused) {
  const std::string stage = "stages:\n  - {name: a, dummy: {time: 1ms}, device: sim:CPU}\n";
  for (const std::string& text :
       {stage, stage + "  - {name: b, dummy: {time: 1ms}}\ncontention: {resources: {m: {stages: {a: {}}}}}\n"}) {
    const PipelineSpec spec = parse_pipeline(text, "p.yaml");
    CutRunner runner(spec, false);
    EXPECT_THROW(load_setup(spec, false, runner, {}), Error) << text;
  }
}

}  // namespace
}  // namespace takt
