// Scalars and small arrays out of raw JSON text whose structure simdjson has already walked.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/profiles/peer_profile.h"

namespace takt {

/// The string whose first character is at `begin`, inside `text`, up to its closing quote. A view into `text`, or of a
/// new element of `unescaped` when it holds escapes; half a surrogate pair becomes U+FFFD.
std::string_view json_string(const char* begin, std::string_view text, std::deque<std::string>& unescaped);

/// A number as Python's json module reads it (NaN and Infinity too). nullopt: no number.
std::optional<PeerNumber> json_number(std::string_view token);

/// The plain strings of an array; escapes are kept as written. Other elements are left out.
std::vector<std::string_view> json_strings(std::string_view array);

}  // namespace takt
