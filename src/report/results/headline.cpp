#include "report/results/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/table/number_form.h"
#include "report/results/analysis.h"
#include "report/results/answers.h"
#include "report/results/plan_sentences.h"
#include "report/results/saved_tables.h"
#include "report/results/trace_bars.h"

namespace takt {
namespace {

std::string shown(double us) { return shown_time(Duration(us)); }

bool add_run(ReportResult& result) {
  const Table* summary = find_table(result.tables, "summary");
  const auto mean = summary ? number_in(*summary, 0, "mean_us") : std::nullopt;
  if (!mean) return false;
  const std::string model = std::filesystem::path(text_in(*summary, 0, "model")).filename().string();
  result.headline = fmt::format("{} takes {} a run", model.empty() ? "The model" : model, shown(*mean));
  if (!result.bars.empty())
    if (const auto share = largest_share(result.bars.front()); !share.empty())
      result.headline += "; " + share + " of it";
  const auto median = number_in(*summary, 0, "median_us"), p99 = number_in(*summary, 0, "p99_us");
  if (median && p99)
    result.lede =
        fmt::format("Half of the runs take at most {}, 99 % of them at most {}.", shown(*median), shown(*p99));
  add_facts(result, *summary,
            {"median_us", "p90_us", "p99_us", "throughput_per_s", "weight_bytes", "activation_peak_bytes"});
  return true;
}

bool add_pipeline(ReportResult& result) {
  const Table* summary = find_table(result.tables, "summary");
  const std::string bottleneck = summary ? text_in(*summary, 0, "bottleneck") : "";
  const auto cycle = summary ? number_in(*summary, 0, "cycle_us") : std::nullopt;
  if (bottleneck.empty() || !cycle) return false;
  result.headline = fmt::format("{} sets the beat: a batch every {}", bottleneck, shown(*cycle));
  if (const std::string bound = text_in(*summary, 0, "bound_by"); !bound.empty())
    result.lede = fmt::format("The cycle is bound by {}.", bound);
  if (text_in(*summary, 0, "interrupted") == "yes") result.lede += " The run was interrupted.";
  add_facts(result, *summary,
            {"cycle_us", "throughput_per_s", "latency_median_us", "latency_p99_us", "batches", "margin_percent"});
  return true;
}

bool add_diagnosis(ReportResult& result) {
  const Table* verdicts = find_table(result.tables, "verdicts");
  if (!verdicts || result.bars.empty()) return false;
  const auto saved = number_in(*verdicts, 0, "saved_ms_per_step"), share = number_in(*verdicts, 0, "step_share");
  const ReportBar& first = result.bars.front();
  if (!saved) {
    result.headline = fmt::format("No cause found: a step takes {}", shown_time(first.whole));
    return true;
  }
  std::string cause = text_in(*verdicts, 0, "cause");
  std::replace(cause.begin(), cause.end(), '_', ' ');
  const Table* breakdown = find_table(result.tables, "breakdown");
  const auto ranks = ranks_of(breakdown ? *breakdown : *verdicts);
  const auto rank = ranks.find(text_in(*verdicts, 0, "file"));
  const bool has_ranks = first.view == "ranks" && share && *share > 0;  // then the first bar is of any trace
  result.headline =
      fmt::format("{} {} {} of a step of {}{}", cause, cause.ends_with('s') ? "cost" : "costs", shown(*saved * 1000),
                  has_ranks ? shown(*saved * 1000 / *share) : shown_time(first.whole),
                  has_ranks && rank != ranks.end() ? " in " + rank->second : "");
  result.lede = text_in(*verdicts, 0, "fix");
  add_facts(result, *verdicts, {"saved_ms_per_step", "speed_up_if_removed", "in_steps"});
  return true;
}

bool add_comparison(ReportResult& result) {
  const Table* whole = find_table(result.tables, "whole");
  if (!whole || whole->rows.empty()) return false;
  const auto change = number_in(*whole, 0, "change_percent"), low = number_in(*whole, 0, "low_percent"),
             high = number_in(*whole, 0, "high_percent");
  const std::string verdict = text_in(*whole, 0, "verdict"),
                    file = std::filesystem::path(text_in(*whole, 0, "compared")).filename().string();
  const std::string range = change && low && high ? fmt::format(": {} % ({} to {})", percentage_text(*change),
                                                                percentage_text(*low), percentage_text(*high))
                                                  : "";
  if (verdict == "slower" || verdict == "faster")
    result.headline = fmt::format("{} is {}{}", file, verdict, range);
  else if (verdict == "same")
    result.headline = fmt::format("{} is as fast as before{}", file, range);
  else
    result.headline = fmt::format("These runs cannot tell whether {} is slower{}", file, range);
  add_facts(result, *whole, {"before_us", "after_us", "change_percent", "low_percent", "high_percent"});
  return true;
}

bool add_trace(ReportResult& result) {
  const Table* summary = find_table(result.tables, "summary");
  const auto events = summary ? number_in(*summary, 0, "events") : std::nullopt;
  const auto rows = summary ? number_in(*summary, 0, "rows") : std::nullopt;
  if (!events || !rows) return false;
  result.headline =
      fmt::format("{:.0f} event{} on {:.0f} row{}", *events, *events == 1 ? "" : "s", *rows, *rows == 1 ? "" : "s");
  if (const auto duration = number_in(*summary, 0, "duration_ns")) result.headline += " in " + shown(*duration / 1000);
  add_facts(result, *summary, {"processes", "counters", "flows", "faults"});
  return true;
}

}  // namespace

std::string shown_time(Duration time) { return formatted(time, form_of(std::array{time})); }

void add_facts(ReportResult& result, const Table& table, std::initializer_list<std::string_view> columns) {
  for (const std::string_view name : columns)
    for (const auto& column : table.columns)
      if (column.name == name && !table.rows.empty()) result.facts.push_back({column, *find_cell(table, 0, name)});
}

std::string largest_share(const ReportBar& bar) {
  const ReportPart* largest = nullptr;
  for (const auto& part : bar.parts)
    if (!part.label.starts_with('[') && (!largest || part.time > largest->time)) largest = &part;
  if (!largest || bar.whole.count() <= 0) return {};
  return fmt::format("{} takes {:.1f} %", largest->label, 100 * (largest->time / bar.whole));
}

void add_sentences(ReportResult& result, std::string_view command) {
  const bool found = command == "run"                   ? add_run(result)
                     : command == "analyze"             ? add_analysis(result)
                     : command == "compare"             ? add_comparison(result)
                     : command == "diagnose"            ? add_diagnosis(result)
                     : command == "trace info"          ? add_trace(result)
                     : add_answer(result, command)      ? true
                     : command.starts_with("pipeline ") ? add_pipeline(result)
                                                        : add_plan_sentences(result, command);
  if (found) return;
  std::size_t rows = 0;
  for (const auto& table : result.tables) rows += table.table.rows.size();
  result.headline = fmt::format("What takt {} printed: {} row{} in {} table{}", command, rows, rows == 1 ? "" : "s",
                                result.tables.size(), result.tables.size() == 1 ? "" : "s");
}

}  // namespace takt
