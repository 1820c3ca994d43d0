// Kernels of a runtime that saves no graph but tells which operators each of its nodes stands for.
#pragma once

#include <filesystem>

#include "predict/kernels/optimised_kernels.h"

namespace takt {

/// Of OpenVINO, from one profiled inference. Records then say the canonical name by the model's operators and have the
/// tensors that enter and leave the group; models of them are made from the model alone.
OptimisedKernels grouped_kernels(const std::filesystem::path& model, const RunSettings& settings);

}  // namespace takt
