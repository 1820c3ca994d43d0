// A model that was opened and run once: its shapes are settled, and what it takes and gives is known by example.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/runtime/runtime.h"
#include "pipeline/stages/stage_executor.h"

namespace takt {

/// A session whose inputs are set, and what it needs to live.
struct OpenedSession {
  std::unique_ptr<Runtime> runtime;  ///< before the session: destroyed after it
  std::unique_ptr<Session> session;
  std::string runtime_name;
  std::vector<HostTensor> inputs;  ///< what it was set to, by port
  OutputShapes output_shapes;      ///< that follow from the shapes of the inputs
  std::vector<Shape> open_inputs;  ///< of a session of open shapes: those of `inputs`, which hold for every batch
};

/// Opens the model as `settings` say and runs it once, so that the first batch is not slowed down. `values` by number
/// of the input; where one is null or beyond the end, a value is generated. `free_axis`: along it, settings may
/// give inputs another size than the model fixes, on a runtime that can (Runtime::reshapes). Throws Error as
/// run_model() does.
OpenedSession open_session(const std::filesystem::path& model, const StageExecutorSettings& settings,
                           const std::vector<SharedTensor>& values, std::optional<std::size_t> free_axis = {});

class OpenedModel {
 public:
  /// As open_session(), and keeps what the run took and gave.
  OpenedModel(const std::filesystem::path& model, const StageExecutorSettings& settings,
              const std::vector<SharedTensor>& values, std::optional<std::size_t> free_axis = {});

  const std::vector<Port>& inputs() const { return opened_.session->inputs(); }
  const std::vector<SharedTensor>& sample_inputs() const { return sample_inputs_; }
  const std::vector<SharedTensor>& sample_outputs() const { return sample_outputs_; }
  const std::string& runtime_name() const { return opened_.runtime_name; }
  std::string device() const { return opened_.session->device(); }
  Nanoseconds median_time(int runs) const;
  /// Moves the session into an executor; afterwards only the samples and the runtime's name are left.
  /// It has run once as batches will.
  std::unique_ptr<StageExecutor> make_executor(OutputMemory memory = {});

 private:
  StageExecutorSettings settings_;
  OpenedSession opened_;
  std::vector<SharedTensor> sample_inputs_, sample_outputs_;
};

}  // namespace takt
