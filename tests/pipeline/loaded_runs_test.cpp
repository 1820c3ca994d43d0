#include "pipeline/loaded_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "test_folder.h"

namespace takt {
namespace {

constexpr const char* noisy = 
    "peak_flops_per_s: 1.0e12\nbandwidth_bytes_per_s: 1.0e11\nunknown_op_ns: 1000\nnoise: {shape: lognormal, sigma: 0.05}\n";

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

/// Of |predicted / true slow-down − 1| over all pairs; a stage beside itself, too.
std::vector<double> errors_of(const PipelineSpec& spec, const SingleReport& report) {
  const auto truth = contention_law(spec).interference;
  std::vector<double> errors;
  for (const PairRow& pair : report.pairs)
    errors.push_back(std::abs(*pair.factor / truth.at(static_cast<std::size_t>(pair.stage_number))
                                                 .at(static_cast<std::size_t>(pair.beside_number)) -
                              1));
  return errors;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(LoadedRuns, predicts_pairs_that_never_ran_together_whatever_the_law) {
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
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const PipelineSpec spec = random_set(set, seed, description);
      const auto found = errors_of(spec, measured_alone(spec));
      errors.insert(errors.end(), found.begin(), found.end());
      for (const auto& row : contention_law(spec).interference)
        for (const double factor : row) harms.push_back(factor - 1);
    }
    EXPECT_LE(mean_of(errors), 0.05) << set.law << ", " << set.combine;
    fmt::print("{} {} {}: mean {:.2f} % max {:.1f} %; harm {:.0f} %\n", set.law, set.combine, set.resources, mean_of(errors) * 100,
               *std::max_element(errors.begin(), errors.end()) * 100, mean_of(harms) * 100);
  }
}

}  // namespace
}  // namespace takt
