#include "trace/perfetto/tracks.h"

#include "trace/write/perfetto_schema.h"
#include "trace/write/perfetto_wire.h"

namespace takt::perfetto {
namespace {

using chrome::Id;
using chrome::Naming;
using chrome::RowKey;
using chrome::RowKind;

constexpr int deepest_track = 32;

std::uint32_t text_number(StringId text) { return static_cast<std::uint32_t>(text); }

Id text_id(Trace& trace, std::string_view text) { return {static_cast<std::int64_t>(trace.intern(text)), true}; }

}  // namespace

std::uint32_t Tracks::find(std::uint64_t uuid) {
  auto& [known, position] = lately_found_[uuid % lately_found_.size()];
  if (known == uuid && uuid != 0) return position;
  const auto [found, is_new] = positions_.try_emplace(uuid, static_cast<std::uint32_t>(tracks_.size()));
  if (is_new) tracks_.emplace_back();
  known = uuid, position = found->second;
  return found->second;
}

std::uint32_t Tracks::of_thread(std::int64_t process, std::int64_t thread) {
  const auto [found, is_new] = threads_.try_emplace({process, thread}, static_cast<std::uint32_t>(tracks_.size()));
  if (!is_new) return found->second;
  Track& track = tracks_.emplace_back();
  track.process = process;
  track.thread = thread;
  track.is_described = true;
  return found->second;
}

std::uint32_t Tracks::of_async(std::int64_t process, StringId category, std::uint64_t id) {
  const auto [found, is_new] = asyncs_.try_emplace({process, category, id}, static_cast<std::uint32_t>(tracks_.size()));
  if (!is_new) return found->second;
  Track& track = tracks_.emplace_back();
  track.process = process;
  track.stand_in = category;
  track.is_described = true;
  return found->second;
}

void Tracks::name_thread(std::int64_t process, std::int64_t thread, StringId name) {
  plan_.apply({Naming::What::row_name, {process, false}, {thread, false}, text_number(name), 0});
}

bool Tracks::take_process(std::string_view message, Track& track, Trace& trace) {
  std::int64_t order = 0;
  StringId name{}, labels{};
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number == process_field::pid) track.process = field.as_signed();
    if (field.number == process_field::sort_index) order = field.as_signed();
    if (field.number == process_field::name) name = trace.intern(field.bytes);
    if (field.number == process_field::labels) labels = trace.intern(field.bytes);
  }
  if (fields.is_broken()) return false;
  track.process = track.process.value_or(0);
  track.is_whole_process = true;
  const Id id{*track.process, false};
  if (name != StringId{}) plan_.apply({Naming::What::process_name, id, {}, text_number(name), 0});
  if (labels != StringId{}) plan_.apply({Naming::What::process_labels, id, {}, text_number(labels), 0});
  plan_.apply({Naming::What::process_order, id, {}, 0, order});
  return true;
}

bool Tracks::take_thread(std::string_view message, Track& track, Trace& trace) {
  std::int64_t order = 0;
  StringId name{};
  std::optional<std::int64_t> lane_of;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number == thread_field::pid) track.process = field.as_signed();
    if (field.number == thread_field::tid) track.thread = field.as_signed();
    if (field.number == thread_field::sort_index) order = field.as_signed();
    if (field.number == thread_field::name) name = trace.intern(field.bytes);
    if (field.number == thread_field::lane_of) lane_of = field.as_signed();
  }
  if (fields.is_broken()) return false;
  track.process = track.process.value_or(0);
  track.thread = track.thread.value_or(0);
  const Id process{*track.process, false}, thread{*track.thread, false};
  plan_.apply({Naming::What::row_order, process, thread, 0, order});
  if (name != StringId{}) plan_.apply({Naming::What::row_name, process, thread, text_number(name), 0});
  if (lane_of) plan_.apply({Naming::What::lane_of, process, thread, 0, *lane_of});
  return true;
}

bool Tracks::take_counter(std::string_view message, Track& track) {
  track.is_counter = true;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number == counter_field::unit_multiplier && field.value != 0) track.unit = field.as_signed();
    if (field.number == counter_field::is_incremental) track.is_incremental = field.value != 0;
  }
  return !fields.is_broken();
}

bool Tracks::describe(std::string_view descriptor, Trace& trace) {
  std::uint64_t uuid = 0;
  Fields search(descriptor);
  for (Field field; search.next(field);) {
    if (field.number == track_field::uuid) uuid = field.value;
  }
  if (search.is_broken()) return false;
  Track& track = tracks_[find(uuid)];
  track.is_described = true;
  bool is_good = true;
  Fields fields(descriptor);
  for (Field field; is_good && fields.next(field);) {
    switch (field.number) {
      case track_field::name:
      case track_field::static_name:
      case track_field::atrace_name:
        track.name = trace.intern(field.bytes);
        break;
      case track_field::parent_uuid:
        track.parent = field.value;
        break;
      case track_field::process:
        is_good = take_process(field.bytes, track, trace);
        break;
      case track_field::thread:
        is_good = take_thread(field.bytes, track, trace);
        break;
      case track_field::counter:
        is_good = take_counter(field.bytes, track);
        break;
      default:
        break;
    }
  }
  return is_good;
}

std::optional<std::int64_t> Tracks::process_of(std::uint32_t position) const {
  for (int depth = 0; depth < deepest_track; ++depth) {
    const Track& track = tracks_[position];
    if (track.process) return track.process;
    const auto parent = positions_.find(track.parent);
    if (parent == positions_.end() || parent->second == position) return std::nullopt;
    position = parent->second;
  }
  return std::nullopt;
}

Id Tracks::process_id(std::uint32_t position, Trace& trace) const {
  const auto process = process_of(position);
  return process ? Id{*process, false} : text_id(trace, "trace");
}

RowKey Tracks::row_key(std::uint32_t position, Trace& trace) const {
  const Track& track = tracks_[position];
  const Id process = process_id(position, trace);
  if (track.thread) return {process, {*track.thread, false}};
  Id name = track.is_whole_process ? text_id(trace, "process") : text_id(trace, "async");
  if (position == 0) name = text_id(trace, "instants");
  if (track.stand_in != StringId{} && position != 0) name = {static_cast<std::int64_t>(track.stand_in), true};
  if (track.name != StringId{}) name = {static_cast<std::int64_t>(track.name), true};
  return {process, name, RowKind::async};
}

void Tracks::add_to(Trace& trace, bool fold_lanes) {
  for (std::uint32_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].has_slices) plan_.add_row(row_key(i, trace));
    if (tracks_[i].has_events && tracks_[i].is_counter) plan_.add_process(process_id(i, trace));
  }
  plan_.add_to(trace, fold_lanes);
  rows_.resize(tracks_.size());
  processes_.resize(tracks_.size());
  for (std::uint32_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].has_slices) rows_[i] = plan_.row(row_key(i, trace));
    if (tracks_[i].has_events && tracks_[i].is_counter) processes_[i] = plan_.process(process_id(i, trace));
  }
}

}  // namespace takt::perfetto
