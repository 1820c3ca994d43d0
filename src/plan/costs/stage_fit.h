// What a stage costs on a unit at sizes that were not measured: time = a + b · nodes + c · edges (+ d · features, where
// they differ), fitted as in relative_fit.h.
//
// How wrong a prediction may be is learnt from leaving each row out in turn and predicting it from the others. The
// interval of a prediction is the jackknife+ of Barber, Candès, Ramdas and Tibshirani ("Predictive inference with the
// jackknife+", 2021) on residuals relative to the prediction: of the predictions without row i, widened by the error
// that row i had, the quantiles. It makes no assumption about the law being right, so a stage whose times bend has
// intervals that are as wide as the bend asks. Intervals of the normal theory would be too narrow there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "plan/costs/relative_fit.h"
#include "plan/gnn/edge_list.h"

namespace takt {

struct TimeAtSize {
  GraphSize size;
  std::int64_t features = 0;
  Duration mean{};  ///< above 0
};

struct PredictedTime {
  Duration mean{};
  Duration low{}, high{};     ///< 90 % of measured means should lie between; low ≤ mean ≤ high, low ≥ 0
  bool extrapolated = false;  ///< beyond the nodes, edges, edges per node or features that were measured
};

/// The sizes that were measured.
struct SizeSpan {
  double least_nodes = 0, most_nodes = 0, least_edges = 0, most_edges = 0;
  double least_ratio = 0, most_ratio = 0;  ///< edges per node
  double least_features = 0, most_features = 0;

  /// How many times beyond the span a size lies, in the direction in which it is farthest; 1 inside.
  double factor_beyond(const GraphSize& size, std::int64_t features) const;
};

struct StageFit {
  RelativeFit law;  ///< in µs; terms: 1, nodes, edges, features
  SizeSpan span;
  /// predicted / measured − 1 of each row, predicted from the others; in the order of the rows.
  std::vector<double> left_out_errors;
  /// Mean of their absolute values.
  double left_out_error() const;

  PredictedTime at(const GraphSize& size, std::int64_t features) const;

  struct LeftOut {
    RelativeFit law;
    double spread = 0;  ///< |measured − predicted| / predicted of the row that it lacks
  };
  std::vector<LeftOut> left_out;  ///< what at() makes intervals of
};

struct StageFitResult {
  std::optional<StageFit> fit;
  std::string reason;  ///< why there is none
};

inline constexpr std::size_t fewest_fitted_rows = 4;

/// None of fewer rows than fewest_fitted_rows. The same rows in the same order give the same bits.
StageFitResult fit_stage(std::span<const TimeAtSize> times);

}  // namespace takt
