#include "profile/run_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/statistics.h"
#include "core/text.h"
#include "profile/instability.h"
#include "profile/measure.h"
#include "profile/percentiles.h"
#include "profile/startup.h"
#include "profile/throughput.h"

namespace takt {
namespace {

/// One line per figure, one column per pass: the summary has more figures than passes.
Table by_figure(const Table& summary) {
  Table turned{summary.name, {{"", "", ""}}, {}};
  for (std::size_t c = 0; c < summary.columns.size(); ++c) {
    const ColumnSchema& column = summary.columns[c];
    if (column.name == "runtime" || column.name == "device") continue;  // in the heading
    std::vector<Cell> line{column.title};
    for (const auto& row : summary.rows) {
      if (column.name == "pass") turned.columns.push_back({"", std::get<std::string>(row[c]), ""});
      line.push_back(row[c]);
    }
    if (column.name != "pass") turned.rows.push_back(std::move(line));
  }
  return turned;
}

/// `text` behind `label`, in lines of at most 80 columns that hang under its first word.
std::string labelled(std::string_view label, std::string_view text) {
  return std::string(label) + wrapped(text, 80, display_width(label)) + "\n";
}

std::string heading(const RunResult& result) {
  std::string text = fmt::format("model    {}\nruntime  {} {} on {} ({})\n", printable(result.model.string()),
                                 result.runtime, result.runtime_version, result.device, result.runtime_choice);
  for (std::size_t i = 0; i < result.input_values.size(); ++i) {
    const HostTensor& input = result.input_values[i];
    text += fmt::format("{}  {} {} {}, {}\n", i == 0 ? "input  " : "       ", printable(input.name),
                        to_string(input.shape), type_name(input.type), result.input_origins.at(i));
  }
  for (const auto& note : result.notes) text += labelled("note     ", printable(note));
  return text + "\n";
}

std::string model_info(const RunResult& result) {
  Table table{"ports", {{"kind", "Kind", ""}, {"name", "Name", ""}, {"shape", "Shape", ""}, {"type", "Type", ""}}, {}};
  for (const auto& [kind, ports] : {std::pair("input", &result.inputs), std::pair("output", &result.outputs)})
    for (const Port& port : *ports)
      table.rows.push_back({std::string(kind), port.name, to_string(port.shape), std::string(type_name(port.type))});
  return to_text(table) + "\n";
}

/// What looking costs, so that nobody takes the profiled times for the model's own.
std::string cost_of_profiling(const RunResult& result) {
  if (!result.plain || !result.profiled) return "";
  auto cost = profiling_cost(*result.plain, *result.profiled);
  if (!cost) return "";
  auto percent = [](double ratio) { return (ratio - 1) * 100; };
  std::string interval;
  if (cost->interval)
    interval =
        fmt::format(" (95 %: {:+.1f} to {:+.1f} %)", percent(cost->interval->low), percent(cost->interval->high));
  return fmt::format("Profiling cost {:+.1f} %{}, from alternating blocks.\n", percent(cost->ratio), interval);
}

/// Nothing when no cause is seen: unrest without a cause is noise.
std::string instability(const RunResult& result) {
  auto found = find_instability(result);
  if (!found || found->verdicts.empty()) return "";
  std::string text = fmt::format("Unstable: the slowest 5 % of the runs ({}) took {:.2f}x the median.\n",
                                 found->slow_runs, found->slow_ratio);
  for (const auto& verdict : found->verdicts) {
    text += labelled(fmt::format("{:<18} ", cause_name(verdict.cause)),
                     fmt::format("{:.0f} % of their excess: {}", verdict.share * 100, verdict.evidence));
    text += labelled(fmt::format("{:>18} ", "fix:"), verdict.fix);
  }
  return text + "\n";
}

std::string fitting(const FitResult& fit) {
  std::string text = "Settings tried, in turns\n" + to_text(without_columns(fitting_table(fit), {"own_settings"}));
  text += "In one's own program:\n";
  for (const FitRow& row : fit.rows)
    for (const auto& [key, value] : row.properties)
      text += fmt::format("  {:<20} {}={}\n", to_string(row.candidate), key, value);
  return text + (fit.best ? fmt::format("Measured with {}.\n\n", to_string(fit.rows[fit.best].candidate))
                          : std::string("None is faster than the defaults beyond noise: measured with those.\n\n"));
}

/// What fits 80 columns; room for rates that cannot be is made only where there are any.
std::vector<std::string_view> usual_columns(const Table& table) {
  std::vector<std::string_view> names{"name", "type", "mean_us", "share_percent", "gflops_per_s", "gbytes_per_s"};
  names.push_back(has_impossible_rates(table) ? impossible_column : "out_shapes");
  return names;
}

std::string operators(const RunResult& result, const OpProfile& ops, const RunTextSettings& settings) {
  Table table = operators_table(ops, settings.top, &settings.figures);
  std::string text =
      fmt::format("Operators, over {} profiled runs ({} measured)\n", ops.runs, format_duration(ops.measured));
  if (!settings.columns.empty())
    text += to_text(choose_columns(table, with_impossible_rates(settings.columns, table)), 160);
  else if (settings.all_columns)
    text += to_text(table, 240);
  else
    text += to_text(some_columns(table, usual_columns(table)));
  if (settings.figures.peaks && has_impossible_rates(table))
    text += wrapped(explain_impossible_rates(*settings.figures.peaks, settings.figures.one_thread), 80, 0) + "\n";
  text += fmt::format(
      "The rows add up to the measured time exactly. FLOPs, bytes and shapes are known\n"
      "for {:.1f} % of the operators' time.\n",
      ops.known_share * 100);
  return text + cost_of_profiling(result);
}

}  // namespace

std::string to_text(const RunResult& result, const OpProfile* ops, const RunTextSettings& settings) {
  std::string text = heading(result);
  if (settings.model_info) text += model_info(result);
  if (result.fit) text += fitting(*result.fit);
  text += to_text(by_figure(summary_table(result))) + startup_line(result) + "\n" + instability(result);
  if (!settings.percentiles.empty()) text += to_text(percentiles_table(result, settings.percentiles)) + "\n";
  if (result.throughput) text += to_text(throughput_table(*result.throughput)) + "\n";
  if (!result.instances.empty()) text += to_text(instances_table(result)) + "\n";
  if (ops) text += operators(result, *ops, settings);
  return text;
}

}  // namespace takt
