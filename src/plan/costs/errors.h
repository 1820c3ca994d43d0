// How wrong the cost of a stage or fused range may be, in a form that can be drawn from: what comparing two plans takes
// that have some of their costs in common.
//
// A cost that follows from the fit is off by what its coefficients are off, jointly and for every size alike, and by
// how much a row lies off the law. Both are drawn as Student variables with the same scale (the multivariate t of a
// regression whose variance is estimated, Box and Tiao: Bayesian Inference in Statistical Analysis, 1973, §2.7). Beyond
// the sizes that were measured the second one grows with the distance, as the intervals of stage_fit.h do. A cost that
// was measured at the very size is off by its own standard error, and so is the next measurement: √2 of it.
// So what is drawn is how a measurement that is made anew could come out.
#pragma once

#include <optional>

#include "base/statistics/random.h"
#include "plan/costs/stage_fit.h"

namespace takt {

/// Errors of the cost of a range of stages on a unit around one size.
struct CostErrors {
  GraphSize size;
  std::int64_t features = 0;
  std::optional<StageFit> fit;             ///< with a spread
  std::optional<Duration> standard_error;  ///< of the mean, where the size itself was measured with samples
  double freedom = 0;                      ///< of `standard_error`
};

/// One way that the costs of a range may be off.
class DrawnError {
 public:
  /// `errors` must outlive this. The same state of `random` gives the same error.
  DrawnError(const CostErrors& errors, Random& random);

  /// Of the time for this share of the size's nodes and edges, above 0 and at most 1, that is expected to be `mean`.
  Duration at(double share, Duration mean) const;

 private:
  const CostErrors& errors_;
  Terms coefficients_{};  ///< off by so much
  double row_ = 0;        ///< off the law by this share
  Duration measured_{};   ///< the whole batch's
};

}  // namespace takt
