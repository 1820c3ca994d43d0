// Predictions against the truth: models are predicted, then run, in rounds of fresh processes and in an order drawn
// anew, and the two are compared.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "predict/answer/predictor.h"
#include "predict/collect/bench.h"

namespace takt {

/// A model's prediction, as a command shows it.
struct PredictedModel {
  std::string model;  ///< as it was named
  ModelFacts facts;
  ModelPrediction prediction;
  Duration took{};                         ///< of the prediction itself, without opening the model
  std::string predictor{};                 ///< ChosenPredictor::name
  std::optional<double> machine_factor{};  ///< as in ChosenPredictor
  std::optional<double> busy_factor{};     ///< the upper end is that many times as far; nullopt: nobody disturbed
};

/// Opens the model on the runtime, the device and as many threads as the predictor is for, with the inputs that
/// `settings` give. For a GPU that this program cannot use, the kernels are those that ONNX Runtime would make of the
/// model for a device without fused activations; a note says so. Throws Error as facts_of_model().
PredictedModel predict_model(const Predictor& predictor, const std::filesystem::path& model, RunSettings settings = {});

struct EvaluateSettings {
  std::vector<std::filesystem::path> models;
  int rounds = 3;
  Duration time = std::chrono::milliseconds(700);  ///< of one model in one round
  std::uint64_t seed = 1;
  Nanoseconds limit = std::chrono::minutes(10);
  std::optional<LoadConfig> load;  ///< the load is looked at before each run, and the run predicted beside it
  bool online = false;             ///< with `load`: intervals are those of online_width.h, as soon as they can be told
  std::vector<std::string> child;  ///< the command of a collection's own process
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

/// A kernel of a model as its record has it, the record's own cost included.
struct EvaluatedKernel {
  KernelGroup group = KernelGroup::other;
  double measured_us = 0, predicted_us = 0;
};

struct EvaluatedModel {
  std::string model;
  int round = 0;  ///< of predictions beside a load, of which each round has its own; 0: all rounds
  std::optional<ModelPrediction> prediction;
  std::int64_t interval_runs = 0;  ///< runs before this one that the interval is from; 0: it is the predictor's
  std::optional<double> measured_us, noise;  ///< mean over the rounds; how far one is from the others
  std::string problem;                       ///< why something is missing; empty: nothing is
  std::vector<EvaluatedKernel> kernels{};    ///< of a run of their own behind the rounds; none beside a load
};

/// A model that cannot be predicted or run is a row with its problem. With `load` a row per model and round. Throws
/// Error(runtime) when stopped.
std::vector<EvaluatedModel> evaluate(const Predictor& predictor, const EvaluateSettings& settings);

/// The models that have both figures, as one row of errors; nullopt: none has.
std::optional<ErrorRow> errors_of(const std::vector<EvaluatedModel>& models);

/// Errors of the kernels of one group.
struct GroupErrors {
  KernelGroup group = KernelGroup::other;
  ErrorFigures figures;
  double measured_us = 0, predicted_us = 0;  ///< of all of its kernels
  double share = 0;                          ///< of the measured time of all kernels; 0..1
};
/// Of the groups that have kernels, most measured time first.
std::vector<GroupErrors> group_errors_of(const std::vector<EvaluatedModel>& models);
/// The same of groups that were judged apart, each as often as it was.
std::vector<GroupErrors> joined(const std::vector<GroupErrors>& apart);

struct Evaluation {
  Evaluation(std::vector<EvaluatedModel> evaluated)  // NOLINT(google-explicit-constructor)
      : models(std::move(evaluated)), groups(group_errors_of(models)) {}
  Evaluation(std::vector<EvaluatedModel> evaluated, std::vector<GroupErrors> judged)
      : models(std::move(evaluated)), groups(std::move(judged)) {}

  std::vector<EvaluatedModel> models;
  std::vector<GroupErrors> groups;
};

}  // namespace takt
