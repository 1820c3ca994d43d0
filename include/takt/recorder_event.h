// The parts of an event of takt::Recorder: its name, its arguments, its flow, its row; and its layout in a thread's
// buffer. Included by recorder.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace takt {

/// Name of an event. Create it once (a static where the event is recorded): this takes a lock, and its strings are
/// stored until the program ends. For an unlimited number of names, see EventArguments::set_name().
class EventName {
 public:
  /// `category` groups events; `argument` names the number given to the Scope and is left out of the trace if empty.
  explicit EventName(std::string_view name, std::string_view category = "", std::string_view argument = "");
  std::uint32_t number() const { return number_; }

 private:
  std::uint32_t number_;
};

/// Name of an argument. As EventName: create it once.
class ArgumentName {
 public:
  explicit ArgumentName(std::string_view name);
  std::uint32_t number() const { return number_; }

 private:
  std::uint32_t number_;
};

/// Connects the events that have the same number by flow events, in the order of their starts. 0 is a valid number;
/// EventFlow() or {} is no flow.
class EventFlow {
 public:
  constexpr EventFlow() = default;
  constexpr EventFlow(std::uint32_t number) : number_(number), is_set_(true) {}  // a number is a flow
  constexpr std::uint32_t number() const { return number_; }
  constexpr bool is_set() const { return is_set_; }

 private:
  std::uint32_t number_ = 0;
  bool is_set_ = false;
};

/// A line of the trace that is not a thread: a device, a stream, a queue.
struct RecorderRow {
  std::uint32_t number = 0;  ///< 0: the row of the thread that records
};

/// Layout of events in memory and in a recording's file.
namespace recording {

enum class Kind : std::uint32_t { span, counter, frame };

struct Record {
  std::uint64_t start, end;  ///< ticks; for a counter, `end` holds the bits of the value
  std::uint32_t name, argument, flow;
  std::uint32_t row : 20, kind : 3, has_flow : 1;
  std::uint32_t extras : 8;  ///< following records that hold its arguments
};
static_assert(sizeof(Record) == 32);

enum class Type : std::uint32_t { integer, unsigned_integer, boolean, number, text, event_name, left_out };

/// An argument; a string continues in the following records.
struct Extra {
  std::uint32_t name, type, size, stored;  ///< `size`, `stored`: bytes of a string, and how many of them are here
  char bytes[16];
};
static_assert(sizeof(Extra) == sizeof(Record));

}  // namespace recording

/// Arguments of one event in addition to the number that every event has. They are copied into this object when they
/// are added: nothing is allocated. There is room for 12 numbers; a string takes the room of one and, beyond 16 bytes,
/// of one more per 32 bytes. A string that does not fit is cut and ends in "…"; the event's argument "arguments left
/// out" counts the arguments that do not fit.
class EventArguments {
 public:
  static constexpr std::size_t most = 12;

  EventArguments() {}  // the room stays as it is: to clear it would cost more than the event

  template <std::integral Integer>
  void add(const ArgumentName& name, Integer value) {
    using recording::Type;
    if constexpr (std::same_as<Integer, bool>)
      put(name, Type::boolean, value ? 1 : 0);
    else if constexpr (std::signed_integral<Integer>)
      put(name, Type::integer, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    else
      put(name, Type::unsigned_integer, value);
  }
  /// A value that is not finite is null in the trace.
  void add(const ArgumentName& name, double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    put(name, recording::Type::number, bits);
  }
  void add(const ArgumentName& name, std::string_view text) { put_text(name.number(), recording::Type::text, text); }
  /// Replaces the name of the event; its category and the name of its number remain those of the EventName.
  void set_name(std::string_view name) { put_text(0, recording::Type::event_name, name); }

  std::uint32_t records() const { return used_; }
  const recording::Extra* data() const { return extras_; }

 private:
  recording::Extra* next(std::uint32_t name, recording::Type type) {
    if (used_ >= most) {
      leave_out();
      return nullptr;
    }
    recording::Extra* extra = &extras_[used_++];
    extra->name = name;
    extra->type = static_cast<std::uint32_t>(type);
    return extra;
  }
  void put(const ArgumentName& name, recording::Type type, std::uint64_t bits) {
    recording::Extra* extra = next(name.number(), type);
    if (extra != nullptr) std::memcpy(extra->bytes, &bits, sizeof bits);
  }
  void put_text(std::uint32_t name, recording::Type type, std::string_view text) {
    recording::Extra* extra = next(name, type);
    if (extra == nullptr) return;
    const std::size_t room = sizeof extra->bytes + (most - used_) * sizeof(recording::Extra);
    const std::size_t stored = text.size() < room ? text.size() : room;
    constexpr std::size_t longest = std::numeric_limits<std::uint32_t>::max();
    extra->size = static_cast<std::uint32_t>(text.size() < longest ? text.size() : longest);
    extra->stored = static_cast<std::uint32_t>(stored);
    const std::size_t here = stored < sizeof extra->bytes ? stored : sizeof extra->bytes;
    if (here > 0) std::memcpy(extra->bytes, text.data(), here);
    if (stored == here) return;
    std::memcpy(static_cast<void*>(extra + 1), text.data() + here, stored - here);
    used_ += static_cast<std::uint32_t>((stored - here + sizeof(recording::Extra) - 1) / sizeof(recording::Extra));
  }
  void leave_out() {
    recording::Extra& last = extras_[most];
    if (used_ == most) {
      last = {0, static_cast<std::uint32_t>(recording::Type::left_out), 0, 0, {}};
      ++used_;
    }
    ++last.size;
  }

  std::uint32_t used_ = 0;
  recording::Extra extras_[most + 1];
};

}  // namespace takt
