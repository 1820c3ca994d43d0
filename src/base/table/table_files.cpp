// CSV and JSON, for machines: every value in full.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/basics/check.h"
#include "base/basics/text.h"
#include "base/table/csv.h"
#include "base/table/long_table.h"

namespace takt {
namespace {

constexpr std::size_t rows_at_once = 4096;

/// A cell for machines: numbers in full precision, durations in microseconds, nothing for what is not known.
std::string plain_text(const Cell& cell) {
  if (auto text = std::get_if<std::string>(&cell)) return *text;
  if (auto whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  if (auto number = std::get_if<double>(&cell)) return std::isfinite(*number) ? fmt::format("{}", *number) : "";
  if (auto time = std::get_if<Duration>(&cell))
    return std::isfinite(time->count()) ? fmt::format("{}", time->count()) : "";
  return "";
}

std::string json_value(const Cell& cell) {
  if (auto text = std::get_if<std::string>(&cell)) return json_quote(*text);
  std::string plain = plain_text(cell);
  return plain.empty() ? "null" : plain;
}

/// Calls `take` with some rows after others, at least once, also where there is none.
template <typename Take>
void each_piece(const LongTable& table, Take take) {
  std::size_t first = 0;
  do {
    const Table piece = table.make(first, rows_at_once);
    for (const auto& row : piece.rows) TAKT_CHECK(row.size() == piece.columns.size());
    take(piece, first == 0);
    first += rows_at_once;
  } while (first < table.rows);
}

std::string csv_line(const std::vector<Cell>& row) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) line += (c ? "," : "") + csv_cell(plain_text(row[c]));
  return line + '\n';
}

std::string csv_head(const Table& table) {
  std::string line;
  for (std::size_t c = 0; c < table.columns.size(); ++c) line += (c ? "," : "") + csv_cell(table.columns[c].name);
  return line + '\n';
}

void write_json_rows(const LongTable& table, const TableSink& sink) {
  bool is_empty = true;
  sink("[");
  each_piece(table, [&](const Table& piece, bool) {
    std::string text;
    for (const auto& row : piece.rows) {
      text += is_empty ? "\n      {" : ",\n      {";
      is_empty = false;
      for (std::size_t c = 0; c < row.size(); ++c)
        text += fmt::format("{}{}: {}", c == 0 ? "" : ", ", json_quote(piece.columns[c].name), json_value(row[c]));
      text += "}";
    }
    sink(text);
  });
  sink(is_empty ? "]" : "\n    ]");
}

}  // namespace

LongTable whole_table(const Table& table) {
  return {table.name, 0, [&table](std::size_t, std::size_t) { return table; }};
}

void write_csv(const LongTable& table, const TableSink& sink) {
  each_piece(table, [&](const Table& piece, bool is_first) {
    std::string text = is_first ? csv_head(piece) : "";
    for (const auto& row : piece.rows) text += csv_line(row);
    sink(text);
  });
}

void write_json(std::span<const LongTable> tables, std::string_view provenance_json, const TableSink& sink) {
  sink(fmt::format("{{\n  \"takt\": {},\n  \"tables\": {{", provenance_json));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    sink(fmt::format("{}\n    {}: ", i == 0 ? "" : ",", json_quote(tables[i].name)));
    write_json_rows(tables[i], sink);
  }
  sink("\n  }\n}\n");
}

std::string to_csv(const Table& table) {
  std::string text;
  write_csv(whole_table(table), [&](std::string_view piece) { text += piece; });
  return text;
}

std::string to_json(std::span<const Table> tables, std::string_view provenance_json) {
  std::vector<LongTable> list;
  for (const Table& table : tables) list.push_back(whole_table(table));
  std::string text;
  write_json(list, provenance_json, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace takt
