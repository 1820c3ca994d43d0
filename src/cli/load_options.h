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

/// The file's configuration, or the usual one, with what the options say otherwise. Throws UsageError, Error.
LoadConfig settled(const LoadSourceOptions& options);

/// The word after which `takt stress` is the child of a Stressor: it does the task on its standard input.
inline constexpr std::string_view stress_worker_word = "--worker";

/// "500us": more than nothing. Throws UsageError naming the option.
Nanoseconds positive_time(const std::string& text, const std::string& option);

}  // namespace takt
