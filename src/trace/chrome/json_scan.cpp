#include "trace/chrome/json_scan.h"

#include "base/basics/text.h"
#include "base/basics/utf8.h"

namespace takt::json_scan {
namespace {

constexpr std::size_t deepest = 1000;

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
        append_utf8(text, unicode_escape(raw, i));
        break;
      default:
        append_utf8(text, replacement_character);
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
