// Records pipelines that really compute on this machine's CPU, predicts changed ones from the record and from measured
// slow-downs, and really runs those: prints the last table of bench/what_if.md. Exit code 1 when a prediction is more
// than 15 % off and its range does not hold the truth.
//
//   what_if_real [ROUNDS [BATCHES]]      default: 9 rounds of 60 batches
//
// Before and after are run in turns; an error is of a prediction from one round's record to the same round's changed
// run, and the table has the medians over the rounds; so is its range. A busy machine makes them worthless.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <span>

#include "base/basics/error.h"
#include "base/system/affinity.h"
#include "pipeline/contention/interference.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/spec_cut.h"
#include "pipeline/whatif/known_contention.h"
#include "pipeline/whatif/prediction_range.h"
#include "pipeline/whatif/replay.h"

namespace takt {
namespace {

constexpr double allowed = 0.15;

struct RealCase {
  std::string name;                           ///< what is changed
  std::vector<std::string> changes;           ///< as for --set
  std::function<void(PipelineSpec&)> really;  ///< the same to the file
  std::optional<std::size_t> timed{};         ///< a stage whose own time changes: measured alone, before and after
};

struct Product {
  const char* stage;
  int rows;
};

/// Matrix products of different size on one runtime, one thread each.
PipelineSpec products(const std::string& runtime, std::span<const Product> list) {
  std::string text = "stages:\n";
  for (const auto& [stage, rows] : list)
    text += fmt::format(
        "  - {{name: {}, dummy: {{matmul: 512}}, inputs: {{x: \"{{{},512}}\"}}, runtime: {}, threads: 1, connect: "
        "{{}}}}\n",
        stage, rows, runtime);
  return parse_pipeline(text, "products.yaml");
}

PipelineSpec two_networks() {
  return read_pipeline(std::filesystem::path(TAKT_SOURCE_DIR) / "examples/pipelines/two_networks.yaml");
}

auto all_queues(int queue) {
  return [=](PipelineSpec& spec) {
    for (auto& stage : spec.stages) stage.queue = queue;
  };
}

auto replicas(std::initializer_list<std::size_t> stages) {
  return [stages = std::vector(stages)](PipelineSpec& spec) {
    for (const std::size_t stage : stages) spec.stages[stage].replicas = 2;
  };
}

auto rows(std::size_t stage, int count) {
  return [=](PipelineSpec& spec) { spec.stages[stage].inputs["x"] = fmt::format("{{{},512}}", count); };
}

void one_at_a_time(PipelineSpec& spec) { spec.source.in_flight = 1; }

std::vector<RealCase> cases_of_two() {
  return {{"queue 2 to 8", {"stage.infer.queue=8"}, all_queues(8)},
          {"infer has half the work", {"stage.infer.time=x{}"}, rows(1, 384), 1},
          {"infer has a third more work", {"stage.infer.time=x{}"}, rows(1, 1024), 1},
          {"prepare has half the work", {"stage.prepare.time=x{}"}, rows(0, 256), 0},
          {"prepare has twice the work", {"stage.prepare.time=x{}"}, rows(0, 1024), 0},
          {"infer has two replicas", {"stage.infer.replicas=2"}, replicas({1})},
          {"one batch at a time", {"source.in_flight=1"}, one_at_a_time}};
}

std::vector<RealCase> cases_of_three() {
  return {{"queues 2 to 8", {"stage.infer.queue=8", "stage.post.queue=8"}, all_queues(8)},
          {"infer has two replicas", {"stage.infer.replicas=2"}, replicas({1})},
          {"infer has half the work", {"stage.infer.time=x{}"}, rows(1, 384), 1},
          {"post has twice the work", {"stage.post.time=x{}"}, rows(2, 768), 2},
          {"infer has two threads",
           {"stage.infer.threads=2", "stage.infer.time=x{}"},
           [](PipelineSpec& spec) { spec.stages[1].threads = 2; },
           1},
          {"one batch at a time", {"source.in_flight=1"}, one_at_a_time}};
}

std::vector<RealCase> cases_of_networks() {
  return {{"queue 2 to 8", {"stage.shufflenet.queue=8"}, all_queues(8)},
          {"squeezenet has two replicas", {"stage.squeezenet.replicas=2"}, replicas({0})},
          {"both have two replicas", {"stage.squeezenet.replicas=2", "stage.shufflenet.replicas=2"}, replicas({0, 1})},
          {"one batch at a time", {"source.in_flight=1"}, one_at_a_time}};
}

double makespan_ms(const PipelineRun& run) { return static_cast<double>(run.schedule.makespan().count()) / 1e6; }

PipelineRun record(const PipelineSpec& spec) {
  PipelineOutcome outcome = run_pipeline(spec);
  if (outcome.run.failure) throw Error(ErrorKind::runtime, *outcome.run.failure);
  return std::move(outcome.run);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Mean time of the stage's executions while nothing else runs.
double alone_ns(const PipelineSpec& spec, std::size_t stage) {
  CutRunner runner(spec, false);
  const PipelineRun run = runner.run(std::vector{static_cast<int>(stage)});
  double sum = 0, count = 0;
  for (const auto& execution : run.schedule.executions) {
    if (execution.what.batch < run.warmup) continue;
    sum += static_cast<double>((execution.end - execution.start).count());
    ++count;
  }
  return sum / count;
}

std::vector<PairRow> measured_pairs(const PipelineSpec& spec, int rounds) {
  std::vector<std::string> names;
  for (const auto& stage : spec.stages) names.push_back(stage.name);
  CutRunner runner(spec, false);
  InterferenceSettings settings;
  settings.rounds = rounds;
  const auto report = measure_interference(
      names, [&](const std::vector<int>& stages) { return runner.run(stages); }, settings);
  return report.pairs;
}

int threads_of(const PipelineSpec& spec) {
  int sum = 0;
  for (const auto& stage : spec.stages) sum += stage.replicas * stage.threads.value_or(1);
  return sum;
}

/// What one case gave in every round: errors are relative to the changed run of the same round.
struct Series {
  std::vector<double> before, replay_error, plain_error, error, measured_error, really, low, high;
  int inside = 0;  ///< rounds in which the truth was in the range
};

class Rows {
 public:
  Rows(int rounds, std::int64_t batches) : rounds_(rounds), batches_(batches) {}

  void add(PipelineSpec spec, const std::string& pipeline, const std::vector<RealCase>& cases) {
    spec.name = pipeline;
    spec.batches = batches_;
    const auto pairs = measured_pairs(spec, std::min(rounds_, 3));
    for (const RealCase& one : cases) print(pipeline, one, spec, series(spec, one, pairs));
  }
  double worst() const { return worst_; }
  bool good() const { return good_; }                      ///< every row: within 15 %, or the truth in the range
  double worst_crowded() const { return worst_crowded_; }  ///< of those with more threads than cores

 private:
  Series series(const PipelineSpec& before, const RealCase& one, const std::vector<PairRow>& pairs) const {
    PipelineSpec after = before;
    one.really(after);
    Series all;
    for (int round = 0; round < rounds_; ++round) {
      std::vector<PipelineChange> changes;
      const double factor = one.timed ? alone_ns(after, *one.timed) / alone_ns(before, *one.timed) : 1;
      for (const auto& text : one.changes) changes.push_back(parse_change(fmt::format(fmt::runtime(text), factor)));
      const PipelineRun run = record(before);
      const double truth = makespan_ms(record(after));
      const auto error = [&](const ContentionLaw& law) { return makespan_ms(replay(run, changes, law)) / truth - 1; };
      const KnownContention known = known_contention(run);
      const ContentionLaw& law = known.law;
      const PredictionRange possible(run, known, replay_error(run, replay(run, {}, law)));
      const Range<Duration> range = possible.ranges(changes, account(replay(run, changes, law))).makespan;
      all.low.push_back(range.low.count() / 1e3 / truth - 1);
      all.high.push_back(range.high.count() / 1e3 / truth - 1);
      all.inside += all.low.back() <= 0 && all.high.back() >= 0 ? 1 : 0;
      all.before.push_back(makespan_ms(run));
      all.really.push_back(truth);
      all.replay_error.push_back(makespan_ms(replay(run, {}, law)) / makespan_ms(run) - 1);
      all.plain_error.push_back(error({}));
      all.error.push_back(error(law));
      all.measured_error.push_back(error(known_contention(run, pairs).law));
    }
    return all;
  }

  void print(const std::string& pipeline, const RealCase& one, PipelineSpec spec, const Series& all) {
    const int before = threads_of(spec);
    one.really(spec);
    const double error = median(all.error);
    const int after = threads_of(spec);
    double& worst = after > cores_ ? worst_crowded_ : worst_;
    worst = std::max(worst, std::abs(error));
    const double low = median(all.low), high = median(all.high);
    const bool good = std::abs(error) <= allowed || (low <= 0 && high >= 0);
    fmt::print(
        "| {} | {} | {} to {} | {:.0f} ms | {:.0f} ms | {:+.1f} % | {:+.1f} % | {:+.1f} to {:+.1f} % | {} of {} | "
        "{:+.1f} "
        "% | {:+.1f} % | {} |\n",
        pipeline, one.name, before, after, median(all.before), median(all.really), median(all.replay_error) * 100,
        error * 100, low * 100, high * 100, all.inside, rounds_, median(all.plain_error) * 100,
        median(all.measured_error) * 100, good ? "PASS" : "FAIL");
    good_ = good_ && good;
    std::fflush(stdout);
  }

  int rounds_;
  std::int64_t batches_;
  double worst_ = 0, worst_crowded_ = 0;
  bool good_ = true;
  int cores_ = static_cast<int>(usable_cores().size());
};

int print_table(int rounds, std::int64_t batches) {
  fmt::print(
      "| pipeline | what was changed | threads | before | really | replay | error | range | truth in it | cores not "
      "told "
      "| slow-downs measured | |\n");
  fmt::print("|---|---|---|---:|---:|---:|---:|---|---|---:|---:|---|\n");
  Rows rows(rounds, batches);
  const Product two[] = {{"prepare", 512}, {"infer", 768}}, three[] = {{"gather", 256}, {"infer", 768}, {"post", 384}};
  for (const auto& [runtime, name] : {std::pair{"openvino", "OpenVINO"}, std::pair{"onnxruntime", "ONNX Runtime"}}) {
    rows.add(products(runtime, two), fmt::format("{}, two stages", name), cases_of_two());
    rows.add(products(runtime, three), fmt::format("{}, three stages", name), cases_of_three());
  }
  rows.add(two_networks(), "two networks", cases_of_networks());
  fmt::print("\nThe largest error is {:.1f} % where there is a core for every thread, else {:.1f} %.\n",
             rows.worst() * 100, rows.worst_crowded() * 100);
  return rows.good() ? 0 : 1;
}

}  // namespace
}  // namespace takt

int main(int count, char** words) try {
  const int rounds = count > 1 ? std::atoi(words[1]) : 9, batches = count > 2 ? std::atoi(words[2]) : 60;
  return takt::print_table(std::max(rounds, 2), std::max(batches, 10));
} catch (const takt::Error& error) {
  fmt::print(stderr, "what_if_real: {}\n", error.what());
  return 1;
}
