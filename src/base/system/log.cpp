#include "base/system/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

const std::vector<std::string> level_names{"debug", "info", "warning", "error"};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  constexpr spdlog::level::level_enum levels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                                  spdlog::level::err};
  return levels[static_cast<int>(level)];
}

void log_file_use(std::string_view verb, const std::filesystem::path& path, std::size_t bytes) {
  log_debug(fmt::format("{} '{}' ({} bytes)", verb, printable(path.string()), bytes));
}

std::shared_ptr<spdlog::logger>& file_logger() {
  static std::shared_ptr<spdlog::logger> instance;  // null: no file
  return instance;
}

std::shared_ptr<spdlog::sinks::sink> console_sink(LogLevel level) {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  sink->set_level(to_spdlog(level));
  sink->set_pattern("takt: %v");
  return sink;
}

std::shared_ptr<spdlog::logger>& logger() {
  static auto instance = std::make_shared<spdlog::logger>("takt", console_sink(LogLevel::warning));
  return instance;
}

}  // namespace

LogLevel parse_log_level(std::string_view text) {
  for (std::size_t i = 0; i < level_names.size(); ++i)
    if (text == level_names[i]) return static_cast<LogLevel>(i);
  auto nearest = nearest_word(text, level_names);
  throw UsageError(fmt::format("--log-level {}: not a level; use {}", text,
                               nearest ? "'" + *nearest + "'" : "debug, info, warning or error"));
}

void set_up_log(LogLevel console, const std::filesystem::path& file, LogLevel file_level) {
  std::vector<spdlog::sink_ptr> sinks{console_sink(console)};
  if (!file.empty()) {
    try {
      // spdlog would make it, of a word with a slip in it, too.
      const std::filesystem::path folder = file.parent_path();
      if (!folder.empty() && !std::filesystem::is_directory(folder)) throw spdlog::spdlog_ex("no folder");
      auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
      sink->set_level(to_spdlog(file_level));
      sink->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
      sinks.push_back(sink);
      file_logger() = std::make_shared<spdlog::logger>("takt", sink);
      file_logger()->flush_on(spdlog::level::debug);
    } catch (const spdlog::spdlog_ex&) {
      throw Error(ErrorKind::io, fmt::format("cannot write the log file '{}': {}", printable(file.string()),
                                             "check that its folder exists and is writable"));
    }
  }
  logger() = std::make_shared<spdlog::logger>("takt", sinks.begin(), sinks.end());
  logger()->set_level(spdlog::level::debug);
  logger()->flush_on(spdlog::level::debug);
  listen_to_files(log_file_use);
}

void log_debug(std::string_view text) { logger()->debug("{}", text); }
void log_info(std::string_view text) { logger()->info("{}", text); }
void log_warning(std::string_view text) { logger()->warn("warning: {}", text); }
void log_failure(std::string_view text) {
  if (file_logger()) file_logger()->error("{}", text);
}

}  // namespace takt
