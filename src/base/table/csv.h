// Tables as comma-separated text (RFC 4180), read strictly. base/table/table.h writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace takt {

struct CsvRow {
  std::size_t line = 0;  ///< on which it begins, from 1
  std::vector<std::string> cells;
};

/// All rows, the heading among them; lines end in LF or CRLF, the last one may end with the text. Quoted cells may hold
/// commas, line ends and doubled quotes. Throws Error(bad_input), "WHERE:LINE: …", for a quote that is not closed or
/// stands inside a cell, and for rows that have another number of cells than the first.
std::vector<CsvRow> parse_csv(std::string_view text, std::string_view where);

/// As a cell: quoted where it has to be.
std::string csv_cell(std::string_view text);

}  // namespace takt
