#include "predict/gpu/nvml_load.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <iterator>
#include <optional>

#include "base/basics/error.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr double of_percent = 0.01, of_mega = 1e6, of_mebi = 1 << 20;
constexpr Nanoseconds utilization_window = 1s;  // of NVML's own shares: between a sixth of a second and one

/// Reasons that keep the clock down: power cap, hardware slow-down, heat, power brake. Idleness and a user's own
/// setting are none.
constexpr unsigned long long throttling = 0x04 | 0x08 | 0x20 | 0x40 | 0x80;

/// Metrics of NVML's GPM, percent of the span between two samples, and MiB/s.
struct GpmFeature {
  std::string_view feature;
  unsigned id;
  double factor;
};
constexpr GpmFeature gpm_features[] = {
    {"gpu_engine_active_share", 1, of_percent}, {"gpu_sm_active_share", 2, of_percent},
    {"gpu_sm_occupancy_share", 3, of_percent},  {"gpu_tensor_active_share", 5, of_percent},
    {"gpu_fp64_active_share", 11, of_percent},  {"gpu_fp32_active_share", 12, of_percent},
    {"gpu_fp16_active_share", 13, of_percent},  {"gpu_dram_active_share", 10, of_percent},
    {"gpu_pcie_sent_bytes_per_s", 20, of_mebi}, {"gpu_pcie_received_bytes_per_s", 21, of_mebi},
};
constexpr std::size_t gpm_pcie = 8;  // from here on, what NVML has without GPM, too

}  // namespace

