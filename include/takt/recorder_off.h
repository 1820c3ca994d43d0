// takt::Recorder with nothing in it: what recorder.h declares where TAKT_RECORDER_OFF is defined. Calls compile to
// nothing and need no library. The classes have names of their own for the linker, so that a program in which only some
// files define the macro does not link rather than do odd things.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "takt/error.h"

namespace takt {
inline namespace recorder_off {

class TickClock {
 public:
  static std::uint64_t now() { return 0; }
  static bool uses_counter() { return false; }
  static std::uint64_t monotonic_ns() { return 0; }
};

class EventName {
 public:
  explicit constexpr EventName(std::string_view, std::string_view = "", std::string_view = "") {}
  constexpr std::uint32_t number() const { return 0; }
};

class ArgumentName {
 public:
  explicit constexpr ArgumentName(std::string_view) {}
  constexpr std::uint32_t number() const { return 0; }
};

class EventFlow {
 public:
  constexpr EventFlow() = default;
  constexpr EventFlow(std::uint32_t) {}
};

struct RecorderRow {
  std::uint32_t number = 0;
};

class EventArguments {
 public:
  template <typename Value>
  void add(const ArgumentName&, const Value&) {}
  void set_name(std::string_view) {}
};

struct RecorderSettings {
  std::string process = "program";
  std::uint32_t events_per_thread = 65536;
  std::uint64_t most_events = 16'000'000;
  std::chrono::milliseconds collect_every{20};
  std::string file{};
};

class Recorder {
 public:
  explicit Recorder(const RecorderSettings& = {}) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void enable(bool) {}
  bool enabled() const { return false; }
  void name_thread(std::string_view) {}
  RecorderRow add_row(std::string_view) { return {}; }
  void record(const EventName&, std::uint64_t, std::uint64_t, std::uint32_t = 0, EventFlow = {}, RecorderRow = {}) {}
  void record(const EventName&, std::uint64_t, std::uint64_t, const EventArguments&, std::uint32_t = 0, EventFlow = {},
              RecorderRow = {}) {}
  void frame(const EventName&) {}
  void count(const EventName&, double) {}
  void collect() {}
  std::uint64_t dropped() const { return 0; }
  std::uint64_t recorded() const { return 0; }
  std::string file_error() const { return {}; }
  std::chrono::nanoseconds steady_time(std::uint64_t) { return {}; }
  std::string chrome_json() { return R"({"traceEvents":[]})"; }
  void write(std::string_view) {}
};

class Scope {
 public:
  Scope(Recorder&, const EventName&, std::uint32_t = 0, EventFlow = {}, RecorderRow = {}) {}
  ~Scope() {}  // as the real one: a variable that only lives is used
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  template <typename Value>
  void add(const ArgumentName&, const Value&) {}
  void set_name(std::string_view) {}
};

}  // namespace recorder_off
}  // namespace takt
