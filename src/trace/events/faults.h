// What is wrong with a trace file: every rule that an importer would complain about, or break silently.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

enum class TraceRule : std::uint8_t {
  unterminated,
  unclosed_list,
  byte_order_mark,
  empty,
  text_after_end,
  malformed_event,
  not_json,
  control_character,
  missing_phase,
  unknown_phase,
  missing_ts,
  missing_dur,
  negative_dur,
  not_a_number,
  argument_not_a_number,
  time_out_of_range,
  zero_ts,
  far_ts,
  stream_overrun,
  stream_overlap,
  work_before_launch,
  launch_without_work,
  lost_precision,
  zero_pid,
  zero_tid,
  odd_id,
  missing_tid,
  missing_id,
  no_name,
  overlap,
  xla_overlap,
  repeated_event,
  unmatched_begin,
  unmatched_end,
  flow_without_slice,
  flow_without_end,
  flow_repeated,
  counter_without_value,
  cut_packet,
  malformed_packet,
  lost_packets,
  unknown_text,
  unknown_clock,
  unread_packet,
  unread_field,
  sampled_profile,
  dropped_events,
  recording_cut,
};

/// How bad a fault is, least first. The measure is Perfetto's reader, which most viewers are. An error is what it
/// reports as one, or a file that is cut off; a warning is legal but odd, or passed over without a word; a note is no
/// fault, but says what takt leaves out.
enum class FaultGrade : std::uint8_t { note, warning, error };
std::string_view name_of(FaultGrade grade);  ///< "warning"

constexpr std::size_t trace_rule_count = static_cast<std::size_t>(TraceRule::recording_cut) + 1;

std::string_view name_of(TraceRule rule);  ///< "missing_dur"
FaultGrade grade_of(TraceRule rule);
std::string_view meaning_of(TraceRule rule);  ///< what it is and what importers make of it, one sentence

struct TraceFault {
  TraceRule rule{};
  std::uint64_t count = 0;
  std::string first;  ///< where the first one is: "byte 120: 'conv'"
};

/// Counts per rule, with the first place of each. Not thread-safe; lists of several threads are merged.
class FaultList {
 public:
  /// `order` tells which of two places is the first; `place` is made only for the first.
  template <typename Place>
  void add(TraceRule rule, std::uint64_t order, Place place, std::uint64_t count = 1) {
    Entry& entry = entries_[static_cast<std::size_t>(rule)];
    if (entry.count == 0 || order < entry.order) {
      entry.order = order;
      entry.place = place();
    }
    entry.count += count;
  }
  void merge(const FaultList& other);
  std::vector<TraceFault> list() const;  ///< rules that were broken, in the order of TraceRule
  std::uint64_t count(TraceRule rule) const { return entries_[static_cast<std::size_t>(rule)].count; }

 private:
  struct Entry {
    std::uint64_t count = 0, order = 0;
    std::string place;
  };
  std::array<Entry, trace_rule_count> entries_;
};

}  // namespace takt
