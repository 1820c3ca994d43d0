#include "profile/run_tables.h"

#include <algorithm>
#include <numeric>

#include "analysis/shape_columns.h"
#include "core/check.h"
#include "core/common_columns.h"
#include "core/statistics.h"
#include "profile/instability.h"
#include "profile/left_ops.h"
#include "profile/measure.h"
#include "profile/operator_columns.h"
#include "profile/percentiles.h"
#include "profile/run_facts.h"
#include "profile/run_label.h"
#include "profile/run_memory.h"
#include "profile/startup.h"
#include "profile/throughput.h"
#include "profile/type_table.h"
#include "profile/typical.h"
#include "profile/vary.h"

namespace takt {
namespace {

struct SummaryRow {
  const RunResult* result;
  const RunPass* pass;
  Summary times;
  Duration host_mean;
  std::optional<ProfilingCost> cost;  ///< of the profiled row
  ModelMemory model;
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
    {"base_bytes", "Resident before", [](const SummaryRow& r) { return optional_cell(r.pass->memory.before); },
     "Bytes of takt, its libraries and what it had open besides that were resident before the session of the row was "
     "opened. Missing on simulated devices, and where the system does not tell."},
    {"load_peak_bytes", "Peak loading", [](const SummaryRow& r) { return optional_cell(r.pass->memory.loading); },
     "Most bytes of the whole program that were resident while the session of the row was opened; of a profiled row "
     "the plain session's are among them. Missing on simulated devices, and where the system does not tell."},
    {"run_peak_bytes", "Peak running", [](const SummaryRow& r) { return optional_cell(r.pass->memory.running); },
     "Most bytes of the whole program that were resident while the session of the row ran: of a plain row that a "
     "profiled one follows in its warm-up runs, before the other session was opened; of a profiled row with both "
     "sessions. Missing on simulated devices, and where the system does not tell."},
    {"weight_bytes", "Weights", [](const SummaryRow& r) { return optional_cell(r.model.weights); },
     "Bytes of the constants in the model's file, each once; a runtime may keep them in another layout, or twice."},
    {"activation_peak_bytes", "Activations", [](const SummaryRow& r) { return optional_cell(r.model.activations); },
     "Most bytes that live at once of tensors that are no weights, over the operators in the model's order, each "
     "tensor "
     "with memory of its own. Runtimes mostly need less, because they fuse operators and write results where inputs "
     "were; what kernels need besides is not in it. Missing where the size of one tensor is not known."},
    {"process_peak_bytes", "Peak of all", [](const SummaryRow& r) { return optional_cell(r.result->process_peak); },
     "Most bytes of the whole program that were resident at any time of it, both sessions and what prepares them "
     "among them. Missing on simulated devices, and where the system does not tell."},
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

Cell own_settings(const FitRow& row) {
  std::string text;
  for (const auto& [key, value] : row.properties) text += (text.empty() ? "" : " ") + key + "=" + value;
  return text.empty() ? Cell() : Cell(text);
}

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
    {"own_settings", "In your program", [](const FitLine& r) { return own_settings(*r.row); },
     "The settings of the row as the runtime calls them, as --property takes them and one's own program sets them: "
     "properties of compile_model in OpenVINO; in ONNX Runtime attributes of SessionOptions (as Python spells them), "
     "and with a dot in the name keys of add_session_config_entry. Missing for the defaults."},
};

struct OpLine {
  std::string name, type, kernel, fused, shape, runtime, device;
  std::optional<std::int64_t> calls;
  Nanoseconds total{};
  std::optional<double> share;
  std::optional<Duration> plain, plain_low, plain_high;
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
    {operator_columns::plain_mean_us, [](const OpLine& r) { return optional_cell(r.plain); }},
    {"plain_low_us", "Plain from", [](const OpLine& r) { return optional_cell(r.plain_low); },
     "Lower end of the 95 % interval of plain_mean_us."},
    {"plain_high_us", "Plain to", [](const OpLine& r) { return optional_cell(r.plain_high); },
     "Upper end of the 95 % interval of plain_mean_us."},
    {common::total_us, [](const OpLine& r) -> Cell { return Duration(r.total); }},
    {common::mean_us, [](const OpLine& r) { return optional_cell(r.mean); }},
    {common::median_us, [](const OpLine& r) { return optional_cell(r.median); }},
    {"mean_over_median", "Mean/median", [](const OpLine& r) { return optional_cell(r.unsteadiness); },
     "How many times the operator's median its mean is, where that is 1.5 or more: a few slow runs carry the mean. "
     "Missing elsewhere."},
    {operator_columns::share_percent, [](const OpLine& r) { return r.share ? Cell(*r.share * 100) : Cell(); }},
    {operator_columns::flops, [](const OpLine& r) { return optional_cell(r.flops); }},
    {"bytes", "Bytes", [](const OpLine& r) { return optional_cell(r.bytes); },
     "Bytes that the operator must read and write in one run: inputs, weights and outputs, each tensor once."},
    {operator_columns::gflops_per_s, [](const OpLine& r) { return optional_cell(r.gflops_per_s); }},
    {"gbytes_per_s", "GB/s", [](const OpLine& r) { return optional_cell(r.gbytes_per_s); },
     "Achieved data rate in 10^9 bytes per second: bytes divided by plain_mean_us, without plain runs by the mean "
     "time."},
    impossible_rate_column<OpLine>,
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
    operator_columns::profiling,
    {"[N other operators]", "The operators that --top leaves out, together."},
};

constexpr TableDefinition<SummaryRow> summary_definition{
    "summary", "The model's runs as a whole: a row per pass, plain before profiled.", summary_columns};
constexpr TableDefinition<OpLine> operators_definition{
    "operators",
    "Where the time of the profiled runs went: a row per operator or fused kernel, those first that take most of a "
    "plain run. total_us adds up to the measured time exactly, plain_mean_us to the plain run. Columns from samples on "
    "are there when --columns names them.",
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

OpRate rate_of(const OpRow& row) {
  OpRate rate;
  rate.flops = row.flops, rate.numbers = numbers_of(row.kernel, row.type);
  if (row.bytes) rate.bytes = static_cast<double>(*row.bytes);
  if (row.constant_bytes) rate.constants = static_cast<double>(*row.constant_bytes);
  return rate;
}

WorkingSet working_set_of(const OpProfile& profile) {
  WorkingSet model;
  for (const OpRow& row : profile.ops)
    if (const auto moved = moved_bytes_of(rate_of(row))) model.add(*moved);
  return model;
}

OpFigures figures_of(const OpRow& row, const OpLine& line, const WorkingSet& model, const FigureSettings& settings) {
  OpRate rate = rate_of(row);
  rate.time = line.plain.value_or(*line.mean), rate.one_thread = settings.one_thread;
  if (line.plain && line.plain->count() > 0)
    rate.usual_time = line.plain;
  else if (line.median && line.median->count() > 0)
    rate.usual_time = line.median;
  return takt::figures_of(durations(row.samples), rate, model, settings.peaks);
}

/// Of the plain run where it is known, else of the recorded ones.
std::optional<double> share_of(const std::optional<Duration>& plain, Nanoseconds total, const OpProfile& profile) {
  if (plain && profile.plain_mean && profile.plain_mean->count() > 0) return *plain / *profile.plain_mean;
  return profile.plain_mean ? std::nullopt : std::optional(ratio(total, profile.measured));
}

void add_times(OpLine& line, const OpRow& row, const OpProfile& profile) {
  const auto runs = static_cast<double>(profile.runs);
  line.total = row.total - row.record_cost;
  line.plain = row.plain_mean;
  if (row.plain_mean)
    line.plain_low = Duration(row.plain_interval.low), line.plain_high = Duration(row.plain_interval.high);
  line.share = share_of(line.plain, line.total, profile);
  line.mean = Duration(line.total) / runs;
  if (const auto middle = median(row.samples))
    line.median = std::max(Duration(0), *middle - Duration(row.record_cost) / runs);
  line.unsteadiness = unsteadiness(row.samples);
}

OpLine line_of(const OpRow& row, const OpProfile& profile, const WorkingSet& model, const FigureSettings* figures) {
  OpLine line;
  line.name = row.name, line.type = row.type, line.kernel = row.kernel;
  line.runtime = row.runtime, line.device = row.device;
  if (row.model_ops.size() > 1) line.fused = join(row.model_ops, "+");
  line.calls = row.calls;
  add_times(line, row, profile);
  line.flops = row.flops, line.bytes = row.bytes;
  const double seconds = line.plain.value_or(*line.mean).count() / 1e6;
  if (row.flops && seconds > 0) line.gflops_per_s = *row.flops / seconds / 1e9;
  if (row.bytes && seconds > 0) line.gbytes_per_s = static_cast<double>(*row.bytes) / seconds / 1e9;
  std::vector<std::string> shapes;
  for (const Shape& shape : row.output_shapes) shapes.push_back(to_string(shape));
  line.shape = join(shapes, " ");
  if (figures) line.figures = figures_of(row, line, model, *figures);
  return line;
}

OpLine rest_line(std::string_view name, Nanoseconds total, std::optional<Duration> plain, const OpProfile& profile) {
  OpLine line;
  line.name = name;
  line.total = total, line.plain = plain;
  line.share = share_of(plain, total, profile);
  line.mean = Duration(total) / static_cast<double>(profile.runs);
  if (!profile.ops.empty()) line.runtime = profile.ops.front().runtime, line.device = profile.ops.front().device;
  return line;
}

}  // namespace

Table summary_table(const RunResult& result) {
  std::vector<SummaryRow> rows;
  const ModelMemory model = model_memory(result);
  for (const auto* pass : {&result.plain, &result.profiled}) {
    if (!*pass) continue;
    auto times = summarize((*pass)->samples);
    auto host = summarize((*pass)->host_samples);
    if (times && host) rows.push_back({&result, &**pass, *times, host->mean, std::nullopt, model});
  }
  if (result.plain && result.profiled && !rows.empty())
    rows.back().cost = profiling_cost(*result.plain, *result.profiled);
  return labelled(summary_definition.make(rows), result);
}

Table operators_table(const OpProfile& profile, std::optional<int> top, const FigureSettings* figures) {
  std::vector<const OpRow*> order;
  for (const OpRow& row : profile.ops) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) {
    const Duration one = a->plain_mean.value_or(typical_time(a->samples));
    const Duration other = b->plain_mean.value_or(typical_time(b->samples));
    return one != other ? one > other : a->total > b->total;
  });
  std::size_t shown = top ? std::min(order.size(), static_cast<std::size_t>(*top)) : order.size();
  const WorkingSet model = working_set_of(profile);
  std::vector<OpLine> lines;
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(line_of(*order[i], profile, model, figures));
  if (shown < order.size()) {
    Nanoseconds rest{};
    Duration plain{};
    for (std::size_t i = shown; i < order.size(); ++i) {
      rest += order[i]->total - order[i]->record_cost;
      plain += order[i]->plain_mean.value_or(Duration(0));
    }
    lines.push_back(rest_line("[" + std::to_string(order.size() - shown) + " other operators]", rest,
                              profile.plain_mean ? std::optional(plain) : std::nullopt, profile));
  }
  if (profile.recording.count() > 0) {
    lines.push_back(rest_line(operator_columns::profiling.name, profile.recording, std::nullopt, profile));
    lines.back().median = lines.back().mean;
  }
  lines.push_back(
      rest_line(operator_columns::unattributed.name, profile.unattributed, profile.plain_unattributed, profile));
  Nanoseconds told{};
  for (const OpLine& line : lines) told += line.total;
  TAKT_CHECK(told == profile.measured);
  lines.back().median = median(profile.unattributed_samples);
  if (!figures || !figures->columns) return operators_definition.make(lines);
  lines.back().figures = takt::figures_of(durations(profile.unattributed_samples), {}, {}, nullptr);
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
  std::vector<TableSchema> schemas{labelled(summary_definition.schema()),
                                   labelled(types_schema()),
                                   labelled(all_operators().schema()),
                                   left_schema(),
                                   instability_schema(),
                                   labelled(instances_definition.schema()),
                                   startup_schema(),
                                   percentiles_schema(),
                                   throughput_schema(),
                                   fittings_definition.schema(),
                                   variants_schema()};
  for (auto& schema : run_facts_schemas()) schemas.push_back(std::move(schema));
  return schemas;
}

}  // namespace takt
