// A canary on a GPU: takt's own products and copies of about a millisecond, done again and again, tell what a program
// would get of it now. What other programs on the same GPU take shows in the rates, since the GPU gives each of them a
// slice in turn and its clock runs on meanwhile; what they make a program wait for shows beside them.
#pragma once

#include <memory>
#include <string>

#include "predict/gpu/worker.h"
#include "predict/load/source.h"

namespace takt {

struct GpuProbeSettings {
  Nanoseconds time{50'000'000};  ///< how long one reading works; more sees rarer disturbances, and disturbs more
  int device = 0;
  std::string library{};  ///< the CUDA driver's; empty: where it is
};

/// Works while it is read, and only then: begin() does nothing. Holds some 20 MB of the GPU's memory, and what the
/// driver needs for a program. All calls come from the thread that made it (timed_source.h).
class GpuProbe : public LoadSource {
 public:
  /// Throws Error(unsupported): no driver, no such GPU; Error(runtime): it cannot work, as without memory.
  explicit GpuProbe(GpuProbeSettings settings);
  ~GpuProbe() override;
  std::string_view name() const override { return "gpu_probe"; }
  void begin() override {}
  SourceReadings read() override;
  bool disturbs() const override { return true; }

 private:
  GpuProbeSettings settings_;
  std::unique_ptr<GpuWorker> gpu_;
};

}  // namespace takt
