#include "model/graph/placed_ops.h"

#include <algorithm>

namespace takt {
namespace {

bool holds(const Graph& graph, const std::string& op) {
  return std::any_of(graph.ops.begin(), graph.ops.end(), [&](const Op& other) { return other.name == op; });
}

void place(const Graph& graph, const Op* outer, const std::string& body, const std::string& outer_path,
           std::vector<PlacedOp>& placed) {
  for (const Op& op : graph.ops) {
    const std::string path = outer ? body_path(outer_path, *outer, body, op.name) : op.name;
    placed.push_back({path, &op, &graph});
    for (const auto& [name, inner] : op.subgraphs) place(*inner, &op, name, path, placed);
  }
}

}  // namespace

std::string body_path(const std::string& outer_path, const Op& outer, const std::string& body,
                      const std::string& inner) {
  const bool is_ambiguous = std::any_of(outer.subgraphs.begin(), outer.subgraphs.end(), [&](const auto& other) {
    return other.first != body && holds(*other.second, inner);
  });
  return outer_path + (is_ambiguous ? "." + body : "") + " > " + inner;
}

std::vector<PlacedOp> placed_ops(const Graph& graph) {
  std::vector<PlacedOp> placed;
  place(graph, nullptr, "", "", placed);
  return placed;
}

}  // namespace takt
