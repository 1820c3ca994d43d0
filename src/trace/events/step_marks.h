// The marks that PyTorch's profiler sets around the steps of a training: "ProfilerStep#12".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/basics/text.h"

namespace takt {

/// The number in the name of a step's mark; nullopt: a name of something else.
inline std::optional<std::int64_t> step_number(std::string_view name) {
  constexpr std::string_view mark = "ProfilerStep#";
  if (!name.starts_with(mark)) return std::nullopt;
  return number_in<std::int64_t>(name.substr(mark.size()));
}

/// Whether a mark stands on a device's row, where it encloses what the step launched, and not what the program did.
inline bool is_device_mark(std::string_view category) { return category.starts_with("gpu_"); }

}  // namespace takt
