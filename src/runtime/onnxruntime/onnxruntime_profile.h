// ONNX Runtime's profile file, cut into inferences; analysis/ort_events.h reads it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/units.h"

namespace takt::ort {

/// Stamps are whole microseconds, cut off.
struct ProfiledNode {
  std::string name, provider, op_type;
  Nanoseconds start{}, duration{};  ///< start counts from the start of the inference; lasts until the next one starts
  Nanoseconds inside{};             ///< of `duration`, what operators of its own body took: of an If, a Loop, a Scan
};
using ProfiledRun = std::vector<ProfiledNode>;

/// Inferences in order. An event that ONNX Runtime wrote badly, because a name has a quote for instance, is left out.
/// Throws Error(runtime) for a file that is not a profile.
std::vector<ProfiledRun> read_profile(const std::filesystem::path& path);

}  // namespace takt::ort
