#include "profile/shared_core.h"

#include <algorithm>

#include "core/statistics.h"

namespace takt {
namespace {

constexpr double least_walk = 1.5, least_cost = 0.05;
constexpr std::size_t fewest_turns = 3;

double fastest_tenth(std::vector<double> walks) {
  std::sort(walks.begin(), walks.end());
  return percentile(walks, 0.1);
}

}  // namespace

std::optional<SharedCore> find_shared_core(const RunPass& pass) {
  const std::size_t turns = pass.cache_walks.size();
  if (turns < 2 * fewest_turns || turns != pass.block_starts.size()) return std::nullopt;
  std::vector<double> walks, shared_walks, shared, alone;
  for (const Nanoseconds walk : pass.cache_walks) walks.push_back(Duration(walk).count());
  const double usual = fastest_tenth(walks);
  SharedCore found;
  found.turns = turns, found.is_shared.resize(pass.samples.size());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const bool is_shared = walks[turn] >= least_walk * usual;
    if (is_shared) shared_walks.push_back(walks[turn]);
    const std::size_t end = turn + 1 < turns ? pass.block_starts[turn + 1] : pass.samples.size();
    for (std::size_t i = pass.block_starts[turn]; i < std::min(end, pass.samples.size()); ++i) {
      found.is_shared[i] = is_shared;
      (is_shared ? shared : alone).push_back(Duration(pass.samples[i]).count());
    }
  }
  found.shared_turns = shared_walks.size();
  if (found.shared_turns < fewest_turns || turns - found.shared_turns < fewest_turns) return std::nullopt;
  const double with = median(shared).value_or(0), without = median(alone).value_or(0);
  if (usual <= 0 || without <= 0 || with - without < least_cost * without) return std::nullopt;
  found.walks = *median(shared_walks) / usual, found.runs = with / without, found.cost = Duration(with - without);
  return found;
}

}  // namespace takt
