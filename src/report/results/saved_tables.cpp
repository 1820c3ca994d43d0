#include "report/results/saved_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/files/json_object.h"

namespace takt {
namespace {

using nlohmann::json;

Cell cell_of(const json& value, const std::string& where) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer() && !value.is_number_unsigned()) return value.get<std::int64_t>();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{1} << 62)
    return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  refuse_input(fmt::format("{} is {}; a table of takt has numbers, texts and null", where, JsonObject::shown(value)));
}

/// "stage_time_us.STAGE" describes "stage_time_us.infer".
bool describes(const ColumnSchema& column, std::string_view key) {
  const auto point = column.name.find('.');
  return point == std::string::npos ? column.name == key : key.starts_with(column.name.substr(0, point + 1));
}

/// Every key of any row: the registry's first, in its order.
std::vector<ColumnSchema> columns_of(const json& rows, const TableSchema& schema) {
  std::vector<std::string> keys;
  for (const auto& row : rows)
    for (const auto& [key, value] : row.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  std::vector<ColumnSchema> columns;
  const auto take = [&](const std::string& key, const ColumnSchema& like) {
    ColumnSchema column{key, like.title, like.meaning};
    if (key != like.name && key.find('.') != key.npos) column.title += " " + key.substr(key.find('.') + 1);
    columns.push_back(std::move(column));
  };
  for (const ColumnSchema& known : schema.columns)
    std::erase_if(keys, [&](const std::string& key) {
      const bool is_it = describes(known, key);
      if (is_it) take(key, known);
      return is_it;
    });
  for (const std::string& key : keys) take(key, {key, key, "Not known to this version of takt."});
  return columns;
}

ReportTable table_of(const json& rows, const TableSchema& schema, const std::string& where) {
  const std::string place = where + ": table '" + schema.name + "'";
  JsonObject::list_in(rows, place);
  for (const auto& row : rows)
    if (!row.is_object())
      refuse_input(fmt::format("{} has a row that is {}; give an object", place, JsonObject::shown(row)));
  Table table{schema.name, columns_of(rows, schema), {}};
  for (const auto& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const auto& column : table.columns) {
      const auto found = row.find(column.name);
      cells.push_back(found == row.end() ? Cell() : cell_of(*found, place + ", '" + column.name + "'"));
    }
  }
  return {schema, std::move(table)};
}

}  // namespace

std::vector<ReportTable> saved_tables(const json& tables, const std::vector<TableSchema>& schemas,
                                      const std::string& where) {
  if (!tables.is_object())
    refuse_input(where + ": 'tables' is no object; give what a command printed with --format json");
  std::vector<ReportTable> list;
  for (const TableSchema& schema : schemas)
    if (const auto found = tables.find(schema.name); found != tables.end())
      list.push_back(table_of(*found, schema, where));
  for (const auto& [name, rows] : tables.items())
    if (!find_table(list, name))
      list.push_back(table_of(rows, {name, "Not known to this version of takt.", {}, {}}, where));
  return list;
}

const Table* find_table(const std::vector<ReportTable>& tables, std::string_view name) {
  for (const auto& one : tables)
    if (one.table.name == name) return &one.table;
  return nullptr;
}

const Cell* find_cell(const Table& table, std::size_t row, std::string_view column) {
  for (std::size_t at = 0; at < table.columns.size(); ++at)
    if (table.columns[at].name == column && row < table.rows.size()) return &table.rows[row][at];
  return nullptr;
}

std::optional<double> number_in(const Table& table, std::size_t row, std::string_view column) {
  const Cell* cell = find_cell(table, row, column);
  if (!cell) return std::nullopt;
  if (const auto* number = std::get_if<double>(cell)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(cell)) return static_cast<double>(*number);
  if (const auto* time = std::get_if<Duration>(cell)) return time->count();
  return std::nullopt;
}

std::string text_in(const Table& table, std::size_t row, std::string_view column) {
  const Cell* cell = find_cell(table, row, column);
  const auto* text = cell ? std::get_if<std::string>(cell) : nullptr;
  return text ? *text : std::string();
}

}  // namespace takt
