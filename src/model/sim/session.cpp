#include "model/sim/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "base/basics/error.h"
#include "model/runtime/generated_values.h"
#include "model/runtime/ports.h"
#include "model/runtime/sdk_errors.h"
#include "model/runtime/tensor_checks.h"
#include "model/runtime/worker.h"
#include "model/sim/plan.h"
#include "model/sim/simulated.h"

namespace takt {
namespace {

// The scheduler wakes a sleeper late by up to this; the rest is spun, so that a deadline is met to the microsecond.
constexpr Nanoseconds spin{60'000};

void wait_until(Nanoseconds deadline) {
  const auto left = deadline - steady_now();
  if (left > spin) std::this_thread::sleep_for(left - spin);
  while (steady_now() < deadline) {
  }
}

/// The hardware: one inference at a time, whoever asks.
struct Device {
  DeviceDescription description;
  std::mutex mutex;
  Nanoseconds virtual_now{0};

  struct Inference {
    std::vector<Nanoseconds> ends;  ///< of the operators, from the start of the call
    Nanoseconds wall{}, completed{};
  };

  /// `durations` already carry their noise: drawing it is no part of the measured call.
  Inference execute(const std::vector<Nanoseconds>& durations) {
    Inference inference;
    inference.ends.reserve(durations.size());
    const auto start = steady_now();
    const std::lock_guard lock(mutex);
    if (description.virtual_clock) return pretend(durations);
    Nanoseconds deadline = steady_now();
    for (const auto duration : durations) {
      wait_until(deadline += duration);
      inference.ends.push_back(steady_now() - start);
    }
    wait_until(deadline + description.overhead);
    inference.completed = steady_now();
    inference.wall = inference.completed - start;
    return inference;
  }

  Inference pretend(const std::vector<Nanoseconds>& durations) {
    Inference inference;
    Nanoseconds at{0};
    for (const auto duration : durations) inference.ends.push_back(at += duration);
    inference.wall = at + description.overhead;
    inference.completed = virtual_now += inference.wall;
    return inference;
  }
};

/// Names of devices that this process has lost: as of real ones, nothing brings them back to it.
class LostDevices {
 public:
  static void add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_.insert(name);
  }
  static bool has(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return names_.contains(name);
  }

 private:
  inline static std::mutex mutex_;
  inline static std::set<std::string> names_;
};

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Of an inference with so many bytes of inputs, before it begins.
void fail_as_described(const DeviceDescription& device, std::int64_t input_bytes, const std::string& where) {
  const bool fails = device.fault && input_bytes >= device.fault->from_bytes;
  if (fails && device.fault->kind == DeviceFault::Kind::crash) {
    const ForeignCall noted(where, running_it);
    std::abort();
  }
  if (fails && device.fault->kind == DeviceFault::Kind::hang) hang();
  if (fails && device.fault->kind == DeviceFault::Kind::memory)
    throw Error(ErrorKind::runtime,
                fmt::format("{}: sim:{} is out of memory, as its description says", where, device.name));
  if (fails) LostDevices::add(device.name);
  if (LostDevices::has(device.name))
    throw Error(ErrorKind::runtime,
                fmt::format("{}: sim:{}: device lost, as its description says", where, device.name));
}

std::vector<Nanoseconds> noisy(const std::vector<OpSample>& plan, NoiseSource& noise) {
  std::vector<Nanoseconds> durations;
  durations.reserve(plan.size());
  for (const auto& op : plan) durations.push_back(noise.apply(op.duration));
  return durations;
}

/// Nullopt where the shape is open, absurd, or of a type without a dense form.
std::optional<HostTensor> seeded_tensor(const Tensor& tensor, std::uint64_t seed) {
  constexpr std::size_t most_bytes = std::size_t{1} << 31;
  const auto shape = tensor.shape ? concrete(*tensor.shape) : std::nullopt;
  const auto count = shape ? element_count(*shape) : std::nullopt;
  if (!count) return std::nullopt;
  const Port port{tensor.name, tensor.type, *tensor.shape};
  if (tensor.type == ElementType::string)
    return *count < std::int64_t{1} << 28 ? std::optional(generate_values(port, *shape, seed)) : std::nullopt;
  const auto size = byte_size(tensor.type, *shape);
  if (!size || *size > most_bytes) return std::nullopt;
  if (can_generate(tensor.type)) return generate_values(port, *shape, seed);
  return HostTensor{tensor.name, tensor.type, *shape, std::vector<std::byte>(*size), {}};  // zero is a value of each
}

/// Values for tensors that are not computed.
std::vector<HostTensor> seeded_tensors(const std::vector<Tensor>& tensors, std::uint64_t seed,
                                       const std::string& where) {
  std::vector<HostTensor> values;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& result = tensors[i];
    auto tensor = seeded_tensor(result, seed + i);
    if (!tensor)
      throw Error(
          ErrorKind::unsupported,
          fmt::format("{}: the shape of output '{}' is unknown{}; give the inputs' shapes or set 'compute: true'",
                      where, result.name, result.shape ? ", " + to_string(*result.shape) : ""));
    values.push_back(std::move(*tensor));
  }
  return values;
}

class SimRequest : public Request {
 public:
  SimRequest(std::shared_ptr<Device> device, std::vector<OpSample> plan, std::vector<Port> inputs,
             std::vector<Tensor> results, std::int64_t input_bytes, std::uint64_t seed, std::string where)
      : device_(std::move(device)),
        plan_(std::move(plan)),
        inputs_(std::move(inputs)),
        results_(std::move(results)),
        input_bytes_(input_bytes),
        noise_(device_->description.noise, seed),
        seed_(seed),
        where_(std::move(where)) {}

