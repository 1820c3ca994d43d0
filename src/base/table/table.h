// Tables: one column list per record type drives text, CSV, JSON, Markdown, `takt explain` and docs/tables.md.
//
// A Table is values only; renderers are pure functions of it. A missing value is an empty Cell: a dash in text, nothing
// in CSV, null in JSON. Never a zero.
#pragma once

#include <cassert>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/basics/units.h"
#include "base/table/terminal.h"

namespace takt {

/// monostate: not known. Duration cells are shown with a fitting unit to people and as microseconds elsewhere.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double, Duration>;

template <typename T>
Cell optional_cell(const T& value) {
  return value ? Cell(*value) : Cell();
}

/// A recorded span as a cell.
inline Cell time_cell(Nanoseconds value) { return Duration(value); }
inline Cell time_cell(const std::optional<Nanoseconds>& value) { return value ? Cell(Duration(*value)) : Cell(); }

/// What a column, a named row or a table is, without its values: what `takt explain` and docs/tables.md tell.
struct ColumnSchema {
  std::string name;     ///< the key in files, with its unit: `total_us`
  std::string title;    ///< the heading for people
  std::string meaning;  ///< one or two sentences that stand alone
};

/// A row that is no record but a figure of its own: `[unattributed]`.
struct NamedRow {
  std::string_view name, meaning;
};

struct TableSchema {
  std::string name;      ///< the key in files: "summary", "operators"
  std::string sentence;  ///< what it shows, and what one row is
  std::vector<ColumnSchema> columns;
  std::vector<NamedRow> named_rows;
};

/// What columns of one key share, whatever the record: written once where several tables have it.
struct ColumnText {
  std::string_view name, title, meaning;
};

/// A column of records of type Row.
template <typename Row>
struct Column {
  std::string_view name, title;
  Cell (*value)(const Row&);
  std::string_view meaning;

  constexpr Column(std::string_view key, std::string_view heading, Cell (*of)(const Row&), std::string_view means)
      : name(key), title(heading), value(of), meaning(means) {}
  constexpr Column(const ColumnText& text, Cell (*of)(const Row&))
      : name(text.name), title(text.title), value(of), meaning(text.meaning) {}
};

struct Table {
  std::string name;  ///< as in its schema
  std::vector<ColumnSchema> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as long as `columns`
};

/// A table, told once: what fills it and what describes it read the same list. `columns` outlives it.
template <typename Row>
struct TableDefinition {
  std::string_view name, sentence;
  std::span<const Column<Row>> columns;
  std::span<const NamedRow> named_rows{};

  std::vector<ColumnSchema> column_schemas() const {
    std::vector<ColumnSchema> list;
    for (const auto& column : columns)
      list.push_back({std::string(column.name), std::string(column.title), std::string(column.meaning)});
    return list;
  }
  TableSchema schema() const {
    return {std::string(name), std::string(sentence), column_schemas(), {named_rows.begin(), named_rows.end()}};
  }
  Table make(std::span<const Row> rows) const {
    Table table{std::string(name), column_schemas(), {}};
    for (const auto& row : rows) {
      auto& cells = table.rows.emplace_back();
      for (const auto& column : columns) {
        cells.push_back(column.value(row));
        // A duration is written as microseconds, so a key that does not say so would lie.
        assert(!std::holds_alternative<Duration>(cells.back()) || column.name.ends_with("_us"));
      }
    }
    return table;
  }
};

/// The table of this name; there is one, or it is our own mistake.
const Table& table_named(std::span<const Table> tables, std::string_view name);

/// The columns of these names, in this order: what of a wide table fits a terminal. Names that it lacks are left out.
Table some_columns(const Table& table, std::span<const std::string_view> names);
inline Table some_columns(const Table& table, std::initializer_list<std::string_view> names) {
  return some_columns(table, std::span(names.begin(), names.size()));
}

/// All columns but these.
Table without_columns(const Table& table, std::initializer_list<std::string_view> names);
/// The columns that say something in any row; all of a table that has no row. For screens: files keep their columns.
Table without_empty_columns(const Table& table);

/// The columns that a user asked for, in their order; "all" stands for every one. A unit at the end may be left out
/// ("intensity"). Throws UsageError naming the nearest column.
Table choose_columns(const Table& table, std::span<const std::string> names);
/// "name, type,p90_us" → words without blanks. Throws UsageError if there is none.
std::vector<std::string> parse_column_names(std::string_view text);

/// Whether a column is meant by this word: its key, of which a unit at the end may be left out ("intensity").
bool is_meant(const ColumnSchema& column, std::string_view word);

/// How a table looks on a terminal.
struct TextStyle {
  std::size_t width = 80;  ///< lines are no longer, as long as text columns can be shortened ("…", see short_names.h)
  bool colour = false;
  /// With `colour`: how a cell is painted; empty: all plain.
  std::function<Paint(const ColumnSchema&, const Cell&)> paint{};
};

/// Aligned text: numbers right, in one unit and with one number of digits per column (number_form.h), text left.
std::string to_text(const Table& table, const TextStyle& style);
std::string to_text(const Table& table, std::size_t width = 80);

/// Columns that its text has where nothing is shortened.
std::size_t text_width(const Table& table);

/// The cells as people read them, row by row: what text and Markdown show.
std::vector<std::vector<std::string>> shown_cells(const Table& table);
std::string to_csv(const Table& table);       ///< RFC 4180, header row, LF
std::string to_markdown(const Table& table);  ///< a pipe table, `|` escaped, numbers as in text
/// One object {"takt": provenance, "tables": {NAME: [{column: value}]}}; `provenance_json` is a JSON object text.
std::string to_json(std::span<const Table> tables, std::string_view provenance_json);

}  // namespace takt
