// What `takt explain` finds for a word among the tables of all commands, as tables and as text. Pure functions of the
// registry (tables.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/line/tables.h"

namespace takt {

/// Pointers into the registry, which outlives them.
struct Explanation {
  struct Place {
    const std::string* command;
    const TableSchema* table;
  };
  struct FoundColumn {
    Place place;
    const ColumnSchema* column;
  };
  struct FoundRow {
    Place place;
    const NamedRow* row;
  };
  std::vector<Place> tables;
  std::vector<FoundColumn> columns;
  std::vector<FoundRow> rows;
  bool empty() const { return tables.empty() && columns.empty() && rows.empty(); }
};

/// Columns by key or title, tables by name, rows with or without brackets, in any case; an empty word finds everything.
Explanation find_explanation(std::string_view word, const std::vector<CommandTables>& all);

/// Every word that finds something but titles, for "did you mean".
std::vector<std::string> explained_words(const std::vector<CommandTables>& all);

/// tables, columns, named_rows.
std::vector<Table> tables(const Explanation& found);
std::vector<TableSchema> explain_schemas();

/// Each meaning once, with the tables and commands that it is of; lines of at most 80 columns.
std::string to_text(const Explanation& found);
/// Commands, their tables and columns, without meanings; lines of at most 80 columns.
std::string overview(const std::vector<CommandTables>& all);

}  // namespace takt
