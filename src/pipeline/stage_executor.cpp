#include "pipeline/stage_executor.h"

#include <algorithm>

#include "core/error.h"
#include "profile/prepared_model.h"

namespace takt {

RunSettings run_settings(const StageExecutorSettings& settings) {
  RunSettings run;
  run.runtime = settings.runtime;
  run.device = settings.device;
  run.threads = settings.threads;
  run.tuning = settings.tuning;
  run.inputs = settings.inputs;
  run.seed = settings.seed;
  return run;
}

StageExecutor::StageExecutor(const std::filesystem::path& model, const StageExecutorSettings& settings)
    : settings_(settings) {
  PreparedModel prepared(model, run_settings(settings));
  session_ = prepared.open(settings.counters);
  session_->set_inputs(prepared.values(session_->inputs()));
  if (session_->keeps_real_time()) session_->run();
  runtime_ = prepared.release_runtime();
  make_requests(settings.requests);
}

StageExecutor::StageExecutor(std::unique_ptr<Runtime> runtime, std::unique_ptr<Session> session,
                             const StageExecutorSettings& settings)
    : settings_(settings), runtime_(std::move(runtime)), session_(std::move(session)) {
  make_requests(settings.requests);
}

StageExecutor::~StageExecutor() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return idle_.size() == requests_.size() && calling_back_ == 0; });
}

void StageExecutor::make_requests(int count) {
  for (int r = 0; r < std::max(count, 1); ++r) {
    requests_.push_back(session_->make_request());
    idle_.push_back(static_cast<std::size_t>(r));
  }
}

void StageExecutor::start_async(std::int64_t batch, const InputValues& inputs) {
  std::size_t request = 0;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !idle_.empty(); });
    request = idle_.back();
    idle_.pop_back();
  }
  try {
    for (const auto& [port, value] : inputs) requests_[request]->set_input(port, value);
    const auto submitted = steady_now();
    requests_[request]->start_async(
        [this, request, batch, submitted](Nanoseconds at, std::optional<std::string> error) {
          completed(request, batch, submitted, at, std::move(error));
        });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(request);
    changed_.notify_all();
    throw;
  }
}

void StageExecutor::completed(std::size_t request, std::int64_t batch, Nanoseconds submitted, Nanoseconds at,
                              std::optional<std::string> error) {
  StageResult result{batch, submitted, at, std::move(error), {}, {}};
  try {
    if (!result.error && settings_.counters)
      if (const auto totals = requests_[request]->last_totals())
        result.counters = {totals->all, totals->moving, std::nullopt};
    if (!result.error && settings_.outputs) {
      std::int64_t bytes = 0;
      for (auto& output : requests_[request]->outputs()) {
        bytes += static_cast<std::int64_t>(output.bytes.size());
        result.outputs.push_back(std::make_shared<HostTensor>(std::move(output)));
      }
      result.counters.bytes_moved = bytes;
    }
  } catch (const std::exception& e) {  // nothing may leave through the runtime's thread
    result.error = e.what();
    result.outputs.clear();
  }
  {
    const std::lock_guard lock(mutex_);
    if (result.error && !failure_) failure_ = result.error;
    idle_.push_back(request);
    ++calling_back_;
    changed_.notify_all();
  }
  if (callback_) callback_(std::move(result));
  const std::lock_guard lock(mutex_);
  --calling_back_;
  changed_.notify_all();
}

void StageExecutor::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return idle_.size() == requests_.size() && calling_back_ == 0; });
  if (const auto failure = std::exchange(failure_, std::nullopt)) throw Error(ErrorKind::runtime, *failure);
}

}  // namespace takt
