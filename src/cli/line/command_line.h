// Parsing of a command's options, the same way for every command (except `analyze`, which follows its peer). The only
// user of CLI11 is command_line.cpp: its headers cost seconds in each file that sees them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/line/option.h"
#include "cli/line/option_value.h"

namespace takt {

/// Options that every command has.
struct LogOptions {
  std::string level = "info";
  std::filesystem::path file;
};

/// A command's options and the variables that they fill, which must outlive it.
class CommandLine {
 public:
  /// `name` as typed after `takt`: "trace info"; `example` ends the help. Adds --log-file and --log-level.
  CommandLine(std::string name, std::string summary, std::string example, LogOptions& log);

  /// The help lists the options that are added from here on under this heading.
  void heading(std::string text) { heading_ = std::move(text); }

  /// `target` keeps its value where the option is not given.
  void add(Option option, OptionTarget target);

  /// False after --help, which was printed. Throws UsageError that names the wrong word and, for an unknown option, the
  /// right spellings that may have been meant.
  bool parse(std::span<const std::string> typed);

  /// The command without its variables, with --help and the options for messages at its end.
  CommandDescription description() const;

 private:
  struct Bound {
    Option option;
    OptionTarget target;
  };

  std::vector<Bound> all_options() const;

  std::string name_, summary_, example_, heading_;
  std::vector<Bound> options_;
  LogOptions* log_;
};

/// Applies --log-file and --log-level.
void apply(const LogOptions& log);

}  // namespace takt
