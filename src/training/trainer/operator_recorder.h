// Hears of every operator, on every thread, by libtorch's own callbacks: for builds of libtorch whose profiler can save
// no trace (without Kineto, as Debian's). Its profiler would also see the calling thread alone and count microseconds.
#pragma once

#include <memory>

#include "training/trainer/operator_log.h"

namespace takt {

/// One at a time in a process: libtorch's callbacks carry no context. Memory is heard of on the thread that constructs
/// this. All functions on that thread.
class OperatorRecorder {
 public:
  OperatorRecorder();
  ~OperatorRecorder();
  OperatorRecorder(const OperatorRecorder&) = delete;
  OperatorRecorder& operator=(const OperatorRecorder&) = delete;

  /// Forgets what was heard, so that what comes is all there is.
  void restart();
  /// Hears no more; what was heard, by thread, the constructing one first.
  std::vector<LoggedThread> stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace takt
