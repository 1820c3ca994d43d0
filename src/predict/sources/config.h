// Which sources tell the load, and how they are reached: the section `load` of a configuration, YAML.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files/yaml_section.h"
#include "predict/gpu/probe.h"
#include "predict/load/probe_load.h"
#include "predict/prometheus/load.h"

namespace takt {

struct LoadConfig {
  /// Preferred ones first: the first that tells a feature is believed.
  std::vector<std::string> sources{"host", "nvml", "probe"};
  Nanoseconds window{1'000'000'000};  ///< a reading is the mean over it, where a source can
  std::string root = "/";             ///< where /proc and /sys are
  std::vector<int> processors{};      ///< whose load counts on the host; empty: all
  ProbeSettings probe{};
  PrometheusSettings prometheus{};
  std::string nvml_library{};               ///< empty: the system's
  Nanoseconds nvml_timeout{2'000'000'000};  ///< of each call of the driver's: one of a sick GPU may hang
  GpuProbeSettings gpu_probe{};
  Nanoseconds gpu_probe_timeout{10'000'000'000};  ///< opening a GPU takes a driver seconds
};

/// What `sources` may name.
const std::vector<std::string>& load_source_names();

/// `section` is the value of the key `load`; what it does not say is `otherwise`'s. Throws Error(bad_input) that names
/// file, line and key. Files that hold passwords and tokens are read here.
LoadConfig parse_load_config(const YAML::Node& section, const std::string& origin, const LoadConfig& otherwise = {});

/// The key `load` of a whole file, whose other keys are somebody else's. The same errors; without the key, too.
LoadConfig parse_load_config_file(const std::string& text, const std::string& origin, const LoadConfig& otherwise = {});

}  // namespace takt
