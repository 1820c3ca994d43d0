#include "trace/chrome_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "trace/lanes.h"

namespace takt {
namespace {

using Sink = std::function<void(std::string_view)>;

constexpr std::int64_t largest_time_ns = std::int64_t{1} << 62;    // sums of two stay in 64 bits
constexpr std::int64_t exact_ns = (std::int64_t{1} << 43) * 1000;  // a double of µs is exact below 2^43 µs
constexpr std::size_t piece_bytes = 1 << 18;

/// The shortest text that reads back as the same number, independent of the locale.
template <typename Number>
std::string number_text(Number value) {
  std::array<char, 40> text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

/// Microseconds with three decimals.
std::string micros(std::int64_t nanoseconds) {
  std::string fraction = std::to_string(nanoseconds % 1000);
  return std::to_string(nanoseconds / 1000) + "." + std::string(3 - fraction.size(), '0') + fraction;
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

/// What is subtracted from all times: 0, unless times are negative or too late to be exact in a reader's doubles.
std::int64_t time_shift(const Trace& trace) {
  std::int64_t earliest = largest_time_ns, latest = -largest_time_ns;
  const auto check = [](std::int64_t time) {
    if (time <= -largest_time_ns || time >= largest_time_ns) {
      throw Error(ErrorKind::bad_input, "trace: a time lies more than 146 years from the base time; check its clock");
    }
  };
  const auto include = [&](std::int64_t time) {
    check(time);
    earliest = std::min(earliest, time);
    latest = std::max(latest, time);
  };
  for (const TraceEvent& event : trace.events()) {
    include(event.start_ns);
    check(drawn_duration_ns(event));
  }
  for (const TraceCounter& counter : trace.counters()) include(counter.time_ns);
  return earliest < 0 || latest >= exact_ns ? earliest : 0;
}

/// Writes one trace: metadata rows, then events by start, then counters.
class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, Sink sink)
      : trace_(trace), sink_(std::move(sink)), shift_(time_shift(trace)), lanes_(assign_lanes(trace)) {
    for (const TraceFlow& flow : trace.flows()) flows_[flow.event] = flow;
    quoted_.resize(trace.strings().size());
    number_lanes();
  }

  void write() {
    write_head();
    write_names();
    for (std::uint32_t i : lanes_.order) write_event(i);
    write_counters();
    text_ += "\n]}\n";
    sink_(text_);
  }

 private:
  /// Extra lanes get numbers that no row of the process has.
  void number_lanes() {
    std::unordered_map<std::uint32_t, std::set<std::uint32_t>> taken;
    for (const TraceRow& row : trace_.rows()) taken[index(row.process)].insert(row.tid);
    std::unordered_map<std::uint32_t, std::uint32_t> next;
    for (std::size_t i = 0; i < trace_.rows().size(); ++i) {
      const TraceRow& row = trace_.rows()[i];
      auto& used = taken[index(row.process)];
      auto& candidate = next.try_emplace(index(row.process), *used.rbegin()).first->second;
      tids_.push_back({row.tid});
      while (tids_[i].size() < lanes_.count[i]) {
        ++candidate;
        if (candidate != 0 && used.insert(candidate).second) tids_[i].push_back(candidate);
      }
    }
  }

  void write_head() {
    text_ += "{\"displayTimeUnit\":\"ns\"";
    if (const auto base = trace_.base_time()) {
      std::int64_t shifted = 0;
      if (__builtin_add_overflow(static_cast<std::int64_t>(base->count()), shift_, &shifted)) {
        throw Error(ErrorKind::bad_input, "trace: the base time does not fit nanoseconds of 64 bits; check its clock");
      }
      text_ += ",\"baseTimeNanoseconds\":" + std::to_string(shifted);
    }
    if (const std::string& provenance = trace_.provenance_json(); !provenance.empty()) {
      const auto parsed = nlohmann::ordered_json::parse(provenance, nullptr, false);
      if (!parsed.is_object()) {
        throw Error(ErrorKind::bad_input, "trace: the provenance is not a JSON object; pass one or nothing");
      }
      text_ +=
          ",\"metadata\":{\"takt\":" + parsed.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
          "}";
    }
    text_ += ",\"traceEvents\":[";
  }

  void write_names() {
    for (const TraceProcess& process : trace_.processes()) {
      write_name("process_name", process.pid, process.pid, "name", string_literal(process.name));
      write_name("process_sort_index", process.pid, process.pid, "sort_index", number_text(process.sort_index));
    }
    for (std::size_t i = 0; i < trace_.rows().size(); ++i) {
      const TraceRow& row = trace_.rows()[i];
      for (std::size_t lane = 0; lane < tids_[i].size(); ++lane) {
        const std::string name = lane == 0 ? row.name : row.name + " (lane " + std::to_string(lane + 1) + ")";
        write_name("thread_name", pid(row.process), tids_[i][lane], "name", string_literal(name));
        write_name("thread_sort_index", pid(row.process), tids_[i][lane], "sort_index", number_text(row.sort_index));
      }
    }
  }

  void write_name(std::string_view what, std::uint32_t pid, std::uint32_t tid, std::string_view key,
                  const std::string& value) {
    begin("M", pid);
    text_ += ",\"tid\":" + std::to_string(tid) + ",\"name\":\"";
    text_.append(what).append("\",\"args\":{\"").append(key).append("\":").append(value).append("}}");
  }

  void write_event(std::uint32_t i) {
    const TraceEvent& event = trace_.events()[i];
    const auto row = static_cast<std::size_t>(event.row);
    begin("X", pid(trace_.rows()[row].process));
    text_ += ",\"tid\":" + std::to_string(tids_[row][lanes_.lane[i]]) + ",\"ts\":" + micros(event.start_ns - shift_) +
             ",\"dur\":" + micros(drawn_duration_ns(event)) + ",\"name\":" + quoted(event.name);
    if (event.category != StringId{}) text_ += ",\"cat\":" + quoted(event.category);
    if (const auto flow = flows_.find(static_cast<EventId>(i)); flow != flows_.end()) write_flow(flow->second);
    write_args(event);
    text_ += "}";
  }

  void write_flow(const TraceFlow& flow) {
    text_ += ",\"bind_id\":" + quoted_hex(flow.bind_id);
    if (flow.in) text_ += ",\"flow_in\":true";
    if (flow.out) text_ += ",\"flow_out\":true";
  }

  void write_args(const TraceEvent& event) {
    const auto args = trace_.args(event);
    if (args.empty() && event.duration_ns >= 0) return;
    text_ += ",\"args\":{";
    const char* comma = "";
    for (const TraceArg& arg : args) {
      text_ += comma + quoted(arg.key) + ":" + value_text(arg);
      comma = ",";
    }
    if (event.duration_ns < 0) {
      text_.append(comma).append("\"recorded_duration_ns\":").append(std::to_string(event.duration_ns));
    }
    text_ += "}";
  }

  std::string value_text(const TraceArg& arg) {
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) return number_text(*integer);
    if (const auto* number = std::get_if<double>(&arg.value)) {
      return std::isfinite(*number) ? number_text(*number) : "null";
    }
    return quoted(std::get<StringId>(arg.value));
  }

