#include "predict/answer/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "model/runtime/runtime.h"
#include "predict/answer/bodies.h"
#include "predict/answer/loaded_prediction.h"
#include "predict/answer/online_width.h"
#include "predict/collect/process.h"
#include "predict/collect/round_noise.h"
#include "predict/sources/sources.h"

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

/// The kernels of a record beside their predictions; none where the model that ran has other kernels.
std::vector<EvaluatedKernel> compared_kernels(const PredictedModel& predicted, const CollectRecord& record) {
  const auto& facts = predicted.facts.kernels;
  if (facts.size() != record.kernels.size()) return {};
  std::vector<EvaluatedKernel> kernels;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].op_type != record.kernels[i].facts.op_type) return {};
    kernels.push_back({facts[i].group, record.kernels[i].us, predicted.prediction.kernels[i].recorded_us});
  }
  return kernels;
}

void check_stop(const EvaluateSettings& settings) {
  if (settings.stop && *settings.stop) throw Error(ErrorKind::runtime, "stopped before every model was measured");
}

/// Models as they are predicted: once for a quiet machine, or before each run for the load of the moment.
class Predictions {
 public:
  Predictions(const Predictor& predictor, const EvaluateSettings& settings)
      : predictor_(predictor), settings_(settings), models_(settings.models.size()) {
    if (settings.load) sources_ = make_load_sources(*settings.load);
  }

  /// Opens the model, which takes a while. Throws what predict_model() throws.
  void prepare(std::size_t model) {
    if (!models_[model]) models_[model] = predict_model(predictor_, settings_.models[model]);
  }

  /// Of a model that is prepared.
  const PredictedModel& quiet(std::size_t model) const { return *models_[model]; }

  /// Of a model that is prepared. Throws what beside_load() throws.
  ModelPrediction next(std::size_t model) {
    if (!settings_.load) return models_[model]->prediction;
    const SeenLoad seen = seen_in(take_snapshot(sources_, settings_.load->window, settings_.stop));
    return beside_load(predictor_, models_[model]->prediction, models_[model]->facts.kernels, seen);
  }

 private:
  const Predictor& predictor_;
  const EvaluateSettings& settings_;
  std::vector<std::optional<PredictedModel>> models_;
  std::vector<std::unique_ptr<LoadSource>> sources_;
};

/// How far off the predictions beside a load were so far.
class Hindsight {
 public:
  void change_interval(EvaluatedModel& row) const {
    if (!row.prediction) return;
    ModelPrediction& prediction = *row.prediction;
    const auto interval = errors_.at(factor_of(prediction));
    const double width = interval ? interval->width : errors_.largest();
    const double low = prediction.us * std::exp(-width), high = prediction.us * std::exp(width);
    if (interval) {
      row.interval_runs = static_cast<std::int64_t>(interval->runs);
      prediction.low_us = low, prediction.high_us = high;
    } else {
      prediction.low_us = std::min(prediction.low_us, low), prediction.high_us = std::max(prediction.high_us, high);
    }
  }

  void observe(const ModelPrediction& prediction, double measured_us) {
    errors_.observe(factor_of(prediction), std::abs(std::log(measured_us / prediction.us)));
  }

 private:
  static double factor_of(const ModelPrediction& prediction) { return prediction.load ? prediction.load->factor : 1; }
  OnlineWidth errors_;
};

/// What fails is the model's problem.
template <typename Function>
void try_for(EvaluatedModel& model, const Function& work) {
  if (!model.problem.empty()) return;
  try {
    work();
  } catch (const Error& error) {
    model.problem = error.what();
  }
}

/// A model whose kernels cannot be timed is judged as a whole all the same.
void time_kernels(const EvaluateSettings& settings, std::size_t model, CollectTask task, const Predictions& predictions,
                  EvaluatedModel& row) {
  check_stop(settings);
  if (!row.problem.empty()) return;
  task.with_kernels = true;
  const auto record = run_collect_process(settings.child, task, settings.limit, settings.stop);
  if (!record) check_stop(settings);
  if (record && record->status != CollectStatus::failed)
    row.kernels = compared_kernels(predictions.quiet(model), *record);
}

bool can_use(const std::string& runtime, const std::string& device) {
  if (device == "CPU") return true;
  for (const DeviceStatus& status : make_runtime(runtime)->devices())
    if (status.device.starts_with(device) && !status.reason) return true;
  return false;
}

/// ONNX Runtime's optimisations for every device and those of transformers, but not what only its CPU kernels can do:
/// other layouts, and an activation at the end of a convolution or product. Its CUDA kernels of the dataset are those.
void prepare_for_unusable_device(RunSettings& settings) {
  settings.device = "CPU";
  settings.properties["graph_optimization_level"] = "extended";
  settings.properties["optimization.disable_specified_optimizers"] =
      "ConvActivationFusion;ConvAddActivationFusion;GemmActivationFusion;MatmulActivationFusion";
}

