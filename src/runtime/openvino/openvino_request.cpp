#include "runtime/openvino/openvino_request.h"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <utility>

#include "core/error.h"
#include "runtime/openvino/openvino_tensors.h"
#include "runtime/sdk_errors.h"
#include "runtime/tensor_checks.h"
#include "runtime/worker.h"

namespace takt::openvino {
namespace {

std::string message_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& e) {
    return one_sentence(e.what());
  } catch (...) {
    return "unknown failure";
  }
}

/// On the CPU OpenVINO would wake a thread of its own for each inference and another one for the callback; both wait
/// for their turn where every core computes. There a request computes on its own thread, which calls back and mostly
/// goes on with the next batch without anybody waking up.
class OpenVinoRequest : public Request {
 public:
  OpenVinoRequest(ov::InferRequest request, const Shared& shared, bool own_thread)
      : inference_(std::move(request), shared), shared_(shared) {
    if (own_thread) worker_ = std::make_unique<Worker>();
  }

  ~OpenVinoRequest() override {
    worker_.reset();
    try {
      inference_.request().wait();  // the callback refers to `done`, which must not outlive its owner unseen
    } catch (...) {                 // whoever wanted to know has called wait()
    }
  }

  void set_input(std::size_t port, SharedTensor value) override {
    check_input(shared_.inputs, port, *value, shared_.where);
    guarded(shared_.where,
            [&] { inference_.request().set_input_tensor(port, foreign_view(*value, shared_.input_types[port])); });
    values_[port] = std::move(value);
  }

  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)> done) override {
    if (worker_) return start_on_own_thread(std::move(done));
    guarded(shared_.where, [&] {
      inference_.request().set_callback([this, done = std::move(done)](const std::exception_ptr& failure) {
        inference_.finish(steady_now());
        done(inference_.completed(), failure ? std::optional(message_of(failure)) : std::nullopt);
      });
      inference_.begin();
      inference_.request().start_async();
    });
  }

  bool completes_on_own_thread() const override { return worker_ != nullptr; }

  void wait() override {
    if (worker_) worker_->wait();
    guarded(shared_.where, [&] {
      if (failure_) std::rethrow_exception(failure_);
      inference_.request().wait();
    });
  }

  std::vector<HostTensor> outputs() override {
    return guarded(shared_.where, [&] { return inference_.outputs(); });
  }

  std::optional<std::vector<OpSample>> last_ops() override {
    return guarded(shared_.where, [&] { return inference_.ops(); });
  }

  std::optional<OpTotals> last_totals() override {
    return guarded(shared_.where, [&] { return inference_.totals(); });
  }

 private:
  void start_on_own_thread(std::function<void(Nanoseconds, std::optional<std::string>)> done) {
    const auto body = [this] {
      failure_ = nullptr;
      inference_.begin();
      try {
        inference_.request().infer();
      } catch (...) {
        failure_ = std::current_exception();
      }
      inference_.finish(steady_now());
    };
    const auto after = [this, done = std::move(done)] {
      done(inference_.completed(), failure_ ? std::optional(message_of(failure_)) : std::nullopt);
    };
    if (!worker_->start(body, after))
      throw Error(ErrorKind::runtime, shared_.where + ": the request is still running; wait for it first");
  }

  std::map<std::size_t, SharedTensor> values_;  // declared before the request, which looks at their memory
  Inference inference_;
  const Shared& shared_;
  std::exception_ptr failure_;      ///< of an inference on its own thread
  std::unique_ptr<Worker> worker_;  ///< null: OpenVINO's threads; last: it ends before what it uses
};

}  // namespace

void Inference::begin() {
  call_.begin = wall_now();
  started_ = steady_now();
}

void Inference::finish(Nanoseconds at) {
  call_.end = wall_now();
  call_.wall = at - started_;
}

std::vector<HostTensor> Inference::outputs() {
  std::vector<HostTensor> result;
  for (std::size_t i = 0; i < shared_.outputs.size(); ++i)
    result.push_back(host_tensor(request_.get_output_tensor(i), shared_.outputs[i].name));
  return result;
}

std::optional<std::vector<OpSample>> Inference::ops() {
  if (!is_told()) return std::nullopt;
  return time_nodes(request_.get_profiling_info(), shared_.nodes, call_, clock_);
}

std::optional<OpTotals> Inference::totals() {
  if (!is_told()) return std::nullopt;
  return total_nodes(request_.get_profiling_info(), shared_.nodes, call_, clock_);
}

std::unique_ptr<Request> make_request(ov::InferRequest request, const Shared& shared, bool own_thread) {
  return std::make_unique<OpenVinoRequest>(std::move(request), shared, own_thread);
}

}  // namespace takt::openvino
