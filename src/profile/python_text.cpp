#include "profile/python_text.h"

namespace takt {

namespace {

struct Decoded {
  char32_t value;
  std::size_t bytes;
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (length == 1 || length > text.size()) return {lead, 1};
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  return {value, length};
}

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  }
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
