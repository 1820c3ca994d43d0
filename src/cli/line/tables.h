// Every table that takt prints or writes as CSV, JSON or Markdown, by command: what `takt explain`, the check of
// --table and docs/tables.md know of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/table/table.h"

namespace takt {

struct CommandTables {
  std::string command;  ///< as typed after `takt`: "pipeline whatif"
  std::vector<TableSchema> tables;
};

/// Returns the tables of all commands that have any, in the order of `takt --help`.
const std::vector<CommandTables>& all_tables();

/// Returns the tables of a command as typed after `takt`; none for one that has none or is not known.
std::vector<TableSchema> tables_of_command(std::string_view command);

/// Returns the names for --table, the default first. `command` is one of all_tables().
std::vector<std::string> table_names(std::string_view command);

}  // namespace takt
