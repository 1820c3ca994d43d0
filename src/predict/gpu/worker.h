// Short works on a GPU, timed by the GPU's own clock: what loads it (gpu_load.h), and what asks how fast it is now
// (src/predict/gpu/probe.h).
#pragma once

#include <memory>
#include <string>

#include "base/basics/units.h"

namespace takt {

/// Between prepare() and release() it is for one thread; all that throws says Error(runtime) in the driver's words.
class GpuWorker {
 public:
  /// `library`: the driver's; empty: where it is. Throws Error(unsupported): no driver, no such GPU.
  GpuWorker(const std::string& library, int device);
  ~GpuWorker();
  GpuWorker(const GpuWorker&) = delete;
  GpuWorker& operator=(const GpuWorker&) = delete;

  const std::string& device_name() const;
  /// Asks for the GPU's memory, compiles, and finds how many products take about a millisecond. On the thread that
  /// works.
  void prepare(bool multiplies, bool copies);
  /// How long the GPU took for products of about a millisecond.
  Nanoseconds multiply();
  /// How long the GPU took to copy copied_bytes() from the host and back.
  Nanoseconds copy();
  double flops() const;         ///< of one multiply()
  double copied_bytes() const;  ///< of one copy(), both ways together
  /// On the thread that worked. A lost GPU refuses it, and then nothing is left to give back.
  void release();

 private:
  struct Gpu;
  std::unique_ptr<Gpu> gpu_;
};

}  // namespace takt
