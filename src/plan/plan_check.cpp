#include "plan/plan_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "pipeline/float_types.h"
#include "pipeline/tensor_split.h"
#include "runtime/simulated.h"

namespace takt {

std::vector<OpenedStage> stages_run_once(const PipelineSpec& spec, const std::atomic<bool>* stop) {
  const TemporaryFolder folder("takt-plan-");
  const SimulatedTimes times(spec);
  WatchedStages opened = open_stages_watched(spec, times, folder.path(), true, stop);
  if (opened.end.kind != WatchedEnd::Kind::done) throw Error(ErrorKind::runtime, unopened_reason(spec, opened.end));
  return std::move(opened.stages);
}

double deviation_of(const std::vector<SharedTensor>& outputs, const std::vector<std::string>& names,
                    const std::map<std::string, SharedTensor>& expected) {
  double most = 0;
  for (const std::string& name : names) {
    const HostTensor& wanted = *expected.at(name);
    const auto given =
        std::find_if(outputs.begin(), outputs.end(), [&](const SharedTensor& one) { return one->name == name; });
    TAKT_CHECK(given != outputs.end());
    if (wanted.type == ElementType::string) continue;
    const SharedTensor got = hands_on_as((*given)->type, wanted.type) ? in_type(*given, wanted.type) : *given;
    const auto off = got->shape == wanted.shape ? largest_deviation(wanted, *got) : std::nullopt;
    if (!off || std::isnan(*off)) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, *off);
  }
  return most;
}

bool computes(const Plan& plan, const std::map<std::string, PlanUnit>& units) {
  return std::all_of(plan.blocks.begin(), plan.blocks.end(), [&](const PlanBlock& block) {
    return std::none_of(block.parts.begin(), block.parts.end(),
                        [&](const PlanPart& part) { return is_simulated(units.at(part.unit).device); });
  });
}

}  // namespace takt
