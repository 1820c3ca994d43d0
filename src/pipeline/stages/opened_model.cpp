#include "pipeline/stages/opened_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/statistics/statistics.h"
#include "base/system/watched_work.h"
#include "measure/open/prepared_model.h"

namespace takt {
namespace {

/// As the runtime declares them for inputs of these shapes, else as the model's own graph does, in which takt has
/// filled in what follows from them. ONNX Runtime shows an unknown rank as a scalar, so that is believed to the graph
/// alone.
OutputShapes output_shapes(const Session& session, const std::optional<Graph>& graph) {
  OutputShapes shapes;
  for (const Port& port : session.outputs()) {
    auto& shape = shapes.emplace_back();
    if (!port.shape.empty()) shape = concrete(port.shape);
    const auto id = graph && !shape ? graph->find_tensor(port.name) : std::nullopt;
    if (id && graph->tensor(*id).shape) shape = concrete(*graph->tensor(*id).shape);
  }
  return shapes;
}

}  // namespace

OpenedSession open_session(const std::filesystem::path& model, const StageExecutorSettings& settings,
                           const std::vector<SharedTensor>& values, std::optional<std::size_t> free_axis) {
  RunSettings run = run_settings(settings);
  run.free_axis = free_axis;
  PreparedModel prepared(model, run);
  OpenedSession opened;
  opened.runtime_name = prepared.result().runtime;
  opened.session = prepared.open(settings.counters && prepared.runtime().traits().times_requests);
  opened.inputs = prepared.values(opened.session->inputs());
  if (values.size() > opened.inputs.size())
    refuse_input(fmt::format("{} values are given for a model that has {} inputs; give at most one value per input",
                             values.size(), opened.inputs.size()));
  for (std::size_t i = 0; i < opened.inputs.size() && i < values.size(); ++i) {
    if (!values[i]) continue;
    auto name = opened.inputs[i].name;
    opened.inputs[i] = *values[i];
    opened.inputs[i].name = std::move(name);
  }
  opened.session->set_inputs(opened.inputs);
  if (settings.open_shapes && !settings.sizes_vary)
    for (const HostTensor& input : opened.inputs) opened.open_inputs.push_back(input.shape);
  opened.output_shapes = output_shapes(*opened.session, prepared.result().graph);
  if (settings.sizes_vary) opened.output_shapes.assign(opened.output_shapes.size(), std::nullopt);
  // A virtual clock would begin later, and has nothing to warm up.
  if (opened.session->keeps_real_time()) {
    begin_step("running it once");
    const std::vector<Port> declared = opened.session->outputs();
    opened.session->run();
    const std::vector<Port>& seen = opened.session->outputs();
    for (std::size_t i = 0; i < seen.size(); ++i)  // a session opens what the model declares wrong
      if (concrete(declared[i].shape) && !concrete(seen[i].shape)) opened.output_shapes[i].reset();
  }
  opened.runtime = prepared.release_runtime();
  return opened;
}

OpenedModel::OpenedModel(const std::filesystem::path& model, const StageExecutorSettings& settings,
                         const std::vector<SharedTensor>& values, std::optional<std::size_t> free_axis)
    : settings_(settings), opened_(open_session(model, settings, values, free_axis)) {
  for (auto& input : opened_.inputs) sample_inputs_.push_back(std::make_shared<HostTensor>(std::move(input)));
  for (auto& output : opened_.session->outputs_of_last_run())
    sample_outputs_.push_back(std::make_shared<HostTensor>(std::move(output)));
  // A model whose own shapes are wrong still runs: then nothing is known beforehand.
  for (std::size_t i = 0; i < opened_.output_shapes.size(); ++i)
    if (i >= sample_outputs_.size() || opened_.output_shapes[i] != sample_outputs_[i]->shape)
      opened_.output_shapes[i].reset();
}

Nanoseconds OpenedModel::median_time(int runs) const {
  std::vector<Nanoseconds> times;
  for (int i = 0; i < runs; ++i) {
    begin_step("measuring its speed");
    times.push_back(opened_.session->run());
  }
  return std::chrono::round<Nanoseconds>(median(times).value());
}

std::unique_ptr<StageExecutor> OpenedModel::make_executor(OutputMemory memory) {
  return executor_over(std::move(opened_.runtime), std::move(opened_.session), settings_,
                       {opened_.output_shapes, std::move(memory), opened_.open_inputs});
}

}  // namespace takt
