// Parsing of a command's options, the same way for every command (except `analyze`, which follows its peer).
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace takt {

/// Options that every command has.
struct LogOptions {
  std::string file, level = "info";
};

/// A CLI11 app with takt's conventions: name, summary, an example at the end of the help, --log-file and --log-level.
std::unique_ptr<CLI::App> make_app(const std::string& name, const std::string& summary, const std::string& example,
                                   LogOptions& log);

/// False after --help, which was printed. Throws UsageError that names the wrong word and, for an unknown option, the
/// nearest right spelling.
bool parse(CLI::App& app, std::span<const std::string> arguments);

/// Applies --log-file and --log-level.
void apply(const LogOptions& log);

}  // namespace takt
