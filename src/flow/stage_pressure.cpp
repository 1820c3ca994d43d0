#include "flow/stage_pressure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace takt {

StageContention mean_contention(std::span<const StageContention* const> stages, std::span<const double> shares) {
  StageContention mean{{}, std::vector<double>(stages.front()->pressure.size()), 0};
  for (std::size_t r = 0; r < mean.pressure.size(); ++r) {
    std::vector<const SlowDownCurve*> curves;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      curves.push_back(&stages[s]->sensitivity[r]);
      mean.pressure[r] += shares[s] * stages[s]->pressure[r];
    }
    mean.sensitivity.push_back(SlowDownCurve::mean(curves, shares));
  }
  for (std::size_t s = 0; s < stages.size(); ++s) mean.weaker_share += shares[s] * stages[s]->weaker_share;
  return mean;
}

LogSlowDowns log_slow_downs(const StageContention& stage, std::span<const double> pressure) {
  LogSlowDowns logs;
  double sum = 0;
  for (std::size_t r = 0; r < pressure.size(); ++r) {
    const double one = std::log(stage.sensitivity[r].at(pressure[r]));
    sum += one;
    logs.largest = std::max(logs.largest, one);
  }
  logs.others = sum - logs.largest;
  return logs;
}

double slow_down_under(const StageContention& stage, std::span<const double> pressure) {
  return std::exp(log_slow_downs(stage, pressure).together(stage.weaker_share));
}

}  // namespace takt
