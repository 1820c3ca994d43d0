#include "cli/tables.h"

#include <algorithm>

#include "account/account.h"
#include "analysis/analyze_table.h"
#include "cli/explain_tables.h"
#include "comparison/compare_report.h"
#include "core/check.h"
#include "costs/lookup_tables.h"
#include "graph/cuts_table.h"
#include "kernels/bench.h"
#include "kernels/kernel_dag.h"
#include "kernels/kernel_tables.h"
#include "kernels/zoo_export.h"
#include "load/load_tables.h"
#include "machine/machine_check.h"
#include "machine/peaks_table.h"
#include "plan/plan_run_tables.h"
#include "plan/plan_set_tables.h"
#include "plan/plan_tables.h"
#include "predict/predict_tables.h"
#include "profile/run_tables.h"
#include "replay/interference.h"
#include "replay/single_contention.h"
#include "replay/what_if.h"
#include "runtime/devices_table.h"
#include "scenario/scenario_tables.h"
#include "sweep/sweep_tables.h"
#include "trace/trace_tables.h"
#include "training/diagnosis_tables.h"
#include "training/figure_tables.h"

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

std::vector<std::string> table_names(std::string_view command) {
  const auto found = std::find_if(all_tables().begin(), all_tables().end(),
                                  [&](const CommandTables& one) { return one.command == command; });
  TAKT_CHECK(found != all_tables().end());
  std::vector<std::string> names;
  for (const auto& table : found->tables) names.push_back(table.name);
  return names;
}

}  // namespace takt
