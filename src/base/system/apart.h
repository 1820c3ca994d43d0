// Work that is done in a copy of this process, so that what kills or hangs it leaves this one whole: for short
// questions to somebody else's code, whose answer is text. A copy starts in a millisecond and has all that the question
// needs in its memory. (base/system/child_process.h starts another program, for work that takes long or must not begin
// with threads missing: of the threads of this process, the copy has only the one that asks.)
#pragma once

#include <functional>
#include <string>

#include "base/basics/units.h"

namespace takt {

struct DoneApart {
  enum class End {
    answered,
    refused,  ///< `work` threw
    crashed,  ///< or the copy could not be made
    late,
  };
  End end = End::answered;
  std::string answer;  ///< where it is answered
  std::string reason;  ///< else: what was thrown, "signal 11 (Segmentation fault)", "no answer within 30 s"
};

/// What `work` returns. The copy writes nothing to the terminal, dies with this process, and is gone when the function
/// returns: killed where it takes longer than `limit` or answers with more than 1 GiB. What `work` throws is the
/// reason. The answer is that of code that may have gone wrong: look at it as at a file of somebody else's.
/// Thread-safe.
DoneApart do_apart(const std::function<std::string()>& work, Nanoseconds limit);

}  // namespace takt
