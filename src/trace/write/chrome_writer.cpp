// Every event is copied together from texts that were made once (the beginning of a line per row, the quoted name) and
// from its numbers, printed from integers: a general formatter is five times as slow, and one of doubles not exact.
#include "trace/write/chrome_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "base/basics/text.h"
#include "trace/events/digits.h"
#include "trace/events/stamp.h"
#include "trace/events/text_buffer.h"
#include "trace/write/written_rows.h"

namespace takt {
namespace {

/// The shortest text that reads back as the same number, independent of the locale.
template <typename Number>
std::string number_text(Number value) {
  std::array<char, 40> text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

/// A number that reads back as a real one even if it is whole.
std::string real_text(double value) {
  std::string text = number_text(value);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

std::string quoted_hex(std::uint64_t value) {
  std::array<char, 16> text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, 16);
  return "\"0x" + std::string(text.data(), result.ptr) + "\"";
}

/// The same JSON with a backslash at the end of a string written as \u005c: Perfetto 52 takes the usual spelling for
/// an escaped quote, misses the end of the string and loses the whole trace.
std::string shield_last_backslashes(std::string_view json) {
  std::string shielded;
  shielded.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] != '\\') {
      shielded += json[i];
    } else if (json.substr(i, 3) == "\\\\\"") {
      shielded += "\\u005c";
      ++i;
    } else {
      shielded += json.substr(i++, 2);
    }
  }
  return shielded;
}

std::string string_literal(std::string_view text) { return shield_last_backslashes(json_quote(text)); }

/// Writes one trace: metadata rows, then events by start, then counters; all at once, or the events and counters that
/// the trace has by and by.
class ChromeWriter {
 public:
  /// `one_arrow_each`: of all events; nullopt: those that the trace has now are all.
  ChromeWriter(const Trace& trace, std::int64_t shift, std::optional<bool> one_arrow_each, TextBuffer::Sink sink)
      : trace_(trace),
        text_(std::move(sink)),
        shift_(shift),
        lanes_(assign_lanes(trace)),
        flows_(trace, trace.flows()),
        instants_(trace),
        one_arrow_each_(one_arrow_each.value_or(flows_.one_each())),
        tids_(number_lanes(trace, lanes_)) {
    make_room_for_texts();
    for (std::size_t row = 0; row < trace.rows().size(); ++row) {
      auto& prefixes = prefixes_.emplace_back();
      for (const std::uint32_t tid : tids_[row]) {
        prefixes.emplace_back("{\"ph\":\"X\",\"pid\":" + std::to_string(pid(trace.rows()[row].process)) +
                              ",\"tid\":" + std::to_string(tid) + ",\"ts\":");
      }
    }
  }

  void write() {
    begin_file();
    write_events();
    write_counters();
    end_file();
  }

  void begin_file() {
    write_head();
    write_names();
  }

  /// Looks at the events that the trace has now, in the place of those before.
  void take_piece() {
    lanes_ = assign_lanes(trace_);
    for (std::size_t row = 0; row < tids_.size(); ++row) TAKT_CHECK(lanes_.count[row] <= tids_[row].size());
    flows_ = EventFlows(trace_, trace_.flows());
    instants_ = EventInstants(trace_);
    make_room_for_texts();
  }

  void write_events() {
    if (!trace_.flows().empty()) put_instants_first(trace_, lanes_.order);
    for (std::uint32_t i : lanes_.order) write_event(i);
  }

  void write_counters() {
    std::vector<TraceCounter> samples = trace_.counters();
    std::stable_sort(samples.begin(), samples.end(),
                     [](const TraceCounter& a, const TraceCounter& b) { return a.time_ns < b.time_ns; });
    for (const TraceCounter& sample : samples) {
      begin("C", pid(sample.process));
      text_.add(",\"ts\":");
      text_.add_micros(sample.time_ns - shift_);
      text_.add(",\"name\":");
      text_.add(quoted(sample.name));
      text_.add(",\"args\":{\"value\":");
      text_.add(number_text(sample.value));
      text_.add("}}");
    }
  }

  void end_file() {
    text_.add("\n]}\n");
    text_.flush();
  }

 private:
  void write_head() {
    text_.add("{\"displayTimeUnit\":\"ns\"");
    if (const auto base = trace_.base_time()) {
      text_.add(",\"baseTimeNanoseconds\":");
      text_.add_signed(shifted_base(*base, shift_));
    }
    for (const TraceProperty& property : trace_.properties()) {
      if (property.key != "metadata") write_property(property.key, property.json);
    }
    write_metadata();
    text_.add(",\"traceEvents\":[");
  }

  void write_property(std::string_view key, std::string_view json) {
    text_.add(',');
    text_.add(string_literal(key));
    text_.add(':');
    text_.add(shield_last_backslashes(json));
  }

