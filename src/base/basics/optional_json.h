// A value that may be missing, as JSON: null, never zero.
#pragma once

#include <optional>

namespace takt {

/// `Json` is the caller's type of nlohmann's, which core does not know.
template <typename Json, typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace takt
