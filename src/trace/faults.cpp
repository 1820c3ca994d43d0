#include "trace/events/faults.h"

namespace takt {
namespace {

struct RuleText {
  std::string_view name;
  FaultGrade grade;
  std::string_view meaning;
};

constexpr FaultGrade grade_note = FaultGrade::note, grade_warning = FaultGrade::warning,
                     grade_error = FaultGrade::error;

constexpr std::array<RuleText, trace_rule_count> rule_texts = {{
    {"unterminated", grade_error,
     "The file ends, or is broken, inside an event or before its object ends; importers lose events or refuse it."},
    {"unclosed_list", grade_warning,
     "The bare list of events has no closing bracket, as writers leave it that append; nothing is lost."},
    {"byte_order_mark", grade_error,
     "A byte order mark stands in front of the JSON; Perfetto does not know the file for a trace."},
    {"empty", grade_warning, "The file has no events."},
    {"text_after_end", grade_warning, "Something follows the end of the trace; strict parsers refuse the file."},
    {"malformed_event", grade_error, "An event is not valid JSON; importers refuse the whole file."},
    {"not_json", grade_error,
     "Nothing that JSON allows stands there; takt reads on where it can, strict parsers refuse the file."},
    {"control_character", grade_warning,
     "A text holds a control character that is not escaped; strict parsers refuse the file."},
    {"missing_phase", grade_error, "An event has no 'ph', so its kind is not known; it is left out."},
    {"unknown_phase", grade_warning,
     "An event has a 'ph' that is not a slice, instant, counter, flow, async event or name."},
    {"missing_ts", grade_error, "An event has no time; importers leave it out."},
    {"missing_dur", grade_error, "A complete event (ph X) has no duration; importers leave it out."},
    {"negative_dur", grade_warning, "An event ends before it starts; importers keep it without a word."},
    {"not_a_number", grade_error, "A time is NaN, infinite or no number at all; importers refuse the file."},
    {"argument_not_a_number", grade_warning,
     "An argument is NaN or infinite, which JSON has not; it is read as null, strict parsers refuse the file."},
    {"time_out_of_range", grade_error, "A time does not fit nanoseconds of 64 bits; the event is left out."},
    {"lost_precision", grade_warning,
     "A time has more digits than a reader's nanoseconds or doubles hold; write times relative to "
     "baseTimeNanoseconds with three decimals."},
    {"zero_pid", grade_warning, "Process 0 or none: importers take it for the idle process."},
    {"zero_tid", grade_warning, "Thread 0 or none: importers replace it by the process number."},
    {"odd_id", grade_warning, "A process or thread number is negative or above 2^32 - 1: importers make it 0."},
    {"missing_tid", grade_error, "An instant of a thread does not name its thread; importers leave it out."},
    {"missing_id", grade_error,
     "An async event or arrow has no id, or an arrow one that is no number; importers leave it out."},
    {"no_name", grade_error, "A process or thread is given a name that is empty or no text; importers refuse it."},
    {"overlap", grade_error, "Two slices of one row overlap without nesting; importers drop or move the second."},
    {"unmatched_begin", grade_warning, "A begin (ph B, b) without an end; the slice has no known duration."},
    {"unmatched_end", grade_warning, "An end (ph E, e) without a begin; it is left out."},
    {"flow_without_slice", grade_warning, "An arrow's end lies on no slice; importers leave it out."},
    {"flow_without_end", grade_warning, "An arrow starts and ends nowhere, or ends and starts nowhere."},
    {"flow_repeated", grade_error,
     "Two arrows of one name and category start with the same id; importers join or drop them."},
    {"counter_without_value", grade_error, "A counter event has no numeric value; importers refuse it."},
    {"cut_packet", grade_error, "The file ends inside a packet, which is lost."},
    {"malformed_packet", grade_error, "A packet is no message of Perfetto's schema; it is left out."},
    {"lost_packets", grade_warning, "Packets were lost that an event needs to be understood; it is left out."},
    {"unknown_text", grade_warning, "An event names a text by a number that no packet explains; the text is left out."},
    {"unknown_clock", grade_error,
     "A time is of a clock that no snapshot compares with the trace's; the event is left out."},
    {"unread_packet", grade_note,
     "A packet holds something else than events, tracks and clocks, which takt leaves out."},
    {"unread_field", grade_note, "An event has fields that takt does not know; they are left out."},
    {"dropped_events", grade_warning,
     "The recorder had no room for these events: what follows the first of them has holes."},
    {"recording_cut", grade_warning, "The program ended before its recorder did; what it recorded last is missing."},
}};

}  // namespace

std::string_view name_of(TraceRule rule) { return rule_texts[static_cast<std::size_t>(rule)].name; }
std::string_view name_of(FaultGrade grade) {
  constexpr std::array<std::string_view, 3> names = {"note", "warning", "error"};
  return names[static_cast<std::size_t>(grade)];
}
FaultGrade grade_of(TraceRule rule) { return rule_texts[static_cast<std::size_t>(rule)].grade; }
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
