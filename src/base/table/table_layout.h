// Where the cells of a table stand in lines of a given width.
//
// A table that is too wide gives way in this order: titles take two lines; texts that decide (verdicts, plans, reasons)
// go on below themselves and names are shortened, the widest column first; columns that still have no room follow as a
// second table, with the columns that tell rows apart repeated. Numbers and named rows are never cut.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/table/table.h"

namespace takt {

struct TableLayout {
  std::vector<std::vector<std::string>> cells{};     ///< as shown_cells(), by row and column
  std::vector<std::string> titles{};                 ///< by column; "\n" between two lines
  std::vector<std::size_t> cell_widths{}, widths{};  ///< of the longest cell, of the column; in columns of the terminal
  std::vector<std::size_t> narrowest{};              ///< that texts of the column may become
  std::vector<bool> is_text{}, is_whole{};           ///< whether it stands left; whether it is wrapped, never cut

  /// Columns of the terminal that a line takes, gaps included.
  std::size_t total() const;
};

constexpr std::size_t table_column_gap = 2;

/// Every cell on one line, each column as wide as its longest.
TableLayout lay_out(const Table& table);

/// Lets titles and texts give way until a line has `width` columns; wider still where nothing can give way any more.
void narrow(TableLayout& layout, std::size_t width);

/// A table that is too wide as several, each with the columns that tell its rows apart, of at most `width` if possible.
std::vector<Table> divided_by_columns(const Table& table, std::size_t width);

}  // namespace takt
