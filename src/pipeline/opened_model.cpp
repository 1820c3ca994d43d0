#include "pipeline/opened_model.h"

#include <algorithm>

#include "profile/prepared_model.h"

namespace takt {

OpenedModel::OpenedModel(const std::filesystem::path& model, const StageExecutorSettings& settings,
                         const std::vector<SharedTensor>& values)
    : settings_(settings) {
  PreparedModel prepared(model, run_settings(settings));
  runtime_name_ = prepared.result().runtime;
  session_ = prepared.open(settings.counters);
  auto inputs = prepared.values(session_->inputs());
  for (std::size_t i = 0; i < inputs.size() && i < values.size(); ++i) {
    if (!values[i]) continue;
    auto name = inputs[i].name;
    inputs[i] = *values[i];
    inputs[i].name = std::move(name);
  }
  session_->set_inputs(inputs);
  session_->run();
  for (auto& input : inputs) sample_inputs_.push_back(std::make_shared<HostTensor>(std::move(input)));
  for (auto& output : session_->outputs_of_last_run())
    sample_outputs_.push_back(std::make_shared<HostTensor>(std::move(output)));
  runtime_ = prepared.release_runtime();
}

Nanoseconds OpenedModel::median_time(int runs) const {
  std::vector<Nanoseconds> times;
  for (int i = 0; i < runs; ++i) times.push_back(session_->run());
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[static_cast<std::size_t>(runs / 2)];
}

std::unique_ptr<StageExecutor> OpenedModel::make_executor() {
  return std::make_unique<StageExecutor>(std::move(runtime_), std::move(session_), settings_);
}

}  // namespace takt
