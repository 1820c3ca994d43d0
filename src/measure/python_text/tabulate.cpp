#include "measure/python_text/tabulate.h"

#include <algorithm>
#include <cmath>

#include "base/basics/text.h"
#include "measure/python_text/format.h"
#include "measure/python_text/regex.h"
#include "measure/python_text/text.h"

namespace takt {

TabulateCell TabulateCell::of_integer(long long number) {
  TabulateCell cell(std::to_string(number));
  cell.kind = Kind::integer;
  return cell;
}

TabulateCell TabulateCell::of_real(double number) {
  TabulateCell cell(python_repr(number));
  cell.kind = Kind::real;
  cell.value = number;
  return cell;
}

namespace {

constexpr std::size_t header_padding = 2;

struct Line {
  std::string_view begin, fill, separator, end;
};

struct Style {
  Line above, below_header, between, below;  ///< an empty `fill`: no such line
  std::string_view row_begin, row_separator, row_end;
  std::size_t padding;
  bool frame_hidden_by_header;
};

const Style& style_of(TabulateStyle style) {
  static constexpr Style simple{
      {"", "-", "  ", ""}, {"", "-", "  ", ""}, {}, {"", "-", "  ", ""}, "", "  ", "", 0, true};
  static constexpr Style fancy_grid{
      {"╒", "═", "╤", "╕"}, {"╞", "═", "╪", "╡"}, {"├", "─", "┼", "┤"}, {"╘", "═", "╧", "╛"}, "│", "│", "│", 1, false};
  static constexpr Style orgtbl{{}, {"|", "-", "+", "|"}, {}, {}, "|", "|", "|", 1, false};
  return style == TabulateStyle::simple ? simple : style == TabulateStyle::fancy_grid ? fancy_grid : orgtbl;
}

std::string replace_matches(const Regex& regex, const std::string& text, bool keep_group) {
  std::string out;
  std::size_t at = 0;
  while (const auto match = regex.find(text, at)) {
    out += text.substr(at, match->start - at);
    if (keep_group) out += text.substr(match->group_start, match->group_end - match->group_start);
    at = match->end;
  }
  return out + text.substr(at);
}

/// The text without terminal colours and links.
std::string visible(const std::string& text) {
  static const Regex link("\\x{1B}\\]8;[a-zA-Z0-9:]*;[^\\x{1B}]+\\x{1B}\\\\([^\\x{1b}]+)\\x{1B}\\]8;;\\x{1B}\\\\");
  static const Regex codes("\\x{1b}\\[\\d+[;\\d]*m|\\x{1b}\\[\\d*;\\d*;\\d*m|\\x{1b}\\]8;;(.*?)\\x{1b}\\\\");
  if (text.find('\x1b') == std::string::npos) return text;
  return replace_matches(codes, replace_matches(link, text, true), false);
}

std::size_t width_of_line(const std::string& line) { return code_point_count(visible(line)); }

/// Pieces between carriage returns and line feeds, as re.split("[\r\n]") gives them.
std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '\r' || c == '\n')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::size_t width_of_cell(const std::string& text, bool multiline) {
  if (!multiline) return width_of_line(text);
  std::size_t width = 0;
  for (const auto& piece : pieces(text)) width = std::max(width, width_of_line(piece));
  return width;
}

bool is_number(const std::string& text) {
  const auto value = python_float(text);
  if (!value) return false;
  if (std::isfinite(*value)) return true;
  const std::string lower = lower_case(text);
  return lower == "inf" || lower == "-inf" || lower == "nan";
}

enum class ColumnType { boolean, integer, real, text };

ColumnType type_of(const TabulateCell& cell) {
  if (cell.kind == TabulateCell::Kind::integer) return ColumnType::integer;
  if (cell.kind == TabulateCell::Kind::real) return ColumnType::real;
  const std::string text = visible(cell.text);
  if (text == "True" || text == "False") return ColumnType::boolean;
  if (python_int(text)) return ColumnType::integer;
  return is_number(text) ? ColumnType::real : ColumnType::text;
}

ColumnType type_of_column(const std::vector<TabulateCell>& column) {
  ColumnType type = ColumnType::boolean;
  for (const auto& cell : column) type = std::max(type, type_of(cell));
  return type;
}

std::string format_cell(const TabulateCell& cell, ColumnType type) {
  if (type != ColumnType::real) return cell.text;
  if (cell.kind == TabulateCell::Kind::real) return python_general(cell.value);
  const std::string plain = visible(cell.text);
  const auto value = python_float(plain);
  if (!value) return cell.text;  // "True" among numbers, where tabulate gives up
  std::string out = cell.text;
  const auto at = out.find(plain);
  return at == std::string::npos ? out : out.replace(at, plain.size(), python_general(*value));
}

/// Characters after the decimal point; an exponent mark counts as one where there is no point. -1: a whole number.
std::ptrdiff_t after_point(const std::string& text) {
  if (!is_number(text) || python_int(text)) return -1;
  auto at = text.rfind('.');
  if (at == std::string::npos) at = lower_case(text).rfind('e');
  return at == std::string::npos ? -1 : static_cast<std::ptrdiff_t>(text.size() - at - 1);
}

std::string padded(const std::string& text, std::size_t width, bool to_right) {
  const std::size_t have = width_of_line(text);
  const std::string blanks(width > have ? width - have : 0, ' ');
  return to_right ? blanks + text : text + blanks;
}

std::string padded_cell(const std::string& text, std::size_t width, bool to_right, bool multiline) {
  if (!multiline) return padded(text, width, to_right);
  std::string out;
  bool first = true;
  for (const auto& line : python_split_lines(text)) {
    if (!first) out += '\n';
    out += padded(line, width, to_right);
    first = false;
  }
  return out;
}

struct Layout {
  bool multiline = false;
  std::vector<bool> numeric;
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> columns;  ///< padded cells
};

/// Formats and pads one column; returns its width.
std::size_t align_column(std::vector<std::string>& cells, bool numeric, std::size_t least, bool multiline) {
  if (numeric) {
    std::vector<std::ptrdiff_t> decimals;
    for (const auto& cell : cells) decimals.push_back(after_point(visible(cell)));
    const auto most = *std::max_element(decimals.begin(), decimals.end());
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].append(most - decimals[i], ' ');
  } else {
    for (auto& cell : cells) cell = std::string(python_strip(cell));
  }
  std::size_t width = least;
  for (const auto& cell : cells) width = std::max(width, width_of_cell(cell, multiline));
  for (auto& cell : cells) cell = padded_cell(cell, width, numeric, multiline);
  return width;
}

