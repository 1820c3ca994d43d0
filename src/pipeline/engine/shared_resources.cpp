#include "pipeline/engine/shared_resources.h"

#include <fmt/format.h>

#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "pipeline/stages/stage_model.h"

namespace takt {
namespace {

/// Of one stage on all its devices: what each uses counts by the share of the stage's time that it runs.
std::map<std::string, SharedUse> uses_of(const PipelineSpec& spec, const StageSpec& stage,
                                         const std::optional<Graph>& graph, const std::vector<double>& ratio) {
  std::map<std::string, SharedUse> sum;
  const auto devices = devices_of(stage);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const SimulatedDevice device(devices[d], description_of(spec, devices[d]));
    const double part = ratio.empty() ? 1 / static_cast<double>(devices.size()) : ratio[d];
    const std::string where = fmt::format("stage '{}': {}", stage.name, model_name(stage));
    for (const auto& [name, use] : device.shared_uses(graph ? &*graph : nullptr, where)) {
      const auto [found, is_new] = sum.try_emplace(name, SharedUse{use.law, 0, 0});
      if (found->second.law != use.law)
        refuse_input(
            fmt::format("{}: the devices of stage '{}' have different contention models for '{}'; describe it in the "
                        "same way for both",
                        spec.origin, stage.name, printable(name)));
      found->second.pressure += part * use.pressure, found->second.sensitivity += part * use.sensitivity;
    }
  }
  return sum;
}

void add_use(const std::string& name, const std::string& stage, const SharedUse& use, PipelineSpec& spec,
             std::set<std::string>& added) {
  const auto [found, is_new] = spec.resources.try_emplace(name, ResourceSpec{use.law, {}});
  if (is_new) added.insert(name);
  if (!found->second.stages.try_emplace(stage, StagePressure{use.pressure, use.sensitivity}).second) return;
  if (found->second.law != use.law)
    refuse_input(fmt::format(
        "{}: '{}' has one contention model on the device of stage '{}' and another {}; describe it in the same way",
        spec.origin, printable(name), stage, added.contains(name) ? "on that of an earlier stage" : "in the pipeline"));
}

}  // namespace

PipelineSpec with_shared_resources(PipelineSpec spec, const SimulatedTimes& times) {
  std::set<std::string> added;
  for (std::size_t s = 0; s < spec.stages.size(); ++s) {
    const StageSpec stage = spec.stages[s];
    if (waits(stage) || !is_simulated(devices_of(stage).front())) continue;
    const int number = static_cast<int>(s);
    for (const auto& [name, use] : uses_of(spec, stage, times.graph(number), times.ratio(number)))
      add_use(name, stage.name, use, spec, added);
  }
  return spec;
}

PipelineSpec with_given_times(PipelineSpec spec, const SimulatedTimes& times) {
  for (std::size_t s = 0; s < spec.stages.size(); ++s) {
    StageSpec& stage = spec.stages[s];
    if (stage.dummy || stage.split || !is_simulated(stage.device)) continue;
    stage.dummy = DummyModel{};
    stage.dummy->time = times.usual_time(static_cast<int>(s));
    stage.model.clear();
    stage.inputs.clear(), stage.data.clear(), stage.given.clear();
  }
  return spec;
}

}  // namespace takt
