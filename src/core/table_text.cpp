// Aligned text for terminals. Numbers stand right so that their digits line up; the widest text columns give way first
// when the table would be wider than asked.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/table.h"
#include "core/text.h"

namespace takt {
namespace {

constexpr std::string_view missing = "–";
constexpr std::string_view gap = "  ";

std::string number_text(double value) {
  if (!std::isfinite(value)) return std::string(missing);
  double size = std::abs(value);
  if (value == std::floor(value) && size < 1e6) return fmt::format("{:.0f}", value);
  if (size >= 1e6 || (size < 1e-3 && size > 0)) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, size >= 100 ? 1 : size >= 1 ? 2 : 4);
}

std::string shown(const Cell& cell) {
  if (auto text = std::get_if<std::string>(&cell)) return printable(*text);
  if (auto whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  if (auto number = std::get_if<double>(&cell)) return number_text(*number);
  if (auto time = std::get_if<Duration>(&cell)) return format_duration(*time);
  return std::string(missing);
}

struct Layout {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths;
  std::vector<bool> is_text;

  std::size_t total() const {
    std::size_t sum = gap.size() * (widths.empty() ? 0 : widths.size() - 1);
    for (std::size_t width : widths) sum += width;
    return sum;
  }
};

Layout lay_out(const Table& table) {
  Layout layout;
  for (const auto& column : table.columns) layout.widths.push_back(display_width(column.title));
  layout.is_text.assign(table.columns.size(), false);
  for (const auto& row : table.rows) {
    auto& line = layout.cells.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      line.push_back(shown(row[c]));
      layout.widths[c] = std::max(layout.widths[c], display_width(line.back()));
      if (std::holds_alternative<std::string>(row[c])) layout.is_text[c] = true;
    }
  }
  return layout;
}

void shrink(Layout& layout, std::size_t width) {
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

/// Keeps both ends of a long name: model exporters put the telling part last.
std::string fit(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::vector<std::string_view> points;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    points.push_back(text.substr(i, end - i));
    i = end;
  }
  std::size_t tail = (width - 1) / 2, head = width - 1 - tail;
  std::string fitted;
  for (std::size_t i = 0; i < head; ++i) fitted += points[i];
  fitted += "…";
  for (std::size_t i = points.size() - tail; i < points.size(); ++i) fitted += points[i];
  return fitted;
}

std::string aligned(const std::string& text, std::size_t width, bool left) {
  std::string padding(width - display_width(text), ' ');
  return left ? text + padding : padding + text;
}

}  // namespace

std::string to_text(const Table& table, std::size_t width) {
  Layout layout = lay_out(table);
  shrink(layout, width);
  auto line = [&](auto&& cell_at) {
    std::string text;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      text +=
          (c ? std::string(gap) : "") + aligned(fit(cell_at(c), layout.widths[c]), layout.widths[c], layout.is_text[c]);
    return text.erase(text.find_last_not_of(' ') + 1) + '\n';
  };
  std::string text = line([&](std::size_t c) { return table.columns[c].title; });
  std::string rule;
  for (std::size_t i = 0; i < layout.total(); ++i) rule += "─";
  text += rule + '\n';
  for (const auto& row : layout.cells) text += line([&](std::size_t c) { return row[c]; });
  return text;
}

}  // namespace takt
