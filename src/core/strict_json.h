// JSON of other people's making, parsed so that nothing in it is lost without a word: of a key that stands twice in an
// object parsers otherwise keep the last value.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace takt {

/// Throws Error(bad_input) that begins with `where` and names the last key that was read: text that is no JSON (an
/// empty one, NaN, Infinity), a number beyond what a double holds, a key that is twice in one object.
nlohmann::json parse_strictly(std::string_view json, std::string_view where);

}  // namespace takt
