#include "predict/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "predict/conformal.h"
#include "predict/ridge.h"

namespace takt {
namespace {

constexpr int calibration_parts = 5;
constexpr double pull_to_base = 3;  // as much as three kernels of the usual weight

using Models = std::vector<const CollectedModel*>;

void check_fits(const Predictor& base, const Dataset& here) {
  if (here.models.size() < least_calibration_models)
    refuse_input(fmt::format("a calibration needs {} models at least, and the dataset has {}; collect more",
                             least_calibration_models, here.models.size()));
  const CollectedModel& first = here.models.front();
  if (first.runtime != base.runtime)
    refuse_input(fmt::format("the predictor is of {} and the dataset of {}; calibrate with the same runtime",
                             printable(base.runtime), printable(first.runtime)));
}

/// Of one group: the least squares of log(measured / predicted), weighted as in training.
RatioCorrection correction_of(const RatioTrees& trees, const std::vector<KernelSample>& samples) {
  std::vector<std::vector<double>> rows;
  std::vector<double> right;
  for (const KernelSample& sample : samples) {
    const auto estimate = trees.estimate(*sample.facts);
    if (!estimate) continue;
    const auto [compute, size] = trees.correction_features(*sample.facts);
    const double weight = std::sqrt(sample.weight);
    rows.push_back({weight, weight * compute, weight * size});
    right.push_back(weight * std::log(sample.us / estimate->us()));
  }
  if (rows.empty()) return {};
  const auto found = ridge_solution(rows, right, pull_to_base);
  return {found[0], found[1], found[2]};
}

/// The base predictor as these models of this machine make it; without widths and errors.
Predictor corrected(const Predictor& base, const Models& models) {
  Predictor result = base;
  const CollectedModel& first = *models.front();
  result.machine = first.machine, result.runtime_version = first.runtime_version;
  result.device = first.device, result.threads = first.threads;
  result.known = {}, result.load_laws.clear(), result.errors.clear();
  result.models = models.size(), result.kernels = 0;
  std::vector<KernelSample> all;
  std::map<KernelGroup, std::vector<KernelSample>> groups;
  std::vector<OverheadSample> overheads;
  std::set<std::string> architectures;
  for (const CollectedModel* model : models) {
    double sum = 0;
    for (const CollectedKernel& kernel : model->kernels) {
      all.push_back(sample_of(*model, kernel));
      groups[kernel.facts.group].push_back(all.back());
      result.known.add(kernel.facts, kernel.latency_ms * 1000);
      sum += kernel.latency_ms * 1000, ++result.kernels;
    }
    overheads.push_back({static_cast<double>(model->kernels.size()), model->latency_ms * 1000 - sum});
    architectures.insert(model->architecture);
  }
  result.architectures = architectures.size();
  result.trees.move_to(first.constants, least_time_us(all));
  for (const auto& [group, samples] : groups) result.trees.correct(group, correction_of(result.trees, samples));
  result.overhead = fit_overhead(overheads);
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
    models.push_back({measured, prediction.us, {}, {}});
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
        result.add(here.models[i], predict(trained, kernel_facts_of(here.models[i])));
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
    before.add(model, predict(base, kernel_facts_of(model)));
  }
  LeftOut left_out = left_out_in_turn(base, here);
  Predictor result = corrected(base, all);
  take_widths(left_out, result);
  for (Judged& one : left_out.models) {
    one.low = one.predicted * std::exp(-result.model_width), one.high = one.predicted * std::exp(result.model_width);
  }
  const auto add = [&](const char* method, const std::vector<Judged>& judged) {
    if (const auto figures = error_figures(judged))
      result.errors.push_back({"calibrated", "model", method, *figures, {}});
  };
  add("takt", left_out.models), add("as it was", before.models);
  return result;
}

}  // namespace takt
