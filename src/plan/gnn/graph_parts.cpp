#include "plan/gnn/graph_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/index.h"

namespace takt {
namespace {

/// How many edges lead to nodes before each one; one entry more than there are nodes.
std::vector<std::int64_t> edges_before(const EdgeList& graph) {
  std::vector<std::int64_t> before(index(graph.nodes) + 1, 0);
  for (const std::int64_t target : graph.targets) ++before[index(target) + 1];
  for (std::size_t node = 1; node < before.size(); ++node) before[node] += before[node - 1];
  return before;
}

/// Where the part ends that has all up to this share of the whole.
std::int64_t border_at(double share, const std::vector<std::int64_t>& before) {
  const auto nodes = static_cast<std::int64_t>(before.size()) - 1;
  const double edges = share * static_cast<double>(before.back()), middle = share * static_cast<double>(nodes);
  const auto off = [&](std::int64_t border) {
    return std::pair(std::abs(static_cast<double>(before[index(border)]) - edges),
                     std::abs(static_cast<double>(border) - middle));
  };
  std::int64_t best = 0;
  for (std::int64_t border = 1; border <= nodes; ++border)
    if (off(border) < off(best)) best = border;
  return best;
}

/// Nodes that are no part's own get the places behind it, as they come up.
void place_rows(GraphPart& part, const EdgeList& graph) {
  std::vector<std::int64_t> place(index(graph.nodes), -1);
  for (std::int64_t node = part.first; node < part.end; ++node) {
    place[index(node)] = node - part.first;
    part.rows.push_back(node);
  }
  std::vector<std::int64_t> others;
  for (const std::int64_t edge : part.edges)
    if (auto& at = place[index(graph.sources[index(edge)])]; at < 0)
      at = 0, others.push_back(graph.sources[index(edge)]);
  std::sort(others.begin(), others.end());
  for (const std::int64_t node : others) {
    place[index(node)] = static_cast<std::int64_t>(part.rows.size());
    part.rows.push_back(node);
  }
  part.local.nodes = static_cast<std::int64_t>(part.rows.size());
  for (const std::int64_t edge : part.edges) {
    part.local.sources.push_back(place[index(graph.sources[index(edge)])]);
    part.local.targets.push_back(place[index(graph.targets[index(edge)])]);
  }
}

}  // namespace

std::vector<GraphPart> parts_of(const EdgeList& graph, const std::vector<double>& shares) {
  const auto before = edges_before(graph);
  std::vector<GraphPart> parts;
  double share = 0;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    GraphPart part;
    share += shares[p];
    part.first = parts.empty() ? 0 : parts.back().end;
    part.end = p + 1 == shares.size() ? graph.nodes : std::max(part.first, border_at(share, before));
    if (part.own() == 0 || before[index(part.end)] == before[index(part.first)])
      refuse_input(
          fmt::format("a graph of {} nodes and {} edges cannot be split {}: part {} would have no {}; give it a larger "
                      "share, or do not split",
                      graph.nodes, graph.edges(), fmt::join(shares, "/"), p + 1, part.own() == 0 ? "node" : "edge"));
    parts.push_back(std::move(part));
  }
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge)
    for (GraphPart& part : parts)
      if (const auto target = graph.targets[index(edge)]; part.first <= target && target < part.end)
        part.edges.push_back(edge);
  for (GraphPart& part : parts) place_rows(part, graph);
  return parts;
}

}  // namespace takt
