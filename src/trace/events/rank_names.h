// Ranks in the names of processes: 'takt trace merge' writes them there, "node7 rank 3: python", and other programs
// that put traces together do: "rank3", "[Rank 3]", "rank_3 GPU 0".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/basics/text.h"

namespace takt {

/// The number after the word "rank"; nullopt: the name has none.
inline std::optional<std::int64_t> rank_in_name(std::string_view name) {
  constexpr std::string_view word = "rank", digits = "0123456789", between = " _-:=#";
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  const std::string text = lower_case(name);
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (at > 0 && letters.find(text[at - 1]) != letters.npos) continue;  // crank 3
    std::string_view rest = std::string_view(text).substr(at + word.size());
    if (!rest.empty() && between.find(rest.front()) != between.npos) rest.remove_prefix(1);
    const std::size_t end = rest.find_first_not_of(digits);
    if (end != rest.npos && letters.find(rest[end]) != letters.npos) continue;  // rank 3rd
    if (const auto rank = number_in<std::int64_t>(rest.substr(0, end))) return rank;
  }
  return std::nullopt;
}

}  // namespace takt
