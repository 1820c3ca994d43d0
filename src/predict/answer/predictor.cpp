#include "predict/answer/predictor.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

constexpr std::array<std::string_view, 3> tier_names{"measured", "trained", "roofline"};

double width_of(const Predictor& predictor, KernelGroup group, bool is_beyond) {
  const auto found = predictor.kernel_width.find(group);
  const double width = found == predictor.kernel_width.end() ? roofline_width : found->second;
  return is_beyond ? std::max(2 * width, 0.3) : width;
}

/// `estimate`: of the trees, where no measured time is `known`.
KernelPrediction prediction_of(const Predictor& predictor, const KernelFacts& facts, const std::optional<double>& known,
                               const std::optional<RatioEstimate>& estimate) {
  KernelPrediction result;
  double width = roofline_width;
  if (known) {
    result.tier = Tier::measured, result.us = *known, width = predictor.measured_width;
  } else if (estimate) {
    result.tier = Tier::trained, result.us = estimate->us, result.is_beyond = estimate->is_beyond;
    width = width_of(predictor, facts.group, estimate->is_beyond);
  } else {
    result.us = predictor.trees.roofline(facts);
  }
  width += predictor.machine_width;
  result.low_us = predictor.overhead.taken_out(result.us * std::exp(-width));
  result.high_us = predictor.overhead.taken_out(result.us * std::exp(width));
  result.recorded_us = result.us, result.us = predictor.overhead.taken_out(result.us);
  return result;
}

std::vector<KernelPrediction> predictions_of(const Predictor& predictor, std::span<const KernelFacts> kernels) {
  std::vector<std::optional<double>> known;
  std::vector<const KernelFacts*> unknown;
  for (const KernelFacts& facts : kernels) {
    known.push_back(predictor.known.find(facts));
    if (!known.back()) unknown.push_back(&facts);
  }
  const auto estimates = predictor.trees.estimates(unknown);
  std::vector<KernelPrediction> result;
  auto estimate = estimates.begin();
  for (std::size_t i = 0; i < kernels.size(); ++i)
    result.push_back(prediction_of(predictor, kernels[i], known[i], known[i] ? std::nullopt : *estimate++));
  return result;
}

}  // namespace

std::string_view name_of(Tier tier) { return tier_names[static_cast<std::size_t>(tier)]; }

double ModelPrediction::share(Tier tier) const {
  double of_tier = 0, all = 0;
  for (const KernelPrediction& kernel : kernels) {
    all += kernel.us;
    if (kernel.tier == tier) of_tier += kernel.us;
  }
  return all > 0 ? of_tier / all : 0;
}

ModelPrediction predict(const Predictor& predictor, std::span<const KernelFacts> kernels, double io_bytes) {
  ModelPrediction result;
  double sum = 0, strange = 0, strange_low = 0, strange_high = 0;  // strange: kernels unlike those seen
  std::vector<KernelTime> recorded;
  result.kernels = predictions_of(predictor, kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelPrediction& one = result.kernels[i];
    recorded.push_back({one.recorded_us, host_work_of(kernels[i])}), sum += one.us;
    if (one.tier == Tier::roofline || one.is_beyond)
      strange += one.us, strange_low += one.low_us, strange_high += one.high_us;
  }
  result.us = predictor.overhead.whole(recorded, io_bytes);
  result.overhead_us = result.us - sum;
  const double rest = std::max(0.0, result.us - strange);
  const double width = predictor.model_width + predictor.machine_width;
  result.low_us = std::min(result.us, rest * std::exp(-width) + strange_low);
  result.high_us = std::max(result.us, rest * std::exp(width) + strange_high);
  return result;
}

std::vector<KernelSample> learn_measured(std::span<const CollectedModel* const> models, Predictor& predictor) {
  std::vector<KernelSample> samples;
  std::vector<WholeSample> wholes;
  std::set<std::string> architectures;
  predictor.known = {};
  for (const CollectedModel* model : models) {
    predictor.machine = model->machine, predictor.runtime = model->runtime;
    predictor.runtime_version = model->runtime_version, predictor.device = model->device;
    predictor.threads = model->threads;
    WholeSample& whole = wholes.emplace_back(WholeSample{{}, model->io_bytes.value_or(0), model->latency_ms * 1000});
    for (const CollectedKernel& kernel : model->kernels) {
      samples.push_back(sample_of(*model, kernel));
      predictor.known.add(kernel.facts, kernel.latency_ms * 1000);
      whole.kernels.push_back({kernel.latency_ms * 1000, host_work_of(kernel.facts)});
    }
    architectures.insert(model->architecture);
  }
  predictor.overhead = fit_overhead(wholes, predictor.device);
  predictor.models = models.size(), predictor.architectures = architectures.size(), predictor.kernels = samples.size();
  return samples;
}

Predictor train(const Dataset& dataset, std::span<const std::size_t> which, const TreeSettings& settings) {
  std::vector<const CollectedModel*> models;
  for (const std::size_t place : which) models.push_back(&dataset.models[place]);
  Predictor predictor;
  const std::vector<KernelSample> samples = learn_measured(models, predictor);
  if (samples.empty()) refuse_input("there are no models to train on; collect more");
  predictor.trees = RatioTrees::train(samples, dataset.models[which.front()].constants, settings);
  return predictor;
}

void check_is_one_way(const Dataset& dataset, const std::string& where) {
  const CollectedModel& first = dataset.models.front();
  for (const CollectedModel& model : dataset.models) {
    const auto refuse = [&](std::string_view what, const std::string& one, const std::string& other) {
      refuse_input(
          fmt::format("{}: models were measured with {} '{}' and '{}'; use a separate dataset and predictor for each",
                      where, what, printable(one), printable(other)));
    };
    if (model.machine != first.machine) refuse("machine", first.machine, model.machine);
    if (model.runtime != first.runtime) refuse("runtime", first.runtime, model.runtime);
    if (model.runtime_version != first.runtime_version)
      refuse("runtime version", first.runtime_version, model.runtime_version);
    if (model.device != first.device) refuse("device", first.device, model.device);
    if (model.threads != first.threads) refuse("threads", std::to_string(first.threads), std::to_string(model.threads));
  }
}

}  // namespace takt
