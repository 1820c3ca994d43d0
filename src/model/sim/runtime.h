// Simulated devices: sessions that take the time that a device description says, on any machine.
#pragma once

#include <functional>
#include <memory>

#include "model/runtime/runtime.h"

namespace takt {

RuntimeTraits sim_traits();
/// `make_real` makes a real runtime for descriptions with `compute: true`, or throws Error(unsupported); a parameter
/// because the registry that knows the runtimes lies above this module.
std::unique_ptr<Runtime> make_sim_runtime(std::function<std::unique_ptr<Runtime>()> make_real);

}  // namespace takt
