#include "measure/timing/shared_core.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr double least_walk = 1.5, least_cost = 0.05;
constexpr double surely_later = 2.05;  // one in fifty by chance
constexpr std::size_t fewest_turns = 3;

double fastest_tenth(std::vector<double> walks) {
  std::sort(walks.begin(), walks.end());
  return percentile(walks, 0.1);
}

/// The turns of one side; in ns.
struct Turns {
  std::vector<double> walks, runs, middles;  ///< middles: of a turn's runs
};

/// Whether the values of `late` are above those of `usual` beyond what chance makes of so few (Mann and Whitney 1947,
/// by the normal approximation). Turns are compared and not runs, since the runs of a turn are alike.
bool are_later(std::span<const double> late, std::span<const double> usual) {
  double above = 0;  // pairs
  for (const double one : late)
    for (const double other : usual) above += one > other ? 1 : one == other ? 0.5 : 0;
  const double m = static_cast<double>(late.size()), n = static_cast<double>(usual.size());
  return above - m * n / 2 - 0.5 >= surely_later * std::sqrt(m * n * (m + n + 1) / 12);
}

}  // namespace

std::optional<SharedCore> find_shared_core(const RunPass& pass) {
  const std::size_t turns = pass.cache_walks.size();
  if (turns < 2 * fewest_turns || turns != pass.block_starts.size()) return std::nullopt;
  std::vector<double> walks;
  for (const Nanoseconds walk : pass.cache_walks) walks.push_back(Duration(walk).count());
  const double usual = fastest_tenth(walks);
  SharedCore found;
  Turns shared, alone;
  found.turns = turns, found.is_shared.resize(pass.samples.size());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const bool is_shared = walks[turn] >= least_walk * usual;
    Turns& side = is_shared ? shared : alone;
    side.walks.push_back(walks[turn]);
    const std::size_t end = turn + 1 < turns ? pass.block_starts[turn + 1] : pass.samples.size();
    std::vector<double> runs;
    for (std::size_t i = pass.block_starts[turn]; i < std::min(end, pass.samples.size()); ++i) {
      found.is_shared[i] = is_shared;
      runs.push_back(Duration(pass.samples[i]).count());
    }
    side.runs.insert(side.runs.end(), runs.begin(), runs.end());
    if (const auto middle = median(runs)) side.middles.push_back(*middle);
  }
  found.shared_turns = shared.walks.size();
  if (found.shared_turns < fewest_turns || turns - found.shared_turns < fewest_turns) return std::nullopt;
  const double with = median(shared.runs).value_or(0), without = median(alone.runs).value_or(0);
  if (usual <= 0 || without <= 0 || with - without < least_cost * without) return std::nullopt;
  if (!are_later(shared.middles, alone.middles)) return std::nullopt;
  found.walks = *median(shared.walks) / usual, found.runs = with / without, found.cost = Duration(with - without);
  return found;
}

}  // namespace takt