  /// takt's provenance, and what other writers put beside it.
  void write_metadata() {
    using nlohmann::ordered_json;
    ordered_json metadata = ordered_json::object();
    if (const std::string& provenance = trace_.provenance_json(); !provenance.empty()) {
      metadata["takt"] = ordered_json::parse(provenance, nullptr, false);
      if (!metadata["takt"].is_object()) {
        throw Error(ErrorKind::bad_input, "trace: the provenance is not a JSON object; pass one or nothing");
      }
    }
    if (const TraceProperty* const other = trace_.property("metadata")) {
      const auto parsed = ordered_json::parse(other->json, nullptr, false);
      if (parsed.is_object()) metadata.update(parsed);
    }
    if (metadata.empty()) return;
    write_property("metadata", metadata.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }

  void write_names() {
    for (const TraceProcess& process : trace_.processes()) {
      // Importers refuse an empty name; no name at all says the same.
      if (!process.name.empty()) {
        write_name("process_name", process.pid, process.pid, "name", string_literal(process.name));
      }
      write_name("process_sort_index", process.pid, process.pid, "sort_index", number_text(process.sort_index));
    }
    for (std::size_t i = 0; i < trace_.rows().size(); ++i) {
      const TraceRow& row = trace_.rows()[i];
      for (std::size_t lane = 0; lane < tids_[i].size(); ++lane) {
        // Readers that know takt's lanes can join them again; others ignore the argument.
        const std::string lane_of = lane == 0 ? "" : ",\"lane_of\":" + std::to_string(row.tid);
        if (const std::string name = lane_name(row, lane); !name.empty()) {
          write_name("thread_name", pid(row.process), tids_[i][lane], "name", string_literal(name) + lane_of);
        }
        write_name("thread_sort_index", pid(row.process), tids_[i][lane], "sort_index", number_text(row.sort_index));
      }
    }
  }

  void write_name(std::string_view what, std::uint32_t pid, std::uint32_t tid, std::string_view key,
                  const std::string& value) {
    begin("M", pid, tid);
    for (const std::string_view part :
         {std::string_view(",\"name\":\""), what, std::string_view("\",\"args\":{\""), key, std::string_view("\":"),
          std::string_view(value), std::string_view("}}")}) {
      text_.add(part);
    }
  }

  void write_event(std::uint32_t i) {
    const TraceEvent& event = trace_.events()[i];
    const auto row = static_cast<std::size_t>(event.row);
    const std::uint32_t lane = lanes_.lane[i];
    const Stamp& name = field(names_, ",\"name\":", event.name);
    const Stamp& category = event.category == StringId{} ? nothing_ : field(categories_, ",\"cat\":", event.category);
    if (const auto scope = instants_.of(i))
      write_instant(event, *scope, tids_[row][lane], name, category);
    else
      write_span(event, prefixes_[row][lane], name, category);
    const auto flows = flows_.of(i);
    if (one_arrow_each_ && !flows.empty()) write_flow(flows.front());
    if (event.args != 0 || event.duration_ns < 0) write_args(event);
    text_.add('}');
    if (one_arrow_each_) return;
    for (const TraceFlow& flow : flows) write_flow_end(flow, event, tids_[row][lane]);
  }

  void write_span(const TraceEvent& event, const Stamp& prefix, const Stamp& name, const Stamp& category) {
    constexpr std::string_view duration = ",\"dur\":";
    const std::size_t numbers = 2 * digits::longest + duration.size() + 2;
    char* p = text_.room(prefix.size() + name.size() + category.size() + numbers + Stamp::block);
    if (!first_) *p++ = ',';
    first_ = false;
    *p++ = '\n';
    p = digits::put_micros(prefix.put(p), event.start_ns - shift_);
    std::memcpy(p, duration.data(), duration.size());
    p = digits::put_micros(p + duration.size(), drawn_duration_ns(event));
    text_.take(category.put(name.put(p)));
  }

  void write_instant(const TraceEvent& event, InstantScope scope, std::uint32_t tid, const Stamp& name,
                     const Stamp& category) {
    begin("i", pid(trace_.rows()[static_cast<std::size_t>(event.row)].process), tid);
    text_.add(scope == InstantScope::row       ? ",\"s\":\"t\""
              : scope == InstantScope::process ? ",\"s\":\"p\""
                                               : ",\"s\":\"g\"");
    text_.add(",\"ts\":");
    text_.add_micros(event.start_ns - shift_);
    char* const p = text_.room(name.size() + category.size() + Stamp::block);
    text_.take(category.put(name.put(p)));
  }

  void write_flow(const TraceFlow& flow) {
    text_.add(",\"bind_id\":");
    text_.add(quoted_hex(flow.bind_id));
    if (flow.in) text_.add(",\"flow_in\":true");
    if (flow.out) text_.add(",\"flow_out\":true");
  }

  /// An event has room for one arrow. If one has more, the ends of all arrows are events of their own, which bind to
  /// the slice written last: importers keep the two forms apart, and an arrow with an end of each would join nothing.
  void write_flow_end(const TraceFlow& flow, const TraceEvent& event, std::uint32_t tid) {
    begin(flow.in && flow.out ? "t"
          : flow.out          ? "s"
                              : "f",
          pid(trace_.rows()[static_cast<std::size_t>(event.row)].process), tid);
    text_.add(",\"ts\":");
    text_.add_micros(event.start_ns - shift_);
    text_.add(",\"name\":\"flow\",\"cat\":\"flow\",\"bp\":\"e\",\"id\":");
    text_.add(quoted_hex(flow.bind_id));
    text_.add('}');
  }

  void write_args(const TraceEvent& event) {
    text_.add(",\"args\":{");
    bool first = true;
    for (const TraceArg arg : trace_.args(event)) {
      if (!first) text_.add(',');
      first = false;
      text_.add(quoted(arg.key));
      text_.add(':');
      write_value(arg);
    }
    if (event.duration_ns < 0) {
      if (!first) text_.add(',');
      text_.add("\"recorded_duration_ns\":");
      text_.add_signed(event.duration_ns);
    }
    text_.add('}');
  }

  void write_value(const TraceArg& arg) {
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) return text_.add_signed(*integer);
    if (const auto* number = std::get_if<double>(&arg.value)) {
      return text_.add(std::isfinite(*number) ? real_text(*number) : "null");
    }
    if (const auto* json = std::get_if<TraceJson>(&arg.value)) {
      return text_.add(shield_last_backslashes(trace_.text(json->text)));
    }
    text_.add(quoted(std::get<StringId>(arg.value)));
  }

