#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/trace/trace.h"
#include "report/timelines/timeline.h"
#include "report/timelines/timeline_ranks.h"
#include "training/diagnosis/figure_tables.h"
#include "training/diagnosis/tables.h"
#include "training/figures/work_tables.h"
#include "training/steps/ranks.h"

namespace takt {
namespace {

struct DiagnoseOptions {
  std::vector<std::filesystem::path> files;
  TraceReadSettings settings;
  std::optional<std::string> show;
  bool compare = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(DiagnoseOptions& o) {
  CommandLine line("diagnose",
                   "Explains why a training is slow, from traces of PyTorch's profiler (GPU or CPU): where the time of "
                   "its steps goes, and each cause with its evidence, cost and fix, most expensive first. Rules that "
                   "need data which the trace does not have are listed. Steps are detected even without ProfilerStep "
                   "markers. Traces of several ranks are compared with each other.",
                   "takt diagnose trace.json.gz --format markdown", o.log);
  line.add({.names = "TRACE",
            .meaning = "Trace files in Chrome's JSON, also compressed, or Perfetto's protobuf; of a folder all of them",
            .required = true},
           &o.files);
  add_reading_threads(line, o.settings);
  line.add(
      {.names = "--show",
       .value = "WHAT",
       .meaning =
           "Also show metrics of the whole trace, separated by commas: temporal (busy and idle), idle (causes), "
           "kernels, launch, overlap (of communication), queue, path (the critical path of steps), phases (forward, "
           "backward, optimizer), operators, modules (nn.Module), memory (what held it at its peak), matrix_units "
           "(use of tensor cores)",
       .offered = figure_names()},
      &o.show);
  line.add({.names = "--compare", .meaning = "Show what changed in a step from the first of two traces to the second"},
           &o.compare);
  add_output(line, o.output, table_names("diagnose"));
  add_report(line, o.output);
  return line;
}

/// What --show names, and the table that CSV is made of.
std::vector<std::string> wanted_figures(const DiagnoseOptions& o) {
  const bool asks_for_comparison = o.output.table == "comparison";
  if (asks_for_comparison && !o.compare) throw UsageError("--table comparison needs --compare");
  if (o.compare && o.files.size() != 2) throw UsageError("--compare needs two traces, the earlier one first");
  std::vector<std::string> wanted;
  if (o.show) wanted = words_in(*o.show);
  for (const std::string& word : wanted) {
    if (std::find(figure_names().begin(), figure_names().end(), word) == figure_names().end())
      throw UsageError(fmt::format("--show '{}': {}", printable(word),
                                   suggestion(word, figure_names(), "use " + one_of(figure_names()))));
  }
  const auto is_figure = [](const std::string& name) {
    return std::find(figure_names().begin(), figure_names().end(), name) != figure_names().end();
  };
  const bool is_new = std::find(wanted.begin(), wanted.end(), o.output.table) == wanted.end();
  if (is_figure(o.output.table) && is_new) wanted.push_back(o.output.table);
  return wanted;
}

/// A table of --show or --compare as text: without rows what to record, without columns that say the same in every row.
std::string shown(const Table& table, bool has_files, const TextStyle& style) {
  const std::string_view missing = table.rows.empty() ? what_to_record(table.name) : std::string_view{};
  if (!missing.empty()) return fmt::format("{}: {}\n", table.name, missing);
  const Table without_file = has_files ? table : without_columns(table, {"file"});
  if (table.name != "memory") return to_text(without_file, style);
  return peak_sentences(table) + to_text(without_columns(without_file, {"peak_at_us", "peak_step", "grown_mb"}), style);
}

std::optional<ReportTimeline> timeline_of_ranks(const std::vector<NamedTrace>& traces) {
  std::vector<RankTimeline> timelines;
  for (const NamedTrace& one : traces)
    timelines.push_back({one.file, timeline_of(one.read.trace), one.read.trace.base_time().value_or(Nanoseconds{})});
  ReportTimeline timeline = side_by_side(std::move(timelines));
  return timeline.rows.empty() ? std::nullopt : std::optional(std::move(timeline));
}

int run(DiagnoseOptions& o, Arguments arguments) {
  const std::vector<std::string> wanted = wanted_figures(o);
  const auto traces = read_traces(with_files_of_folders(o.files), o.settings);
  warn_of_faults(traces);
  const std::vector<Diagnosis> diagnoses = diagnose(traces);
  std::vector<Table> tables = diagnosis_tables(diagnoses);
  std::string text = diagnosis_text(diagnoses, o.output.style());
  const auto add = [&](std::vector<Table> more) {
    for (Table& table : more) {
      text += "\n" + shown(table, traces.size() > 1, o.output.style());
      tables.push_back(std::move(table));
    }
  };
  if (o.compare && diagnoses.size() != 2) throw UsageError("--compare needs two traces of one rank each");
  if (o.compare) add({comparison_table(diagnoses[0], diagnoses[1])});
  add(figure_tables(traces, wanted));
  BesideTables beside;
  if (!o.output.report.empty()) beside.timeline = timeline_of_ranks(traces);
  print(o.output, tables, provenance_of("diagnose", arguments), text, std::move(beside));
  return 0;
}

}  // namespace

constinit const Command diagnose_command =
    command<DiagnoseOptions, declare, run>("diagnose", "explain why a training is slow, from its PyTorch trace");

}  // namespace takt
