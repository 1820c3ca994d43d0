// From a description to the shape that moves, and to its simulated twin.
#include <algorithm>

#include "base/basics/index.h"
#include "pipeline/spec/pipeline_spec.h"
#include "pipeline/spec/stage_order.h"

namespace takt {
namespace {

std::string simulated_name(const std::string& device) {
  if (is_simulated(device) || device == wait_device) return device;
  // GPU.1 is simulated by the same description as GPU; what chooses among devices is simulated by the CPU.
  const std::string family = device.substr(0, device.find_first_of(".:"));
  return simulated_device(family == "GPU" || family == "NPU" ? family : "CPU");
}

std::size_t index_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

double given_factor(const PipelineSpec& spec, const std::string& stage, const std::string& beside) {
  const auto row = spec.interference.find(stage);
  if (row == spec.interference.end()) return 1;
  const auto factor = row->second.find(beside);
  return factor == row->second.end() ? 1 : factor->second;
}

SharedResource shared_resource(const PipelineSpec& spec, const ResourceSpec& resource) {
  SharedResource shared{resource.law, {}, {}};
  for (const auto& stage : spec.stages) {
    const auto found = resource.stages.find(stage.name);
    const StagePressure use = found == resource.stages.end() ? StagePressure{} : found->second;
    shared.pressure.push_back(use.pressure), shared.sensitivity.push_back(use.sensitivity);
  }
  return shared;
}

}  // namespace

std::vector<std::string> devices_of(const StageSpec& stage) {
  return stage.split ? stage.split->devices : std::vector<std::string>{stage.device};
}

bool waits(const StageSpec& stage) { return stage.dummy && stage.dummy->wait; }

std::optional<Nanoseconds> busy_time(const StageSpec& stage) {
  if (!stage.dummy || is_simulated(devices_of(stage).front())) return std::nullopt;
  const auto own = stage.dummy->time_on.find(stage.device);
  return own == stage.dummy->time_on.end() ? stage.dummy->time : own->second;
}

bool hands_on(const StageSpec& stage) { return waits(stage) || busy_time(stage); }

std::filesystem::path description_of(const PipelineSpec& spec, const std::string& device) {
  const auto found = spec.devices.find(device);
  return found == spec.devices.end() ? std::filesystem::path() : found->second.description;
}

std::vector<std::string> device_names(const PipelineSpec& spec) {
  std::vector<std::string> names;
  for (const auto& stage : spec.stages)
    for (const auto& device : devices_of(stage))
      if (index_of(names, device) == names.size()) names.push_back(device);
  return names;
}

FlowShape flow_shape(const PipelineSpec& spec) {
  FlowShape shape;
  const auto names = device_names(spec);
  for (const auto& name : names) {
    const auto known = spec.devices.find(name);
    FlowDevice device;
    if (known != spec.devices.end()) device.requests = known->second.requests;
    // A simulated device does one thing at a time, as `takt run` has it; a real one decides for itself.
    if (!device.requests && is_simulated(name)) device.requests = 1;
    shape.devices.push_back(device);
  }
  const auto order = order_of(spec);
  for (int s = 0; s < static_cast<int>(spec.stages.size()); ++s) {
    const StageSpec& stage = spec.stages[index(s)];
    std::vector<int> parts;
    for (const auto& device : devices_of(stage)) parts.push_back(static_cast<int>(index_of(names, device)));
    shape.stages.push_back(stage_over(parts, stage.replicas, stage.queue));
    shape.stages.back().ordered = stage.ordered;
    const auto& before = order[index(s)];
    const bool usual = s == 0 ? before.empty() : before == std::vector{s - 1};
    if (!usual) shape.stages.back().after = before.empty() ? std::vector{FlowStage::source} : before;
  }
  shape.source.open = spec.source.kind != SourceKind::closed;
  shape.source.in_flight = spec.source.in_flight;
  shape.source.batches = spec.batches;
  return shape;
}

ContentionLaw contention_law(const PipelineSpec& spec) {
  ContentionLaw law;
  law.combination = spec.combination;
  for (const auto& [name, resource] : spec.resources) law.resources.push_back(shared_resource(spec, resource));
  if (spec.interference.empty()) return law;
  for (const auto& stage : spec.stages) {
    auto& row = law.interference.emplace_back();
    for (const auto& other : spec.stages) row.push_back(given_factor(spec, stage.name, other.name));
  }
  return law;
}

PipelineSpec simulated(PipelineSpec spec) {
  std::map<std::string, DeviceSpec> devices;
  for (auto& [name, device] : spec.devices) devices.emplace(simulated_name(name), device);
  spec.devices = std::move(devices);
  for (auto& stage : spec.stages) {
    stage.device = simulated_name(stage.device);
    stage.runtime.clear();
    if (!stage.split) continue;
    stage.split->runtimes.clear();
    for (auto& device : stage.split->devices) device = simulated_name(device);
  }
  return spec;
}

PipelineSpec dummy_pipeline() {
  PipelineSpec spec;
  spec.name = "dummy";
  spec.origin = "built-in pipeline";
  spec.batches = 100;
  // One edge for all, so that the output of a stage fits the next one.
  const auto add = [&](const char* name, const char* device) -> StageSpec& {
    auto& stage = spec.stages.emplace_back();
    stage.name = name;
    stage.device = device;
    stage.dummy = DummyModel{};
    stage.dummy->matmul = 1024;
    return stage;
  };
  add("prepare", "sim:CPU");
  SplitSpec split;
  split.devices = {"sim:GPU", "sim:NPU"};
  add("infer", "sim:GPU").split = split;
  add("finish", "sim:NPU");
  return spec;
}

}  // namespace takt
