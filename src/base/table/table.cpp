// Columns chosen by name, and Markdown; CSV and JSON are in table_files.cpp, the aligned text is in table_text.cpp.
#include "base/table/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

std::size_t find_column(const Table& table, const std::string& word) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == word) return i;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (is_meant(table.columns[i], word)) return i;
  std::vector<std::string> names;
  for (const auto& column : table.columns) names.push_back(column.name);
  throw UsageError(fmt::format("--columns: there is no column '{}'; {}", printable(word),
                               suggestion(word, names, fmt::format("use {}", fmt::join(names, ", ")))));
}

/// The columns with these numbers.
Table picked(const Table& table, std::span<const std::size_t> numbers) {
  Table some{table.name, {}, std::vector<std::vector<Cell>>(table.rows.size())};
  for (const std::size_t c : numbers) {
    some.columns.push_back(table.columns[c]);
    for (std::size_t r = 0; r < table.rows.size(); ++r) some.rows[r].push_back(table.rows[r][c]);
  }
  return some;
}

std::string markdown_field(std::string_view text) {
  std::string field;
  for (char c : text) {
    if (c == '|' || c == '\\') field += '\\';
    field += c == '\n' ? ' ' : c;
  }
  return field;
}

}  // namespace

const Table& table_named(std::span<const Table> tables, std::string_view name) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const Table& table) { return table.name == name; });
  assert(found != tables.end());
  return *found;
}

Table some_columns(const Table& table, std::span<const std::string_view> names) {
  std::vector<std::size_t> numbers;
  for (const std::string_view name : names)
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].name == name) numbers.push_back(c);
  return picked(table, numbers);
}

Table without_columns(const Table& table, std::initializer_list<std::string_view> names) {
  std::vector<std::size_t> numbers;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (std::find(names.begin(), names.end(), table.columns[c].name) == names.end()) numbers.push_back(c);
  return picked(table, numbers);
}

Table without_empty_columns(const Table& table) {
  std::vector<std::size_t> numbers;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto says = [c](const auto& row) { return !std::holds_alternative<std::monostate>(row[c]); };
    if (table.rows.empty() || std::any_of(table.rows.begin(), table.rows.end(), says)) numbers.push_back(c);
  }
  return picked(table, numbers);
}

bool is_meant(const ColumnSchema& column, std::string_view word) {
  for (const std::string_view unit : {"", "_us", "_flop_per_byte", "_percent"})
    if (column.name == std::string(word) + std::string(unit)) return true;
  return false;
}

Table choose_columns(const Table& table, std::span<const std::string> names) {
  std::vector<std::size_t> numbers;
  for (const auto& name : names) {
    if (name != "all") {
      numbers.push_back(find_column(table, name));
      continue;
    }
    for (std::size_t c = 0; c < table.columns.size(); ++c) numbers.push_back(c);
  }
  return picked(table, numbers);
}

std::vector<std::string> parse_column_names(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& word : split(text, ','))
    if (!trim(word).empty()) names.emplace_back(trim(word));
  if (names.empty()) throw UsageError("--columns needs names of columns, such as name,type,mean_us,p99_us");
  return names;
}

std::string to_markdown(const Table& table) {
  std::string text = "|", rule = "|";
  for (const auto& column : table.columns) text += " " + markdown_field(column.title) + " |", rule += "---|";
  text += "\n" + rule + "\n";
  for (const auto& row : shown_cells(table)) {
    text += "|";
    for (const auto& shown : row) text += " " + markdown_field(shown.empty() ? "–" : shown) + " |";
    text += "\n";
  }
  return text;
}

}  // namespace takt
