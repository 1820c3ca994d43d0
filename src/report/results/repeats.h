// The piece of a sequence that stands several times in a row: the layers of a model, by the types of its operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace takt {

struct Repeat {
  std::size_t first = 0;   ///< where the first one begins
  std::size_t length = 0;  ///< of one
  std::size_t count = 0;   ///< at least two
};

/// Returns the repetition that covers most of `words`, of nearly equal ones (within a tenth) that of the shortest
/// piece, whose length is at least `least`; nullopt: no piece is there twice in a row. O(words²), of more than 20,000
/// words only the shorter pieces are looked for.
std::optional<Repeat> longest_repeat(std::span<const std::uint32_t> words, std::size_t least);

}  // namespace takt
