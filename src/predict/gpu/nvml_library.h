// NVIDIA's management library (NVML), loaded while the program runs: what of it takt asks, declared here, since the
// machine that builds takt needs no driver. Names and layouts as in nvml.h; the library promises to keep them.
#pragma once

#include <string>
#include <utility>

#include "base/system/shared_library.h"

namespace takt {

struct NvmlDeviceRecord;
struct NvmlSampleRecord;
using NvmlDevice = NvmlDeviceRecord*;
using NvmlSample = NvmlSampleRecord*;

struct NvmlUtilization {
  unsigned gpu = 0, memory = 0;  ///< percent
};
struct NvmlMemory {
  unsigned long long total = 0, free = 0, used = 0;  ///< bytes
};
struct NvmlGpmSupport {
  unsigned version = 1, is_supported = 0;
};
struct NvmlGpmMetric {
  unsigned id = 0;
  int status = 0;
  double value = 0;
  const char *short_name = nullptr, *long_name = nullptr, *unit = nullptr;
};
struct NvmlGpmRequest {
  unsigned version = 1, count = 0;
  NvmlSample first = nullptr, second = nullptr;
  NvmlGpmMetric metrics[512] = {};  ///< as many as any version of the library has, and more; `count` of them are used
};

enum NvmlStatus : int { nvml_success = 0, nvml_not_supported = 3, nvml_gpu_is_lost = 15 };
enum NvmlClock : int { nvml_clock_sm = 1, nvml_clock_memory = 2 };
enum NvmlPcie : int { nvml_pcie_sent = 0, nvml_pcie_received = 1 };

/// The library, started; ended with the object. Functions that older versions lack are nullptr.
class NvmlLibrary {
 public:
  /// `path` empty: where the driver puts it. Throws Error(unsupported): there is none, or it finds no driver.
  explicit NvmlLibrary(const std::string& path);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  std::string text_of(int status) const;

 private:
  SharedLibrary library_;
  int (*start_)() = nullptr;
  int (*stop_)() = nullptr;
  const char* (*error_text_)(int) = nullptr;

 public:
  int (*device_count)(unsigned*) = nullptr;
  int (*device_by_index)(unsigned, NvmlDevice*) = nullptr;
  int (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  int (*clock_mhz)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power_milliwatts)(NvmlDevice, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*pcie_kib_per_s)(NvmlDevice, int, unsigned*) = nullptr;
  int (*clock_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*gpm_support)(NvmlDevice, NvmlGpmSupport*) = nullptr;
  int (*gpm_allocate)(NvmlSample*) = nullptr;
  int (*gpm_free)(NvmlSample) = nullptr;
  int (*gpm_take)(NvmlDevice, NvmlSample) = nullptr;
  int (*gpm_metrics)(NvmlGpmRequest*) = nullptr;

  bool has_gpm() const { return gpm_support && gpm_allocate && gpm_free && gpm_take && gpm_metrics; }
};

}  // namespace takt
