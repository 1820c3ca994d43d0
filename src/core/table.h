// Tables: one column list per record type drives text, CSV, JSON, Markdown and `takt explain`.
//
// A Table is values only; renderers are pure functions of it. A missing value is an empty Cell: a dash in text, nothing
// in CSV, null in JSON. Never a zero.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/units.h"

namespace takt {

/// monostate: not known. Duration cells are shown with a fitting unit in text and as microseconds elsewhere.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double, Duration>;

template <typename T>
Cell optional_cell(const T& value) {
  return value ? Cell(*value) : Cell();
}

/// Describes a column; `name` is the key in files (unit in the key: `total_us`), `title` the heading for people.
struct ColumnInfo {
  std::string name;
  std::string title;
  std::string meaning;  ///< one or two sentences, shown by `takt explain NAME`
};

/// A column of records of type Row.
template <typename Row>
struct Column {
  std::string_view name, title;
  Cell (*value)(const Row&);
  std::string_view meaning;
};

struct Table {
  std::string name;  ///< as in docs/formats.md: "summary", "operators"
  std::vector<ColumnInfo> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as long as `columns`
};

template <typename Row>
Table make_table(std::string name, std::span<const Column<Row>> columns, std::span<const Row> rows) {
  Table table{std::move(name), {}, {}};
  for (const auto& column : columns)
    table.columns.push_back({std::string(column.name), std::string(column.title), std::string(column.meaning)});
  for (const auto& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const auto& column : columns) cells.push_back(column.value(row));
  }
  return table;
}

/// The columns of these names, in this order: what of a wide table fits a terminal. Names that it lacks are left out.
Table some_columns(const Table& table, std::span<const std::string_view> names);
inline Table some_columns(const Table& table, std::initializer_list<std::string_view> names) {
  return some_columns(table, std::span(names.begin(), names.size()));
}

/// Aligned text: numbers right, text left; lines no longer than `width` as long as text columns can be shortened ("…").
std::string to_text(const Table& table, std::size_t width = 80);
std::string to_csv(const Table& table);       ///< RFC 4180, header row, LF
std::string to_markdown(const Table& table);  ///< a pipe table, `|` escaped
/// One object {"takt": provenance, "tables": {NAME: [{column: value}]}}; `provenance_json` is a JSON object text.
std::string to_json(std::span<const Table> tables, std::string_view provenance_json);

}  // namespace takt
