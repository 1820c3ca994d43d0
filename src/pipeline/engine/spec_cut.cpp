#include "pipeline/engine/spec_cut.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/files/temporary_folder.h"
#include "model/cost/cost.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/pipeline_stages.h"
#include "pipeline/engine/simulation.h"
#include "pipeline/stages/stage_model.h"

namespace takt {
namespace {

/// Factors of the stages that are left, by the names that they have now.
void cut_interference(const PipelineSpec& spec, std::span<const int> stages, PipelineSpec& result) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto row = spec.interference.find(spec.stages[index(stages[i])].name);
    if (row == spec.interference.end()) continue;
    for (std::size_t j = 0; j < stages.size(); ++j) {
      const auto factor = row->second.find(spec.stages[index(stages[j])].name);
      if (i != j && factor != row->second.end())
        result.interference[result.stages[i].name][result.stages[j].name] = factor->second;
    }
  }
}

void cut_resources(const PipelineSpec& spec, std::span<const int> stages, PipelineSpec& result) {
  for (auto& [name, resource] : result.resources) {
    resource.stages.clear();
    const auto& known = spec.resources.at(name).stages;
    for (std::size_t i = 0; i < stages.size(); ++i)
      if (const auto found = known.find(spec.stages[index(stages[i])].name); found != known.end())
        resource.stages[result.stages[i].name] = found->second;
  }
}

/// Input, weights and output of the generated product; the number of rows is what the stage's inputs say.
double matmul_bytes(const StageSpec& stage) {
  const auto edge = static_cast<double>(*stage.dummy->matmul);
  double rows = edge;
  for (const auto& input : input_specs(stage))
    if (const auto* shape = std::get_if<Shape>(&input.content); shape && shape->size() == 2)
      rows = static_cast<double>(shape->front());
  return sizeof(float) * (2 * rows * edge + edge * edge);
}

std::optional<double> bytes_of(const StageSpec& stage, std::uint64_t seed) try {
  if (stage.dummy && stage.dummy->matmul) return matmul_bytes(stage);
  const auto graph = simulated_graph(stage, "sim:CPU", seed);
  if (!graph) return std::nullopt;
  double sum = 0;
  for (const Op& op : graph->ops) {
    const auto bytes = cost(*graph, op).bytes;
    if (!bytes) return std::nullopt;
    sum += static_cast<double>(*bytes);
  }
  return sum;
} catch (const Error&) {  // OpenVINO's own files, for one: takt does not read their graph
  return std::nullopt;
}

}  // namespace

PipelineSpec cut(const PipelineSpec& spec, std::span<const int> stages) {
  PipelineSpec result = spec;
  result.source = {};
  result.stages.clear();
  result.interference.clear();
  for (const int number : stages) {
    StageSpec stage = spec.stages[index(number)];
    const bool twice = std::any_of(result.stages.begin(), result.stages.end(),
                                   [&](const StageSpec& before) { return before.name == stage.name; });
    if (twice) stage.name += " 2";
    stage.connect.clear();
    stage.after.reset();
    stage.connects_by_default = false;
    stage.replicas = 1;
    result.stages.push_back(std::move(stage));
  }
  cut_interference(spec, stages, result);
  cut_resources(spec, stages, result);
  return result;
}

PipelineSpec cut_beside(const PipelineSpec& spec, std::span<const int> stages, std::span<const SimulatedLoad> loads) {
  PipelineSpec result = cut(spec, stages);
  for (std::size_t l = 0; l < loads.size(); ++l) {
    StageSpec& stage = result.stages.emplace_back();
    stage.name = fmt::format("[load {}]", l + 1);  // no name that a file can have
    stage.device = wait_device;
    stage.dummy = DummyModel{};
    stage.dummy->wait = loads[l].time;
    stage.connects_by_default = false;
    stage.loads = true;
    std::size_t r = 0;
    for (auto& [name, resource] : result.resources) {
      resource.stages[stage.name] = {loads[l].pressure[r], loads[l].sensitivity[r]};
      ++r;
    }
  }
  return result;
}

PipelineSpec with_given_inputs(PipelineSpec spec, const std::atomic<bool>* stop) {
  const SimulatedTimes times(spec);
  check_simulated_shapes(spec, times);
  const TemporaryFolder folder("takt-pipeline");
  const auto [end, opened] = open_stages_watched(spec, times, folder.path(), false, stop);
  if (end.kind != WatchedEnd::Kind::done) throw Error(ErrorKind::runtime, unopened_reason(spec, end));
  for (std::size_t s = 0; s < opened.size(); ++s)
    for (const Link& link : opened[s].links) spec.stages[s].given.push_back(opened[s].sample_inputs.at(link.input));
  return spec;
}

std::vector<std::optional<double>> bytes_per_batch(const PipelineSpec& spec) {
  std::vector<std::optional<double>> bytes;
  for (const auto& stage : spec.stages) bytes.push_back(bytes_of(stage, spec.seed));
  return bytes;
}

CutRunner::CutRunner(PipelineSpec spec, bool virtual_clock, const std::atomic<bool>* stop)
    : spec_(std::move(spec)), virtual_clock_(virtual_clock), stop_(stop) {}

PipelineRun CutRunner::run(std::span<const int> stages, std::span<const SimulatedLoad> loads) {
  PipelineSpec spec = cut_beside(spec_, stages, loads);
  spec.seed += runs_++;
  if (virtual_clock_) return simulate_pipeline(spec);
  EngineSettings settings;
  settings.stop = stop_;
  PipelineOutcome outcome = run_pipeline(spec, settings);
  if (outcome.run.failure) throw Error(ErrorKind::runtime, *outcome.run.failure);
  return std::move(outcome.run);
}

}  // namespace takt
