// The end of a process whose threads do not come back: what must not outlive it is cleared away first.
#pragma once

#include <functional>

namespace takt {

/// Ends what was started (at_sudden_end()), removes what must not stay (base/basics/leftovers.h), in this order since a
/// child may still be making files, and ends the process with this exit code. Nothing is destroyed and no stream is
/// written out, for other threads may still use all of it. Of several callers the first one ends it.
[[noreturn]] void end_suddenly(int code);

/// `clear` is called once by end_suddenly().
void at_sudden_end(std::function<void()> clear);

}  // namespace takt
