// CSV, Markdown and JSON; the aligned text is in table_text.cpp.
#include "core/table.h"

#include <fmt/format.h>

#include <cmath>

#include "core/text.h"

namespace takt {
namespace {

/// A cell for machines: numbers in full precision, durations in microseconds, nothing for what is not known.
std::string plain_text(const Cell& cell) {
  if (auto text = std::get_if<std::string>(&cell)) return *text;
  if (auto whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  if (auto number = std::get_if<double>(&cell)) return std::isfinite(*number) ? fmt::format("{}", *number) : "";
  if (auto time = std::get_if<Duration>(&cell))
    return std::isfinite(time->count()) ? fmt::format("{}", time->count()) : "";
  return "";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string json_value(const Cell& cell) {
  if (auto text = std::get_if<std::string>(&cell)) return json_quote(*text);
  std::string plain = plain_text(cell);
  return plain.empty() ? "null" : plain;
}

std::string markdown_field(std::string_view text) {
  std::string field;
  for (char c : text) {
    if (c == '|' || c == '\\') field += '\\';
    field += c == '\n' ? ' ' : c;
  }
  return field;
}

std::string json_rows(const Table& table) {
  std::string text = "[";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    text += r == 0 ? "\n      {" : ",\n      {";
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      text +=
          fmt::format("{}{}: {}", c == 0 ? "" : ", ", json_quote(table.columns[c].name), json_value(table.rows[r][c]));
    text += "}";
  }
  return text + (table.rows.empty() ? "]" : "\n    ]");
}

}  // namespace

Table some_columns(const Table& table, std::span<const std::string_view> names) {
  Table some{table.name, {}, std::vector<std::vector<Cell>>(table.rows.size())};
  for (const std::string_view name : names) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].name != name) continue;
      some.columns.push_back(table.columns[c]);
      for (std::size_t r = 0; r < table.rows.size(); ++r) some.rows[r].push_back(table.rows[r][c]);
    }
  }
  return some;
}

std::string to_csv(const Table& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += (c ? "," : "") + csv_field(table.columns[c].name);
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) text += (c ? "," : "") + csv_field(plain_text(row[c]));
    text += '\n';
  }
  return text;
}

std::string to_markdown(const Table& table) {
  std::string text = "|", rule = "|";
  for (const auto& column : table.columns) text += " " + markdown_field(column.title) + " |", rule += "---|";
  text += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const auto& cell : row) {
      auto time = std::get_if<Duration>(&cell);
      std::string shown = time ? format_duration(*time) : plain_text(cell);
      text += " " + markdown_field(shown.empty() ? "–" : shown) + " |";
    }
    text += "\n";
  }
  return text;
}

std::string to_json(std::span<const Table> tables, std::string_view provenance_json) {
  std::string text = fmt::format("{{\n  \"takt\": {},\n  \"tables\": {{", provenance_json);
  for (std::size_t i = 0; i < tables.size(); ++i)
    text += fmt::format("{}\n    {}: {}", i == 0 ? "" : ",", json_quote(tables[i].name), json_rows(tables[i]));
  return text + "\n  }\n}\n";
}

}  // namespace takt
