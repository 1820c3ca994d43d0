// What an NVIDIA GPU did for this process, by its own clock: kernels, copies and fills, each with the moment in which
// the host asked for it, as CUPTI tells.
//
// CUPTI has one listener in a process, and listening makes every call of CUDA slower: it listens between start() and
// stop() only, so that inferences whose time is measured without operators are not touched.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/units.h"

namespace takt {

struct GpuActivity {
  enum class Kind { kernel, copy_to_gpu, copy_to_host, copy_on_gpu, fill };
  Kind kind = Kind::kernel;
  Nanoseconds start{}, end{};             ///< since the epoch of the system's clock (CLOCK_REALTIME)
  std::optional<Nanoseconds> launched{};  ///< when the host's call began, by the same clock; nullopt: not told
};

/// For one thread at a time.
class GpuActivityRecorder {
 public:
  /// The one of this process, made at the first call; TAKT_CUPTI_LIBRARY names another library than the system's.
  /// Throws Error(unsupported): CUPTI is not there, or refuses.
  static GpuActivityRecorder& of_process();
  /// As stop(), where there is one.
  static void stop_any();

  /// Does nothing where it listens already. Throws Error(unsupported).
  void start();
  void stop();
  /// What has ended since the last call, in the order in which it began on the GPU. The GPU must have nothing to do.
  std::vector<GpuActivity> take();

  ~GpuActivityRecorder();
  GpuActivityRecorder(const GpuActivityRecorder&) = delete;
  GpuActivityRecorder& operator=(const GpuActivityRecorder&) = delete;

 private:
  explicit GpuActivityRecorder(const std::string& library);
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace takt
