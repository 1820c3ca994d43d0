#include "trace/write/perfetto_writer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/basics/text.h"
#include "trace/events/text_buffer.h"
#include "trace/write/perfetto_schema.h"
#include "trace/write/written_rows.h"

namespace takt {
namespace {

namespace packet = perfetto::packet_field;
namespace track = perfetto::track_field;
namespace process_entry = perfetto::process_field;
namespace thread_entry = perfetto::thread_field;
namespace event_field = perfetto::event_field;
namespace annotation = perfetto::annotation_field;
namespace interned = perfetto::interned_field;
namespace metadata = perfetto::metadata_field;
using perfetto::EventType;

/// One protobuf message in the making.
class Message {
 public:
  void clear() { bytes_.clear(); }
  std::string_view bytes() const { return bytes_; }
  void number(unsigned field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void fixed(unsigned field, std::uint64_t value) {
    varint(field << 3 | 1);
    char raw[8];
    for (char& byte : raw) {
      byte = static_cast<char>(value);
      value >>= 8;
    }
    bytes_.append(raw, sizeof raw);
  }
  void real(unsigned field, double value) { fixed(field, std::bit_cast<std::uint64_t>(value)); }
  void text(unsigned field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_.append(value);
  }
  void message(unsigned field, const Message& inner) { text(field, inner.bytes()); }

 private:
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

/// Which texts of one kind the reader of the file knows already.
class SeenTexts {
 public:
  SeenTexts(unsigned field, std::size_t count) : field_(field), seen_(count) {}
  /// The number of the text in the file; a new text is announced in `data`.
  std::uint64_t number(StringId id, const Trace& trace, Message& data) {
    const auto position = static_cast<std::size_t>(id);
    if (!seen_[position]) {
      seen_[position] = true;
      Message entry;
      entry.number(1, position + 1);
      entry.text(2, trace.text(id));
      data.message(field_, entry);
    }
    return position + 1;
  }

 private:
  unsigned field_;
  std::vector<bool> seen_;
};

class PerfettoWriter {
 public:
  PerfettoWriter(const Trace& trace, TextBuffer::Sink sink)
      : trace_(trace),
        text_(std::move(sink)),
        shift_(time_shift(trace)),
        lanes_(assign_lanes(trace)),
        instants_(trace),
        tids_(number_lanes(trace, lanes_)),
        categories_(interned::categories, trace.strings().size()),
        names_(interned::names, trace.strings().size()),
        keys_(interned::annotation_names, trace.strings().size()),
        values_(interned::annotation_strings, trace.strings().size()) {}

  void write() {
    write_base();
    write_properties();
    write_tracks();
    if (!trace_.flows().empty()) put_instants_first(trace_, lanes_.order);
    flows_.emplace(trace_, single_arrows(trace_, lanes_.order));
    for (std::uint32_t i : lanes_.order) write_event(i);
    for (auto& row : open_) {
      for (auto& lane : row) close_until(lane, nullptr);
    }
    write_counters();
    text_.flush();
  }

 private:
  struct OpenLane {
    std::uint64_t uuid = 0;
    std::vector<std::int64_t> ends;  // of the open slices, innermost last
  };

  /// Says when time zero was, as a pair of readings of the trace's clock and the real-time clock.
  void write_base() {
    const auto base = trace_.base_time();
    if (!base) return;
    constexpr std::uint64_t real_time = 1, boot_time = 6;
    Message snapshot;
    for (const auto& [clock, time] :
         {std::pair<std::uint64_t, std::int64_t>{boot_time, 0}, {real_time, shifted_base(*base, shift_)}}) {
      Message reading;
      reading.number(1, clock);
      reading.number(2, static_cast<std::uint64_t>(time));
      snapshot.message(1, reading);
    }
    packet_.message(packet::clock_snapshot, snapshot);
    finish_packet();
  }

  /// As Chrome writes what it has beside events: names with JSON values.
  void write_properties() {
    Message list;
    const auto add = [&](std::string_view key, std::string_view json) {
      Message entry;
      entry.text(metadata::name, key);
      entry.text(metadata::json, json);
      list.message(metadata::list, entry);
    };
    for (const TraceProperty& property : trace_.properties()) add(property.key, property.json);
    if (!trace_.provenance_json().empty()) add("takt", trace_.provenance_json());
    if (list.bytes().empty()) return;
    packet_.message(packet::chrome_events, list);
    finish_packet();
  }

  void write_tracks() {
    for (const TraceProcess& process : trace_.processes()) {
      Message inner, descriptor;
      inner.number(process_entry::pid, process.pid);
      inner.number(process_entry::sort_index, static_cast<std::uint64_t>(std::int64_t{process.sort_index}));
      inner.text(process_entry::name, process.name);
      descriptor.number(track::uuid, next_uuid_++);
      descriptor.message(track::process, inner);
      write_track(descriptor);
    }
    for (std::size_t i = 0; i < trace_.rows().size(); ++i) {
      const TraceRow& row = trace_.rows()[i];
      auto& lanes = open_.emplace_back();
      for (std::size_t lane = 0; lane < tids_[i].size(); ++lane) {
        Message inner, descriptor;
        inner.number(thread_entry::pid, trace_.processes()[static_cast<std::size_t>(row.process)].pid);
        inner.number(thread_entry::tid, tids_[i][lane]);
        inner.number(thread_entry::sort_index, static_cast<std::uint64_t>(std::int64_t{row.sort_index}));
        inner.text(thread_entry::name, lane_name(row, lane));
        if (lane > 0) inner.number(thread_entry::lane_of, row.tid);
        lanes.push_back({next_uuid_, {}});
        descriptor.number(track::uuid, next_uuid_++);
        descriptor.message(track::thread, inner);
        write_track(descriptor);
      }
    }
  }

  void write_track(const Message& descriptor) {
    packet_.message(packet::track_descriptor, descriptor);
    finish_packet();
  }

  void write_event(std::uint32_t i) {
    const TraceEvent& event = trace_.events()[i];
    OpenLane& lane = open_[static_cast<std::size_t>(event.row)][lanes_.lane[i]];
    close_until(lane, &event.start_ns);
    if (const auto scope = instants_.of(i)) {
      begin_event(perfetto::instant, instant_track(*scope, event, lane));
      if (*scope != InstantScope::row) packet_.number(packet::row_track, lane.uuid);
    } else {
      lane.ends.push_back(event.start_ns + drawn_duration_ns(event));
      begin_event(perfetto::slice_begin, lane.uuid);
    }
    body_.number(event_field::name_iid, names_.number(event.name, trace_, data_));
    if (event.category != StringId{}) {
      body_.number(event_field::category_iids, categories_.number(event.category, trace_, data_));
    }
    for (const TraceFlow& flow : flows_->of(i)) {
      body_.fixed(flow.out ? event_field::flow_ids : event_field::terminating_flow_ids, flow.bind_id);
    }
    if (event.args != 0) write_args(event);
    if (event.duration_ns < 0) write_recorded_duration(event);
    finish_event(event.start_ns);
  }

  std::uint64_t instant_track(InstantScope scope, const TraceEvent& event, const OpenLane& lane) const {
    constexpr std::uint64_t whole_trace = 0;
    if (scope == InstantScope::row) return lane.uuid;
    if (scope == InstantScope::trace) return whole_trace;
    return process_uuid(trace_.rows()[static_cast<std::size_t>(event.row)].process);
  }
  static std::uint64_t process_uuid(ProcessId process) { return static_cast<std::uint64_t>(process) + 1; }

  void write_args(const TraceEvent& event) {
    for (const TraceArg arg : trace_.args(event)) {
      value_.clear();
      value_.number(annotation::name_iid, keys_.number(arg.key, trace_, data_));
      if (const auto* integer = std::get_if<std::int64_t>(&arg.value))
        value_.number(annotation::int_value, static_cast<std::uint64_t>(*integer));
      else if (const auto* number = std::get_if<double>(&arg.value))
        value_.real(annotation::double_value, *number);
      else if (const auto* json = std::get_if<TraceJson>(&arg.value))
        write_json(trace_.text(json->text));
      else
        value_.number(annotation::string_iid, values_.number(std::get<StringId>(arg.value), trace_, data_));
      body_.message(event_field::debug_annotations, value_);
    }
  }

  /// Only lists and objects are JSON to Perfetto: it loses a bare number, and a bare null ends its reader. No value at
  /// all is its null.
  void write_json(std::string_view json) {
    std::uint64_t number = 0;
    const char* const end = json.data() + json.size();
    const auto parsed = std::from_chars(json.data(), end, number);
    if (json == "null") return;
    if (json == "true" || json == "false")
      value_.number(annotation::bool_value, json == "true" ? 1 : 0);
    else if (parsed.ec == std::errc() && parsed.ptr == end)
      value_.number(annotation::uint_value, number);
    else if (json.find_first_of("[{\"") == 0)
      value_.text(annotation::json_value, json);
    else
      value_.text(annotation::string_value, json);  // more than 64 bits, digit by digit
  }

  void write_recorded_duration(const TraceEvent& event) {
    value_.clear();
    value_.text(annotation::name, "recorded_duration_ns");
    value_.number(annotation::int_value, static_cast<std::uint64_t>(event.duration_ns));
    body_.message(event_field::debug_annotations, value_);
  }

  /// Ends the slices that are over at `time`; all of them without one. Packets of one track are by time, and of equal
  /// times as they nest, which is how the reader pairs them.
  void close_until(OpenLane& lane, const std::int64_t* time) {
    while (!lane.ends.empty() && (time == nullptr || lane.ends.back() <= *time)) {
      begin_event(perfetto::slice_end, lane.uuid);
      finish_event(lane.ends.back());
      lane.ends.pop_back();
    }
  }

  void write_counters() {
    std::map<std::pair<ProcessId, StringId>, std::uint64_t> tracks;
    std::vector<TraceCounter> samples = trace_.counters();
    std::stable_sort(samples.begin(), samples.end(),
                     [](const TraceCounter& a, const TraceCounter& b) { return a.time_ns < b.time_ns; });
    for (const TraceCounter& sample : samples) {
      const auto [found, is_new] = tracks.try_emplace({sample.process, sample.name}, next_uuid_);
      if (is_new) {
        Message descriptor;
        descriptor.number(track::uuid, next_uuid_++);
        descriptor.text(track::name, trace_.text(sample.name));
        descriptor.number(track::parent_uuid, process_uuid(sample.process));
        descriptor.message(track::counter, {});
        write_track(descriptor);
      }
      begin_event(perfetto::counter_value, found->second);
      body_.real(event_field::double_counter_value, sample.value);
      finish_event(sample.time_ns);
    }
  }

  void begin_event(EventType type, std::uint64_t uuid) {
    body_.clear();
    data_.clear();
    body_.number(event_field::type, type);
    body_.number(event_field::track_uuid, uuid);
  }

  void finish_event(std::int64_t time) {
    packet_.number(packet::timestamp, static_cast<std::uint64_t>(time - shift_));
    if (!data_.bytes().empty()) packet_.message(packet::interned_data, data_);
    packet_.message(packet::track_event, body_);
    finish_packet();
  }

  void finish_packet() {
    packet_.number(packet::sequence_id, 1);
    packet_.number(packet::sequence_flags, first_ ? perfetto::flag_state_cleared : perfetto::flag_needs_state);
    first_ = false;
    outer_.clear();
    outer_.message(1, packet_);
    text_.add(outer_.bytes());
    packet_.clear();
  }

  const Trace& trace_;
  TextBuffer text_;
  std::int64_t shift_;
  Lanes lanes_;
  std::optional<EventFlows> flows_;
  EventInstants instants_;
  std::vector<std::vector<std::uint32_t>> tids_;
  SeenTexts categories_, names_, keys_, values_;
  std::vector<std::vector<OpenLane>> open_;  // per row and lane
  Message packet_, outer_, body_, data_, value_;
  std::uint64_t next_uuid_ = 1;  // processes first, so that theirs are their positions + 1
  bool first_ = true;
};

}  // namespace

std::string to_perfetto(const Trace& trace) {
  std::string bytes;
  PerfettoWriter(trace, [&](std::string_view piece) { bytes += piece; }).write();
  return bytes;
}

bool is_perfetto_name(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  if (lower_case(name.extension().string()) == ".gz") name = name.stem();
  const std::string extension = lower_case(name.extension().string());
  return extension == ".pftrace" || extension == ".perfetto-trace";
}

void stream_perfetto(const Trace& trace, const std::function<void(std::string_view)>& sink) {
  PerfettoWriter(trace, sink).write();
}

}  // namespace takt
