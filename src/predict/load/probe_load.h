// A canary: takt's own work of about a millisecond, done again and again, tells what a program would get now.
//
// It works on any machine and needs nobody's permission. What it does is told apart: what a processor computes and
// reads while the probe has it (a sibling thread, the clock, the memory of others show there), and how long the probe
// waits for a processor. It is one thread of its own, no library's, so that no pool of threads fights with it.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "predict/load/source.h"

namespace takt {

struct ProbeSettings {
  Nanoseconds time{200'000'000};     ///< how long one reading works; more sees rarer disturbances, and disturbs more
  std::vector<int> cores{};          ///< that it may run on; empty: those of this process
  std::filesystem::path root = "/";  ///< where /proc is: it tells how long the probe waited
};

/// Works while it is read, and only then: begin() does nothing.
class ProbeLoad : public LoadSource {
 public:
  /// Throws Error(runtime) where there is not enough memory, Error(unsupported) for cores that cannot be used. Takes
  /// some 100 ms.
  explicit ProbeLoad(ProbeSettings settings);
  ~ProbeLoad() override;
  std::string_view name() const override { return "probe"; }
  void begin() override {}
  SourceReadings read() override;
  bool disturbs() const override { return true; }

 private:
  struct Work;
  ProbeSettings settings_;
  std::unique_ptr<Work> work_;
};

}  // namespace takt
