#include <fmt/format.h>

#include <algorithm>

#include "base/basics/index.h"
#include "base/files/temporary_folder.h"
#include "plan/gnn/stage_model.h"
#include "plan/run/check.h"
#include "plan/run/planned_layer.h"

namespace takt {
namespace {

constexpr double in_float32 = 1e-4, in_halves = 2e-2;

/// The outputs of all stages up to this one, computed as one model in float32.
std::map<std::string, SharedTensor> layer_in_float32(const PlannedLayer& layer, int last,
                                                     const std::map<std::string, HostTensor>& values,
                                                     const std::filesystem::path& folder) {
  StageModelSettings settings;
  settings.features = settings.hidden = layer.features;
  settings.seed = layer.seed;
  settings.size = {layer.graph.nodes, layer.graph.edges()};
  const StageRange range = layer.range({1, last});
  const auto path = folder / fmt::format("reference{}.onnx", last);
  const OnnxModel model = stage_model(range, settings);
  write_onnx(model, path);
  SessionSettings of_session;
  of_session.precision = ElementType::f32;
  const auto runtime = make_runtime(layer.host_runtime);
  const auto session = runtime->open(path, &model.graph, of_session);
  std::vector<HostTensor> inputs;
  for (const Port& port : session->inputs()) inputs.push_back(values.at(port.name));
  session->set_inputs(inputs);
  session->run();
  std::map<std::string, SharedTensor> outputs;
  for (HostTensor& output : session->outputs_of_last_run()) {
    const std::string name = output.name;
    outputs[name] = std::make_shared<const HostTensor>(std::move(output));
  }
  return outputs;
}

/// As layer_values() has them, but drawn otherwise.
HostTensor other_features(const PlannedLayer& layer) {
  PlannedLayer other = layer;
  other.seed += 1;
  return std::move(layer_values(other).at("x"));
}

NamedValues features_of(const std::map<std::string, HostTensor>& values) {
  return {{"x", std::make_shared<const HostTensor>(values.at("x"))}};
}

}  // namespace

std::optional<std::vector<BlockNumbers>> PlannedLayer::check(const Plan& plan, const PlanPipeline& pipeline,
                                                             const PipelineSpec& spec,
                                                             const std::atomic<bool>* stop) const {
  if (!computes(plan, units)) return std::nullopt;
  const auto values = layer_values(*this);
  auto other_values = values;
  other_values.at("x") = other_features(*this);
  // What a unit keeps of the batch before shows in the second batch and the third.
  const auto batches = batches_run(spec, {features_of(other_values), features_of(values)}, stop);
  const TemporaryFolder folder("takt-plan-");
  std::vector<BlockNumbers> numbers;
  double allowed = in_float32;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const auto& parts = plan.blocks[b].parts;
    if (std::any_of(parts.begin(), parts.end(),
                    [&](const PlanPart& part) { return units.at(part.unit).precision != ElementType::f32; }))
      allowed = in_halves;
    const BlockStages& block = pipeline.blocks[b];
    const int last = plan.blocks[b].stages.last;
    const auto first = layer_in_float32(*this, last, values, folder.path());
    const auto second = layer_in_float32(*this, last, other_values, folder.path());
    BlockNumbers& found = numbers.emplace_back(BlockNumbers{0, allowed});
    for (std::size_t batch = 0; batch < batches.size(); ++batch)
      add_deviation(found, batches[batch][index(block.last)], block.outputs, batch == 1 ? second : first, {allowed},
                    Integers::exact);
  }
  return numbers;
}

}  // namespace takt
