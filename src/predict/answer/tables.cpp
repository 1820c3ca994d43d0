#include "predict/answer/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "measure/run/label.h"
#include "predict/answer/columns.h"
#include "predict/kernels/tables.h"
#include "predict/sources/tables.h"

namespace takt {
namespace {

namespace columns = predict_columns;

Cell predict_word(const std::string& text) { return text.empty() ? Cell() : Cell(text); }
Cell percent_cell(double share) { return share * 100; }
Cell percent_cell(const std::optional<double>& share) { return share ? Cell(*share * 100) : Cell(); }
/// Empty also where there is no upper end.
Cell ms_cell(const std::optional<double>& us) { return us && std::isfinite(*us) ? Cell(*us / 1000) : Cell(); }

Cell load_factor_cell(const ModelPrediction& prediction) {
  return prediction.load && !prediction.load->from.empty() ? Cell(prediction.load->factor) : Cell();
}
Cell load_from_cell(const ModelPrediction& prediction) {
  return prediction.load ? Cell(prediction.load->from.empty() ? "not known" : prediction.load->from) : Cell();
}

constexpr Column<CollectedRow> collected_columns[] = {
    {model_column, [](const CollectedRow& r) -> Cell { return r.model; }},
    {"collect_load", "Load", [](const CollectedRow& r) { return predict_word(r.load); },
     "The background load during the measurement: kind, level of each thread and number of threads. Empty if the "
     "machine was idle."},
    {columns::model_kernels,
     [](const CollectedRow& r) { return r.kernels ? Cell(static_cast<std::int64_t>(r.kernels)) : Cell(); }},
    {"rounds_measured", "Measured", [](const CollectedRow& r) -> Cell { return std::int64_t{r.measured}; },
     "Rounds that were measured and are used."},
    {"rounds_disturbed", "Discarded", [](const CollectedRow& r) -> Cell { return std::int64_t{r.disturbed}; },
     "Measurements that were discarded because other programs used the CPU during the measurement."},
    {"rounds_failed", "Failed", [](const CollectedRow& r) -> Cell { return std::int64_t{r.failed}; },
     "Rounds in which the model could not be measured."},
    {columns::measured_ms, [](const CollectedRow& r) { return optional_cell(r.latency_ms); }},
    {columns::noise_percent, [](const CollectedRow& r) { return percent_cell(r.noise); }},
    {"collect_problem", "Problem", [](const CollectedRow& r) { return predict_word(r.reason); },
     "Why the model could not be measured; empty if it was."},
};
constexpr TableDefinition<CollectedRow> collected_definition{
    "collected", "The measurements of a collection: a row per model and load.", collected_columns};

/// A table's own columns, and after them how far its predictions are off.
template <typename... Own>
constexpr std::array<Column<ErrorRow>, sizeof...(Own) + 8> before_errors(const Own&... own) {
  return {{
      own...,
      Column<ErrorRow>{columns::mape, [](const ErrorRow& r) { return percent_cell(r.figures.mape); }},
      Column<ErrorRow>{columns::bias, [](const ErrorRow& r) { return percent_cell(r.figures.bias); }},
      Column<ErrorRow>{columns::within_5, [](const ErrorRow& r) { return percent_cell(r.figures.within_5); }},
      Column<ErrorRow>{columns::within_10, [](const ErrorRow& r) { return percent_cell(r.figures.within_10); }},
      Column<ErrorRow>{columns::within_15, [](const ErrorRow& r) { return percent_cell(r.figures.within_15); }},
      Column<ErrorRow>{columns::coverage, [](const ErrorRow& r) { return percent_cell(r.figures.coverage); }},
      Column<ErrorRow>{columns::interval_percent, [](const ErrorRow& r) { return percent_cell(r.figures.width); }},
      Column<ErrorRow>{columns::noise_floor, [](const ErrorRow& r) { return percent_cell(r.noise); }},
  }};
}

constexpr auto error_columns = before_errors(
    Column<ErrorRow>{
        "split", "Held out", [](const ErrorRow& r) -> Cell { return r.split; },
        "What was held out of training: kernel (new kernels in known models), model (new architectures), family (new "
        "families of architectures), zoo (all models except the random chains), load (new architectures under loads of "
        "a new kind, level and number of threads), calibrated (models held out of the calibration)."},
    Column<ErrorRow>{"error_level", "Level", [](const ErrorRow& r) -> Cell { return r.level; },
                     "Whether the predictions are of whole models or of single kernels."},
    Column<ErrorRow>{
        "method", "Method", [](const ErrorRow& r) -> Cell { return r.method; },
        "How the times are predicted: takt (the measured time of the same kernel in a similar context, else boosting), "
        "boosting alone, forest (a random forest instead), source's recipe (a random forest on milliseconds), FLOPs (a "
        "linear fit per kind of kernel), roofline (the machine's peaks times one factor). Under load: takt (the most "
        "accurate load model), the models from other metrics (gpu, probe, host, busy), and without load, which ignores "
        "the load. Calibrated: takt, and as it was, the predictor before calibration."},
    Column<ErrorRow>{"predictions", "Count",
                     [](const ErrorRow& r) -> Cell { return static_cast<std::int64_t>(r.figures.count); },
                     "Number of predictions that the errors summarize."});
constexpr TableDefinition<ErrorRow> errors_definition{
    "errors", "Errors of predictions on held-out kernels and models: a row per split, level and method.",
    error_columns};

/// A feature of a group, with the first kernels of the dataset that are in the group.
struct FeatureRow {
  std::string group;
  TrainedFeature feature;
  std::array<std::optional<double>, 5> first;
};

constexpr ColumnText first_row(std::string_view key, std::string_view title) {
  return {key, title,
          "Value of the feature for one of the group's first five kernels in the dataset; empty if it does not apply."};
}

constexpr ColumnText group_text{"kernel_group", "Group",
                                "Kernels that one regression predicts: conv, depthwise, product, pool or other."};

constexpr Column<FeatureRow> feature_columns[] = {
    {group_text, [](const FeatureRow& r) -> Cell { return r.group; }},
    {"kernel_feature", "Feature", [](const FeatureRow& r) -> Cell { return r.feature.name; },
     "Input feature of the regression; is_NAME: the kernel contains the operator NAME."},
    {"feature_type", "Kind", [](const FeatureRow& r) -> Cell { return r.feature.type; },
     "Type of the feature: an integer, a real number, or yes (1) and no (0)."},
    {"feature_unit", "Unit", [](const FeatureRow& r) -> Cell { return r.feature.unit; },
     "Unit of the feature; 1: a plain number."},
    {"feature_low", "Minimum",
     [](const FeatureRow& r) { return r.feature.low ? Cell(static_cast<double>(*r.feature.low)) : Cell(); },
     "Smallest value in the training data; empty if no kernel of the group has the feature."},
    {"feature_high", "Maximum",
     [](const FeatureRow& r) { return r.feature.high ? Cell(static_cast<double>(*r.feature.high)) : Cell(); },
     "Largest value in the training data; empty if no kernel of the group has the feature."},
    {first_row("row_1", "Row 1"), [](const FeatureRow& r) { return optional_cell(r.first[0]); }},
    {first_row("row_2", "Row 2"), [](const FeatureRow& r) { return optional_cell(r.first[1]); }},
    {first_row("row_3", "Row 3"), [](const FeatureRow& r) { return optional_cell(r.first[2]); }},
    {first_row("row_4", "Row 4"), [](const FeatureRow& r) { return optional_cell(r.first[3]); }},
    {first_row("row_5", "Row 5"), [](const FeatureRow& r) { return optional_cell(r.first[4]); }},
};
constexpr TableDefinition<FeatureRow> features_definition{
    "features", "Input features of the regressions: a row per feature of each group of kernels.", feature_columns};

constexpr Column<PredictedModel> predicted_columns[] = {
    {model_column, [](const PredictedModel& r) -> Cell { return r.model; }},
    {columns::predicted_ms, [](const PredictedModel& r) { return ms_cell(r.prediction.us); }},
    {columns::low_ms, [](const PredictedModel& r) { return ms_cell(r.prediction.low_us); }},
    {columns::high_ms, [](const PredictedModel& r) { return ms_cell(r.prediction.high_us); }},
    {columns::model_kernels,
     [](const PredictedModel& r) -> Cell { return static_cast<std::int64_t>(r.facts.kernels.size()); }},
    {"measured_percent", "Measured %",
     [](const PredictedModel& r) { return percent_cell(r.prediction.share(Tier::measured)); },
     "Share of the kernels' time that comes from measurements of the same kernel in a similar context of another "
     "model."},
    {"trained_percent", "Trained %",
     [](const PredictedModel& r) { return percent_cell(r.prediction.share(Tier::trained)); },
     "Share of the kernels' time that the regressions predict."},
    {"roofline_percent", "Roofline %",
     [](const PredictedModel& r) { return percent_cell(r.prediction.share(Tier::roofline)); },
     "Share of the kernels' time that only the machine's peaks predict, because no similar kernel is in the training "
     "data."},
    {"overhead_ms", "Overhead ms", [](const PredictedModel& r) { return ms_cell(r.prediction.overhead_us); },
     "Time of an inference outside its kernels, in milliseconds; negative if the kernels' times are slightly too "
     "long."},
    {columns::load_factor, [](const PredictedModel& r) { return load_factor_cell(r.prediction); }},
    {columns::load_from, [](const PredictedModel& r) { return load_from_cell(r.prediction); }},
    {"predictor", "Predictor", [](const PredictedModel& r) -> Cell { return r.predictor; },
     "The predictor: a built-in one (cpu, h100), calibrated (by 'takt predict --calibrate' on the machine at hand), "
     "or the path that was given."},
    {"machine_factor", "Machine factor",
     [](const PredictedModel& r) { return r.machine_factor ? Cell(*r.machine_factor) : Cell(); },
     "Factor by which both ends of the interval are moved outwards because the predictor is of another machine and "
     "the one at hand was not measured; empty if it was, or if the predictor was chosen by name."},
    {"busy_factor", "Busy factor",
     [](const PredictedModel& r) { return r.busy_factor ? Cell(*r.busy_factor) : Cell(); },
     "Factor by which the upper end of the interval is moved outwards because other programs used the CPUs during the "
     "prediction; empty if they did not, with --load, or if the predictor was chosen by name."},
    {"prediction_us", "Prediction time", [](const PredictedModel& r) -> Cell { return r.took; },
     "Time to compute the prediction, without opening the model."},
};
constexpr TableDefinition<PredictedModel> predicted_definition{"summary", "Predicted times of models: a row per model.",
                                                               predicted_columns};

struct PredictedKernel {
  std::string model;
  std::int64_t number = 0;
  const KernelFacts* facts = nullptr;
  std::string node;
  KernelPrediction prediction;
};

constexpr Column<PredictedKernel> predicted_kernel_columns[] = {
    {kernel_columns::number, [](const PredictedKernel& r) -> Cell { return r.number; }},
    {kernel_columns::name, [](const PredictedKernel& r) -> Cell { return r.facts->op_type; }},
    {"tier", "Source", [](const PredictedKernel& r) -> Cell { return std::string(name_of(r.prediction.tier)); },
     "Source of the prediction: measured (the same kernel in a similar context), trained (a regression over similar "
     "kernels), roofline (only the machine's peaks; no similar kernel is known)."},
    {"predicted_us", "Predicted", [](const PredictedKernel& r) -> Cell { return Duration(r.prediction.us); },
     "Predicted mean time of the kernel in the model."},
    {"predicted_low_us", "Low", [](const PredictedKernel& r) -> Cell { return Duration(r.prediction.low_us); },
     "Lower end of the 90 % interval of the kernel's time."},
    {"predicted_high_us", "High",
     [](const PredictedKernel& r) {
       return std::isfinite(r.prediction.high_us) ? Cell(Duration(r.prediction.high_us)) : Cell();
     },
     "Upper end of the 90 % interval of the kernel's time; empty if the number of turns of a loop is unknown."},
    {"beyond", "Extrapolated",
     [](const PredictedKernel& r) { return r.prediction.is_beyond ? Cell(std::string("yes")) : Cell(); },
     "yes: the kernel's work is outside the range of the training data, so its interval is wider."},
    {kernel_columns::node, [](const PredictedKernel& r) -> Cell { return r.node; }},
    {kernel_columns::record, [](const PredictedKernel& r) -> Cell { return r.facts->id; }},
    {model_column, [](const PredictedKernel& r) -> Cell { return r.model; }},
};
constexpr TableDefinition<PredictedKernel> predicted_kernels_definition{
    "kernels", "Predicted times of kernels: a row per kernel, in the order of execution.", predicted_kernel_columns};

bool is_inside(const EvaluatedModel& r) {
  return r.prediction->low_us <= *r.measured_us && *r.measured_us <= r.prediction->high_us;
}

constexpr Column<EvaluatedModel> evaluated_columns[] = {
    {model_column, [](const EvaluatedModel& r) -> Cell { return r.model; }},
    {columns::measured_ms, [](const EvaluatedModel& r) { return ms_cell(r.measured_us); }},
    {columns::predicted_ms, [](const EvaluatedModel& r) { return r.prediction ? ms_cell(r.prediction->us) : Cell(); }},
    {columns::low_ms, [](const EvaluatedModel& r) { return r.prediction ? ms_cell(r.prediction->low_us) : Cell(); }},
    {columns::high_ms, [](const EvaluatedModel& r) { return r.prediction ? ms_cell(r.prediction->high_us) : Cell(); }},
    {"error_percent", "Error %",
     [](const EvaluatedModel& r) {
       return r.prediction && r.measured_us ? percent_cell(r.prediction->us / *r.measured_us - 1) : Cell();
     },
     "Predicted minus measured time, in percent of the measured time."},
    {"inside", "In interval",
     [](const EvaluatedModel& r) {
       return r.prediction && r.measured_us ? Cell(std::string(is_inside(r) ? "yes" : "no")) : Cell();
     },
     "Whether the interval of the prediction covers the measured time."},
    {columns::noise_percent, [](const EvaluatedModel& r) { return percent_cell(r.noise); }},
    {"evaluate_round", "Round", [](const EvaluatedModel& r) { return r.round ? Cell(std::int64_t{r.round}) : Cell(); },
     "Round of runs that was predicted. Empty if one prediction serves all rounds, for example without a load."},
    {"interval_runs", "Interval samples",
     [](const EvaluatedModel& r) { return r.interval_runs ? Cell(r.interval_runs) : Cell(); },
     "Number of earlier predictions that determine the interval (--online). Empty if the predictor's own interval is "
     "used."},
    {columns::load_factor,
     [](const EvaluatedModel& r) { return r.prediction ? load_factor_cell(*r.prediction) : Cell(); }},
    {columns::load_from, [](const EvaluatedModel& r) { return r.prediction ? load_from_cell(*r.prediction) : Cell(); }},
    {"evaluate_problem", "Problem", [](const EvaluatedModel& r) { return predict_word(r.problem); },
     "Why the model could not be predicted or run; empty if it could."},
};
constexpr TableDefinition<EvaluatedModel> evaluated_definition{
    "models", "Predicted and measured times: a row per model.", evaluated_columns};

constexpr auto evaluation_columns = before_errors(Column<ErrorRow>{
    "evaluated_models", "Models", [](const ErrorRow& r) -> Cell { return static_cast<std::int64_t>(r.figures.count); },
    "Number of models that were predicted and run."});
constexpr TableDefinition<ErrorRow> evaluation_definition{
    "summary",
    "Errors of the predictions over all models: one row, or none if no model was both predicted and measured.",
    evaluation_columns};

constexpr Column<GroupErrors> group_columns[] = {
    {group_text, [](const GroupErrors& r) -> Cell { return std::string(name_of(r.group)); }},
    {"group_kernels", "Kernels",
     [](const GroupErrors& r) -> Cell { return static_cast<std::int64_t>(r.figures.count); },
     "Number of kernels of the group in all models, each measured in its model."},
    {"group_measured_us", "Measured", [](const GroupErrors& r) -> Cell { return Duration(r.measured_us); },
     "Measured time of all kernels of the group, including the cost of their records."},
    {"group_predicted_us", "Predicted", [](const GroupErrors& r) -> Cell { return Duration(r.predicted_us); },
     "Predicted time of the same kernels, including the cost of their records."},
    {"group_share_percent", "Time %", [](const GroupErrors& r) { return percent_cell(r.share); },
     "Share of the measured time of all kernels, in percent."},
    {columns::mape, [](const GroupErrors& r) { return percent_cell(r.figures.mape); }},
    {columns::bias, [](const GroupErrors& r) { return percent_cell(r.figures.bias); }},
    {columns::within_15, [](const GroupErrors& r) { return percent_cell(r.figures.within_15); }},
};
constexpr TableDefinition<GroupErrors> groups_definition{
    "groups", "Errors of predicted kernels: a row per group; none beside a load or if kernels cannot be timed.",
    group_columns};

/// What the regression of the group is told of the first kernels of the dataset.
std::vector<FeatureRow> feature_rows(const Predictor& predictor, const Dataset& dataset) {
  std::vector<FeatureRow> rows;
  for (const auto& [kind, group] : predictor.trees.groups()) {
    const std::size_t begin = rows.size();
    for (const TrainedFeature& feature : group.features) rows.push_back({std::string(name_of(kind)), feature, {}});
    std::size_t place = 0;
    for (const CollectedModel& model : dataset.models)
      for (const CollectedKernel& kernel : model.kernels) {
        if (kernel.facts.group != kind || place == 5) continue;
        const auto values = predictor.trees.features_of(kernel.facts);
        for (std::size_t i = 0; i < values.size(); ++i)
          if (values[i] == values[i]) rows[begin + i].first[place] = static_cast<double>(values[i]);
        ++place;
      }
  }
  return rows;
}

/// "9 models: predictions are off by 2.1 % on average; the interval covers 9 in 10 measured times." Empty: none has
/// both.
std::string evaluation_answer(const std::vector<EvaluatedModel>& models) {
  const auto errors = errors_of(models);
  if (!errors) return "";
  const ErrorFigures& figures = errors->figures;
  const std::string covered =
      figures.coverage ? fmt::format("; intervals cover {:.0f} % of measured times", 100 * *figures.coverage) : "";
  return fmt::format("{} prediction{}: off by {:.1f} % on average{}.\n\n", figures.count, figures.count == 1 ? "" : "s",
                     100 * figures.mape, covered);
}

}  // namespace

std::vector<Table> collect_tables(const std::vector<CollectedRow>& rows) { return {collected_definition.make(rows)}; }
std::vector<TableSchema> collect_schemas() { return {collected_definition.schema()}; }

std::vector<Table> fit_tables(const Predictor& predictor, const Dataset& dataset) {
  return {errors_definition.make(predictor.errors), features_definition.make(feature_rows(predictor, dataset))};
}
std::vector<TableSchema> fit_schemas() { return {errors_definition.schema(), features_definition.schema()}; }

std::vector<Table> predict_tables(const std::vector<PredictedModel>& models, const LoadSnapshot* load) {
  std::vector<PredictedKernel> kernels;
  for (const PredictedModel& model : models)
    for (std::size_t i = 0; i < model.facts.kernels.size(); ++i)
      kernels.push_back({model.model, static_cast<std::int64_t>(i) + 1, &model.facts.kernels[i], model.facts.names[i],
                         model.prediction.kernels[i]});
  std::vector<Table> tables{predicted_definition.make(models), predicted_kernels_definition.make(kernels)};
  if (load) tables.push_back(load_tables(*load).front());
  return tables;
}
std::vector<TableSchema> predict_schemas() {
  return {predicted_definition.schema(), predicted_kernels_definition.schema(), load_schemas().front()};
}

std::vector<Table> evaluate_tables(const Evaluation& evaluation) {
  std::vector<ErrorRow> summary;
  if (auto row = errors_of(evaluation.models)) summary.push_back(std::move(*row));
  return {evaluation_definition.make(summary), evaluated_definition.make(evaluation.models),
          groups_definition.make(evaluation.groups)};
}
std::vector<TableSchema> evaluate_schemas() {
  return {evaluation_definition.schema(), evaluated_definition.schema(), groups_definition.schema()};
}

std::string evaluation_text(Evaluation evaluation, const TextStyle& style) {
  for (EvaluatedModel& model : evaluation.models) model.model = std::filesystem::path(model.model).stem().string();
  const auto tables = evaluate_tables(evaluation);
  const Table runs = without_empty_columns(without_columns(tables[1], {"evaluate_problem"}));
  const std::string groups = tables[2].rows.empty() ? "" : "\n" + to_text(tables[2], style);
  return evaluation_answer(evaluation.models) + to_text(without_empty_columns(tables[0]), style) + "\n" +
         to_text(runs, style) + groups;
}

}  // namespace takt