/// A row per model, with a load also per round.
std::vector<EvaluatedModel> rows_to_fill(const EvaluateSettings& settings) {
  const std::size_t count = settings.models.size();
  std::vector<EvaluatedModel> rows(settings.load ? count * static_cast<std::size_t>(settings.rounds) : count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].model = settings.models[i % count].string();
    if (settings.load) rows[i].round = static_cast<int>(i / count) + 1;
  }
  return rows;
}

}  // namespace

PredictedModel predict_model(const Predictor& predictor, const std::filesystem::path& model, RunSettings settings) {
  settings.runtime = predictor.runtime, settings.device = predictor.device, settings.threads = predictor.threads;
  const bool is_elsewhere = !can_use(predictor.runtime, predictor.device);
  if (is_elsewhere) prepare_for_unusable_device(settings);
  PredictedModel result{model.string(), facts_of_model(model, settings), {}, {}};
  if (is_elsewhere)
    result.facts.notes.push_back(fmt::format(
        "{} cannot be used here, so its kernels are what {} makes of the model on the CPU without the CPU's "
        "own layouts and fusions; the device's may differ in part",
        predictor.device, predictor.runtime));
  const Nanoseconds begin = steady_now();
  result.prediction = predict(predictor, result.facts.kernels, result.facts.io_bytes);
  add_bodies(predictor, result.facts, result.prediction);
  result.took = Duration(steady_now() - begin);
  return result;
}

std::vector<EvaluatedModel> evaluate(const Predictor& predictor, const EvaluateSettings& settings) {
  const std::size_t count = settings.models.size(), rounds = static_cast<std::size_t>(settings.rounds);
  std::vector<EvaluatedModel> rows = rows_to_fill(settings);
  std::vector<std::vector<double>> times(rows.size());
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Predictions predictions(predictor, settings);
  Hindsight hindsight;
  std::uint64_t done = 0;
  const auto step_done = [&, steps = count * (settings.load ? rounds : rounds + 1)] {
    if (settings.progress) settings.progress(++done, steps);
  };
  for (std::size_t round = 0; round < rounds; ++round) {
    Random random(settings.seed * 1000 + round + 1);
    shuffle(order, random);
    for (const std::size_t i : order) {
      check_stop(settings);
      const std::size_t place = settings.load ? round * count + i : i;
      EvaluatedModel& row = rows[place];
      const auto tell = [&] {
        try_for(row, [&] { row.prediction = predictions.next(i); });
        if (settings.load && settings.online) hindsight.change_interval(row);
      };
      try_for(row, [&] { predictions.prepare(i); });
      if (!settings.load) tell();
      if (row.problem.empty()) {
        // What can be seen of a load is seen at the last moment, when the model is open and warm.
        const auto record =
            run_collect_process(settings.child, task_of(predictor, settings, i, static_cast<int>(round) + 1),
                                settings.limit, settings.stop, settings.load ? tell : std::function<void()>());
        if (!record) check_stop(settings);
        if (record && record->status == CollectStatus::failed) row.problem = record->reason;
        if (record && record->status != CollectStatus::failed) times[place].push_back(record->latency_us);
        if (row.prediction && !times[place].empty()) hindsight.observe(*row.prediction, times[place].back());
      }
      step_done();
    }
  }
  for (std::size_t i = 0; i < count && !settings.load; ++i, step_done())
    time_kernels(settings, i, task_of(predictor, settings, i, settings.rounds + 1), predictions, rows[i]);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!times[i].empty()) rows[i].measured_us = mean_of_rounds(times[i]), rows[i].noise = noise_of_rounds(times[i]);
  return rows;
}

std::vector<GroupErrors> joined(const std::vector<GroupErrors>& apart) {
  std::map<KernelGroup, GroupErrors> groups;
  double all = 0;
  for (const GroupErrors& part : apart) {
    GroupErrors& group = groups[part.group];
    const double count = static_cast<double>(part.figures.count);
    group.group = part.group, group.figures.count += part.figures.count;
    group.figures.mape += count * part.figures.mape, group.figures.bias += count * part.figures.bias;
    group.figures.within_15 += count * part.figures.within_15;
    group.measured_us += part.measured_us, group.predicted_us += part.predicted_us;
    all += part.measured_us;
  }
  std::vector<GroupErrors> rows;
  for (auto& [name, group] : groups) {
    const double count = static_cast<double>(group.figures.count);
    group.figures.mape /= count, group.figures.bias /= count, group.figures.within_15 /= count;
    group.share = group.measured_us / all;
    rows.push_back(group);
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.measured_us > b.measured_us; });
  return rows;
}

std::vector<GroupErrors> group_errors_of(const std::vector<EvaluatedModel>& models) {
  std::vector<GroupErrors> kernels;
  for (const EvaluatedModel& model : models)
    for (const EvaluatedKernel& kernel : model.kernels) {
      if (!(kernel.measured_us > 0 && kernel.predicted_us > 0)) continue;
      const Judged judged{kernel.measured_us, kernel.predicted_us, {}, {}};
      kernels.push_back(
          {kernel.group, *error_figures(std::span(&judged, 1)), kernel.measured_us, kernel.predicted_us, 1});
    }
  return joined(kernels);
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
