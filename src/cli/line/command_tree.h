// The commands by the words of their names: `takt` itself, its first words, and what may follow those. One function
// finds the command that was meant, one prints the list; completions and man pages walk the same tree.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command.h"

namespace takt {

/// An option without a value that replaces a command: --version.
struct PlainOption {
  std::string_view name, meaning;
};

/// A first word that several commands share and that is not a command itself.
struct CommandGroup {
  std::string_view name;     ///< "trace"
  std::string_view summary;  ///< its line in the list of takt's commands
  std::string_view title;    ///< one sentence, above the list of its own
  std::string_view example;
};

struct ListedCommand {
  const Command* command;
  std::string_view heading;  ///< of the list of takt's commands
};

struct CommandTree {
  std::string name;                      ///< as typed after `takt`: "trace info"; empty: takt itself
  std::string heading;                   ///< in the list of the tree that it is a part of
  std::string summary;                   ///< its line there; empty: it is not listed
  std::string title = {}, example = {};  ///< if this is not a command
  const Command* command = nullptr;      ///< what runs where none of its parts is named; nullptr: its help is shown
  std::vector<CommandTree> parts = {};

  std::string word() const;                              ///< the last of its name
  std::vector<const CommandTree*> listed_parts() const;  ///< in the order of the help
};

/// Commands whose names begin alike are parts of that name, which is a command itself (`sweep`, `sweep merge`) or one
/// of the groups.
CommandTree tree_of(std::span<const ListedCommand> commands, std::span<const CommandGroup> groups);

/// What `takt --help` and `takt GROUP --help` print; 80 columns. `options` are listed next to --help, `end` follows
/// the example.
std::string help_of(const CommandTree& tree, std::span<const PlainOption> options = {}, std::string_view end = {});

/// Runs the command that the arguments name. If they name none, prints the help and returns 2, or 0 if the help was
/// requested. Throws UsageError with the nearest right spelling.
int dispatch(const CommandTree& tree, Arguments arguments);

/// Returns the descriptions of all listed commands, each before its parts, in the order of the help.
std::vector<CommandDescription> descriptions(const CommandTree& tree);

}  // namespace takt
