// Random graphs: how fast a graph neural network is depends on how the edges are spread over the nodes.
//
// Both kinds draw edges one by one, so that there are exactly as many as were asked for, some of them twice and some
// from a node to itself, as in graphs that were collected. In a uniform graph all nodes have about as many edges;
// nearly no graph that people collect is like that. In a power-law graph a few nodes have a large part of them.
#pragma once

#include <cstdint>

#include "plan/gnn/edge_list.h"

namespace takt {

/// Every pair of nodes equally likely. The same size and seed give the same edges. Throws Error(bad_input) for edges
/// without a node to lead to, or a negative size.
EdgeList uniform_edges(const GraphSize& size, std::uint64_t seed);

/// Both ends are drawn with probabilities proportional to weights (rank + 1)^(−1/(exponent − 1)), ranks in random
/// order, so that the number of nodes with k edges falls as k^−exponent (Chung and Lu, Connected components in random
/// graphs with given expected degree sequences, 2002; they draw pairs independently). Collected graphs have exponents
/// of 2 to
/// 3. Throws as uniform_edges, and for an exponent that is not above 1.
EdgeList power_law_edges(const GraphSize& size, std::uint64_t seed, double exponent = 2.2);

}  // namespace takt
