// Ranks in the names of processes: 'takt trace merge' writes them there, "node7 rank 3: python".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/text.h"

namespace takt {

/// The number behind the word "rank"; nullopt: the name has none.
inline std::optional<std::int64_t> rank_in_name(std::string_view name) {
  constexpr std::string_view word = "rank ";
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    if (at > 0 && name[at - 1] != ' ') continue;
    const std::string_view rest = name.substr(at + word.size());
    const std::size_t end = rest.find_first_not_of("0123456789");
    if (end != rest.npos && rest[end] != ':' && rest[end] != ' ') continue;
    if (const auto rank = number_in<std::int64_t>(rest.substr(0, end))) return rank;
  }
  return std::nullopt;
}

}  // namespace takt
