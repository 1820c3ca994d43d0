// Who did what when, of a training's trace: events sorted by what they are about.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "trace/events/intervals.h"
#include "trace/events/trace.h"
#include "training/steps/roles.h"

namespace takt {

/// Work of a device.
struct DeviceSpan {
  TimeInterval span;
  StringId name{};
  RowId row{};
  Role role{};
  std::int64_t correlation = 0;      ///< with the call that launched it, of the same rank; 0: not told
  std::int64_t device = 0;           ///< the same for the work of one device, different for others
  std::int64_t bytes = 0;            ///< that a copy or communication moves; 0: not told
  bool is_point_to_point = false;    ///< of communication: a send or a receive, which waits for the other rank
  std::optional<float> occupancy{};  ///< of a kernel: blocks per multiprocessor, at most 1, or the profiler's estimate
};

/// A span of the program.
struct HostSpan {
  TimeInterval span;
  StringId name{};
  RowId row{};
  Role role{};
  EventId event{};               ///< in the trace, for what few ask of it
  std::int64_t correlation = 0;  ///< of calls of the runtime
  bool is_top = false;           ///< of operators: not inside another operator of the row
  bool takes_memory = false;     ///< of operators: they do little else (aten::empty, aten::zeros_like)
  std::int32_t parent = -1;      ///< of operators: the next one around it, by position in Activity::host; -1: none
  std::int64_t self_ns = 0;      ///< of operators: without operators inside
};

/// Memory taken (bytes > 0) or given back.
struct MemoryMoment {
  std::int64_t time = 0, bytes = 0;
  std::optional<std::int64_t> total{};    ///< held afterwards
  std::optional<std::int64_t> device{};   ///< its type: 0 is the host; nullopt: not told
  std::optional<std::int64_t> address{};  ///< of the block
  std::int64_t number = 0;                ///< of the device among those of its type
  RowId row{};
};

/// Everything is sorted by start.
struct Activity {
  std::vector<DeviceSpan> device;
  std::vector<HostSpan> host;          ///< all but steps; of all threads
  std::vector<HostSpan> named;         ///< annotations, Python functions, compilers and the profiler, of all threads
  std::map<StringId, StringId> alike;  ///< names of annotations, by the first that differs in figures alone
  std::vector<HostSpan> step_marks;    ///< of the program; PyTorch draws others around the device's work
  std::vector<std::int64_t> step_numbers;  ///< of step_marks
  std::vector<MemoryMoment> memory;
  std::vector<bool> trains;     ///< by row: the loop, the backward pass, whoever launches; not a loader's workers
  bool expects_device = false;  ///< the program used a device, whether or not its work was recorded
  bool is_xla = false;          ///< of XLA's profiler
  bool is_on_host = false;      ///< what XLA computes on the host's threads stands for the work of a device

  bool has_device() const { return !device.empty(); }
};

/// By start; of two that begin together the longer one first.
template <typename Span>
void sort_by_start(std::vector<Span>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return a.span.start != b.span.start ? a.span.start < b.span.start : a.span.end > b.span.end;
  });
}

/// O(n log n). Spans of negative length count as moments.
Activity activity_of(const Trace& trace);

/// What spans of the roles cover, of rows that train.
Intervals host_cover(const Activity& activity, const std::vector<Role>& roles);
/// What work of the roles covers, on any device.
Intervals device_cover(const Activity& activity, const std::vector<Role>& roles);

}  // namespace takt
