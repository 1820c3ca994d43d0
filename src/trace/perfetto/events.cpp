#include "trace/perfetto/events.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "base/basics/text.h"
#include "base/memory/large_pages.h"
#include "trace/write/perfetto_schema.h"
#include "trace/write/perfetto_wire.h"

namespace takt::perfetto {

const EventCollector::Legacy EventCollector::no_legacy;

void EventCollector::expect(double times) {
  constexpr double spare = 1.02, most = 16e6;  // entries; a longer list may well grow
  const auto expected = [&](std::size_t count) {
    return static_cast<std::size_t>(std::min(static_cast<double>(count) * times * spare, most));
  };
  try {
    reserve_large(events_, expected(events_.size()));
    pairs_.expect(expected(events_.size()));
    trace_.reserve(0, expected(trace_.arg_runs()), expected(trace_.arg_values()));
  } catch (const std::bad_alloc&) {
    // A packed file only says how long it is: what really comes may well find room.
  }
}

void EventCollector::add_category(StringId category, Event& event) {
  if (event.category == StringId{})
    event.category = category;
  else
    event.category = trace_.intern(trace_.text(event.category) + "," + trace_.text(category));
}

void EventCollector::decode(std::string_view message, const Sequence& sequence, Event& event) {
  args_.clear();
  event_flows_.clear();
  Fields fields(message);
  for (Field field; fields.next(field);) decode_field(field, sequence, event);
  event.is_broken = event.is_broken || fields.is_broken();
}

void EventCollector::decode_field(const Field& field, const Sequence& sequence, Event& event) {
  const auto known = [&event](const std::optional<StringId>& text) {
    event.has_unknown_text = event.has_unknown_text || !text;
    return text.value_or(StringId{});
  };
  switch (field.number) {
    case event_field::type:
      event.type = field.value;
      break;
    case event_field::track_uuid:
      event.track = field.value;
      break;
    case event_field::name_iid:
      event.name = known(sequence.names.find(field.value));
      break;
    case event_field::name:
      event.name = trace_.intern(field.bytes);
      break;
    case event_field::category_iids:
      add_category(known(sequence.categories.find(field.value)), event);
      break;
    case event_field::categories:
      add_category(trace_.intern(field.bytes), event);
      break;
    case event_field::debug_annotations: {
      const ArgState state = args_reader_.read(field.bytes, sequence, args_);
      event.is_broken = event.is_broken || state == ArgState::broken;
      event.has_unknown_text = event.has_unknown_text || state == ArgState::unknown_text;
      event.is_unread = event.is_unread || state == ArgState::unread;
      break;
    }
    case event_field::counter_value:
      event.value = static_cast<double>(field.as_signed());
      break;
    case event_field::double_counter_value:
      event.value = field.as_real();
      break;
    case event_field::flow_ids:
    case event_field::flow_ids_old:
      event_flows_.emplace_back(field.value, false);
      break;
    case event_field::terminating_flow_ids:
    case event_field::terminating_ids_old:
      event_flows_.emplace_back(field.value, true);
      break;
    case event_field::legacy:
      decode_legacy(field.bytes, sequence, event);
      break;
    case event_field::delta_us:
    case event_field::absolute_us:
      break;  // taken by the reader of packets
    default:
      event.is_unread = true;
  }
}

void EventCollector::decode_legacy(std::string_view message, const Sequence& sequence, Event& event) {
  Legacy& legacy = legacy_;
  if (!event.legacy->is_present) legacy = {};  // of several messages the fields are one's
  legacy.is_present = true, event.legacy = &legacy;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.number) {
      case legacy_field::name_iid:
        event.name = sequence.names.find(field.value).value_or(event.name);
        break;
      case legacy_field::phase:
        legacy.phase = static_cast<char>(field.value);
        break;
      case legacy_field::duration_us:
        legacy.duration_us = field.as_signed();
        break;
      case legacy_field::unscoped_id:
      case legacy_field::local_id:
      case legacy_field::global_id:
        legacy.id = field.value;
        legacy.has_id = true;
        break;
      case legacy_field::bind_id:
        legacy.bind_id = field.value;
        break;
      case legacy_field::flow_direction:
        legacy.flow_direction = field.value;
        break;
      case legacy_field::bind_to_enclosing:
        legacy.binds_enclosing = field.value != 0;
        break;
      case legacy_field::scope:
        legacy.scope = field.value;
        break;
      case legacy_field::pid:
        legacy.process = field.as_signed();
        break;
      case legacy_field::tid:
        legacy.thread = field.as_signed();
        break;
      default:
        break;  // times of the thread's own clock, counts of instructions
    }
  }
  event.is_broken = event.is_broken || fields.is_broken();
}

