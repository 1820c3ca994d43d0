// One event from its text: the general way, which takes any JSON, and the short one of events like those before.
#include <cmath>

#include "trace/chrome/events.h"
#include "trace/chrome/json_scan.h"
#include "trace/events/quick_number.h"

namespace takt::chrome {

using json_scan::read_number;
using json_scan::scan_text;
using json_scan::scan_word;
using json_scan::skip_blanks;

namespace {

constexpr std::size_t most_steps = 256;  // of an event that is learned

Field field_of(std::string_view key) {
  constexpr std::pair<std::string_view, Field> fields[] = {
      {"ts", Field::start},        {"dur", Field::duration},      {"name", Field::name},
      {"cat", Field::category},    {"pid", Field::process},       {"tid", Field::thread},
      {"ph", Field::phase},        {"args", Field::args},         {"id", Field::flow_id},
      {"id2", Field::flow_id},     {"bind_id", Field::bind_id},   {"bp", Field::binds_enclosing},
      {"flow_in", Field::flow_in}, {"flow_out", Field::flow_out}, {"s", Field::instant_scope}};
  for (const auto& [name, field] : fields) {
    if (key == name) return field;
  }
  return Field::other;
}

}  // namespace

[[gnu::always_inline]] inline const char* EventParser::read_text(const char* p, std::uint32_t& number) {
  std::string_view text;
  const char* const after = json_scan::scan_plain_text(p, end_, text);
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
      return parse_field(p, step.field, event);
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
  Field field = field_of(key);
  if (field == Field::args && *p == '{') return parse_args(p);
  if (field == Field::phase && *p != '"') field = Field::odd_phase;
  if (field != Field::phase) see(p, {.field = field});
  p = parse_field(p, field, event);
  if (field == Field::phase && p != nullptr) see(p, {.field = Field::phase, .phase = event.phase});
  between_ = p;
  return p;
}

const char* EventParser::parse_field(const char* p, Field field, Event& event) {
  switch (field) {
    case Field::start:
      return parse_time(p, event.ts);
    case Field::duration:
      return parse_time(p, event.dur);
    case Field::name:
      return parse_text(p, event.name);
    case Field::category:
      return parse_text(p, event.category);
    case Field::process:
      event.has_process = true;
      return parse_id(p, event.process);
    case Field::thread:
      event.has_thread = true;
      return parse_id(p, event.thread);
    case Field::phase:
    case Field::odd_phase:
      return parse_phase(p, event);
    case Field::args:
      return parse_args(p);
    case Field::flow_id:
      return parse_flow_id(p, event);
    case Field::bind_id:
      return parse_bind_id(p, event);
    case Field::binds_enclosing:
      event.binds_enclosing = *p == '"' && p + 1 < end_ && p[1] == 'e';
      break;
    case Field::flow_in:
      event.flow_in = *p == 't' || *p == '1';
      break;
    case Field::flow_out:
      event.flow_out = *p == 't' || *p == '1';
      break;
    case Field::instant_scope:
      event.scope = *p == '"' && p + 1 < end_ ? p[1] : '\0';
      break;
    default:
      break;
  }
  return json_scan::skip_value(p, end_);
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
    if (repaired) fault_at(TraceRule::argument_not_a_number, begin);
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
    fault_at(TraceRule::argument_not_a_number, word.data());
    arg.value = TraceJson{static_cast<StringId>(intern("null"))};
  }
}

}  // namespace takt::chrome
