#include "trace/events/trace.h"

#include <cmath>

#include "base/basics/error.h"
#include "base/memory/large_pages.h"

namespace takt {
namespace {

/// `wanted`, or for 0 the smallest number that `taken` does not hold, counting from `hint`.
template <typename Taken>
std::uint32_t free_number(std::uint32_t wanted, std::size_t hint, const Taken& taken) {
  if (wanted != 0) return wanted;
  auto number = static_cast<std::uint32_t>(hint);
  while (number == 0 || taken(number)) ++number;
  return number;
}

}  // namespace

StringTable& StringTable::operator=(const StringTable& other) {
  if (this == &other) return *this;
  texts_ = other.texts_;
  index_.clear();
  for (std::size_t i = 0; i < texts_.size(); ++i) index_.emplace(texts_[i], static_cast<StringId>(i));
  return *this;
}

StringId StringTable::intern(std::string_view text) {
  if (auto found = index_.find(text); found != index_.end()) return found->second;
  const auto id = static_cast<StringId>(texts_.size());
  texts_.emplace_back(text);
  index_.emplace(texts_.back(), id);
  return id;
}

ProcessId Trace::add_process(std::string name, std::uint32_t pid, int sort_index) {
  pid = free_number(pid, processes_.size() + 1, [&](std::uint32_t number) { return pids_.contains(number); });
  if (!pids_.insert(pid).second) {
    throw Error(ErrorKind::bad_input, "trace: process " + std::to_string(pid) + " exists already; use another number");
  }
  processes_.push_back({pid, std::move(name), sort_index});
  return static_cast<ProcessId>(processes_.size() - 1);
}

RowId Trace::add_row(ProcessId process, std::string name, std::uint32_t tid, int sort_index) {
  tid = free_number(tid, rows_.size() + 1, [&](std::uint32_t number) { return tids_.contains({process, number}); });
  if (!tids_.insert({process, tid}).second) {
    throw Error(ErrorKind::bad_input, "trace: row " + std::to_string(tid) + " of process " +
                                          std::to_string(processes_[static_cast<std::size_t>(process)].pid) +
                                          " exists already; use another number");
  }
  rows_.push_back({process, tid, std::move(name), sort_index});
  return static_cast<RowId>(rows_.size() - 1);
}

EventId Trace::add_event(RowId row, std::string_view name, std::string_view category, Nanoseconds start,
                         Nanoseconds duration) {
  return add_event({start.count(), duration.count(), strings_.intern(name), strings_.intern(category), row, 0});
}

EventId Trace::add_event(const TraceEvent& event) {
  events_.push_back(event);
  return static_cast<EventId>(events_.size() - 1);
}

void Trace::set_args(EventId event, const TraceValues& values) {
  std::vector<TraceArg> args;
  for (const auto& [key, value] : values) {
    TraceArg& arg = args.emplace_back(TraceArg{strings_.intern(key), {}});
    if (const auto* integer = std::get_if<std::int64_t>(&value)) arg.value = *integer;
    if (const auto* number = std::get_if<double>(&value)) arg.value = *number;
    if (const auto* text = std::get_if<std::string>(&value)) arg.value = strings_.intern(*text);
    if (const auto* json = std::get_if<TraceJsonText>(&value)) arg.value = TraceJson{strings_.intern(json->text)};
  }
  set_args(event, args);
}

void Trace::set_args(EventId event, std::span<const TraceArg> args) {
  events_[static_cast<std::size_t>(event)].args = args_.add(args);
}

void Trace::set_duration(EventId event, Nanoseconds duration) {
  events_[static_cast<std::size_t>(event)].duration_ns = duration.count();
}

std::uint32_t Trace::append(const ArgStore& args, std::span<const StringId> strings) {
  return args_.append(args, strings);
}

void Trace::take_events(std::vector<TraceEvent> events) { events_ = std::move(events); }

void Trace::clear_events() {
  events_.clear();
  counters_.clear();
  flows_.clear();
  instants_.clear();
  flow_index_.clear();
  args_.clear();
}

void Trace::reserve(std::size_t events, std::size_t arg_runs, std::size_t arg_values) {
  reserve_large(events_, events);
  args_.reserve(arg_runs, arg_values);
}

void Trace::set_flow(EventId event, std::uint64_t bind_id, bool in, bool out) {
  const auto [found, is_new] = flow_index_.try_emplace(static_cast<std::uint32_t>(event), flows_.size());
  if (is_new)
    flows_.push_back({event, bind_id, in, out});
  else
    flows_[found->second] = {event, bind_id, in, out};
}

void Trace::set_property(std::string key, std::string json) {
  for (TraceProperty& known : properties_) {
    if (known.key != key) continue;
    known.json = std::move(json);
    return;
  }
  properties_.push_back({std::move(key), std::move(json)});
}

const TraceProperty* Trace::property(std::string_view key) const {
  for (const TraceProperty& known : properties_) {
    if (known.key == key) return &known;
  }
  return nullptr;
}

void Trace::add_flow(EventId event, std::uint64_t bind_id, bool in, bool out) {
  flows_.push_back({event, bind_id, in, out});
}

void Trace::add_counter(const TraceCounter& counter) {
  if (!std::isfinite(counter.value)) {
    throw Error(ErrorKind::bad_input,
                "trace: counter '" + text(counter.name) + "': a value is not finite; omit the sample");
  }
  counters_.push_back(counter);
}

void Trace::add_counter(ProcessId process, std::string_view name, Nanoseconds time, double value) {
  add_counter({time.count(), value, strings_.intern(name), process});
}

}  // namespace takt
