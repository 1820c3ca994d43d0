#include "trace/perfetto/reader.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/nesting.h"
#include "base/basics/text.h"
#include "trace/chrome/time_faults.h"
#include "trace/events/trace_origin.h"
#include "trace/perfetto/clocks.h"
#include "trace/perfetto/events.h"
#include "trace/perfetto/packets.h"
#include "trace/write/perfetto_schema.h"

namespace takt {
namespace perfetto {
namespace {

constexpr std::int64_t latest_time = std::int64_t{1} << 62;  // sums of two stay in 64 bits
constexpr std::uint64_t packets_to_guess_by = 10'000;
constexpr std::size_t most_inflated = std::size_t{1} << 28;

/// What a packet says of itself beside its content.
struct Packet {
  Packet() {}  // NOLINT(modernize-use-equals-default): else all of it is cleared each time, which takes a tenth
  std::optional<std::uint64_t> timestamp, row_track;
  std::optional<std::uint32_t> clock;
  std::uint32_t sequence = 0, flags = 0;
  // The contents that are read; a packet has one, and often new texts. Of one that is not there data() is null.
  std::string_view event, texts;
  std::uint32_t other = 0;  // the number of a content that is not
  bool has_others = false, state_cleared = false, was_lost_before = false;
};

/// Contents that few packets have: apart, since to make them empty for every packet would take a tenth of the time.
struct OtherContents {
  std::string_view defaults, track, thread, snapshot, chrome, compressed;
};

bool is_there(std::string_view content) { return content.data() != nullptr; }

bool decode(std::string_view message, Packet& packet, OtherContents& others) {
  const auto other = [&]() -> OtherContents& {
    if (!std::exchange(packet.has_others, true)) others = {};
    return others;
  };
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.number) {
      case packet_field::timestamp:
        packet.timestamp = field.value;
        break;
      case packet_field::row_track:
        packet.row_track = field.value;
        break;
      case packet_field::clock:
        packet.clock = static_cast<std::uint32_t>(field.value);
        break;
      case packet_field::sequence_id:
        packet.sequence = static_cast<std::uint32_t>(field.value);
        break;
      case packet_field::sequence_flags:
        packet.flags = static_cast<std::uint32_t>(field.value);
        break;
      case packet_field::state_cleared:
        packet.state_cleared = field.value != 0;
        break;
      case packet_field::packet_dropped:
        packet.was_lost_before = field.value != 0;
        break;
      case packet_field::track_event:
        packet.event = field.bytes;
        break;
      case packet_field::interned_data:
        packet.texts = field.bytes;
        break;
      case packet_field::defaults:
        other().defaults = field.bytes;
        break;
      case packet_field::track_descriptor:
        other().track = field.bytes;
        break;
      case packet_field::thread_descriptor:
        other().thread = field.bytes;
        break;
      case packet_field::clock_snapshot:
        other().snapshot = field.bytes;
        break;
      case packet_field::chrome_events:
        other().chrome = field.bytes;
        break;
      case packet_field::compressed_packets:
        other().compressed = field.bytes;
        break;
      default:
        // Numbers are more about the writer; contents are messages.
        if (field.type == WireType::bytes) packet.other = field.number;
    }
  }
  return !fields.is_broken();
}

/// Reads one file.
class Reader {
 public:
  Reader(ByteSource& source, std::string name) : source_(source), packets_(source), name_(std::move(name)) {}

  TraceRead read(const TraceReadSettings& settings) {
    std::string_view message;
    while (packets_.next(message)) {
      ++count_;
      add(message, false);
      if (count_ == packets_to_guess_by) expect_the_rest();
    }
    check_end();
    // Rows as they stand in the file are asked for where lanes are looked at.
    events_.finish(!settings.find_overlaps, faults_);
    chrome::find_time_faults(trace(), faults_);
    if (settings.find_overlaps) chrome::find_launch_faults(trace(), faults_);
    if (const auto base = clocks_.base_time()) trace().set_base_time(Nanoseconds(*base));
    result_.rank = rank_of(trace());
    result_.host = host_of(trace());
    if (result_.file_events == 0) faults_.add(TraceRule::empty, 0, [] { return std::string("the file"); });
    result_.faults = faults_.list();
    return std::move(result_);
  }

 private:
  Trace& trace() { return result_.trace; }
  FaultPlace here() { return {faults_, packets_.offset()}; }

  /// Room for what a file will hold if it goes on as it began: lists that grow are copied, and touch new memory each
  /// time.
  void expect_the_rest() {
    const auto size = source_.expected_size();
    const auto read = packets_.offset();
    if (size && read != 0) events_.expect(static_cast<double>(*size) / static_cast<double>(read));
  }

