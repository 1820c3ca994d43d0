// The network's modules (nn.Module), each with the time of its forward and of its backward pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "training/steps/activity.h"

namespace takt {

struct ModuleFigure {
  std::string name;    ///< "Linear_3"; empty: what belongs to none
  std::string inside;  ///< the module that calls it; empty: none, or several do
  std::int64_t calls = 0;
  std::int64_t host_ns = 0;  ///< of its calls in the program, with the modules inside
  // Of the device's work, or of operators in the program where the trace has no device; without the modules inside.
  std::int64_t forward_ns = 0;
  std::int64_t backward_ns = 0;  ///< of the operators that autograd ran for its own: they have their sequence numbers
  std::int64_t all_ns = 0;       ///< both, with the modules inside
};

/// Most expensive first by forward and backward pass; what belongs to no module is the last row. Both columns together
/// add up to all work of the device, or all operators of the threads that train. Empty: the trace names no modules.
std::vector<ModuleFigure> module_figures(const Trace& trace, const Activity& activity);

}  // namespace takt
