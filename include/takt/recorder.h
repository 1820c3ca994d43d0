// Records what your own program does, for takt to explain.
//
//   takt::Recorder recorder;                               // once; scopes are recorded until it is destroyed
//   void infer(std::uint32_t batch, std::string_view file) {
//     static const takt::EventName name("infer", "stage", "batch");
//     static const takt::ArgumentName image("image");
//     takt::Scope scope(recorder, name, batch, batch);     // one event, from here to the end of the block
//     scope.add(image, file);                              // strings, integers and floating-point numbers
//     …
//   }
//   recorder.write("run.json");                            // then: takt trace info run.json, or ui.perfetto.dev
//
// Events of the category "stage" with the argument "batch" are a pipeline: takt pipeline analyze run.json.
//
// A scope costs little more than its two clock reads: each thread has a separate buffer that is allocated and touched
// in advance, an event is one 32-byte record, and nothing is locked or allocated. A background thread empties the
// buffers; a thread that fills its buffer sooner empties it itself, which takes about a millisecond every 65,536
// events. No event is lost until `most_events` are kept, or with `file` until the disk is full: memory is bounded, and
// dropped events are counted, also in the trace.
//
// With TAKT_RECORDER_OFF defined, all of this compiles to nothing: no code, no call, no file. Define it for a whole
// program.
//
// Link with takt::recorder, a small library without dependencies. examples/recorder is a whole program.
#pragma once

#ifdef TAKT_RECORDER_OFF
#include "takt/recorder_off.h"
#else

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "takt/error.h"
#include "takt/recorder_event.h"
#include "takt/tick_clock.h"

namespace takt {

struct Recording;

struct RecorderSettings {
  std::string process = "program";          ///< the name of the program in the trace
  std::uint32_t events_per_thread = 65536;  ///< 32 bytes each; more: longer without collecting. 64 to 2^26
  /// Maximum number of events in memory, 32 bytes each; later ones are dropped and counted. Ignored with `file`.
  std::uint64_t most_events = 16'000'000;
  /// How often a background thread empties the buffers of all threads. Zero: there is no such thread, only collect()
  /// and write() empty them, and an event is dropped and counted if its buffer is full: recording never waits.
  std::chrono::milliseconds collect_every{20};
  /// If not empty: events go to this file instead of memory. If the program is killed, the file has all events but
  /// those of the last `collect_every`. `takt trace` and `takt pipeline analyze` read it; other programs do not, so end
  /// with write(), or convert it with `takt trace convert`. An existing recording of this name is replaced; any other
  /// file is rejected.
  std::string file{};
};

/// Collects events of all threads. Any number of threads may use Scope and all functions concurrently. Threads must
/// have stopped recording when the Recorder is destroyed. Several recorders may exist at the same time; they are
/// independent.
class Recorder {
 public:
  /// Throws Error(io) if `settings.file` cannot be written, Error(bad_input) if it exists and is not a recording.
  explicit Recorder(RecorderSettings settings = {});
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// While disabled, a Scope costs a load and a branch and records nothing.
  void enable(bool on) { enabled_.store(on, std::memory_order_relaxed); }
  bool enabled() const { return enabled_.load(std::memory_order_relaxed); }

  /// Names the calling thread's row; by default rows are "thread 1" and so on, in the order of their first event.
  void name_thread(std::string_view name);
  /// Adds a row. Spans that overlap on it are drawn on separate lines. Throws Error(bad_input) beyond a million rows.
  RecorderRow add_row(std::string_view name);

  /// Records an event with your times, from TickClock::now().
  void record(const EventName& name, std::uint64_t start, std::uint64_t end, std::uint32_t argument = 0,
              EventFlow flow = {}, RecorderRow row = {}) {
    if (enabled()) push(recording::Kind::span, start, end, name.number(), argument, flow, row);
  }
  void record(const EventName& name, std::uint64_t start, std::uint64_t end, const EventArguments& more,
              std::uint32_t argument = 0, EventFlow flow = {}, RecorderRow row = {}) {
    if (enabled()) push(made(recording::Kind::span, start, end, name.number(), argument, flow, row), more);
  }
  /// Marks the end of a frame and the begin of the next one: an event from each mark to the next of this name on this
  /// thread, on a row "NAME frames", with its number from 0 as the argument "frame". The time after the last mark is
  /// not a frame.
  void frame(const EventName& name) {
    if (enabled()) push(recording::Kind::frame, TickClock::now(), 0, name.number(), 0, {}, {});
  }
  /// Records the current value of a counter. A value that is not finite is left out of the trace.
  void count(const EventName& name, double value);

  /// Empties the buffers of all threads. Call it where it does not disturb.
  void collect();
  /// Returns the number of events dropped so far.
  std::uint64_t dropped() const;
  std::uint64_t recorded() const;  ///< events collected so far
  /// Returns why writing `settings.file` failed, one sentence; empty: it did not fail. Later events are dropped and
  /// counted.
  std::string file_error() const;

