#include "trace/chrome/events.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/basics/text.h"
#include "trace/chrome/json_scan.h"
#include "trace/events/decimal_time.h"

namespace takt::chrome {

using json_scan::is_blank;
using json_scan::read_number;
using json_scan::skip_blanks;

namespace {

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

}  // namespace

std::uint64_t EventParser::offset_of(const char* p) const {
  return window_->offset + static_cast<std::uint64_t>(p - begin_);
}

void EventParser::fault_at(TraceRule rule, const char* p) {
  is_plain_ = false;
  if (is_trying_) return;
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
  window.slices.reserve(text.size() / bytes_per_event_ + 64);
  parse_list(window);
  if (!window.slices.empty()) bytes_per_event_ = std::max<std::size_t>(window.consumed / window.slices.size(), 32);
}

void EventParser::parse_list(Window& window) {
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
    const char* next = *p == '{' ? parse_event(p, event) : nullptr;
    if (next == nullptr) {
      if (!window.is_last && is_cut_off(p)) return;
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

/// Whether the object at `p` is still open where the text ends: then it is not broken but goes on in the next window,
/// and what looks like another event in it may be an argument. An event with an open text seems to have no end, so
/// from some length on it counts as broken; a file with several of those is not read in ever larger windows any more.
bool EventParser::is_cut_off(const char* p) {
  constexpr std::ptrdiff_t longest_event = 16 << 20;
  constexpr int most_endless = 8;
  if (*p != '{' || endless_events_ >= most_endless) return false;
  if (end_ - p > longest_event) return ++endless_events_, false;
  int depth = 0;
  bool in_text = false;
  for (; p < end_; ++p) {
    if (in_text && *p == '\\')
      ++p;
    else if (*p == '"')
      in_text = !in_text;
    else if (!in_text && (*p == '{' || *p == '['))
      ++depth;
    else if (!in_text && (*p == '}' || *p == ']') && --depth == 0)
      return false;
  }
  return true;
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

bool EventParser::settle_time(const TimeWord& word, const Event& event, std::int64_t& time) {
  if (word.is_read) {
    time = word.nanoseconds;
    return true;
  }
  const DecimalTime parsed = parse_microseconds(word.word);
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
    if (event.name != 0 || !event.ts.word.empty() || event.has_process) fault(TraceRule::missing_phase, event);
    return;
  }
  if (event.phase == 'P') return fault(TraceRule::sampled_profile, event);
  if (event.phase == 'I' && texts_.text(event.name) == "CpuProfile") fault(TraceRule::sampled_profile, event);
  if (event.phase != 'X' && std::strchr("BEiIRbenSFpstfC", event.phase) == nullptr) {
    return fault(TraceRule::unknown_phase, event);
  }
  std::int64_t time = 0;
  if (event.ts.word.empty()) return fault(TraceRule::missing_ts, event);
  if (settle_time(event.ts, event, time)) finish_timed(event, time);
}

void EventParser::finish_timed(const Event& event, std::int64_t time) {
  const bool is_arrow = event.phase == 's' || event.phase == 't' || event.phase == 'f';
  const bool needs_id = is_arrow || std::strchr("benSFp", event.phase) != nullptr;
  if (needs_id && (!event.has_id || (is_arrow && event.id.is_text))) fault(TraceRule::missing_id, event);
  if (only_slices_ && (is_arrow || event.phase == 'C')) return;
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
      return add_instant(event, RowKind::async, time);
    case 'C':
      return add_counter(event, time);
    case 'E':
    case 's':
    case 't':
    case 'f':
      return add_mark(event, RowKind::thread, time);
    default:
      return add_instant(event, RowKind::thread, time);
  }
}

void EventParser::add_instant(const Event& event, RowKind kind, std::int64_t time) {
  const bool is_wide = event.scope == 'p' || event.scope == 'g';
  if (kind == RowKind::thread && !is_wide && !event.has_thread) fault(TraceRule::missing_tid, event);
  InstantScope scope = InstantScope::row;
  if (is_wide && kind == RowKind::thread) scope = event.scope == 'p' ? InstantScope::process : InstantScope::trace;
  window_->instants.push_back({static_cast<EventId>(window_->slices.size()), scope});
  if (is_wide && !event.has_thread) kind = RowKind::async;  // needs no thread, so it has no row of one
  add_slice(event, kind, time, 0);
}

void EventParser::finish_complete(const Event& event, std::int64_t time) {
  std::int64_t duration = 0;
  if (event.dur.word.empty()) return fault(TraceRule::missing_dur, event);
  if (!settle_time(event.dur, event, duration)) return;
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

std::uint32_t EventParser::take_args() { return window_->args.add(args_); }

void EventParser::add_slice(const Event& event, RowKind kind, std::int64_t time, std::int64_t duration) {
  const std::uint32_t row = row_of(event, kind);
  auto& events = window_->slices;
  if (!only_slices_ && event.has_bind && (event.flow_in || event.flow_out)) {
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
  mark.event = static_cast<std::uint32_t>(window_->slices.size() - (begins ? 1 : 0));
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
    if (naming.text == 0 && key == "name" && kind.ends_with("_name")) fault(TraceRule::no_name, event);
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
  const auto bits = static_cast<std::uint64_t>(key.process.value) * 31 + static_cast<std::uint64_t>(key.thread.value);
  RecentRow& recent = recent_rows_[(bits ^ bits >> 8) % recent_rows_.size()];
  if (recent.row != UINT32_MAX && key == recent.key) return recent.row;
  const auto [found, is_new] = row_numbers_.try_emplace(key, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) rows_.push_back({key, offset_of(event.begin)});
  recent = {key, found->second};
  return found->second;
}

}  // namespace takt::chrome
