// The slow-down of one stage as a curve over the pressure beside it, through a few measured levels.
//
// More pressure never speeds a stage up, so what noise bends downwards is levelled first (isotonic regression: adjacent
// values that go down become their mean; Barlow et al., Statistical Inference under Order Restrictions, 1972). Between
// the levels the curve is the monotone cubic of Fritsch and Carlson (SIAM J. Numer. Anal. 17, 1980) with the slopes of
// Fritsch and Butland (1984), which neither overshoots nor leaves the measured points. A straight line between the
// levels would miss the bend of a queue by several percent.
#pragma once

#include <span>
#include <vector>

namespace takt {

class SlowDownCurve {
 public:
  SlowDownCurve() = default;
  /// `levels` ascending, above 0; one slow-down for each. What is below 1 counts as 1.
  SlowDownCurve(std::span<const double> levels, std::span<const double> slow_downs);

  /// The mean of curves of one kind of load, each with its weight (their sum is 1); at the levels of the first.
  static SlowDownCurve mean(std::span<const SlowDownCurve* const> curves, std::span<const double> weights);

  /// 1 or more. 1 at no pressure, and everywhere without a level; beyond the last level as steep as
  /// between the last two.
  double at(double pressure) const;
  bool is_ever_above_one() const { return y_.back() > 1; }

 private:
  std::vector<double> x_{0}, y_{1}, slope_{0};
};

}  // namespace takt
