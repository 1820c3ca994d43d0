// Ctrl-C as a flag that a long measurement looks at between two runs.
#pragma once

#include <atomic>

namespace takt {

/// While it lives, the first Ctrl-C (or SIGTERM) sets the flag; the second one ends the process as usual. One at a
/// time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  const std::atomic<bool>& requested() const;
};

}  // namespace takt
