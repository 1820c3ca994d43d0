// The thread behind an asynchronous request, for runtimes that have none of their own.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace takt {

/// Runs one job at a time on a thread of its own. start() may be called from within `after` (a chain of requests).
/// Thread-safe. The destructor finishes the job in flight.
class Worker {
 public:
  Worker() : thread_([this] { loop(); }) {}
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// `body`, then, when a new job may already be started, `after`. False: the last body is still waiting or running.
  bool start(std::function<void()> body, std::function<void()> after);
  void wait();  ///< until nothing runs, callbacks included; not from within `after`

 private:
  void loop();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> body_, after_;  ///< the next job; empty: none
  bool in_body_ = false, in_after_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace takt
