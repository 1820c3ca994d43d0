// Measures one model for a collection: its time, and that of each of its kernels where it stands.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/open/run_settings.h"
#include "predict/collect/record.h"

namespace takt {

/// Runs the graph that the runtime makes of the model, as it is written, so that every sample names its kernel; runs
/// with and without records take turns, and what records cost is taken out (measure/operators/plain_times.h). Means,
/// since means add up and medians do not. `when_ready` is called once, before the first run that counts. Throws Error
/// as run_model().
CollectRecord measure_for_collection(const CollectTask& task, const std::function<void()>& when_ready = {});

/// Returns the kernels of a model for a prediction; no kernel is timed.
struct BodyFacts;
struct ModelFacts {
  std::string model, architecture, family;
  std::vector<std::string> names;    ///< of the runtime's nodes
  std::vector<std::string> outputs;  ///< the first tensor that each makes: nodes without a name are found by it
  std::vector<KernelFacts> kernels;  ///< in the order of execution
  double io_bytes = 0;               ///< of the model's inputs and outputs, those of known shapes
  std::vector<std::string> notes;
  std::vector<BodyFacts> bodies;  ///< of facts_of_model() alone
};

/// What a kernel runs inside (KernelBody).
struct BodyFacts {
  std::size_t owner = 0;  ///< place in ModelFacts::kernels
  std::string name;
  std::optional<double> turns;
  ModelFacts facts;
};

ModelFacts facts_of_model(const std::filesystem::path& model, const RunSettings& settings);

/// What a child whose task waits says before it runs the model.
inline constexpr std::string_view collect_ready_word = "ready";

/// The child's side: does the task in `json` and tells the record, a failed one with its reason. `wait` returns when
/// something more is told. Returns the exit code.
int run_collect_task(std::string_view json, const std::function<void(const std::string& line)>& tell,
                     const std::function<void()>& wait);

}  // namespace takt
