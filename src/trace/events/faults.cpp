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
     "The file ends, or is broken, inside an event or before its object ends; importers lose events or reject it."},
    {"unclosed_list", grade_warning,
     "The list of events has no closing bracket, as in files of appending writers; nothing is lost."},
    {"byte_order_mark", grade_error,
     "A byte order mark precedes the JSON; Perfetto does not recognise the file as a trace."},
    {"empty", grade_warning, "The file has no events."},
    {"text_after_end", grade_warning, "Text follows the end of the trace; strict parsers reject the file."},
    {"malformed_event", grade_error, "An event is not valid JSON; importers reject the whole file."},
    {"not_json", grade_error,
     "The file has text that JSON does not allow; takt continues where it can, strict parsers reject the file."},
    {"control_character", grade_warning,
     "A string has a control character that is not escaped; strict parsers reject the file."},
    {"missing_phase", grade_error, "An event has no 'ph', so its kind is unknown; it is skipped."},
    {"unknown_phase", grade_warning,
     "An event has a 'ph' that is not a slice, instant, counter, flow, async event or name."},
    {"missing_ts", grade_error, "An event has no time; importers skip it."},
    {"missing_dur", grade_error, "A complete event (ph X) has no duration; importers skip it."},
    {"negative_dur", grade_warning, "An event ends before it starts; importers keep it without a warning."},
    {"not_a_number", grade_error, "A time is NaN, infinite or not a number; importers reject the file."},
    {"argument_not_a_number", grade_warning,
     "An argument is NaN or infinite, which JSON does not allow; it is read as null, strict parsers reject the file."},
    {"time_out_of_range", grade_error, "A time does not fit into 64-bit nanoseconds; the event is skipped."},
    {"zero_ts", grade_warning,
     "Events have time 0, far from all others: the recorder set no time; durations and device times omit them."},
    {"far_ts", grade_warning,
     "An event is more than 1000 times the trace's length away from all others; durations and device times omit it."},
    {"stream_overrun", grade_warning,
     "Device work contains later work of its own stream, which runs one at a time: its duration is too long, and the "
     "device seems busier than it was."},
    {"stream_overlap", grade_note,
     "Device work, or a mark of a wait, starts before what is ahead of it on the stream ends, as kernels with "
     "programmatic launch do; Perfetto's viewer leaves it out."},
    {"work_before_launch", grade_warning,
     "Device work starts before the call that launched it: the clocks of host and device differ."},
    {"launch_without_work", grade_warning,
     "A call launched device work that is not in the trace (lost, or captured into a graph): the device seems idle."},
    {"lost_precision", grade_warning,
     "A time has more digits than a reader's nanoseconds or doubles hold; write times relative to "
     "baseTimeNanoseconds with three decimals."},
    {"zero_pid", grade_warning, "The process number is 0 or missing: importers treat it as the idle process."},
    {"zero_tid", grade_warning, "The thread number is 0 or missing: importers replace it by the process number."},
    {"odd_id", grade_warning, "A process or thread number is negative or above 2^32 - 1: importers set it to 0."},
    {"missing_tid", grade_error, "An instant of a thread does not name its thread; importers skip it."},
    {"missing_id", grade_error,
     "An async event or flow event has no id, or a flow event has an id that is not a number; importers skip it."},
    {"no_name", grade_error, "The name of a process or thread is empty or not a string; importers reject it."},
    {"overlap", grade_error, "Two slices of one row overlap without nesting; importers drop or move the second."},
    {"xla_overlap", grade_note,
     "Two slices of one row overlap without nesting, as XLA's profiler writes them; viewers leave out the second."},
    {"repeated_event", grade_warning,
     "An event is there twice, with the same row, time, name and arguments, as where a file was merged with itself: "
     "counts and sums of durations are too large."},
    {"unmatched_begin", grade_warning, "A begin (ph B, b) has no end; the duration of the slice is unknown."},
    {"unmatched_end", grade_warning, "An end (ph E, e) has no begin; it is skipped."},
    {"flow_without_slice", grade_warning, "An end of a flow is not on a slice; importers skip it."},
    {"flow_without_end", grade_warning, "A flow has a start but no end, or an end but no start."},
    {"flow_repeated", grade_error,
     "Two flows with the same name and category start with the same id; importers join or drop them."},
    {"counter_without_value", grade_error, "A counter event has no numeric value; importers reject it."},
    {"cut_packet", grade_error, "The file ends inside a packet, which is lost."},
    {"malformed_packet", grade_error, "A packet is not a message of Perfetto's schema; it is skipped."},
    {"lost_packets", grade_warning, "Packets that an event depends on were lost; the event is skipped."},
    {"unknown_text", grade_warning,
     "An event refers to a string by a number that no packet defines; the string is omitted."},
    {"unknown_clock", grade_error,
     "A time is of a clock that no snapshot relates to the trace's clock; the event is skipped."},
    {"unread_packet", grade_note, "A packet has something other than events, tracks and clocks, which takt skips."},
    {"unread_field", grade_note, "An event has fields that takt does not know; they are skipped."},
    {"sampled_profile", grade_note,
     "The file has samples of call stacks (events with ph P, or lists beside the events); takt reads spans, and skips "
     "them."},
    {"dropped_events", grade_warning,
     "The recorder had no space for these events: the trace has gaps after the first of them."},
    {"recording_cut", grade_warning,
     "The program ended before its recorder did; the last recorded events are missing."},
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
