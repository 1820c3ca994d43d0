// Ctrl-C, SIGTERM and SIGHUP end every command, in one way. A command that measures holds an Interrupt and looks at its
// flag between two runs, so that what was measured until then is kept; one that only computes is ended at once. What
// hangs in somebody else's code is left behind: temporary files go, children are killed, and the process ends.
#pragma once

#include <atomic>
#include <functional>
#include <list>

namespace takt {

/// From now on the process ends by signals as above. Called once, by main(). SIGHUP stays ignored where it was (nohup).
/// Without threads to be had the first signal only sets the flag, and the second one ends the process.
void end_by_signals();

/// What main() returns: 128 + the number of the first signal that came, or `own` where there was none or the command
/// was meant to end by one. Nothing is said any more, and a process that a signal ended is gone a second later, even
/// where the clean-up of an SDK hangs.
int exit_code(int own);

/// While it lives, the first signal sets the flag, and the command has a second to come to the end of its work. After
/// that, and at the second signal, the process ends as it is. One at a time.
class Interrupt {
 public:
  enum class Means {
    stopped,  ///< the work was not done: see exit_code()
    done,     ///< the command ends in no other way
  };
  explicit Interrupt(Means means = Means::stopped);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& requested() const;
  /// What was measured is put together and written from here on, however long that takes: only a second signal ends it.
  void work_is_over() const;
};

/// While it lives, `cancel` is called, on a thread of its own, when a signal came half a second ago and the process
/// still works: it makes an execution come back that would not end by itself.
class CancelledByInterrupt {
 public:
  explicit CancelledByInterrupt(std::function<void()> cancel);
  ~CancelledByInterrupt();
  CancelledByInterrupt(const CancelledByInterrupt&) = delete;
  CancelledByInterrupt& operator=(const CancelledByInterrupt&) = delete;

 private:
  std::list<std::function<void()>>::iterator place_;
};

}  // namespace takt
