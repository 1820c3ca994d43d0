// Whose times a dataset holds: the class of the machine, with the name of its GPU where that computes, and the peaks of
// what computes.
#pragma once

#include <string>

#include "measure/open/run_settings.h"
#include "predict/fit/machine_constants.h"

namespace takt {

/// "AMD EPYC, 2 cores, …", and for device "GPU" with an NVIDIA driver ", NVIDIA H100 80GB HBM3": its first GPU, which
/// runtimes take. Never throws.
std::string measured_machine(const std::string& device);

/// What `settings.device` computes and moves at most, for one number of threads. Of a CPU the measured peaks of this
/// machine where they are known, else those of a short measurement (some seconds). Of another device what the runtime
/// reaches there: float32, in a product of large matrices and in a sum of tensors that no cache holds. Throws Error as
/// run_model().
MachineConstants measured_constants(const RunSettings& settings);

/// As above for any device, from the runtime's own operators on matrices of so many rows and columns.
MachineConstants constants_in_runtime(const RunSettings& settings, int rows);

}  // namespace takt
