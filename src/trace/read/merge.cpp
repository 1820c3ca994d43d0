#include "trace/read/merge.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

std::optional<Nanoseconds> earliest_base(const std::vector<MergeInput>& inputs) {
  std::optional<Nanoseconds> earliest;
  for (const MergeInput& input : inputs) {
    if (const auto base = input.trace.base_time()) earliest = std::min(earliest.value_or(*base), *base);
  }
  return earliest;
}

/// Without a base time nothing says how far two traces are apart, and to guess 0 would look like an answer.
void check_placed(const std::vector<MergeInput>& inputs) {
  const auto is_placed = [](const MergeInput& input) { return input.trace.base_time() || input.offset; };
  const auto is_based = [](const MergeInput& input) { return input.trace.base_time().has_value(); };
  const std::ptrdiff_t allowed = std::any_of(inputs.begin(), inputs.end(), is_based) ? 0 : 1;
  if (std::count_if(inputs.begin(), inputs.end(), is_placed) + allowed >= std::ssize(inputs)) return;
  const MergeInput* const first = &*std::find_if_not(inputs.begin() + allowed, inputs.end(), is_placed);
  const std::string file = printable(first->file);
  throw Error(
      ErrorKind::bad_input,
      file +
          ": the trace does not report when it began (no baseTimeNanoseconds), so its position relative to the others "
          "is unknown; pass --offset " +
          file + "=TIME");
}

std::int64_t shift_of(const MergeInput& input, const std::optional<Nanoseconds>& base) {
  const Nanoseconds offset = input.offset.value_or(Nanoseconds(0));
  if (!base || !input.trace.base_time()) return offset.count();
  std::int64_t shift = 0;
  if (__builtin_sub_overflow(input.trace.base_time()->count(), base->count(), &shift) ||
      __builtin_add_overflow(shift, static_cast<std::int64_t>(offset.count()), &shift)) {
    throw Error(ErrorKind::bad_input,
                printable(input.label) + ": its base time is centuries from the others'; check it");
  }
  return shift;
}

bool all_have(const std::vector<MergeInput>& inputs, const TraceProperty& property) {
  return std::all_of(inputs.begin(), inputs.end(), [&](const MergeInput& input) {
    const TraceProperty* const own = input.trace.property(property.key);
    return own != nullptr && own->json == property.json;
  });
}

bool share_provenance(const std::vector<MergeInput>& inputs) {
  return std::all_of(inputs.begin(), inputs.end(), [&](const MergeInput& input) {
    return input.trace.provenance_json() == inputs.front().trace.provenance_json();
  });
}

/// What one input says of itself and not every other, too, as JSON; empty: nothing.
std::string own_properties(const std::vector<MergeInput>& inputs, const MergeInput& input) {
  std::string members;
  for (const TraceProperty& property : input.trace.properties()) {
    if (!all_have(inputs, property)) members += "," + json_quote(property.key) + ":" + property.json;
  }
  const std::string& provenance = input.trace.provenance_json();
  if (!provenance.empty() && !share_provenance(inputs)) members += ",\"takt\":" + provenance;
  return members.empty() ? "" : "{\"label\":" + json_quote(input.label) + members + "}";
}

void add_properties(const std::vector<MergeInput>& inputs, Trace& merged) {
  if (inputs.empty()) return;
  for (const TraceProperty& property : inputs.front().trace.properties()) {
    if (all_have(inputs, property)) merged.set_property(property.key, property.json);
  }
  if (share_provenance(inputs)) merged.set_provenance_json(inputs.front().trace.provenance_json());
  std::string differing;
  for (const MergeInput& input : inputs) {
    const std::string own = own_properties(inputs, input);
    if (!own.empty()) differing += (differing.empty() ? "" : ",") + own;
  }
  if (!differing.empty()) merged.set_property("mergedTraces", "[" + differing + "]");
}

