// Records what your own program does, for takt to explain.
//
//   takt::Recorder recorder;                               // once; while it lives, scopes are recorded
//   void infer(std::uint32_t batch) {
//     static const takt::EventName name("infer", "stage", "batch");
//     takt::Scope scope(recorder, name, batch, batch);     // one event, from here to the end of the block
//     …
//   }
//   recorder.write("run.json");                            // then: takt trace info run.json, or ui.perfetto.dev
//
// A scope costs little more than its two clock reads: each thread has a buffer of its own that is allocated and touched
// beforehand, an event is one 32-byte record, and nothing is locked or allocated. A background thread empties the
// buffers; where a thread is faster than that, it empties its own, which costs it about a millisecond every 65,536
// events. Nothing is lost until `most_events` are kept: memory is bounded, and what is dropped is counted.
//
// Link with takt::recorder, a small library that needs no other. examples/recorder is a whole program.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "takt/error.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#include <time.h>

namespace takt {

class Trace;

/// The clock of the recorder: the processor's time stamp counter where it ticks evenly and never stops, else
/// CLOCK_MONOTONIC. Only a Recorder can turn its ticks into time.
class TickClock {
 public:
  static std::uint64_t now() {
#if defined(__x86_64__)
    if (uses_counter_) return __rdtsc();
#endif
    return monotonic_ns();
  }
  static bool uses_counter() { return uses_counter_; }
  static std::uint64_t monotonic_ns() {
    timespec time;
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
  }

 private:
  static const bool uses_counter_;
};

/// What an event is called. Make it once (a static at the place that records); texts are stored for the whole program.
class EventName {
 public:
  /// `category` groups events; `argument` names the number given to the Scope and is left out of the trace if empty.
  explicit EventName(std::string_view name, std::string_view category = "", std::string_view argument = "");
  std::uint32_t number() const { return number_; }

 private:
  std::uint32_t number_;
};

/// A line of the trace that is not a thread: a device, a stream, a queue.
struct RecorderRow {
  std::uint32_t number = 0;  ///< 0: the row of the thread that records
};

struct RecorderSettings {
  std::string process = "program";          ///< the name of the program in the trace
  std::uint32_t events_per_thread = 65536;  ///< 32 bytes each; more: longer without collecting. 64 to 2^26
  std::uint64_t most_events = 16'000'000;   ///< kept in all, 32 bytes each; later ones are dropped and counted
  /// How often a background thread empties the buffers of all threads. Zero: only collect() and write() do, there is no
  /// thread, and an event that finds its buffer full is dropped and counted: no event ever waits for anything.
  std::chrono::milliseconds collect_every{20};
};

/// Collects events of all threads. Scope and all functions may be used by any number of threads at once. Threads must
/// have stopped recording when the Recorder is destroyed. Several recorders may live at once and stay apart.
class Recorder {
 public:
  explicit Recorder(RecorderSettings settings = {});
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// While disabled, a Scope costs a load and a branch and leaves nothing.
  void enable(bool on) { enabled_.store(on, std::memory_order_relaxed); }
  bool enabled() const { return enabled_.load(std::memory_order_relaxed); }

  /// Names the calling thread's row; without it rows are "thread 1" and so on, in the order of their first event.
  void name_thread(std::string_view name);
  /// A new row. Spans that overlap on it are drawn on lines of their own.
  RecorderRow add_row(std::string_view name);

  /// An event with times of your own, from TickClock::now(). Events with the same `flow` (not 0, at most 2^32 - 1) are
  /// joined by arrows in the order of their starts.
  void record(const EventName& name, std::uint64_t start, std::uint64_t end, std::uint32_t argument = 0,
              std::uint32_t flow = 0, RecorderRow row = {}) {
    if (enabled()) push({start, end, name.number(), argument, flow, row.number});
  }
  /// One value of a counter, now. A value that is not finite is left out of the trace.
  void count(const EventName& name, double value);

  /// Takes what the threads have recorded out of their buffers. Call it where it does not disturb.
  void collect();
  /// Events that found no room, so far.
  std::uint64_t dropped() const;
  std::uint64_t recorded() const;  ///< events collected so far

  /// Nanoseconds of CLOCK_MONOTONIC (std::chrono::steady_clock) for ticks read during the recorder's life. Exact to
  /// tens of nanoseconds: ticks are interpolated between pairs of both clocks read at the start, at every collect() and
  /// now.
  std::chrono::nanoseconds steady_time(std::uint64_t ticks);

  /// Everything recorded so far as the text of a Chrome trace, times counted from the recorder's construction.
  /// Recording may go on meanwhile. Throws Error(bad_input) for times that lie more than 146 years apart.
  std::string chrome_json();
  /// The same in a file that is seen whole or not at all: Perfetto's protobuf if the name ends in .pftrace or
  /// .perfetto-trace, else Chrome JSON. Throws Error(io) where it cannot be written, and Error(unsupported) for names
  /// in .gz: this small library does not compress (`takt trace convert` does).
  void write(const std::string& file);

 private:
  struct Record {
    std::uint64_t start, end;
    std::uint32_t name, argument, flow, row;
  };
  static_assert(sizeof(Record) == 32);
  static constexpr std::uint32_t counter_row = 0xffffffffu;  // `end` holds the value's bits

  /// One thread's records: written by the thread at `head`, taken out by collect() at `tail`.
  struct Buffer {
    Record* records = nullptr;
    std::uint64_t mask = 0;
    std::uint64_t limit = 0;  // the head may grow to here without looking at the tail again
    std::atomic<std::uint64_t> head{0};
    std::atomic<std::uint64_t> dropped{0};
    alignas(64) std::atomic<std::uint64_t> tail{0};
  };
  struct ThreadSlot {
    std::uint64_t owner;  // Recorder::identity_; 0: none
    Buffer* buffer;
  };

  void push(const Record& record) {
    ThreadSlot& slot = slot_;
    if (slot.owner != identity_) [[unlikely]]
      attach(slot);
    Buffer& buffer = *slot.buffer;
    const std::uint64_t head = buffer.head.load(std::memory_order_relaxed);
    if (head == buffer.limit) [[unlikely]] {
      if (!make_room(buffer)) return;
    }
    buffer.records[head & buffer.mask] = record;
    buffer.head.store(head + 1, std::memory_order_release);
  }
  void attach(ThreadSlot& slot);
  bool make_room(Buffer& buffer);

  struct State;
  static inline constinit thread_local ThreadSlot slot_{0, nullptr};
  const std::uint64_t identity_;
  std::atomic<bool> enabled_{true};
  std::unique_ptr<State> state_;

  friend class Scope;
  friend Trace recorded_trace(Recorder& recorder);  // takt's own
};

/// An event from construction to destruction, on the row of the thread or on `row`.
class Scope {
 public:
  Scope(Recorder& recorder, const EventName& name, std::uint32_t argument = 0, std::uint32_t flow = 0,
        RecorderRow row = {})
      : recorder_(recorder.enabled() ? &recorder : nullptr),
        name_(name.number()),
        argument_(argument),
        flow_(flow),
        row_(row.number) {
    if (recorder_ != nullptr) start_ = TickClock::now();
  }
  ~Scope() {
    if (recorder_ != nullptr) recorder_->push({start_, TickClock::now(), name_, argument_, flow_, row_});
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Recorder* recorder_;
  std::uint64_t start_ = 0;
  std::uint32_t name_, argument_, flow_, row_;
};

}  // namespace takt
