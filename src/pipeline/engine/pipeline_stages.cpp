#include "pipeline/engine/pipeline_stages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "measure/open/prepared_model.h"
#include "model/runtime/ports.h"
#include "pipeline/record/pipeline_run.h"
#include "pipeline/stages/float_types.h"
#include "pipeline/stages/opened_model.h"
#include "pipeline/stages/session_tuning.h"
#include "pipeline/stages/stage_model.h"

namespace takt {
namespace {

std::vector<Port> ports_of_values(const std::vector<SharedTensor>& values) {
  std::vector<Port> ports;
  for (const auto& value : values) {
    auto& port = ports.emplace_back(Port{value->name, value->type, {}});
    for (const auto size : value->shape) port.shape.push_back({size, ""});
  }
  return ports;
}

/// As many sessions as the stages open. A split stage opens more for a while, to compare with, so that the threads are
/// not known.
Tuning tuning_of(const PipelineSpec& spec) {
  std::vector<std::optional<int>> threads;
  for (const auto& stage : spec.stages) {
    const auto devices = devices_of(stage);
    if (is_simulated(devices.front()) || waits(stage)) continue;
    for (const std::string& device : devices)
      threads.insert(threads.end(), static_cast<std::size_t>(stage.replicas),
                     stage.split ? std::nullopt : threads_of_session(device, stage.threads));
  }
  return tuning_together(threads);
}

/// By number of the input; null where none was given.
std::vector<SharedTensor> given_values(const StageSpec& stage, const std::vector<Port>& inputs) {
  std::vector<SharedTensor> values(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (const auto& given : stage.given)
      if (given->name == inputs[i].name) values[i] = given;
  return values;
}

class Opening {
 public:
  Opening(const PipelineSpec& spec, const SimulatedTimes& times, const std::filesystem::path& folder, bool keep_last)
      : spec_(spec), times_(times), folder_(folder), keep_last_(keep_last), behind_(ways_of(flow_shape(spec)).behind) {}

  std::vector<OpenedStage> all() {
    for (std::size_t s = 0; s < spec_.stages.size(); ++s) try {
        const StepPrefix prefix(fmt::format("stage '{}', ", spec_.stages[s].name));
        next(s);
      } catch (const UsageError& error) {
        refuse(s, ErrorKind::bad_input, error.what());
      } catch (const Error& error) {
        if (std::string_view(error.what()).starts_with(spec_.origin + ":")) throw;
        refuse(s, error.kind(), error.what());
      }
    return std::move(stages_);
  }

 private:
  [[noreturn]] void refuse(std::size_t s, ErrorKind kind, const char* what) const {
    const auto& stage = spec_.stages[s];
    throw Error(kind, fmt::format("{}{}: stages[{}] '{}': {}", spec_.origin,
                                  stage.line ? fmt::format(":{}", stage.line) : "", s, stage.name, what));
  }

  void next(std::size_t s) {
    stages_.emplace_back();
    ports_.emplace_back();
    if (times_.knows(static_cast<int>(s))) return simulated(s);
    real(s);
    ports_[s] = stages_[s].ports;
  }

  void simulated(std::size_t s) {
    if (const auto& graph = times_.graph(static_cast<int>(s)))
      ports_[s] = {ports_of(*graph, graph->inputs), ports_of(*graph, graph->outputs)};
    if (!ports_[s].inputs.empty() || !spec_.stages[s].connect.empty()) links_into(spec_, s, ports_);
    stages_[s].ports = ports_[s];
  }

  void real(std::size_t s) {
    const StageSpec& stage = spec_.stages[s];
    if (const auto time = busy_time(stage)) return open_busy(s, *time);
    const auto model = file_of(stage);
    auto settings = settings_of(stage);
    ports_[s].inputs = declared_inputs(model, run_settings(settings));
    auto values = given_values(stage, ports_[s].inputs);
    auto turns = read_turns(stage, ports_[s].inputs);
    for (const auto& own : turns) {
      if (own.values.empty()) continue;
      values[own.input] = own.values.front();
      settings.inputs.push_back(input_text(own.name, own.values.front()->shape));
      settings.sizes_vary = settings.sizes_vary || own.sizes_vary();
    }
    for (const auto& link : links_into(spec_, s, ports_)) {
      const auto from = static_cast<std::size_t>(link.from);
      if (!stages_[from].is_real()) continue;
      stages_[s].links.push_back(link);
      settings.sizes_vary = settings.sizes_vary || stages_[from].sizes_vary;
      values[link.input] = in_type(stages_[from].sample_outputs[link.output], ports_[s].inputs[link.input].type);
      settings.inputs.push_back(input_text(ports_[s].inputs[link.input].name, values[link.input]->shape));
    }
    if (settings.sizes_vary && stage.split)
      refuse_input(
          "values of different sizes are not possible for a split stage, whose parts have a size each; give "
          "values of one shape, or leave out 'split'");
    stages_[s].sizes_vary = settings.sizes_vary;
    if (stage.dummy && settings.inputs.empty())
      settings.inputs.push_back(input_text("x", {*stage.dummy->matmul, *stage.dummy->matmul}));
    settings.outputs = keep_last_ || !behind_[s].empty();
    // Every batch brings its own. What the stage before wrote lies in one piece of memory then, which stays in a cache.
    settings.keeps_inputs = false;
    if (stage.split)
      open_split(s, model, settings, values);
    else
      open_replicas(s, model, settings, values);
    generate_turns(turns, stages_[s].sample_inputs, spec_.seed);
    stages_[s].turns = std::move(turns);
  }

  /// On a thread of the engine's own, which nothing else may use meanwhile.
  void open_busy(std::size_t s, Nanoseconds time) {
    const auto keep_busy = [time](std::int64_t, const std::vector<SharedTensor>&) {
      const auto end = steady_now() + time;
      while (steady_now() < end) {
      }
      return std::vector<SharedTensor>();
    };
    StageFunctionSettings settings;
    settings.name = spec_.stages[s].name;
    for (int r = 0; r < spec_.stages[s].replicas; ++r)
      stages_[s].replicas.push_back(std::make_unique<StageExecutor>(keep_busy, settings));
    stages_[s].runtimes = {std::string(own_runtime)};
  }

  void open_replicas(std::size_t s, const std::filesystem::path& model, const StageExecutorSettings& settings,
                     const std::vector<SharedTensor>& values) {
    auto& opened = stages_[s];
    for (int r = 0; r < spec_.stages[s].replicas; ++r) {
      OpenedModel one(model, settings, values);
      if (r == 0) {
        opened.sample_inputs = one.sample_inputs();
        opened.sample_outputs = one.sample_outputs();
        opened.ports = {one.inputs(), ports_of_values(one.sample_outputs())};
        opened.runtimes = {one.runtime_name()};
      }
      opened.replicas.push_back(one.make_executor());
    }
  }

  void open_split(std::size_t s, const std::filesystem::path& model, const StageExecutorSettings& stage,
                  const std::vector<SharedTensor>& values) {
    const auto& split = *spec_.stages[s].split;
    DataParallelSettings settings;
    settings.devices = split.devices;
    settings.runtimes = split.runtimes;
    settings.first = values;
    settings.ratio = split.ratio;
    settings.axis = split.axis;
    settings.verify = split.verify;
    settings.replicas = spec_.stages[s].replicas;
    settings.stage = stage;
    settings.stage.outputs = true;  // the merge needs them
    auto& opened = stages_[s];
    opened.split = std::make_unique<DataParallelStage>(model, settings);
    opened.sample_inputs = opened.split->sample_inputs();
    opened.sample_outputs = opened.split->sample_outputs();
    opened.ports = {opened.split->inputs(), ports_of_values(opened.sample_outputs)};
    opened.runtimes = opened.split->runtimes();
  }

  std::filesystem::path file_of(const StageSpec& stage) const {
    if (!stage.dummy) return stage.model;
    const auto path = folder_ / fmt::format("matmul_{}.onnx", *stage.dummy->matmul);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) write_file_atomically(path, matmul_file(*stage.dummy->matmul));
    return path;
  }

  StageExecutorSettings settings_of(const StageSpec& stage) const {
    StageExecutorSettings settings;
    settings.device = stage.device;
    settings.runtime = stage.split && !stage.split->runtimes.empty() ? stage.split->runtimes.front() : stage.runtime;
    settings.threads = stage.threads;
    settings.precision = stage.precision;
    settings.open_shapes = stage.open_shapes;
    settings.inputs = input_texts(stage);
    settings.seed = spec_.seed;
    settings.tuning = tuning_of(spec_);
    return settings;
  }

  const PipelineSpec& spec_;
  const SimulatedTimes& times_;
  const std::filesystem::path& folder_;
  const bool keep_last_;
  const std::vector<std::vector<int>> behind_;  ///< by stage
  std::vector<OpenedStage> stages_;
  std::vector<StagePorts> ports_;
};

/// What a thread that opens stages needs for as long as it may come back.
struct OpeningWork {
  PipelineSpec spec;
  SimulatedTimes times;
  std::filesystem::path folder;
  bool keep_last = false;
  std::vector<OpenedStage> stages;
};

}  // namespace

std::string unopened_reason(const PipelineSpec& spec, const WatchedEnd& end) {
  const std::string step = end.step.empty() ? "opening its stages" : end.step;
  if (end.kind == WatchedEnd::Kind::stopped) return fmt::format("{}: interrupted at {}", spec.origin, step);
  return fmt::format("{}: {}: not completed after {}; raise 'timeout', or check the device", spec.origin, step,
                     format_duration(spec.timeout));
}

WatchedStages open_stages_watched(const PipelineSpec& spec, const SimulatedTimes& times,
                                  const std::filesystem::path& folder, bool keep_last, const std::atomic<bool>* stop) {
  const auto work = std::make_shared<OpeningWork>(OpeningWork{spec, times, folder, keep_last, {}});
  WatchedStages opened;
  opened.end = watch([work] { work->stages = open_stages(work->spec, work->times, work->folder, work->keep_last); },
                     {spec.timeout, stop});
  if (opened.end.kind == WatchedEnd::Kind::done) opened.stages = std::move(work->stages);
  return opened;
}

std::vector<OpenedStage> open_stages(const PipelineSpec& spec, const SimulatedTimes& times,
                                     const std::filesystem::path& folder, bool keep_last) {
  return Opening(spec, times, folder, keep_last).all();
}

}  // namespace takt
