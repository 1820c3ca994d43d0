// A look at a model's file before an SDK opens it, whose own words for a missing file are long.
#pragma once

#include <filesystem>

namespace takt {

/// Throws Error(io) when the file cannot be read, Error(bad_input) when it is a folder, a pipe or empty.
void check_model_file(const std::filesystem::path& model);

}  // namespace takt
