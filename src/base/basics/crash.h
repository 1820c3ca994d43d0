// What is told when somebody else's code crashes inside of this program: one sentence that says where, and an end with
// exit code 1, instead of a signal and silence.
//
// Whoever calls an SDK notes it (model/runtime/sdk_errors.h does so for every call). The note costs some ten
// nanoseconds and lies in static memory, where the handler of the signal reads it: on the crashed thread its own; on a
// thread of an SDK, which has none, the one that was made last. TAKT_CORE_DUMP=1 in the environment ends the program
// with the signal after the sentence, so that the system writes its core dump.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace takt {

/// While it lives, this thread is inside of a call to somebody else's code. Of more than 64 at once, some are not
/// noted.
class ForeignCall {
 public:
  enum class Thread {
    this_one,  ///< and it is destroyed there, the last one first
    any,       ///< work that others do for it after the call
  };
  /// `where` begins the sentence: "model.onnx: onnxruntime"; `step`, where it is not empty, ends it: "running it".
  explicit ForeignCall(std::string_view where, std::string_view step = {}, Thread thread = Thread::this_one) noexcept;
  ~ForeignCall();
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

 private:
  int place_ = -1, before_ = -1;
  Thread thread_;
};

/// From here on a crash (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, an exception that nobody catches) is told on
/// standard error, files that must not stay are removed (base/basics/leftovers.h), and the program ends with exit
/// code 1. For programs: the library leaves signals alone. Does nothing in builds with a sanitizer, which has a report
/// of its own.
void tell_crashes();

/// Somebody has told already why the program is about to abort.
void crash_is_told() noexcept;

/// While it lives, a crash of this thread is told even where its stack is full. The main thread has one by
/// tell_crashes(). Not to be destroyed on another thread.
class CrashStack {
 public:
  CrashStack();
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace takt
