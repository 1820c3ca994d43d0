// Tables with a row for every batch: their rows are made some at a time, because all at once they would take more
// memory than what they tell of.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/table/table.h"

namespace takt {

struct LongTable {
  std::string name;      ///< as in its schema
  std::size_t rows = 0;  ///< 0: few, or none; all of them are made at once
  /// The rows from `first` on, `count` of them or as many as there are; `first` is 0 or below `rows`.
  std::function<Table(std::size_t first, std::size_t count)> make;
};

/// One that is there, which must outlive it.
LongTable whole_table(const Table& table);

/// Takes a text piece by piece.
using TableSink = std::function<void(std::string_view piece)>;

/// The text of to_csv() and of to_json() (table.h).
void write_csv(const LongTable& table, const TableSink& sink);
void write_json(std::span<const LongTable> tables, std::string_view provenance_json, const TableSink& sink);

}  // namespace takt
