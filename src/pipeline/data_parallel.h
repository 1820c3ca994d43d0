// One logical stage on several devices at once: each batch is cut into parts along an axis, the parts run at the same
// time, and their outputs are put together again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/stage_executor.h"

namespace takt {

struct DataParallelSettings {
  std::vector<std::string> devices;          ///< one per part; one may repeat, each time with a request of its own
  std::optional<std::vector<double>> ratio;  ///< adds up to 1; nullopt: from the speed of each, measured when opened
  int axis = 0;
  bool verify = false;          ///< compare the merged outputs of the first run with those of the undivided model
  int replicas = 1;             ///< batches at once
  StageExecutorSettings stage;  ///< `device` and `requests` are not looked at
};

/// What one batch took.
struct DataParallelResult {
  std::int64_t batch = 0;
  std::vector<SharedTensor> outputs;
  Nanoseconds partition_time{};
  std::vector<Nanoseconds> device_time;  ///< from the common dispatch to the completion of each part
  Nanoseconds sync_merge_time{};         ///< from the last completion to the merged outputs
  Nanoseconds skew{};                    ///< last completion − first completion
  /// partition + longest device time + sync and merge.
  Nanoseconds stage_total() const;
};

/// Not thread-safe, but for the executors of parts.
class DataParallelStage {
 public:
  using InputValues = StageExecutor::InputValues;

  /// Opens the model undivided on the first device and in parts on all of them; runs each once. Throws Error as
  /// StageExecutor does, and Error(bad_input) when the model cannot be divided along the axis: the merged outputs have
  /// other shapes than the undivided ones, or with `verify` other values.
  DataParallelStage(const std::filesystem::path& model, const DataParallelSettings& settings);
  /// Over executors of the caller's own, number replica · parts + part. It knows of no inputs, so partition() divides
  /// none; outputs are put together along axis 0.
  DataParallelStage(std::vector<std::unique_ptr<StageExecutor>> executors, std::vector<double> ratio);

  const std::vector<Port>& inputs() const { return inputs_; }
  /// Outputs of the undivided model on generated values, with the shapes that a batch has.
  const std::vector<SharedTensor>& sample_outputs() const { return sample_outputs_; }
  const std::vector<SharedTensor>& sample_inputs() const { return sample_inputs_; }
  const std::string& runtime_name() const { return runtime_name_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  const std::vector<double>& ratio() const { return ratio_; }
  std::size_t parts() const { return rows_.size(); }
  StageExecutor& part(int replica, std::size_t part);

  /// The values of each part; inputs that are not given keep what they had. Throws Error(bad_input). Thread-safe.
  std::vector<InputValues> partition(const InputValues& inputs) const;
  /// `parts[p]` are the outputs of part p. Thread-safe.
  std::vector<SharedTensor> merge(const std::vector<std::vector<SharedTensor>>& parts) const;

  /// One batch from partition to merge; blocks. Throws Error(runtime) when a part fails.
  DataParallelResult run(std::int64_t batch, const InputValues& inputs = {});

 private:
  void measure_ratio(const std::filesystem::path& model, const DataParallelSettings& settings);
  void open_parts(const std::filesystem::path& model, const DataParallelSettings& settings);
  void check_merged(bool verify);
  void wait_for_all();
  bool is_divided(std::size_t input) const { return divided_[input]; }

  int axis_ = 0;
  std::string runtime_name_;
  std::vector<double> ratio_;
  std::vector<std::int64_t> rows_;
  std::vector<Port> inputs_;
  std::vector<bool> divided_;  ///< by input: it has as many rows as the first one
  std::vector<SharedTensor> sample_inputs_, sample_outputs_;
  std::vector<std::unique_ptr<StageExecutor>> executors_;  ///< replica · parts + part
};

}  // namespace takt
