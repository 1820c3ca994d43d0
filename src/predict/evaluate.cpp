#include "predict/evaluate.h"

#include "core/error.h"
#include "core/random.h"
#include "predict/collect_process.h"
#include "predict/round_noise.h"

namespace takt {
namespace {

CollectTask task_of(const Predictor& predictor, const EvaluateSettings& settings, std::size_t model, int round) {
  return {.model = settings.models[model],
          .runtime = predictor.runtime,
          .device = predictor.device,
          .threads = predictor.threads,
          .time = settings.time,
          .with_kernels = false,
          .seed = settings.seed,
          .round = round};
}

void check_stop(const EvaluateSettings& settings) {
  if (settings.stop && *settings.stop) throw Error(ErrorKind::runtime, "stopped before every model was measured");
}

/// Its prediction, made before it is first run.
void predict_first(const Predictor& predictor, const std::filesystem::path& path, EvaluatedModel& model) {
  if (model.prediction || !model.problem.empty()) return;
  try {
    model.prediction = predict_model(predictor, path).prediction;
  } catch (const Error& error) {
    model.problem = error.what();
  }
}

}  // namespace

PredictedModel predict_model(const Predictor& predictor, const std::filesystem::path& model) {
  RunSettings settings;
  settings.runtime = predictor.runtime, settings.device = predictor.device, settings.threads = predictor.threads;
  PredictedModel result{model.string(), facts_of_model(model, settings), {}, {}};
  const Nanoseconds begin = steady_now();
  result.prediction = predict(predictor, result.facts.kernels);
  result.took = Duration(steady_now() - begin);
  return result;
}

std::vector<EvaluatedModel> evaluate(const Predictor& predictor, const EvaluateSettings& settings) {
  std::vector<EvaluatedModel> models(settings.models.size());
  std::vector<std::vector<double>> times(models.size());
  std::vector<std::size_t> order(models.size());
  for (std::size_t i = 0; i < models.size(); ++i) order[i] = i, models[i].model = settings.models[i].string();
  std::uint64_t done = 0;
  for (int round = 1; round <= settings.rounds; ++round) {
    Random random(settings.seed * 1000 + static_cast<std::uint64_t>(round));
    shuffle(order, random);
    for (const std::size_t i : order) {
      check_stop(settings);
      predict_first(predictor, settings.models[i], models[i]);
      if (models[i].problem.empty()) {
        const auto record =
            run_collect_process(settings.child, task_of(predictor, settings, i, round), settings.limit, settings.stop);
        if (!record) check_stop(settings);
        if (record && record->status == CollectStatus::failed) models[i].problem = record->reason;
        if (record && record->status != CollectStatus::failed) times[i].push_back(record->latency_us);
      }
      if (settings.progress)
        settings.progress(++done, settings.models.size() * static_cast<std::uint64_t>(settings.rounds));
    }
  }
  for (std::size_t i = 0; i < models.size(); ++i)
    if (!times[i].empty())
      models[i].measured_us = mean_of_rounds(times[i]), models[i].noise = noise_of_rounds(times[i]);
  return models;
}

std::optional<ErrorRow> errors_of(const std::vector<EvaluatedModel>& models) {
  std::vector<Judged> judged;
  std::vector<double> noises;
  for (const EvaluatedModel& model : models) {
    if (!model.measured_us || !model.prediction) continue;
    judged.push_back({*model.measured_us, model.prediction->us, model.prediction->low_us, model.prediction->high_us});
    if (model.noise) noises.push_back(*model.noise);
  }
  const auto figures = error_figures(judged);
  if (!figures) return std::nullopt;
  return ErrorRow{"", "model", "takt", *figures, noises.empty() ? std::nullopt : std::optional(mean_of_rounds(noises))};
}

}  // namespace takt
