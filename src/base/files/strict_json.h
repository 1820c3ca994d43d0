// JSON of other people's making, parsed so that nothing in it is lost without a word: of a key that stands twice in an
// object parsers otherwise keep the last value.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace takt {

/// Lists and objects within each other. What walks a value calls itself for each, so 100,000 of them would overflow the
/// stack; no file of takt's has more than a dozen.
inline constexpr std::size_t most_nested = 100;

/// Throws Error(bad_input) that begins with `where` and names the last key that was read: text that is no JSON (an
/// empty one, NaN, Infinity), a number beyond what a double holds, a key that is twice in one object, more than
/// most_nested lists and objects within each other. Takes a time that grows with the text alone.
nlohmann::json parse_strictly(std::string_view json, std::string_view where);
/// nullopt where that throws.
std::optional<nlohmann::json> strict_json_in(std::string_view text);

}  // namespace takt
