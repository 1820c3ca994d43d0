// A stage as a queue of asynchronous inference requests: submit a batch, be called back when it is done, with the times
// of the runtime's own threads, its node counters, and the outputs.
//
//   takt::StageExecutor infer("model.onnx", {.device = "CPU", .requests = 2});
//   infer.set_callback([&](takt::StageResult result) {              // on a thread of the runtime
//     if (!result.error) scores.push(result.batch, result.outputs[0]);
//   });
//   for (int batch = 0; batch < 100; ++batch) infer.start_async(batch, {{0, image}});
//   infer.wait();                                                   // throws what went wrong
//
// A stage may be a function of the program instead of a model; it is run and measured in the same way:
//
//   takt::StageExecutor decode([&](std::int64_t batch, const std::vector<takt::SharedTensor>& inputs) {
//     return std::vector<takt::SharedTensor>{decoded(frames[batch])};
//   }, {.name = "decode", .requests = 2});
//
// Runs .onnx models with ONNX Runtime and .xml models with OpenVINO by default, and simulated devices ("sim:NAME") with
// takt's simulation. examples/stage_executor is a whole program. Link with takt::takt.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "takt/error.h"
#include "takt/export.h"
#include "takt/tensor.h"

namespace takt {

/// Values of an execution's counters. A value is missing if the runtime has no such counter or the counter was not
/// requested; 0 means that it counted nothing.
struct ExecutionCounters {
  /// Sum of the node counters of this inference; for a function, the CPU time of its thread.
  std::optional<std::chrono::nanoseconds> hardware;
  std::optional<std::chrono::nanoseconds> marshalling;  ///< the part of it in input, reorder and convert nodes
  std::optional<std::int64_t> bytes_moved;              ///< by takt, host memory to host memory, to hand the tensors on
};

/// Copies of tensors that their reader could not read in place. Times are of std::chrono::steady_clock.
struct TensorCopy {
  std::chrono::nanoseconds begin{}, end{};
  std::int64_t bytes = 0;  ///< 0: nothing had to be copied, and there are no times
};

/// One inference of a batch.
struct StageResult {
  std::int64_t batch = 0;
  /// Times of std::chrono::steady_clock: immediately before the request was started, and in the runtime's completion
  /// callback.
  std::chrono::nanoseconds submitted{}, completed{};
  std::optional<std::string> error;   ///< one sentence; nullopt: success
  std::vector<SharedTensor> outputs;  ///< indexed by port; empty after an error, or when not requested
  ExecutionCounters counters;
  TensorCopy inputs_copied, outputs_copied;  ///< before `submitted` and after `completed`
  std::chrono::nanoseconds wall() const { return completed - submitted; }
};

struct StageExecutorSettings {
  /// "CPU", "GPU", "NPU" as the runtime calls them, or "sim:NAME". `takt devices` lists what this machine has.
  std::string device = "CPU";
  std::string runtime{};  ///< "onnxruntime", "openvino", "sim"; empty: by the model's file name and the device
  int requests = 1;       ///< concurrent inferences, 1 to 1024; more keep a device busy while results are processed
  std::optional<int> threads{};  ///< of one inference, on the CPU, 1 to 1024; unset: the runtime's default
  /// f32, f16 or bf16: the precision to compute in, if the runtime supports it. Unset: the runtime's choice, which may
  /// be lower than the model's (OpenVINO uses bf16 on CPUs that support it).
  std::optional<ElementType> precision{};
  /// True: the runtime gets the model with its dynamic dimensions, so that it is the same at any size. False: with the
  /// sizes of the initial inputs, for which runtimes plan their memory and select their kernels. Batches have those
  /// sizes in both cases, unless `sizes_vary`.
  bool open_shapes = false;
  /// True: batches come in other sizes of the dimensions that the model leaves open, too. Implies `open_shapes`;
  /// outputs then lie in memory of the runtime's.
  bool sizes_vary = false;
  /// Settings of the runtime that change speed and not results: "spinning", "memory_pattern", "arena" (ONNX Runtime),
  /// "pinning", "hyper_threading" (OpenVINO), each "on" or "off", pinning also "own"; "hint": "latency", "throughput".
  /// Settings that the runtime does not have are ignored.
  std::map<std::string, std::string> tuning{};
  bool counters =
      true;  ///< hardware time and data marshalling, if the runtime reports them per request; adds a small overhead
  /// True: results carry the outputs, in memory that the executor reuses after the results are released. Set it to
  /// false if you only measure.
  bool outputs = true;
  /// True: an input keeps its value until it gets another one. False: until the outputs are complete; then it gets back
  /// its initial value, so the caller may reuse the memory of its value immediately.
  bool keeps_inputs = true;
  /// Initial values of inputs, until start_async() gives them a value, each in the syntax of `takt run --input`:
  /// "x:{1,3,224,224}" for the shape of an input with dynamic dimensions, "x:FILE.npy", "x:[1,2,3]". Others are filled
  /// with seeded values.
  std::vector<std::string> inputs{};
  std::uint64_t seed = 1;  ///< of generated values and simulated noise
};

/// The work of a stage that runs no model: computes the outputs from the number of the batch and the values given to
/// start_async(), indexed by port (null if none was given). It may return inputs as outputs; nothing is copied. It is
/// called on threads of the executor, concurrently if there are several requests: data shared between calls then needs
/// a lock. An exception from it is the error of that batch; so is an output that is null or whose bytes do not match
/// its type and shape.
using StageFunction =
    std::function<std::vector<SharedTensor>(std::int64_t batch, const std::vector<SharedTensor>& inputs)>;

struct StageFunctionSettings {
  std::string name = "function";  ///< name of the stage in messages: "stage 'decode', batch 7: …"; not empty
  std::string device = "CPU";     ///< the device that tables show; nothing else depends on it; not empty
  int requests = 1;               ///< concurrent calls, each on a separate thread, 1 to 1024
  bool counters = true;           ///< the CPU time of each call
  bool outputs = true;            ///< results carry the outputs
};

/// Call start_async() and wait() from one thread at a time. Callbacks run on the runtime's threads, concurrently if
/// there are several requests, and may call start_async() only while a request is idle.
class TAKT_EXPORT StageExecutor {
 public:
  using Callback = std::function<void(StageResult)>;
  using InputValues = std::vector<std::pair<std::size_t, SharedTensor>>;  ///< pairs of port and value

