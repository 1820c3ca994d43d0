// What each thread notes of the operators that it runs, until another thread takes it. Without libtorch, so that the
// locks can be watched by the thread sanitizer.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/basics/units.h"
#include "training/trainer/operator_log.h"

namespace takt {

/// One thread's log. Its lock is taken by its own thread alone but for forget_logs() and take_logs().
class ThreadLog {
 public:
  /// Returns the log of the calling thread. A log lives as long as the process: a thread of libtorch's pool, or an
  /// operator, may end after all listeners have stopped.
  static ThreadLog& own();

  /// `note_dims(std::vector<std::int64_t>&)` appends what LoggedSpan::dims counts. Start, name, parent and dims are set
  /// here.
  template <typename NoteDims>
  void begin_span(const char* name, LoggedSpan span, NoteDims note_dims) {
    const std::lock_guard hold(lock_);
    span.name = number_of(name);
    span.parent = open_.empty() ? -1 : open_.back();
    span.dims = static_cast<std::uint32_t>(log_.dims.size());
    note_dims(log_.dims);
    span.dim_count = static_cast<std::uint32_t>(log_.dims.size()) - span.dims;
    open_.push_back(static_cast<std::int32_t>(log_.spans.size()));
    span.start_ns = steady_now().count();
    log_.spans.push_back(span);
  }
  /// Ends the span that began last and is still open.
  void end_span();
  /// Appends a memory event; sets its time.
  void note(LoggedMemory memory);
  void rename(const std::string& name);

 private:
  friend void forget_logs();
  friend std::vector<LoggedThread> take_logs();

  std::uint32_t number_of(const char* name);
  void forget();

  std::mutex lock_;
  LoggedThread log_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::int32_t> open_;  ///< positions of spans; -1: begun while nobody recorded
};

/// Discards everything that all threads have logged so far. Thread-safe.
void forget_logs();
/// Returns what all threads have logged, the calling thread first, and discards it. Thread-safe.
std::vector<LoggedThread> take_logs();

}  // namespace takt
