// Another process that does a part of the work, so that what kills or hangs it leaves this one whole.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// A running child that is told at its start what to do and answers in lines. It is asked to end, killed and reaped at
/// the latest by the destructor, or by end_suddenly(); a child that calls end_with_parent() does not outlive a parent
/// that is killed. Not thread-safe.
class ChildProcess {
 public:
  enum class Input {
    whole,  ///< nothing comes after what it is started with
    open,   ///< tell() says more; what it is started with is a few lines
  };
  /// Starts `command` (its first word is the program's path) with `input` on standard input. What it says on standard
  /// error is kept for last_words(). Throws Error(io) where it cannot be started.
  ChildProcess(const std::vector<std::string>& command, std::string_view input, Input kind = Input::whole);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Answer {
    line,     ///< a whole one, in `text`
    ended,    ///< it closed its output: no line comes any more
    late,     ///< nothing came within the limit
    stopped,  ///< the flag was set
  };
  /// Waits for the next line of its standard output, which is put in `text` without its line end.
  Answer next(std::string& text, Nanoseconds limit, const std::atomic<bool>* stop = nullptr);

  /// A line more for a child whose input is open. One that has ended is told nothing.
  void tell(std::string_view line);

  struct End {
    std::optional<int> code;    ///< exit code
    std::optional<int> signal;  ///< that killed it
  };
  /// Waits until it has ended; a child that still runs half a second after it closed its output is ended. The same in
  /// every call.
  End end();
  /// The last line that it wrote to standard error; empty without one.
  std::string last_words() const;

 private:
  void kill_and_reap();

  pid_t id_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;
  std::string pending_;  ///< read, and not given yet
  std::optional<End> end_;
};

/// "exit code 3", "signal 11 (Segmentation fault)"
std::string to_string(const ChildProcess::End& end);

/// Why a child ended that owes an answer: the sentence that it failed with, as takt does, else "WHAT ended with exit
/// code 3: its last words".
std::string reason_of_end(ChildProcess& child, std::string_view what);

/// From a child: it is killed when the process that started it, `parent`, dies.
void end_with_parent(pid_t parent);

/// The same for a program that others start: looks 50 times a second, on a thread of its own, whether the parent that
/// this process had at its start is still there, and ends this one when it is gone. (end_with_parent() would also end
/// it with the thread that started it.)
void watch_parent();

/// The path of the running program.
std::string path_of_this_program();

}  // namespace takt
