#include "plan/run/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "base/files/temporary_folder.h"
#include "base/system/watched_work.h"
#include "model/sim/simulated.h"
#include "pipeline/engine/pipeline_stages.h"
#include "pipeline/stages/float_types.h"

namespace takt {
namespace {

constexpr double no_end = std::numeric_limits<double>::infinity();

/// What a stage is given: what the stages before made, and what `inputs` name of the rest.
StageExecutor::InputValues values_for(const OpenedStage& stage, const NamedValues& inputs, const StageOutputs& made) {
  StageExecutor::InputValues values;
  std::vector<bool> is_linked(stage.ports.inputs.size(), false);
  for (const Link& link : stage.links) {
    is_linked[link.input] = true;
    values.emplace_back(link.input, made[static_cast<std::size_t>(link.from)][link.output]);
  }
  for (std::size_t port = 0; port < is_linked.size(); ++port)
    if (const auto given = inputs.find(stage.ports.inputs[port].name); !is_linked[port] && given != inputs.end())
      values.emplace_back(port, given->second);
  fit_types(values, stage.ports.inputs);
  return values;
}

StageOutputs run_batch(std::vector<OpenedStage>& stages, std::int64_t batch, const NamedValues& inputs) {
  StageOutputs made;
  for (OpenedStage& stage : stages) {
    auto& outputs = made.emplace_back();
    if (stage.replicas.empty()) continue;
    StageExecutor& executor = *stage.replicas.front();
    executor.set_callback([&](StageResult result) { outputs = std::move(result.outputs); });
    begin_step("running it once");
    executor.start_async(batch, values_for(stage, inputs, made));
    executor.wait();
  }
  return made;
}

/// How many times what it may be a deviation is.
double excess(double deviation, double allowed) {
  return deviation == 0 ? 0 : allowed == 0 ? no_end : deviation / allowed;
}

/// What the thread that runs the stages needs for as long as it may come back.
struct BatchWork {
  std::vector<OpenedStage> stages;
  std::vector<NamedValues> inputs;
  std::vector<StageOutputs> made;
};

}  // namespace

std::vector<StageOutputs> batches_run(const PipelineSpec& spec, const std::vector<NamedValues>& inputs,
                                      const std::atomic<bool>* stop) {
  const TemporaryFolder folder("takt-plan-");
  const SimulatedTimes times(spec);
  WatchedStages opened = open_stages_watched(spec, times, folder.path(), true, stop);
  const auto checked = [&](const WatchedEnd& end) {
    if (end.kind != WatchedEnd::Kind::done) throw Error(ErrorKind::runtime, unopened_reason(spec, end));
  };
  checked(opened.end);
  const auto work = std::make_shared<BatchWork>(BatchWork{std::move(opened.stages), inputs, {}});
  auto& first = work->made.emplace_back();
  for (const OpenedStage& stage : work->stages) first.push_back(stage.sample_outputs);
  checked(watch(
      [work] {
        for (const NamedValues& batch : work->inputs)
          work->made.push_back(run_batch(work->stages, static_cast<std::int64_t>(work->made.size()), batch));
      },
      {spec.timeout, stop}));
  return std::move(work->made);
}

void add_deviation(BlockNumbers& numbers, const std::vector<SharedTensor>& outputs,
                   const std::vector<std::string>& names, const NamedValues& expected, const AllowedDeviation& allowed,
                   Integers integers) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto given =
        std::find_if(outputs.begin(), outputs.end(), [&](const SharedTensor& one) { return one->name == names[i]; });
    // A runtime may have another name for it, and has its outputs in the model's order.
    if (given == outputs.end() && outputs.size() == names.size())
      given = outputs.begin() + static_cast<std::ptrdiff_t>(i);
    TAKT_CHECK(given != outputs.end());
    const TensorDistance off = distance_of(*expected.at(names[i]), **given, integers);
    const auto rounding = allowed.by_rounding.find(names[i]);
    const double most =
        std::max(off.is_exact ? 0 : allowed.least, rounding == allowed.by_rounding.end() ? 0 : rounding->second);
    if (allowed.untold.contains(names[i]) && (std::isfinite(off.share) || !std::isfinite(most))) continue;
    if (excess(off.share, most) > excess(numbers.deviation, numbers.allowed))
      numbers.deviation = off.share, numbers.allowed = most, numbers.what = off.what;
  }
}

bool computes(const Plan& plan, const std::map<std::string, PlanUnit>& units) {
  return std::all_of(plan.blocks.begin(), plan.blocks.end(), [&](const PlanBlock& block) {
    return std::none_of(block.parts.begin(), block.parts.end(),
                        [&](const PlanPart& part) { return is_simulated(units.at(part.unit).device); });
  });
}

}  // namespace takt
