#include "takt/recorder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "core/units.h"
#include "trace/chrome_writer.h"
#include "trace/perfetto_writer.h"
#include "trace/recorded_trace.h"
#include "trace/tick_clock.h"

namespace takt {
namespace {

struct NameTexts {
  std::string name, category, argument;
};

/// The names of the program. They are few and never removed, so that records hold a number for ever.
class NameRegistry {
 public:
  std::uint32_t add(NameTexts texts) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = numbers_.try_emplace(std::tuple(texts.name, texts.category, texts.argument),
                                                      static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(std::move(texts));
    return found->second;
  }
  std::vector<NameTexts> copy() {
    const std::lock_guard lock(mutex_);
    return {texts_.begin(), texts_.end()};
  }

 private:
  std::mutex mutex_;
  std::deque<NameTexts> texts_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> numbers_;
};

NameRegistry& registry() {
  static NameRegistry names;
  return names;
}

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

EventName::EventName(std::string_view name, std::string_view category, std::string_view argument)
    : number_(registry().add({std::string(name), std::string(category), std::string(argument)})) {}

struct Recorder::State {
  /// Of one thread; lives as long as the recorder, so that collect() never meets a thread that has gone.
  struct ThreadBuffer {
    Buffer buffer;
    std::vector<Record> memory;
    std::thread::id thread;
    std::shared_ptr<std::atomic<bool>> ended;
    std::string name;
  };

  RecorderSettings settings;
  std::mutex mutex;  // of everything below; never taken by a thread that records, except for its first event
  std::deque<ThreadBuffer> threads;
  std::vector<std::string> rows;                                    // row number r is rows[r - 1]
  std::vector<std::pair<std::uint32_t, std::vector<Record>>> kept;  // thread and its records, as collected
  std::uint64_t kept_count = 0, overflow = 0;
  TickConversion conversion;
  Nanoseconds wall{}, steady{};  // at construction
  std::condition_variable wake;
  bool stopping = false;
  std::atomic<bool> hurry{false};  // a buffer is half full; set without the mutex, so it may be seen late
  std::thread collector;

  std::size_t thread_of_caller() const {
    const auto id = std::this_thread::get_id();
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (threads[i].thread == id && !threads[i].ended->load(std::memory_order_acquire)) return i;
    }
    return threads.size();
  }

  std::uint32_t number_of(const Buffer& buffer) const {
    std::uint32_t number = 0;
    while (&threads[number].buffer != &buffer) ++number;
    return number;
  }

  /// The memory of a thread that has ended, else new memory, zeroed so that its pages are there.
  std::vector<Record> take_memory() {
    for (std::uint32_t i = 0; i < threads.size(); ++i) {
      if (threads[i].memory.empty() || !threads[i].ended->load(std::memory_order_acquire)) continue;
      take(i);
      return std::exchange(threads[i].memory, {});
    }
    return std::vector<Record>(settings.events_per_thread);
  }

  void take(std::uint32_t number) {
    ThreadBuffer& thread = threads[number];
    const std::uint64_t head = thread.buffer.head.load(std::memory_order_acquire);
    const std::uint64_t tail = thread.buffer.tail.load(std::memory_order_relaxed);
    if (head == tail) return;
    const std::uint64_t room = settings.most_events - std::min(kept_count, settings.most_events);
    const std::uint64_t count = std::min(head - tail, room);
    if (count > 0) {
      auto& records = kept.emplace_back(number, std::vector<Record>()).second;
      records.reserve(count);
      for (std::uint64_t i = tail; i < tail + count; ++i) {
        records.push_back(thread.buffer.records[i & thread.buffer.mask]);
      }
    }
    kept_count += count;
    overflow += head - tail - count;
    thread.buffer.tail.store(head, std::memory_order_release);
  }

  void collect_locked() {
    for (std::uint32_t i = 0; i < threads.size(); ++i) take(i);
    conversion.add(read_anchor());
  }

  void run_collector() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      wake.wait_for(lock, settings.collect_every, [&] { return stopping || hurry.load(std::memory_order_relaxed); });
      hurry.store(false, std::memory_order_relaxed);
      collect_locked();
    }
  }
};

Recorder::Recorder(RecorderSettings settings) : identity_(next_identity()), state_(std::make_unique<State>()) {
  settings.events_per_thread = std::bit_ceil(std::clamp(settings.events_per_thread, 64u, 1u << 26));
  state_->settings = std::move(settings);
  const TickAnchor anchor = read_anchor();
  state_->conversion.add(anchor);
  state_->wall = wall_now();
  state_->steady = Nanoseconds(anchor.steady_ns);
  if (state_->settings.collect_every.count() > 0) {
    state_->collector = std::thread([this] { state_->run_collector(); });
  }
}

Recorder::~Recorder() {
  if (!state_->collector.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  state_->collector.join();
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
    thread.buffer.limit = state_->settings.collect_every.count() > 0 ? thread.memory.size() / 2 : thread.memory.size();
  }
  slot = {identity_, &state_->threads[known].buffer};
}

