#include "base/system/watched_work.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/basics/crash.h"

namespace takt {
namespace {

using std::chrono::milliseconds;

constexpr auto look_at_stop = milliseconds(20);
constexpr auto grace = milliseconds(500);

/// Ends work that was given up. Nobody but the thread that runs it sees this.
struct GivenUp {};

struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  std::string step;
  Nanoseconds since = steady_now();
  bool given_up = false, done = false;
  std::exception_ptr failure;
};

thread_local Progress* current_work = nullptr;
thread_local std::string step_prefix;
std::atomic<bool> has_abandoned{false};

/// The step that was begun last, whoever watches.
struct LastStep {
  std::mutex mutex;
  std::string step;
};

/// Never destroyed: threads that were abandoned may still begin one.
LastStep& last_step() {
  static auto& instance = *new LastStep;
  return instance;
}

void run(Progress& progress, const std::function<void()>& work) {
  const CrashStack stack;
  current_work = &progress;
  std::exception_ptr failure;
  try {
    work();
  } catch (const GivenUp&) {
  } catch (...) {
    failure = std::current_exception();
  }
  current_work = nullptr;
  const std::lock_guard lock(progress.mutex);
  progress.done = true;
  progress.failure = failure;
  progress.changed.notify_all();
}

}  // namespace

void begin_step(std::string_view step) {
  {
    const std::lock_guard lock(last_step().mutex);
    last_step().step = step_prefix + std::string(step);
  }
  if (current_work == nullptr) return;
  const std::lock_guard lock(current_work->mutex);
  if (current_work->given_up) throw GivenUp();
  current_work->step = step_prefix + std::string(step);
  current_work->since = steady_now();
}

std::string begun_step() {
  const std::lock_guard lock(last_step().mutex);
  return last_step().step;
}

StepPrefix::StepPrefix(std::string prefix) : before_(std::exchange(step_prefix, step_prefix + prefix)) {}
StepPrefix::~StepPrefix() { step_prefix = std::move(before_); }

WatchedEnd watch(std::function<void()> work, const WatchLimits& limits) {
  const auto progress = std::make_shared<Progress>();
  std::thread thread([progress, work = std::move(work)] { run(*progress, work); });
  WatchedEnd end;
  std::unique_lock lock(progress->mutex);
  while (!progress->done) {
    progress->changed.wait_for(lock, look_at_stop);
    if (progress->done) break;
    const bool stopped = limits.stop && *limits.stop;
    if (!stopped && steady_now() - progress->since <= limits.step) continue;
    end = {stopped ? WatchedEnd::Kind::stopped : WatchedEnd::Kind::late, progress->step, false};
    progress->given_up = true;
    progress->changed.wait_for(lock, grace, [&] { return progress->done; });
    break;
  }
  end.is_abandoned = !progress->done;
  const auto failure = end.kind == WatchedEnd::Kind::done ? progress->failure : nullptr;
  lock.unlock();
  if (end.is_abandoned) {
    note_abandoned_work();
    thread.detach();
    return end;
  }
  thread.join();
  if (failure) std::rethrow_exception(failure);
  return end;
}

void note_abandoned_work() { has_abandoned = true; }

bool has_abandoned_work() { return has_abandoned; }

}  // namespace takt
