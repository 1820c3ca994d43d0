#include "predict/answer/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "base/basics/error.h"
#include "predict/fit/baselines.h"
#include "predict/fit/conformal.h"

namespace takt {
namespace {

constexpr double not_predicted = std::numeric_limits<double>::quiet_NaN();

enum class Method { takt, boosting, forest, source, flops, roofline };
constexpr std::array<std::string_view, 6> method_names{"takt",  "boosting", "forest", "source's recipe",
                                                       "FLOPs", "roofline"};

/// By one method, of everything, each by the training without its part.
struct Estimates {
  std::vector<std::vector<double>> kernel_us;  ///< by model, by kernel
  std::vector<std::vector<Tier>> tier;
  std::vector<double> model_us;  ///< NaN in a split that parts models
};

using ByMethod = std::map<Method, Estimates>;

std::vector<std::size_t> all_of(const Dataset& dataset) {
  std::vector<std::size_t> which(dataset.models.size());
  for (std::size_t i = 0; i < which.size(); ++i) which[i] = i;
  return which;
}

/// One training of every method, asked about the kernels of its part.
class PartTraining {
 public:
  PartTraining(const Dataset& rest, const ValidationSettings& settings)
      : predictor_(train(rest, all_of(rest), settings.trees)) {
    for (const CollectedModel& model : rest.models)
      for (const CollectedKernel& kernel : model.kernels) samples_.push_back(sample_of(model, kernel));
    if (!settings.baselines) return;
    const MachineConstants& machine = rest.models.front().constants;
    forest_ = RatioTrees::train(
        samples_, machine, {.kind = TreeKind::forest, .trees = settings.forest_trees, .seed = settings.trees.seed});
    source_.emplace(samples_, settings.forest_trees, settings.trees.seed);
    flops_.emplace(samples_);
    roofline_.emplace(samples_, machine);
  }

  void answer(const KernelFacts& facts, std::size_t m, std::size_t k, ByMethod& all) const {
    const ModelPrediction one = predict(predictor_, std::span(&facts, 1));
    set(all[Method::takt], m, k, one.kernels.front().recorded_us, one.kernels.front().tier);
    if (!source_) return;
    const double roof = predictor_.trees.roofline(facts);
    const RatioEstimate otherwise{roof};
    set(all[Method::boosting], m, k, predictor_.trees.estimate(facts).value_or(otherwise).us);
    set(all[Method::forest], m, k, forest_.estimate(facts).value_or(otherwise).us);
    set(all[Method::source], m, k, source_->predict_us(facts));
    set(all[Method::flops], m, k, flops_->predict_us(facts));
    set(all[Method::roofline], m, k, roofline_->predict_us(facts));
  }

  const Overhead& overhead() const { return predictor_.overhead; }

 private:
  static void set(Estimates& estimates, std::size_t m, std::size_t k, double us, Tier tier = Tier::trained) {
    estimates.kernel_us[m][k] = us, estimates.tier[m][k] = tier;
  }

