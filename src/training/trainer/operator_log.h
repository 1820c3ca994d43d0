// What libtorch's callbacks told of operators, and the trace that it becomes: named and laid out as PyTorch's profiler
// does it, so that whoever reads its traces reads these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/events/trace.h"

namespace takt {

/// Names by number; of one thread.
struct LoggedSpan {
  std::int64_t start_ns = 0, end_ns = 0;  ///< of the steady clock; an end of 0: it had none when recording stopped
  std::uint32_t name = 0;
  bool is_annotation = false;        ///< a scope of the program, no operator
  std::int32_t parent = -1;          ///< position of the span around it
  std::int64_t sequence = -1;        ///< pairs the ways forward and back; -1: none
  std::uint64_t forward_thread = 0;  ///< of the backward pass: who went forward; 0: none
  std::uint32_t dims = 0,
                dim_count = 0;  ///< in LoggedThread::dims: per input its rank, -1 for no tensor, then its shape
};

struct LoggedMemory {
  std::int64_t time_ns = 0, bytes = 0;  ///< taken, or given back below 0
  std::int64_t allocated = 0;           ///< held afterwards; 0: not told
  std::int64_t device_type = 0, device = -1;
};

struct LoggedThread {
  std::string name;
  std::uint32_t number = 0;  ///< the system's
  std::vector<std::string> names;
  std::vector<LoggedSpan> spans;  ///< by start
  std::vector<std::int64_t> dims;
  std::vector<LoggedMemory> memory;
};

struct LogSettings {
  bool with_stack = false;                  ///< an argument "Call stack" of the names around each span
  std::int64_t system_minus_steady_ns = 0;  ///< between the clocks
};

/// Spans without an end are left out.
Trace trace_of(const std::vector<LoggedThread>& threads, const LogSettings& settings);

}  // namespace takt
