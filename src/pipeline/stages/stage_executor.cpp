#include "pipeline/stages/stage_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "base/basics/error.h"
#include "base/basics/units.h"
#include "base/system/watched_work.h"
#include "measure/open/run_settings.h"
#include "model/runtime/tensor_checks.h"
#include "pipeline/spec/public_door.h"
#include "pipeline/stages/buffer_pool.h"
#include "pipeline/stages/function_session.h"
#include "pipeline/stages/opened_model.h"
#include "pipeline/stages/session_tuning.h"

namespace takt {

struct StageExecutor::State {
  /// An output whose memory is there before it is computed.
  struct FixedOutput {
    std::size_t port = 0;
    Shape shape;
    BufferPool buffers;
  };

  State(std::unique_ptr<Runtime> of_session, std::unique_ptr<Session> opened, const StageExecutorSettings& how,
        const OutputPlaces& places);
  ~State();

  void start_async(std::int64_t batch, const InputValues& inputs);
  void warm_up();
  void check_shape(std::int64_t batch, std::size_t port, const HostTensor& value) const;
  void bind_outputs(Request& request, std::int64_t batch);
  void completed(std::size_t request, StageResult result);
  void add_results(Request& request, StageResult& result) const;
  void wait_until_idle(std::unique_lock<std::mutex>& lock);