std::uint32_t EventCollector::track_of(const Event& event, const Sequence& sequence) {
  if (event.track) return tracks_.find(*event.track);
  if (sequence.default_track) return tracks_.find(*sequence.default_track);
  return sequence.own_track.value_or(0);
}

std::uint32_t EventCollector::thread_track_of(const Event& event, std::uint32_t track) {
  const Legacy& legacy = *event.legacy;
  if (!legacy.process && !legacy.thread) return track;
  const Track& known = tracks_[track];
  return tracks_.of_thread(legacy.process.value_or(known.process.value_or(0)),
                           legacy.thread.value_or(known.thread.value_or(0)));
}

std::uint32_t EventCollector::async_track_of(const Event& event, std::uint32_t track) {
  const auto process = tracks_.process_of(thread_track_of(event, track));
  return tracks_.of_async(process.value_or(0), event.category, event.legacy->id);
}

void EventCollector::add(std::string_view message, const EventTime& when, const Sequence& sequence,
                         const FaultPlace& place) {
  const std::int64_t time = when.time;
  Event event;
  event.row_track = when.row_track;
  decode(message, sequence, event);
  if (event.is_broken) return place.add(TraceRule::malformed_packet);
  if (event.has_unknown_text) place.add(TraceRule::unknown_text);
  if (event.is_unread) place.add(TraceRule::unread_field, "'" + printable(trace_.text(event.name)) + "'");
  const std::uint32_t track = track_of(event, sequence);
  if (event.type == 0 && event.legacy->is_present)
    add_legacy(event, track, time, place);
  else
    add_of_type(event, track, time, place);
}

void EventCollector::add_of_type(const Event& event, std::uint32_t track, std::int64_t time, const FaultPlace& place) {
  switch (event.type) {
    case slice_begin:
      return begin(event, track, time);
    case slice_end:
      return end(track, time);
    case instant:
      return add_instant(event, track, time);
    case counter_value:
      return add_counter(event, track, time, place);
    default:
      return place.add(TraceRule::unread_packet, "an event of type " + std::to_string(event.type));
  }
}

void EventCollector::add_legacy(const Event& event, std::uint32_t track, std::int64_t time, const FaultPlace& place) {
  switch (event.legacy->phase) {
    case 'B':
      return begin(event, thread_track_of(event, track), time);
    case 'E':
      return end(thread_track_of(event, track), time);
    case 'X':
      return add_complete(event, thread_track_of(event, track), time);
    case 'b':
    case 'S':
      return begin(event, async_track_of(event, track), time);
    case 'e':
    case 'F':
      return end(async_track_of(event, track), time);
    case 'n':
    case 'T':
    case 'p':
      return add_instant(event, async_track_of(event, track), time);
    case 'i':
    case 'I':
    case 'R':
      return add_instant(event, thread_track_of(event, track), time);
    case 'C':
      return add_legacy_counter(event, thread_track_of(event, track), time);
    case 's':
    case 't':
    case 'f':
      return add_legacy_arrow(event, thread_track_of(event, track), time);
    default:
      return place.add(TraceRule::unread_packet, "an event of phase " + std::to_string(+event.legacy->phase));
  }
}

void EventCollector::touch(std::uint32_t position, StringId name, StringId category, std::int64_t time) {
  Track& track = tracks_[position];
  if (time < track.last_time) pairs_.times_go_back();
  track.last_time = time;
  if (!track.has_events && track.stand_in == StringId{}) {
    track.stand_in = category == StringId{} ? name : category;
  }
  track.has_events = track.has_slices = true;
}

