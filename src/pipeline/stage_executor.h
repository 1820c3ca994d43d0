// A stage as a queue of asynchronous inference requests: submit a batch, be called back when it is done, with the times
// that the runtime's own threads took and what its node counters say.
//
//   StageExecutor infer("model.onnx", {.device = "CPU", .requests = 2});
//   infer.set_callback([](StageResult result) { … });   // from the runtime's thread
//   for (int batch = 0; batch < 100; ++batch) infer.start_async(batch, {{0, input}});
//   infer.wait();
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/pipeline_run.h"
#include "profile/inputs.h"
#include "runtime/runtime.h"

namespace takt {

struct RunSettings;

/// One inference of a batch.
struct StageResult {
  std::int64_t batch = 0;
  Nanoseconds submitted{}, completed{};  ///< steady clock: right before the start, and in the runtime's callback
  std::optional<std::string> error;      ///< one sentence; nullopt: it went well
  std::vector<SharedTensor> outputs;     ///< by port; empty after an error, or where nobody wants them
  ExecutionCounters counters;
  Nanoseconds wall() const { return completed - submitted; }
};

struct StageExecutorSettings {
  std::string device = "CPU";
  std::string runtime;            ///< empty: by the model's file name and the device
  int requests = 1;               ///< inferences at once
  std::optional<int> threads;     ///< see SessionSettings
  Tuning tuning;                  ///< see SessionSettings
  bool counters = true;           ///< node counters on: hardware time and data marshalling, where the runtime has them
  bool outputs = true;            ///< results carry the outputs, which copies them
  std::vector<InputSpec> inputs;  ///< shapes of inputs that the model leaves open
  std::uint64_t seed = 1;         ///< of generated values and simulated noise
};

/// The part of them that opening a model asks for.
RunSettings run_settings(const StageExecutorSettings& settings);

/// start_async() and wait() from one thread at a time; callbacks come from the runtime's threads, several at once if
/// there are several requests, and may call start_async() only while a request is idle.
class StageExecutor {
 public:
  using Callback = std::function<void(StageResult)>;
  using InputValues = std::vector<std::pair<std::size_t, SharedTensor>>;  ///< by number of the port

  /// Opens the model and runs it once, so that the first batch is not slowed down. Throws Error as run_model() does.
  StageExecutor(const std::filesystem::path& model, const StageExecutorSettings& settings);
  /// Over a session whose inputs are set. `session` and its runtime are kept.
  StageExecutor(std::unique_ptr<Runtime> runtime, std::unique_ptr<Session> session,
                const StageExecutorSettings& settings);
  ~StageExecutor();  ///< waits for what is in flight
  StageExecutor(const StageExecutor&) = delete;
  StageExecutor& operator=(const StageExecutor&) = delete;

  const std::vector<Port>& inputs() const { return session_->inputs(); }
  const std::vector<Port>& outputs() const { return session_->outputs(); }
  std::string device() const { return session_->device(); }

  /// Called once per start_async(), when its request is idle again. Set before the first start.
  void set_callback(Callback callback) { callback_ = std::move(callback); }

  /// Blocks until a request is idle, gives it these values (others stay as they were) and starts it. Throws
  /// Error(bad_input, runtime).
  void start_async(std::int64_t batch, const InputValues& inputs);
  /// Blocks until nothing is in flight. Throws the first failure since the last wait(), Error(runtime).
  void wait();

 private:
  void completed(std::size_t request, std::int64_t batch, Nanoseconds submitted, Nanoseconds at,
                 std::optional<std::string> error);
  void make_requests(int count);

  StageExecutorSettings settings_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Session> session_;
  Callback callback_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> idle_;
  int calling_back_ = 0;
  std::optional<std::string> failure_;
  std::vector<std::unique_ptr<Request>> requests_;  ///< last: their threads end before what they use
};

}  // namespace takt
