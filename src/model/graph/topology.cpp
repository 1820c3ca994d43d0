#include "model/graph/topology.h"

#include <functional>
#include <queue>

namespace takt {

// Kahn's algorithm with a heap, O((n + e) log n): a file that is in order already comes out as it went in.
std::optional<std::vector<int>> topological_order(int count, const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::vector<int>> after(static_cast<std::size_t>(count));
  std::vector<int> waiting_for(static_cast<std::size_t>(count), 0);
  for (const auto& [first, second] : edges) {
    after[static_cast<std::size_t>(first)].push_back(second);
    ++waiting_for[static_cast<std::size_t>(second)];
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < count; ++i) {
    if (waiting_for[static_cast<std::size_t>(i)] == 0) ready.push(i);
  }
  std::vector<int> order;
  order.reserve(static_cast<std::size_t>(count));
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const int follower : after[static_cast<std::size_t>(next)]) {
      if (--waiting_for[static_cast<std::size_t>(follower)] == 0) ready.push(follower);
    }
  }
  if (order.size() != static_cast<std::size_t>(count)) return std::nullopt;
  return order;
}

}  // namespace takt
