// Work that may hang in somebody else's code, where nothing can stop it: it runs on a thread of its own and says what
// it is about to do, step by step; the thread that waits for it sees when a step takes too long, or when the user has
// had enough, and can go on without it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/basics/units.h"

namespace takt {

/// What this thread does next: "compiling the model". Costs nothing to speak of where nobody listens. From watched work
/// that was given up it does not return: it throws to end the work.
void begin_step(std::string_view step);
/// The step that was begun last on any thread; empty: none yet. Thread-safe.
std::string begun_step();

/// While it lives, the steps of this thread are told with this before them: "stage 'infer', compiling the model".
class StepPrefix {
 public:
  explicit StepPrefix(std::string prefix);
  ~StepPrefix();
  StepPrefix(const StepPrefix&) = delete;
  StepPrefix& operator=(const StepPrefix&) = delete;

 private:
  std::string before_;
};

struct WatchLimits {
  Nanoseconds step{};                       ///< one step may not take longer
  const std::atomic<bool>* stop = nullptr;  ///< true: the user has had enough
};

struct WatchedEnd {
  enum class Kind { done, late, stopped };
  Kind kind = Kind::done;
  std::string step;           ///< unless it is done: what it was at; empty: it had not begun a step
  bool is_abandoned = false;  ///< its thread still runs, and what it uses lives on
};

/// Runs `work`, which owns all that it uses, and waits for it. Throws what it throws. Work that is late or stopped gets
/// half a second to come to its next step and end there; after that it is abandoned.
WatchedEnd watch(std::function<void()> work, const WatchLimits& limits);

/// Another's thread was left behind in the same way.
void note_abandoned_work();
/// Whether work was abandoned in this process. The process should end by end_suddenly() then: an
/// ordinary end destroys what that thread still uses.
bool has_abandoned_work();

}  // namespace takt
