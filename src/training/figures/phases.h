// Forward pass, backward pass, optimizer: what each takes of a step, in the program and on the device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "training/steps/steps.h"

namespace takt {

enum class Phase : std::uint8_t {
  forward,    ///< operators outside the other phases
  backward,   ///< operators of autograd
  optimizer,  ///< spans of an optimizer
  data_wait,  ///< the loop waits for its next batch
  other,      ///< the rest of a step; on a device, work that none of these launched
};
constexpr std::size_t phase_count = 5;
std::string_view name_of(Phase phase);

/// When the program was in which phase: disjoint, and nothing for `other`. What lies between two operators of a pass
/// belongs to the pass, but never across the border of a step.
struct PhaseTimes {
  std::array<Intervals, phase_count> times;

  Phase at(std::int64_t time) const;  ///< O(log n)
};
PhaseTimes phase_times(const Trace& trace, const Activity& activity, const Steps& steps);

struct PhaseFigure {
  Phase phase{};
  std::int64_t host_ns = 0;               ///< of all steps
  std::optional<std::int64_t> device_ns;  ///< busy with what the phase launched; nullopt: the trace has no device
  std::int64_t launched = 0;              ///< pieces of device work
  std::optional<double> flops;            ///< of operators whose work is known (flops.h); nullopt: no shape is recorded
};

struct PhaseFigures {
  std::vector<PhaseFigure> list;               ///< host times add up to the steps of the program
  std::optional<std::int64_t> device_idle_ns;  ///< with it the device's times add up to its steps
  std::int64_t steps = 0;                      ///< 0: the trace has none, and all of it counts as one
};

PhaseFigures phase_figures(const Trace& trace, const Activity& activity, const Steps& steps);

}  // namespace takt
