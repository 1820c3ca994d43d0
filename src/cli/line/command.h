// A command as data. Its file has its options, their declaration and what it does, and ends with the command itself;
// its line in commands.inc lists it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command_line.h"

namespace takt {

/// What follows a command's name.
using Arguments = std::span<const std::string>;

struct Command {
  std::string_view name;  ///< as typed after `takt`: "plan search"
  /// Its line in the list of commands; empty: it is not listed, for packagers and takt's own child processes.
  std::string_view summary;
  /// Returns the exit code; throws Error (exit 1) and UsageError (exit 2).
  int (*run)(Arguments arguments);
  /// For help, completions and man pages; nullptr where the command is not listed.
  CommandDescription (*describe)() = nullptr;
};

/// A command of which `Options` holds what was asked: `declare` binds its fields to options, `run` gets them filled.
template <typename Options, CommandLine (*declare)(Options&), int (*run)(Options&, Arguments)>
constexpr Command command(std::string_view name, std::string_view summary) {
  return {name, summary,
          [](Arguments arguments) {
            Options options;
            return declare(options).parse(arguments) ? run(options, arguments) : 0;
          },
          [] {
            Options options;
            return declare(options).description();
          }};
}

/// Returns the words that start the command in a separate process: this program, and the name.
std::vector<std::string> words_of(const Command& command);

}  // namespace takt
