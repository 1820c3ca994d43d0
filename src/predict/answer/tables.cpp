#include "predict/answer/tables.h"

#include <algorithm>
#include <array>

#include "kernels/kernel_tables.h"
#include "predict/predict_columns.h"
#include "measure/run/label.h"

namespace takt {
namespace {

namespace columns = predict_columns;

Cell predict_word(const std::string& text) { return text.empty() ? Cell() : Cell(text); }
Cell percent_cell(double share) { return share * 100; }
Cell percent_cell(const std::optional<double>& share) { return share ? Cell(*share * 100) : Cell(); }
Cell ms_cell(const std::optional<double>& us) { return us ? Cell(*us / 1000) : Cell(); }

Cell load_factor_cell(const ModelPrediction& prediction) {
  return prediction.load && !prediction.load->from.empty() ? Cell(prediction.load->factor) : Cell();
}
Cell load_from_cell(const ModelPrediction& prediction) {
  return prediction.load ? Cell(prediction.load->from.empty() ? "not known" : prediction.load->from) : Cell();
}

constexpr Column<CollectedRow> collected_columns[] = {
    {model_column, [](const CollectedRow& r) -> Cell { return r.model; }},
    {"collect_load", "Beside", [](const CollectedRow& r) { return predict_word(r.load); },
     "The load beside which the model was measured: kind, level of each thread and threads; missing in quiet."},
    {columns::model_kernels,
     [](const CollectedRow& r) { return r.kernels ? Cell(static_cast<std::int64_t>(r.kernels)) : Cell(); }},
    {"rounds_measured", "Measured", [](const CollectedRow& r) -> Cell { return std::int64_t{r.measured}; },
     "Rounds that were measured and count."},
    {"rounds_disturbed", "Disturbed", [](const CollectedRow& r) -> Cell { return std::int64_t{r.disturbed}; },
     "Measurements that were set aside because other programs had the processor meanwhile."},
    {"rounds_failed", "Failed", [](const CollectedRow& r) -> Cell { return std::int64_t{r.failed}; },
     "Rounds in which the model could not be measured."},
    {columns::measured_ms, [](const CollectedRow& r) { return optional_cell(r.latency_ms); }},
    {columns::noise_percent, [](const CollectedRow& r) { return percent_cell(r.noise); }},
    {"collect_problem", "Problem", [](const CollectedRow& r) { return predict_word(r.reason); },
     "Why the model could not be measured; missing where it could."},
};
constexpr TableDefinition<CollectedRow> collected_definition{
    "collected", "What a collection has of each model: a row per model and load.", collected_columns};

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
    Column<ErrorRow>{"split", "Unseen", [](const ErrorRow& r) -> Cell { return r.split; },
                     "What the training had none of: kernel (new kernels in known models), model (new architectures), "
                     "family (new families of architectures), zoo (everything but the soup's chains), load (new "
                     "architectures beside "
                     "loads of a kind, level and number of threads that are new), calibrated (models that the "
                     "calibration was made without)."},
    Column<ErrorRow>{"error_level", "Of", [](const ErrorRow& r) -> Cell { return r.level; },
                     "Whether whole models or single kernels are predicted."},
    Column<ErrorRow>{
        "method", "Method", [](const ErrorRow& r) -> Cell { return r.method; },
        "How: takt (measured times where the place is alike, else boosting), boosting alone, forest "
        "(the same with a random forest), the source's recipe (a random forest on milliseconds), FLOPs (a "
        "line per kind of kernel), roofline (the machine's peaks times one factor). Beside loads: takt (by "
        "the most certain figures), then what other figures would say (gpu, probe, host, busy) and "
        "without load, which ignores it. Calibrated: takt, and as it was, the predictor before."},
    Column<ErrorRow>{"predictions", "N",
                     [](const ErrorRow& r) -> Cell { return static_cast<std::int64_t>(r.figures.count); },
                     "How many predictions the errors are of."});
constexpr TableDefinition<ErrorRow> errors_definition{"errors",
                                                      "How far predictions are from what was measured on what the "
                                                      "training had not seen: a row per split, level and method.",
                                                      error_columns};

/// A feature of a group, with the first kernels of the dataset that are in the group.
struct FeatureRow {
  std::string group;
  TrainedFeature feature;
  std::array<std::optional<double>, 5> first;
};

constexpr ColumnText first_row(std::string_view key, std::string_view title) {
  return {key, title,
          "The feature of one of the first five kernels that the dataset has in the group; missing where it does not "
          "apply."};
}

constexpr Column<FeatureRow> feature_columns[] = {
    {"kernel_group", "Group", [](const FeatureRow& r) -> Cell { return r.group; },
     "Kernels that one regression predicts: conv, depthwise, product, pool or other."},
    {"kernel_feature", "Feature", [](const FeatureRow& r) -> Cell { return r.feature.name; },
     "What the regression is told of a kernel; is_NAME: the operator is a part of the kernel."},
    {"feature_type", "Kind", [](const FeatureRow& r) -> Cell { return r.feature.type; },
     "Whether the feature is an integer, a real number or yes (1) and no (0)."},
    {"feature_unit", "In", [](const FeatureRow& r) -> Cell { return r.feature.unit; },
     "The unit of the feature; 1: a number."},
    {"feature_low", "From",
     [](const FeatureRow& r) { return r.feature.low ? Cell(static_cast<double>(*r.feature.low)) : Cell(); },
     "The least value that was trained on; missing where no kernel of the group has the feature."},
    {"feature_high", "To",
     [](const FeatureRow& r) { return r.feature.high ? Cell(static_cast<double>(*r.feature.high)) : Cell(); },
     "The largest value that was trained on; missing where no kernel of the group has the feature."},
    {first_row("row_1", "Row 1"), [](const FeatureRow& r) { return optional_cell(r.first[0]); }},
    {first_row("row_2", "Row 2"), [](const FeatureRow& r) { return optional_cell(r.first[1]); }},
    {first_row("row_3", "Row 3"), [](const FeatureRow& r) { return optional_cell(r.first[2]); }},
    {first_row("row_4", "Row 4"), [](const FeatureRow& r) { return optional_cell(r.first[3]); }},
    {first_row("row_5", "Row 5"), [](const FeatureRow& r) { return optional_cell(r.first[4]); }},
};
constexpr TableDefinition<FeatureRow> features_definition{
    "features", "What the regressions learn from: a row per feature of each group of kernels.", feature_columns};

constexpr Column<PredictedModel> predicted_columns[] = {
    {model_column, [](const PredictedModel& r) -> Cell { return r.model; }},
    {columns::predicted_ms, [](const PredictedModel& r) { return ms_cell(r.prediction.us); }},
    {columns::low_ms, [](const PredictedModel& r) { return ms_cell(r.prediction.low_us); }},
    {columns::high_ms, [](const PredictedModel& r) { return ms_cell(r.prediction.high_us); }},
    {columns::model_kernels,
     [](const PredictedModel& r) -> Cell { return static_cast<std::int64_t>(r.facts.kernels.size()); }},
    {"measured_percent", "Measured %",
     [](const PredictedModel& r) { return percent_cell(r.prediction.share(Tier::measured)); },
     "Share of the kernels' time that was measured: the same kernel in such a place of another model."},
    {"trained_percent", "Trained %",
     [](const PredictedModel& r) { return percent_cell(r.prediction.share(Tier::trained)); },
     "Share of the kernels' time that the regressions predict."},
    {"roofline_percent", "Roofline %",
     [](const PredictedModel& r) { return percent_cell(r.prediction.share(Tier::roofline)); },
     "Share of the kernels' time of kernels like none that was trained on: only what the machine's peaks allow is "
     "known."},
    {"overhead_ms", "Overhead ms", [](const PredictedModel& r) { return ms_cell(r.prediction.overhead_us); },
     "What an inference takes beyond its kernels, in milliseconds; negative where the kernels' times are a little "
     "long."},
    {columns::load_factor, [](const PredictedModel& r) { return load_factor_cell(r.prediction); }},
    {columns::load_from, [](const PredictedModel& r) { return load_from_cell(r.prediction); }},
    {"prediction_us", "Took", [](const PredictedModel& r) -> Cell { return r.took; },
     "How long the prediction itself took, the model being open."},
};
constexpr TableDefinition<PredictedModel> predicted_definition{
    "summary", "What models are predicted to take: a row per model.", predicted_columns};

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
    {"tier", "From", [](const PredictedKernel& r) -> Cell { return std::string(name_of(r.prediction.tier)); },
     "Where the number is from: measured (the same kernel in such a place), trained (kernels like it), roofline "
     "(nothing like it is known, only the machine's peaks)."},
    {"predicted_us", "Predicted", [](const PredictedKernel& r) -> Cell { return Duration(r.prediction.us); },
     "Predicted mean time of the kernel in the model."},
    {"predicted_low_us", "Low", [](const PredictedKernel& r) -> Cell { return Duration(r.prediction.low_us); },
     "The lower end of the interval that holds the kernel's time with 90 %."},
    {"predicted_high_us", "High", [](const PredictedKernel& r) -> Cell { return Duration(r.prediction.high_us); },
     "The upper end of the interval that holds the kernel's time with 90 %."},
    {"beyond", "Beyond",
     [](const PredictedKernel& r) { return r.prediction.is_beyond ? Cell(std::string("yes")) : Cell(); },
     "yes: the kernel has more or less work than any that was trained on, and its interval is wider for it."},
    {kernel_columns::node, [](const PredictedKernel& r) -> Cell { return r.node; }},
    {kernel_columns::record, [](const PredictedKernel& r) -> Cell { return r.facts->id; }},
    {model_column, [](const PredictedKernel& r) -> Cell { return r.model; }},
};
constexpr TableDefinition<PredictedKernel> predicted_kernels_definition{
    "kernels", "What each kernel is predicted to take: a row per kernel, in the order of execution.",
    predicted_kernel_columns};

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
     "The prediction less what was measured, in percent of what was measured."},
    {"inside", "Inside",
     [](const EvaluatedModel& r) {
       return r.prediction && r.measured_us ? Cell(std::string(is_inside(r) ? "yes" : "no")) : Cell();
     },
     "Whether the measured time lies in the interval of the prediction."},
    {columns::noise_percent, [](const EvaluatedModel& r) { return percent_cell(r.noise); }},
    {"evaluate_round", "Round", [](const EvaluatedModel& r) { return r.round ? Cell(std::int64_t{r.round}) : Cell(); },
     "Which round of runs was predicted; missing where one prediction is for all rounds, as without a load."},
    {"interval_runs", "Int. runs",
     [](const EvaluatedModel& r) { return r.interval_runs ? Cell(r.interval_runs) : Cell(); },
     "Of how many predictions before it the interval is made (--online); missing: it is the predictor's own."},
    {columns::load_factor,
     [](const EvaluatedModel& r) { return r.prediction ? load_factor_cell(*r.prediction) : Cell(); }},
    {columns::load_from, [](const EvaluatedModel& r) { return r.prediction ? load_from_cell(*r.prediction) : Cell(); }},
    {"evaluate_problem", "Problem", [](const EvaluatedModel& r) { return predict_word(r.problem); },
     "Why the model could not be predicted or run; missing where it could."},
};
constexpr TableDefinition<EvaluatedModel> evaluated_definition{
    "models", "Predictions beside what was measured: a row per model.", evaluated_columns};

