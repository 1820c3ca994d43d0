#include "trace/recorder/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/basics/utf8.h"

namespace takt {
namespace {

using recording::Extra;
using recording::Kind;
using recording::Record;
using recording::Type;

/// Of a text that was cut: without half a character, and with what says so.
std::string shortened(std::string_view text) {
  std::size_t whole = text.size();
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80 || (byte & 0xC0) == 0x80) continue;  // no beginning of a character of several bytes
    if (utf8_length(text.substr(text.size() - back)) == 0) whole = text.size() - back;
    break;
  }
  return std::string(text.substr(0, whole)) + "…";
}

/// The arguments of one event as they lie behind its record.
struct ReadExtras {
  std::optional<std::string> name;  ///< instead of the EventName's
  std::vector<std::pair<std::uint32_t, TraceValue>> values;
  std::uint32_t left_out = 0;
};

std::string text_of(const Extra& extra, std::string_view bytes) {
  return extra.stored < extra.size ? shortened(bytes) : std::string(bytes);
}

/// A number that JSON can say and an int64 cannot hold stands as JSON.
TraceValue value_of(Type type, std::uint64_t bits) {
  if (type == Type::integer) return static_cast<std::int64_t>(bits);
  if (type == Type::boolean) return TraceJsonText{bits != 0 ? "true" : "false"};
  if (type == Type::unsigned_integer)
    return bits <= INT64_MAX ? TraceValue(static_cast<std::int64_t>(bits)) : TraceJsonText{std::to_string(bits)};
  const auto number = std::bit_cast<double>(bits);
  return std::isfinite(number) ? TraceValue(number) : TraceJsonText{"null"};
}

ReadExtras extras_of(std::span<const Record> records) {
  ReadExtras read;
  for (std::size_t i = 0; i < records.size(); ++i) {
    Extra extra;
    std::memcpy(&extra, &records[i], sizeof extra);
    const auto type = static_cast<Type>(extra.type);
    if (type == Type::left_out) read.left_out = extra.size;
    if (type == Type::text || type == Type::event_name) {
      const auto* const begin = reinterpret_cast<const char*>(&records[i]) + offsetof(Extra, bytes);
      const auto* const end = reinterpret_cast<const char*>(records.data() + records.size());
      const std::size_t stored = std::min<std::size_t>(extra.stored, static_cast<std::size_t>(end - begin));
      std::string text = text_of(extra, {begin, stored});
      if (stored > sizeof extra.bytes) i += (stored - sizeof extra.bytes + sizeof(Record) - 1) / sizeof(Record);
      if (type == Type::text)
        read.values.emplace_back(extra.name, std::move(text));
      else
        read.name = std::move(text);
    } else if (type <= Type::number) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, extra.bytes, sizeof bits);
      read.values.emplace_back(extra.name, value_of(type, bits));
    }
  }
  return read;
}

class RecordingTrace {
 public:
  explicit RecordingTrace(const Recording& recording) : recording_(recording) {
    trace_.set_base_time(recording.wall);
    process_ = trace_.add_process(recording.process);
    for (const std::string& row : recording.rows) rows_.push_back(add_row(row));
    for (const std::string& name : recording.threads)
      threads_.push_back(add_row(name.empty() ? fmt::format("thread {}", threads_.size() + 1) : name));
    trace_.reserve(recording.events, 0, 0);
  }

  Trace make() {
    for (const auto& shared : recording_.pieces) {
      const RecordedPiece& piece = *shared;
      if (piece.thread >= threads_.size()) continue;
      for (std::size_t i = 0; i < piece.records.size();) {
        const std::size_t size = records_of_event(piece.records.data(), i, piece.records.size());
        add(piece.thread, std::span(piece.records).subspan(i, size));
        i += size;
      }
    }
    add_drops();
    add_flows();
    return std::move(trace_);
  }

 private:
  struct Frame {
    std::int64_t start = 0, number = 0;
  };
  struct FlowEnd {
    std::uint32_t flow;
    std::int64_t start;
    EventId event;
  };

  RowId add_row(const std::string& name) { return trace_.add_row(process_, name, 0, ++order_); }

  /// Bounded, so that what nobody's clock ever said can be subtracted and is refused by the writers.
  std::int64_t since_start(std::uint64_t ticks) const {
    constexpr std::int64_t most = (std::int64_t{1} << 62) - 1;
    return std::clamp((recording_.conversion.steady_time(ticks) - recording_.steady).count(), -most, most);
  }

