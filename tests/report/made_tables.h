// Tables of results, made by hand: a row is what its columns hold.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/page/page.h"

namespace takt {

using MadeRow = std::vector<std::pair<std::string, Cell>>;

/// All rows have the columns of the first.
inline ReportTable made_table(const std::string& name, const std::vector<MadeRow>& rows) {
  ReportTable made{{name, "", {}, {}}, {name, {}, {}}};
  for (const MadeRow& row : rows) {
    auto& cells = made.table.rows.emplace_back();
    for (const auto& [column, cell] : row) {
      if (made.table.rows.size() == 1) made.table.columns.push_back({column, column, column});
      cells.push_back(cell);
    }
  }
  return made;
}

}  // namespace takt
