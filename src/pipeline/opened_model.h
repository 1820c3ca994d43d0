// A model that was opened and run once: its shapes are settled, and what it takes and gives is known by example.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/stage_executor.h"

namespace takt {

class OpenedModel {
 public:
  /// `values` by number of the input; where one is null or beyond the end, a value is generated. Runs the model once,
  /// so that the first batch is not slowed down. Throws Error as run_model() does.
  OpenedModel(const std::filesystem::path& model, const StageExecutorSettings& settings,
              const std::vector<SharedTensor>& values);

  const std::vector<Port>& inputs() const { return session_->inputs(); }
  const std::vector<SharedTensor>& sample_inputs() const { return sample_inputs_; }
  const std::vector<SharedTensor>& sample_outputs() const { return sample_outputs_; }
  const std::string& runtime_name() const { return runtime_name_; }
  std::string device() const { return session_->device(); }
  Nanoseconds median_time(int runs) const;
  /// Moves the session into an executor; afterwards only the samples and the runtime's name are left.
  std::unique_ptr<StageExecutor> make_executor();

 private:
  StageExecutorSettings settings_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Session> session_;
  std::string runtime_name_;
  std::vector<SharedTensor> sample_inputs_, sample_outputs_;
};

}  // namespace takt
