// What a Recorder has recorded, as data: its records by thread, and what their numbers mean. In memory or read back
// from the file of a program that was killed, it becomes the same trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "takt/recorder.h"
#include "trace/events/trace.h"
#include "trace/recorder/recorded_names.h"
#include "trace/recorder/tick_clock.h"

namespace takt {

/// Records of one thread in the order in which it made them; the arguments of an event are never in the next piece.
struct RecordedPiece {
  std::uint32_t thread = 0;
  std::vector<recording::Record> records;
};

struct RecordedDrops {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  ///< ticks at which the first one started; 0: none was dropped
  void add(std::uint64_t more, std::uint64_t ticks) {
    if (more == 0) return;
    count += more;
    if (first == 0 || ticks < first) first = ticks;
  }
};

struct Recording {
  std::string process;
  Nanoseconds wall{}, steady{};  ///< both clocks at the recorder's construction
  TickConversion conversion;
  std::vector<NameTexts> names;
  std::vector<std::string> rows;                             ///< row number r is rows[r - 1]
  std::vector<std::string> threads;                          ///< their names, empty where they have none
  std::vector<std::shared_ptr<const RecordedPiece>> pieces;  ///< shared: they are large and never change
  std::uint64_t events = 0;
  RecordedDrops dropped;
  bool ended = true;  ///< false: it comes from the file of a recorder that was never destroyed
};

/// Records that belong to the event at `records[i]`, it included; as many as there are where it was cut off.
std::size_t records_of_event(const recording::Record* records, std::size_t i, std::size_t size);

/// Times count from the recorder's construction. Records that name what is not there are left out.
Trace to_trace(const Recording& recording);

/// Everything so far.
Recording recording_of(Recorder& recorder);
inline Trace recorded_trace(Recorder& recorder) { return to_trace(recording_of(recorder)); }

}  // namespace takt
