// Operators of a trace: how often, how long, how fast.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "training/steps/activity.h"

namespace takt {

struct OperatorFigure {
  std::optional<StringId> name;  ///< nullopt: device work that no operator launched
  std::int64_t calls = 0;
  std::int64_t self_ns = 0;               ///< of the threads that train, without operators inside
  std::optional<std::int64_t> device_ns;  ///< of the work that it launched itself; nullopt: the trace has no device
  std::optional<double> flops;            ///< see flops.h; nullopt: not counted, or its shapes are not recorded
  std::int64_t flops_ns = 0;              ///< of the device, else of the program, with what is inside, for `flops`
};

/// By device time, else by own time, the longest first. Own times add up to that of all operators, device times to that
/// of all work. O(n log n).
std::vector<OperatorFigure> operator_figures(const Trace& trace, const Activity& activity);

}  // namespace takt
