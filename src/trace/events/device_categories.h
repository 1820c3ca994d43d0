// What events are to a device, by their category.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/events/trace.h"

namespace takt {

enum class DevicePart : std::uint8_t {
  none,
  call,  ///< of the device's runtime or driver, in the program
  mark,  ///< on a row of the device, drawn by the profiler around the work or the waits
  work,  ///< kernels, copies, fills
};

DevicePart device_part(std::string_view category);

/// Whether events of this category (in lower case) are calls of a device's runtime or driver: "cuda_runtime",
/// "hip_runtime", "xpu_driver", "mtia_runtime", and whatever else is called so.
bool is_runtime_category(std::string_view category);

/// device_part() of events: each text is looked at once. Not thread-safe; `trace` outlives it and gets no new texts.
class DeviceCategories {
 public:
  explicit DeviceCategories(const Trace& trace) : trace_(trace), known_(trace.strings().size()) {}
  DevicePart of(const TraceEvent& event);

 private:
  const Trace& trace_;
  std::vector<std::optional<DevicePart>> known_;
};

}  // namespace takt
