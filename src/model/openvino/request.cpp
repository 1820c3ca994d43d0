#include "model/openvino/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/variable_state.hpp>
#include <optional>
#include <utility>

#include "base/basics/crash.h"
#include "base/basics/error.h"
#include "model/openvino/tensors.h"
#include "model/runtime/sdk_errors.h"
#include "model/runtime/tensor_checks.h"
#include "model/runtime/worker.h"

namespace takt::openvino {
namespace {

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

  std::int64_t set_input(std::size_t port, SharedTensor value) override {
    check_input(shared_.inputs, port, *value, shared_.where);
    const auto copied = value->type == ElementType::string ? held_bytes(*value) : 0;
    guarded(shared_.where, [&] { inference_.set_input(port, std::move(value)); });
    return copied;
  }

  void restore_inputs() override {
    guarded(shared_.where, [&] { inference_.restore_inputs(); });
  }

  void set_output(std::size_t port, const Shape& shape, std::shared_ptr<std::byte> memory) override {
    guarded(shared_.where, [&] { inference_.set_output(port, shape, std::move(memory)); });
  }

  TakenOutputs take_outputs() override {
    return guarded(shared_.where, [&] { return inference_.take_outputs(); });
  }

  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)> done) override {
    if (worker_) return start_on_own_thread(std::move(done));
    guarded(shared_.where, [&] {
      in_flight_.emplace(shared_.where, running_it, ForeignCall::Thread::any);
      inference_.request().set_callback([this, done = std::move(done)](const std::exception_ptr& failure) {
        inference_.finish(steady_now());
        in_flight_.reset();
        done(inference_.completed(), failure ? std::optional(reason_of_failure(failure)) : std::nullopt);
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
      const ForeignCall noted(shared_.where, running_it);
      try {
        inference_.begin();
        inference_.request().infer();
      } catch (...) {
        failure_ = std::current_exception();
      }
      inference_.finish(steady_now());
    };
    const auto after = [this, done = std::move(done)] {
      done(inference_.completed(), failure_ ? std::optional(reason_of_failure(failure_)) : std::nullopt);
    };
    if (!worker_->start(body, after))
      throw Error(ErrorKind::runtime, shared_.where + ": the request is still running; wait for it first");
  }

  Inference inference_;
  const Shared& shared_;
  std::optional<ForeignCall> in_flight_;  ///< of an inference on OpenVINO's threads
  std::exception_ptr failure_;            ///< of an inference on its own thread
  std::unique_ptr<Worker> worker_;        ///< null: OpenVINO's threads; last: it ends before what it uses
};

}  // namespace

void cancel(ov::InferRequest& request) {
  try {
    request.cancel();
  } catch (const ov::Exception&) {  // it cannot be
  }
}

void Inference::begin() {
  if (shared_.resets_state) reset_state();
  call_.begin = wall_now();
  started_ = steady_now();
}

void Inference::reset_state() {
  for (ov::VariableState& variable : request().query_state()) variable.reset();
}

void Inference::finish(Nanoseconds at) {
  call_.end = wall_now();
  call_.wall = at - started_;
}

std::vector<HostTensor> Inference::outputs() {
  std::vector<HostTensor> result;
  for (std::size_t i = 0; i < shared_.outputs.size(); ++i)
    result.push_back(host_tensor(request().get_output_tensor(i), shared_.outputs[i].name));
  return result;
}

void Inference::set_input(std::size_t port, SharedTensor value) {
  first_.try_emplace(port, request().get_input_tensor(port));
  request().set_input_tensor(port, foreign_view(*value, shared_.input_types[port]));
  values_[port] = std::move(value);
}

void Inference::restore_inputs() {
  for (const auto& value : values_) request().set_input_tensor(value.first, first_.at(value.first));
  values_.clear();
}

void Inference::set_output(std::size_t port, const Shape& shape, std::shared_ptr<std::byte> memory) {
  const auto type = request().get_output_tensor(port).get_element_type();
  request().set_output_tensor(port, ov::Tensor(type, ov::Shape(shape.begin(), shape.end()), memory.get()));
  destination_[port] = std::move(memory);
}

TakenOutputs Inference::take_outputs() {
  TakenOutputs result;
  std::shared_ptr<const void> hold;
  for (std::size_t i = 0; i < shared_.outputs.size(); ++i) {
    HostTensor output = taken(i, hold);
    if (!output.bytes.is_shared()) result.copied_bytes += held_bytes(output);
    result.values.push_back(std::make_shared<HostTensor>(std::move(output)));
  }
  if (hold) leave_held_request();
  return result;
}

/// `hold` is made when the first output needs it.
HostTensor Inference::taken(std::size_t port, std::shared_ptr<const void>& hold) {
  constexpr std::size_t most_requests = 16;  // each has memory of its own; beyond that outputs are copied
  const ov::Tensor tensor = request().get_output_tensor(port);
  const auto* const data = tensor.get_size() == 0 ? nullptr : static_cast<const std::byte*>(tensor.data());
  const auto& name = shared_.outputs[port].name;
  if (const auto given = destination_.find(port); given != destination_.end() && data == given->second.get())
    return tensor_over(tensor, std::move(destination_.extract(given).mapped()), name);
  const bool is_input = std::any_of(values_.begin(), values_.end(), [&](const auto& value) {
    const Bytes& bytes = value.second->bytes;
    return std::less_equal<>()(bytes.begin(), data) && std::less<>()(data, bytes.end());
  });
  if (!data || is_input || concrete(shared_.outputs[port].shape) || others_.size() >= most_requests)
    return host_tensor(tensor, name);
  if (!hold) {
    current_->is_held = true;
    hold = std::shared_ptr<Slot>(current_.get(), [slot = current_](Slot* held) { held->is_held = false; });
  }
  return tensor_over(tensor, hold, name);
}

void Inference::leave_held_request() {
  auto next = std::find_if(others_.begin(), others_.end(), [](const auto& slot) { return !slot->is_held; });
  if (next == others_.end())
    next = others_.insert(next, std::make_shared<Slot>(request().get_compiled_model().create_infer_request()));
  for (std::size_t i = 0; i < shared_.inputs.size(); ++i)
    (*next)->request.set_input_tensor(i, request().get_input_tensor(i));
  std::swap(*next, current_);
}

std::optional<std::vector<OpSample>> Inference::ops() {
  if (!is_told()) return std::nullopt;
  return time_nodes(request().get_profiling_info(), shared_.nodes, call_, clock_);
}

std::optional<OpTotals> Inference::totals() {
  if (!is_told()) return std::nullopt;
  return total_nodes(request().get_profiling_info(), shared_.nodes, call_, clock_);
}

std::unique_ptr<Request> make_request(ov::InferRequest request, const Shared& shared, bool own_thread) {
  return std::make_unique<OpenVinoRequest>(std::move(request), shared, own_thread);
}

}  // namespace takt::openvino
