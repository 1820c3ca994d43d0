// Records pipelines that really compute on this machine's CPU, predicts changed ones from the record and from measured
// slow-downs, and really runs those: prints the second table of docs/what-if.md. Exit code 1 when a prediction is more
// than 15 % off.
//
//   what_if_real [ROUNDS [BATCHES]]      default: 5 rounds of 60 batches
//
// Before and after are run in turns, in every round; figures are medians. A busy machine makes them worthless.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "core/error.h"
#include "pipeline/engine.h"
#include "pipeline/interference.h"
#include "pipeline/known_contention.h"
#include "pipeline/replay.h"
#include "pipeline/spec_cut.h"

namespace takt {
namespace {

constexpr double allowed = 0.15;

struct RealCase {
  std::string pipeline;                       ///< its name in `pipelines`
  std::string name;                           ///< what is changed
  std::vector<std::string> changes;           ///< as for --set
  std::function<void(PipelineSpec&)> really;  ///< the same to the file
  std::optional<std::size_t> timed =
      std::nullopt;  ///< a stage whose own time changes: measured alone, before and after
};

/// Three matrix products of different size on one runtime, one thread each.
PipelineSpec three(const std::string& runtime) {
  std::string text = "stages:\n";
  const std::pair<const char*, int> rows[] = {{"gather", 256}, {"infer", 768}, {"post", 384}};
  for (const auto& [name, count] : rows)
    text += fmt::format(
        "  - {{name: {}, dummy: {{matmul: 512}}, inputs: {{x: \"{{{},512}}\"}}, runtime: {}, threads: 1, connect: "
        "{{}}}}\n",
        name, count, runtime);
  return parse_pipeline(text, "three.yaml");
}

PipelineSpec two_networks() {
  return read_pipeline(std::filesystem::path(TAKT_SOURCE_DIR) / "examples/pipelines/two_networks.yaml");
}

void set_rows(PipelineSpec& spec, std::size_t stage, int rows) {
  spec.stages[stage].inputs["x"] = fmt::format("{{{},512}}", rows);
}

std::vector<RealCase> cases_of(const std::string& pipeline) {
  const auto depth = [](int queue) {
    return [=](PipelineSpec& spec) {
      for (auto& stage : spec.stages) stage.queue = queue;
    };
  };
  std::vector<RealCase> cases;
  if (pipeline == "two networks") {
    cases.push_back({pipeline, "queue 2 to 8", {"stage.shufflenet.queue=8"}, depth(8)});
    cases.push_back({pipeline, "squeezenet has two replicas", {"stage.squeezenet.replicas=2"}, [](PipelineSpec& spec) {
                       spec.stages[0].replicas = 2;
                     }});
    cases.push_back({pipeline,
                     "squeezenet and shufflenet have two replicas",
                     {"stage.squeezenet.replicas=2", "stage.shufflenet.replicas=2"},
                     [](PipelineSpec& spec) { spec.stages[0].replicas = spec.stages[1].replicas = 2; }});
  } else {
    cases.push_back({pipeline, "queues 2 to 8", {"stage.infer.queue=8", "stage.post.queue=8"}, depth(8)});
    cases.push_back({pipeline, "infer has two replicas", {"stage.infer.replicas=2"}, [](PipelineSpec& spec) {
                       spec.stages[1].replicas = 2;
                     }});
    cases.push_back({pipeline,
                     "infer has half the work",
                     {"stage.infer.time=x{}"},
                     [](PipelineSpec& spec) { set_rows(spec, 1, 384); },
                     1});
    cases.push_back({pipeline,
                     "post has twice the work",
                     {"stage.post.time=x{}"},
                     [](PipelineSpec& spec) { set_rows(spec, 2, 768); },
                     2});
    cases.push_back({pipeline,
                     "infer has two threads",
                     {"stage.infer.threads=2", "stage.infer.time=x{}"},
                     [](PipelineSpec& spec) { spec.stages[1].threads = 2; },
                     1});
  }
  cases.push_back(
      {pipeline, "one batch at a time", {"source.in_flight=1"}, [](PipelineSpec& spec) { spec.source.in_flight = 1; }});
  return cases;
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

class Rows {
 public:
  Rows(int rounds, std::int64_t batches) : rounds_(rounds), batches_(batches) {}

  void add(PipelineSpec spec, const std::string& pipeline) {
    spec.name = pipeline;
    spec.batches = batches_;
    const auto pairs = measured_pairs(spec, std::min(rounds_, 3));
    for (const RealCase& one : cases_of(pipeline)) print(spec, one, pairs);
  }
  double worst() const { return worst_; }

 private:
  void print(const PipelineSpec& before, const RealCase& one, const std::vector<PairRow>& pairs) {
    PipelineSpec after = before;
    one.really(after);
    std::vector<double> recorded, replayed, unmeasured, predicted, really;
    for (int round = 0; round < rounds_; ++round) {
      std::vector<PipelineChange> changes;
      const double factor = one.timed ? alone_ns(after, *one.timed) / alone_ns(before, *one.timed) : 1;
      for (const auto& text : one.changes) changes.push_back(parse_change(fmt::format(fmt::runtime(text), factor)));
      const PipelineRun run = record(before);
      const ContentionLaw law = known_contention(run, pairs).law;
      recorded.push_back(makespan_ms(run));
      replayed.push_back(makespan_ms(replay(run, {}, law)));
      unmeasured.push_back(makespan_ms(replay(run, changes)));
      predicted.push_back(makespan_ms(replay(run, changes, law)));
      really.push_back(makespan_ms(record(after)));
    }
    const double truth = median(really), error = median(predicted) / truth - 1;
    worst_ = std::max(worst_, std::abs(error));
    fmt::print("| {} | {} | {:.0f} ms | {:.0f} ms | {:.0f} ms | {:.0f} ms | {:.0f} ms | {:+.1f} % | {} |\n",
               one.pipeline, one.name, median(recorded), median(replayed), median(unmeasured), median(predicted), truth,
               error * 100, std::abs(error) <= allowed ? "PASS" : "FAIL");
    std::fflush(stdout);
  }

  int rounds_;
  std::int64_t batches_;
  double worst_ = 0;
};

int print_table(int rounds, std::int64_t batches) {
  fmt::print(
      "| pipeline | what was changed | before | replayed | from the record | with measured slow-downs | really | error "
      "| |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|---:|---|\n");
  Rows rows(rounds, batches);
  rows.add(three("openvino"), "OpenVINO");
  rows.add(three("onnxruntime"), "ONNX Runtime");
  rows.add(two_networks(), "two networks");
  fmt::print("\nThe largest error is {:.1f} %.\n", rows.worst() * 100);
  return rows.worst() <= allowed ? 0 : 1;
}

}  // namespace
}  // namespace takt

int main(int count, char** words) try {
  const int rounds = count > 1 ? std::atoi(words[1]) : 5, batches = count > 2 ? std::atoi(words[2]) : 60;
  return takt::print_table(std::max(rounds, 2), std::max(batches, 10));
} catch (const takt::Error& error) {
  fmt::print(stderr, "what_if_real: {}\n", error.what());
  return 1;
}