constexpr auto evaluation_columns = before_errors(Column<ErrorRow>{
    "evaluated_models", "Models", [](const ErrorRow& r) -> Cell { return static_cast<std::int64_t>(r.figures.count); },
    "How many models were predicted and run."});
constexpr TableDefinition<ErrorRow> evaluation_definition{
    "summary",
    "How far the predictions of all models are from what was measured: one row; none without a model that has both.",
    evaluation_columns};

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

}  // namespace

std::vector<Table> collect_tables(const std::vector<CollectedRow>& rows) { return {collected_definition.make(rows)}; }
std::vector<TableSchema> collect_schemas() { return {collected_definition.schema()}; }

std::vector<Table> fit_tables(const Predictor& predictor, const Dataset& dataset) {
  return {errors_definition.make(predictor.errors), features_definition.make(feature_rows(predictor, dataset))};
}
std::vector<TableSchema> fit_schemas() { return {errors_definition.schema(), features_definition.schema()}; }

std::vector<Table> predict_tables(const std::vector<PredictedModel>& models) {
  std::vector<PredictedKernel> kernels;
  for (const PredictedModel& model : models)
    for (std::size_t i = 0; i < model.facts.kernels.size(); ++i)
      kernels.push_back({model.model, static_cast<std::int64_t>(i) + 1, &model.facts.kernels[i], model.facts.names[i],
                         model.prediction.kernels[i]});
  return {predicted_definition.make(models), predicted_kernels_definition.make(kernels)};
}
std::vector<TableSchema> predict_schemas() {
  return {predicted_definition.schema(), predicted_kernels_definition.schema()};
}

std::vector<Table> evaluate_tables(const std::vector<EvaluatedModel>& models) {
  std::vector<ErrorRow> summary;
  if (auto row = errors_of(models)) summary.push_back(std::move(*row));
  return {evaluation_definition.make(summary), evaluated_definition.make(models)};
}
std::vector<TableSchema> evaluate_schemas() { return {evaluation_definition.schema(), evaluated_definition.schema()}; }

}  // namespace takt