  /// Opens the model and runs each request once, so that the first batch is not slower. Throws Error: bad_input for a
  /// file that is not a model, for inputs that do not fit it and for invalid settings, unsupported for a device or
  /// operator that is not available, runtime for errors of the runtime.
  explicit StageExecutor(const std::filesystem::path& model, const StageExecutorSettings& settings = {});
  /// Calls `function` for each batch. Its ports are unknown; an input that a batch does not give is null, not the value
  /// of an earlier batch. Throws Error(bad_input) for an empty function and for invalid settings.
  explicit StageExecutor(StageFunction function, const StageFunctionSettings& settings = {});
  ~StageExecutor();  ///< waits until nothing is in flight
  StageExecutor(const StageExecutor&) = delete;
  StageExecutor& operator=(const StageExecutor&) = delete;

  const std::vector<Port>& inputs() const;
  const std::vector<Port>& outputs() const;
  std::string device() const;  ///< the actual device: "CPU", "GPU.0", "sim:NPU"

  /// Called once per start_async(), when its request is idle again. Set before the first start. An exception from it is
  /// rethrown by wait(), as if the inference had failed.
  void set_callback(Callback callback);

  /// Blocks until a request is idle, gives it these values (other inputs keep theirs) and starts it. The values are not
  /// copied (strings are); the request holds them until others replace them, or as StageExecutorSettings::keeps_inputs
  /// specifies, and the runtime reads them in place: memory that a value shares with the program must not change until
  /// then. Throws Error(bad_input) for a port that does not exist and for a value that is null, has another type, rank
  /// or size, or whose bytes do not match its type and shape; also throws Error(runtime). Nothing was started then.
  void start_async(std::int64_t batch, const InputValues& inputs = {});
  /// Blocks until nothing is in flight and no callback runs. Throws the first failure since the last wait(),
  /// Error(runtime). Not from a callback.
  void wait();

  struct State;  ///< takt's own
  explicit StageExecutor(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace takt
