#include "pipeline/engine/planned_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/basics/error.h"
#include "flow/arrivals.h"
#include "pipeline/engine/shared_resources.h"
#include "pipeline/stages/stage_model.h"

namespace takt {
namespace {

std::optional<std::int64_t> input_bytes(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const auto id : graph.inputs) {
    const auto& tensor = graph.tensor(id);
    const auto size = byte_count(tensor.type, tensor.shape);
    if (!size) return std::nullopt;
    bytes += *size;
  }
  return bytes;
}

}  // namespace

std::vector<Nanoseconds> arrivals_of(const PipelineSpec& spec) {
  if (spec.source.kind == SourceKind::closed) return {};
  constexpr double most = 1e8;
  double count = spec.batches ? static_cast<double>(*spec.batches) : std::numeric_limits<double>::infinity();
  // Of a random number of arrivals as many as are hardly ever exceeded; what comes too late is cut off below.
  if (spec.duration) {
    const double expected = static_cast<double>(spec.duration->count()) / 1e9 * spec.source.per_second;
    count = std::min(count, expected + 8 * std::sqrt(expected) + 8);
  }
  if (count > most)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: source: more than {:g} batches arrive in that time; use a lower rate or a shorter duration",
                    spec.origin, most));
  const Nanoseconds gap(std::llround(1e9 / spec.source.per_second));
  auto times = spec.source.kind == SourceKind::fixed_rate
                   ? fixed_rate_arrivals(gap, static_cast<std::int64_t>(count))
                   : poisson_arrivals(gap, static_cast<std::int64_t>(count), spec.seed);
  while (spec.duration && !times.empty() && times.back() >= *spec.duration) times.pop_back();
  return times;
}

PipelineRun planned_run(const PipelineSpec& spec, const SimulatedTimes& times) {
  PipelineRun run;
  run.name = spec.name;
  run.shape = flow_shape(spec);
  for (const auto& device : device_names(spec))
    run.devices.push_back({device, std::string(is_simulated(device)    ? simulated_runtime
                                               : device == wait_device ? own_runtime
                                                                       : "")});
  for (std::size_t s = 0; s < spec.stages.size(); ++s) {
    RunStage stage;
    stage.name = spec.stages[s].name;
    stage.model = model_name(spec.stages[s]);
    stage.ratio = times.ratio(static_cast<int>(s));
    if (const auto& graph = times.graph(static_cast<int>(s))) stage.input_bytes = input_bytes(*graph);
    run.stages.push_back(std::move(stage));
    // What a description calls itself is what the run is named by.
    const auto devices = devices_of(spec.stages[s]);
    const auto& real = times.devices(static_cast<int>(s));
    for (std::size_t p = 0; p < real.size(); ++p)
      for (auto& device : run.devices)
        if (device.name == devices[p]) device.name = real[p];
  }
  // Also where nothing contends: of simulated devices and waits that is known, and not only not told.
  if (std::any_of(run.devices.begin(), run.devices.end(), [](const RunDevice& d) { return !d.runtime.empty(); }))
    run.contention = contention_law(with_shared_resources(spec, times));
  return run;
}

}  // namespace takt
