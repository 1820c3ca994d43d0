// Values of an event's fields in any form that JSON allows: texts with escapes, ids that are numbers or texts, arrows.
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/basics/text.h"
#include "trace/chrome/events.h"
#include "trace/chrome/json_scan.h"

namespace takt::chrome {

using json_scan::read_number;
using json_scan::scan_plain_text;
using json_scan::scan_text;
using json_scan::scan_word;
using json_scan::skip_blanks;

namespace {

/// Hex with or without 0x, as importers read ids.
bool read_hex(std::string_view word, std::uint64_t& value) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

const char* EventParser::parse_phase(const char* p, Event& event) {
  if (*p != '"') return json_scan::skip_value(p, end_);
  json_scan::Text text;
  p = scan_text(p + 1, end_, text);
  if (p != nullptr && !text.raw.empty()) event.phase = text.raw[0];
  return p;
}

const char* EventParser::parse_text(const char* p, std::uint32_t& number) {
  if (*p == '"') {
    json_scan::Text text;
    p = scan_text(p + 1, end_, text);
    if (p == nullptr) return nullptr;
    if (text.has_controls) fault_at(TraceRule::control_character, text.raw.data());
    if (text.has_escapes) {
      scratch_.clear();
      json_scan::unescape(text.raw, scratch_);
      number = intern(scratch_);
    } else {
      number = intern(text.raw);
    }
    return p;
  }
  if (*p == '{' || *p == '[') return json_scan::skip_value(p, end_);
  std::string_view word;
  p = scan_word(p, end_, word);
  if (p != nullptr && word != "null") number = intern(word);
  return p;
}

const char* EventParser::parse_id(const char* p, Id& id) {
  id.is_text = false;
  if (*p != '"') {
    std::string_view word;
    if (*p == '{' || *p == '[') return json_scan::skip_value(p, end_);
    p = scan_word(p, end_, word);
    if (p == nullptr) return nullptr;
    double number = 0;
    if (read_number(word, id.value)) return p;
    // 1.0 and 1e3 are numbers too; whatever does not fit becomes a text, so that two such ids stay apart.
    if (read_number(word, number) && std::abs(number) < 9e15 && number == std::trunc(number)) {
      id.value = static_cast<std::int64_t>(number);
    } else {
      id = {static_cast<std::int64_t>(intern(word)), true};
    }
    return p;
  }
  std::uint32_t number = 0;
  p = parse_text(p, number);
  if (p == nullptr) return nullptr;
  const std::string_view word = texts_.text(number);
  if (!read_number(word, id.value)) id = {static_cast<std::int64_t>(number), true};
  return p;
}

const char* EventParser::parse_bind_id(const char* p, Event& event) {
  event.has_bind = true;
  std::string_view word;
  const char* after = scan_plain_text(p, end_, word);
  if (after != nullptr) {
    event.bind.is_text = !read_number(word, event.bind.value);
  } else {
    after = parse_id(p, event.bind);
    if (after != nullptr && event.bind.is_text) word = texts_.text(static_cast<std::uint32_t>(event.bind.value));
  }
  if (after != nullptr && event.bind.is_text) {
    std::uint64_t value = 0;
    if (!read_hex(word, value)) value = fingerprint(word);
    event.bind = {static_cast<std::int64_t>(value), false};
  }
  return after;
}

const char* EventParser::parse_flow_id(const char* p, Event& event) {
  event.has_id = true;
  if (*p == '{') {  // id2: {"local": "0x1"}
    const char* const inner = skip_blanks(p + 1, end_);
    const char* const after = json_scan::skip_value(p, end_);
    if (after == nullptr) return nullptr;
    const char* const colon =
        static_cast<const char*>(std::memchr(inner, ':', static_cast<std::size_t>(after - inner)));
    if (colon != nullptr) parse_flow_id(skip_blanks(colon + 1, end_), event);
    return after;
  }
  const bool quoted = *p == '"';
  std::string_view plain;
  if (const char* const after = scan_plain_text(p, end_, plain)) {
    std::uint64_t value = 0;
    if (read_hex(plain, value)) {
      event.id = {static_cast<std::int64_t>(value), false};
      return after;
    }
  }
  p = parse_id(p, event.id);
  // A quoted id is hexadecimal whatever it looks like, an unquoted one decimal.
  if (p != nullptr && quoted) {
    std::uint64_t value = 0;
    const std::string word = event.id.is_text ? std::string(texts_.text(static_cast<std::uint32_t>(event.id.value)))
                                              : std::to_string(event.id.value);
    if (read_hex(word, value)) event.id = {static_cast<std::int64_t>(value), false};
  }
  return p;
}

const char* EventParser::parse_time(const char* p, TimeWord& time) {
  std::string_view& word = time.word;
  time.is_read = false;
  if (*p == '"') {
    json_scan::Text text;
    p = scan_text(p + 1, end_, text);
    word = text.raw.empty() ? "\"\"" : text.raw;
    return p;
  }
  if (*p == '{' || *p == '[') {
    word = "[]";
    return json_scan::skip_value(p, end_);
  }
  p = scan_word(p, end_, word);
  if (word == "null") word = {};
  return p;
}

}  // namespace takt::chrome
