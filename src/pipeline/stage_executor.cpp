#include "pipeline/stage_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "core/error.h"
#include "core/units.h"
#include "pipeline/opened_model.h"
#include "profile/run_settings.h"

namespace takt {

struct StageExecutor::State {
  State(std::unique_ptr<Runtime> of_session, std::unique_ptr<Session> opened, const StageExecutorSettings& how);
  ~State();

  void start_async(std::int64_t batch, const InputValues& inputs);
  void completed(std::size_t request, StageResult result);
  void add_results(Request& request, StageResult& result) const;
  void wait_until_idle(std::unique_lock<std::mutex>& lock);

  StageExecutorSettings settings;
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Session> session;
  Callback callback;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::size_t> idle;
  int calling_back = 0;
  std::optional<std::string> failure;
  std::vector<std::unique_ptr<Request>> requests;  ///< last: their threads end before what they use
};

namespace {

std::unique_ptr<StageExecutor::State> opened(const std::filesystem::path& model,
                                             const StageExecutorSettings& settings) {
  OpenedSession of_model = open_session(model, settings, {});
  return std::make_unique<StageExecutor::State>(std::move(of_model.runtime), std::move(of_model.session), settings);
}

std::vector<InputSpec> specs_of(const std::vector<std::string>& inputs) try {
  std::vector<InputSpec> specs;
  for (const auto& text : inputs)
    for (auto& spec : parse_input_specs(text)) specs.push_back(std::move(spec));
  return specs;
} catch (const UsageError& error) {  // a program's settings are no command line
  throw Error(ErrorKind::bad_input, error.what());
}

}  // namespace

RunSettings run_settings(const StageExecutorSettings& settings) {
  RunSettings run;
  run.runtime = settings.runtime;
  run.device = settings.device;
  run.threads = settings.threads;
  run.tuning = settings.tuning;
  run.inputs = specs_of(settings.inputs);
  run.seed = settings.seed;
  return run;
}

std::unique_ptr<StageExecutor> executor_over(std::unique_ptr<Runtime> runtime, std::unique_ptr<Session> session,
                                             const StageExecutorSettings& settings) {
  return std::make_unique<StageExecutor>(
      std::make_unique<StageExecutor::State>(std::move(runtime), std::move(session), settings));
}

StageExecutor::StageExecutor(const std::filesystem::path& model, const StageExecutorSettings& settings)
    : state_(opened(model, settings)) {}
StageExecutor::StageExecutor(std::unique_ptr<State> state) : state_(std::move(state)) {}
StageExecutor::~StageExecutor() = default;

const std::vector<Port>& StageExecutor::inputs() const { return state_->session->inputs(); }
const std::vector<Port>& StageExecutor::outputs() const { return state_->session->outputs(); }
std::string StageExecutor::device() const { return state_->session->device(); }
void StageExecutor::set_callback(Callback callback) { state_->callback = std::move(callback); }
void StageExecutor::start_async(std::int64_t batch, const InputValues& inputs) { state_->start_async(batch, inputs); }

void StageExecutor::wait() {
  std::unique_lock lock(state_->mutex);
  state_->wait_until_idle(lock);
  if (const auto failure = std::exchange(state_->failure, std::nullopt)) throw Error(ErrorKind::runtime, *failure);
}

StageExecutor::State::State(std::unique_ptr<Runtime> of_session, std::unique_ptr<Session> opened,
                            const StageExecutorSettings& how)
    : settings(how), runtime(std::move(of_session)), session(std::move(opened)) {
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
  for (const auto& [port, value] : inputs)
    if (!value)
      throw Error(
          ErrorKind::bad_input,
          fmt::format("batch {}: the value of input {} is null; leave it out to keep what the input has", batch, port));
  std::size_t request = 0;
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !idle.empty(); });
    request = idle.back();
    idle.pop_back();
  }
  try {
    for (const auto& [port, value] : inputs) requests[request]->set_input(port, value);
    const auto submitted = steady_now();
    requests[request]->start_async([this, request, batch, submitted](Nanoseconds at, std::optional<std::string> error) {
      completed(request, {batch, submitted, at, std::move(error), {}, {}});
    });
  } catch (...) {
    const std::lock_guard lock(mutex);
    idle.push_back(request);
    changed.notify_all();
    throw;
  }
}

void StageExecutor::State::add_results(Request& request, StageResult& result) const {
  if (settings.counters)
    if (const auto totals = request.last_totals()) result.counters = {totals->all, totals->moving, std::nullopt};
  if (!settings.outputs) return;
  std::int64_t bytes = 0;
  for (auto& output : request.outputs()) {
    bytes += static_cast<std::int64_t>(output.bytes.size());
    result.outputs.push_back(std::make_shared<HostTensor>(std::move(output)));
  }
  result.counters.bytes_moved = bytes;
}

// On the runtime's thread, which nothing may leave by an exception, neither ours nor the caller's.
void StageExecutor::State::completed(std::size_t request, StageResult result) {
  try {
    if (!result.error) add_results(*requests[request], result);
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
    thrown = fmt::format("batch {}: the callback threw something that is no std::exception", batch);
  }
  const std::lock_guard lock(mutex);
  if (thrown && !failure) failure = thrown;
  --calling_back;
  changed.notify_all();
}

}  // namespace takt
