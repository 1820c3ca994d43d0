// Kernels of a runtime that saves no graph but tells which operators each of its nodes stands for.
#pragma once

#include <filesystem>

#include "predict/kernels/optimised_kernels.h"

namespace takt {

/// Returns the kernels of OpenVINO, from one profiled inference. Records have the canonical name from the model's
/// operators and the tensors that enter and leave the group; models of them are extracted from the model alone.
OptimisedKernels grouped_kernels(const std::filesystem::path& model, const RunSettings& settings);

}  // namespace takt
