// Commands that share a first word, as data: `takt` itself, `takt trace`, `takt pipeline`. One function finds the
// command that was meant, one prints the list; completions and man pages walk the same data.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/option.h"

namespace takt {

struct CommandGroup;

/// Arguments after the command's name. Returns the exit code; throws Error (exit 1) and UsageError (exit 2).
using CommandFunction = int (*)(std::span<const std::string> arguments);

/// Either a command of its own (`run`, `describe`) or the name of a group.
struct Command {
  std::string_view name;
  std::string_view summary = {};  ///< empty: not listed, for packagers
  CommandFunction run = nullptr;
  CommandDescription (*describe)() = nullptr;
  const CommandGroup* group = nullptr;
};

/// An option without a value that stands in a command's place: --version.
struct GroupOption {
  std::string_view name, meaning;
};

struct CommandGroup {
  std::string_view name;     ///< as typed: "trace"; empty: takt itself
  std::string_view summary;  ///< one sentence
  std::string_view usage;    ///< what follows the name
  std::span<const Command> commands;
  std::string_view example;
  std::span<const GroupOption> options = {};  ///< beside --help
  std::string_view end = {};                  ///< lines after the example
};

/// What `takt GROUP --help` prints; 80 columns.
std::string help_of(const CommandGroup& group);

/// Runs the command that the first argument names. Without one prints the help and returns 2. Throws UsageError with
/// the nearest right spelling.
int dispatch(const CommandGroup& group, std::span<const std::string> arguments);

/// Descriptions of all listed commands of the group and of the groups in it, in the order of the help.
std::vector<CommandDescription> descriptions(const CommandGroup& group);

}  // namespace takt
