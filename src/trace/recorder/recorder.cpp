#include "takt/recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/basics/units.h"
#include "base/files/file.h"
#include "trace/recorder/recorder_state.h"
#include "trace/recorder/recording.h"
#include "trace/recorder/recording_file.h"
#include "trace/recorder/tick_clock.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/perfetto_writer.h"

namespace takt {
namespace {

std::uint64_t next_identity() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

/// Tells the recorders that a thread has ended, so that a later one may use its buffer.
class ThreadEnd {
 public:
  ~ThreadEnd() {
    for (const auto& flag : flags_) flag->store(true, std::memory_order_release);
  }
  std::shared_ptr<std::atomic<bool>> add() { return flags_.emplace_back(std::make_shared<std::atomic<bool>>(false)); }

 private:
  std::vector<std::shared_ptr<std::atomic<bool>>> flags_;
};
thread_local ThreadEnd thread_end;

}  // namespace

Recorder::Recorder(RecorderSettings settings) : identity_(next_identity()), state_(std::make_unique<State>()) {
  settings.events_per_thread = std::bit_ceil(std::clamp(settings.events_per_thread, 64u, 1u << 26));
  state_->settings = std::move(settings);
  const TickAnchor anchor = read_anchor();
  state_->conversion.add(anchor);
  state_->wall = wall_now();
  state_->steady = Nanoseconds(anchor.steady_ns);
  if (const std::string& file = state_->settings.file; !file.empty()) {
    state_->file.emplace(file, state_->settings.process, state_->wall, state_->steady);
    state_->flush(true);
    if (!state_->file_error.empty()) throw Error(ErrorKind::io, state_->file_error);
  }
  if (state_->settings.collect_every.count() > 0) {
    state_->collector = std::thread([this] { state_->run_collector(); });
  }
}

Recorder::~Recorder() {
  if (state_->collector.joinable()) {
    {
      const std::lock_guard lock(state_->mutex);
      state_->stopping = true;
    }
    state_->wake.notify_all();
    state_->collector.join();
  }
  if (!state_->file) return;
  const std::lock_guard lock(state_->mutex);
  state_->collect_locked();
  if (!state_->file_error.empty()) return;
  try {
    state_->file->end();
  } catch (const Error&) {  // then the file says by itself that it was not ended
  }
}

void Recorder::attach(ThreadSlot& slot) {
  const std::lock_guard lock(state_->mutex);
  const std::size_t known = state_->thread_of_caller();
  if (known == state_->threads.size()) {
    std::vector<Record> memory = state_->take_memory();
    State::ThreadBuffer& thread = state_->threads.emplace_back();
    thread.thread = std::this_thread::get_id();
    thread.ended = thread_end.add();
    thread.memory = std::move(memory);
    thread.buffer.records = thread.memory.data();
    thread.buffer.mask = thread.memory.size() - 1;
    if (state_->file) state_->file->name_thread(static_cast<std::uint32_t>(known), "");
    thread.buffer.limit = state_->settings.collect_every.count() > 0 ? thread.memory.size() / 2 : thread.memory.size();
  }
  slot = {identity_, &state_->threads[known].buffer};
}

/// The event that started then needs so many records of room, all or none. Where a collector runs, the limit stands at
/// half of the buffer first, so that it is called in time.
bool Recorder::make_room(Buffer& buffer, std::uint64_t start, std::uint64_t records) {
  const std::uint64_t head = buffer.head.load(std::memory_order_relaxed), size = buffer.mask + 1;
  std::uint64_t limit = buffer.tail.load(std::memory_order_acquire) + size;
  if (state_->settings.collect_every.count() > 0) {
    if (limit - head < records) {
      // The collector has not come by, so the thread does its work rather than to lose the event.
      const std::lock_guard lock(state_->mutex);
      state_->take(state_->number_of(buffer));
      if (state_->file) state_->flush();
      limit = buffer.tail.load(std::memory_order_relaxed) + size;
    } else {
      state_->hurry.store(true, std::memory_order_relaxed);
      state_->wake.notify_one();
    }
    limit = std::min(limit, buffer.limit + size / 2);
  }
  if (limit - head < records) {
    if (buffer.dropped.load(std::memory_order_relaxed) == 0)
      buffer.first_dropped.store(start, std::memory_order_relaxed);
    buffer.dropped.store(buffer.dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return false;
  }
  buffer.limit = limit;
  return true;
}

void Recorder::push(Record record, const EventArguments& more) {
  if (slot_.owner != identity_) attach(slot_);
  Buffer& buffer = *slot_.buffer;
  const std::uint64_t head = buffer.head.load(std::memory_order_relaxed), records = 1 + more.records();
  if (buffer.limit - head < records && !make_room(buffer, record.start, records)) return;
  record.extras = more.records() & 0xffu;
  buffer.records[head & buffer.mask] = record;
  for (std::uint64_t i = 1; i < records; ++i)
    std::memcpy(&buffer.records[(head + i) & buffer.mask], more.data() + (i - 1), sizeof record);
  buffer.head.store(head + records, std::memory_order_release);
}

void Recorder::name_thread(std::string_view name) {
  if (slot_.owner != identity_) attach(slot_);
  const std::lock_guard lock(state_->mutex);
  const std::size_t thread = state_->thread_of_caller();
  state_->threads[thread].name = name;
  if (state_->file) state_->file->name_thread(static_cast<std::uint32_t>(thread), name);
}

RecorderRow Recorder::add_row(std::string_view name) {
  const std::lock_guard lock(state_->mutex);
  if (state_->rows.size() + 1 >= (1u << 20))
    throw Error(ErrorKind::bad_input,
                "recorder: there are a million rows already; add rows for threads or streams, not for each event");
  state_->rows.emplace_back(name);
  if (state_->file) state_->file->add_row(name);
  return {static_cast<std::uint32_t>(state_->rows.size())};
}

void Recorder::count(const EventName& name, double value) {
  if (enabled())
    push(recording::Kind::counter, TickClock::now(), std::bit_cast<std::uint64_t>(value), name.number(), 0, {}, {});
}

void Recorder::collect() {
  const std::lock_guard lock(state_->mutex);
  state_->collect_locked();
}

std::uint64_t Recorder::dropped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->drops().count;
}

std::uint64_t Recorder::recorded() const {
  const std::lock_guard lock(state_->mutex);
  return state_->kept_events;
}

std::string Recorder::file_error() const {
  const std::lock_guard lock(state_->mutex);
  return state_->file_error;
}

std::chrono::nanoseconds Recorder::steady_time(std::uint64_t ticks) {
  const std::lock_guard lock(state_->mutex);
  state_->conversion.add(read_anchor());
  return state_->conversion.steady_time(ticks);
}

Recording recording_of(Recorder& recorder) {
  auto& state = *recorder.state_;
  const std::lock_guard lock(state.mutex);
  state.collect_locked();
  Recording recording;
  if (state.file)
    recording.pieces = read_recording(state.file->path()).pieces;
  else
    recording.pieces = state.kept;
  recording.process = state.settings.process;
  recording.wall = state.wall;
  recording.steady = state.steady;
  recording.conversion = state.conversion;
  recording.names = registered_names();
  recording.rows = state.rows;
  for (const auto& thread : state.threads) recording.threads.push_back(thread.name);
  recording.events = state.kept_events;
  recording.dropped = state.drops();
  return recording;
}

std::string Recorder::chrome_json() { return to_chrome_json(recorded_trace(*this)); }

void Recorder::write(const std::string& file) {
  if (lower_case(file).ends_with(".gz"))
    throw Error(ErrorKind::unsupported, printable(file) + ": a recorder does not write compressed files; write '" +
                                            printable(file.substr(0, file.size() - 3)) +
                                            "' and compress it, for example with 'takt trace convert'");
  const Trace trace = recorded_trace(*this);
  AtomicFile output(file);
  const auto append = [&](std::string_view piece) { output.append(piece); };
  if (is_perfetto_name(file))
    stream_perfetto(trace, append);
  else
    stream_chrome(trace, append);
  output.commit();
}

}  // namespace takt
