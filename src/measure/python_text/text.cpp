#include "measure/python_text/text.h"

#include "base/basics/utf8.h"

namespace takt {

namespace {

struct Decoded {
  char32_t value;
  std::size_t bytes;
};

/// A byte that begins no character stands for itself.
Decoded decode(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length == 0) return {static_cast<unsigned char>(text.front()), 1};
  return {utf8_value(text, length), length};
}

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

}  // namespace

std::u32string to_code_points(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const Decoded next = decode(text);
    points += next.value;
    text.remove_prefix(next.bytes);
  }
  return points;
}

std::string to_utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

std::size_t code_point_count(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(decode(text).bytes);
  return count;
}

bool python_is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::string_view python_rstrip(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text.substr(at));
    at += next.bytes;
    if (!python_is_space(next.value)) end = at;
  }
  return text.substr(0, end);
}

std::string_view python_strip(std::string_view text) {
  while (!text.empty()) {
    const Decoded first = decode(text);
    if (!python_is_space(first.value)) break;
    text.remove_prefix(first.bytes);
  }
  return python_rstrip(text);
}

std::vector<std::string> python_split_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text.substr(at));
    const std::size_t end = at;
    at += next.bytes;
    if (!is_line_end(next.value)) continue;
    if (next.value == '\r' && at < text.size() && text[at] == '\n') ++at;
    lines.emplace_back(text.substr(start, end - start));
    start = at;
  }
  if (start < text.size()) lines.emplace_back(text.substr(start));
  return lines;
}

}  // namespace takt