/// Adds one trace after the other.
class Merger {
 public:
  void add(const MergeInput& input, std::int64_t shift) {
    const Trace& from = input.trace;
    add_rows(from, input.label);
    strings_.clear();
    for (std::uint32_t i = 0; i < from.strings().size(); ++i) {
      strings_.push_back(to_.intern(from.text(static_cast<StringId>(i))));
    }
    const auto first = static_cast<std::uint32_t>(to_.events().size());
    add_events(from, shift);
    for (const TraceInstant& instant : from.instants()) {
      to_.mark_instant(static_cast<EventId>(static_cast<std::uint32_t>(instant.event) + first), instant.scope);
    }
    for (const TraceCounter& sample : from.counters()) {
      to_.add_counter({moved(sample.time_ns, shift), sample.value, string(sample.name),
                       processes_[static_cast<std::size_t>(sample.process)]});
    }
    add_flows(from, first);
  }

  Trace take(const std::vector<MergeInput>& inputs, std::optional<Nanoseconds> base) {
    if (base) to_.set_base_time(*base);
    add_properties(inputs, to_);
    return std::move(to_);
  }

 private:
  static std::int64_t moved(std::int64_t time, std::int64_t shift) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(time, shift, &sum)) return sum;
    throw Error(ErrorKind::bad_input, "trace: a time does not fit the common time base; check the offsets");
  }
  StringId string(StringId id) const { return strings_[static_cast<std::size_t>(id)]; }

  void add_rows(const Trace& from, const std::string& label) {
    processes_.clear();
    rows_.clear();
    for (const TraceProcess& process : from.processes()) {
      const bool is_free = pids_.insert(process.pid).second;
      std::uint32_t pid = process.pid;
      while (!is_free && !pids_.insert(pid).second) ++pid;
      const std::string name = label.empty() ? process.name : label + (process.name.empty() ? "" : ": " + process.name);
      processes_.push_back(to_.add_process(name, pid, process.sort_index));
    }
    for (const TraceRow& row : from.rows()) {
      rows_.push_back(
          to_.add_row(processes_[static_cast<std::size_t>(row.process)], row.name, row.tid, row.sort_index));
    }
  }

  void add_events(const Trace& from, std::int64_t shift) {
    std::vector<TraceArg> args;
    for (TraceEvent event : from.events()) {
      args.clear();
      for (TraceArg arg : from.args(event)) {
        arg.key = string(arg.key);
        if (auto* text = std::get_if<StringId>(&arg.value)) *text = string(*text);
        if (auto* json = std::get_if<TraceJson>(&arg.value)) json->text = string(json->text);
        args.push_back(arg);
      }
      event.start_ns = moved(event.start_ns, shift);
      event.name = string(event.name);
      event.category = string(event.category);
      event.row = rows_[static_cast<std::size_t>(event.row)];
      event.args = 0;
      const EventId id = to_.add_event(event);
      if (!args.empty()) to_.set_args(id, std::span<const TraceArg>(args));
    }
  }

  void add_flows(const Trace& from, std::uint32_t first) {
    std::unordered_map<std::uint64_t, std::uint64_t> numbers;
    std::unordered_set<std::uint64_t> own;
    for (const TraceFlow& flow : from.flows()) own.insert(flow.bind_id);
    for (const TraceFlow& flow : from.flows()) {
      const auto [found, is_new] = numbers.try_emplace(flow.bind_id, flow.bind_id);
      while (is_new && flows_.contains(found->second)) {
        do ++next_flow_;
        while (own.contains(next_flow_));
        found->second = next_flow_;
      }
      to_.add_flow(static_cast<EventId>(static_cast<std::uint32_t>(flow.event) + first), found->second, flow.in,
                   flow.out);
    }
    for (const auto& [old, number] : numbers) flows_.insert(number);
  }

  Trace to_;
  std::set<std::uint32_t> pids_;
  std::unordered_set<std::uint64_t> flows_;
  std::uint64_t next_flow_ = std::uint64_t{1} << 48;
  std::vector<StringId> strings_;
  std::vector<ProcessId> processes_;
  std::vector<RowId> rows_;
};

}  // namespace

Trace merge_traces(const std::vector<MergeInput>& inputs) {
  const auto base = earliest_base(inputs);
  check_placed(inputs);
  Merger merger;
  for (const MergeInput& input : inputs) merger.add(input, shift_of(input, base));
  return merger.take(inputs, base);
}

}  // namespace takt
