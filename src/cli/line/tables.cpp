#include "cli/line/tables.h"

#include <algorithm>

#include "base/basics/check.h"
#include "base/machine/check.h"
#include "base/machine/peaks_table.h"
#include "cli/line/explain_tables.h"
#include "measure/compare/report.h"
#include "measure/profiles/analyze_table.h"
#include "measure/report/run_tables.h"
#include "model/cuts/cuts_table.h"
#include "model/registry/devices_table.h"
#include "pipeline/account/account.h"
#include "pipeline/contention/interference.h"
#include "pipeline/contention/single_contention.h"
#include "pipeline/whatif/what_if.h"
#include "plan/answer/run_tables.h"
#include "plan/answer/tables.h"
#include "plan/costs/lookup_tables.h"
#include "plan/sets/set_tables.h"
#include "plan/sweep/tables.h"
#include "predict/answer/tables.h"
#include "predict/kernels/bench.h"
#include "predict/kernels/dag.h"
#include "predict/kernels/tables.h"
#include "predict/sources/tables.h"
#include "predict/zoo/export.h"
#include "trace/read/tables.h"
#include "training/diagnosis/figure_tables.h"
#include "training/diagnosis/tables.h"
#include "training/scenario/tables.h"

namespace takt {

namespace {

std::vector<TableSchema> all_interference_schemas() {
  auto schemas = interference_schemas();
  for (auto& schema : single_schemas()) schemas.push_back(std::move(schema));
  return schemas;
}

/// A sweep has the pressures of its stages, too, as interference has them.
std::vector<TableSchema> all_sweep_schemas() {
  auto schemas = sweep_schemas();
  const auto single = single_schemas();
  schemas.push_back(
      *std::find_if(single.begin(), single.end(), [](const auto& schema) { return schema.name == "pressures"; }));
  return schemas;
}

std::vector<TableSchema> all_diagnosis_schemas() {
  auto schemas = diagnosis_schemas();
  for (auto& schema : figure_schemas()) schemas.push_back(std::move(schema));
  return schemas;
}

}  // namespace

const std::vector<CommandTables>& all_tables() {
  static const std::vector<CommandTables> all{
      {"run", run_schemas()},
      {"analyze", analyze_schemas()},
      {"compare", compare_schemas()},
      {"trace info", trace_info_schemas()},
      {"trace check", {trace_faults_schema()}},
      {"diagnose", all_diagnosis_schemas()},
      {"scenario", scenario_schemas()},
      {"pipeline run", account_schemas()},
      {"pipeline analyze", account_schemas()},
      {"pipeline interference", all_interference_schemas()},
      {"pipeline whatif", what_if_schemas()},
      {"sweep", all_sweep_schemas()},
      {"lookup", {costs_schema()}},
      {"plan cut", {cuts_schema()}},
      {"plan compile", plan_set_schemas()},
      {"plan run", plan_run_schemas()},
      {"plan search", plan_schemas()},
      {"plan simulate", plan_stream_schemas()},
      {"load", load_schemas()},
      {"stress", {stress_schema()}},
      {"zoo list", zoo_schemas()},
      {"kernels list", kernel_schemas()},
      {"kernels bench", bench_schemas()},
      {"kernels dag", dag_schemas()},
      {"kernels extract", extract_schemas()},
      {"collect", collect_schemas()},
      {"fit", fit_schemas()},
      {"predict", predict_schemas()},
      {"evaluate", evaluate_schemas()},
      {"devices", {devices_schema(), load_sources_schema(), peaks_schema(), conditions_schema()}},
      {"explain", explain_schemas()},
  };
  return all;
}

std::vector<TableSchema> tables_of_command(std::string_view command) {
  const auto found = std::find_if(all_tables().begin(), all_tables().end(),
                                  [&](const CommandTables& one) { return one.command == command; });
  return found == all_tables().end() ? std::vector<TableSchema>{} : found->tables;
}

std::vector<std::string> table_names(std::string_view command) {
  std::vector<std::string> names;
  for (const auto& table : tables_of_command(command)) names.push_back(table.name);
  TAKT_CHECK(!names.empty());
  return names;
}

}  // namespace takt
