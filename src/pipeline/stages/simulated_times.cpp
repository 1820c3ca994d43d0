#include "pipeline/stages/simulated_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "model/sim/simulated.h"
#include "pipeline/stages/stage_model.h"

namespace takt {
namespace {

SimulatedWork undivided_work(const StageSpec& stage, const std::optional<Graph>& graph, const std::string& name,
                             const SimulatedDevice& device) {
  SimulatedWork work;
  work.noise = device.noise();
  if (!graph) {
    const auto own = stage.dummy->time_on.find(name);
    work.ops = {own != stage.dummy->time_on.end() ? own->second : stage.dummy->time.value_or(Nanoseconds(0))};
    return work;
  }
  work.ops = device.op_times(*graph, fmt::format("stage '{}': {}", stage.name, model_name(stage)));
  work.overhead = device.overhead();
  return work;
}

Nanoseconds scaled(Nanoseconds time, double share) {
  return Nanoseconds(std::llround(static_cast<double>(time.count()) * share));
}

/// One number out of all that tells an execution from the others. The seed is mixed before a batch's number is put to
/// it: seeds that follow each other would otherwise give the same numbers to other batches.
std::uint64_t seed_of(const Execution& what, std::uint64_t seed) {
  std::uint64_t key = Random(seed)();
  for (const std::int64_t id :
       {what.batch, std::int64_t{what.stage}, std::int64_t{what.part}, static_cast<std::int64_t>(what.phase)})
    key = Random(key ^ static_cast<std::uint64_t>(id))();
  return key;
}

}  // namespace

Nanoseconds SimulatedWork::total() const { return std::accumulate(ops.begin(), ops.end(), overhead); }

std::vector<double> balanced_ratio(const std::vector<Nanoseconds>& undivided) {
  std::vector<double> speeds;
  for (const auto time : undivided) speeds.push_back(1 / static_cast<double>(std::max<std::int64_t>(time.count(), 1)));
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  for (auto& speed : speeds) speed /= sum;
  return speeds;
}

SimulatedTimes::SimulatedTimes(const PipelineSpec& spec) : seed_(spec.seed) {
  for (const auto& stage : spec.stages)
    stages_.push_back(waits(stage)                              ? waiting(stage)
                      : is_simulated(devices_of(stage).front()) ? plan(spec, stage)
                                                                : Stage{});
}

SimulatedTimes::Stage SimulatedTimes::waiting(const StageSpec& stage) {
  Stage result;
  result.parts.push_back({{*stage.dummy->wait}, {}, {}});
  result.devices.emplace_back(wait_device);
  result.computes = false;
  return result;
}

SimulatedTimes::Stage SimulatedTimes::plan(const PipelineSpec& spec, const StageSpec& stage) {
  Stage result;
  const auto names = devices_of(stage);
  result.graph = simulated_graph(stage, names.front(), spec.seed);
  std::vector<Nanoseconds> undivided;
  for (const auto& name : names) {
    const SimulatedDevice device(name, description_of(spec, name));
    result.devices.push_back(device.name());
    result.parts.push_back(undivided_work(stage, result.graph, name, device));
    undivided.push_back(result.parts.back().total());
  }
  if (!stage.split) return result;
  result.ratio = stage.split->ratio.value_or(balanced_ratio(undivided));
  for (std::size_t p = 0; p < result.parts.size(); ++p)
    for (auto& op : result.parts[p].ops) op = scaled(op, result.ratio[p]);
  if (stage.dummy) result.partition = stage.dummy->partition, result.merge = stage.dummy->merge;
  return result;
}

Nanoseconds SimulatedTimes::service(const Execution& execution) {
  const auto& stage = stages_[static_cast<std::size_t>(execution.stage)];
  if (execution.phase == FlowPhase::partition) return stage.partition;
  if (execution.phase == FlowPhase::merge) return stage.merge;
  const auto& work = stage.parts[static_cast<std::size_t>(execution.part)];
  NoiseSource noise(work.noise, seed_of(execution, seed_));
  Nanoseconds time = work.overhead;
  for (const auto op : work.ops) time += noise.apply(op);
  return time;
}

}  // namespace takt
