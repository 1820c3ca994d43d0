// What a Recorder holds: the buffers of its threads and what was taken out of them. For recorder.cpp only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/basics/units.h"
#include "takt/recorder.h"
#include "trace/recorder/recording.h"
#include "trace/recorder/recording_file.h"
#include "trace/recorder/tick_clock.h"

namespace takt {

/// All functions but run_collector() are called with `mutex` held.
struct Recorder::State {
  /// The buffer of one thread. It lives as long as the recorder, so that collect() never accesses the buffer of a
  /// thread that has ended.
  struct ThreadBuffer {
    Buffer buffer;
    std::vector<Record> memory;
    std::thread::id thread;
    std::shared_ptr<std::atomic<bool>> ended;
    std::string name;
  };

  RecorderSettings settings;
  std::mutex mutex;  // of everything below; taken by a thread that records for its first event and a full buffer only
  std::deque<ThreadBuffer> threads;
  std::vector<std::string> rows;                           // row number r is rows[r - 1]
  std::vector<std::shared_ptr<const RecordedPiece>> kept;  // as collected
  std::optional<RecordingFile> file;                       // instead of `kept`
  std::string file_error;                                  // why it was given up
  std::uint64_t kept_records = 0, kept_events = 0, flushed_events = 0, flushed_at = 0, flushed_drops = 0;
  RecordedDrops overflow;
  TickConversion conversion;
  Nanoseconds wall{}, steady{};  // at construction
  std::condition_variable wake;
  bool stopping = false;
  std::atomic<bool> hurry{false};  // a buffer is half full; set without the mutex, so it may be seen late
  std::thread collector;

  std::size_t thread_of_caller() const;  ///< threads.size(): it has none

  std::uint32_t number_of(const Buffer& buffer) const;

  /// The memory of a thread that has ended, else new memory, zeroed so that its pages are there.
  std::vector<Record> take_memory();

  /// So many of `records` as may be kept, in whole events; counts those and the others.
  std::size_t admit(const std::vector<Record>& records);

  /// What the thread has in its buffer.
  void take(std::uint32_t number);

  RecordedDrops drops() const;

  /// Writes what was taken since the last time; without `always` not if there is nothing.
  /// A disk that is full must not end the program that is recorded: what cannot be written is dropped and counted.
  void flush(bool always = false);

  void collect_locked();

  void run_collector();
};

}  // namespace takt