  StageExecutorSettings settings;
  OutputMemory output_memory;
  std::vector<Shape> input_shapes;  ///< of every batch, where the session would take others
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Session> session;
  std::vector<FixedOutput> fixed_outputs;
  Callback callback;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::size_t> idle;
  int calling_back = 0;
  std::optional<std::string> failure;
  bool has_moving_nodes = true;  ///< false: what is counted tells nothing of data that is brought into place
  std::vector<std::unique_ptr<Request>> requests;  ///< last: their threads end before what they use
};

namespace {

constexpr int most_requests = 1024, most_threads = 1024;  // a number beyond is a slip, and would take all memory

void check_number(std::string_view what, int number, int most) {
  if (number < 1 || number > most)
    refuse_input(fmt::format("a stage with {} {} is not possible; give 1 to {}", number, what, most));
}

void check_device(const std::string& device) {
  if (device.empty()) refuse_input("the device of a stage has no name; give one, such as CPU");
}

void check(const StageFunctionSettings& settings) {
  if (settings.name.empty()) refuse_input("a stage that is a function has no name; give it one");
  check_device(settings.device);
  check_number("requests", settings.requests, most_requests);
}

std::unique_ptr<StageExecutor::State> opened(const std::filesystem::path& model,
                                             const StageExecutorSettings& settings) {
  check_settings(settings);
  OpenedSession of_model = open_session(model, settings, {});
  auto state =
      std::make_unique<StageExecutor::State>(std::move(of_model.runtime), std::move(of_model.session), settings,
                                             OutputPlaces{of_model.output_shapes, {}, of_model.open_inputs});
  state->warm_up();
  return state;
}

std::unique_ptr<StageExecutor::State> over_function(StageFunction function, const StageFunctionSettings& how) {
  check(how);
  StageExecutorSettings settings;
  settings.device = how.device;
  settings.requests = how.requests;
  settings.counters = how.counters;
  settings.outputs = how.outputs;
  auto state = std::make_unique<StageExecutor::State>(nullptr, function_session(std::move(function), how), settings,
                                                      OutputPlaces{});
  state->has_moving_nodes = false;
  return state;
}

std::vector<InputSpec> specs_of(const std::vector<std::string>& inputs) try {
  std::vector<InputSpec> specs;
  for (const auto& text : inputs)
    for (auto& spec : parse_input_specs(text)) specs.push_back(std::move(spec));
  return specs;
} catch (const UsageError& error) {  // a program's settings are no command line
  refuse_input(error.what());
}

}  // namespace

void check_settings(const StageExecutorSettings& settings) {
  check_device(settings.device);
  check_number("requests", settings.requests, most_requests);
  if (settings.threads) check_number("threads", *settings.threads, most_threads);
  if (settings.precision && *settings.precision != ElementType::f32 && *settings.precision != ElementType::f16 &&
      *settings.precision != ElementType::bf16)
    refuse_input(
        fmt::format("a stage cannot compute in precision {}; use f32, f16 or bf16", type_name(*settings.precision)));
  check_tuning(settings.tuning);
}

RunSettings run_settings(const StageExecutorSettings& settings) {
  RunSettings run;
  run.runtime = settings.runtime;
  run.device = settings.device;
  run.threads = settings.threads;
  run.precision = settings.precision;
  run.open_shapes = settings.open_shapes || settings.sizes_vary;
  run.tuning = settings.tuning;
  run.inputs = specs_of(settings.inputs);
  run.seed = settings.seed;
  return run;
}

std::unique_ptr<StageExecutor> executor_over(std::unique_ptr<Runtime> runtime, std::unique_ptr<Session> session,
                                             const StageExecutorSettings& settings, const OutputPlaces& places) {
  auto state = std::make_unique<StageExecutor::State>(std::move(runtime), std::move(session), settings, places);
  state->warm_up();
  return std::make_unique<StageExecutor>(std::move(state));
}

StageExecutor::StageExecutor(const std::filesystem::path& model, const StageExecutorSettings& settings)
    : state_(at_the_door([&] { return opened(model, settings); })) {}
StageExecutor::StageExecutor(StageFunction function, const StageFunctionSettings& settings)
    : state_(at_the_door([&] { return over_function(std::move(function), settings); })) {}
StageExecutor::StageExecutor(std::unique_ptr<State> state) : state_(std::move(state)) {
  if (!state_) refuse_input("a stage has neither a model nor a function; open a model or give a function");
}
StageExecutor::~StageExecutor() = default;

const std::vector<Port>& StageExecutor::inputs() const { return state_->session->inputs(); }
const std::vector<Port>& StageExecutor::outputs() const { return state_->session->outputs(); }
std::string StageExecutor::device() const { return state_->session->device(); }
void StageExecutor::set_callback(Callback callback) { state_->callback = std::move(callback); }
void StageExecutor::start_async(std::int64_t batch, const InputValues& inputs) {
  at_the_door([&] { state_->start_async(batch, inputs); });
}

void StageExecutor::wait() {
  std::unique_lock lock(state_->mutex);
  state_->wait_until_idle(lock);
  if (const auto failure = std::exchange(state_->failure, std::nullopt)) throw Error(ErrorKind::runtime, *failure);
}

StageExecutor::State::State(std::unique_ptr<Runtime> of_session, std::unique_ptr<Session> opened,
                            const StageExecutorSettings& how, const OutputPlaces& places)
    : settings(how),
      output_memory(places.memory),
      input_shapes(places.input_shapes),
      runtime(std::move(of_session)),
      session(std::move(opened)) {
  const auto& shapes = places.shapes;
  for (std::size_t port = 0; port < std::min(shapes.size(), session->outputs().size()); ++port) {
    if (!shapes[port] || !settings.outputs) continue;
    const auto size = byte_size(session->outputs()[port].type, *shapes[port]);
    if (size.value_or(0) > 0) fixed_outputs.push_back({port, *shapes[port], BufferPool(*size)});
  }
  for (int r = 0; r < std::max(settings.requests, 1); ++r) {
    requests.push_back(session->make_request());
    idle.push_back(static_cast<std::size_t>(r));
  }
}

StageExecutor::State::~State() {
  std::unique_lock lock(mutex);
  wait_until_idle(lock);
}

void StageExecutor::State::wait_until_idle(std::unique_lock<std::mutex>& lock) {
  changed.wait(lock, [&] { return idle.size() == requests.size() && calling_back == 0; });
}

void StageExecutor::State::start_async(std::int64_t batch, const InputValues& inputs) {
  for (const auto& [port, value] : inputs) {
    if (!value)
      throw Error(ErrorKind::bad_input,
                  fmt::format("batch {}: the value of input {} is null; leave it out to keep the input's current value",
                              batch, port));
    check_shape(batch, port, *value);
  }
  std::size_t request = 0;
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !idle.empty(); });
    request = idle.back();
    idle.pop_back();
  }
  try {
    requests[request]->set_batch(batch);
    bind_outputs(*requests[request], batch);
    TensorCopy copied{steady_now(), {}, 0};
    for (const auto& [port, value] : inputs) copied.bytes += requests[request]->set_input(port, value);
    const auto submitted = copied.end = steady_now();
    if (copied.bytes == 0) copied = {};
    requests[request]->start_async(
        [this, request, batch, submitted, copied](Nanoseconds at, std::optional<std::string> error) {
          completed(request, {batch, submitted, at, std::move(error), {}, {}, copied, {}});
        });
  } catch (...) {
    const std::lock_guard lock(mutex);
    idle.push_back(request);
    changed.notify_all();
    throw;
  }
}

