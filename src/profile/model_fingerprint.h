// Which model it was, whatever its file is called: a number of its bytes.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace takt {

/// 16 hexadecimal digits of the contents of the model's file and then of `weight_files`, in their order; of an
/// OpenVINO IR also of the .bin beside it. The same on every machine and in every version of takt. Empty where a file
/// cannot be read. Not for keeping an adversary out. Reads the files once, at about the speed of memory.
std::string model_fingerprint(const std::filesystem::path& model,
                              std::span<const std::filesystem::path> weight_files = {});

}  // namespace takt
