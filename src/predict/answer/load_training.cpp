#include "predict/answer/load_training.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

/// A sample with what its model takes in quiet as predicted without having seen it, and beside the load as measured.
struct JudgedSample {
  LoadSample sample;
  double quiet_us = 0, measured_us = 0;
};

std::vector<JudgedSample> samples_of(const ByLoad& data, const std::vector<double>& quiet_us) {
  std::map<std::string, std::size_t> quiet;
  for (std::size_t i = 0; i < data.quiet.models.size(); ++i) quiet.emplace(data.quiet.models[i].model, i);
  std::vector<JudgedSample> samples;
  for (const CollectedModel& model : data.loaded.models) {
    const auto found = quiet.find(model.model);
    if (found == quiet.end() || std::isnan(quiet_us[found->second])) continue;
    const CollectedModel& same = data.quiet.models[found->second];
    std::vector<const KernelFacts*> facts;
    std::vector<double> us;
    for (const CollectedKernel& kernel : same.kernels)
      facts.push_back(&kernel.facts), us.push_back(kernel.latency_ms * 1000);
    samples.push_back({{model.load.seen, memory_share(facts, us, same.constants), model.latency_ms / same.latency_ms,
                        same.architecture, to_string(model.load.asked)},
                       quiet_us[found->second],
                       model.latency_ms * 1000});
  }
  return samples;
}

/// Each sample by a law that has seen neither its architecture nor its load; nullopt: there is none.
std::vector<std::optional<LoadFactor>> unseen_factors(const std::vector<JudgedSample>& samples,
                                                      std::span<const SeenLoad> quiet, const LoadLawKind& kind) {
  std::map<std::pair<std::string, std::string>, std::optional<LoadLaw>> laws;
  std::vector<std::optional<LoadFactor>> factors;
  for (const JudgedSample& one : samples) {
    const auto [found, is_new] = laws.try_emplace({one.sample.model, one.sample.load});
    if (is_new) {
      std::vector<const LoadSample*> others;
      for (const JudgedSample& other : samples)
        if (other.sample.model != one.sample.model && other.sample.load != one.sample.load)
          others.push_back(&other.sample);
      found->second = fit_load_law(others, quiet, kind);
    }
    factors.push_back(found->second ? found->second->factor(one.sample.seen, one.sample.memory_share) : std::nullopt);
  }
  return factors;
}

double log_error_of(const JudgedSample& one, double factor) {
  return std::abs(std::log(one.measured_us / (one.quiet_us * factor)));
}

/// Predictions with intervals from the errors of the other architectures.
std::vector<Judged> judged_samples(const std::vector<JudgedSample>& samples,
                                   const std::vector<std::optional<LoadFactor>>& factors) {
  std::map<std::string, std::vector<LoadWidth>> widths;
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!factors[i]) continue;
    const auto [found, is_new] = widths.try_emplace(samples[i].sample.model);
    if (is_new) {
      std::vector<LoadError> errors;
      for (std::size_t k = 0; k < samples.size(); ++k)
        if (factors[k] && samples[k].sample.model != samples[i].sample.model)
          errors.push_back({factors[k]->factor, log_error_of(samples[k], factors[k]->factor)});
      found->second = load_widths(std::move(errors));
    }
    const double us = samples[i].quiet_us * factors[i]->factor;
    judged.push_back(judged_of(samples[i].measured_us, us, width_at(found->second, factors[i]->factor)));
  }
  return judged;
}

std::vector<LoadWidth> widths_of(const std::vector<JudgedSample>& samples,
                                 const std::vector<std::optional<LoadFactor>>& factors) {
  std::vector<LoadError> errors;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (factors[i]) errors.push_back({factors[i]->factor, log_error_of(samples[i], factors[i]->factor)});
  return load_widths(std::move(errors));
}

}  // namespace

double memory_share(std::span<const KernelFacts* const> kernels, std::span<const double> us,
                    const MachineConstants& machine) {
  double of_memory = 0, all = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelFacts& facts = *kernels[i];
    const double computing = std::isnan(facts[Feature::flops]) ? 0 : facts[Feature::flops] / machine.flops_per_s;
    const double moving = (facts[Feature::input_bytes] + facts[Feature::output_bytes] + facts[Feature::weight_bytes]) /
                          machine.bytes_per_s;
    all += us[i];
    if (computing + moving > 0) of_memory += us[i] * moving / (computing + moving);
  }
  return all > 0 ? of_memory / all : 0;
}

LoadTraining train_load(const ByLoad& data, const std::vector<double>& quiet_us) {
  LoadTraining result;
  const auto samples = samples_of(data, quiet_us);
  std::vector<const LoadSample*> all;
  for (const JudgedSample& one : samples) all.push_back(&one.sample);
  std::vector<SeenLoad> quiet;
  for (const CollectedModel& model : data.quiet.models) quiet.push_back(model.load.seen);
  std::vector<std::pair<double, std::pair<LoadLaw, ErrorRow>>> found;  // by error
  for (const LoadLawKind& kind : load_law_kinds()) {
    auto law = fit_load_law(all, quiet, kind);
    if (!law) continue;
    const auto factors = unseen_factors(samples, quiet, kind);
    const auto figures = error_figures(judged_samples(samples, factors));
    law->set_widths(widths_of(samples, factors));
    if (!figures || law->widths().empty()) continue;
    found.emplace_back(figures->mape, std::pair(std::move(*law), ErrorRow{"load", "model", std::string(kind.name),
                                                                          *figures, std::nullopt}));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [error, one] : found) {
    if (result.laws.empty()) one.second.method = "takt";
    result.laws.push_back(std::move(one.first)), result.errors.push_back(std::move(one.second));
  }
  if (result.laws.empty()) return result;
  std::vector<Judged> ignoring;
  for (const JudgedSample& one : samples) ignoring.push_back({one.measured_us, one.quiet_us, {}, {}});
  if (const auto figures = error_figures(ignoring))
    result.errors.push_back({"load", "model", "without load", *figures, {}});
  return result;
}

}  // namespace takt