bool Recorder::make_room(Buffer& buffer) {
  std::uint64_t limit = buffer.tail.load(std::memory_order_acquire) + buffer.mask + 1;
  if (state_->settings.collect_every.count() > 0) {
    if (limit == buffer.limit) {
      // The collector has not come by, so the thread does its work rather than to lose the event.
      const std::lock_guard lock(state_->mutex);
      state_->take(state_->number_of(buffer));
      limit = buffer.tail.load(std::memory_order_relaxed) + buffer.mask + 1;
    } else {
      state_->hurry.store(true, std::memory_order_relaxed);
      state_->wake.notify_one();
    }
    limit = std::min(limit, buffer.limit + buffer.mask / 2 + 1);
  }
  if (limit == buffer.limit) {
    buffer.dropped.store(buffer.dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return false;
  }
  buffer.limit = limit;
  return true;
}

void Recorder::name_thread(std::string_view name) {
  if (slot_.owner != identity_) attach(slot_);
  const std::lock_guard lock(state_->mutex);
  state_->threads[state_->thread_of_caller()].name = name;
}

RecorderRow Recorder::add_row(std::string_view name) {
  const std::lock_guard lock(state_->mutex);
  state_->rows.emplace_back(name);
  return {static_cast<std::uint32_t>(state_->rows.size())};
}

void Recorder::count(const EventName& name, double value) {
  if (enabled()) push({TickClock::now(), std::bit_cast<std::uint64_t>(value), name.number(), 0, 0, counter_row});
}

void Recorder::collect() {
  const std::lock_guard lock(state_->mutex);
  state_->collect_locked();
}

std::uint64_t Recorder::dropped() const {
  const std::lock_guard lock(state_->mutex);
  std::uint64_t sum = state_->overflow;
  for (const auto& thread : state_->threads) sum += thread.buffer.dropped.load(std::memory_order_relaxed);
  return sum;
}

std::uint64_t Recorder::recorded() const {
  const std::lock_guard lock(state_->mutex);
  return state_->kept_count;
}

std::chrono::nanoseconds Recorder::steady_time(std::uint64_t ticks) {
  const std::lock_guard lock(state_->mutex);
  state_->conversion.add(read_anchor());
  return state_->conversion.steady_time(ticks);
}

Trace recorded_trace(Recorder& recorder) {
  const auto& state_ = recorder.state_;
  using Record = Recorder::Record;
  const std::lock_guard lock(state_->mutex);
  state_->collect_locked();
  const std::vector<NameTexts> names = registry().copy();
  Trace trace;
  trace.set_base_time(state_->wall);
  const ProcessId process = trace.add_process(state_->settings.process);
  std::vector<RowId> rows, threads;
  int order = 0;
  for (const std::string& row : state_->rows) rows.push_back(trace.add_row(process, row, 0, ++order));
  for (const auto& thread : state_->threads) {
    const std::string number = "thread " + std::to_string(threads.size() + 1);
    threads.push_back(trace.add_row(process, thread.name.empty() ? number : thread.name, 0, ++order));
  }
  trace.reserve(state_->kept_count, 0, 0);
  std::vector<TraceFlow> flows;
  const auto since_start = [&](std::uint64_t ticks) {
    return (state_->conversion.steady_time(ticks) - state_->steady).count();
  };
  for (const auto& [thread, records] : state_->kept) {
    for (const Record& record : records) {
      const NameTexts& texts = names[record.name];
      const std::int64_t start = since_start(record.start);
      if (record.row == Recorder::counter_row) {
        const double value = std::bit_cast<double>(record.end);
        if (std::isfinite(value)) trace.add_counter({start, value, trace.intern(texts.name), process});
        continue;
      }
      const RowId row = record.row == 0 ? threads[thread] : rows.at(record.row - 1);
      const EventId event = trace.add_event(
          {start, since_start(record.end) - start, trace.intern(texts.name), trace.intern(texts.category), row, 0});
      if (!texts.argument.empty()) {
        const TraceArg argument{trace.intern(texts.argument), std::int64_t{record.argument}};
        trace.set_args(event, std::span(&argument, 1));
      }
      if (record.flow != 0) flows.push_back({event, record.flow, false, false});
    }
  }
  const auto start_of = [&](const TraceFlow& flow) {
    return trace.events()[static_cast<std::size_t>(flow.event)].start_ns;
  };
  std::stable_sort(flows.begin(), flows.end(), [&](const TraceFlow& a, const TraceFlow& b) {
    return a.bind_id != b.bind_id ? a.bind_id < b.bind_id : start_of(a) < start_of(b);
  });
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const bool in = i > 0 && flows[i - 1].bind_id == flows[i].bind_id;
    const bool out = i + 1 < flows.size() && flows[i + 1].bind_id == flows[i].bind_id;
    if (in || out) trace.add_flow(flows[i].event, flows[i].bind_id, in, out);
  }
  return trace;
}

std::string Recorder::chrome_json() { return to_chrome_json(recorded_trace(*this)); }

void Recorder::write(const std::string& file) {
  if (lower_case(file).ends_with(".gz"))
    throw Error(ErrorKind::unsupported, printable(file) + ": a recorder writes no compressed files; write '" +
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
