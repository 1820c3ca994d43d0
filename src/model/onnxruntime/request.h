// Inferences of a session of ONNX Runtime that are in flight.
#pragma once

#include <fmt/format.h>
#include <onnxruntime_cxx_api.h>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "model/onnxruntime/binding.h"
#include "model/onnxruntime/tensors.h"
#include "model/runtime/gpu_activity.h"
#include "model/runtime/runtime.h"
#include "model/runtime/sdk_errors.h"
#include "model/runtime/tensor_checks.h"
#include "model/runtime/worker.h"

namespace takt::ort {

/// One session of ONNX Runtime may be run from several threads, but a profile can be cut into inferences only when they
/// do not overlap.
struct SharedSession {
  std::unique_ptr<Ort::Session> session;
  std::mutex profiled;
  bool profiling = false;
  bool subnormals_as_zero = false;
  struct Inference {
    std::optional<Nanoseconds> wall = {};  ///< unset: not one of Session::run
    std::vector<GpuActivity> gpu = {};     ///< by the system's clock
  };
  std::vector<Inference> inferences;  ///< of the profile, all of them
};

class OnnxRuntimeRequest : public Request {
 public:
  OnnxRuntimeRequest(SharedSession& shared, const std::vector<Port>& inputs, const std::vector<Port>& outputs,
                     const std::vector<HostTensor>& values, std::string where)
      : shared_(shared), inputs_(inputs), outputs_(outputs), binding_(inputs, outputs), where_(std::move(where)) {
    binding_.set(values);
  }

  std::int64_t set_input(std::size_t port, SharedTensor value) override {
    check_input(inputs_, port, *value, where_);
    const auto copied = value->type == ElementType::string ? held_bytes(*value) : 0;
    binding_.set(port, std::move(value));
    return copied;
  }

  void restore_inputs() override {
    guarded(where_, [&] { binding_.restore(); });
  }

  void set_output(std::size_t port, const Shape& shape, std::shared_ptr<std::byte> memory) override {
    guarded(where_, [&] { binding_.set_output(port, shape, std::move(memory)); });
  }

  TakenOutputs take_outputs() override {
    return guarded(where_, [&] { return binding_.take(where_); });
  }

  std::vector<HostTensor> outputs() override {
    std::vector<HostTensor> result;
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      result.push_back(host_tensor(binding_.results()[i], outputs_[i].name, where_));
    return result;
  }

  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)> done) override {
    struct Result {
      Nanoseconds completed{};
      std::optional<std::string> error;
    };
    const auto result = std::make_shared<Result>();
    const auto body = [this, result] {
      result->error = execute();
      result->completed = steady_now();
    };
    if (!worker_.start(body, [result, done = std::move(done)] { done(result->completed, result->error); }))
      throw Error(ErrorKind::runtime, where_ + ": the request is still running; wait for it first");
  }

  void wait() override {
    worker_.wait();
    if (error_) throw Error(ErrorKind::runtime, fmt::format("{}: {}", where_, *error_));
  }

 private:
  std::optional<std::string> execute() {
    error_.reset();
    std::unique_lock<std::mutex> lock;
    if (shared_.profiling) lock = std::unique_lock(shared_.profiled);
    const ForeignCall noted(where_, running_it);
    try {
      binding_.prepare_next();
      binding_.run(*shared_.session, shared_.subnormals_as_zero);
    } catch (...) {
      error_ = reason_of_failure(std::current_exception());
    }
    if (shared_.profiling) shared_.inferences.push_back({});
    return error_;
  }

  SharedSession& shared_;
  const std::vector<Port>&inputs_, &outputs_;
  Binding binding_;
  std::string where_;
  std::optional<std::string> error_;
  Worker worker_;  // last: its thread ends before what it uses
};

}  // namespace takt::ort
