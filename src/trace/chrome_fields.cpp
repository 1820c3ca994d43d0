// One event from its text: the general way, which takes any JSON, and the short one of events like those before.
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>

#include "trace/chrome_events.h"
#include "trace/json_scan.h"
#include "trace/quick_number.h"

namespace takt::chrome {

using json_scan::read_number;
using json_scan::scan_text;
using json_scan::scan_word;
using json_scan::skip_blanks;

namespace {

constexpr std::size_t most_steps = 256;  // of an event that is learned

/// Hex with or without 0x, as importers read ids.
bool read_hex(std::string_view word, std::uint64_t& value) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  return error == std::errc() && end == word.data() + word.size();
}

Field field_of(std::string_view key) {
  constexpr std::pair<std::string_view, Field> fields[] = {
      {"ts", Field::start},    {"dur", Field::duration}, {"name", Field::name}, {"cat", Field::category},
      {"pid", Field::process}, {"tid", Field::thread},   {"ph", Field::phase}};
  for (const auto& [name, field] : fields) {
    if (key == name) return field;
  }
  return Field::other;
}

}  // namespace

/// A text without escapes at `p`: returns what is behind it.
[[gnu::always_inline]] inline const char* EventParser::plain_text(const char* p, std::string_view& text) const {
  if (*p != '"') return nullptr;
  const char* const q = json_scan::find_special(p + 1, end_);
  if (q >= end_ || *q != '"') return nullptr;
  text = std::string_view(p + 1, static_cast<std::size_t>(q - p - 1));
  return q + 1;
}

[[gnu::always_inline]] inline const char* EventParser::read_text(const char* p, std::uint32_t& number) {
  std::string_view text;
  const char* const after = plain_text(p, text);
  if (after == nullptr) return parse_text(p, number);
  number = intern(text);
  return after;
}

[[gnu::always_inline]] inline const char* EventParser::read_id(const char* p, Id& id) {
  std::int64_t plain = 0;
  const char* const after = quick_number::read_integer(p, end_, plain);
  if (after == nullptr) return parse_id(p, id);
  id = {plain, false};
  return after;
}

[[gnu::always_inline]] inline const char* EventParser::read_time(const char* p, TimeWord& time) {
  const char* const after = quick_number::read_microseconds(p, end_, time.nanoseconds);
  if (after == nullptr) return parse_time(p, time);
  time.is_read = true;
  time.word = std::string_view(p, static_cast<std::size_t>(after - p));
  return after;
}

/// At the brace of an event.
const char* EventParser::parse_event(const char* p, Event& event) {
  const char* const begin = event.begin = p;
  args_.clear();
  is_trying_ = is_plain_ = true;
  const char* next = parse_known_event(p, event);
  is_trying_ = false;
  if (next != nullptr && is_plain_) return next;
  event = {};
  event.begin = begin;
  args_.clear();
  is_plain_ = true;
  next = parse_any_event(p + 1, event);
  if (next != nullptr && is_plain_) shapes_.learn(seen_);
  return next;
}

/// Values as nearly all files write them are read here, without a call; others where any event's are.
inline const char* EventParser::parse_step(const char* p, const EventShapes::Step& step, Event& event) {
  switch (step.field) {
    case Field::name:
      return read_text(p, event.name);
    case Field::category:
      return read_text(p, event.category);
    case Field::process:
      event.has_process = true;
      return read_id(p, event.process);
    case Field::thread:
      event.has_thread = true;
      return read_id(p, event.thread);
    case Field::start:
      return read_time(p, event.ts);
    case Field::duration:
      return read_time(p, event.dur);
    case Field::arg: {
      TraceArg& arg = args_.emplace_back();
      arg.key = static_cast<StringId>(step.arg);
      return parse_arg_value(p, arg);
    }
    default:
      return parse_field(p, step.key(), event);
  }
}

const char* EventParser::parse_known_event(const char* p, Event& event) {
  for (std::uint32_t at = EventShapes::root;;) {
    at = shapes_.next(at, p, end_);
    if (at == 0) return nullptr;
    const EventShapes::Step& step = shapes_.step(at);
    p += step.length;
    if (step.field == Field::end) return p;
    if (step.field == Field::phase) {
      event.phase = step.phase;
      continue;
    }
    if (p >= end_) return nullptr;
    p = parse_step(p, step, event);
    if (p == nullptr) return nullptr;
  }
}

/// Notes the text since the last value for those who learn the event's shape.
void EventParser::see(const char* until, SeenStep step) {
  if (is_trying_) return;
  if (seen_.size() == most_steps) is_plain_ = false;
  if (!is_plain_) return;
  step.text = std::string_view(between_, static_cast<std::size_t>(until - between_));
  seen_.push_back(step);
}

/// Behind the brace of an event.
const char* EventParser::parse_any_event(const char* p, Event& event) {
  seen_.clear();
  between_ = p - 1;
  const auto close = [this](const char* brace) {
    see(brace + 1, {.field = Field::end});
    return brace + 1;
  };
  p = skip_blanks(p, end_);
  if (p < end_ && *p == '}') return close(p);
  while (p < end_) {
    if (*p != '"') return nullptr;
    json_scan::Text key;
    p = scan_text(p + 1, end_, key);
    if (p == nullptr) return nullptr;
    p = skip_blanks(p, end_);
    if (p >= end_ || *p != ':') return nullptr;
    p = skip_blanks(p + 1, end_);
    if (p >= end_) return nullptr;
    p = parse_member(p, key.raw, event);
    if (p == nullptr) return nullptr;
    p = skip_blanks(p, end_);
    if (p >= end_) return nullptr;
    if (*p == '}') return close(p);
    if (*p != ',') return nullptr;
    p = skip_blanks(p + 1, end_);
    if (p < end_ && *p == '}') return close(p);  // a trailing comma
  }
  return nullptr;
}

