#include "cli/machine/load_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {

void add_load_sources(CommandLine& line, LoadSourceOptions& o) {
  line.add(
      {.names = "--config",
       .value = "FILE",
       .meaning = "Read the sources and how to reach them from the key 'load' of this YAML file (docs/formats.md)"},
      &o.config);
  line.add({.names = "--sources",
            .value = "LIST",
            .meaning = "Query only these sources, in order of precedence: host, nvml, probe, gpu_probe, prometheus",
            .fallback = "those of the configuration, else host,nvml,probe",
            .offered = load_source_names()},
           &o.sources);
  line.add({.names = "--window",
            .value = "DURATION",
            .meaning = "Average over this long; longer is steadier, shorter is more recent",
            .fallback = "1s"},
           &o.window);
}

LoadConfig settled(const LoadSourceOptions& o, LoadConfig config) {
  if (!o.config.empty()) config = parse_load_config_file(read_file(o.config), o.config.string(), config);
  if (!o.sources.empty()) {
    config.sources.clear();
    const std::vector<std::string>& known = load_source_names();
    for (const std::string& name : words_in(o.sources)) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw UsageError(fmt::format("--sources: '{}' is not a source; {}", printable(name),
                                     suggestion(name, known, "use host, nvml, probe, gpu_probe or prometheus")));
      if (std::find(config.sources.begin(), config.sources.end(), name) == config.sources.end())
        config.sources.push_back(name);
    }
  }
  if (!o.window.empty()) config.window = positive_time(o.window, "--window");
  return config;
}

Nanoseconds positive_time(const std::string& text, const std::string& option) {
  Duration time{};
  try {
    time = parse_duration(text);
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
  constexpr double most_us = 30.0 * 24 * 3600 * 1e6;
  if (time.count() < 0.001 || time.count() > most_us)
    throw UsageError(fmt::format("{}: {} is out of range; use 1ns to 30 days", option, printable(text)));
  return Nanoseconds(std::llround(time.count() * 1000));
}

}  // namespace takt
