#include "profile/run_tables.h"

#include <algorithm>
#include <numeric>

#include "analysis/shape_columns.h"
#include "core/check.h"
#include "core/common_columns.h"
#include "core/statistics.h"
#include "profile/instability.h"
#include "profile/measure.h"
#include "profile/operator_columns.h"
#include "profile/run_facts.h"
#include "profile/run_label.h"
#include "profile/type_table.h"
#include "profile/typical.h"

namespace takt {
namespace {

struct SummaryRow {
  const RunResult* result;
  const RunPass* pass;
  Summary times;
  Duration host_mean;
  std::optional<ProfilingCost> cost;  ///< of the profiled row
};

Cell percent(const std::optional<Interval>& ratio, double Interval::*end) {
  return ratio ? Cell(((*ratio).*end - 1) * 100) : Cell();
}

double per_second(const SummaryRow& row) { return row.pass->runs_per_second.value_or(1e6 / row.times.mean.count()); }

constexpr Column<SummaryRow> summary_columns[] = {
    {common::runtime, [](const SummaryRow& r) -> Cell { return r.result->runtime; }},
    {common::device, [](const SummaryRow& r) -> Cell { return r.result->device; }},
    {operator_columns::pass,
     [](const SummaryRow& r) -> Cell { return std::string(r.pass->profiled ? "profiled" : "plain"); }},
    {"iterations", "Runs", [](const SummaryRow& r) -> Cell { return static_cast<std::int64_t>(r.times.count); },
     "Measured runs of the model, warm-up runs not among them."},
    {"load_us", "Load", [](const SummaryRow& r) -> Cell { return Duration(r.pass->load_time); },
     "Time to open the model: read, optimise, compile for the device."},
    {common::mean_us, [](const SummaryRow& r) -> Cell { return r.times.mean; }},
    {common::stddev_us, [](const SummaryRow& r) { return optional_cell(r.times.stddev); }},
    {common::min_us, [](const SummaryRow& r) -> Cell { return r.times.min; }},
    {common::median_us, [](const SummaryRow& r) -> Cell { return r.times.median; }},
    {common::p90_us, [](const SummaryRow& r) -> Cell { return r.times.p90; }},
    {common::p99_us, [](const SummaryRow& r) -> Cell { return r.times.p99; }},
    {common::max_us, [](const SummaryRow& r) -> Cell { return r.times.max; }},
    {"host_mean_us", "Host mean", [](const SummaryRow& r) -> Cell { return r.host_mean; },
     "Mean time of one run from before the call until takt had control back: the run and what takt's own call costs."},
    {"throughput_per_s", "Runs/s", [](const SummaryRow& r) -> Cell { return per_second(r); },
     "Runs of the model per second, one after another: 1 / mean time. Of several instances at once, the sum of their "
     "rates."},
    {"profiling_cost_percent", "Profiling cost %",
     [](const SummaryRow& r) { return r.cost ? Cell((r.cost->ratio - 1) * 100) : Cell(); },
     "How much longer a profiled run takes than a plain one, from alternating blocks of the two; missing for plain "
     "runs."},
    {"profiling_cost_low_percent", "Cost from %",
     [](const SummaryRow& r) { return r.cost ? percent(r.cost->interval, &Interval::low) : Cell(); },
     "Lower end of the 95 % interval of what profiling costs."},
    {"profiling_cost_high_percent", "Cost to %",
     [](const SummaryRow& r) { return r.cost ? percent(r.cost->interval, &Interval::high) : Cell(); },
     "Upper end of the 95 % interval of what profiling costs."},
};

struct InstanceRow {
  std::int64_t number;
  Summary times;
};

constexpr Column<InstanceRow> instance_columns[] = {
    {"instance", "Instance", [](const InstanceRow& r) -> Cell { return r.number; },
     "Number of one of the sessions of the model that ran at the same time (--thread), from 0."},
    {"instance_runs", "Runs", [](const InstanceRow& r) -> Cell { return static_cast<std::int64_t>(r.times.count); },
     "Measured runs of one of several instances."},
    {"instance_mean_us", "Mean", [](const InstanceRow& r) -> Cell { return r.times.mean; },
     "Mean time of a run of one instance, while the other instances ran too."},
    {"instance_median_us", "Median", [](const InstanceRow& r) -> Cell { return r.times.median; },
     "Median time of a run of one instance, while the other instances ran too."},
    {"instance_p99_us", "p99", [](const InstanceRow& r) -> Cell { return r.times.p99; },
     "99 % of one instance's runs took less time."},
    {"instance_throughput_per_s", "Runs/s", [](const InstanceRow& r) -> Cell { return 1e6 / r.times.mean.count(); },
     "Runs per second of one instance: 1 / its mean time. The sum over the instances is the throughput of all."},
};

struct FitLine {
  const FitRow* row;
  bool chosen;
};

constexpr Column<FitLine> fitting_columns[] = {
    {"settings", "Settings", [](const FitLine& r) -> Cell { return to_string(r.row->candidate); },
     "Settings of the runtime that --fitting tried."},
    {"fit_median_us", "Median", [](const FitLine& r) -> Cell { return r.row->median; },
     "Median over the rounds of a run's time with the settings of the row."},
    {"fit_low_percent", "Change from %", [](const FitLine& r) { return percent(r.row->time_ratio, &Interval::low); },
     "Lower end of the interval (95 % for all settings together) of the change of a run's time against the runtime's "
     "defaults; negative is faster."},
    {"fit_high_percent", "To %", [](const FitLine& r) { return percent(r.row->time_ratio, &Interval::high); },
     "Upper end of the interval (95 % for all settings together) of the change of a run's time against the runtime's "
     "defaults. Only settings with both ends below 0 are called faster."},
    {"chosen", "Chosen", [](const FitLine& r) -> Cell { return std::string(r.chosen ? "yes" : ""); },
     "yes: the measured runs used the settings of the row, the fastest of those that are faster beyond noise, or else "
     "the defaults."},
};

struct OpLine {
  std::string name, type, kernel, fused, shape, runtime, device;
  std::optional<std::int64_t> calls;
  Nanoseconds total{};
  double share = 0;
  std::optional<Duration> mean, median;
  std::optional<double> unsteadiness;
  std::optional<double> flops, gflops_per_s, gbytes_per_s;
  std::optional<std::int64_t> bytes;
  OpFigures figures;
};

constexpr Column<OpLine> operator_columns[] = {
    {common::name, [](const OpLine& r) -> Cell { return r.name; }},
    {common::type, [](const OpLine& r) -> Cell { return r.type; }},
    {common::kernel, [](const OpLine& r) { return r.kernel.empty() ? Cell() : Cell(r.kernel); }},
    {"fused", "Fused", [](const OpLine& r) { return r.fused.empty() ? Cell() : Cell(r.fused); },
     "Operators of the model that the kernel stands for, joined by +; missing where the kernel is one operator."},
    {"calls", "Calls", [](const OpLine& r) { return optional_cell(r.calls); },
     "Executions of the operator over all profiled runs."},
    {common::total_us, [](const OpLine& r) -> Cell { return Duration(r.total); }},
    {common::mean_us, [](const OpLine& r) { return optional_cell(r.mean); }},
    {common::median_us, [](const OpLine& r) { return optional_cell(r.median); }},
    {"mean_over_median", "Mean/median", [](const OpLine& r) { return optional_cell(r.unsteadiness); },
     "How many times the operator's median its mean is, where that is 1.5 or more: a few slow runs carry the mean. "
     "Missing elsewhere."},
    {operator_columns::share_percent, [](const OpLine& r) -> Cell { return r.share * 100; }},
    {operator_columns::flops, [](const OpLine& r) { return optional_cell(r.flops); }},
    {"bytes", "Bytes", [](const OpLine& r) { return optional_cell(r.bytes); },
     "Bytes that the operator must read and write in one run: inputs, weights and outputs, each tensor once."},
    {operator_columns::gflops_per_s, [](const OpLine& r) { return optional_cell(r.gflops_per_s); }},
    {"gbytes_per_s", "GB/s", [](const OpLine& r) { return optional_cell(r.gbytes_per_s); },
     "Achieved data rate in 10^9 bytes per second: bytes divided by the mean time."},
    {shape_columns::out_shapes, [](const OpLine& r) { return r.shape.empty() ? Cell() : Cell(r.shape); }},
    {common::runtime, [](const OpLine& r) -> Cell { return r.runtime; }},
    {common::device, [](const OpLine& r) -> Cell { return r.device; }},
};

/// With those that are shown only when asked for; of two with one name, the first.
std::vector<Column<OpLine>> with_figures() {
  std::vector<Column<OpLine>> columns(std::begin(operator_columns), std::end(operator_columns));
  for (const auto& column : figure_columns<OpLine>)
    if (std::none_of(columns.begin(), columns.end(), [&](const auto& other) { return other.name == column.name; }))
      columns.push_back(column);
  return columns;
}

constexpr NamedRow operator_rows[] = {
    operator_columns::unattributed,
    {"[N other operators]", "The operators that --top leaves out, together."},
};

constexpr TableDefinition<SummaryRow> summary_definition{
    "summary", "The model's runs as a whole: a row per pass, plain before profiled.", summary_columns};
constexpr TableDefinition<OpLine> operators_definition{
    "operators",
    "Where the time of the profiled runs went: a row per operator or fused kernel, largest median first. Adds up to "
    "the "
    "measured time exactly. Columns from samples on are there when --columns names them.",
    operator_columns, operator_rows};
constexpr TableDefinition<InstanceRow> instances_definition{
    "instances", "Several sessions of the model at once (--thread): a row per session.", instance_columns};
constexpr TableDefinition<FitLine> fittings_definition{
    "fitting", "What --fitting tried: a row per settings of the runtime, measured in turns.", fitting_columns};

TableDefinition<OpLine> all_operators() {
  static const std::vector<Column<OpLine>> columns = with_figures();
  return {operators_definition.name, operators_definition.sentence, columns, operators_definition.named_rows};
}

double ratio(Nanoseconds part, Nanoseconds whole) {
  return whole.count() == 0 ? 0 : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : std::string(separator)) + part;
  return text;
}

std::vector<Duration> durations(const std::vector<Nanoseconds>& samples) {
  return std::vector<Duration>(samples.begin(), samples.end());
}

OpFigures figures_of(const OpRow& row, const OpLine& line, const FigureSettings& settings) {
  OpRate rate{row.flops, std::nullopt, *line.mean, settings.one_thread, is_bf16_kernel(row.kernel)};
  if (row.bytes) rate.bytes = static_cast<double>(*row.bytes);
  return takt::figures_of(durations(row.samples), rate, settings.peaks);
}

OpLine line_of(const OpRow& row, const OpProfile& profile, const FigureSettings* figures) {
  OpLine line;
  line.name = row.name, line.type = row.type, line.kernel = row.kernel;
  line.runtime = row.runtime, line.device = row.device;
  if (row.model_ops.size() > 1) line.fused = join(row.model_ops, "+");
  line.calls = row.calls;
  line.total = row.total;
  line.share = ratio(row.total, profile.measured);
  line.mean = Duration(row.total) / static_cast<double>(profile.runs);
  line.median = median(row.samples);
  line.unsteadiness = unsteadiness(row.samples);
  line.flops = row.flops, line.bytes = row.bytes;
  double seconds = line.mean->count() / 1e6;
  if (row.flops && seconds > 0) line.gflops_per_s = *row.flops / seconds / 1e9;
  if (row.bytes && seconds > 0) line.gbytes_per_s = static_cast<double>(*row.bytes) / seconds / 1e9;
  std::vector<std::string> shapes;
  for (const Shape& shape : row.output_shapes) shapes.push_back(to_string(shape));
  line.shape = join(shapes, " ");
  if (figures) line.figures = figures_of(row, line, *figures);
  return line;
}

OpLine rest_line(std::string name, std::string_view kind, Nanoseconds total, const OpProfile& profile) {
  OpLine line;
  line.name = std::move(name), line.type = kind;
  line.total = total;
  line.share = ratio(total, profile.measured);
  line.mean = Duration(total) / static_cast<double>(profile.runs);
  if (!profile.ops.empty()) line.runtime = profile.ops.front().runtime, line.device = profile.ops.front().device;
  return line;
}

}  // namespace

