#include "trace/json_scan.h"

#include "core/text.h"

namespace takt::json_scan {
namespace {

constexpr std::size_t deepest = 1000;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Four hex digits at the front, or -1.
int hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  int value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::uint32_t code, std::string& text) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

/// `at` is behind "\u"; returns the code point and moves `at` over what belongs to it.
std::uint32_t unicode_escape(std::string_view raw, std::size_t& at) {
  constexpr std::uint32_t unknown = 0xFFFD;
  const int high = hex4(raw.substr(at));
  if (high < 0) return unknown;
  at += 4;
  if (high < 0xD800 || high > 0xDFFF) return static_cast<std::uint32_t>(high);
  if (high > 0xDBFF || raw.substr(at, 2) != "\\u") return unknown;
  const int low = hex4(raw.substr(at + 2));
  if (low < 0xDC00 || low > 0xDFFF) return unknown;
  at += 6;
  return 0x10000 + (static_cast<std::uint32_t>(high - 0xD800) << 10) + static_cast<std::uint32_t>(low - 0xDC00);
}

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

const char* copy_text(const char* p, const char* end, std::string& json, bool& repaired) {
  Text text;
  p = scan_text(p, end, text);
  if (p == nullptr) return nullptr;
  if (!text.has_escapes && !text.has_controls && is_ascii(text.raw)) {
    json.append("\"").append(text.raw).append("\"");
    return p;
  }
  std::string plain;
  unescape(text.raw, plain);
  json += json_quote(plain);
  repaired = repaired || text.has_controls;
  return p;
}

const char* copy_word(const char* p, const char* end, std::string& json, bool& repaired) {
  std::string_view word;
  p = scan_word(p, end, word);
  if (p == nullptr) return nullptr;
  if (word == "true" || word == "false" || word == "null" || is_number(word)) {
    json += word;
  } else if (word == "NaN" || word == "nan" || word.ends_with("Infinity") || word.ends_with("inf")) {
    json += "null";
    repaired = true;
  } else {
    return nullptr;
  }
  return p;
}

}  // namespace

const char* scan_text(const char* p, const char* end, Text& text) {
  const char* const begin = p;
  text.has_escapes = text.has_controls = false;
  while (true) {
    p = find_special(p, end);
    if (p >= end) return nullptr;
    if (*p == '"') break;
    if (*p == '\\') {
      text.has_escapes = true;
      p += end - p < 2 ? end - p : 2;
    } else {
      text.has_controls = true;
      ++p;
    }
  }
  text.raw = std::string_view(begin, static_cast<std::size_t>(p - begin));
  return p + 1;
}

void unescape(std::string_view raw, std::string& text) {
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] != '\\') {
      text += raw[i++];
      continue;
    }
    const char kind = i + 1 < raw.size() ? raw[i + 1] : '\0';
    i += 2;
    switch (kind) {
      case '"':
      case '\\':
      case '/':
        text += kind;
        break;
      case 'b':
        text += '\b';
        break;
      case 'f':
        text += '\f';
        break;
      case 'n':
        text += '\n';
        break;
      case 'r':
        text += '\r';
        break;
      case 't':
        text += '\t';
        break;
      case 'u':
        append_utf8(unicode_escape(raw, i), text);
        break;
      default:
        append_utf8(0xFFFD, text);
    }
  }
}

bool is_number(std::string_view word) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < word.size() && word[i] >= '0' && word[i] <= '9') ++i;
    return i - begin;
  };
  if (i < word.size() && word[i] == '-') ++i;
  const std::size_t first = i, whole = digits();
  if (whole == 0 || (whole > 1 && word[first] == '0')) return false;
  if (i < word.size() && word[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < word.size() && (word[i] == 'e' || word[i] == 'E')) {
    ++i;
    if (i < word.size() && (word[i] == '+' || word[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == word.size();
}

const char* copy_value(const char* p, const char* end, std::string& json, bool& repaired) {
  std::string open;  // the closing brackets that are due
  while (true) {
    p = skip_blanks(p, end);
    if (p >= end) return nullptr;
    const char c = *p;
    if (c == '{' || c == '[') {
      if (open.size() == deepest) return nullptr;
      open += c == '{' ? '}' : ']';
      json += c;
      p = skip_blanks(p + 1, end);
      if (p >= end || *p != open.back()) {
        if (c == '[') continue;
      }
    } else {
      p = c == '"' ? copy_text(p + 1, end, json, repaired) : copy_word(p, end, json, repaired);
    }
    // After a value, or at the start of an object: closing brackets, a comma, a key.
    while (p != nullptr) {
      if (open.empty()) return p;
      p = skip_blanks(p, end);
      if (p >= end) return nullptr;
      if (*p == open.back()) {
        json += open.back();
        open.pop_back();
        ++p;
        continue;
      }
      const bool first = json.back() == '{';
      if (!first) {
        if (*p != ',') return nullptr;
        json += ',';
        p = skip_blanks(p + 1, end);
      }
      if (open.back() == ']') break;
      if (p >= end || *p != '"') return nullptr;
      p = copy_text(p + 1, end, json, repaired);
      if (p == nullptr) return nullptr;
      p = skip_blanks(p, end);
      if (p >= end || *p != ':') return nullptr;
      json += ':';
      ++p;
      break;
    }
    if (p == nullptr) return nullptr;
  }
}

const char* skip_value(const char* p, const char* end) {
  p = skip_blanks(p, end);
  if (p >= end) return nullptr;
  std::size_t depth = 0;
  do {
    if (*p == '"') {
      Text text;
      p = scan_text(p + 1, end, text);
      if (p == nullptr) return nullptr;
    } else if (*p == '{' || *p == '[') {
      ++depth;
      ++p;
    } else if (*p == '}' || *p == ']') {
      if (depth == 0) return nullptr;
      --depth;
      ++p;
    } else if (depth == 0) {
      std::string_view word;
      return scan_word(p, end, word);
    } else {
      ++p;
    }
  } while (depth > 0 && p < end);
  return depth == 0 ? p : nullptr;
}

}  // namespace takt::json_scan
