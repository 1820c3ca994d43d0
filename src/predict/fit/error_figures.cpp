#include "predict/fit/error_figures.h"

#include <cmath>

#include "base/statistics/statistics.h"

namespace takt {

Judged judged_of(double measured, double predicted, std::optional<double> width) {
  Judged one{measured, predicted, {}, {}};
  if (width) one.low = predicted * std::exp(-*width), one.high = predicted * std::exp(*width);
  return one;
}

std::optional<ErrorFigures> error_figures(std::span<const Judged> judged) {
  if (judged.empty()) return std::nullopt;
  ErrorFigures figures;
  figures.count = judged.size();
  std::vector<double> widths;
  double inside = 0;
  for (const Judged& one : judged) {
    const double error = one.predicted / one.measured - 1;
    figures.mape += std::abs(error), figures.bias += error;
    figures.within_5 += std::abs(error) <= 0.05, figures.within_10 += std::abs(error) <= 0.10;
    figures.within_15 += std::abs(error) <= 0.15;
    if (!one.low || !one.high) continue;
    inside += *one.low <= one.measured && one.measured <= *one.high;
    widths.push_back((*one.high - *one.low) / 2 / one.predicted);
  }
  const auto count = static_cast<double>(judged.size());
  for (double* sum : {&figures.mape, &figures.bias, &figures.within_5, &figures.within_10, &figures.within_15})
    *sum /= count;
  if (!widths.empty()) {
    figures.coverage = inside / static_cast<double>(widths.size());
    figures.width = median(std::span<const double>(widths));
  }
  return figures;
}

}  // namespace takt
