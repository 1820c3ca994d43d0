// A simulated device, from a YAML file:
//
//   name: edge                       # optional; the file's name without it
//   description: Small edge box      # optional, for people
//   law: roofline                    # roofline (default) or table
//   peak_flops_per_s: 2.0e12         # roofline only
//   bandwidth_bytes_per_s: 5.0e10    # roofline only
//   launch_ns: 5000                  # roofline only, per operator; default 0
//   unknown_op_ns: 20000             # an operator whose cost nobody knows; with `table`, any type that is not listed
//   ops:                             # per operator type: ns, or a linear law
//     Softmax: 12000
//     Conv: {fixed_ns: 2000, ns_per_flop: 0.0005, ns_per_byte: 0.02}
//   unsupported_ops: [ScatterND]     # a model with one of these is refused
//   noise: {shape: lognormal, sigma: 0.03}   # none (default), gaussian or lognormal; relative
//   overhead_ns: 30000               # per inference, outside of every operator; default 0
//   clock: real                      # real (default): time is really spent; virtual: reported without waiting
//   fails: {as: lost, from_bytes: 50000000}  # inferences with so many bytes of inputs fail: as lost, memory, crash or
//                                            # hang
//   shares:                          # what other devices on the machine use, too (those that name it): how much an
//                                    # inference presses on it and is slowed by others that do, each 0 to 1, by a law
//                                    of # flow/pressure_law.h; an inference of several operators by the time that each
//                                    takes
//     memory: {law: queue, pressure: 0.6, sensitivity: 0.8, ops: {MatMul: {pressure: 0.1, sensitivity: 0.3}}}
//   compute: false                   # true: outputs are computed by a real runtime on the CPU, outside of the timing
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "flow/device_law.h"
#include "flow/pressure_law.h"

namespace takt {

/// How a device fails, for programs that have to live with those that do.
struct DeviceFault {
  enum class Kind {
    lost,    ///< the inference fails, and so does every later one of this process on the device
    memory,  ///< the inference finds no memory
    crash,   ///< the process ends
    hang,    ///< the inference never ends
  };
  Kind kind = Kind::lost;
  std::int64_t from_bytes = 0;  ///< of all inputs together; fewer do no harm
};

/// How inferences use something that other devices use, too; both 0 to 1.
struct ResourceUse {
  double pressure = 0, sensitivity = 0;
};
struct DescribedResource {
  PressureLaw law = PressureLaw::linear;  ///< by which inferences here suffer from others
  ResourceUse otherwise;                  ///< of operators that `by_type` does not name
  std::map<std::string, ResourceUse> by_type{};
};

struct DeviceDescription {
  std::string name, description;
  DeviceLaw law;
  Noise noise;
  std::set<std::string> unsupported_ops;
  Nanoseconds overhead{};
  bool virtual_clock = false;
  bool waits_really = false;  ///< it asks for the real clock; else whoever opens it chooses
  std::optional<DeviceFault> fault = {};
  std::map<std::string, DescribedResource> shares{};  ///< by name
  bool compute = false;
};

/// Parses the text of a description; `origin` (a file name) begins every message. Throws Error(bad_input) naming file,
/// line and key.
DeviceDescription parse_device_description(const std::string& text, const std::string& origin);

/// The description for `--device sim:NAME`: `file` if not empty, else a built-in one (any case), else NAME.yaml in the
/// current folder. Throws Error(io, bad_input), Error(unsupported) when there is neither.
DeviceDescription find_device_description(std::string_view name, const std::filesystem::path& file);

}  // namespace takt
