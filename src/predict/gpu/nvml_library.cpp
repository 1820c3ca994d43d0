#include "predict/gpu/nvml_library.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {

NvmlLibrary::NvmlLibrary(const std::string& path)
    : library_(open_library(path, {"libnvidia-ml.so.1", "libnvidia-ml.so"},
                            "no NVIDIA driver is installed: its management library")) {
  library_.get(start_, {"nvmlInit_v2"});
  library_.get(stop_, {"nvmlShutdown"});
  library_.get(error_text_, {"nvmlErrorString"});
  library_.get(device_count, {"nvmlDeviceGetCount_v2"});
  library_.get(device_by_index, {"nvmlDeviceGetHandleByIndex_v2"});
  library_.get(utilization, {"nvmlDeviceGetUtilizationRates"});
  library_.get(clock_mhz, {"nvmlDeviceGetClockInfo"});
  library_.get(power_milliwatts, {"nvmlDeviceGetPowerUsage"});
  library_.get(temperature, {"nvmlDeviceGetTemperature"});
  library_.get(memory, {"nvmlDeviceGetMemoryInfo"});
  pcie_kib_per_s = library_.find<int(NvmlDevice, int, unsigned*)>({"nvmlDeviceGetPcieThroughput"});
  clock_reasons = library_.find<int(NvmlDevice, unsigned long long*)>(
      {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  gpm_support = library_.find<int(NvmlDevice, NvmlGpmSupport*)>({"nvmlGpmQueryDeviceSupport"});
  gpm_allocate = library_.find<int(NvmlSample*)>({"nvmlGpmSampleAlloc"});
  gpm_free = library_.find<int(NvmlSample)>({"nvmlGpmSampleFree"});
  gpm_take = library_.find<int(NvmlDevice, NvmlSample)>({"nvmlGpmSampleGet"});
  gpm_metrics = library_.find<int(NvmlGpmRequest*)>({"nvmlGpmMetricsGet"});
  if (const int status = start_(); status != nvml_success)
    throw Error(ErrorKind::unsupported, fmt::format("the NVIDIA driver does not start: {}", text_of(status)));
}

NvmlLibrary::~NvmlLibrary() { stop_(); }

std::string NvmlLibrary::text_of(int status) const {
  if (status == nvml_gpu_is_lost) return "the GPU was lost: it fell off the bus or was reset";
  const char* const said = error_text_(status);
  return said ? printable(said) : fmt::format("error {}", status);
}

}  // namespace takt
