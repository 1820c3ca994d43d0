// ONNX Runtime's profile file, cut into inferences; model/onnxruntime/ort_events.h reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "model/runtime/gpu_activity.h"
#include "takt/tensor.h"

namespace takt::ort {

/// A node as its first execution in the file tells.
struct ProfiledNode {
  std::string name, provider, op_type;
  std::vector<Shape> input_shapes{}, output_shapes{};
  std::optional<ElementType> computed_in{};  ///< see ExecutedNode
  bool is_node = true;                       ///< else what the GPU did for no node: copies of inputs and outputs
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
/// `gpu`, of each inference: where the GPU tells what it did, nodes have its times instead of the host's
/// (device_times.h); its clock counts from the beginning of the profile.
/// Throws Error(runtime) for a file that is not a profile.
Profile read_profile(const std::filesystem::path& path, const std::vector<std::vector<GpuActivity>>& gpu = {});

}  // namespace takt::ort
