#include "pipeline/engine/simulation.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "model/runtime/ports.h"
#include "pipeline/engine/live_flow.h"
#include "pipeline/engine/planned_run.h"
#include "pipeline/record/batch_passage.h"
#include "pipeline/record/kept_batches.h"
#include "pipeline/stages/links.h"

namespace takt {
void check_simulated_shapes(const PipelineSpec& spec, const SimulatedTimes& times) {
  std::vector<StagePorts> ports;
  for (std::size_t s = 0; s < spec.stages.size(); ++s) {
    auto& added = ports.emplace_back();
    if (const auto& graph = times.graph(static_cast<int>(s)))
      added = {ports_of(*graph, graph->inputs), ports_of(*graph, graph->outputs)};
    if (!added.inputs.empty() || !spec.stages[s].connect.empty()) links_into(spec, s, ports);
  }
}

PipelineRun simulate_pipeline(const PipelineSpec& spec) {
  for (const auto& device : device_names(spec))
    if (!is_simulated(device) && device != wait_device)
      throw Error(ErrorKind::bad_input, fmt::format("{}: {} is a real device and cannot be simulated; use sim:{}",
                                                    spec.origin, device, device));
  SimulatedTimes times(spec);
  check_simulated_shapes(spec, times);
  PipelineRun run = planned_run(spec, times);
  run.virtual_clock = true;
  KeptBatches kept;
  kept.open(run, spec.warmup);
  LiveFlow live(run.shape, std::vector<bool>(spec.stages.size(), true), times, run.contention.value_or(ContentionLaw{}),
                kept);
  const bool open = run.shape.source.open;
  run_virtually(live, arrivals_of(spec), open, open ? std::nullopt : spec.duration);
  kept.end(run);
  run.warmup = warmup_batches(spec.warmup, run.shape.source, static_cast<std::int64_t>(run.schedule.batches.size()));
  return run;
}

}  // namespace takt
