#include "cli/tables.h"

#include <algorithm>

#include "account/account.h"
#include "analysis/analyze_table.h"
#include "cli/explain_tables.h"
#include "comparison/compare_report.h"
#include "core/check.h"
#include "costs/lookup_tables.h"
#include "graph/cuts_table.h"
#include "load/load_tables.h"
#include "machine/machine_check.h"
#include "machine/peaks_table.h"
#include "plan/plan_run_tables.h"
#include "plan/plan_set_tables.h"
#include "plan/plan_tables.h"
#include "profile/run_tables.h"
#include "replay/interference.h"
#include "replay/single_contention.h"
#include "replay/what_if.h"
#include "runtime/devices_table.h"
#include "sweep/sweep_tables.h"
#include "trace/trace_tables.h"

namespace takt {

namespace {

std::vector<TableSchema> all_interference_schemas() {
  auto schemas = interference_schemas();
  for (auto& schema : single_schemas()) schemas.push_back(std::move(schema));
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
      {"pipeline run", account_schemas()},
      {"pipeline analyze", account_schemas()},
      {"pipeline interference", all_interference_schemas()},
      {"pipeline whatif", what_if_schemas()},
      {"sweep", sweep_schemas()},
      {"lookup", {costs_schema()}},
      {"plan cut", {cuts_schema()}},
      {"plan compile", plan_set_schemas()},
      {"plan run", plan_run_schemas()},
      {"plan search", plan_schemas()},
      {"plan simulate", plan_stream_schemas()},
      {"load", load_schemas()},
      {"stress", {stress_schema()}},
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