  void add(std::uint32_t thread, std::span<const Record> records) {
    const Record& record = records.front();
    if (record.name >= recording_.names.size() || record.row > rows_.size()) return;
    const std::int64_t start = since_start(record.start);
    const NameTexts& texts = recording_.names[record.name];
    switch (static_cast<Kind>(record.kind)) {
      case Kind::counter:
        if (const auto value = std::bit_cast<double>(record.end); std::isfinite(value))
          trace_.add_counter({start, value, trace_.intern(texts.name), process_});
        return;
      case Kind::frame:
        return add_frame(thread, record.name, start);
      case Kind::span:
        return add_span(record.row == 0 ? threads_[thread] : rows_[record.row - 1], start, records);
    }
  }

  void add_span(RowId row, std::int64_t start, std::span<const Record> records) {
    const Record& record = records.front();
    const NameTexts& texts = recording_.names[record.name];
    const ReadExtras extras = records.size() > 1 ? extras_of(records.subspan(1)) : ReadExtras{};
    const EventId event = trace_.add_event({start, since_start(record.end) - start,
                                            trace_.intern(extras.name ? *extras.name : texts.name),
                                            trace_.intern(texts.category), row, 0});
    if (record.has_flow) flows_.push_back({record.flow, start, event});
    if (extras.values.empty() && extras.left_out == 0) {  // nearly always
      if (texts.argument.empty()) return;
      const TraceArg argument{trace_.intern(texts.argument), std::int64_t{record.argument}};
      return trace_.set_args(event, std::span(&argument, 1));
    }
    TraceValues values;
    if (!texts.argument.empty()) values.emplace_back(texts.argument, std::int64_t{record.argument});
    for (const auto& [name, value] : extras.values)
      if (name < recording_.names.size()) values.emplace_back(recording_.names[name].name, value);
    if (extras.left_out > 0) values.emplace_back("arguments left out", std::int64_t{extras.left_out});
    trace_.set_args(event, values);
  }

  void add_frame(std::uint32_t thread, std::uint32_t name, std::int64_t start) {
    const auto [last, is_first] = frames_.try_emplace({thread, name}, Frame{start, 0});
    if (is_first) return;
    const NameTexts& texts = recording_.names[name];
    const auto [row, is_new] = frame_rows_.try_emplace(name, RowId{});
    if (is_new) row->second = add_row(texts.name + " frames");
    Frame& frame = last->second;
    const EventId event = trace_.add_event(
        {frame.start, start - frame.start, trace_.intern(texts.name), trace_.intern(texts.category), row->second, 0});
    const TraceArg argument{trace_.intern("frame"), frame.number};
    trace_.set_args(event, std::span(&argument, 1));
    frame = {start, frame.number + 1};
  }

  /// In the description for tools and as an event for eyes: a trace with a hole must not look like a quiet program.
  void add_drops() {
    const RecordedDrops& dropped = recording_.dropped;
    std::string first = "null";
    if (dropped.count > 0) {
      const std::int64_t time = since_start(dropped.first);
      first = std::to_string(time);
      const EventId event = trace_.add_event(
          {time, 0, trace_.intern("events dropped from here on"), trace_.intern("takt"), add_row("recorder"), 0});
      trace_.set_args(event, TraceValues{{"dropped", static_cast<std::int64_t>(dropped.count)}});
    }
    trace_.set_provenance_json(
        fmt::format(R"({{"recorder":{{"events":{},"dropped":{},"first_dropped_ns":{},"ended":{}}}}})",
                    recording_.events, dropped.count, first, recording_.ended));
  }

  /// Number 0 is a flow as any other, but to some readers no arrow: all are written one higher.
  void add_flows() {
    std::stable_sort(flows_.begin(), flows_.end(), [](const FlowEnd& a, const FlowEnd& b) {
      return std::pair(a.flow, a.start) < std::pair(b.flow, b.start);
    });
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const bool in = i > 0 && flows_[i - 1].flow == flows_[i].flow;
      const bool out = i + 1 < flows_.size() && flows_[i + 1].flow == flows_[i].flow;
      if (in || out) trace_.add_flow(flows_[i].event, std::uint64_t{flows_[i].flow} + 1, in, out);
    }
  }

  const Recording& recording_;
  Trace trace_;
  ProcessId process_{};
  std::vector<RowId> rows_, threads_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Frame> frames_;  ///< by thread and name: the last mark
  std::map<std::uint32_t, RowId> frame_rows_;                        ///< by name
  std::vector<FlowEnd> flows_;
  int order_ = 0;
};

}  // namespace

std::size_t records_of_event(const Record* records, std::size_t i, std::size_t size) {
  return std::min<std::size_t>(1 + records[i].extras, size - i);
}

Trace to_trace(const Recording& recording) { return RecordingTrace(recording).make(); }

}  // namespace takt
