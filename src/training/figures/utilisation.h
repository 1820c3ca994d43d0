// How much of what a device can compute a training computes: model FLOPs utilisation, of all and of its operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "training/steps/activity.h"

namespace takt {

/// What a device's data sheet says, without sparsity.
struct DevicePeak {
  std::string_view part;     ///< of the device's name
  double matrix_tflops = 0;  ///< of products of matrices in 16 bits
};
/// nullopt: not known.
std::optional<DevicePeak> peak_of_device(std::string_view name);

struct Utilisation {
  std::string device;          ///< its name
  double peak_tflops = 0;      ///< of all devices together
  double of_peak = 0;          ///< operations by recorded shapes per second of the time / the peak, 0 to 1
  std::string longest;         ///< the counted operator whose work takes longest
  double longest_of_peak = 0;  ///< while its work runs
};
/// Of the whole trace, over `time_ns`. nullopt: the device is not known, or no shapes are (record_shapes=True).
std::optional<Utilisation> utilisation_of(const Trace& trace, const Activity& activity, std::int64_t time_ns);

}  // namespace takt
