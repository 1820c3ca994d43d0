#include "predict/gpu/probe.h"

#include <fmt/format.h>

#include <utility>

#include "base/basics/error.h"

namespace takt {

GpuProbe::GpuProbe(GpuProbeSettings settings)
    : settings_(std::move(settings)), gpu_(std::make_unique<GpuWorker>(settings_.library, settings_.device)) {
  try {
    gpu_->prepare(true, true);
  } catch (const Error&) {
    gpu_->release();
    throw;
  }
}

GpuProbe::~GpuProbe() { gpu_->release(); }

SourceReadings GpuProbe::read() {
  // Sums: other programs' slices fall on few of many short works, and their share of the time is what counts.
  double multiplied = 0, waited = 0, copied = 0;  // ns
  int turns = 0;
  const Nanoseconds begin = steady_now();
  SourceReadings told;
  const std::string place = fmt::format("gpu{}", settings_.device);
  try {
    do {
      const Nanoseconds asked = steady_now();
      multiplied += static_cast<double>(gpu_->multiply().count());
      waited += static_cast<double>((steady_now() - asked).count());
      copied += static_cast<double>(gpu_->copy().count());
      ++turns;
    } while (steady_now() - begin < settings_.time);
  } catch (const Error& error) {  // the GPU is lost
    told.troubles.push_back({"gpu_probe", fmt::format("{} reports nothing: {}", place, error.what())});
    return told;
  }
  const Nanoseconds window = steady_now() - begin;
  const auto add = [&](const char* feature, double amount, double time) {
    LoadReading& reading = told.readings.emplace_back(reading_of(feature, place, "gpu_probe"));
    if (time > 0)
      reading.value = amount / time, reading.age = Nanoseconds(0), reading.window = window;
    else
      reading.trouble = "the GPU's clock did not advance";
  };
  add("gpu_probe_flops", gpu_->flops() * turns * 1e9, multiplied);
  add("gpu_probe_copy_bytes_per_s", gpu_->copied_bytes() * turns * 1e9, copied);
  add("gpu_probe_wall_ratio", waited, multiplied);
  return told;
}

}  // namespace takt
