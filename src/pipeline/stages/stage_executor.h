// takt's own ways into a stage executor (takt/stage_executor.h): over a session that is open already.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "model/runtime/runtime.h"
#include "takt/stage_executor.h"

namespace takt {

struct RunSettings;

/// Throws Error(bad_input) for numbers below 1 or beyond reason, a precision that nothing computes in, a tuning that no
/// runtime knows, a device without a name.
void check_settings(const StageExecutorSettings& settings);

/// The part of them that opening a model asks for. Throws Error(bad_input) for an input that cannot be read.
RunSettings run_settings(const StageExecutorSettings& settings);

/// By number of the output: its shape in every inference; nullopt: it may change, or nobody knows.
using OutputShapes = std::vector<std::optional<Shape>>;

/// Memory for this output (by number) of a batch, of the size of its shape; null: the executor shall take its own. Must
/// be thread-safe.
using OutputMemory = std::function<std::shared_ptr<std::byte>(std::int64_t batch, std::size_t port)>;

/// Where outputs go.
struct OutputPlaces {
  OutputShapes shapes{};
  OutputMemory memory{};  ///< asked for those with a shape; empty: the executor's own
  /// Of the inputs, for which the outputs have those; a batch of other sizes is refused. Empty: the session itself
  /// says.
  std::vector<Shape> input_shapes{};
};

/// Over a session whose inputs are set; kept with its runtime. Each request runs as batches will, so that the first one
/// is not slowed down; not where the runtime is simulated, or null because the session needs none. Outputs
/// with a shape in `places` are written to memory of the executor's, others to that of the runtime; both are handed on
/// without a copy.
std::unique_ptr<StageExecutor> executor_over(std::unique_ptr<Runtime> runtime, std::unique_ptr<Session> session,
                                             const StageExecutorSettings& settings, const OutputPlaces& places = {});

}  // namespace takt
