// A file that was given as a model and is something else: told what it is and where it belongs, before a runtime says
// that its parser failed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace takt {

/// "is a profile; takt analyze FILE prints it". `start` are the first bytes of the file. Empty: it may well be a model.
/// What `runtime` reads besides ONNX and its own format (RuntimeTraits) is no mistake.
std::string misplacement(const std::filesystem::path& path, std::string_view start, std::string_view runtime);

/// Throws Error(bad_input) that names the file. Files that cannot be read are left to whoever reads them.
void refuse_misplaced_file(const std::filesystem::path& model, std::string_view runtime);

/// What a JSON file of takt or of another program is, for whoever wanted something else: "is a profile; 'takt analyze
/// FILE' prints it". Empty: nothing is recognised, or it cannot be read again (a pipe).
std::string known_json_in(const std::filesystem::path& path);

}  // namespace takt
