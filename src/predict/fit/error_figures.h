// How far predictions were from what was measured, in the figures that the field compares.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace takt {

/// One prediction with what was measured; the interval is missing where a method has none.
struct Judged {
  double measured = 0, predicted = 0;  ///< above zero, of one unit
  std::optional<double> low, high;
};

/// With the interval of a half width of the logarithm, where there is one.
Judged judged_of(double measured, double predicted, std::optional<double> width);

struct ErrorFigures {
  std::size_t count = 0;
  double mape = 0;                                    ///< mean of |predicted / measured − 1|
  double bias = 0;                                    ///< mean of predicted / measured − 1
  double within_5 = 0, within_10 = 0, within_15 = 0;  ///< shares of predictions that are that near, in percent
  std::optional<double> coverage;                     ///< share of measured times inside of their interval
  std::optional<double> width;                        ///< median of (high − low) / 2 over the prediction
};

/// nullopt without predictions.
std::optional<ErrorFigures> error_figures(std::span<const Judged> judged);

/// A row of the table of errors.
struct ErrorRow {
  std::string split;   ///< what training and test have not in common: "kernel", "model", "family"
  std::string level;   ///< what is predicted: "kernel", "model"
  std::string method;  ///< "takt", "boosting", …
  ErrorFigures figures;
  std::optional<double> noise;  ///< the same mean error of one measurement as a prediction of the others
};

}  // namespace takt
