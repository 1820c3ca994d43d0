// Predicts what real stages on this machine's CPU do to each other from each of them beside loads, and measures every
// pair in the same rounds: prints each pair with its slow-down predicted and measured, and the mean error. Exit code 1
// when that is above 8 %.
//
//   contention_single [ROUNDS [BATCHES [LEVELS]]]      default: 5 rounds of 60 batches, 4 levels
//
// The stages are products of matrices with one thread each: `stream` reads 64 MB of weights for one row, more than any
// cache holds; `reuse` reads 34 MB, about a last cache; `compute` stays in the core's caches; `mixed` reads 16 MB and
// computes as long. All are medians: of executions in a round, and over the rounds. A busy machine makes them
// worthless.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/statistics/statistics.h"
#include "base/system/child_process.h"
#include "base/system/progress.h"
#include "pipeline/contention/stage_durations.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/loaded_runs.h"

namespace takt {
namespace {

constexpr double allowed = 0.08;
constexpr std::string_view load_word = "--load";

struct Product {
  const char* stage;
  int rows, edge;
};

constexpr Product products[] = {{"stream", 1, 4096}, {"reuse", 4, 2896}, {"compute", 384, 512}, {"mixed", 24, 2048}};

PipelineSpec real_stages(std::int64_t batches) {
  std::string text = fmt::format("batches: {}\nstages:\n", batches);
  for (const auto& [stage, rows, edge] : products)
    text += fmt::format(
        "  - {{name: {}, dummy: {{matmul: {}}}, inputs: {{x: \"{{{},{}}}\"}}, threads: 1, connect: {{}}}}\n", stage,
        edge, rows, edge);
  return parse_pipeline(text, "products.yaml");
}

/// Slow-downs of pairs, measured as `takt pipeline interference` does, with medians, by stage and beside: one for each
/// round.
class MeasuredPairs {
 public:
  MeasuredPairs(std::size_t stages, CutRunner& runner) : stages_(static_cast<int>(stages)), runner_(runner) {}

  void measure_round() {
    for (int i = 0; i < stages_; ++i)
      for (int j = i; j < stages_; ++j) {
        const double one = alone(i), other = i == j ? one : alone(j);
        const PipelineRun run = runner_.run(std::vector{i, j});
        // Before and behind it: the machine drifts.
        add(i, j, std::sqrt(one * alone(i)), durations_of(run, 0, 1));
        if (i != j) add(j, i, std::sqrt(other * alone(j)), durations_of(run, 1, 0));
      }
  }

  double slow_down(int i, int j) const { return *median(rounds_.at({i, j})); }

 private:
  static StageDurations durations_of(const PipelineRun& run, int stage, std::optional<int> beside) {
    StageDurations result;
    add_durations(run, stage, beside, result);
    return result;
  }
  double alone(int stage) { return usual_ns(durations_of(runner_.run(std::vector{stage}), 0, std::nullopt)); }
  static double usual_ns(const StageDurations& durations) { return median(durations.all).value_or(0); }
  void add(int i, int j, double alone, const StageDurations& together) {
    rounds_[{i, j}].push_back(slow_down_while_both_run(alone, usual_ns(together), together.overlap().value_or(0)));
  }

  int stages_;
  CutRunner& runner_;
  std::map<std::pair<int, int>, std::vector<double>> rounds_;
};

int print_table(int rounds, std::int64_t batches, int levels) {
  const PipelineSpec spec = with_given_inputs(real_stages(batches));
  CutRunner runner(spec, false);
  const LoadSetup setup = load_setup(spec, false, runner, {path_of_this_program(), std::string(load_word)});
  MeasuredPairs measured(spec.stages.size(), runner);
  SingleSettings settings;
  settings.rounds = rounds;
  settings.plan = {even_levels(levels), setup.mixture};
  Progress bar("rounds");
  settings.after_round = [&, done = std::uint64_t{0}]() mutable {
    measured.measure_round();
    bar.update(++done, static_cast<std::uint64_t>(rounds));
  };
  std::vector<std::string> names;
  for (const auto& stage : spec.stages) names.push_back(stage.name);
  const SingleReport report = measure_single(names, setup.resources, *setup.runs, settings);

  fmt::print("{}\n", to_text(report, {}));
  for (const Table& table : single_tables(report)) fmt::print("{}\n{}\n", table.name, to_markdown(table));
  fmt::print("| stage | beside | measured | predicted | from | to | error |\n|---|---|---:|---:|---:|---:|---:|\n");
  std::vector<double> errors;
  for (const PairRow& pair : report.pairs) {
    const double truth = measured.slow_down(pair.stage_number, pair.beside_number);
    errors.push_back(std::abs(*pair.factor / truth - 1));
    fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:+.1f} % |\n", pair.stage, pair.beside, truth,
               *pair.factor, *pair.low, *pair.high, (*pair.factor / truth - 1) * 100);
  }
  const double average = *mean(errors);
  fmt::print("\nMean error {:.1f} %, the largest {:.1f} %, of {} pairs.\n", average * 100,
             *std::max_element(errors.begin(), errors.end()) * 100, errors.size());
  return average <= allowed ? 0 : 1;
}

int run_as_load() {
  std::cin >> std::noskipws;
  const std::string task(std::istreambuf_iterator<char>(std::cin), {});
  run_load(task, [](const std::string& line) { return std::puts(line.c_str()) >= 0 && std::fflush(stdout) == 0; });
  return 0;
}

}  // namespace
}  // namespace takt

int main(int count, char** words) try {
  if (count == 2 && words[1] == takt::load_word) return takt::run_as_load();
  const auto number = [&](int word, int otherwise) { return count > word ? std::atoi(words[word]) : otherwise; };
  return takt::print_table(std::max(number(1, 5), 2), std::max(number(2, 60), 10), std::max(number(3, 4), 2));
} catch (const takt::Error& error) {
  fmt::print(stderr, "contention_single: {}\n", error.what());
  return 1;
}
