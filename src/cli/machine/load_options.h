// The options that say which sources tell the load, as `takt load` and `takt exporter` have them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/line/command_line.h"
#include "predict/sources/config.h"

namespace takt {

struct LoadSourceOptions {
  std::filesystem::path config;
  std::string sources, window;
};

void add_load_sources(CommandLine& line, LoadSourceOptions& options);

/// Returns the file's configuration, where it says nothing `otherwise`, with the values that options override. Throws
/// UsageError, Error.
LoadConfig settled(const LoadSourceOptions& options, LoadConfig otherwise = {});

/// Parses a time above 0, such as "500us". Throws UsageError that names the option.
Nanoseconds positive_time(const std::string& text, const std::string& option);

}  // namespace takt
