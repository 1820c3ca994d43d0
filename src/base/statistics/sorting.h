// Sorting of what is nearly sorted already, as times are that a program wrote down while it ran.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace takt {

/// Insertion sort that gives up after `budget` moves and then returns false; the list stays a permutation of what it
/// was.
template <typename Value, typename Before = std::less<>>
bool repair_order(std::vector<Value>& list, std::size_t budget, Before before = {}) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (!before(list[i], list[i - 1])) continue;
    Value moved = std::move(list[i]);
    std::size_t hole = i;
    for (; hole > 0 && budget > 0 && before(moved, list[hole - 1]); --hole, --budget)
      list[hole] = std::move(list[hole - 1]);
    list[hole] = std::move(moved);
    if (budget == 0) return false;
  }
  return true;
}

/// Sorts; a list whose elements are out of place by `moves` places on average takes one walk from front to back. Not
/// stable.
template <typename Value, typename Before = std::less<>>
void sort_nearly_sorted(std::vector<Value>& list, Before before = {}, std::size_t moves = 4) {
  if (!repair_order(list, list.size() * moves, before)) std::sort(list.begin(), list.end(), before);
}

}  // namespace takt
