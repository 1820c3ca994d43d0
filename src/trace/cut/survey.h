// What is where in a trace, without keeping its events: enough to say which piece is wanted, and which parts of the
// file have to be read for it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/events/byte_source.h"
#include "trace/events/intervals.h"
#include "trace/events/trace_read.h"

namespace takt {

/// A step's mark (step_marks.h).
struct SurveyedStep {
  std::int64_t number = 0;
  TimeInterval span;
  bool on_device = false;  ///< drawn around what the device did for the step
  std::int64_t pid = 0;    ///< of the process that has the mark, as the file numbers it
};

/// A part of the file that is a whole number of events, and the time that they cover.
struct SurveyedWindow {
  std::uint64_t begin = 0, end = 0;  ///< bytes, uncompressed; of the last one the end of its events
  std::optional<TimeInterval> span;  ///< nullopt: nothing in it has a time
  bool is_needed = false;            ///< whatever the piece: names, or begins and ends that stand apart
};

/// Bytes of a file by the time of the events that they tell, in slots of equal length that grow with the trace.
class ByteCurve {
 public:
  void add(std::int64_t time, double bytes);
  /// The latest end of a span from `start` that takes at most `bytes`, to the length of a slot; at most `end`.
  std::int64_t end_for(std::int64_t start, std::int64_t end, double bytes) const;

 private:
  static constexpr std::size_t slots = 4096;
  std::array<double, slots> bytes_{};
  std::int64_t origin_ = 0, width_ = 0;  // width 0: nothing yet
};

struct TraceSurvey {
  std::optional<TimeInterval> span;     ///< first start to last end; nullopt: no event
  std::int64_t last_moment = 0;         ///< the latest end or mark, at least 0: how long begins without end last
  std::vector<SurveyedStep> steps;      ///< by start
  std::vector<SurveyedWindow> windows;  ///< in the order of the file; none of a trace in memory
  std::map<std::int64_t, std::string> process_names;  ///< by pid, where the file tells
  bool marks_in_order = true;                         ///< begins and ends of each row come by time
  ByteCurve bytes;
  std::optional<std::int64_t> rank;  ///< as TraceRead has it
};

/// Reads a Chrome trace once, in bounded memory. Throws like read_chrome_trace().
TraceSurvey survey_chrome_trace(ByteSource& source, const std::string& name, const TraceReadSettings& settings);

/// The same of a trace in memory; it has no windows and no bytes.
TraceSurvey survey_of(const Trace& trace);

}  // namespace takt
