#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/machine/peaks_file.h"
#include "base/machine/peaks_table.h"
#include "base/statistics/statistics.h"
#include "base/system/provenance.h"
#include "base/table/number_form.h"
#include "measure/profiles/analyze_table.h"
#include "report/results/bars.h"
#include "report/results/blocks.h"
#include "report/results/execution.h"
#include "report/results/headline.h"
#include "report/results/levels.h"
#include "report/results/result_file.h"
#include "report/results/roofs.h"

namespace takt {
namespace {

std::optional<Duration> mean_of(const std::vector<Duration>& runs) {
  if (runs.empty()) return std::nullopt;
  return std::accumulate(runs.begin(), runs.end(), Duration{}) / static_cast<double>(runs.size());
}

/// Without profiling where there are such runs: what the model really takes.
std::vector<Duration> runs_of(const RunRecord& record) {
  if (!record.has_profile()) return {};
  const auto plain = record.plain_samples();
  const auto samples = plain.empty() ? record.samples() : plain;
  return {samples.begin(), samples.end()};
}

std::vector<ReportMark> marks_of(const std::vector<Duration>& runs) {
  const auto summary = summarize(runs);
  if (!summary) return {};
  std::vector<ReportMark> marks{{"median", summary->median}, {"p90", summary->p90}};
  if (summary->p99) marks.push_back({"p99", *summary->p99});
  return marks;
}

std::vector<OriginEntry> origin_of_profile(const ProfileFile& file) {
  const RunOrigin& run = file.samples.record().origin();
  std::vector<OriginEntry> origin;
  const std::pair<const char*, const std::string*> entries[] = {
      {"profile", &file.description},
      {"model", &run.model},
      {"runtime", &run.runtime},
      {"runtime version", &run.runtime_version},
      {"device", &run.device},
      {"machine", &run.cpu},
      {"date", &run.date},
      {"host", &run.host},
      {"precision", &run.precision},
  };
  for (const auto& [label, value] : entries)
    if (!value->empty()) origin.push_back({label, *value});
  for (const auto& [key, value] : run.settings) origin.push_back({key, value});
  for (const auto& note : file.notes) origin.push_back({"note", note});
  return origin;
}

/// What this machine can do, where the profile is of it; files whose machine is not told could be of any.
std::optional<Peaks> peaks_of(const ProfileSamples& samples) {
  const std::string here = make_provenance({}).cpu;
  if (samples.device() != "CPU" || samples.cpu() != here || here == "-") return std::nullopt;
  return load_peaks().peaks;
}

/// The first of the steps at which most is alive; nullptr: it is not known.
const ReportStep* most_alive(const std::vector<ReportStep>& steps) {
  const auto most =
      std::max_element(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.alive < b.alive; });
  return most == steps.end() || !most->alive ? nullptr : &*most;
}

void add_table(ReportResult& result, Table table) {
  for (auto& schema : analyze_schemas())
    if (schema.name == table.name) return result.tables.push_back({std::move(schema), std::move(table)});
}

/// Operators of profiled runs may take longer than a plain run: the sentence has the time that is without profiling.
void add_profile_headline(ReportResult& result, const std::string& model) {
  const ReportBar& bar = result.bars.front();
  const auto run = mean_of(result.runs);
  result.headline = fmt::format("{} takes {}{}", model.empty() ? result.name : model,
                                shown_time(run.value_or(bar.whole)), run ? " a run" : " in its operators");
  if (const auto share = largest_share(bar); !share.empty())
    result.headline += "; " + share + " of it" + (run && *run < bar.whole ? " with profiling" : "");
}

}  // namespace

ReportResult report_profile(const std::filesystem::path& path) {
  const ProfileFile file = open_profile(path, {.samples = true});
  AnalyzeOptions all;
  all.top = 0;
  ReportResult result;
  result.name = path.filename().string();
  result.origin = origin_of_profile(file);
  result.runs = runs_of(file.samples.record());
  result.run_marks = marks_of(result.runs);
  const auto peaks = peaks_of(file.samples);
  const Table operators = analyze_table(file.profile, Section::device, all, file.samples, peaks ? &*peaks : nullptr);
  if (peaks) result.roofs = roofs_of(peaks_table(*peaks), file.samples.one_thread());
  result.steps = execution_of(file.profile.text());
  result.blocks = blocks_of(result.steps);
  result.bars.push_back(bar_of_operators(operators, mean_of(result.runs)));
  add_profile_headline(result, file.samples.record().origin().model);
  add_table(result, operators);
  add_table(result, analyze_summary_table(file.profile));
  if (const auto most = most_alive(result.steps))
    result.titles.push_back({"execution", fmt::format("At most {} of results are alive: at {}",
                                                      format_bytes(static_cast<double>(*most->alive)), most->name)});
  if (std::string title = blocks_title(result.blocks, result.steps); !title.empty())
    result.titles.push_back({"blocks", std::move(title)});
  if (std::string title = levels_title(result.steps); !title.empty())
    result.titles.push_back({"graph", std::move(title)});
  else if (result.steps.size() != 1)
    result.missing.push_back("No graph: this profile does not tell which operator reads which; takt run's does.");
  if (result.runs.empty())
    result.missing.push_back("No times of single runs: takt run MODEL --profile FILE keeps them.");
  if (!peaks)
    result.missing.push_back(
        "No roofs: takt devices --measure finds the limits of the machine that measured; make the page there, or give "
        "takt report what it prints with --format json as another RESULT.");
  return result;
}

}  // namespace takt
