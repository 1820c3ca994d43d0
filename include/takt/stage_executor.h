// A stage as a queue of asynchronous inference requests: submit a batch, be called back when it is done, with the times
// that the runtime's own threads took, what its node counters say, and the outputs.
//
//   takt::StageExecutor infer("model.onnx", {.device = "CPU", .requests = 2});
//   infer.set_callback([&](takt::StageResult result) {              // on a thread of the runtime
//     if (!result.error) scores.push(result.batch, result.outputs[0]);
//   });
//   for (int batch = 0; batch < 100; ++batch) infer.start_async(batch, {{0, image}});
//   infer.wait();                                                   // throws what went wrong
//
// A stage may be a function of the program instead of a model, and is then driven and measured in the same way:
//
//   takt::StageExecutor decode([&](std::int64_t batch, const std::vector<takt::SharedTensor>& inputs) {
//     return std::vector<takt::SharedTensor>{decoded(frames[batch])};
//   }, {.name = "decode", .requests = 2});
//
// Runs .onnx models with ONNX Runtime, .xml ones with OpenVINO unless told otherwise, and simulated devices
// ("sim:NAME") with takt's own simulation. examples/stage_executor is a whole program. Link with takt::takt.
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

/// What an execution's own counters tell. A value is missing where the runtime has no such counter or it was not asked
/// for; 0 means that it counted nothing.
struct ExecutionCounters {
  /// Sum of the node counters of this inference; of a function, what its thread had a processor.
  std::optional<std::chrono::nanoseconds> hardware;
  std::optional<std::chrono::nanoseconds> marshalling;  ///< the part of it in input, reorder and convert nodes
  std::optional<std::int64_t> bytes_moved;              ///< by takt, host memory to host memory, to hand the tensors on
};

/// Tensors that takt copied because their reader could not read them where they lay. Times are of
/// std::chrono::steady_clock.
struct TensorCopy {
  std::chrono::nanoseconds begin{}, end{};
  std::int64_t bytes = 0;  ///< 0: nothing had to be copied, and there are no times
};

/// One inference of a batch.
struct StageResult {
  std::int64_t batch = 0;
  /// Of std::chrono::steady_clock: right before the start, and in the runtime's callback.
  std::chrono::nanoseconds submitted{}, completed{};
  std::optional<std::string> error;   ///< one sentence; nullopt: it went well
  std::vector<SharedTensor> outputs;  ///< by number of the port; empty after an error, or where nobody wants them
  ExecutionCounters counters;
  TensorCopy inputs_copied, outputs_copied;  ///< before `submitted` and after `completed`
  std::chrono::nanoseconds wall() const { return completed - submitted; }
};

struct StageExecutorSettings {
  /// "CPU", "GPU", "NPU" as the runtime calls them, or "sim:NAME". `takt devices` lists what this machine has.
  std::string device = "CPU";
  std::string runtime{};  ///< "onnxruntime", "openvino", "sim"; empty: by the model's file name and the device
  int requests = 1;       ///< inferences at once, 1 to 1024; more keeps a device busy while results are handed on
  std::optional<int> threads{};  ///< of one inference, on the CPU, 1 to 1024; unset: the runtime's own default
  /// f32, f16 or bf16: compute in it where the runtime can. Unset: the runtime's own choice, which may be less than the
  /// model's (OpenVINO takes bf16 on processors that have units for it).
  std::optional<ElementType> precision{};
  /// The runtime gets the model with the dimensions that it leaves open, so that it is the same at any size. Off: with
  /// the sizes of the inputs that it begins with, for which runtimes plan their memory and choose their kernels.
  /// Batches have those sizes all the same.
  bool open_shapes = false;
  /// Settings of the runtime that change speed and not results: "spinning", "memory_pattern", "arena" (ONNX Runtime),
  /// "pinning", "hyper_threading" (OpenVINO), each "on" or "off", pinning also "own"; "hint": "latency", "throughput".
  /// One that the runtime at hand does not have changes nothing.
  std::map<std::string, std::string> tuning{};
  bool counters =
      true;  ///< hardware time and data marshalling, where the runtime tells them of a request; costs a little
  /// Results carry the outputs: in memory that they keep and that the executor uses again when it is let go. Turn it
  /// off if you only measure.
  bool outputs = true;
  /// Inputs hold what they were given until another value comes. Off: until the outputs are there, after which they
  /// hold what they had before the first one; so whoever made a value may write to its memory again at once.
  bool keeps_inputs = true;
  /// What inputs hold until start_async() gives them a value, each as `takt run --input` reads it: "x:{1,3,224,224}"
  /// for the size of an input that the model leaves open, "x:FILE.npy", "x:[1,2,3]". Others are filled with seeded
  /// values.
  std::vector<std::string> inputs{};
  std::uint64_t seed = 1;  ///< of generated values and simulated noise
};