  void check_end() {
    const auto end = packets_.end();
    if (count_ == 0) {
      std::string what = source_.damage();
      if (what.empty()) what = end == PacketSource::End::whole ? "the file is empty" : "this is not a list of packets";
      throw Error(ErrorKind::bad_input,
                  printable(name_) + ": " + what + "; give a trace in Perfetto's protobuf or Chrome's JSON format");
    }
    if (end == PacketSource::End::cut_off) here().add(TraceRule::cut_packet, source_.damage());
    if (end == PacketSource::End::broken) here().add(TraceRule::malformed_packet, "the rest is not read");
  }

  void add(std::string_view message, bool is_inner) {
    Packet packet;
    if (!decode(message, packet, others_)) return here().add(TraceRule::malformed_packet);
    Sequence& sequence = sequence_of(packet);
    if (packet.state_cleared || (packet.flags & flag_state_cleared) != 0)
      sequence.begin_anew();
    else if (packet.was_lost_before)
      sequence.is_known = false;
    bool is_good = true;
    if (is_there(packet.texts)) is_good = sequence.add_texts(packet.texts, trace());
    if (packet.has_others) is_good = take_others(others_, packet.sequence, sequence, is_inner) && is_good;
    if (!is_good) here().add(TraceRule::malformed_packet);
    if (is_there(packet.event)) add_event(packet, sequence);
    if (packet.other != 0) here().add(TraceRule::unread_packet, "field " + std::to_string(packet.other));
  }

  /// `others`: a copy, since packets may be within packets.
  bool take_others(const OtherContents others, std::uint32_t id, Sequence& sequence, bool is_inner) {
    bool is_good = true;
    if (is_there(others.snapshot)) is_good = clocks_.add_snapshot(others.snapshot, id) && is_good;
    if (is_there(others.defaults)) is_good = take_defaults(others.defaults, sequence) && is_good;
    if (is_there(others.track)) is_good = tracks_.describe(others.track, trace()) && is_good;
    if (is_there(others.thread)) is_good = take_thread(others.thread, sequence) && is_good;
    if (is_there(others.chrome)) is_good = take_chrome(others.chrome) && is_good;
    if (is_there(others.compressed)) is_good = !is_inner && take_compressed(others.compressed) && is_good;
    return is_good;
  }

  /// Nearly always that of the packet before.
  Sequence& sequence_of(const Packet& packet) {
    if (last_ == nullptr || last_id_ != packet.sequence)
      last_ = &sequences_[packet.sequence], last_id_ = packet.sequence;  // they stay where they are
    return *last_;
  }

  void add_event(const Packet& packet, Sequence& sequence) {
    ++result_.file_events;
    if ((packet.flags & flag_needs_state) != 0 && !sequence.is_known) return here().add(TraceRule::lost_packets);
    const auto [clock, value] = reading_of(packet, sequence);
    if (clocks_.is_plain(clock, value)) return add_event_at(static_cast<std::int64_t>(value), packet, sequence);
    const auto time = clocks_.to_trace(clock, packet.sequence, value);
    if (!time) return here().add(TraceRule::unknown_clock, "clock " + std::to_string(clock));
    add_event_at(*time, packet, sequence);
  }

  void add_event_at(std::int64_t time, const Packet& packet, const Sequence& sequence) {
    if (time <= -latest_time || time >= latest_time) return here().add(TraceRule::time_out_of_range);
    events_.add(packet.event, {time, packet.row_track}, sequence, here());
  }

  struct ClockReading {
    std::uint32_t clock = 0;
    std::uint64_t value = 0;
  };
  ClockReading reading_of(const Packet& packet, Sequence& sequence) {
    std::uint64_t value = packet.timestamp.value_or(0);
    std::uint32_t clock = packet.clock.value_or(sequence.default_clock.value_or(Clocks::boot_time));
    if (!packet.timestamp) {
      value = older_time(packet.event, sequence);
      clock = Clocks::monotonic;
      if (!clocks_.knows(clock, packet.sequence)) clock = Clocks::boot_time;
    }
    // Without any snapshot a time is what it is: there is nothing that it could be compared with.
    if (clocks_.is_empty() && clock < 64 && !clocks_.knows(clock, packet.sequence)) clock = Clocks::boot_time;
    return {clock, value};
  }