std::uint32_t EventCollector::push(const Event& event, std::uint32_t track, std::int64_t time, std::int64_t duration) {
  touch(track, event.name, event.category, time);
  const auto number = static_cast<std::uint32_t>(events_.size());
  events_.push_back(
      {time, duration, event.name, event.category, static_cast<RowId>(track), trace_.add_args(std::span(args_))});
  push_flows(number, time);
  return number;
}

void EventCollector::push_flows(std::uint32_t holder, std::int64_t time) {
  for (const auto& [number, ends_here] : event_flows_) flows_.push_back({time, number, holder, ends_here, false});
}

void EventCollector::begin(const Event& event, std::uint32_t track, std::int64_t time) {
  const std::uint32_t number = push(event, track, time, 0);
  pairs_.begin();
  if (!args_.empty() && trace_.text(args_.back().key) == "recorded_duration_ns") negatives_.push_back(number);
  if (const Legacy& legacy = *event.legacy; legacy.flow_direction != 0) {
    const bool is_in = legacy.flow_direction == 1;
    flows_.push_back({time, legacy.bind_id, number, is_in, is_in});
  }
}

void EventCollector::end(std::uint32_t track, std::int64_t time) {
  touch(track, {}, {}, time);
  std::uint32_t brought = 0;
  if (!args_.empty() || !event_flows_.empty()) {
    brought = pairs_.bring(args_);
    push_flows(end_bit | brought, time);
  }
  pairs_.end(track, time, brought);
}

void EventCollector::add_complete(const Event& event, std::uint32_t track, std::int64_t time) {
  std::int64_t duration = 0;
  if (__builtin_mul_overflow(event.legacy->duration_us.value_or(0), 1000, &duration)) duration = 0;
  push(event, track, time, duration);
}

void EventCollector::add_instant(const Event& event, std::uint32_t track, std::int64_t time) {
  const std::uint32_t row = event.row_track ? tracks_.find(*event.row_track) : track;
  const std::uint32_t number = push(event, row, time, 0);
  InstantScope scope = InstantScope::row;
  if (tracks_[track].is_whole_process || event.legacy->scope == 2) scope = InstantScope::process;
  if (track == 0 || event.legacy->scope == 1) scope = InstantScope::trace;
  trace_.mark_instant(static_cast<EventId>(number), scope);
}

void EventCollector::add_counter(const Event& event, std::uint32_t position, std::int64_t time,
                                 const FaultPlace& place) {
  Track& track = tracks_[position];
  if (!event.value) return place.add(TraceRule::counter_without_value);
  track.is_counter = track.has_events = true;
  double value = *event.value * static_cast<double>(track.unit);
  if (track.is_incremental) value = track.sum += value;
  if (!std::isfinite(value)) return place.add(TraceRule::counter_without_value);
  samples_.push_back({time, value, position, {}});
}

/// The values are arguments, as in Chrome's JSON.
void EventCollector::add_legacy_counter(const Event& event, std::uint32_t track, std::int64_t time) {
  for (const TraceArg& arg : args_) {
    double value = NAN;
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) value = static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&arg.value)) value = *real;
    if (!std::isfinite(value)) continue;
    const std::string& key = trace_.text(arg.key);
    const bool is_only = args_.size() == 1 && key == "value";
    const StringId name = is_only ? event.name : trace_.intern(trace_.text(event.name) + " " + key);
    const auto process = tracks_.process_of(track);
    const std::uint32_t counter = tracks_.of_async(process.value_or(0), name, UINT64_MAX);
    tracks_[counter].is_counter = tracks_[counter].has_events = true;
    samples_.push_back({time, value, counter, name});
  }
}

void EventCollector::add_legacy_arrow(const Event& event, std::uint32_t track, std::int64_t time) {
  touch(track, event.name, event.category, time);
  chrome::PlacedMark mark;
  mark.time = time;
  mark.id = event.legacy->id;
  mark.row = static_cast<RowId>(track);
  mark.name = event.name;
  mark.category = event.category;
  mark.event = static_cast<std::uint32_t>(events_.size());
  mark.phase = event.legacy->phase;
  mark.binds_enclosing = event.legacy->binds_enclosing;
  arrows_.push_back(mark);
}

}  // namespace takt::perfetto
