#include "trace/faults.h"

namespace takt {
namespace {

struct RuleText {
  std::string_view name, meaning;
};

constexpr std::array<RuleText, trace_rule_count> rule_texts = {{
    {"unterminated", "The file ends before its list of events does; importers of the object form refuse it."},
    {"empty", "The file has no events."},
    {"text_after_end", "Something follows the end of the trace; strict parsers refuse the file."},
    {"malformed_event", "An event is not valid JSON; strict parsers refuse the whole file."},
    {"control_character", "A text holds a control character that is not escaped; strict parsers refuse the file."},
    {"missing_phase", "An event has no 'ph', so its kind is not known; it is left out."},
    {"unknown_phase", "An event has a 'ph' that is not a slice, instant, counter, flow, async event or name."},
    {"missing_ts", "An event has no time; importers leave it out."},
    {"missing_dur", "A complete event (ph X) has no duration; importers leave it out."},
    {"negative_dur", "An event ends before it starts; importers keep it without a word or leave it out."},
    {"not_a_number", "A number is NaN, infinite or no number at all; JSON has none of these."},
    {"time_out_of_range", "A time does not fit nanoseconds of 64 bits; the event is left out."},
    {"lost_precision",
     "A time has more digits than a reader's nanoseconds or doubles hold; write times relative to "
     "baseTimeNanoseconds with three decimals."},
    {"zero_pid", "Process 0 or none: importers take it for the idle process."},
    {"zero_tid", "Thread 0 or none: importers replace it by the process number."},
    {"odd_id", "A process or thread number is negative or above 2^32 - 1: importers make it 0."},
    {"overlap", "Two slices of one row overlap without nesting; importers drop or move the second."},
    {"unmatched_begin", "A begin (ph B, b) without an end; the slice has no known duration."},
    {"unmatched_end", "An end (ph E, e) without a begin; it is left out."},
    {"flow_without_slice", "An arrow's end lies on no slice; importers leave it out."},
    {"flow_without_end", "An arrow starts and ends nowhere, or ends and starts nowhere."},
    {"flow_repeated", "Two arrows of one name and category start with the same id; importers join or drop them."},
    {"counter_without_value", "A counter event has no numeric value; importers refuse it."},
    {"dropped_events", "The recorder had no room for these events: what follows the first of them has holes."},
    {"recording_cut", "The program ended before its recorder did; what it recorded last is missing."},
}};

}  // namespace

std::string_view name_of(TraceRule rule) { return rule_texts[static_cast<std::size_t>(rule)].name; }
std::string_view meaning_of(TraceRule rule) { return rule_texts[static_cast<std::size_t>(rule)].meaning; }

void FaultList::merge(const FaultList& other) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& mine = entries_[i];
    const Entry& theirs = other.entries_[i];
    if (theirs.count == 0) continue;
    if (mine.count == 0 || theirs.order < mine.order) {
      mine.order = theirs.order;
      mine.place = theirs.place;
    }
    mine.count += theirs.count;
  }
}

std::vector<TraceFault> FaultList::list() const {
  std::vector<TraceFault> faults;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].count > 0) faults.push_back({static_cast<TraceRule>(i), entries_[i].count, entries_[i].place});
  }
  return faults;
}

}  // namespace takt
