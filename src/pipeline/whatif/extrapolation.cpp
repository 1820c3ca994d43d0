#include "pipeline/whatif/extrapolation.h"

#include <cmath>

#include "base/basics/index.h"
#include "pipeline/contention/overlap.h"

namespace takt {
namespace {

constexpr double noticeable_change = 0.1;  // of an overlap
constexpr double well_known = 1.1;         // largest slow-down that is possible over the smallest

double mean_share(const std::vector<OverlapShare>& shares, int stage, int beside) {
  for (const OverlapShare& share : shares)
    if (share.stage == stage && share.beside == beside) return share.mean;
  return 0;
}

}  // namespace

std::vector<Extrapolation> extrapolations(const PipelineRun& recorded, const PipelineRun& predicted,
                                          const ContentionPosterior& possible) {
  std::vector<Extrapolation> result;
  const auto after = overlap_shares(predicted);
  for (const OverlapShare& before : overlap_shares(recorded)) {
    const PossibleFactor& factor = possible.factors[index(before.stage)][index(before.beside)];
    if (factor.high <= well_known * factor.low) continue;
    const double mean = mean_share(after, before.stage, before.beside);
    if (std::abs(mean - before.mean) <= noticeable_change) continue;
    result.push_back({before.stage, before.beside, before.mean, mean, factor});
  }
  return result;
}

}  // namespace takt
