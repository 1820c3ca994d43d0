#include "pipeline/stages/function_session.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/usage.h"
#include "model/runtime/tensor_checks.h"
#include "model/runtime/worker.h"

namespace takt {
namespace {

constexpr std::size_t most_inputs = 1024;  // a number beyond it is a slip, and would take memory for all below it

class FunctionRequest final : public Request {
 public:
  FunctionRequest(const StageFunction& function, const StageFunctionSettings& settings)
      : function_(function), settings_(settings) {}

  // Nothing of the batch before is left over, nor of a start that was refused.
  void set_batch(std::int64_t batch) override {
    batch_ = batch;
    inputs_.clear();
  }

  std::int64_t set_input(std::size_t port, SharedTensor value) override {
    if (port >= most_inputs)
      throw Error(ErrorKind::bad_input,
                  fmt::format("stage '{}', batch {}: input {} does not exist; a function has up to {}",
                              printable(settings_.name), batch_, port, most_inputs));
    if (const auto fault = value ? fault_of(*value) : std::nullopt)
      throw Error(ErrorKind::bad_input, fmt::format("stage '{}', batch {}: the value of input {} {}",
                                                    printable(settings_.name), batch_, port, *fault));
    if (inputs_.size() <= port) inputs_.resize(port + 1);
    inputs_[port] = std::move(value);
    return 0;
  }

  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)> done) override {
    const bool started =
        worker_.start([this] { call(); }, [this, done = std::move(done)] { done(completed_, error_); });
    if (!started)
      throw Error(ErrorKind::runtime, fmt::format("stage '{}': two concurrent calls", printable(settings_.name)));
  }

  void wait() override {
    worker_.wait();
    if (error_) throw Error(ErrorKind::runtime, *error_);
  }

  std::vector<HostTensor> outputs() override {
    std::vector<HostTensor> copies;
    for (const auto& output : outputs_) copies.push_back(*output);
    return copies;
  }

  TakenOutputs take_outputs() override { return {std::exchange(outputs_, {}), 0}; }

  std::optional<OpTotals> last_totals() override {
    return cpu_time_ ? std::optional(OpTotals{*cpu_time_, {}}) : std::nullopt;
  }

 private:
  void call() {
    error_.reset();
    outputs_.clear();  // of a batch whose results nobody took
    const auto inputs = std::exchange(inputs_, {});
    const auto before = settings_.counters ? thread_cpu_time() : std::nullopt;
    try {
      outputs_ = function_(batch_, inputs);
      check_outputs();
    } catch (const std::exception& e) {
      refuse(e.what());
    } catch (...) {
      refuse("it threw something that is not a std::exception");
    }
    const auto after = before ? thread_cpu_time() : std::nullopt;
    completed_ = steady_now();
    cpu_time_ = after ? std::optional(*after - *before) : std::nullopt;
  }

  void check_outputs() const {
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      if (!outputs_[o]) throw Error(ErrorKind::runtime, fmt::format("output {} is null; give every output a value", o));
      if (const auto fault = fault_of(*outputs_[o]))
        throw Error(ErrorKind::runtime, fmt::format("output {} {}", o, *fault));
    }
  }

  void refuse(std::string_view why) {
    outputs_.clear();
    error_ = fmt::format("stage '{}', batch {}: {}", printable(settings_.name), batch_, why);
  }

  const StageFunction& function_;          ///< the session's
  const StageFunctionSettings& settings_;  ///< the session's
  std::int64_t batch_ = 0;
  std::vector<SharedTensor> inputs_, outputs_;
  std::optional<Nanoseconds> cpu_time_;
  std::optional<std::string> error_;
  Nanoseconds completed_{};
  Worker worker_;  // last: its thread ends before what it uses
};

/// Of which only requests run anything.
class FunctionSession final : public Session {
 public:
  FunctionSession(StageFunction function, StageFunctionSettings settings)
      : function_(std::move(function)), settings_(std::move(settings)) {}

  const std::vector<Port>& inputs() const override { return ports_; }
  const std::vector<Port>& outputs() const override { return ports_; }
  std::string device() const override { return settings_.device; }
  void set_inputs(const std::vector<HostTensor>&) override {}
  Nanoseconds run() override { return {}; }
  std::optional<std::vector<OpSample>> last_ops() override { return std::nullopt; }
  std::vector<HostTensor> outputs_of_last_run() override { return {}; }
  std::unique_ptr<Request> make_request() override { return std::make_unique<FunctionRequest>(function_, settings_); }

 private:
  StageFunction function_;
  StageFunctionSettings settings_;
  std::vector<Port> ports_;
};

}  // namespace

std::unique_ptr<Session> function_session(StageFunction function, const StageFunctionSettings& settings) {
  if (!function)
    throw Error(ErrorKind::bad_input,
                fmt::format("stage '{}': its function is empty; give one", printable(settings.name)));
  return std::make_unique<FunctionSession>(std::move(function), settings);
}

}  // namespace takt
