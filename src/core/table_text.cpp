// Aligned text for terminals. Numbers stand right, in one unit and with one number of digits per column; the widest
// text columns give way first when the table would be wider than asked, but never a verdict or a named row.
//
// Keys that end in _percent are percentages and have no unit; ends of intervals (…low_percent, …high_percent) that are
// beyond a thousand say "> 1000".
#include <algorithm>

#include "base/basics/check.h"
#include "core/number_form.h"
#include "base/table/short_names.h"
#include "base/table/table.h"
#include "base/basics/text.h"

namespace takt {
namespace {

constexpr std::string_view missing = "–";
constexpr std::string_view column_gap = "  ";

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

/// "[whole run]": a figure of its own, which a reader must recognise.
bool is_named_row(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr && text->starts_with('[') && text->ends_with(']');
}

std::string shown(const Cell& cell, const ColumnSchema& column, const NumberForm& numbers, const NumberForm& times) {
  if (auto text = std::get_if<std::string>(&cell)) return printable(*text);
  if (auto whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (auto number = std::get_if<double>(&cell))
    return is_beyond(column, *number) ? percentage_text(*number) : formatted(*number, numbers);
  if (auto time = std::get_if<Duration>(&cell)) return formatted(*time, times);
  return std::string(missing);
}

struct Layout {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths, narrowest;  ///< by column
  std::vector<bool> is_text;

  std::size_t total() const {
    std::size_t sum = column_gap.size() * (widths.empty() ? 0 : widths.size() - 1);
    for (std::size_t width : widths) sum += width;
    return sum;
  }
};

Layout lay_out(const Table& table) {
  constexpr std::size_t usual_narrowest = 8;
  Layout layout{shown_cells(table), {}, {}, std::vector<bool>(table.columns.size(), false)};
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = display_width(table.columns[c].title), narrowest = usual_narrowest;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const std::size_t cell = display_width(layout.cells[r][c]);
      width = std::max(width, cell);
      if (is_named_row(table.rows[r][c])) narrowest = std::max(narrowest, cell);
      if (std::holds_alternative<std::string>(table.rows[r][c])) layout.is_text[c] = true;
    }
    if (table.columns[c].name == "verdict") narrowest = width;
    layout.widths.push_back(width);
    layout.narrowest.push_back(narrowest);
  }
  return layout;
}

void narrow(Layout& layout, std::size_t width) {
  while (layout.total() > width) {
    std::size_t widest = layout.widths.size();
    for (std::size_t c = 0; c < layout.widths.size(); ++c)
      if (layout.is_text[c] && layout.widths[c] > layout.narrowest[c] &&
          (widest == layout.widths.size() || layout.widths[c] > layout.widths[widest]))
        widest = c;
    if (widest == layout.widths.size()) return;
    --layout.widths[widest];
  }
}

void shorten_cells(Layout& layout) {
  for (std::size_t c = 0; c < layout.widths.size(); ++c) {
    if (!layout.is_text[c]) continue;
    std::vector<std::string> column;
    for (const auto& row : layout.cells) column.push_back(row[c]);
    column = short_names(column, layout.widths[c]);
    for (std::size_t r = 0; r < column.size(); ++r) layout.cells[r][c] = std::move(column[r]);
  }
}

std::string without_blank_end(std::string line) { return line.erase(line.find_last_not_of(' ') + 1) + '\n'; }

/// A line of cells; `paint_of` says how the one of a column is painted. Blanks are never painted.
template <typename PaintOf>
std::string line_of(const Layout& layout, const std::vector<std::string>& cells, bool colour, PaintOf paint_of) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string padding(layout.widths[c] - std::min(layout.widths[c], display_width(cells[c])), ' ');
    const std::string cell = painted(cells[c], paint_of(c), colour);
    line += (c ? std::string(column_gap) : "") + (layout.is_text[c] ? cell + padding : padding + cell);
  }
  return without_blank_end(std::move(line));
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
  Layout layout = lay_out(table);
  narrow(layout, style.width);
  shorten_cells(layout);
  std::vector<std::string> titles;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    titles.push_back(short_names(std::vector{table.columns[c].title}, layout.widths[c]).front());
  std::string text = line_of(layout, titles, style.colour, [](std::size_t) { return Paint::bold; });
  for (std::size_t i = 0; i < layout.total(); ++i) text += "─";
  text += '\n';
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    text += line_of(layout, layout.cells[r], style.colour, [&](std::size_t c) {
      return style.paint ? style.paint(table.columns[c], table.rows[r][c]) : Paint::plain;
    });
  return text;
}

std::string to_text(const Table& table, std::size_t width) { return to_text(table, TextStyle{.width = width}); }

}  // namespace takt
