// What was open around a moment of the program: operators and modules nest on their row.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "training/steps/activity.h"

namespace takt {

/// A moment on a row of the program.
struct RowMoment {
  RowId row{};
  std::int64_t time = 0;
};

/// Returns for each moment the position of the innermost span around it on its row, -1 where there is none. A span is
/// around its start and not around its end. Both lists are sorted, spans by start and the outer before the inner,
/// moments by time; `counts` says which spans are looked at. O(spans + moments).
std::vector<std::int32_t> innermost_around(std::span<const HostSpan> spans, std::span<const RowMoment> moments,
                                           const std::function<bool(const HostSpan&)>& counts);

/// The call that gave a device a piece of its work, by position in Activity::host.
struct Launch {
  std::int32_t call = -1;  ///< -1: it is not in the trace
  std::int32_t op = -1;    ///< the innermost operator around the call; -1: the program launched by itself
};

/// Returns the launch of each piece of Activity::device.
std::vector<Launch> launches_of(const Activity& activity);

/// Returns the first of the operator itself and those around it for which `is_it`, by position; -1: none.
std::int32_t outwards(const Activity& activity, std::int32_t op, const std::function<bool(const HostSpan&)>& is_it);

}  // namespace takt
