#include "trace/recorder/recorder_state.h"

#include <algorithm>
#include <utility>

#include "base/basics/error.h"

namespace takt {

std::size_t Recorder::State::thread_of_caller() const {
  const auto id = std::this_thread::get_id();
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (threads[i].thread == id && !threads[i].ended->load(std::memory_order_acquire)) return i;
  }
  return threads.size();
}

std::uint32_t Recorder::State::number_of(const Buffer& buffer) const {
  std::uint32_t number = 0;
  while (&threads[number].buffer != &buffer) ++number;
  return number;
}

std::vector<recording::Record> Recorder::State::take_memory() {
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    if (threads[i].memory.empty() || !threads[i].ended->load(std::memory_order_acquire)) continue;
    take(i);
    return std::exchange(threads[i].memory, {});
  }
  return std::vector<Record>(settings.events_per_thread);
}

std::size_t Recorder::State::admit(const std::vector<Record>& records) {
  std::uint64_t room = records.size();
  if (!file_error.empty())
    room = 0;
  else if (!file)
    room = settings.most_events - std::min(kept_records, settings.most_events);
  std::size_t admitted = 0;
  for (std::size_t i = 0; i < records.size();) {
    const std::size_t size = records_of_event(records.data(), i, records.size());
    if (admitted == i && i + size <= room) {
      admitted += size;
      ++kept_events;
    } else {
      overflow.add(1, records[i].start);
    }
    i += size;
  }
  return admitted;
}

void Recorder::State::take(std::uint32_t number) {
  ThreadBuffer& thread = threads[number];
  const std::uint64_t head = thread.buffer.head.load(std::memory_order_acquire);
  const std::uint64_t tail = thread.buffer.tail.load(std::memory_order_relaxed);
  if (head == tail) return;
  std::vector<Record> records;
  records.reserve(head - tail);
  const Record* const buffer = thread.buffer.records;
  const std::uint64_t begin = tail & thread.buffer.mask,
                      until_wrap = std::min(head - tail, thread.buffer.mask + 1 - begin);
  records.insert(records.end(), buffer + begin, buffer + begin + until_wrap);
  records.insert(records.end(), buffer, buffer + (head - tail - until_wrap));
  thread.buffer.tail.store(head, std::memory_order_release);
  const std::uint64_t events = kept_events;
  const std::size_t admitted = admit(records);
  if (admitted == 0) return;
  kept_records += admitted;
  if (file) return file->add_records(number, records.data(), admitted, kept_events - events);
  records.resize(admitted);
  records.shrink_to_fit();
  kept.push_back(std::make_shared<const RecordedPiece>(RecordedPiece{number, std::move(records)}));
}

RecordedDrops Recorder::State::drops() const {
  RecordedDrops sum = overflow;
  for (const auto& thread : threads)
    sum.add(thread.buffer.dropped.load(std::memory_order_relaxed),
            thread.buffer.first_dropped.load(std::memory_order_relaxed));
  return sum;
}

void Recorder::State::flush(bool always) {
  const TickAnchor anchor = read_anchor();
  conversion.add(anchor);
  if (!file || !file_error.empty()) return;
  // A quiet program must not fill the disk with readings of its clock.
  if (!always && !file->has_news() && drops().count == flushed_drops) return;
  try {
    file->flush(anchor, drops());
    flushed_events = kept_events;
    flushed_at = anchor.ticks;
    flushed_drops = drops().count;
  } catch (const Error& error) {
    file_error = error.what();
    overflow.add(kept_events - flushed_events, flushed_at);
    kept_events = flushed_events;
  }
}

void Recorder::State::collect_locked() {
  for (std::uint32_t i = 0; i < threads.size(); ++i) take(i);
  flush();
}

void Recorder::State::run_collector() {
  std::unique_lock lock(mutex);
  while (!stopping) {
    wake.wait_for(lock, settings.collect_every, [&] { return stopping || hurry.load(std::memory_order_relaxed); });
    hurry.store(false, std::memory_order_relaxed);
    collect_locked();
  }
}

}  // namespace takt
