// A level that steps up: whether the times of steps become longer in the middle of a run, and from which step on.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace takt {

struct Rise {
  std::size_t at = 0;            ///< position of the first longer step
  double before = 0, after = 0;  ///< mean of the steps before, and from there on
  bool is_gradual = false;       ///< a steady growth explains the times better than one step up
};

/// The place that parts the times best (least squares); nullopt below 5 times, or where the rise is below `least_rise`
/// or no more than the times vary anyway (6 standard errors, of the places at least).
std::optional<Rise> find_rise(std::span<const double> times, double least_rise = 0.10);

}  // namespace takt
