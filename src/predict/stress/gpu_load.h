// A load on a GPU of known kind and level, in slices of about a millisecond: matrix products, or copies between the
// host's memory and the GPU's. It keeps to its level in a closed loop: after every slice it waits as long as the time
// that the GPU took for it, by the GPU's own clock, is ahead of the level.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "base/basics/units.h"
#include "predict/gpu/worker.h"

namespace takt {

struct GpuLevels {
  double compute = 0, copies = 0;  ///< 0 to 1; together at most 1
};

struct GpuSettings {
  GpuLevels levels;
  int device = 0;
  std::string library{};  ///< the driver's; empty: where it is
};

/// Works from the constructor to the destructor. Thread-safe but for these.
class GpuLoad {
 public:
  /// Throws Error(unsupported): no driver, no such GPU; Error(runtime): it cannot be loaded, as without memory.
  explicit GpuLoad(const GpuSettings& settings);
  ~GpuLoad();
  GpuLoad(const GpuLoad&) = delete;
  GpuLoad& operator=(const GpuLoad&) = delete;

  /// For how long the GPU has worked since the beginning.
  struct Worked {
    Nanoseconds compute{}, copies{};
  };
  Worked worked() const;
  const std::string& device_name() const { return name_; }
  /// Why the load has ended before its time, as when the GPU is lost; empty: it works.
  std::string failure() const;

 private:
  void run(GpuLevels levels, std::promise<void>& prepared);
  void work(GpuLevels levels);

  std::unique_ptr<GpuWorker> gpu_;
  std::string name_;
  std::atomic<std::int64_t> compute_ns_{0}, copies_ns_{0};
  std::atomic<bool> stop_{false}, has_failed_{false};
  std::string failure_;  ///< written before has_failed_
  std::thread thread_;
};

}  // namespace takt
