#include "base/basics/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/basics/utf8.h"

namespace takt {
namespace {

/// Insertions, deletions, replacements and swaps of neighbours; the commonest slip in a short word is a swap.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (a[i - 1] != b[j - 1]), last[j] + 1, row[j - 1] + 1});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view without_start(std::string_view text, std::string_view start) {
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> candidates) {
  std::size_t best = std::max<std::size_t>(1, (word.size() + 2) / 3) + 1;
  std::optional<std::string> nearest;
  for (const auto& candidate : candidates) {
    std::size_t distance = edit_distance(lower_case(word), lower_case(candidate));
    if (distance < best) best = distance, nearest = candidate;
  }
  return nearest;
}

std::string suggestion(std::string_view word, std::span<const std::string> known, std::string_view otherwise) {
  const auto near = nearest_word(word, known);
  return near ? fmt::format("did you mean '{}'?", *near) : std::string(otherwise);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  std::size_t column = indent;
  for (const auto& word : split(text, ' ')) {
    const std::size_t length = display_width(word);
    if (column > indent && column + 1 + length > width) lines += "\n" + std::string(indent, ' '), column = indent;
    if (column > indent) lines += ' ', ++column;
    lines += word;
    const auto line_end = word.rfind('\n');
    column = line_end == word.npos ? column + length : display_width(std::string_view(word).substr(line_end + 1));
  }
  return lines;
}

std::string json_quote(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    std::size_t length = utf8_length(text);
    char c = text.front();
    if (length == 0) {
      quoted += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      quoted += '\\', quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return quoted += '"';
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (; !text.empty(); ++width) text.remove_prefix(std::max<std::size_t>(utf8_length(text), 1));
  return width;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    std::size_t length = utf8_length(text);
    auto lead = static_cast<unsigned char>(text.front());
    bool c1_control = length == 2 && lead == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (length == 0 || lead < 0x20 || lead == 0x7F || c1_control)
      shown += fmt::format("\\x{:02x}", lead);
    else
      shown += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace takt
