// One logical stage on several devices: each batch is split into parts along an axis, the parts run concurrently, and
// their outputs are merged.
//
//   takt::DataParallelStage stage("model.onnx", {.devices = {"CPU", "GPU"}});     // shares by measured speed
//   takt::DataParallelResult done = stage.run(batch, {{0, images}});             // images: {8,3,224,224}
//   // done.outputs[0] has 8 rows; done.device_time has the time of each device, done.skew their difference
//
// The time of a batch adds up, to the nanosecond: partition_time + the longest device_time + sync_merge_time =
// stage_total(). A device may be named twice and then runs two parts concurrently, each with a separate request.
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
  /// Whether to compare the merged outputs of one run, while the stage is opened, with those of the whole model.
  /// Ignored on simulated devices, whose outputs are random.
  bool verify = true;
  std::vector<SharedTensor> first{};  ///< inputs of that run, indexed by port; null or missing: as in `stage`
  int replicas = 1;                   ///< concurrent batches, 1 to 1024; run() uses the first
  StageExecutorSettings stage{};      ///< `device` and `requests` are ignored, outputs are always kept
};

/// Times of one part of a batch, of std::chrono::steady_clock.
struct PartTimes {
  std::string device;
  std::chrono::nanoseconds submitted{}, completed{};
  ExecutionCounters counters;
};

/// Outputs and times of one batch.
struct DataParallelResult {
  std::int64_t batch = 0;
  std::vector<SharedTensor> outputs;          ///< indexed by port, merged
  std::chrono::nanoseconds begin{};           ///< of std::chrono::steady_clock: the partition starts
  std::chrono::nanoseconds partition_time{};  ///< splitting the inputs
  /// From the common dispatch to the completion of each part.
  std::vector<std::chrono::nanoseconds> device_time;
  std::chrono::nanoseconds sync_merge_time{};  ///< from the last completion to the merged outputs
  std::chrono::nanoseconds wake_up{};          ///< the part of it until the merge starts
  std::chrono::nanoseconds skew{};             ///< last completion − first completion; not part of the sum
  std::vector<PartTimes> parts;
  /// Returns partition + longest device time + sync and merge.
  TAKT_EXPORT std::chrono::nanoseconds stage_total() const;
};

/// Not thread-safe, but for partition(), merge() and the executors of parts.
class TAKT_EXPORT DataParallelStage {
 public:
  using InputValues = StageExecutor::InputValues;

  /// Opens the whole model on the first device and the parts on all devices; runs each once. Throws Error as
  /// StageExecutor does, and Error(bad_input) if the model cannot be split along the axis: the merged outputs have
  /// other shapes than those of the whole model, or with `verify` other values: by more than 1e-4 of the largest, or
  /// 2e-2 where parts run on other devices or runtimes than the whole, which may compute in another precision. A model
  /// that fixes its number of rows is reshaped: OpenVINO does so itself along axis 0; of an ONNX file takt opens a copy
  /// whose dimension is open.
  DataParallelStage(const std::filesystem::path& model, const DataParallelSettings& settings);
  /// Uses the caller's executors; their index is replica · parts + part. The inputs are unknown, so partition() splits
  /// none; outputs are merged along axis 0. Throws Error(bad_input) for an executor that is null, numbers of executors
  /// and shares that do not fit each other, and shares that are not above 0 or do not add up to 1.
  DataParallelStage(std::vector<std::unique_ptr<StageExecutor>> executors, std::vector<double> ratio);
  ~DataParallelStage();
  DataParallelStage(const DataParallelStage&) = delete;
  DataParallelStage& operator=(const DataParallelStage&) = delete;

  const std::vector<Port>& inputs() const;
  /// Return the inputs and outputs of the whole model on generated values, with the shapes of a batch.
  const std::vector<SharedTensor>& sample_inputs() const;
  const std::vector<SharedTensor>& sample_outputs() const;
  /// Returns the runtime of the whole model: "openvino", "onnxruntime", "sim"; empty with the caller's executors.
  const std::string& runtime_name() const;
  const std::vector<std::string>& runtimes() const;  ///< of each part; empty with the caller's executors
  /// Returns the maximum difference between the merged outputs and those of the whole model, as a share of the largest
  /// value of that output; 0: no difference. For values that must be equal (indices, strings), the share that differs.
  /// nullopt: not compared.
  std::optional<double> deviation() const;
  const std::vector<std::int64_t>& rows() const;  ///< of each part
  const std::vector<double>& ratio() const;       ///< the share of each part
  std::size_t parts() const;
  /// Returns the executor of one part, for callers that run the parts themselves. Throws Error(bad_input) unless 0 ≤
  /// replica < replicas and part < parts().
  StageExecutor& part(int replica, std::size_t part);

  /// Returns the values of each part; inputs that are not given keep their values. Throws Error(bad_input) for a port
  /// that does not exist, a value that is null or with another number of rows, and one whose bytes are not those of its
  /// type and shape.
  std::vector<InputValues> partition(const InputValues& inputs) const;
  /// Returns the merged outputs; `parts[p]` are the outputs of part p. Throws Error(bad_input) if one is missing, if
  /// they do not fit each other, and if the bytes do not match type and shape.
  std::vector<SharedTensor> merge(const std::vector<std::vector<SharedTensor>>& parts) const;

  /// Runs one batch from partition to merge; blocks. Throws Error(runtime) when a part fails, and Error(bad_input) as
  /// partition(), merge() and StageExecutor::start_async() do; the stage can run the next batch then.
  DataParallelResult run(std::int64_t batch, const InputValues& inputs = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace takt
