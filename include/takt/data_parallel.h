// One logical stage on several devices at once: each batch is cut into parts along an axis, the parts run at the same
// time, and their outputs are put together again.
//
//   takt::DataParallelStage stage("model.onnx", {.devices = {"CPU", "GPU"}});     // shares by measured speed
//   takt::DataParallelResult done = stage.run(batch, {{0, images}});             // images: {8,3,224,224}
//   // done.outputs[0] has 8 rows; done.device_time says what each device took, done.skew by how much they differ
//
// The time of a batch adds up, to the nanosecond: partition_time + the longest device_time + sync_merge_time =
// stage_total(). A device may be named twice and then runs two parts at once, each with a request of its own.
// examples/data_parallel is a whole program. Link with takt::takt.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "takt/export.h"
#include "takt/stage_executor.h"
#include "takt/tensor.h"

namespace takt {

struct DataParallelSettings {
  std::vector<std::string> devices{};          ///< one per part, two or more
  std::vector<std::string> runtimes{};         ///< one per part; empty: that of `stage` for all
  std::optional<std::vector<double>> ratio{};  ///< shares that add up to 1; nullopt: measured when opened
  int axis = 0;                                ///< of the first input; inputs with as many rows there are cut, too
  /// Compare the merged outputs of one run, while the stage is opened, with those of the undivided model. Not where
  /// devices are simulated, whose outputs are drawn.
  bool verify = true;
  std::vector<SharedTensor> first{};  ///< inputs of that run, by number; null or not there: as `stage` says
  int replicas = 1;                   ///< batches at once, 1 to 1024; run() uses the first
  StageExecutorSettings stage{};      ///< `device` and `requests` are not looked at, outputs are always kept
};

/// What one part of a batch took. Times are of std::chrono::steady_clock.
struct PartTimes {
  std::string device;
  std::chrono::nanoseconds submitted{}, completed{};
  ExecutionCounters counters;
};

/// What one batch took.
struct DataParallelResult {
  std::int64_t batch = 0;
  std::vector<SharedTensor> outputs;          ///< by number of the port, merged
  std::chrono::nanoseconds begin{};           ///< of std::chrono::steady_clock: the partition starts
  std::chrono::nanoseconds partition_time{};  ///< cutting the inputs
  /// From the common dispatch to the completion of each part.
  std::vector<std::chrono::nanoseconds> device_time;
  std::chrono::nanoseconds sync_merge_time{};  ///< from the last completion to the merged outputs
  std::chrono::nanoseconds wake_up{};          ///< the part of it until the merge starts
  std::chrono::nanoseconds skew{};             ///< last completion − first completion; beside the sum, not in it
  std::vector<PartTimes> parts;
  /// partition + longest device time + sync and merge.
  TAKT_EXPORT std::chrono::nanoseconds stage_total() const;
};

/// Not thread-safe, but for partition(), merge() and the executors of parts.
class TAKT_EXPORT DataParallelStage {
 public:
  using InputValues = StageExecutor::InputValues;

  /// Opens the model undivided on the first device and in parts on all of them; runs each once. Throws Error as
  /// StageExecutor does, and Error(bad_input) when the model cannot be divided along the axis: the merged outputs have
  /// other shapes than the undivided ones, or with `verify` other values: by more than 1e-4 of the largest, or 2e-2
  /// where parts run on other devices or runtimes than the whole, which may compute in another precision. A model that
  /// fixes its number of rows is reshaped: OpenVINO does so itself along axis 0; of an ONNX file takt opens a copy
  /// whose dimension is open.
  DataParallelStage(const std::filesystem::path& model, const DataParallelSettings& settings);
  /// Over executors of the caller's own, number replica · parts + part. It knows of no inputs, so partition() divides
  /// none; outputs are put together along axis 0. Throws Error(bad_input) for an executor that is null, numbers of
  /// executors and shares that do not fit each other, and shares that are not above 0 or do not add up to 1.
  DataParallelStage(std::vector<std::unique_ptr<StageExecutor>> executors, std::vector<double> ratio);
  ~DataParallelStage();
  DataParallelStage(const DataParallelStage&) = delete;
  DataParallelStage& operator=(const DataParallelStage&) = delete;

  const std::vector<Port>& inputs() const;
  /// Inputs and outputs of the undivided model on generated values, with the shapes that a batch has.
  const std::vector<SharedTensor>& sample_inputs() const;
  const std::vector<SharedTensor>& sample_outputs() const;
  /// "openvino", "onnxruntime", "sim", of the undivided model; empty: executors of the caller's.
  const std::string& runtime_name() const;
  const std::vector<std::string>& runtimes() const;  ///< of each part; none: executors of the caller's
  /// By how much the merged outputs differed from the undivided ones, at most, as a share of the largest value of that
  /// output; 0: nowhere. Of what has to be the same (indices, strings), the share that is not. nullopt: not compared.
  std::optional<double> deviation() const;
  const std::vector<std::int64_t>& rows() const;  ///< of each part
  const std::vector<double>& ratio() const;       ///< the share of each part
  std::size_t parts() const;
  /// For who drives the parts alone. 0 ≤ replica < replicas, part < parts(); throws Error(bad_input) beyond.
  StageExecutor& part(int replica, std::size_t part);

  /// The values of each part; inputs that are not given keep what they had. Throws Error(bad_input) for a port that
  /// does not exist, a value that is null or with another number of rows, and one whose bytes are not those of its type
  /// and shape.
  std::vector<InputValues> partition(const InputValues& inputs) const;
  /// `parts[p]` are the outputs of part p. Throws Error(bad_input) where one is missing, where they do not fit each
  /// other, and where bytes are not those of type and shape.
  std::vector<SharedTensor> merge(const std::vector<std::vector<SharedTensor>>& parts) const;

  /// One batch from partition to merge; blocks. Throws Error(runtime) when a part fails, and Error(bad_input) as
  /// partition(), merge() and StageExecutor::start_async() do; the stage can run the next batch then.
  DataParallelResult run(std::int64_t batch, const InputValues& inputs = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace takt
