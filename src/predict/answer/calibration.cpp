#include "predict/answer/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "predict/fit/conformal.h"
#include "predict/fit/ridge.h"

namespace takt {
namespace {

constexpr int calibration_parts = 5;
constexpr double pull_to_base = 3;  // as much as three kernels of the usual weight

using Models = std::vector<const CollectedModel*>;

void check_fits(const Predictor& base, const Dataset& here) {
  if (here.models.size() < least_calibration_models)
    refuse_input(fmt::format("a calibration needs at least {} models, and the dataset has {}; collect more",
                             least_calibration_models, here.models.size()));
  const CollectedModel& first = here.models.front();
  if (first.runtime != base.runtime)
    refuse_input(fmt::format(
        "the predictor was trained for {} and the dataset was measured with {}; calibrate with the same runtime",
        printable(base.runtime), printable(first.runtime)));
}

/// Of one group: the least squares of log(measured / predicted), weighted as in training.
RatioCorrection correction_of(const RatioTrees& trees, const std::vector<KernelSample>& samples) {
  std::vector<std::vector<double>> rows;
  std::vector<double> right;
  std::vector<const KernelFacts*> kernels;
  for (const KernelSample& sample : samples) kernels.push_back(sample.facts);
  const auto estimates = trees.estimates(kernels);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!estimates[i]) continue;
    const auto [compute, size] = trees.correction_features(*kernels[i]);
    const double weight = std::sqrt(samples[i].weight);
    rows.push_back({weight, weight * compute, weight * size});
    right.push_back(weight * std::log(samples[i].us / estimates[i]->us));
  }
  if (rows.empty()) return {};
  const auto found = ridge_solution(rows, right, pull_to_base);
  return {found[0], found[1], found[2]};
}

/// The base predictor as these models of this machine make it; without widths and errors.
Predictor corrected(const Predictor& base, const Models& models) {
  Predictor result = base;
  result.load_laws.clear(), result.errors.clear();
  const auto samples = learn_measured(models, result);
  std::map<KernelGroup, std::vector<KernelSample>> groups;
  for (const KernelSample& sample : samples) groups[sample.facts->group].push_back(sample);
  result.trees.move_to(models.front()->constants, least_time_us(samples));
  for (const auto& [group, members] : groups) result.trees.correct(group, correction_of(result.trees, members));
  return result;
}

std::vector<KernelFacts> kernel_facts_of(const CollectedModel& model) {
  std::vector<KernelFacts> facts;
  for (const CollectedKernel& kernel : model.kernels) facts.push_back(kernel.facts);
  return facts;
}

/// Errors of predictions, of models and of kernels by tier and group.
struct LeftOut {
  std::vector<Judged> models;
  std::vector<double> model_errors, measured_errors;
  std::map<KernelGroup, std::vector<double>> kernel_errors;

  void add(const CollectedModel& model, const ModelPrediction& prediction) {
    const double measured = model.latency_ms * 1000;
    models.push_back(judged_of(measured, prediction.us, std::nullopt));
    model_errors.push_back(std::abs(std::log(measured / prediction.us)));
    for (std::size_t i = 0; i < model.kernels.size(); ++i) {
      const KernelPrediction& one = prediction.kernels[i];
      const double error = std::abs(std::log(model.kernels[i].latency_ms * 1000 / one.recorded_us));
      if (one.tier == Tier::measured) measured_errors.push_back(error);
      if (one.tier == Tier::trained) kernel_errors[model.kernels[i].facts.group].push_back(error);
    }
  }
};

LeftOut left_out_in_turn(const Predictor& base, const Dataset& here) {
  LeftOut result;
  for (int part = 0; part < calibration_parts; ++part) {
    Models rest;
    for (std::size_t i = 0; i < here.models.size(); ++i)
      if (static_cast<int>(i % calibration_parts) != part) rest.push_back(&here.models[i]);
    const Predictor trained = corrected(base, rest);
    for (std::size_t i = 0; i < here.models.size(); ++i)
      if (static_cast<int>(i % calibration_parts) == part)
        result.add(here.models[i],
                   predict(trained, kernel_facts_of(here.models[i]), here.models[i].io_bytes.value_or(0)));
  }
  return result;
}

void take_widths(const LeftOut& left_out, Predictor& predictor) {
  predictor.model_width = conformal_width(left_out.model_errors).value_or(roofline_width);
  predictor.is_width_certain = left_out.model_errors.size() >= errors_needed();
  predictor.kernel_width.clear();
  double widest = 0;
  for (const auto& [group, errors] : left_out.kernel_errors)
    widest = std::max(widest, predictor.kernel_width[group] = conformal_width(errors).value_or(roofline_width));
  predictor.measured_width = conformal_width(left_out.measured_errors).value_or(widest);
}

}  // namespace

Predictor calibrated(const Predictor& base, const Dataset& here) {
  check_fits(base, here);
  Models all;
  LeftOut before;
  for (const CollectedModel& model : here.models) {
    all.push_back(&model);
    before.add(model, predict(base, kernel_facts_of(model), model.io_bytes.value_or(0)));
  }
  LeftOut left_out = left_out_in_turn(base, here);
  Predictor result = corrected(base, all);
  take_widths(left_out, result);
  for (Judged& one : left_out.models) one = judged_of(one.measured, one.predicted, result.model_width);
  const auto add = [&](const char* method, const std::vector<Judged>& judged) {
    if (const auto figures = error_figures(judged))
      result.errors.push_back({"calibrated", "model", method, *figures, {}});
  };
  add("takt", left_out.models), add("as it was", before.models);
  return result;
}

}  // namespace takt