/// What a stage does that runs no model: from the number of the batch and the values that start_async() was given, by
/// number of the port (null where none was), it makes the outputs. Inputs may be handed on as outputs; nothing is
/// copied. Called on threads that the executor keeps, several at once if there are several requests: what it shares
/// with itself needs a lock then. What it throws is the error of that batch, and so is an output that is null or whose
/// bytes are not those of its type and shape.
using StageFunction =
    std::function<std::vector<SharedTensor>(std::int64_t batch, const std::vector<SharedTensor>& inputs)>;

struct StageFunctionSettings {
  std::string name = "function";  ///< of the stage, in messages: "stage 'decode', batch 7: …"; not empty
  std::string device = "CPU";     ///< where tables shall say that it runs; nothing else depends on it; not empty
  int requests = 1;               ///< calls at once, each on a thread of its own, 1 to 1024
  bool counters = true;           ///< the processor time of each call
  bool outputs = true;            ///< results carry the outputs
};

/// start_async() and wait() from one thread at a time; callbacks come from the runtime's threads, several at once if
/// there are several requests, and may call start_async() only while a request is idle.
class TAKT_EXPORT StageExecutor {
 public:
  using Callback = std::function<void(StageResult)>;
  using InputValues = std::vector<std::pair<std::size_t, SharedTensor>>;  ///< by number of the port

  /// Opens the model and runs each request of it, so that the first batch is not slowed down. Throws Error: bad_input
  /// for a file that is no model, for inputs that do not fit it and for settings that are not possible, unsupported for
  /// a device or operator that is not there, runtime for what the runtime says.
  explicit StageExecutor(const std::filesystem::path& model, const StageExecutorSettings& settings = {});
  /// Calls `function` for each batch. It has no ports that are known; an input that a batch is not given is null, and
  /// is not what an earlier batch had. Throws Error(bad_input) for an empty function and for settings that are not
  /// possible.
  explicit StageExecutor(StageFunction function, const StageFunctionSettings& settings = {});
  ~StageExecutor();  ///< waits for what is in flight
  StageExecutor(const StageExecutor&) = delete;
  StageExecutor& operator=(const StageExecutor&) = delete;

  const std::vector<Port>& inputs() const;
  const std::vector<Port>& outputs() const;
  std::string device() const;  ///< what really runs it: "CPU", "GPU.0", "sim:NPU"

  /// Called once per start_async(), when its request is idle again. Set before the first start. What it throws ends in
  /// wait(), as if the inference had failed.
  void set_callback(Callback callback);

  /// Blocks until a request is idle, gives it these values (others stay as they were) and starts it. The values are not
  /// copied (strings are) but held until others take their place, or as StageExecutorSettings::keeps_inputs says, and
  /// read by the runtime where they lie: memory that a value shares with the program must not change until then. Throws
  /// Error(bad_input) for a port that does not exist, a value that is null, of another type, rank or size, or whose
  /// bytes are not those of its type and shape, and Error(runtime); nothing was started then.
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
