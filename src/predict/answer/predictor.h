// A predictor: what was learnt from a dataset, and what it says of a model that nobody has run.
//
// Every kernel gets a number, from the best source that has one: measured (the same kernel in such a place), trained
// (trees of kernels like it), roofline (nothing like it was seen: what the machine's peaks allow, with a wide
// interval). A model takes the sum of its kernels, since runtimes execute them one after another, less what their
// records cost, and an overhead; on a GPU what launching.h says.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/system/provenance.h"
#include "predict/answer/load_law.h"
#include "predict/fit/error_figures.h"
#include "predict/fit/known_kernels.h"
#include "predict/fit/overhead.h"
#include "predict/fit/ratio_trees.h"

namespace takt {

enum class Tier { measured, trained, roofline };
std::string_view name_of(Tier tier);

struct KernelPrediction {
  Tier tier = Tier::roofline;
  double us = 0, low_us = 0, high_us = 0;  ///< unobserved; the interval holds with 90 %
  double recorded_us = 0;                  ///< what a record of it would say, its own cost included
  bool is_beyond = false;                  ///< more or less work than anything that was trained on
};

/// The effect of a load on a prediction.
struct LoadShare {
  double factor = 1;       ///< of all times of the prediction
  std::string from;        ///< the kind of the law: "probe"; empty: none could be applied
  bool is_beyond = false;  ///< more load than was trained on
};

struct ModelPrediction {
  std::vector<KernelPrediction> kernels;  ///< in the order of execution
  double overhead_us = 0;
  double us = 0, low_us = 0, high_us = 0;  ///< Σ kernels + overhead
  std::optional<LoadShare> load;           ///< nullopt: for a quiet machine
  double share(Tier tier) const;           ///< of the kernels' time; 0..1
};

struct Predictor {
  std::string machine, runtime, runtime_version, device;
  int threads = 1;
  RatioTrees trees;
  KnownKernels known;
  Overhead overhead;
  std::vector<LoadLaw> load_laws;              ///< the most certain first; empty: none was learnt
  double measured_width = 0;                   ///< |log ratio|; of kernels with a measured time
  std::map<KernelGroup, double> kernel_width;  ///< of trained kernels
  double model_width = 0;
  double machine_width = 0;  ///< added to all of these where it speaks for a machine that was not measured; in no file
  std::size_t models = 0, architectures = 0, kernels = 0;
  bool is_width_certain = false;  ///< there were enough models for a bound of 90 %
  std::vector<ErrorRow> errors;   ///< how well it did on what it had not seen
};

/// A kernel of which nothing is known may be this many times as fast or slow as the roofline says.
inline constexpr double roofline_width = 1.6;  // of the logarithm: a factor of five

/// Thread-safe. The kernels are those of one model, in the order of execution; `io_bytes` are those of the model's
/// inputs and outputs together, which a device of its own is brought and gives back.
ModelPrediction predict(const Predictor& predictor, std::span<const KernelFacts> kernels, double io_bytes = 0);

/// What measured models say without any trees: whose they are, times of their kernels, the overhead, how many. Returns
/// their kernels, to train or correct trees by; refers to `models`.
std::vector<KernelSample> learn_measured(std::span<const CollectedModel* const> models, Predictor& predictor);

/// Returns a predictor trained on the models at `which` of a dataset of one machine, runtime and number of threads;
/// without widths and errors.
Predictor train(const Dataset& dataset, std::span<const std::size_t> which, const TreeSettings& settings);

/// Throws Error(bad_input) where models were measured in ways that one predictor cannot stand for.
void check_is_one_way(const Dataset& dataset, const std::string& where);

}  // namespace takt
