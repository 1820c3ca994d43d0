// Aligned text for terminals. Numbers stand right, in one unit and with one number of digits per column; table_layout.h
// says what gives way when the table would be wider than asked.
//
// Keys that end in _percent are percentages and have no unit; ends of intervals (…low_percent, …high_percent) that are
// beyond a thousand say "> 1000".
#include <algorithm>

#include "base/basics/check.h"
#include "base/basics/text.h"
#include "base/table/number_form.h"
#include "base/table/short_names.h"
#include "base/table/table.h"
#include "base/table/table_layout.h"

namespace takt {
namespace {

constexpr std::string_view missing = "–";

bool is_percentage(const ColumnSchema& column) { return column.name.ends_with("_percent"); }

/// The end of an interval that is further away says only that nothing is known.
bool is_beyond(const ColumnSchema& column, double number) {
  return number > furthest_percentage &&
         (column.name.ends_with("low_percent") || column.name.ends_with("high_percent"));
}

NumberForm form_of_numbers(const Table& table, std::size_t column) {
  std::vector<double> numbers;
  for (const auto& row : table.rows)
    if (const auto* number = std::get_if<double>(&row[column]); number && !is_beyond(table.columns[column], *number))
      numbers.push_back(*number);
  return is_percentage(table.columns[column]) ? form_of_percentages(numbers) : form_of(numbers);
}

NumberForm form_of_times(const Table& table, std::size_t column) {
  std::vector<Duration> times;
  for (const auto& row : table.rows)
    if (const auto* time = std::get_if<Duration>(&row[column])) times.push_back(*time);
  return form_of(times);
}

std::string shown(const Cell& cell, const ColumnSchema& column, const NumberForm& numbers, const NumberForm& times) {
  if (auto text = std::get_if<std::string>(&cell)) return printable(*text);
  if (auto whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (auto number = std::get_if<double>(&cell))
    return is_beyond(column, *number) ? percentage_text(*number) : formatted(*number, numbers);
  if (auto time = std::get_if<Duration>(&cell)) return formatted(*time, times);
  return std::string(missing);
}

/// Names in the width of their column; what is told whole goes on in further lines.
void fit_cells(TableLayout& layout) {
  for (std::size_t c = 0; c < layout.widths.size(); ++c) {
    if (!layout.is_text[c]) continue;
    std::vector<std::string> column;
    for (const auto& row : layout.cells)
      column.push_back(layout.is_whole[c] ? wrapped(row[c], layout.widths[c]) : row[c]);
    if (!layout.is_whole[c]) column = short_names(column, layout.widths[c]);
    for (std::size_t r = 0; r < column.size(); ++r) layout.cells[r][c] = std::move(column[r]);
  }
}

std::string without_blank_end(std::string line) { return line.erase(line.find_last_not_of(' ') + 1) + '\n'; }

/// The lines of a row; `paint_of` says how the cell of a column is painted. Blanks are never painted. A title that has
/// fewer lines than others stands above the rule, a cell at the top of its row.
template <typename PaintOf>
std::string lines_of(const TableLayout& layout, const std::vector<std::string>& row, bool at_the_bottom, bool colour,
                     PaintOf paint_of) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (const auto& cell : row) {
    cells.push_back(split(cell, '\n'));
    height = std::max(height, cells.back().size());
  }
  std::string lines;
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t above = at_the_bottom ? height - cells[c].size() : 0;
      std::string cell = i >= above && i - above < cells[c].size() ? cells[c][i - above] : "";
      if (display_width(cell) > layout.widths[c]) cell = short_names(std::vector{cell}, layout.widths[c]).front();
      const std::string padding(layout.widths[c] - std::min(layout.widths[c], display_width(cell)), ' ');
      cell = painted(cell, paint_of(c), colour);
      line += (c ? std::string(table_column_gap, ' ') : "") + (layout.is_text[c] ? cell + padding : padding + cell);
    }
    lines += without_blank_end(std::move(line));
  }
  return lines;
}

std::string drawn(const Table& table, TableLayout layout, const TextStyle& style) {
  fit_cells(layout);
  std::string text = lines_of(layout, layout.titles, true, style.colour, [](std::size_t) { return Paint::bold; });
  for (std::size_t i = 0; i < layout.total(); ++i) text += "─";
  text += '\n';
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    text += lines_of(layout, layout.cells[r], false, style.colour, [&](std::size_t c) {
      return style.paint ? style.paint(table.columns[c], table.rows[r][c]) : Paint::plain;
    });
  return text;
}

}  // namespace

std::vector<std::vector<std::string>> shown_cells(const Table& table) {
  std::vector<std::vector<std::string>> cells(table.rows.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    for (const auto& row : table.rows) TAKT_CHECK(row.size() == table.columns.size());
    const NumberForm numbers = form_of_numbers(table, c), times = form_of_times(table, c);
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      cells[r].push_back(shown(table.rows[r][c], table.columns[c], numbers, times));
  }
  return cells;
}

std::size_t text_width(const Table& table) { return lay_out(table).total(); }

std::string to_text(const Table& table, const TextStyle& style) {
  TableLayout layout = lay_out(table);
  narrow(layout, style.width);
  if (layout.total() <= style.width) return drawn(table, std::move(layout), style);
  std::string text;
  for (const Table& piece : divided_by_columns(table, style.width)) {
    layout = lay_out(piece);
    narrow(layout, style.width);
    text += (text.empty() ? "" : "\n") + drawn(piece, std::move(layout), style);
  }
  return text;
}

std::string to_text(const Table& table, std::size_t width) { return to_text(table, TextStyle{.width = width}); }

}  // namespace takt
