#include "predict/gpu/timed_source.h"

#include <fmt/format.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

namespace takt {

/// Shared with the thread, which may outlive the object. Only the thread touches `source` and writes the results.
struct TimedSource::Work {
  using Job = std::function<void(Work& work)>;

  /// The thread: one job after the other until it is ended.
  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return job || is_ended; });
      if (!job) break;
      const Job now = std::exchange(job, nullptr);
      lock.unlock();
      std::exception_ptr failed;
      try {
        now(*this);
      } catch (...) {
        failed = std::current_exception();
      }
      lock.lock();
      failure = failed;
      is_busy = false;
      changed.notify_all();
    }
    lock.unlock();
    source.reset();
  }

  std::mutex mutex;
  std::condition_variable changed;
  Job job;
  bool is_busy = false, is_ended = false;
  std::exception_ptr failure;
  std::unique_ptr<LoadSource> source;
  SourceReadings told;
};

TimedSource::TimedSource(std::string name, Make make, Nanoseconds limit)
    : name_(std::move(name)), limit_(limit), work_(std::make_shared<Work>()) {
  thread_ = std::thread([work = work_] { work->serve(); });
  call([make = std::move(make)](Work& work) { work.source = make(); });
  std::exception_ptr failure;
  {
    const std::lock_guard lock(work_->mutex);
    failure = std::exchange(work_->failure, nullptr);
    if (failure) work_->is_ended = true;
    work_->changed.notify_all();
  }
  if (!failure) return;
  thread_.join();
  std::rethrow_exception(failure);
}

TimedSource::~TimedSource() {
  bool hangs = false;
  {
    const std::lock_guard lock(work_->mutex);
    work_->is_ended = true;
    hangs = work_->is_busy;
    work_->changed.notify_all();
  }
  if (hangs)
    thread_.detach();
  else
    thread_.join();
}

bool TimedSource::call(std::function<void(Work& work)> job) {
  std::unique_lock lock(work_->mutex);
  if (work_->is_busy) return false;
  work_->job = std::move(job);
  work_->is_busy = true;
  work_->changed.notify_all();
  return work_->changed.wait_for(lock, limit_, [this] { return !work_->is_busy; });
}

void TimedSource::begin() {
  call([](Work& work) {
    if (work.source) work.source->begin();
  });
}

SourceReadings TimedSource::read() {
  const bool is_done = call([](Work& work) { work.told = work.source ? work.source->read() : SourceReadings{}; });
  if (!is_done) return {{}, {{name_, fmt::format("did not answer within {}", format_duration(limit_))}}};
  const std::lock_guard lock(work_->mutex);
  if (work_->failure) std::rethrow_exception(std::exchange(work_->failure, nullptr));
  if (!work_->source) return {{}, {{name_, "did not respond when it was opened"}}};
  return std::move(work_->told);
}

}  // namespace takt