  Predictor predictor_;
  std::vector<KernelSample> samples_;
  RatioTrees forest_;
  std::optional<RawForest> source_;
  std::optional<FlopsLaw> flops_;
  std::optional<ScaledRoofline> roofline_;
};

ByMethod empty_estimates(const Dataset& dataset, bool baselines) {
  Estimates empty;
  for (const CollectedModel& model : dataset.models) {
    empty.kernel_us.emplace_back(model.kernels.size(), not_predicted);
    empty.tier.emplace_back(model.kernels.size(), Tier::trained);
    empty.model_us.push_back(not_predicted);
  }
  ByMethod all{{Method::takt, empty}};
  if (baselines)
    for (const Method method : {Method::boosting, Method::forest, Method::source, Method::flops, Method::roofline})
      all[method] = empty;
  return all;
}

void add_sums(const Dataset& dataset, std::size_t m, const Overhead& overhead, ByMethod& all) {
  for (auto& entry : all) {
    const CollectedModel& model = dataset.models[m];
    std::vector<KernelTime> kernels;
    for (std::size_t k = 0; k < model.kernels.size(); ++k)
      kernels.push_back({entry.second.kernel_us[m][k], host_work_of(model.kernels[k].facts)});
    entry.second.model_us[m] = overhead.whole(kernels, model.io_bytes.value_or(0));
  }
}

/// What each part's kernels and models take by the trainings without it.
ByMethod estimates_of(const Dataset& dataset, Split split, const Parts& parts, const ValidationSettings& settings,
                      const std::function<void()>& told) {
  ByMethod all = empty_estimates(dataset, settings.baselines);
  for (int part = 0; part < parts.count; ++part) {
    if (settings.stop && *settings.stop) throw Error(ErrorKind::runtime, "stopped while training");
    const PartTraining training(without_part(dataset, parts, part), settings);
    for (std::size_t m = 0; m < dataset.models.size(); ++m) {
      for (std::size_t k = 0; k < parts.of[m].size(); ++k)
        if (parts.of[m][k] == part) training.answer(dataset.models[m].kernels[k].facts, m, k, all);
      if (split != Split::kernel && parts.of[m].front() == part) add_sums(dataset, m, training.overhead(), all);
    }
    told();
  }
  return all;
}

double log_error(double measured, double predicted) { return std::abs(std::log(measured / predicted)); }

/// Errors of kernels, of one class each, and the part that each is from.
struct ClassedErrors {
  std::vector<double> errors;
  std::vector<int> parts;

  void add(double error, int part) { errors.push_back(error), parts.push_back(part); }
  /// Of all parts but this one; −1: of all.
  std::optional<double> width(int without) const {
    std::vector<double> others;
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (parts[i] != without) others.push_back(errors[i]);
    return conformal_width(others);
  }
};

/// Class −1: kernels with a measured time; else the group of trained ones.
int class_of(const CollectedKernel& kernel, Tier tier) {
  return tier == Tier::measured ? -1 : static_cast<int>(kernel.facts.group);
}

std::map<int, ClassedErrors> kernel_errors(const Dataset& dataset, const Parts& parts, const Estimates& estimates) {
  std::map<int, ClassedErrors> errors;
  for (std::size_t m = 0; m < dataset.models.size(); ++m)
    for (std::size_t k = 0; k < dataset.models[m].kernels.size() && parts.is_predicted[m]; ++k) {
      const CollectedKernel& kernel = dataset.models[m].kernels[k];
      if (estimates.tier[m][k] == Tier::roofline) continue;
      errors[class_of(kernel, estimates.tier[m][k])].add(log_error(kernel.latency_ms * 1000, estimates.kernel_us[m][k]),
                                                         parts.of[m][k]);
    }
  return errors;
}

ClassedErrors model_errors(const Dataset& dataset, const Parts& parts, const Estimates& estimates) {
  ClassedErrors errors;
  for (std::size_t m = 0; m < dataset.models.size(); ++m)
    if (parts.is_predicted[m])
      errors.add(log_error(dataset.models[m].latency_ms * 1000, estimates.model_us[m]), parts.of[m].front());
  return errors;
}

/// The width of each class without each part, worked out once.
class PartWidths {
 public:
  explicit PartWidths(std::map<int, ClassedErrors> errors) : errors_(std::move(errors)) {}
  std::optional<double> of(int kind, int part) {
    const auto [found, is_new] = widths_.try_emplace({kind, part});
    if (is_new) found->second = errors_[kind].width(part);
    return found->second;
  }

