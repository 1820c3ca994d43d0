// The options that say which sources tell the load, as `takt load` and `takt exporter` have them.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command_line.h"
#include "load/load_config.h"

namespace takt {

struct LoadSourceOptions {
  std::filesystem::path config;
  std::string sources, window;
};

void add_load_sources(CommandLine& line, LoadSourceOptions& options);

/// The file's configuration, or the usual one, with what the options say otherwise. Throws UsageError, Error.
LoadConfig settled(const LoadSourceOptions& options);

/// "500us": more than nothing. Throws UsageError naming the option.
Nanoseconds positive_time(const std::string& text, const std::string& option);

}  // namespace takt
