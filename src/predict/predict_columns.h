// Columns that the tables of predictions share.
#pragma once

#include "base/table/table.h"

namespace takt::predict_columns {

inline constexpr ColumnText model_kernels{"model_kernels", "Kernels",
                                          "How many kernels the runtime executes of the model."};
inline constexpr ColumnText measured_ms{
    "measured_ms", "Measured ms",
    "Time of one inference in milliseconds, the mean of a round, over rounds in fresh processes and without records of "
    "kernels; in a collection at the machine's usual pace and the middle one of the rounds."};
inline constexpr ColumnText noise_percent{"noise_percent", "Noise %",
                                          "How far one round's mean is from the mean of the other rounds, in the mean "
                                          "of all rounds and in percent: the error "
                                          "that no prediction can be expected to beat. Missing with a single round."};
inline constexpr ColumnText predicted_ms{
    "predicted_ms", "Predicted ms",
    "Predicted mean time of one inference in milliseconds: the sum of its kernels and what the runtime adds."};
inline constexpr ColumnText low_ms{
    "low_ms", "Low ms", "The lower end of the interval that holds the model's time with 90 %, in milliseconds."};
inline constexpr ColumnText high_ms{
    "high_ms", "High ms", "The upper end of the interval that holds the model's time with 90 %, in milliseconds."};
inline constexpr ColumnText load_factor{"load_factor", "Load x",
                                        "How many times as long as in quiet the load of the moment makes it; missing "
                                        "where no load was asked for or known."};
inline constexpr ColumnText load_from{
    "load_from", "Load from",
    "Whose figures the load was known from: probe, host, busy (the processors' use alone) or gpu; 'not known' where "
    "none could be read, and missing where none was asked for."};
inline constexpr ColumnText mape{"mape", "MAPE",
                                 "Mean absolute error of the predictions in percent of what was measured."};
inline constexpr ColumnText bias{
    "bias_percent", "Bias %",
    "Mean error of the predictions with its sign, in percent: above zero where they are too long."};
inline constexpr ColumnText within_5{"within_5", "Within 5",
                                     "Share of predictions within 5 % of what was measured, in percent."};
inline constexpr ColumnText within_10{"within_10", "Within 10",
                                      "Share of predictions within 10 % of what was measured, in percent."};
inline constexpr ColumnText within_15{"within_15", "Within 15",
                                      "Share of predictions within 15 % of what was measured, in percent."};
inline constexpr ColumnText coverage{
    "coverage_percent", "Coverage %",
    "Share of measured times that lie in the interval of their prediction, in percent; 90 is what was promised."};
inline constexpr ColumnText interval_percent{
    "interval_percent", "Interval ± %",
    "Half of the interval's width in percent of the prediction; the middle of all."};
inline constexpr ColumnText noise_floor{
    "noise_floor_percent", "Noise floor %",
    "The mean of noise_percent over what was predicted: the MAPE of one measurement as a prediction of the others."};

}  // namespace takt::predict_columns
