// Evaluations that were made apart, put together.
#pragma once

#include <filesystem>
#include <vector>

#include "predict/answer/evaluate.h"

namespace takt {

/// The models and groups of several results of `takt evaluate --format json`, in the order of the files. Throws Error(io), and
/// Error(bad_input) for a file that is no such result, for two that were made on different processors or with different
/// settings, and for a model that is in two.
Evaluation merge_evaluations(const std::vector<std::filesystem::path>& files);

}  // namespace takt