Table summary_table(const RunResult& result) {
  std::vector<SummaryRow> rows;
  for (const auto* pass : {&result.plain, &result.profiled}) {
    if (!*pass) continue;
    auto times = summarize((*pass)->samples);
    auto host = summarize((*pass)->host_samples);
    if (times && host) rows.push_back({&result, &**pass, *times, host->mean, std::nullopt});
  }
  if (result.plain && result.profiled && !rows.empty())
    rows.back().cost = profiling_cost(*result.plain, *result.profiled);
  return labelled(summary_definition.make(rows), result);
}

Table operators_table(const OpProfile& profile, std::optional<int> top, const FigureSettings* figures) {
  std::vector<const OpRow*> order;
  for (const OpRow& row : profile.ops) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) {
    const Duration one = typical_time(a->samples), other = typical_time(b->samples);
    return one != other ? one > other : a->total > b->total;
  });
  std::size_t shown = top ? std::min(order.size(), static_cast<std::size_t>(*top)) : order.size();
  std::vector<OpLine> lines;
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(line_of(*order[i], profile, figures));
  if (shown < order.size()) {
    Nanoseconds rest{};
    for (std::size_t i = shown; i < order.size(); ++i) rest += order[i]->total;
    lines.push_back(rest_line("[" + std::to_string(order.size() - shown) + " other operators]", "", rest, profile));
  }
  lines.push_back(rest_line(std::string(operator_rows[0].name), "", profile.unattributed, profile));
  Nanoseconds told{};
  for (const OpLine& line : lines) told += line.total;
  TAKT_CHECK(told == profile.measured);
  lines.back().median = median(profile.unattributed_samples);
  if (!figures) return operators_definition.make(lines);
  lines.back().figures = takt::figures_of(durations(profile.unattributed_samples), {}, nullptr);
  return all_operators().make(lines);
}

Table instances_table(const RunResult& result) {
  std::vector<InstanceRow> rows;
  for (std::size_t i = 0; i < result.instances.size(); ++i)
    if (auto times = summarize(result.instances[i].samples)) rows.push_back({static_cast<std::int64_t>(i), *times});
  return labelled(instances_definition.make(rows), result);
}

Table fitting_table(const FitResult& fit) {
  std::vector<FitLine> rows;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) rows.push_back({&fit.rows[i], i == fit.best});
  return fittings_definition.make(rows);
}

std::vector<TableSchema> run_schemas() {
  std::vector<TableSchema> schemas{labelled(summary_definition.schema()),   labelled(types_schema()),
                                   labelled(all_operators().schema()),      instability_schema(),
                                   labelled(instances_definition.schema()), fittings_definition.schema()};
  for (auto& schema : run_facts_schemas()) schemas.push_back(std::move(schema));
  return schemas;
}

}  // namespace takt
