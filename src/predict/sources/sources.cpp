#include "predict/sources/sources.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/basics/error.h"
#include "predict/gpu/cuda_library.h"
#include "predict/gpu/nvml_load.h"
#include "predict/gpu/probe.h"
#include "predict/gpu/timed_source.h"
#include "predict/load/host_load.h"

namespace takt {
namespace {

std::unique_ptr<LoadSource> make_source(const std::string& name, const LoadConfig& config) {
  if (name == "host") return std::make_unique<HostLoad>(HostSettings{config.root, config.processors});
  if (name == "prometheus") return std::make_unique<PrometheusLoad>(config.prometheus);
  if (name == "nvml")
    return std::make_unique<TimedSource>(
        name, [library = config.nvml_library] { return std::make_unique<NvmlLoad>(library); }, config.nvml_timeout);
  if (name == "gpu_probe")
    return std::make_unique<TimedSource>(
        name, [settings = config.gpu_probe] { return std::make_unique<GpuProbe>(settings); }, config.gpu_probe_timeout);
  return std::make_unique<ProbeLoad>(config.probe);
}

/// In a table the file that the system looked for in vain is no news: "there is no NVIDIA driver".
std::string without_linker_words(std::string reason) {
  const auto words = reason.find(" cannot be loaded (");
  const auto before = words == std::string::npos ? words : reason.rfind(':', words);
  return before == std::string::npos ? reason : reason.substr(0, before);
}

}  // namespace

std::vector<std::unique_ptr<LoadSource>> make_load_sources(const LoadConfig& config) {
  std::vector<std::unique_ptr<LoadSource>> sources;
  for (const std::string& name : config.sources) {
    try {
      sources.push_back(make_source(name, config));
    } catch (const Error& error) {
      const bool is_asked_wrongly = name == "probe" && !config.probe.cores.empty();
      const bool is_absent = error.kind() == ErrorKind::unsupported || name == "gpu_probe";  // a full GPU, too
      if (!is_absent || is_asked_wrongly) throw;
      sources.push_back(std::make_unique<AbsentSource>(name, error.what()));
    }
  }
  return sources;
}

std::vector<SourceState> load_source_states() {
  std::vector<SourceState> states{{"host", "files of the system (/proc, /sys)"},
                                  {"prometheus", "a Prometheus server, given with 'takt load --config'"},
                                  {"nvml", "the NVIDIA GPU driver"},
                                  {"probe", "a short benchmark on a CPU"},
                                  {"gpu_probe", "a short benchmark on a GPU, through its CUDA driver"}};
  for (SourceState& state : states) {
    if (state.name == "probe") continue;  // making one is work
    try {
      if (state.name == "gpu_probe") {
        count_gpus(CudaLibrary(""));
        continue;
      }
      const auto source = make_source(state.name, {});
      if (state.name != "host") continue;
      const auto readings = source->read().readings;
      if (std::none_of(readings.begin(), readings.end(), [](const LoadReading& one) { return one.value.has_value(); }))
        state.reason = readings.front().trouble;
    } catch (const Error& error) {
      state.reason = without_linker_words(error.what());
    }
  }
  return states;
}

LoadSnapshot take_snapshot(const std::vector<std::unique_ptr<LoadSource>>& sources, Nanoseconds window,
                           const std::atomic<bool>* stop) {
  using namespace std::chrono_literals;
  begin_all(sources);
  const Nanoseconds end = steady_now() + window;
  for (Nanoseconds now = steady_now(); now < end && !(stop && *stop); now = steady_now())
    std::this_thread::sleep_for(std::min<Nanoseconds>(end - now, 50ms));
  return read_all(sources);
}

}  // namespace takt