  std::int64_t set_input(std::size_t port, SharedTensor value) override {
    check_input(inputs_, port, *value, where_);
    return 0;
  }

  std::vector<HostTensor> outputs() override { return seeded_tensors(results_, seed_, where_); }

  TakenOutputs take_outputs() override {
    TakenOutputs taken = Request::take_outputs();
    taken.copied_bytes = 0;  // they were made for whoever takes them
    return taken;
  }

  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)> done) override {
    fail_as_described(device_->description, input_bytes_, where_);
    // Results pass from body to after in a shared value: after may already start the next inference.
    const auto completed = std::make_shared<Nanoseconds>();
    const auto body = [device = device_, durations = noisy(plan_, noise_), completed] {
      *completed = device->execute(durations).completed;
    };
    if (!worker_.start(body, [completed, done = std::move(done)] { done(*completed, std::nullopt); }))
      throw Error(ErrorKind::runtime, where_ + ": the request is still running; wait for it first");
  }

  void wait() override { worker_.wait(); }

 private:
  std::shared_ptr<Device> device_;
  std::vector<OpSample> plan_;
  std::vector<Port> inputs_;
  std::vector<Tensor> results_;
  std::int64_t input_bytes_;
  NoiseSource noise_;
  std::uint64_t seed_;
  std::string where_;
  Worker worker_;
};

class SimSession : public Session {
 public:
  SimSession(const std::filesystem::path& model, const Graph& graph, DeviceDescription device,
             const SessionSettings& settings, std::unique_ptr<Runtime> real_runtime, std::unique_ptr<Session> real)
      : where_(where(model, simulated_runtime)),
        graph_(with_input_shapes(graph, settings.input_shapes, where_)),
        device_(std::make_shared<Device>()),
        noise_(device.noise, settings.seed),
        seed_(settings.seed),
        profile_(settings.profile_ops),
        real_runtime_(std::move(real_runtime)),
        real_(std::move(real)) {
    device_->description = std::move(device);
    adopt(graph_);
  }

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  std::string device() const override { return simulated_device(device_->description.name); }

  void set_inputs(const std::vector<HostTensor>& inputs) override {
    check_inputs(inputs_, inputs, where_);
    std::map<std::string, Shape> shapes;
    input_bytes_ = 0;
    for (const auto& input : inputs) shapes[input.name] = input.shape, input_bytes_ += held_bytes(input);
    const Graph fixed = with_input_shapes(graph_, shapes, where_);
    plan_ = plan_ops(fixed, device_->description, where_);
    results_ = tensors_of(fixed);
    if (real_) real_->set_inputs(inputs);
  }

  Nanoseconds run() override {
    fail_as_described(device_->description, input_bytes_, where_);
    const auto durations = noisy(plan_, noise_);
    last_ = device_->execute(durations);
    return last_->wall;
  }

  std::optional<std::vector<OpSample>> last_ops() override {
    if (!profile_ || !last_) return std::nullopt;
    auto ops = plan_;
    Nanoseconds at{0};
    for (std::size_t i = 0; i < ops.size(); ++i) {
      ops[i].start = at;
      ops[i].duration = last_->ends[i] - at;
      at = last_->ends[i];
    }
    return ops;
  }

  std::vector<HostTensor> outputs_of_last_run() override {
    if (real_) {
      real_->run();
      return real_->outputs_of_last_run();
    }
    return seeded_tensors(results_, seed_, where_);
  }

  Nanoseconds copy_outputs() override {
    return device_->description.virtual_clock ? Nanoseconds(0) : Session::copy_outputs();
  }

  std::unique_ptr<Request> make_request() override {
    return std::make_unique<SimRequest>(device_, plan_, inputs_, results_, input_bytes_, seed_ + ++requests_, where_);
  }

  std::optional<Concurrency> concurrency() override { return Concurrency{1, 1, {}}; }

  bool keeps_real_time() const override { return !device_->description.virtual_clock; }

  std::vector<std::string> notes() override {
    std::vector<std::string> notes{
        fmt::format("{} is simulated: times follow its description, not hardware", device())};
    if (device_->description.virtual_clock) notes.push_back("virtual clock: no real time passed");
    if (!real_) notes.push_back("outputs are generated values of the right shape, not computed");
    return notes;
  }

 private:
  static std::vector<Tensor> tensors_of(const Graph& graph) {
    std::vector<Tensor> tensors;
    for (const auto id : graph.outputs) tensors.push_back(graph.tensor(id));
    return tensors;
  }

  void adopt(const Graph& graph) {
    inputs_ = ports_of(graph, graph.inputs);
    outputs_ = ports_of(graph, graph.outputs);
    results_ = tensors_of(graph);
    plan_ = plan_ops(graph, device_->description, where_);
  }

  std::string where_;
  Graph graph_;
  std::shared_ptr<Device> device_;
  NoiseSource noise_;
  std::uint64_t seed_, requests_ = 0;
  bool profile_;
  std::unique_ptr<Runtime> real_runtime_;  // declared before its session: destroyed after it
  std::unique_ptr<Session> real_;
  std::vector<Port> inputs_, outputs_;
  std::vector<Tensor> results_;  ///< the outputs with the shapes that the last inputs give them
  std::vector<OpSample> plan_;
  std::int64_t input_bytes_ = 0;
  std::optional<Device::Inference> last_;
};

}  // namespace

std::unique_ptr<Session> open_sim_session(const std::filesystem::path& model, const Graph& graph,
                                          DeviceDescription device, const SessionSettings& settings,
                                          std::unique_ptr<Runtime> real_runtime, std::unique_ptr<Session> real) {
  return std::make_unique<SimSession>(model, graph, std::move(device), settings, std::move(real_runtime),
                                      std::move(real));
}

}  // namespace takt
