#include "training/trainer/thread_logs.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace takt {
namespace {

struct Logs {
  std::mutex lock;
  std::vector<std::unique_ptr<ThreadLog>> threads;
};

Logs& logs() {
  static Logs* const all = new Logs;
  return *all;
}

}  // namespace

ThreadLog& ThreadLog::own() {
  thread_local ThreadLog* own = nullptr;
  if (own == nullptr) {
    Logs& all = logs();
    const std::lock_guard hold(all.lock);
    own = all.threads.emplace_back(std::make_unique<ThreadLog>()).get();
    own->log_.number = static_cast<std::uint32_t>(::syscall(SYS_gettid));
    own->log_.name = fmt::format("thread {}", all.threads.size());
  }
  return *own;
}

void ThreadLog::end_span() {
  const std::int64_t end = steady_now().count();
  const std::lock_guard hold(lock_);
  if (open_.empty()) return;
  const std::int32_t span = open_.back();
  open_.pop_back();
  if (span >= 0) log_.spans[static_cast<std::size_t>(span)].end_ns = end;
}

void ThreadLog::note(LoggedMemory memory) {
  const std::lock_guard hold(lock_);
  memory.time_ns = steady_now().count();
  log_.memory.push_back(memory);
}

void ThreadLog::rename(const std::string& name) {
  const std::lock_guard hold(lock_);
  log_.name = name;
}

std::uint32_t ThreadLog::number_of(const char* name) {
  const auto [found, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(log_.names.size()));
  if (is_new) log_.names.push_back(found->first);
  return found->second;
}

void ThreadLog::forget() {
  log_.spans.clear();
  log_.dims.clear();
  log_.memory.clear();
  for (std::int32_t& span : open_) span = -1;
}

void forget_logs() {
  Logs& all = logs();
  const std::lock_guard hold(all.lock);
  for (const auto& thread : all.threads) {
    const std::lock_guard own(thread->lock_);
    thread->forget();
  }
}

std::vector<LoggedThread> take_logs() {
  const ThreadLog* const first = &ThreadLog::own();
  std::vector<LoggedThread> taken;
  Logs& all = logs();
  const std::lock_guard hold(all.lock);
  for (const bool is_first : {true, false}) {
    for (const auto& thread : all.threads) {
      if ((thread.get() == first) != is_first) continue;
      const std::lock_guard own(thread->lock_);
      taken.push_back(thread->log_);
      thread->forget();
    }
  }
  return taken;
}

}  // namespace takt
