#include "measure/report/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/basics/text.h"
#include "base/statistics/percentile_interval.h"
#include "base/statistics/statistics.h"
#include "base/table/histogram.h"
#include "base/table/number_form.h"
#include "measure/open/startup.h"
#include "measure/operators/fallback_ops.h"
#include "measure/operators/type_table.h"
#include "measure/operators/waiting_device.h"
#include "measure/report/instability_text.h"
#include "measure/report/percentiles.h"
#include "measure/report/run_facts.h"
#include "measure/report/shapes_table.h"
#include "measure/report/steps_table.h"
#include "measure/run/label.h"
#include "measure/run/memory.h"
#include "measure/timing/instability.h"
#include "measure/timing/measure.h"
#include "measure/timing/throughput.h"
#include "model/runtime/precision.h"

namespace takt {
namespace {

/// One line per figure, one column per pass: the summary has more figures than passes. All times in one unit.
Table by_figure(const Table& summary) {
  constexpr std::array<std::string_view, 13> said_elsewhere{"runtime",
                                                            "device",
                                                            "pass",
                                                            "load_us",
                                                            "profiling_cost_percent",
                                                            "profiling_cost_low_percent",
                                                            "profiling_cost_high_percent",
                                                            "base_bytes",
                                                            "load_peak_bytes",
                                                            "run_peak_bytes",
                                                            "weight_bytes",
                                                            "activation_peak_bytes",
                                                            "process_peak_bytes"};
  std::vector<Duration> times;
  for (std::size_t c = 0; c < summary.columns.size(); ++c)
    if (summary.columns[c].name == "median_us")
      for (const auto& row : summary.rows) times.push_back(std::get<Duration>(row[c]));
  NumberForm form = form_of(times);
  if (form.decimals < 3) ++form.decimals;  // the spread is smaller than the median
  Table turned{summary.name, {{"", "", ""}}, {}};
  for (std::size_t r = 0; r < summary.rows.size(); ++r)
    turned.columns.push_back({"", std::get<std::string>(some_columns(summary, {"pass"}).rows[r][0]), ""});
  for (std::size_t c = 0; c < summary.columns.size(); ++c) {
    if (std::find(said_elsewhere.begin(), said_elsewhere.end(), summary.columns[c].name) != said_elsewhere.end())
      continue;
    const Table figure = some_columns(summary, {summary.columns[c].name});
    const auto cells = shown_cells(figure);
    std::vector<Cell> line{summary.columns[c].title};
    for (std::size_t r = 0; r < cells.size(); ++r) {
      const auto time = std::get_if<Duration>(&figure.rows[r][0]);
      line.push_back(time ? formatted(*time, form) : cells[r][0]);
    }
    turned.rows.push_back(std::move(line));
  }
  return turned;
}

/// A dash needs its reason.
std::string missing_percentile(const RunResult& result) {
  const auto& pass = result.plain ? result.plain : result.profiled;
  if (!pass || pass->samples.size() >= samples_for_percentile(0.99)) return "";
  return fmt::format("p99 needs {} runs; these are {} (--iter {}).\n", samples_for_percentile(0.99),
                     pass->samples.size(), samples_for_percentile(0.99));
}

/// Figures as text, which stands right as numbers do.
std::string summary(const RunResult& result, const Screen& screen) {
  Table turned = by_figure(without_labels(summary_table(result)));
  for (std::size_t c = 1; c < turned.columns.size(); ++c) {
    std::size_t width = display_width(turned.columns[c].title);
    for (const auto& row : turned.rows) width = std::max(width, display_width(std::get<std::string>(row[c])));
    const auto right = [&](const std::string& text) { return std::string(width - display_width(text), ' ') + text; };
    turned.columns[c].title = right(turned.columns[c].title);
    for (auto& row : turned.rows) row[c] = right(std::get<std::string>(row[c]));
  }
  return to_text(turned, {.width = screen.width, .colour = screen.colour}) + missing_percentile(result);
}

std::string heading(const RunResult& result, const RunTextSettings& settings) {
  const Screen& screen = settings.screen;
  std::string text = fmt::format("model    {}\nruntime  {} {} on {} ({})\n", printable(result.model.string()),
                                 result.runtime, result.runtime_version, result.device, result.runtime_choice);
  for (std::size_t i = 0; i < result.input_values.size(); ++i) {
    const HostTensor& input = result.input_values[i];
    text += fmt::format("{}  {} {} {}, {}\n", i == 0 ? "input  " : "       ", printable(input.name),
                        to_string(input.shape), type_name(input.type), result.input_origins.at(i));
  }
  for (const auto& note : settings.all_columns ? all_notes(result) : result.notes)
    text += "note     " + wrapped(printable(note), screen.width, 9) + "\n";
  return text + "\n";
}

/// The time of a run in the middle, how often that is a second, and how all runs are spread.
std::string answer(const RunResult& result, const Screen& screen) {
  const auto& pass = result.plain ? result.plain : result.profiled;
  const auto times = pass ? summarize(pass->samples) : std::nullopt;
  if (!times) return "";
  const std::string at_once =
      result.instances.empty() ? "" : fmt::format(" of {} concurrent instances", result.instances.size());
  // Of several requests in flight a latency is that of each, and not the time that a run takes of the device.
  const std::string of_what =
      result.throughput ? fmt::format("latency of a request, {} in flight", result.throughput->requests) : "per run";
  std::string text = painted(fmt::format("{} {}", format_duration(times->median), of_what), Paint::bold, screen.colour);
  text += fmt::format(
      " (median of {} {} runs{}), {} runs/s, loaded in {}\n", times->count, pass->profiled ? "profiled" : "plain",
      at_once, formatted(pass->runs_per_second.value_or(1e6 / times->mean.count())), format_duration(pass->load_time));
  const std::string histogram = histogram_line(pass->samples);
  return text + (histogram.empty() ? "" : histogram + "\n") + "\n";
}

std::string model_info(const RunResult& result, const Screen& screen) {
  Table table{"ports", {{"kind", "Kind", ""}, {"name", "Name", ""}, {"shape", "Shape", ""}, {"type", "Type", ""}}, {}};
  for (const auto& [kind, ports] : {std::pair("input", &result.inputs), std::pair("output", &result.outputs)})
    for (const Port& port : *ports)
      table.rows.push_back({std::string(kind), port.name, to_string(port.shape), std::string(type_name(port.type))});
  return to_text(table, {.width = screen.width, .colour = screen.colour}) + "\n";
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
  return fmt::format("Profiling overhead {:+.1f} %{}, from alternating blocks.\n", percent(cost->ratio), interval);
}

std::string fitting(const FitResult& fit, const Screen& screen) {
  std::string text = "Settings tried, interleaved\n" + to_text(without_columns(fitting_table(fit), {"own_settings"}),
                                                               {.width = screen.width, .colour = screen.colour});
  text += "In your program:\n";
  for (const FitRow& row : fit.rows)
    for (const auto& [key, value] : row.properties)
      text += fmt::format("  {:<20} {}={}\n", to_string(row.candidate), key, value);
  return text + (fit.best
                     ? fmt::format("Measured with {}.\n\n", to_string(fit.rows[fit.best].candidate))
                     : std::string(fit.most_helpful ? "Measured with the defaults.\n\n"
                                                    : "None is faster than the defaults beyond noise: measured with "
                                                      "the defaults.\n\n"));
}

/// How to measure with it: settings of this runtime are in effect already.
std::string how_to_change(const FitRow& row) {
  std::string settings;
  for (const auto& [key, value] : row.properties)
    settings += fmt::format("{}{}={}", settings.empty() ? "; in your program: " : " ", key, value);
  const Candidate& candidate = row.candidate;
  if (!candidate.runtime.empty()) return fmt::format("; measure it with --runtime {}", candidate.runtime);
  if (candidate.precision)
    return fmt::format("; measure it with --precision {}, and look at what your results become",
                       precision_name(*candidate.precision));
  return settings;
}

/// The last line: what to change and what it gains; nothing where nothing does.
std::string what_helps(const FitResult& fit, const Screen& screen) {
  const FitRow& best = fit.rows[fit.most_helpful];
  if (fit.most_helpful == 0 || !best.time_ratio || fit.rows.front().median <= Duration(0)) return "";
  const auto less = [](double ratio) { return (1 - ratio) * 100; };
  return wrapped(fmt::format("What helps most: {}, with which a run takes {:.1f} % less time than with the defaults "
                             "(95 %: {:.1f} to {:.1f} % less){}.",
                             to_string(best.candidate), less(best.median / fit.rows.front().median),
                             less(best.time_ratio->high), less(best.time_ratio->low), how_to_change(best)),
                 screen.width) +
         "\n";
}

bool has_a_value(const Table& table, std::string_view column) {
  const Table one = some_columns(table, {column});
  return std::any_of(one.rows.begin(), one.rows.end(),
                     [](const auto& row) { return !row.empty() && !std::holds_alternative<std::monostate>(row[0]); });
}

/// The columns that are always there, and of the others as many as the screen has room for.
Table usual_columns(const Table& table, const Screen& screen) {
  std::vector<std::string_view> names{"name", "type"};
  if (has_a_value(table, "plain_mean_us"))
    names.insert(names.end(), {"plain_mean_us", "median_us"});
  else
    names.insert(names.end(), {"median_us", "mean_us"});
  if (has_a_value(table, "mean_over_median")) names.push_back("mean_over_median");
  names.insert(names.end(), {"share_percent", "gflops_per_s"});
  if (has_impossible_rates(table)) names.push_back(impossible_column);
  for (const std::string_view more : {"gbytes_per_s", "out_shapes", "kernel", "fused"}) {
    if (!has_a_value(table, more)) continue;
    names.push_back(more);
    if (text_width(some_columns(table, names)) > screen.width) names.pop_back();
  }
  return some_columns(table, names);
}

/// Types say nothing new where each has one operator.
std::string types(const OpProfile& ops, const Screen& screen) {
  constexpr int most = 6;
  const Table table = types_table(ops, most);
  const bool repeats = types_table(ops, std::nullopt).rows.size() > ops.ops.size();
  if (repeats) return "";
  const std::string_view time = has_a_value(table, "plain_mean_us") ? "plain_mean_us" : "median_us";
  const Table shown = some_columns(table, {"type", "count", time, "share_percent", "gflops_per_s"});
  return fmt::format("By type, over {} profiled runs ({} measured)\n", ops.runs, format_duration(ops.measured)) +
         to_text(shown, {.width = screen.width, .colour = screen.colour}) + "\n";
}

std::string operators(const RunResult& result, const OpProfile& ops, const RunTextSettings& settings) {
  const Screen& screen = settings.screen;
  const Table table = operators_table(ops, settings.top, &settings.figures);
  const auto paint = [](const ColumnSchema& column, const Cell&) {
    return column.name == "mean_over_median" ? Paint::bad : Paint::plain;
  };
  TextStyle style{screen.width, screen.colour, paint};
  std::string text =
      fmt::format("Operators, over {} profiled runs ({} measured)\n", ops.runs, format_duration(ops.measured));
  // Without a terminal whoever asks for columns has room for them.
  if ((!settings.columns.empty() || settings.all_columns) && !screen.is_terminal)
    style.width = std::max<std::size_t>(style.width, settings.all_columns ? 240 : 160);
  if (!settings.columns.empty())
    text += to_text(choose_columns(labelled(table, result), with_impossible_rates(settings.columns, table)), style);
  else
    text += to_text(settings.all_columns ? table : usual_columns(table, screen), style);
  if (has_a_value(table, "mean_over_median"))
    text += wrapped(
                "Mean/median (shown from 1.5): a few slow runs dominate the mean; the order of the rows is robust "
                "against them.",
                screen.width) +
            "\n";
  if (settings.figures.peaks && has_impossible_rates(table))
    text +=
        wrapped(explain_impossible_rates(*settings.figures.peaks, settings.figures.one_thread), screen.width) + "\n";
  text +=
      wrapped(
          fmt::format(
              "{} FLOPs, bytes and shapes are known for {:.1f} % of operator time.",
              ops.plain_mean
                  ? "Time: per run without profiling; the column adds up to the plain mean, Total to the profiled time."
                  : "The rows add up to the measured time exactly.",
              ops.known_share * 100),
          screen.width) +
      "\n";
  const auto is_recorded = [](const OpRow& row) { return row.plain_from_records; };
  const auto recorded = std::count_if(ops.ops.begin(), ops.ops.end(), is_recorded);
  if (recorded > 0)
    text += wrapped(fmt::format("Time of {} operator{} is the recorded one, scaled to the plain run: the machine was "
                                "too busy for the plain runs to tell it (column time_from).",
                                recorded, recorded == 1 ? "" : "s"),
                    screen.width) +
            "\n";
  const std::string waiting = waiting_device_line(result, ops);
  return text + fallback_ops_line(ops) + (waiting.empty() ? "" : wrapped(waiting, screen.width)) +
         cost_of_profiling(result);
}

/// Of many steps every second, third, …: they grow or shrink smoothly.
std::string by_step(Table table, const TextStyle& style) {
  constexpr std::size_t most_rows = 20;
  const std::size_t apart = (table.rows.size() + most_rows - 1) / most_rows;
  std::string title = "By step since the state was reset";
  if (apart > 1) {
    title += fmt::format("; 1 row of {}, --format csv --table steps has all", apart);
    std::vector<std::vector<Cell>> shown;
    for (std::size_t i = 0; i < table.rows.size(); i += apart) shown.push_back(std::move(table.rows[i]));
    table.rows = std::move(shown);
  }
  return wrapped(title, style.width) + "\n" + to_text(table, style);
}

}  // namespace

std::string to_text(const RunResult& result, const OpProfile* ops, const RunTextSettings& settings) {
  const Screen& screen = settings.screen;
  const TextStyle style{.width = screen.width, .colour = screen.colour};
  std::string text = answer(result, screen) + instability_text(result, screen) + heading(result, settings);
  if (settings.model_info) text += model_info(result, screen);
  if (result.fit) text += fitting(*result.fit, screen);
  if (ops) text += types(*ops, screen) + operators(result, *ops, settings) + "\n";
  text += summary(result, screen) + startup_line(result) + memory_line(result, screen.width);
  if (!settings.percentiles.empty()) text += "\n" + to_text(percentiles_table(result, settings.percentiles), style);
  if (result.throughput) text += "\n" + to_text(throughput_table(*result.throughput), style);
  if (!result.instances.empty()) text += "\n" + to_text(without_labels(instances_table(result)), style);
  if (const auto shapes = shapes_table(result)) text += "\nBy shape of the inputs\n" + to_text(*shapes, style);
  if (const auto steps = steps_table(result)) text += "\n" + by_step(*steps, style);
  if (settings.all_columns) text += "\n" + to_text(iterations_table(result), style);
  if (result.fit) text += what_helps(*result.fit, screen);
  return text;
}

}  // namespace takt
