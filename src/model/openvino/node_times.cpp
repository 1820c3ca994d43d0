#include "model/openvino/node_times.h"

#include <algorithm>

namespace takt::openvino {
namespace {

constexpr Nanoseconds microsecond = std::chrono::microseconds(1);

Nanoseconds within(Nanoseconds at, const TimedCall& call) { return std::clamp(at, Nanoseconds(0), call.wall); }

/// The most that a node's own mean can stand for: each inference's time and their mean are both cut off, each by half a
/// microsecond on average.
Nanoseconds own_bound(const NodeStamp& node) { return node.own + microsecond; }

std::vector<std::size_t> stamped_nodes(const std::vector<NodeStamp>& nodes, const TimedCall& call) {
  std::vector<std::size_t> ran;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto start = nodes[i].start;
    // Cut off, the first stamp may seem to lie up to a microsecond before the call.
    if (start.count() > 0 && start >= call.begin - microsecond && start <= call.end) ran.push_back(i);
  }
  std::stable_sort(ran.begin(), ran.end(), [&](auto a, auto b) { return nodes[a].start < nodes[b].start; });
  return ran;
}

std::vector<NodeTime> laid_end_to_end(const std::vector<NodeStamp>& nodes, const TimedCall& call) {
  std::vector<NodeTime> times;
  Nanoseconds at{0};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].executed || nodes[i].start.count() != 0) continue;
    const auto next = within(at + nodes[i].own, call);
    times.push_back({i, at, next - at});
    at = next;
  }
  return times;
}

}  // namespace

std::vector<NodeTime> NodeClock::times(const std::vector<NodeStamp>& nodes, const TimedCall& call) {
  const auto ran = stamped_nodes(nodes, call);
  return ran.empty() ? laid_end_to_end(nodes, call) : stamped(nodes, ran, call);
}

std::vector<NodeTime> NodeClock::stamped(const std::vector<NodeStamp>& nodes, const std::vector<std::size_t>& ran,
                                         const TimedCall& call) {
  std::vector<NodeTime> times;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    const NodeStamp& node = nodes[ran[i]];
    const bool is_last = i + 1 == ran.size();
    const auto start = within(node.start - call.begin, call);
    const auto next = within((is_last ? call.end : nodes[ran[i + 1]].start) - call.begin, call);
    auto duration = next - start;
    if (is_last || has_more_behind(node, duration)) duration = std::min(duration, own_bound(node));
    times.push_back({ran[i], start, duration});
  }
  return times;
}

bool NodeClock::has_more_behind(const NodeStamp& node, Nanoseconds until_next) {
  auto found = shortest_.find(node.name);
  if (found == shortest_.end()) found = shortest_.emplace(node.name, until_next).first;
  found->second = std::min(found->second, until_next);
  // The difference of two stamps is off by up to a microsecond, too.
  return found->second > own_bound(node) + microsecond;
}

}  // namespace takt::openvino