  /// Writers before 2020 put microseconds into the event, as steps from the time that their thread began with.
  static std::uint64_t older_time(std::string_view event, Sequence& sequence) {
    std::int64_t micros = sequence.running_us;
    Fields fields(event);
    for (Field field; fields.next(field);) {
      if (field.number == event_field::delta_us) {
        __builtin_add_overflow(sequence.running_us, field.as_signed(), &sequence.running_us);
        micros = sequence.running_us;
      }
      if (field.number == event_field::absolute_us) micros = field.as_signed();
    }
    std::int64_t nanoseconds = 0;
    if (__builtin_mul_overflow(micros, 1000, &nanoseconds)) return UINT64_MAX;
    return static_cast<std::uint64_t>(nanoseconds);
  }

  static bool take_defaults(std::string_view message, Sequence& sequence) {
    Fields fields(message);
    for (Field field; fields.next(field);) {
      if (field.number == packet_field::clock) sequence.default_clock = static_cast<std::uint32_t>(field.value);
      if (field.number != packet_field::track_event) continue;
      Fields event(field.bytes);
      for (Field part; event.next(part);) {
        if (part.number == event_field::track_uuid) sequence.default_track = part.value;
      }
      if (event.is_broken()) return false;
    }
    return !fields.is_broken();
  }

  bool take_thread(std::string_view message, Sequence& sequence) {
    std::int64_t process = 0, thread = 0;
    StringId name{};
    Fields fields(message);
    for (Field field; fields.next(field);) {
      if (field.number == thread_field::pid) process = field.as_signed();
      if (field.number == thread_field::tid) thread = field.as_signed();
      if (field.number == thread_field::name) name = trace().intern(field.bytes);
      if (field.number == thread_field::reference_us) sequence.running_us = field.as_signed();
    }
    sequence.own_track = tracks_.of_thread(process, thread);
    if (name != StringId{}) tracks_.name_thread(process, thread, name);
    return !fields.is_broken();
  }

  /// Names with values: what Chrome knows of itself, and where takt keeps a trace's properties.
  bool take_chrome(std::string_view message) {
    Fields fields(message);
    for (Field field; fields.next(field);) {
      if (field.number != metadata_field::list) {
        here().add(TraceRule::unread_packet, "Chrome's older events");
      } else if (!take_metadata(field.bytes)) {
        return false;
      }
    }
    return !fields.is_broken();
  }

  bool take_metadata(std::string_view message) {
    std::string key, json;
    Fields fields(message);
    for (Field field; fields.next(field);) {
      if (field.number == metadata_field::name) key = field.bytes;
      if (field.number == metadata_field::text) json = json_quote(field.bytes);
      if (field.number == metadata_field::boolean) json = field.value != 0 ? "true" : "false";
      if (field.number == metadata_field::integer) json = std::to_string(field.as_signed());
      if (field.number == metadata_field::json) json = field.bytes;
    }
    const auto value = nlohmann::json::parse(json, nullptr, false);
    if (fields.is_broken() || value.is_discarded() || nests_deeper(json)) return false;
    if (key == "takt" && value.is_object())
      trace().set_provenance_json(json);
    else if (!is_own_key(key))
      trace().set_property(key, json);
    return true;
  }

  /// Keys of Chrome's JSON that are no properties.
  static bool is_own_key(std::string_view key) {
    return key == "traceEvents" || key == "displayTimeUnit" || key == "baseTimeNanoseconds";
  }

  bool take_compressed(std::string_view compressed) {
    std::string inner;
    if (!inflate_packets(compressed, most_inflated, inner)) return false;
    Fields fields(inner);
    for (Field field; fields.next(field);) {
      if (field.number == 1 && field.type == WireType::bytes) add(field.bytes, true);
    }
    return !fields.is_broken();
  }

  ByteSource& source_;
  PacketSource packets_;
  std::string name_;
  TraceRead result_;
  FaultList faults_;
  Clocks clocks_;
  Tracks tracks_;
  EventCollector events_{result_.trace, tracks_};
  std::unordered_map<std::uint32_t, Sequence> sequences_;
  OtherContents others_;
  Sequence* last_ = nullptr;
  std::uint32_t last_id_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace
}  // namespace perfetto

TraceRead read_perfetto_trace(ByteSource& source, const std::string& name, const TraceReadSettings& settings) {
  return perfetto::Reader(source, name).read(settings);
}

TraceRead read_perfetto_trace(const std::filesystem::path& path, const TraceReadSettings& settings) {
  const auto source = open_source(path);
  return read_perfetto_trace(*source, path.string(), settings);
}

TraceRead parse_perfetto_trace(std::string_view bytes, const std::string& name, const TraceReadSettings& settings) {
  const auto source = text_source(bytes);
  return read_perfetto_trace(*source, name, settings);
}

}  // namespace takt