  /// Converts ticks read during the recorder's lifetime to nanoseconds of CLOCK_MONOTONIC (std::chrono::steady_clock).
  /// Exact to tens of nanoseconds: ticks are interpolated between pairs of both clocks read at the start, at every
  /// collect() and now.
  std::chrono::nanoseconds steady_time(std::uint64_t ticks);

  /// Returns everything recorded so far as a Chrome trace (JSON), with times since the recorder's construction. It
  /// contains the number of dropped events and the time of the first ("metadata", "takt", "recorder"), and an event
  /// where they were dropped. Recording may continue meanwhile. Throws Error(bad_input) for times more than 146 years
  /// apart.
  std::string chrome_json();
  /// Writes the same to a file, atomically: Perfetto's protobuf if the name ends in .pftrace or .perfetto-trace, else
  /// Chrome JSON. Throws Error(io) if the file cannot be written, and Error(unsupported) for names in .gz: this small
  /// library does not compress (`takt trace convert` does).
  void write(const std::string& file);

 private:
  using Record = recording::Record;

  /// One thread's records: written by the thread at `head`, taken out by collect() at `tail`.
  struct Buffer {
    Record* records = nullptr;
    std::uint64_t mask = 0;
    std::uint64_t limit = 0;  // the head may grow to here without looking at the tail again
    std::atomic<std::uint64_t> head{0};
    std::atomic<std::uint64_t> dropped{0}, first_dropped{0};  // how many, and when the first one started
    alignas(64) std::atomic<std::uint64_t> tail{0};
  };
  struct ThreadSlot {
    std::uint64_t owner;  // Recorder::identity_; 0: none
    Buffer* buffer;
  };

  [[gnu::always_inline]] static Record made(recording::Kind kind, std::uint64_t start, std::uint64_t end,
                                            std::uint32_t name, std::uint32_t argument, EventFlow flow,
                                            RecorderRow row) {
    return {.start = start,
            .end = end,
            .name = name,
            .argument = argument,
            .flow = flow.number(),
            .row = row.number & 0xfffffu,
            .kind = static_cast<std::uint32_t>(kind) & 7u,
            .has_flow = flow.is_set(),
            .extras = 0};
  }

  // The record's numbers come one by one and are written where they belong: put together before, they would be read
  // back from memory while they are still on their way there, which costs as much as a reading of the clock.
  [[gnu::always_inline]] void push(recording::Kind kind, std::uint64_t start, std::uint64_t end, std::uint32_t name,
                                   std::uint32_t argument, EventFlow flow, RecorderRow row) {
    ThreadSlot& slot = slot_;
    if (slot.owner != identity_) [[unlikely]]
      attach(slot);
    Buffer& buffer = *slot.buffer;
    const std::uint64_t head = buffer.head.load(std::memory_order_relaxed);
    if (head == buffer.limit) [[unlikely]] {
      if (!make_room(buffer, start, 1)) return;
    }
    buffer.records[head & buffer.mask] = made(kind, start, end, name, argument, flow, row);
    buffer.head.store(head + 1, std::memory_order_release);
  }
  /// All of its records or none.
  void push(Record record, const EventArguments& more);
  void attach(ThreadSlot& slot);
  bool make_room(Buffer& buffer, std::uint64_t start, std::uint64_t records);

  struct State;
  // Found without a call also in shared libraries; they have room for few such variables, and this one is 16 bytes.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local ThreadSlot slot_{0, nullptr};
  const std::uint64_t identity_;
  std::atomic<bool> enabled_{true};
  std::unique_ptr<State> state_;

  friend class Scope;
  friend Recording recording_of(Recorder& recorder);  // takt's own
};

/// An event from construction to destruction, on the row of the thread or on `row`.
class Scope {
 public:
  [[gnu::always_inline]] Scope(Recorder& recorder, const EventName& name, std::uint32_t argument = 0,
                               EventFlow flow = {}, RecorderRow row = {})
      : recorder_(recorder.enabled() ? &recorder : nullptr),
        name_(name.number()),
        argument_(argument),
        flow_(flow),
        row_(row) {
    if (recorder_ != nullptr) start_ = TickClock::now();
  }
  [[gnu::always_inline]] ~Scope() {
    if (recorder_ == nullptr) return;
    const std::uint64_t end = TickClock::now();
    using recording::Kind;
    if (more_.records() == 0)
      recorder_->push(Kind::span, start_, end, name_, argument_, flow_, row_);
    else  // a copy of them, so that a scope without arguments stays in registers
      recorder_->push(Recorder::made(Kind::span, start_, end, name_, argument_, flow_, row_), EventArguments(more_));
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// Adds an argument: an integer of any size, a double, a bool or a string, which is copied. See EventArguments.
  template <typename Value>
  void add(const ArgumentName& name, const Value& value) {
    if (recorder_ != nullptr) more_.add(name, value);
  }
  /// Replaces the name of the event, which is otherwise the EventName's; copied.
  void set_name(std::string_view name) {
    if (recorder_ != nullptr) more_.set_name(name);
  }

 private:
  Recorder* recorder_;
  std::uint64_t start_ = 0;
  std::uint32_t name_, argument_;
  EventFlow flow_;
  RecorderRow row_;
  EventArguments more_;
};

}  // namespace takt

#endif