 private:
  std::map<int, ClassedErrors> errors_;
  std::map<std::pair<int, int>, std::optional<double>> widths_;
};

std::optional<double> mean_noise(const Dataset& dataset, const Parts& parts, bool of_models) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t m = 0; m < dataset.models.size(); ++m) {
    const CollectedModel& model = dataset.models[m];
    if (!parts.is_predicted[m]) continue;
    if (of_models && model.noise) sum += *model.noise, ++count;
    if (of_models) continue;
    for (const CollectedKernel& kernel : model.kernels)
      if (kernel.noise) sum += *kernel.noise, ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

/// Rows of the table for one split.
void add_rows(const Dataset& dataset, Split split, const Parts& parts, const ByMethod& all,
              std::vector<ErrorRow>& rows) {
  for (const auto& [method, estimates] : all) {
    PartWidths kernel_widths(kernel_errors(dataset, parts, estimates));
    std::vector<Judged> kernels, models;
    for (std::size_t m = 0; m < dataset.models.size(); ++m)
      for (std::size_t k = 0; k < dataset.models[m].kernels.size() && parts.is_predicted[m]; ++k) {
        const CollectedKernel& kernel = dataset.models[m].kernels[k];
        const Tier tier = estimates.tier[m][k];
        const auto width = tier == Tier::roofline ? std::optional(roofline_width)
                                                  : kernel_widths.of(class_of(kernel, tier), parts.of[m][k]);
        kernels.push_back(judged_of(kernel.latency_ms * 1000, estimates.kernel_us[m][k], width));
      }
    const std::string name(method_names[static_cast<std::size_t>(method)]);
    const auto add = [&](const char* level, const std::vector<Judged>& judged, bool of_models) {
      if (const auto figures = error_figures(judged))
        rows.push_back({std::string(name_of(split)), level, name, *figures, mean_noise(dataset, parts, of_models)});
    };
    if (split != Split::kernel) {
      const ClassedErrors errors = model_errors(dataset, parts, estimates);
      for (std::size_t m = 0; m < dataset.models.size(); ++m)
        if (parts.is_predicted[m])
          models.push_back(
              judged_of(dataset.models[m].latency_ms * 1000, estimates.model_us[m], errors.width(parts.of[m].front())));
      add("model", models, true);
    }
    add("kernel", kernels, false);
  }
}

void take_widths(const Dataset& dataset, const Parts& parts, const Estimates& estimates, Validation& result) {
  for (const auto& [kind, errors] : kernel_errors(dataset, parts, estimates)) {
    const double width = errors.width(-1).value_or(roofline_width);
    if (kind < 0)
      result.measured_width = width;
    else
      result.kernel_width[static_cast<KernelGroup>(kind)] = width;
  }
  const ClassedErrors errors = model_errors(dataset, parts, estimates);
  result.model_width = errors.width(-1).value_or(roofline_width);
  result.is_width_certain = errors.errors.size() >= errors_needed();
  if (result.measured_width > 0) return;
  // No kernel stands in two models: its own noise is not known, so it is as uncertain as a trained one at best.
  for (const auto& entry : result.kernel_width) result.measured_width = std::max(result.measured_width, entry.second);
}

}  // namespace

Validation validate(const Dataset& dataset, const ValidationSettings& settings) {
  std::map<Split, Parts> splits;
  std::uint64_t total = 0, done = 0;
  for (const Split split : {Split::kernel, Split::model, Split::family, Split::zoo}) {
    Parts parts = parts_of(dataset, split, settings.folds, settings.trees.seed);
    if (parts.count < (split == Split::zoo ? 1 : 2)) continue;
    total += static_cast<std::uint64_t>(parts.count);
    splits.emplace(split, std::move(parts));
  }
  if (!splits.contains(Split::model))
    refuse_input("the dataset has only one architecture, so no other can be held out for testing; collect more models");
  Validation result;
  for (const auto& [split, parts] : splits) {
    const ByMethod all = estimates_of(dataset, split, parts, settings, [&] {
      if (settings.progress) settings.progress(++done, total);
    });
    add_rows(dataset, split, parts, all, result.errors);
    if (split != Split::model) continue;
    take_widths(dataset, parts, all.at(Method::takt), result);
    result.unseen_us = all.at(Method::takt).model_us;
  }
  return result;
}

}  // namespace takt
