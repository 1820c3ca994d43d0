#include "predict/answer/loaded_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "predict/answer/load_training.h"

namespace takt {
namespace {

double memory_share_of(const Predictor& predictor, const ModelPrediction& prediction,
                       std::span<const KernelFacts> kernels) {
  std::vector<const KernelFacts*> facts;
  std::vector<double> us;
  for (const KernelFacts& kernel : kernels) facts.push_back(&kernel);
  for (const KernelPrediction& kernel : prediction.kernels) us.push_back(kernel.us);
  return memory_share(facts, us, predictor.trees.machine());
}

constexpr double unknown_load = 1.6;  // of the logarithm: a factor of five

void apply(const LoadFactor& factor, const Predictor& predictor, ModelPrediction& prediction) {
  // Errors of predictions beside loads hold that of the quiet one, of kernels like those that were trained on; what is
  // stranger than that in the quiet interval stays.
  const double usual = predictor.model_width, added = std::max(0.0, factor.width - usual);
  for (KernelPrediction& kernel : prediction.kernels) {
    kernel.us *= factor.factor, kernel.recorded_us *= factor.factor;
    kernel.low_us *= factor.factor * std::exp(-added), kernel.high_us *= factor.factor * std::exp(added);
  }
  prediction.us *= factor.factor, prediction.overhead_us *= factor.factor;
  prediction.low_us *= factor.factor * std::exp(-added), prediction.high_us *= factor.factor * std::exp(added);
}

}  // namespace

void check_knows_loads(const Predictor& predictor) {
  if (predictor.load_laws.empty())
    throw Error(ErrorKind::unsupported,
                "the predictor has no load model: its dataset was collected without --stress, or has too few "
                "measurements under load; collect with --stress (more rounds, fewer other programs) and fit again");
}

ModelPrediction beside_load(const Predictor& predictor, ModelPrediction prediction,
                            std::span<const KernelFacts> kernels, const SeenLoad& seen) {
  check_knows_loads(predictor);
  const double share = memory_share_of(predictor, prediction, kernels);
  for (const LoadLaw& law : predictor.load_laws) {
    const auto factor = law.factor(seen, share);
    if (!factor) continue;
    apply(*factor, predictor, prediction);
    prediction.load = LoadShare{factor->factor, law.kind(), factor->is_beyond};
    return prediction;
  }
  prediction.load = LoadShare{};
  const double most = std::max(std::exp(unknown_load), predictor.load_laws.front().widths().back().up_to_factor);
  for (KernelPrediction& kernel : prediction.kernels) kernel.high_us *= most;
  prediction.high_us *= most;
  return prediction;
}

std::string sentence_of(const LoadLaw& law) {
  std::string text = law.kind() + ":";
  for (const LoadTerm& term : law.terms())
    text += fmt::format("{} {} {:.2f}{:+.2f}·memory ({:.3g} when idle)", &term == law.terms().data() ? "" : ",",
                        term.feature, term.weight, term.by_memory, term.quiet);
  return text;
}

}  // namespace takt
