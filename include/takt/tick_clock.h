// The clock that takt::Recorder stamps events with: two readings are nearly all that a scope costs.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#include <time.h>

namespace takt {

/// The processor's time stamp counter where it ticks evenly and never stops, else CLOCK_MONOTONIC. Only a Recorder can
/// turn its ticks into time.
class TickClock {
 public:
  static std::uint64_t now() {
#if defined(__x86_64__)
    if (uses_counter_) return __rdtsc();
#endif
    return monotonic_ns();
  }
  static bool uses_counter() { return uses_counter_; }
  static std::uint64_t monotonic_ns() {
    timespec time;
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
  }

 private:
  static const bool uses_counter_;
};

}  // namespace takt
