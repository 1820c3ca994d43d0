// Which piece of a trace was meant: steps, a span of time, what is around the slowest step, one rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/cut/survey.h"
#include "trace/cut/window_sieve.h"

namespace takt {

/// At most one of `steps`, `around_slowest` and a time. Nothing: the whole trace.
struct PartWish {
  std::optional<std::pair<std::int64_t, std::int64_t>> steps = {};  ///< numbers of the marks, both included
  std::optional<Nanoseconds> from = {}, to = {};                    ///< since the trace's first event
  bool around_slowest = false;            ///< the slowest step, the one before and the one after
  std::optional<std::int64_t> rank = {};  ///< of a trace that 'takt trace merge' made
};

struct PartChoice {
  TracePart part;
  /// Where a smaller piece had better end: ends of its steps but the last, ascending.
  std::vector<std::int64_t> step_ends;
  std::string name;  ///< "steps 3-5": what was chosen; empty: a span of time
};

/// A step: from its mark's start in the program to the end of the mark, or of what it launched on the device if that
/// is marked. Of several processes, from the first to the last. Throws Error(bad_input) naming `file` where the trace
/// has no such step, time or rank. `rank`: what the file says of itself, if it is of one rank.
PartChoice choose_part(const TraceSurvey& survey, const PartWish& wish, const std::string& file,
                       std::optional<std::int64_t> rank);

/// "3-5", "3". Throws UsageError.
std::pair<std::int64_t, std::int64_t> parse_step_range(const std::string& text);

}  // namespace takt