/// A field, and what stood in front of it.
const char* EventParser::parse_member(const char* p, std::string_view key, Event& event) {
  if (key == "args" && *p == '{') return parse_args(p);
  const Field field = field_of(key);
  const bool is_phase = field == Field::phase && *p == '"';
  if (!is_phase) see(p, {.field = field == Field::phase ? Field::other : field, .key = key});
  p = parse_field(p, key, event);
  if (is_phase && p != nullptr) see(p, {.field = Field::phase, .phase = event.phase});
  between_ = p;
  return p;
}

const char* EventParser::parse_field(const char* p, std::string_view key, Event& event) {
  if (key == "ts") return parse_time(p, event.ts);
  if (key == "dur") return parse_time(p, event.dur);
  if (key == "name") return parse_text(p, event.name);
  if (key == "ph") {
    json_scan::Text text;
    if (*p != '"') return json_scan::skip_value(p, end_);
    p = scan_text(p + 1, end_, text);
    if (p != nullptr && !text.raw.empty()) event.phase = text.raw[0];
    return p;
  }
  if (key == "pid") {
    event.has_process = true;
    return parse_id(p, event.process);
  }
  if (key == "tid") {
    event.has_thread = true;
    return parse_id(p, event.thread);
  }
  if (key == "cat") return parse_text(p, event.category);
  if (key == "args") return parse_args(p);
  if (key == "id" || key == "id2") return parse_flow_id(p, event);
  if (key == "bind_id") return parse_bind_id(p, event);
  if (key == "bp") {
    event.binds_enclosing = *p == '"' && p + 1 < end_ && p[1] == 'e';
  } else if (key == "flow_in" || key == "flow_out") {
    (key == "flow_in" ? event.flow_in : event.flow_out) = *p == 't' || *p == '1';
  }
  return json_scan::skip_value(p, end_);
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
  const char* after = plain_text(p, word);
  if (after != nullptr) {
    event.bind.is_text = !read_number(word, event.bind.value);
  } else {
    after = parse_id(p, event.bind);
    if (after != nullptr && event.bind.is_text) word = texts_.text(static_cast<std::uint32_t>(event.bind.value));
  }
  if (after != nullptr && event.bind.is_text) {
    std::uint64_t value = 0;
    if (!read_hex(word, value)) value = std::hash<std::string_view>()(word);
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
  if (const char* const after = plain_text(p, plain)) {
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

const char* EventParser::parse_args(const char* p) {
  if (!args_.empty()) is_plain_ = false;  // the second of one event, which replaces the first
  args_.clear();
  if (*p != '{') {
    if (*p == '"') {  // Chrome's stripped traces have "args": "__stripped__"
      json_scan::Text text;
      return scan_text(p + 1, end_, text);
    }
    return json_scan::skip_value(p, end_);
  }
  p = skip_blanks(p + 1, end_);
  if (p < end_ && *p == '}') return p + 1;
  while (p < end_) {
    if (*p != '"') return nullptr;
    std::uint32_t key = 0;
    p = parse_text(p, key);
    if (p == nullptr) return nullptr;
    p = skip_blanks(p, end_);
    if (p >= end_ || *p != ':') return nullptr;
    p = skip_blanks(p + 1, end_);
    if (p >= end_) return nullptr;
    see(p, {.field = Field::arg, .arg = key});
    TraceArg& arg = args_.emplace_back();
    arg.key = static_cast<StringId>(key);
    p = between_ = parse_arg_value(p, arg);
    if (p == nullptr) return nullptr;
    p = skip_blanks(p, end_);
    if (p >= end_) return nullptr;
    if (*p == '}') return p + 1;
    if (*p != ',') return nullptr;
    p = skip_blanks(p + 1, end_);
    if (p < end_ && *p == '}') return p + 1;
  }
  return nullptr;
}

const char* EventParser::parse_arg_value(const char* p, TraceArg& arg) {
  std::int64_t plain = 0;
  if (const char* const after = quick_number::read_integer(p, end_, plain)) {
    arg.value = plain;
    return after;
  }
  std::uint32_t number = 0;
  if (*p == '"') {
    p = read_text(p, number);
    arg.value = static_cast<StringId>(number);
    return p;
  }
  if (*p == '{' || *p == '[') {
    scratch_.clear();
    bool repaired = false;
    const char* const begin = p;
    p = json_scan::copy_value(p, end_, scratch_, repaired);
    if (p == nullptr) return nullptr;
    if (repaired) fault_at(TraceRule::not_a_number, begin);
    arg.value = TraceJson{static_cast<StringId>(intern(scratch_))};
    return p;
  }
  std::string_view word;
  p = scan_word(p, end_, word);
  if (p != nullptr) number_value(word, arg);
  return p;
}

void EventParser::number_value(std::string_view word, TraceArg& arg) {
  std::int64_t integer = 0;
  double number = 0;
  if (read_number(word, integer)) {
    arg.value = integer;
  } else if (word == "true" || word == "false" || word == "null" ||
             (json_scan::is_number(word) && word.find_first_of(".eE") == word.npos)) {
    // An integer beyond 64 bits is kept digit by digit.
    arg.value = TraceJson{static_cast<StringId>(intern(word))};
  } else if (read_number(word, number) && std::isfinite(number)) {
    arg.value = number;
  } else {
    fault_at(TraceRule::not_a_number, word.data());
    arg.value = TraceJson{static_cast<StringId>(intern("null"))};
  }
}

}  // namespace takt::chrome
