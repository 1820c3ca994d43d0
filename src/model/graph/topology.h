// Putting operators into an order in which each follows those that it reads from.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace takt {

/// Stable topological order of `count` items: of the items that could come next, the one that stands first in the file.
/// `edges` are (before, after) pairs; repeats are allowed. nullopt if there is a cycle.
std::optional<std::vector<int>> topological_order(int count, const std::vector<std::pair<int, int>>& edges);

}  // namespace takt
