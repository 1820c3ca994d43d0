// Logging to stderr and, when asked, to a file. Results never go here: they belong to stdout.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace takt {

enum class LogLevel { debug, info, warning, error };

/// "debug", "info", "warning" or "error". Throws UsageError naming the nearest of them.
LogLevel parse_log_level(std::string_view text);

/// Messages at or above `console` go to stderr as "takt: TEXT"; with a file, messages at or above `file_level` are
/// appended there with time stamps. Thread-safe. Until called, warnings and errors go to stderr.
/// Throws Error(io) when the file cannot be opened.
void set_up_log(LogLevel console, const std::filesystem::path& file = {}, LogLevel file_level = LogLevel::debug);

/// What was done, for whoever reads the log later: to the file, and to stderr only at level debug.
void log_debug(std::string_view text);
void log_info(std::string_view text);
void log_warning(std::string_view text);
/// Only to the file: what ends the program is told on stderr by whoever ends it.
void log_failure(std::string_view text);

}  // namespace takt
