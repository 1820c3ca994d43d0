// A predictor of another machine made one of this machine by a few models that are measured here.
//
// Problem: a zoo takes half an hour to collect, and another machine differs in a few ways: its peaks, how much of them
// convolutions or copies reach, what a record costs. Idea: the trees learn ratios to a roofline, so they get this
// machine's peaks; what is still wrong is learnt per group of kernels, as a constant and two slopes (with the share of
// computing and with the size) that are drawn to no change: little data changes little. Overhead and times of measured
// kernels are this machine's alone.
#pragma once

#include "predict/answer/predictor.h"
#include "predict/fit/dataset.h"

namespace takt {

/// `here`: a dataset of this machine, of some models of `base`'s runtime, as of `takt zoo export --config
/// examples/soup.yaml`; its models count whether they are random chains or not. Widths are from models that were left out of the
/// correction in turn; the rows of errors have the split "calibrated": takt, and "as it was" for the predictor before.
/// Throws Error(bad_input) for fewer than `least_calibration_models` models and another runtime.
Predictor calibrated(const Predictor& base, const Dataset& here);
inline constexpr std::size_t least_calibration_models = 5;

}  // namespace takt