struct NvmlLoad::Gpu {
  Gpu(const NvmlLibrary& library, unsigned number, NvmlDevice handle)
      : nvml(library), name(fmt::format("gpu{}", number)), device(handle) {
    NvmlGpmSupport support;
    if (!nvml.has_gpm() || nvml.gpm_support(device, &support) != nvml_success || !support.is_supported) return;
    for (NvmlSample* sample : {&first, &second})
      if (nvml.gpm_allocate(sample) != nvml_success) *sample = nullptr;
  }
  ~Gpu() {
    for (NvmlSample sample : {first, second})
      if (sample) nvml.gpm_free(sample);
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  bool has_counters() const { return first && second; }

  void begin() {
    if (has_counters()) first_status = nvml.gpm_take(device, first);
    began = steady_now();
  }

  void add(std::vector<LoadReading>& readings, std::string_view feature, int status, double value,
           std::optional<Nanoseconds> window = std::nullopt) const {
    LoadReading& reading = readings.emplace_back(reading_of(feature, name, "nvml"));
    if (status == nvml_success && std::isfinite(value)) {
      reading.value = value;
      reading.age = 0ns;
      reading.window = window;
    } else {
      reading.trouble = status == nvml_success ? "its value is not a number" : nvml.text_of(status);
    }
  }

  /// Of a memory of `total` bytes; where the driver does not tell how large it is, 0.
  void add_part(std::vector<LoadReading>& readings, std::string_view feature, int status, unsigned long long part,
                unsigned long long total) const {
    add(readings, feature, status, static_cast<double>(part));
    if (status != nvml_success || total == 0 || part <= total) return;
    LoadReading& reading = readings.back();
    reading.value.reset(), reading.age.reset();
    reading.trouble = fmt::format("reported {} B, more than the memory's {} B", part, total);
  }

  void read_figures(std::vector<LoadReading>& readings) const {
    NvmlUtilization used;
    NvmlMemory memory;
    const int shares = nvml.utilization(device, &used), bytes = nvml.memory(device, &memory);
    add(readings, "gpu_busy_share", shares, used.gpu * of_percent, utilization_window);
    add(readings, "gpu_memory_busy_share", shares, used.memory * of_percent, utilization_window);
    const auto number = [&](std::string_view feature, double factor, auto function, auto... arguments) {
      unsigned value = 0;
      const int status = function(device, arguments..., &value);
      add(readings, feature, status, value * factor);
    };
    number("gpu_sm_clock_hertz", of_mega, nvml.clock_mhz, nvml_clock_sm);
    number("gpu_memory_clock_hertz", of_mega, nvml.clock_mhz, nvml_clock_memory);
    number("gpu_power_watts", 1e-3, nvml.power_milliwatts);
    number("gpu_temperature_celsius", 1, nvml.temperature, 0);
    add_part(readings, "gpu_memory_used_bytes", bytes, memory.used, memory.total);
    add_part(readings, "gpu_memory_free_bytes", bytes, memory.free, memory.total);
    unsigned long long reasons = 0;
    const int status = nvml.clock_reasons ? nvml.clock_reasons(device, &reasons) : nvml_not_supported;
    add(readings, "gpu_throttled", status, (reasons & throttling) != 0 ? 1 : 0);
  }

  /// Between begin() and now.
  void read_counters(std::vector<LoadReading>& readings) const {
    const Nanoseconds window = steady_now() - began;
    NvmlGpmRequest request;
    request.first = first, request.second = second;
    for (const GpmFeature& one : gpm_features) request.metrics[request.count++].id = one.id;
    int status = first_status != nvml_success ? first_status : nvml.gpm_take(device, second);
    if (status == nvml_success) status = nvml.gpm_metrics(&request);
    for (std::size_t i = 0; i < std::size(gpm_features); ++i)
      add(readings, gpm_features[i].feature, status != nvml_success ? status : request.metrics[i].status,
          request.metrics[i].value * gpm_features[i].factor, window);
  }

  /// What there is without counters: PCIe alone, over 20 ms in which the call waits.
  void read_without_counters(std::vector<LoadReading>& readings) const {
    for (std::size_t i = 0; i < gpm_pcie; ++i) {
      readings.push_back(reading_of(gpm_features[i].feature, name, "nvml"));
      readings.back().trouble = "this GPU or its driver has no NVML counters (GPM); they need Hopper or later, or DCGM";
    }
    for (std::size_t i = gpm_pcie; i < std::size(gpm_features); ++i) {
      unsigned kib = 0;
      const int which = i == gpm_pcie ? nvml_pcie_sent : nvml_pcie_received;
      const int status = nvml.pcie_kib_per_s ? nvml.pcie_kib_per_s(device, which, &kib) : nvml_not_supported;
      add(readings, gpm_features[i].feature, status, kib * 1024.0, Nanoseconds(20ms));
    }
  }

  const NvmlLibrary& nvml;
  std::string name;
  NvmlDevice device;
  NvmlSample first = nullptr, second = nullptr;
  int first_status = nvml_success;
  Nanoseconds began{};
};

NvmlLoad::NvmlLoad(const std::string& library) : nvml_(library) {
  unsigned count = 0;
  if (const int status = nvml_.device_count(&count); status != nvml_success)
    throw Error(ErrorKind::unsupported,
                fmt::format("the NVIDIA driver does not list its GPUs: {}", nvml_.text_of(status)));
  if (count == 0) throw Error(ErrorKind::unsupported, "the NVIDIA driver finds no GPU");
  for (unsigned number = 0; number < count; ++number) {
    NvmlDevice device = nullptr;
    if (const int status = nvml_.device_by_index(number, &device); status != nvml_success)
      throw Error(ErrorKind::unsupported, fmt::format("GPU {} cannot be queried: {}", number, nvml_.text_of(status)));
    gpus_.push_back(std::make_unique<Gpu>(nvml_, number, device));
  }
  begin();
}

NvmlLoad::~NvmlLoad() = default;

void NvmlLoad::begin() {
  for (const auto& gpu : gpus_) gpu->begin();
}

SourceReadings NvmlLoad::read() {
  SourceReadings told;
  for (const auto& gpu : gpus_) {
    std::vector<LoadReading> readings;
    gpu->read_figures(readings);
    if (gpu->has_counters())
      gpu->read_counters(readings);
    else
      gpu->read_without_counters(readings);
    bool any = false;
    for (const LoadReading& one : readings) any = any || one.value.has_value();
    if (!any)
      told.troubles.push_back({"nvml", fmt::format("{} reports nothing: {}", gpu->name, readings.front().trouble)});
    for (auto& one : readings) told.readings.push_back(std::move(one));
  }
  return told;
}

}  // namespace takt
