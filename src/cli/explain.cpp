#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "core/error.h"
#include "core/text.h"
#include "machine/peaks_table.h"
#include "pipeline/account.h"
#include "pipeline/interference.h"
#include "pipeline/what_if.h"
#include "profile/analyze_table.h"
#include "profile/compare_report.h"
#include "profile/op_profile.h"
#include "trace/trace_tables.h"

namespace takt {

int run_explain(std::span<const std::string> arguments) {
  LogOptions log;
  auto app = make_app("explain", "Says what a column or figure means.", "takt explain share_percent", log);
  std::string name;
  app->add_option("COLUMN", name, "A column's key or title; without it all are listed");
  if (!parse(*app, arguments)) return 0;

  std::vector<ColumnInfo> columns = run_columns();
  for (auto& column : compare_columns()) columns.push_back(std::move(column));
  for (const auto& more : {analyze_columns(), peaks_columns()}) columns.insert(columns.end(), more.begin(), more.end());
  for (auto& column : trace_columns()) columns.push_back(std::move(column));
  for (auto& column : account_columns()) columns.push_back(std::move(column));
  for (auto& column : what_if_columns()) columns.push_back(std::move(column));
  for (auto& column : interference_columns()) columns.push_back(std::move(column));
  std::vector<std::string> names;
  std::set<std::string> seen;
  bool found = false;
  for (const auto& column : columns) {
    names.push_back(column.name);
    bool wanted =
        name.empty() || lower_case(name) == lower_case(column.name) || lower_case(name) == lower_case(column.title);
    if (!wanted || !seen.insert(column.name + column.meaning).second) continue;
    fmt::print("{} ({})\n  {}\n", column.name, column.title, column.meaning);
    found = true;
  }
  if (found) return 0;
  auto nearest = nearest_word(name, names);
  throw UsageError(
      fmt::format("'{}' is not a column; {}", printable(name),
                  nearest ? fmt::format("did you mean '{}'?", *nearest) : "'takt explain' lists them all"));
}

}  // namespace takt
