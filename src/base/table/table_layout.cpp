#include "base/table/table_layout.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/basics/text.h"

namespace takt {
namespace {

constexpr std::size_t usual_narrowest = 8, longest_word = 24;

/// Columns whose words decide: what they say is never cut.
bool is_told_whole(std::string_view name) {
  constexpr std::array whole{"plan", "block", "description", "fix", "trouble"};
  constexpr std::array ends{"verdict", "reason", "problem", "obstacle", "because"};
  return std::find(whole.begin(), whole.end(), name) != whole.end() ||
         std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

/// "[whole run]": a figure of its own, which a reader must recognise.
bool is_named_row(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr && text->starts_with('[') && text->ends_with(']');
}

std::size_t width_of_longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (const auto& word : split(text, ' ')) longest = std::max(longest, display_width(word));
  return std::min(longest, longest_word);
}

/// A title in the two lines that are narrowest together.
std::string in_two_lines(const std::string& title) {
  std::string best = title;
  std::size_t narrowest = display_width(title);
  for (std::size_t blank = title.find(' '); blank != title.npos; blank = title.find(' ', blank + 1)) {
    const std::size_t width = std::max(display_width(title.substr(0, blank)), display_width(title.substr(blank + 1)));
    if (width >= narrowest) continue;
    narrowest = width, best = title.substr(0, blank) + "\n" + title.substr(blank + 1);
  }
  return best;
}

std::size_t width_of_title(const std::string& title) {
  std::size_t width = 0;
  for (const auto& line : split(title, '\n')) width = std::max(width, display_width(line));
  return width;
}

/// Titles take two lines, the one that gains most first, until the table fits.
void narrow_titles(TableLayout& layout, std::size_t width) {
  while (layout.total() > width) {
    std::size_t best = 0, gain = 0;
    std::string title;
    for (std::size_t c = 0; c < layout.titles.size(); ++c) {
      const std::string two = in_two_lines(layout.titles[c]);
      const std::size_t now = std::max({std::size_t{1}, width_of_title(two), layout.cell_widths[c]});
      if (now < layout.widths[c] && layout.widths[c] - now > gain) best = c, gain = layout.widths[c] - now, title = two;
    }
    if (gain == 0) return;
    layout.titles[best] = title, layout.widths[best] -= gain;
  }
}

void narrow_texts(TableLayout& layout, std::size_t width) {
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

/// How many of the first columns tell every row from every other; 1 where none do.
std::size_t columns_that_name_rows(const TableLayout& layout) {
  for (std::size_t count = 1; count <= 3 && count < layout.titles.size(); ++count) {
    std::set<std::vector<std::string>> names;
    for (const auto& row : layout.cells) names.insert({row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count)});
    if (names.size() == layout.cells.size()) return count;
  }
  return 1;
}

bool fits(const Table& table, std::size_t width) {
  TableLayout layout = lay_out(table);
  narrow(layout, width);
  return layout.total() <= width;
}

Table with_columns(const Table& table, std::span<const std::size_t> columns) {
  Table some{table.name, {}, std::vector<std::vector<Cell>>(table.rows.size())};
  for (const std::size_t c : columns) {
    some.columns.push_back(table.columns[c]);
    for (std::size_t r = 0; r < table.rows.size(); ++r) some.rows[r].push_back(table.rows[r][c]);
  }
  return some;
}

}  // namespace

std::size_t TableLayout::total() const {
  std::size_t sum = table_column_gap * (widths.empty() ? 0 : widths.size() - 1);
  for (const std::size_t width : widths) sum += width;
  return sum;
}

TableLayout lay_out(const Table& table) {
  TableLayout layout{.cells = shown_cells(table), .is_text = std::vector<bool>(table.columns.size(), false)};
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool whole = is_told_whole(table.columns[c].name);
    std::size_t widest = 0, narrowest = usual_narrowest;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const std::size_t cell = display_width(layout.cells[r][c]);
      widest = std::max(widest, cell);
      if (is_named_row(table.rows[r][c])) narrowest = std::max(narrowest, cell);
      if (whole) narrowest = std::max(narrowest, width_of_longest_word(layout.cells[r][c]));
      if (std::holds_alternative<std::string>(table.rows[r][c])) layout.is_text[c] = true;
    }
    layout.titles.push_back(table.columns[c].title);
    layout.is_whole.push_back(whole);
    layout.cell_widths.push_back(widest);
    layout.widths.push_back(std::max(widest, display_width(table.columns[c].title)));
    layout.narrowest.push_back(narrowest);
  }
  return layout;
}

void narrow(TableLayout& layout, std::size_t width) {
  narrow_titles(layout, width);
  narrow_texts(layout, width);
}

std::vector<Table> divided_by_columns(const Table& table, std::size_t width) {
  const std::size_t names = columns_that_name_rows(lay_out(table));
  std::vector<std::size_t> naming(names);
  for (std::size_t c = 0; c < names; ++c) naming[c] = c;
  std::vector<Table> pieces;
  std::vector<std::size_t> columns = naming;
  for (std::size_t c = names; c < table.columns.size(); ++c) {
    columns.push_back(c);
    if (columns.size() == names + 1 || fits(with_columns(table, columns), width)) continue;
    columns.pop_back();
    pieces.push_back(with_columns(table, columns));
    columns = naming;
    columns.push_back(c);
  }
  pieces.push_back(with_columns(table, columns));
  return pieces;
}

}  // namespace takt
