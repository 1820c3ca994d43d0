// A file that was given as a model and is something else: told what it is and where it belongs, before a runtime says
// that its parser failed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace takt {

/// The first 16 KiB of a file that can be read again; nullopt: there is none (a pipe, a folder, nothing).
std::optional<std::string> beginning_of(const std::filesystem::path& path);

/// "is a PyTorch file; export it with torch.onnx.export(…)". `start` are the first bytes of the file. Empty: it may well be a model.
/// What `runtime` reads besides ONNX and its own format (RuntimeTraits) is no mistake.
std::string misplacement(const std::filesystem::path& path, std::string_view start, std::string_view runtime);

/// Throws Error(bad_input) that names the file. Files that cannot be read are left to whoever reads them.
void refuse_misplaced_file(const std::filesystem::path& model, std::string_view runtime);

}  // namespace takt
