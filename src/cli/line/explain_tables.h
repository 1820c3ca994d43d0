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

/// Finds columns by key or title, tables by name, and rows with or without brackets, case-insensitive. An empty word
/// finds everything.
Explanation find_explanation(std::string_view word, const std::vector<CommandTables>& all);

/// Finds columns that tell of `word` in their meaning, as one of their values mostly: "preempted". Empty for short words
/// and for those that columns of many meanings tell of.
Explanation find_value(std::string_view word, const std::vector<CommandTables>& all);

/// Returns every word that finds something, except titles, for "did you mean".
std::vector<std::string> explained_words(const std::vector<CommandTables>& all);

/// Returns the tables `tables`, `columns` and `named_rows`.
std::vector<Table> tables(const Explanation& found);
std::vector<TableSchema> explain_schemas();

/// Returns each meaning once, with its tables and commands; lines have at most 80 columns.
std::string to_text(const Explanation& found);
/// Returns commands, their tables and columns, without meanings; lines have at most 80 columns.
std::string overview(const std::vector<CommandTables>& all);

}  // namespace takt
