#include "pipeline/opened_model.h"

#include <algorithm>

#include "core/statistics.h"
#include "profile/prepared_model.h"

namespace takt {

OpenedSession open_session(const std::filesystem::path& model, const StageExecutorSettings& settings,
                           const std::vector<SharedTensor>& values) {
  PreparedModel prepared(model, run_settings(settings));
  OpenedSession opened;
  opened.runtime_name = prepared.result().runtime;
  opened.session = prepared.open(settings.counters);
  opened.inputs = prepared.values(opened.session->inputs());
  for (std::size_t i = 0; i < opened.inputs.size() && i < values.size(); ++i) {
    if (!values[i]) continue;
    auto name = opened.inputs[i].name;
    opened.inputs[i] = *values[i];
    opened.inputs[i].name = std::move(name);
  }
  opened.session->set_inputs(opened.inputs);
  // A virtual clock would begin later, and has nothing to warm up.
  if (opened.session->keeps_real_time()) opened.session->run();
  opened.runtime = prepared.release_runtime();
  return opened;
}

OpenedModel::OpenedModel(const std::filesystem::path& model, const StageExecutorSettings& settings,
                         const std::vector<SharedTensor>& values)
    : settings_(settings), opened_(open_session(model, settings, values)) {
  for (auto& input : opened_.inputs) sample_inputs_.push_back(std::make_shared<HostTensor>(std::move(input)));
  for (auto& output : opened_.session->outputs_of_last_run())
    sample_outputs_.push_back(std::make_shared<HostTensor>(std::move(output)));
}

Nanoseconds OpenedModel::median_time(int runs) const {
  std::vector<Nanoseconds> times;
  for (int i = 0; i < runs; ++i) times.push_back(opened_.session->run());
  return std::chrono::round<Nanoseconds>(median(times).value());
}

std::unique_ptr<StageExecutor> OpenedModel::make_executor() {
  return executor_over(std::move(opened_.runtime), std::move(opened_.session), settings_);
}

}  // namespace takt
