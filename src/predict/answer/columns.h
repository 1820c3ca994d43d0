// Columns that the tables of predictions share.
#pragma once

#include "base/table/table.h"

namespace takt::predict_columns {

inline constexpr ColumnText model_kernels{"model_kernels", "Kernels",
                                          "Number of kernels that the runtime executes for the model."};
inline constexpr ColumnText measured_ms{
    "measured_ms", "Measured ms",
    "Latency of one inference in milliseconds, measured without profiling: each round runs in a new process and gives "
    "a mean. In a collection: the median of the rounds, corrected for drift of the machine's speed."};
inline constexpr ColumnText noise_percent{
    "noise_percent", "Noise %",
    "Mean deviation of a round's mean from the mean of the other rounds, in percent: no prediction can be expected to "
    "have a smaller error. Empty if there is a single round."};
inline constexpr ColumnText predicted_ms{
    "predicted_ms", "Predicted ms",
    "Predicted mean time of one inference in milliseconds: the sum of its kernels plus the runtime's overhead."};
inline constexpr ColumnText low_ms{"low_ms", "Low ms",
                                   "Lower end of the 90 % interval of the model's time, in milliseconds."};
inline constexpr ColumnText high_ms{"high_ms", "High ms",
                                    "Upper end of the 90 % interval of the model's time, in milliseconds; empty if the "
                                    "number of turns of a loop is unknown."};
inline constexpr ColumnText load_factor{"load_factor", "Load slowdown",
                                        "Predicted slowdown by the current load, as a factor over the time on an idle "
                                        "machine. Empty if no load was requested or none is known."};
inline constexpr ColumnText load_from{"load_from", "Load source",
                                      "Source of the load's values: probe, host, busy (CPU utilization alone) or gpu; "
                                      "'not known' if none could be read. Empty if no load was requested."};
inline constexpr ColumnText mape{"mape", "MAPE",
                                 "Mean absolute error of the predictions, in percent of the measured time."};
inline constexpr ColumnText bias{"bias_percent", "Bias %",
                                 "Mean signed error of the predictions, in percent: positive if they are too long."};
inline constexpr ColumnText within_5{"within_5", "Within 5",
                                     "Share of predictions within 5 % of the measured time, in percent."};
inline constexpr ColumnText within_10{"within_10", "Within 10",
                                      "Share of predictions within 10 % of the measured time, in percent."};
inline constexpr ColumnText within_15{"within_15", "Within 15",
                                      "Share of predictions within 15 % of the measured time, in percent."};
inline constexpr ColumnText coverage{
    "coverage_percent", "Coverage %",
    "Share of measured times that the interval of their prediction covers, in percent; the target is 90."};
inline constexpr ColumnText interval_percent{
    "interval_percent", "Interval ± %",
    "Half of the interval's width, in percent of the prediction: the median over all predictions."};
inline constexpr ColumnText noise_floor{"noise_floor_percent", "Noise floor %",
                                        "Mean of noise_percent over the predicted models or kernels: the MAPE of one "
                                        "measurement as a prediction of the others."};

}  // namespace takt::predict_columns
