#include "report/results/result_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/basics/quoted.h"
#include "base/files/file.h"
#include "base/files/strict_json.h"
#include "report/results/bars.h"
#include "report/results/board.h"
#include "report/results/headline.h"
#include "report/results/origin.h"
#include "report/results/sweep_points.h"
#include "report/results/titles.h"
#include "report/results/trace_bars.h"

namespace takt {
namespace {

/// A profile has no key "tables"; other programs' profiles need not be JSON.
bool is_result(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin != text.npos && text[begin] == '{' && text.find("\"tables\":") != text.npos &&
         text.find("\"graph_exec\":") == text.npos;
}

void say_what_is_missing(ReportResult& result, const std::string& command) {
  if (command == "run")
    result.missing.push_back(
        "No times of single runs: takt run MODEL --profile FILE keeps them; give takt report that file.");
  if (command == "run" && result.bars.empty())
    result.missing.push_back("No operator times: leave out --no-ops of takt run.");
  if (!result.what_if.missing.empty()) result.missing.push_back(result.what_if.missing);
  if (result.timeline) return;
  const bool is_tried = !result.what_if.command.empty();
  if (command == "diagnose") result.missing.push_back("No timeline: give takt report the trace itself.");
  if (command == "pipeline analyze")
    result.missing.push_back(
        fmt::format("No timeline{}: give takt report the trace itself.", is_tried ? "" : " and no changes to try"));
  if (command == "pipeline run")
    result.missing.push_back(
        fmt::format("No timeline{}: takt pipeline run FILE --trace TRACE keeps what {}; give takt report that file.",
                    is_tried ? "" : " and no changes to try", is_tried ? "it needs" : "they need"));
}

}  // namespace

ReportResult report_result(const std::filesystem::path& file, SchemasOf schemas_of) {
  const std::string text = read_file(file);
  if (!is_result(text)) return report_profile(file);
  ReportResult result = parse_result(text, file.string(), schemas_of);
  result.name = file.filename().string();
  return result;
}

ReportResult parse_result(std::string_view json, const std::string& name, SchemasOf schemas_of, BesideTables beside) {
  const std::string where = "'" + quoted_part(name, 200) + "'";
  const nlohmann::json read = parse_strictly(json, where);
  const nlohmann::json provenance = read.value("takt", nlohmann::json());
  const std::string command =
      command_of(provenance, where, [&](std::string_view known) { return !schemas_of(known).empty(); });
  ReportResult result;
  result.name = name;
  result.origin = origin_of(provenance, where);
  result.tables = saved_tables(read.value("tables", nlohmann::json()), schemas_of(command), where);
  result.bars = bars_of(result.tables);
  if (command == "diagnose")
    for (ReportBar& bar : bars_of_trace(result.tables)) result.bars.push_back(std::move(bar));
  if (command.starts_with("pipeline ")) result.board = board_of(result.tables);
  if (command == "sweep") result.points = sweep_points(result.tables);
  result.what_if = std::move(beside.what_if);
  result.timeline = std::move(beside.timeline);
  add_sentences(result, command);
  add_titles(result);
  say_what_is_missing(result, command);
  return result;
}

}  // namespace takt