bool has_line_end(const std::string& text) { return text.find_first_of("\r\n") != std::string::npos; }

Layout lay_out(const std::vector<std::vector<TabulateCell>>& rows, const std::vector<std::string>& headers) {
  Layout layout;
  for (const auto& header : headers) layout.multiline = layout.multiline || has_line_end(header);
  for (const auto& row : rows)
    for (const auto& cell : row) layout.multiline = layout.multiline || has_line_end(cell.text);
  const std::size_t count = rows.empty() ? headers.size() : rows.front().size();
  for (std::size_t c = 0; c < count; ++c) {
    const std::size_t least = headers.empty() ? 0 : width_of_cell(headers[c], layout.multiline) + header_padding;
    auto& cells = layout.columns.emplace_back();
    if (rows.empty()) {
      layout.numeric.push_back(false);
      layout.widths.push_back(least);
      continue;
    }
    std::vector<TabulateCell> column;
    for (const auto& row : rows) column.push_back(row[c]);
    const ColumnType type = type_of_column(column);
    for (const auto& cell : column) cells.push_back(format_cell(cell, type));
    layout.numeric.push_back(type == ColumnType::integer || type == ColumnType::real);
    layout.widths.push_back(align_column(cells, layout.numeric.back(), least, layout.multiline));
  }
  return layout;
}

class Drawing {
 public:
  Drawing(const Style& style, const Layout& layout) : style_(style), layout_(layout) {}

  void rule(const Line& line) {
    if (line.fill.empty()) return;
    std::string text(line.begin);
    for (std::size_t c = 0; c < layout_.widths.size(); ++c) {
      if (c > 0) text += line.separator;
      for (std::size_t i = 0; i < layout_.widths[c] + 2 * style_.padding; ++i) text += line.fill;
    }
    add(text + std::string(line.end));
  }

  void row(const std::vector<std::string>& cells) {
    if (!layout_.multiline) return physical_row(cells);
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 0;
    for (const auto& cell : cells) height = std::max(height, lines.emplace_back(python_split_lines(cell)).size());
    for (std::size_t i = 0; i < height; ++i) {
      std::vector<std::string> parts;
      for (std::size_t c = 0; c < cells.size(); ++c)
        parts.push_back(i < lines[c].size() ? lines[c][i] : std::string(layout_.widths[c], ' '));
      physical_row(parts);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void physical_row(const std::vector<std::string>& cells) {
    const std::string pad(style_.padding, ' ');
    std::string text(style_.row_begin);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) text += style_.row_separator;
      text += pad + cells[c] + pad;
    }
    add(text + std::string(style_.row_end));
  }

  void add(const std::string& line) {
    if (!first_) text_ += '\n';
    first_ = false;
    text_ += python_rstrip(line);
  }

  const Style& style_;
  const Layout& layout_;
  std::string text_;
  bool first_ = true;
};

std::vector<std::string> padded_headers(const std::vector<std::string>& headers, const Layout& layout) {
  std::vector<std::string> out;
  for (std::size_t c = 0; c < headers.size(); ++c)
    out.push_back(padded_cell(headers[c], layout.widths[c], layout.numeric[c], layout.multiline));
  return out;
}

}  // namespace

std::string tabulate(const std::vector<std::vector<TabulateCell>>& rows, const std::vector<std::string>& headers,
                     TabulateStyle style_name) {
  if (rows.empty() && headers.empty()) return "";
  const Style& style = style_of(style_name);
  const Layout layout = lay_out(rows, headers);
  Drawing drawing(style, layout);
  const bool framed = headers.empty() || !style.frame_hidden_by_header;
  if (framed) drawing.rule(style.above);
  if (!headers.empty()) {
    drawing.row(padded_headers(headers, layout));
    drawing.rule(style.below_header);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r > 0) drawing.rule(style.between);
    std::vector<std::string> cells;
    for (const auto& column : layout.columns) cells.push_back(column[r]);
    drawing.row(cells);
  }
  if (framed) drawing.rule(style.below);
  return drawing.take();
}

}  // namespace takt
