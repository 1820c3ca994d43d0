// NVIDIA's management library as takt sees it, for machines without a GPU. What it does is set by the environment when
// it is started: FAKE_NVML_GPUS, FAKE_NVML_GPM (1: there are counters), FAKE_NVML_LOST_AFTER (calls, after which the
// GPU is lost), FAKE_NVML_REASONS (why the clock is down, as a number), FAKE_NVML_INIT (the status of starting),
// FAKE_NVML_HANG (milliseconds that asking for shares takes), FAKE_NVML_FAILS (a call that does), FAKE_NVML_BROKEN
// (1: a GPU that is busy for all ones, and uses more memory than it has).
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <thread>

#include "predict/gpu/nvml_library.h"

namespace {

int number_of(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

int gpus = 1, calls_left = -1, started = 0;
bool has_gpm = false;
std::set<void*> samples;

/// Of the second GPU 1 and so on: what figures are more by, so that one is not taken for another.
unsigned place_of(takt::NvmlDevice device) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device)) - 1;
}

/// What a call of one GPU gives: lost ones stay lost.
int device_status(takt::NvmlDevice device) {
  if (started == 0 || !device) return 1;
  if (calls_left == 0) return takt::nvml_gpu_is_lost;
  if (calls_left > 0) --calls_left;
  return takt::nvml_success;
}

template <typename Value, typename Given>
int give(takt::NvmlDevice device, Value* target, Given value) {
  const int status = device_status(device);
  if (status == takt::nvml_success) *target = static_cast<Value>(value);
  return status;
}

int failure_of(std::string_view call) {
  const char* const fails = std::getenv("FAKE_NVML_FAILS");
  return fails && call == fails ? takt::nvml_not_supported : takt::nvml_success;
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE int nvmlInit_v2() {
  gpus = number_of("FAKE_NVML_GPUS", 1);
  has_gpm = number_of("FAKE_NVML_GPM", 0) != 0;
  calls_left = number_of("FAKE_NVML_LOST_AFTER", -1);
  const int status = number_of("FAKE_NVML_INIT", 0);
  started += status == 0;
  return status;
}
FAKE int nvmlShutdown() { return started-- > 0 ? 0 : 1; }
FAKE const char* nvmlErrorString(int status) { return status == 9 ? "Driver Not Loaded" : "Not Supported"; }
FAKE int nvmlDeviceGetCount_v2(unsigned* count) {
  if (const int status = failure_of(__func__)) return status;
  return *count = static_cast<unsigned>(gpus), 0;
}
FAKE int nvmlDeviceGetHandleByIndex_v2(unsigned index, takt::NvmlDevice* device) {
  if (const int status = failure_of(__func__)) return status;
  if (index >= static_cast<unsigned>(gpus)) return 2;
  *device = reinterpret_cast<takt::NvmlDevice>(static_cast<std::uintptr_t>(index) + 1);
  return 0;
}
FAKE int nvmlDeviceGetUtilizationRates(takt::NvmlDevice device, takt::NvmlUtilization* used) {
  std::this_thread::sleep_for(std::chrono::milliseconds(number_of("FAKE_NVML_HANG", 0)));
  if (number_of("FAKE_NVML_BROKEN", 0) != 0) return give(device, used, takt::NvmlUtilization{4294967295u, 25});
  return give(device, used, takt::NvmlUtilization{75 + place_of(device), 25 + place_of(device)});
}
FAKE int nvmlDeviceGetClockInfo(takt::NvmlDevice device, int clock, unsigned* mhz) {
  return give(device, mhz, (clock == 1 ? 1980 : 2619) + place_of(device));
}
FAKE int nvmlDeviceGetPowerUsage(takt::NvmlDevice device, unsigned* milliwatts) {
  return give(device, milliwatts, 350500 + 1000 * place_of(device));
}
FAKE int nvmlDeviceGetTemperature(takt::NvmlDevice device, int sensor, unsigned* degrees) {
  return sensor == 0 ? give(device, degrees, 61 + place_of(device)) : 2;
}
FAKE int nvmlDeviceGetMemoryInfo(takt::NvmlDevice device, takt::NvmlMemory* memory) {
  if (number_of("FAKE_NVML_BROKEN", 0) != 0) return give(device, memory, takt::NvmlMemory{1000, 600, 1001});
  return give(device, memory, takt::NvmlMemory{1000, 600 - place_of(device), 400 + place_of(device)});
}
FAKE int nvmlDeviceGetPcieThroughput(takt::NvmlDevice device, int which, unsigned* kib) {
  return give(device, kib, (which == 0 ? 10 : 20) + place_of(device));
}
FAKE int nvmlDeviceGetCurrentClocksThrottleReasons(takt::NvmlDevice device, unsigned long long* reasons) {
  return give(device, reasons, number_of("FAKE_NVML_REASONS", 0x20 | 0x01));  // heat, and an idle moment
}
FAKE int nvmlGpmQueryDeviceSupport(takt::NvmlDevice device, takt::NvmlGpmSupport* support) {
  if (support->version != 1) return 25;
  support->is_supported = has_gpm;
  return device ? 0 : 2;
}
FAKE int nvmlGpmSampleAlloc(takt::NvmlSample* sample) {
  int* const made = new int(0);
  samples.insert(made);
  *sample = reinterpret_cast<takt::NvmlSample>(made);
  return 0;
}
FAKE int nvmlGpmSampleFree(takt::NvmlSample sample) {
  if (samples.erase(sample) == 0) return 2;
  delete reinterpret_cast<int*>(sample);
  return 0;
}
FAKE int nvmlGpmSampleGet(takt::NvmlDevice device, takt::NvmlSample sample) {
  static int taken = 0;
  return give(device, reinterpret_cast<int*>(sample), ++taken);
}
/// A metric's value is its number, but for the float64 units, which this GPU does not have.
FAKE int nvmlGpmMetricsGet(takt::NvmlGpmRequest* request) {
  const int first = *reinterpret_cast<int*>(request->first), second = *reinterpret_cast<int*>(request->second);
  if (request->version != 1 || first == 0 || second <= first) return 2;
  for (unsigned i = 0; i < request->count; ++i) {
    request->metrics[i].status = request->metrics[i].id == 11 ? takt::nvml_not_supported : 0;
    request->metrics[i].value = request->metrics[i].id;
  }
  return 0;
}
/// For tests: GPM samples that were not given back.
FAKE int fake_nvml_open_samples() { return static_cast<int>(samples.size()); }