  void write_counters() {
    std::vector<TraceCounter> samples = trace_.counters();
    std::stable_sort(samples.begin(), samples.end(),
                     [](const TraceCounter& a, const TraceCounter& b) { return a.time_ns < b.time_ns; });
    for (const TraceCounter& sample : samples) {
      begin("C", pid(sample.process));
      text_ += ",\"ts\":" + micros(sample.time_ns - shift_) + ",\"name\":" + quoted(sample.name) +
               ",\"args\":{\"value\":" + number_text(sample.value) + "}}";
    }
  }

  void begin(std::string_view phase, std::uint32_t pid) {
    if (text_.size() >= piece_bytes) {
      sink_(text_);
      text_.clear();
    }
    text_ += first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    first_ = false;
    text_.append(phase).append("\",\"pid\":").append(std::to_string(pid));
  }

  /// Quoting costs more than all the rest and names repeat, so each is quoted once.
  const std::string& quoted(StringId id) {
    std::string& text = quoted_[static_cast<std::size_t>(id)];
    if (text.empty()) text = string_literal(trace_.text(id));
    return text;
  }

  static std::uint32_t index(ProcessId process) { return static_cast<std::uint32_t>(process); }
  std::uint32_t pid(ProcessId process) const { return trace_.processes()[index(process)].pid; }

  const Trace& trace_;
  Sink sink_;
  std::int64_t shift_;
  Lanes lanes_;
  std::unordered_map<EventId, TraceFlow> flows_;
  std::vector<std::vector<std::uint32_t>> tids_;  // per row and lane
  std::vector<std::string> quoted_;               // per StringId; empty: not made yet
  std::string text_;
  bool first_ = true;
};

}  // namespace

std::string to_chrome_json(const Trace& trace) {
  std::string json;
  ChromeWriter(trace, [&](std::string_view piece) { json += piece; }).write();
  return json;
}

void write_chrome_trace(const Trace& trace, const std::filesystem::path& path) {
  AtomicFile file(path);
  ChromeWriter(trace, [&](std::string_view piece) { file.append(piece); }).write();
  file.commit();
}

}  // namespace takt
