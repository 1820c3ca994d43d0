#include "plan/plan_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "pipeline/float_types.h"
#include "pipeline/tensor_split.h"

namespace takt {

std::vector<OpenedStage> stages_run_once(const PipelineSpec& spec, const std::atomic<bool>* stop) {
  const TemporaryFolder folder("takt-plan-");
  const SimulatedTimes times(spec);
  WatchedStages opened = open_stages_watched(spec, times, folder.path(), true, stop);
  if (opened.end.kind != WatchedEnd::Kind::done) throw Error(ErrorKind::runtime, unopened_reason(spec, opened.end));
  return std::move(opened.stages);
}

double deviation_of(const OpenedStage& stage, const std::vector<std::string>& names,
                    const std::vector<HostTensor>& expected) {
  double most = 0;
  for (const std::string& name : names) {
    const auto wanted =
        std::find_if(expected.begin(), expected.end(), [&](const HostTensor& one) { return one.name == name; });
    std::size_t port = 0;
    while (port < stage.ports.outputs.size() && stage.ports.outputs[port].name != name) ++port;
    TAKT_CHECK(wanted != expected.end() && port < stage.sample_outputs.size());
    if (wanted->type == ElementType::string) continue;
    const SharedTensor given = stage.sample_outputs[port];
    const SharedTensor got = hands_on_as(given->type, wanted->type) ? in_type(given, wanted->type) : given;
    const auto off = got->shape == wanted->shape ? largest_deviation(*wanted, *got) : std::nullopt;
    if (!off || std::isnan(*off)) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, *off);
  }
  return most;
}

}  // namespace takt
