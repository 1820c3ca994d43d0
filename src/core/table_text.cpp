// Aligned text for terminals. Numbers stand right, in one unit and with one number of digits per column; the widest
// text columns give way first when the table would be wider than asked.
#include <algorithm>

#include "core/check.h"
#include "core/number_form.h"
#include "core/short_names.h"
#include "core/table.h"
#include "core/text.h"

namespace takt {
namespace {

constexpr std::string_view missing = "–";
constexpr std::string_view column_gap = "  ";

/// The numbers of a column, of one kind.
template <typename Number>
NumberForm form_of_column(const Table& table, std::size_t column) {
  std::vector<Number> numbers;
  for (const auto& row : table.rows)
    if (auto number = std::get_if<Number>(&row[column])) numbers.push_back(*number);
  return form_of(numbers);
}

std::string shown(const Cell& cell, const NumberForm& numbers, const NumberForm& times) {
  if (auto text = std::get_if<std::string>(&cell)) return printable(*text);
  if (auto whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (auto number = std::get_if<double>(&cell)) return formatted(*number, numbers);
  if (auto time = std::get_if<Duration>(&cell)) return formatted(*time, times);
  return std::string(missing);
}

struct Layout {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths;
  std::vector<bool> is_text;

  std::size_t total() const {
    std::size_t sum = column_gap.size() * (widths.empty() ? 0 : widths.size() - 1);
    for (std::size_t width : widths) sum += width;
    return sum;
  }
};

Layout lay_out(const Table& table) {
  Layout layout{shown_cells(table), {}, std::vector<bool>(table.columns.size(), false)};
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = display_width(table.columns[c].title);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      width = std::max(width, display_width(layout.cells[r][c]));
      if (std::holds_alternative<std::string>(table.rows[r][c])) layout.is_text[c] = true;
    }
    layout.widths.push_back(width);
  }
  return layout;
}

void narrow(Layout& layout, std::size_t width) {
  constexpr std::size_t narrowest = 8;
  while (layout.total() > width) {
    std::size_t widest = layout.widths.size();
    for (std::size_t c = 0; c < layout.widths.size(); ++c)
      if (layout.is_text[c] && layout.widths[c] > narrowest &&
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
    const NumberForm numbers = form_of_column<double>(table, c), times = form_of_column<Duration>(table, c);
    for (std::size_t r = 0; r < table.rows.size(); ++r) cells[r].push_back(shown(table.rows[r][c], numbers, times));
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
