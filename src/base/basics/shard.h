// A part of a long piece of work that is divided over processes or machines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// One of several processes, on one machine or many, that do the work together.
struct Shard {
  int number = 1, of = 1;

  /// Whether it has the item with this place among all items.
  bool has(std::size_t place) const {
    return place % static_cast<std::size_t>(of) == static_cast<std::size_t>(number - 1);
  }
};

/// Reads "2/4"; of "" the whole. Throws UsageError, whose message begins with `command`.
Shard shard_in(const std::string& text, std::string_view command);

}  // namespace takt
