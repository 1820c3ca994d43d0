#include "model/runtime/worker.h"

#include <utility>

#include "base/basics/crash.h"

namespace takt {

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Worker::start(std::function<void()> body, std::function<void()> after) {
  {
    const std::lock_guard lock(mutex_);
    if (body_ || in_body_) return false;
    body_ = std::move(body);
    after_ = std::move(after);
  }
  changed_.notify_all();
  return true;
}

void Worker::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !body_ && !in_body_ && !in_after_; });
}

void Worker::loop() {
  const CrashStack stack;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return body_ || stop_; });
    if (!body_) return;
    const auto body = std::exchange(body_, nullptr);
    const auto after = std::exchange(after_, nullptr);
    in_body_ = true;
    lock.unlock();
    body();
    lock.lock();
    in_body_ = false;
    in_after_ = true;
    lock.unlock();
    after();
    lock.lock();
    in_after_ = false;
    changed_.notify_all();
  }
}

}  // namespace takt
