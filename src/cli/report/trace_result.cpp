#include "cli/report/trace_result.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/system/log.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/trace/trace.h"
#include "pipeline/account/account.h"
#include "pipeline/record/recorded_run.h"
#include "pipeline/record/stage_events.h"
#include "report/results/result_file.h"
#include "report/results/what_if.h"
#include "report/timelines/timeline.h"
#include "trace/write/perfetto_writer.h"
#include "training/diagnosis/figure_tables.h"
#include "training/diagnosis/tables.h"
#include "training/steps/roles.h"

namespace takt {
namespace {

constexpr std::size_t looked_at = 1 << 16;

std::string beginning_of(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};  // what a pipe gave would be gone
  std::string text(looked_at, '\0');
  text.resize(InputFile(file).read(text));
  return text;
}

/// What a command says of a trace.
struct Said {
  std::string_view command;
  std::vector<Table> tables;
  std::optional<PipelineRun> run;  ///< of a pipeline

  std::vector<std::string> stages() const {
    std::vector<std::string> names;
    if (run)
      for (const RunStage& stage : run->stages) names.push_back(stage.name);
    return names;
  }
};

bool has_training(const Trace& trace) {
  RoleBook roles(trace);
  return std::any_of(trace.events().begin(), trace.events().end(), [&](const TraceEvent& event) {
    const Role role = roles.of(event);
    return is_on_device(role) || is_operator(role) || role == Role::step;
  });
}

Said pipeline_of(const NamedTrace& named) {
  RecordedRun recorded = recorded_run_of(named.read, named.file);
  for (const std::string& note : recorded.notes) log_warning(note);
  return {"pipeline analyze", tables(account(recorded.run)), std::move(recorded.run)};
}

Said training_of(const std::vector<NamedTrace>& traces) {
  Said said{"diagnose", diagnosis_tables(diagnose(traces)), {}};
  for (Table& table : figure_tables(traces, figure_names()))
    if (!table.rows.empty()) said.tables.push_back(std::move(table));
  return said;
}

/// The machine that reads a trace is not the one that it is of.
std::vector<OriginEntry> as_reader(std::vector<OriginEntry> origin) {
  std::erase_if(origin, [](const OriginEntry& entry) {
    return entry.label == "machine" || entry.label == "host" || entry.label == "system" || entry.label == "build";
  });
  for (OriginEntry& entry : origin)
    if (entry.label == "date") entry.label = "read";
  return origin;
}

Said said_of(const std::vector<NamedTrace>& traces) {
  const Trace& trace = traces.front().read.trace;
  if (has_training(trace)) return training_of(traces);
  if (has_pipeline(trace)) return pipeline_of(traces.front());
  return {"trace info", {trace_summary_table(traces), gpu_time_table(traces)}, {}};
}

}  // namespace

bool is_trace(const std::filesystem::path& file) {
  const std::string text = beginning_of(file);
  if (text.starts_with("\x1f\x8b") || is_perfetto_name(file)) return true;
  return text.find("\"traceEvents\"") != text.npos && text.find("\"graph_exec\"") == text.npos;
}

ReportResult trace_result(const std::filesystem::path& file) {
  const std::vector<std::filesystem::path> files{file};
  const auto traces = read_traces(files, {});
  warn_of_faults(traces);
  const Said said = said_of(traces);
  const std::array arguments{file.string()};
  const std::string json = to_json(said.tables, to_json(provenance_of(said.command, arguments)));
  BesideTables beside{{}, shown_timeline(traces.front().read.trace, said.stages())};
  if (said.run) beside.what_if = what_if_answers(*said.run, file.string());
  ReportResult result = parse_result(json, file.string(), tables_of_command, std::move(beside));
  result.name = file.filename().string();
  result.origin = as_reader(std::move(result.origin));
  result.origin.insert(result.origin.begin(), {"trace", result.name});
  Table rows = trace_rows_table(traces);
  for (TableSchema& schema : trace_info_schemas())
    if (schema.name == rows.name) result.tables.push_back({std::move(schema), rows});
  if (!result.timeline) result.missing.clear();  // the trace itself has none
  return result;
}

}  // namespace takt
