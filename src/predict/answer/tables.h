// The tables of collect, fit, predict and evaluate.
#pragma once

#include <string>
#include <vector>

#include "base/table/table.h"
#include "predict/answer/evaluate.h"
#include "predict/answer/predictor.h"
#include "predict/collect/collect.h"
#include "predict/sources/sources.h"

namespace takt {

/// "collected": a row per model.
std::vector<Table> collect_tables(const std::vector<CollectedRow>& rows);
std::vector<TableSchema> collect_schemas();

/// "errors", a row per split, level and method, and "features", a row per feature of each group with the first five
/// kernels of the dataset.
std::vector<Table> fit_tables(const Predictor& predictor, const Dataset& dataset);
std::vector<TableSchema> fit_schemas();

/// "summary", a row per model, and "kernels", a row per kernel; with the load that was read also "load", a row per
/// reading.
std::vector<Table> predict_tables(const std::vector<PredictedModel>& models, const LoadSnapshot* load = nullptr);
std::vector<TableSchema> predict_schemas();

/// "summary", one row, "models", a row per model, and "groups", a row per group of kernels.
std::vector<Table> evaluate_tables(const Evaluation& evaluation);
std::vector<TableSchema> evaluate_schemas();

/// The answer and the tables. Models have the names of their files, which say more in a narrow column than their
/// folders; no two have one name (models_to_collect).
std::string evaluation_text(Evaluation evaluation, const TextStyle& style);

}  // namespace takt