  void make_room_for_texts() {
    quoted_.resize(trace_.strings().size());
    names_.resize(trace_.strings().size());
    categories_.resize(trace_.strings().size());
  }

  void begin(std::string_view phase, std::uint32_t pid, std::uint32_t tid = 0) {
    text_.add(first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
    first_ = false;
    text_.add(phase);
    text_.add("\",\"pid\":");
    text_.add_integer(pid);
    if (tid == 0) return;
    text_.add(",\"tid\":");
    text_.add_integer(tid);
  }

  /// Quoting costs more than all the rest and names repeat, so each is quoted once.
  const std::string& quoted(StringId id) {
    std::string& text = quoted_[static_cast<std::size_t>(id)];
    if (text.empty()) text = string_literal(trace_.text(id));
    return text;
  }

  /// A key with a text of the trace as its value, also made once.
  const Stamp& field(std::vector<Stamp>& made, std::string_view key, StringId id) {
    Stamp& stamp = made[static_cast<std::size_t>(id)];
    if (stamp.empty()) stamp = Stamp(std::string(key) + quoted(id));
    return stamp;
  }

  std::uint32_t pid(ProcessId process) const { return trace_.processes()[static_cast<std::size_t>(process)].pid; }

  const Trace& trace_;
  TextBuffer text_;
  std::int64_t shift_;
  Lanes lanes_;
  EventFlows flows_;
  EventInstants instants_;
  bool one_arrow_each_;
  std::vector<std::vector<std::uint32_t>> tids_;  // per row and lane
  std::vector<std::vector<Stamp>> prefixes_;      // the same: an event up to its time
  std::vector<std::string> quoted_;               // per StringId; empty: not made yet
  std::vector<Stamp> names_, categories_;         // the same: with the key
  const Stamp nothing_{};
  bool first_ = true;
};

}  // namespace

std::string to_chrome_json(const Trace& trace) {
  std::string json;
  stream_chrome(trace, [&](std::string_view piece) { json += piece; });
  return json;
}

void stream_chrome(const Trace& trace, const std::function<void(std::string_view)>& sink) {
  ChromeWriter(trace, time_shift(trace), std::nullopt, sink).write();
}

struct ChromePieces::State {
  ChromeWriter writer;
};

ChromePieces::ChromePieces(const Trace& trace, std::int64_t shift, bool one_arrow_each,
                           std::function<void(std::string_view)> sink)
    : state_(new State{ChromeWriter(trace, shift, one_arrow_each, std::move(sink))}) {
  state_->writer.begin_file();
}

ChromePieces::~ChromePieces() = default;

void ChromePieces::write_events() {
  state_->writer.take_piece();
  state_->writer.write_events();
}

void ChromePieces::write_counters() {
  state_->writer.take_piece();
  state_->writer.write_counters();
}

void ChromePieces::end() { state_->writer.end_file(); }

}  // namespace takt
