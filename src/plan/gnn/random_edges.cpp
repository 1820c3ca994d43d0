#include "plan/gnn/random_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/basics/error.h"
#include "base/statistics/random.h"

namespace takt {
namespace {

void check_size(const GraphSize& size) {
  if (size.nodes < 0 || size.edges < 0 || (size.nodes == 0 && size.edges > 0))
    refuse_input(
        fmt::format("a graph of {} nodes and {} edges is not possible; give at least one node, and no negative number",
                    size.nodes, size.edges));
}

/// `draw` gives one end of an edge.
template <typename Draw>
EdgeList drawn_edges(const GraphSize& size, Draw draw) {
  EdgeList list{size.nodes, {}, {}};
  const auto count = static_cast<std::size_t>(size.edges);
  list.sources.reserve(count);
  list.targets.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    list.sources.push_back(draw());
    list.targets.push_back(draw());
  }
  return list;
}

/// The sums of the weights up to each rank.
std::vector<double> weight_sums(std::size_t nodes, double exponent) {
  std::vector<double> sums(nodes);
  double sum = 0;
  for (std::size_t rank = 0; rank < nodes; ++rank)
    sums[rank] = sum += std::pow(static_cast<double>(rank + 1), -1.0 / (exponent - 1.0));
  return sums;
}

}  // namespace

EdgeList uniform_edges(const GraphSize& size, std::uint64_t seed) {
  check_size(size);
  LongRandom random(seed);
  return drawn_edges(size,
                     [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size.nodes)); });
}

EdgeList power_law_edges(const GraphSize& size, std::uint64_t seed, double exponent) {
  check_size(size);
  if (!(exponent > 1.0))
    refuse_input(fmt::format("a power law with exponent {} is not possible; give one above 1", exponent));
  LongRandom random(seed);
  const auto sums = weight_sums(static_cast<std::size_t>(size.nodes), exponent);
  std::vector<std::int64_t> node_of_rank(sums.size());
  std::iota(node_of_rank.begin(), node_of_rank.end(), 0);
  shuffle(node_of_rank, random);
  return drawn_edges(size, [&] {
    // Rounding may put the product on the last sum itself, which no rank is above.
    const auto above = std::upper_bound(sums.begin(), sums.end(), uniform(random) * sums.back());
    return node_of_rank[std::min(static_cast<std::size_t>(above - sums.begin()), sums.size() - 1)];
  });
}

}  // namespace takt
