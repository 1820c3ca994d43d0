// ONNX Runtime's profile file, cut into inferences; analysis/ort_events.h reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/units.h"
#include "takt/tensor.h"

namespace takt::ort {

/// A node as its first execution in the file tells.
struct ProfiledNode {
  std::string name, provider, op_type;
  std::vector<Shape> input_shapes{}, output_shapes{};
};

/// Stamps are whole microseconds, cut off.
struct ProfiledExecution {
  Nanoseconds start{}, duration{};  ///< start counts from the start of the inference; lasts until the next one starts
  Nanoseconds inside{};             ///< of `duration`, what operators of its own body took: of an If, a Loop, a Scan
  std::uint32_t node = 0;           ///< in Profile::nodes
  bool in_body = false;
};
using ProfiledRun = std::vector<ProfiledExecution>;

struct Profile {
  std::vector<ProfiledNode> nodes;  ///< each name once
  std::vector<ProfiledRun> runs;    ///< in order
};

/// An event that ONNX Runtime wrote badly, because a name has a quote for instance, is left out.
/// Throws Error(runtime) for a file that is not a profile.
Profile read_profile(const std::filesystem::path& path);

}  // namespace takt::ort
