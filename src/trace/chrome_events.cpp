#include "trace/chrome_events.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>

#include "core/text.h"
#include "trace/decimal_time.h"
#include "trace/json_scan.h"

namespace takt::chrome {

using json_scan::is_blank;
using json_scan::scan_text;
using json_scan::scan_word;
using json_scan::skip_blanks;

struct EventParser::Event {
  const char* begin = nullptr;
  char phase = 0;
  std::uint32_t name = 0, category = 0;
  Id process, thread, id;
  std::string_view ts, dur;  // the words; empty: missing
  bool has_process = false, has_thread = false, has_id = false;
  bool binds_enclosing = false, flow_in = false, flow_out = false, has_bind = false;
  Id bind;
};

namespace {

/// A number from text, all of it; false if it is none.
template <typename Number>
bool read_number(std::string_view word, Number& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

/// Does a text at `p` look like the start of an event: `{`, a quote and one of the usual keys?
bool starts_event(const char* p, const char* end) {
  p = skip_blanks(p, end);
  if (p >= end || *p != '{') return false;
  p = skip_blanks(p + 1, end);
  if (end - p < 6 || *p != '"') return false;
  for (const std::string_view key : {"ph\"", "name\"", "cat\"", "pid\"", "ts\"", "args\"", "tid\"", "dur\""}) {
    if (std::string_view(p + 1, static_cast<std::size_t>(end - p - 1)).starts_with(key)) return true;
  }
  return false;
}

/// Hex with or without 0x, as importers read ids.
bool read_hex(std::string_view word, std::uint64_t& value) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::uint64_t EventParser::offset_of(const char* p) const {
  return window_->offset + static_cast<std::uint64_t>(p - begin_);
}

void EventParser::fault_at(TraceRule rule, const char* p) {
  const std::uint64_t offset = offset_of(p);
  faults_.add(rule, offset, [&] { return "byte " + std::to_string(offset); });
}

void EventParser::fault(TraceRule rule, const Event& event) {
  const std::uint64_t offset = offset_of(event.begin);
  faults_.add(rule, offset, [&] {
    const std::string name = printable(texts_.text(event.name).substr(0, 60));
    return "byte " + std::to_string(offset) + ": '" + name + "'";
  });
}

void EventParser::parse(std::string_view text, Window& window) {
  window_ = &window;
  begin_ = text.data();
  end_ = begin_ + text.size();
  order_ = window.number << 32;
  window.columns.events.reserve(text.size() / 160);
  const char* p = begin_;
  while (true) {
    while (p < end_ && (is_blank(*p) || *p == ',')) ++p;
    window.consumed = static_cast<std::size_t>(p - begin_);
    if (p >= end_) return;
    if (*p == ']') {
      ++window.consumed;
      window.ended = true;
      return;
    }
    Event event;
    event.begin = p;
    args_.clear();
    const char* next = *p == '{' ? parse_event(p + 1, event) : nullptr;
    if (next == nullptr) {
      next = recover(p);
      if (next == nullptr) return;
      ++window.events;
      fault(TraceRule::malformed_event, event);
    } else {
      ++window.events;
      finish(event);
    }
    p = next;
  }
}

/// After a broken event at `p`: where the next one starts. nullptr: it may just not be complete.
const char* EventParser::recover(const char* p) {
  for (const char* q = p + 1; q < end_; ++q) {
    q = static_cast<const char*>(std::memchr(q, ',', static_cast<std::size_t>(end_ - q)));
    if (q == nullptr) return nullptr;
    if (starts_event(q + 1, end_)) return q;
  }
  return nullptr;
}

const char* EventParser::parse_event(const char* p, Event& event) {
  p = skip_blanks(p, end_);
  if (p < end_ && *p == '}') return p + 1;
  while (p < end_) {
    if (*p != '"') return nullptr;
    json_scan::Text key;
    p = scan_text(p + 1, end_, key);
    if (p == nullptr) return nullptr;
    p = skip_blanks(p, end_);
    if (p >= end_ || *p != ':') return nullptr;
    p = skip_blanks(p + 1, end_);
    if (p >= end_) return nullptr;
    p = parse_field(p, key.raw, event);
    if (p == nullptr) return nullptr;
    p = skip_blanks(p, end_);
    if (p >= end_) return nullptr;
    if (*p == '}') return p + 1;
    if (*p != ',') return nullptr;
    p = skip_blanks(p + 1, end_);
    if (p < end_ && *p == '}') return p + 1;  // a trailing comma
  }
  return nullptr;
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
  if (key == "bind_id") {
    event.has_bind = true;
    p = parse_id(p, event.bind);
    if (p != nullptr && event.bind.is_text) {
      const std::string_view word = texts_.text(static_cast<std::uint32_t>(event.bind.value));
      std::uint64_t value = 0;
      if (!read_hex(word, value)) value = std::hash<std::string_view>()(word);
      event.bind = {static_cast<std::int64_t>(value), false};
    }
    return p;
  }
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

const char* EventParser::parse_time(const char* p, std::string_view& word) {
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
    TraceArg& arg = args_.emplace_back();
    arg.key = static_cast<StringId>(key);
    p = parse_arg_value(p, arg);
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
  std::uint32_t number = 0;
  if (*p == '"') {
    p = parse_text(p, number);
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
  if (word.size() < 19 && read_number(word, integer)) {
    arg.value = integer;
  } else if (read_number(word, integer)) {
    arg.value = integer;
  } else if (word == "true" || word == "false" || word == "null") {
    arg.value = TraceJson{static_cast<StringId>(intern(word))};
  } else if (json_scan::is_number(word) && word.find_first_of(".eE") == word.npos) {
    arg.value = TraceJson{static_cast<StringId>(intern(word))};  // an integer beyond 64 bits, kept digit by digit
  } else if (read_number(word, number) && std::isfinite(number)) {
    arg.value = number;
  } else {
    fault_at(TraceRule::not_a_number, word.data());
    arg.value = TraceJson{static_cast<StringId>(intern("null"))};
  }
}

bool EventParser::read_time(std::string_view word, const Event& event, std::int64_t& time) {
  const DecimalTime parsed = parse_microseconds(word);
  if (parsed.outcome != DecimalTime::Outcome::good) {
    const bool wrong = parsed.outcome == DecimalTime::Outcome::not_a_number;
    fault(wrong ? TraceRule::not_a_number : TraceRule::time_out_of_range, event);
    return false;
  }
  if (!parsed.exact) fault(TraceRule::lost_precision, event);
  time = parsed.nanoseconds;
  return true;
}

void EventParser::finish(const Event& event) {
  if (event.phase == 'M') return add_naming(event);
  if (event.phase == 0) {
    // `{}` is tolerated by importers; writers end their lists with it to be rid of the comma.
    if (event.name != 0 || !event.ts.empty() || event.has_process) fault(TraceRule::missing_phase, event);
    return;
  }
  if (std::strchr("XBEiIRbenSFTpstfC", event.phase) == nullptr || event.phase == 'T') {
    return fault(TraceRule::unknown_phase, event);
  }
  std::int64_t time = 0;
  if (event.ts.empty()) return fault(TraceRule::missing_ts, event);
  if (read_time(event.ts, event, time)) finish_timed(event, time);
}

void EventParser::finish_timed(const Event& event, std::int64_t time) {
  switch (event.phase) {
    case 'X':
      return finish_complete(event, time);
    case 'B':
      add_slice(event, RowKind::thread, time, 0);
      return add_mark(event, RowKind::thread, time);
    case 'b':
    case 'S':
      add_slice(event, RowKind::async, time, 0);
      return add_mark(event, RowKind::async, time);
    case 'e':
    case 'F':
      return add_mark(event, RowKind::async, time);
    case 'n':
    case 'p':
      return add_slice(event, RowKind::async, time, 0);
    case 'C':
      return add_counter(event, time);
    case 'E':
    case 's':
    case 't':
    case 'f':
      return add_mark(event, RowKind::thread, time);
    default:
      return add_slice(event, RowKind::thread, time, 0);
  }
}

void EventParser::finish_complete(const Event& event, std::int64_t time) {
  std::int64_t duration = 0;
  if (event.dur.empty()) return fault(TraceRule::missing_dur, event);
  if (!read_time(event.dur, event, duration)) return;
  if (duration < 0) fault(TraceRule::negative_dur, event);
  add_slice(event, RowKind::thread, time, take_recorded_duration(duration));
}

/// takt draws a negative duration as 0 and tells the recorded one in a last argument.
std::int64_t EventParser::take_recorded_duration(std::int64_t duration) {
  if (duration != 0 || args_.empty() || text(args_.back().key) != "recorded_duration_ns") return duration;
  const auto* recorded = std::get_if<std::int64_t>(&args_.back().value);
  if (recorded == nullptr || *recorded >= 0) return duration;
  duration = *recorded;
  args_.pop_back();
  return duration;
}

std::uint32_t EventParser::take_args() { return window_->columns.args.add(args_); }

void EventParser::add_slice(const Event& event, RowKind kind, std::int64_t time, std::int64_t duration) {
  const std::uint32_t row = row_of(event, kind);
  auto& events = window_->columns.events;
  if (event.has_bind && (event.flow_in || event.flow_out)) {
    window_->flows.push_back({static_cast<EventId>(events.size()), static_cast<std::uint64_t>(event.bind.value),
                              event.flow_in, event.flow_out});
  }
  events.push_back({time, duration, static_cast<StringId>(event.name), static_cast<StringId>(event.category),
                    static_cast<RowId>(row), take_args()});
}

void EventParser::add_mark(const Event& event, RowKind kind, std::int64_t time) {
  const bool begins = event.phase == 'B' || event.phase == 'b' || event.phase == 'S';
  Mark mark;
  mark.time = time;
  mark.id = static_cast<std::uint64_t>(event.id.value);
  mark.id_is_text = event.id.is_text;
  mark.row = row_of(event, kind);
  mark.name = event.name;
  mark.category = event.category;
  mark.event = static_cast<std::uint32_t>(window_->columns.events.size() - (begins ? 1 : 0));
  mark.args = begins ? 0 : take_args();
  mark.phase = event.phase == 'S' ? 'b' : event.phase == 'F' ? 'e' : event.phase;
  mark.binds_enclosing = event.binds_enclosing;
  window_->marks.push_back(mark);
}

void EventParser::add_counter(const Event& event, std::int64_t time) {
  bool any = false;
  for (const TraceArg& arg : args_) {
    CounterSample sample{time, 0, event.process, event.name, static_cast<std::uint32_t>(arg.key), 0};
    bool good = true;
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value))
      sample.value = static_cast<double>(*integer);
    else if (const auto* number = std::get_if<double>(&arg.value))
      sample.value = *number;
    else if (const auto* word = std::get_if<StringId>(&arg.value))
      good = read_number(text(*word), sample.value) && std::isfinite(sample.value);
    else
      good = false;
    if (args_.size() == 1 && text(arg.key) == "value") sample.key = 0;
    if (event.has_id)
      sample.id =
          event.id.is_text ? static_cast<std::uint32_t>(event.id.value) : intern(std::to_string(event.id.value));
    if (good) window_->counters.push_back(sample);
    if (!good) fault(TraceRule::counter_without_value, event);
    any = true;
  }
  if (!any) fault(TraceRule::counter_without_value, event);
}

void EventParser::add_naming(const Event& event) {
  const std::string_view kind = texts_.text(event.name);
  for (const TraceArg& arg : args_) {
    const std::string_view key = text(arg.key);
    Naming naming{{}, event.process, event.thread, 0, 0};
    if (const auto* word = std::get_if<StringId>(&arg.value)) naming.text = static_cast<std::uint32_t>(*word);
    const auto* number = std::get_if<std::int64_t>(&arg.value);
    if (number != nullptr) naming.number = *number;
    if (kind == "process_name" && key == "name")
      naming.what = Naming::What::process_name;
    else if (kind == "process_labels" && key == "labels")
      naming.what = Naming::What::process_labels;
    else if (kind == "process_sort_index" && key == "sort_index")
      naming.what = Naming::What::process_order;
    else if (kind == "thread_name" && key == "name")
      naming.what = Naming::What::row_name;
    else if (kind == "thread_name" && key == "lane_of" && number != nullptr)
      naming.what = Naming::What::lane_of;
    else if (kind == "thread_sort_index" && key == "sort_index")
      naming.what = Naming::What::row_order;
    else
      continue;
    window_->namings.push_back(naming);
  }
}

std::uint32_t EventParser::row_of(const Event& event, RowKind kind) {
  RowKey key{event.process, event.thread, kind};
  if (kind == RowKind::async) key.thread = {event.category, true};
  const auto bits = static_cast<std::uint64_t>(key.process.value * 31 + key.thread.value);
  RecentRow& recent = recent_rows_[(bits ^ bits >> 8) % recent_rows_.size()];
  if (recent.row != UINT32_MAX && key == recent.key) return recent.row;
  const auto [found, is_new] = row_numbers_.try_emplace(key, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) rows_.push_back({key, offset_of(event.begin)});
  recent = {key, found->second};
  return found->second;
}

}  // namespace takt::chrome
