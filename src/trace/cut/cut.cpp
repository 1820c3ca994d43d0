#include "trace/cut/cut.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

namespace takt {
namespace {

constexpr std::uint32_t left_out = UINT32_MAX;

class Cutter {
 public:
  Cutter(const Trace& from, const TracePart& part)
      : from_(from),
        part_(part),
        processes_(from.processes().size()),
        rows_(from.rows().size()),
        strings_(from.strings().size()),
        events_(from.events().size(), left_out) {}

  TracePiece cut() {
    find_used();
    if (const auto base = from_.base_time()) piece_.trace.set_base_time(*base);
    piece_.trace.set_provenance_json(from_.provenance_json());
    for (const TraceProperty& property : from_.properties()) piece_.trace.set_property(property.key, property.json);
    for (std::size_t i = 0; i < from_.events().size(); ++i) add_event(i);
    for (const TraceInstant& instant : from_.instants()) {
      const std::uint32_t event = events_[static_cast<std::size_t>(instant.event)];
      if (event != left_out) piece_.trace.mark_instant(static_cast<EventId>(event), instant.scope);
    }
    add_arrows();
    for (const TraceCounter& sample : from_.counters()) {
      if (!is_wanted(sample)) continue;
      piece_.trace.add_counter({sample.time_ns, sample.value, string(sample.name), process(sample.process)});
    }
    return std::move(piece_);
  }

 private:
  bool is_wanted(ProcessId id) const {
    return !part_.pids || part_.pids->contains(from_.processes()[static_cast<std::size_t>(id)].pid);
  }
  bool is_wanted(const TraceCounter& sample) const {
    return overlaps(part_.span, sample.time_ns, 0) && is_wanted(sample.process);
  }
  bool is_wanted(const TraceEvent& event) const {
    return overlaps(part_.span, event.start_ns, event.duration_ns) &&
           is_wanted(from_.rows()[static_cast<std::size_t>(event.row)].process);
  }

  /// Processes and rows in the order of the whole trace, those that have something.
  void find_used() {
    std::vector<bool> rows(rows_.size()), processes(processes_.size());
    for (const TraceEvent& event : from_.events()) {
      if (is_wanted(event)) rows[static_cast<std::size_t>(event.row)] = true;
    }
    for (const TraceCounter& sample : from_.counters()) {
      if (is_wanted(sample)) processes[static_cast<std::size_t>(sample.process)] = true;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i]) processes[static_cast<std::size_t>(from_.rows()[i].process)] = true;
    }
    for (std::size_t i = 0; i < processes.size(); ++i) {
      const TraceProcess& old = from_.processes()[i];
      if (processes[i]) processes_[i] = piece_.trace.add_process(old.name, old.pid, old.sort_index);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const TraceRow& old = from_.rows()[i];
      if (rows[i]) rows_[i] = piece_.trace.add_row(process(old.process), old.name, old.tid, old.sort_index);
    }
  }

  ProcessId process(ProcessId id) const { return *processes_[static_cast<std::size_t>(id)]; }
  StringId string(StringId id) {
    auto& known = strings_[static_cast<std::size_t>(id)];
    if (!known) known = piece_.trace.intern(from_.text(id));
    return *known;
  }

  void add_event(std::size_t position) {
    const TraceEvent& old = from_.events()[position];
    if (!is_wanted(old)) return;
    TraceEvent event = old;
    const std::int64_t end = old.start_ns + std::max<std::int64_t>(old.duration_ns, 0);
    const bool is_clipped = old.duration_ns > 0 && (old.start_ns < part_.span.start || end > part_.span.end);
    event.name = string(old.name);
    event.category = string(old.category);
    event.row = *rows_[static_cast<std::size_t>(old.row)];
    event.args = 0;
    if (is_clipped) {
      event.start_ns = std::max(old.start_ns, part_.span.start);
      event.duration_ns = std::min(end, part_.span.end) - event.start_ns;
      ++piece_.clipped;
    }
    args_.clear();
    bool is_told = false;
    for (TraceArg arg : from_.args(old)) {
      is_told = is_told || from_.text(arg.key) == "whole_start_ns";
      arg.key = string(arg.key);
      if (auto* text = std::get_if<StringId>(&arg.value)) *text = string(*text);
      if (auto* json = std::get_if<TraceJson>(&arg.value)) json->text = string(json->text);
      args_.push_back(arg);
    }
    if (is_clipped && !is_told) {
      args_.push_back({piece_.trace.intern("whole_start_ns"), old.start_ns});
      args_.push_back({piece_.trace.intern("whole_duration_ns"), old.duration_ns});
    }
    const EventId id = piece_.trace.add_event(event);
    if (!args_.empty()) piece_.trace.set_args(id, std::span<const TraceArg>(args_));
    events_[position] = static_cast<std::uint32_t>(id);
  }

  /// An arrow of which only one end is left would lead nowhere.
  void add_arrows() {
    struct Ends {
      bool in = false, out = false;
    };
    std::unordered_map<std::uint64_t, Ends> arrows;
    const auto event_of = [&](const TraceFlow& flow) { return events_[static_cast<std::size_t>(flow.event)]; };
    for (const TraceFlow& flow : from_.flows()) {
      if (event_of(flow) == left_out) continue;
      Ends& ends = arrows[flow.bind_id];
      ends.in = ends.in || flow.in;
      ends.out = ends.out || flow.out;
    }
    for (const TraceFlow& flow : from_.flows()) {
      if (event_of(flow) == left_out) continue;
      const Ends& ends = arrows.at(flow.bind_id);
      if (ends.in && ends.out)
        piece_.trace.add_flow(static_cast<EventId>(event_of(flow)), flow.bind_id, flow.in, flow.out);
    }
  }

  const Trace& from_;
  const TracePart& part_;
  TracePiece piece_;
  std::vector<std::optional<ProcessId>> processes_;
  std::vector<std::optional<RowId>> rows_;
  std::vector<std::optional<StringId>> strings_;
  std::vector<std::uint32_t> events_;  // their positions in the piece
  std::vector<TraceArg> args_;
};

}  // namespace

TracePiece cut_trace(const Trace& trace, const TracePart& part) { return Cutter(trace, part).cut(); }

}  // namespace takt