/// Outputs have memory of one size: a session that would take any must not write beyond it.
void StageExecutor::State::check_shape(std::int64_t batch, std::size_t port, const HostTensor& value) const {
  if (port < input_shapes.size() && value.shape != input_shapes[port])
    throw Error(ErrorKind::bad_input,
                fmt::format("batch {}: input {} is {}, but the first batch had {}; give batches of one size", batch,
                            port, to_string(value.shape), to_string(input_shapes[port])));
}

void StageExecutor::State::bind_outputs(Request& request, std::int64_t batch) {
  for (auto& output : fixed_outputs) {
    auto memory = output_memory ? output_memory(batch, output.port) : nullptr;
    request.set_output(output.port, output.shape, memory ? std::move(memory) : output.buffers.take());
  }
}

/// As the batches will: on the request's own thread and into its own memory, of which the next batch finds a second
/// piece where somebody still reads the first.
void StageExecutor::State::warm_up() {
  if (!runtime || runtime->traits().is_simulated) return;
  for (const auto& request : requests) {
    std::vector<TakenOutputs> held;
    for (int run = 0; run < 2; ++run) {
      begin_step("warming up");
      bind_outputs(*request, 0);
      request->start_async([](Nanoseconds, std::optional<std::string>) {});
      request->wait();
      if (settings.outputs) held.push_back(request->take_outputs());
    }
  }
}

void StageExecutor::State::add_results(Request& request, StageResult& result) const {
  if (settings.counters)
    if (const auto totals = request.last_totals())
      result.counters = {totals->all, has_moving_nodes ? std::optional(totals->moving) : std::nullopt, std::nullopt};
  if (settings.outputs) {
    const auto begin = steady_now();
    TakenOutputs taken = request.take_outputs();
    if (taken.copied_bytes > 0) result.outputs_copied = {begin, steady_now(), taken.copied_bytes};
    result.outputs = std::move(taken.values);
  }
  result.counters.bytes_moved = result.inputs_copied.bytes + result.outputs_copied.bytes;
}

// On the runtime's thread, which nothing may leave by an exception, neither ours nor the caller's.
void StageExecutor::State::completed(std::size_t request, StageResult result) {
  try {
    if (!result.error) add_results(*requests[request], result);
    if (!settings.keeps_inputs) requests[request]->restore_inputs();
  } catch (const std::exception& e) {
    result.error = e.what();
    result.outputs.clear();
  }
  {
    const std::lock_guard lock(mutex);
    if (result.error && !failure) failure = result.error;
    idle.push_back(request);
    ++calling_back;
    changed.notify_all();
  }
  const auto batch = result.batch;
  std::optional<std::string> thrown;
  try {
    if (callback) callback(std::move(result));
  } catch (const std::exception& e) {
    thrown = e.what();
  } catch (...) {
    thrown = fmt::format("batch {}: the callback threw something that is not a std::exception", batch);
  }
  const std::lock_guard lock(mutex);
  if (thrown && !failure) failure = thrown;
  --calling_back;
  changed.notify_all();
}

}  // namespace takt
