// Simulated devices without a session: how they are called, and what an inference takes by a device's description. For
// simulations that keep a clock of their own.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "flow/device_law.h"
#include "flow/pressure_law.h"
#include "model/graph/graph.h"

namespace takt {

inline constexpr std::string_view simulated_runtime = "sim";  ///< as typed after --runtime
bool is_simulated(std::string_view device);                   ///< "sim:NAME", in any case of letters
std::string simulated_device(std::string_view name);          ///< "sim:NAME"
/// NAME of "sim:NAME"; a name without the prefix as it is.
std::string_view name_without_prefix(std::string_view device);

/// Names of the descriptions that need no file: CPU, GPU, NPU. They are round figures of no particular product.
std::vector<std::string> built_in_devices();

/// How an inference uses something that other devices use, too; both numbers 0 to 1.
struct SharedUse {
  PressureLaw law = PressureLaw::linear;  ///< by which it suffers from what presses on the same
  double pressure = 0, sensitivity = 0;
};

/// What a description says of one device: its law with names for people.
class SimulatedDevice {
 public:
  /// `device` is "sim:NAME"; `description` a YAML file, empty: a built-in one, or NAME.yaml in the current folder.
  /// Throws Error(io, bad_input), Error(unsupported) when there is none.
  SimulatedDevice(std::string_view device, const std::filesystem::path& description);
  ~SimulatedDevice();
  SimulatedDevice(SimulatedDevice&&) noexcept;

  std::string name() const;  ///< "sim:NAME", by the name that the description has
  const Noise& noise() const;
  Nanoseconds overhead() const;  ///< of one inference, outside of every operator
  /// Returns the time of each operator that is executed, in order and without noise. Throws Error(unsupported),
  /// beginning with `where`, naming the first operator that the device refuses.
  std::vector<Nanoseconds> op_times(const Graph& graph, std::string_view where) const;
  /// By the names of what the device shares with others: the mean over the time of an inference, in whose overhead
  /// nothing is used; without a graph of an operator that the description does not name. Throws as op_times().
  std::map<std::string, SharedUse> shared_uses(const Graph* graph, std::string_view where) const;

 private:
  struct Description;
  std::unique_ptr<Description> description_;
};

}  // namespace takt
