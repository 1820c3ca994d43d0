// The columns of `takt run`, each with its meaning for `takt explain`.
#include <algorithm>
#include <numeric>

#include "core/statistics.h"
#include "profile/instability.h"
#include "profile/op_profile.h"

namespace takt {
namespace {

struct SummaryRow {
  const RunResult* result;
  const RunPass* pass;
  Summary times;
  Duration host_mean;
};

double per_second(const SummaryRow& row) { return row.pass->runs_per_second.value_or(1e6 / row.times.mean.count()); }

constexpr Column<SummaryRow> summary_columns[] = {
    {"runtime", "Runtime", [](const SummaryRow& r) -> Cell { return r.result->runtime; },
     "The inference runtime that really ran the model."},
    {"device", "Device", [](const SummaryRow& r) -> Cell { return r.result->device; },
     "The device that really ran the model; a simulated one says sim:NAME."},
    {"pass", "Pass", [](const SummaryRow& r) -> Cell { return std::string(r.pass->profiled ? "profiled" : "plain"); },
     "plain: runs without operator times, what a user of the model sees. profiled: runs with operator times; the "
     "operators table describes exactly these."},
    {"iterations", "Runs", [](const SummaryRow& r) -> Cell { return static_cast<std::int64_t>(r.times.count); },
     "Measured runs, warm-up runs not among them."},
    {"load_us", "Load", [](const SummaryRow& r) -> Cell { return Duration(r.pass->load_time); },
     "Time to open the model: read, optimise, compile for the device."},
    {"mean_us", "Mean", [](const SummaryRow& r) -> Cell { return r.times.mean; },
     "Mean time of one run, from the runtime's call to its return."},
    {"stddev_us", "Std dev", [](const SummaryRow& r) { return optional_cell(r.times.stddev); },
     "Sample standard deviation (n-1) of the runs' times; missing for a single run."},
    {"min_us", "Min", [](const SummaryRow& r) -> Cell { return r.times.min; }, "The fastest run."},
    {"median_us", "Median", [](const SummaryRow& r) -> Cell { return r.times.median; },
     "Half of the runs were faster. Linear interpolation between the two nearest ranks."},
    {"p90_us", "p90", [](const SummaryRow& r) -> Cell { return r.times.p90; }, "90 % of the runs were faster."},
    {"p99_us", "p99", [](const SummaryRow& r) -> Cell { return r.times.p99; }, "99 % of the runs were faster."},
    {"max_us", "Max", [](const SummaryRow& r) -> Cell { return r.times.max; }, "The slowest run."},
    {"host_mean_us", "Host mean", [](const SummaryRow& r) -> Cell { return r.host_mean; },
     "Mean time from before the call until takt had control back: the run and what takt's own call costs."},
    {"throughput_per_s", "Runs/s", [](const SummaryRow& r) -> Cell { return per_second(r); },
     "Runs per second, one after another: 1 / mean. Of several instances: the sum of theirs."},
};

struct InstanceRow {
  std::int64_t number;
  Summary times;
};

constexpr Column<InstanceRow> instance_columns[] = {
    {"instance", "Instance", [](const InstanceRow& r) -> Cell { return r.number; },
     "Number of one of the sessions that ran at the same time (--thread)."},
    {"instance_runs", "Runs", [](const InstanceRow& r) -> Cell { return static_cast<std::int64_t>(r.times.count); },
     "Measured runs of this instance."},
    {"instance_mean_us", "Mean", [](const InstanceRow& r) -> Cell { return r.times.mean; },
     "Mean time of a run of this instance, while the others ran too."},
    {"instance_median_us", "Median", [](const InstanceRow& r) -> Cell { return r.times.median; },
     "Median time of a run of this instance."},
    {"instance_p99_us", "p99", [](const InstanceRow& r) -> Cell { return r.times.p99; },
     "99 % of this instance's runs were faster."},
    {"instance_throughput_per_s", "Runs/s", [](const InstanceRow& r) -> Cell { return 1e6 / r.times.mean.count(); },
     "Runs per second of this instance: 1 / mean. The instances' sum is the total throughput."},
};

struct FitLine {
  const FitRow* row;
  bool chosen;
};

Cell percent(const std::optional<Interval>& ratio, double Interval::*end) {
  return ratio ? Cell(((*ratio).*end - 1) * 100) : Cell();
}

constexpr Column<FitLine> fitting_columns[] = {
    {"settings", "Settings", [](const FitLine& r) -> Cell { return to_string(r.row->candidate); },
     "Settings of the runtime that --fitting tried."},
    {"fit_median_us", "Median", [](const FitLine& r) -> Cell { return r.row->median; },
     "Median over the rounds of a run's time with these settings."},
    {"fit_low_percent", "Change from %", [](const FitLine& r) { return percent(r.row->time_ratio, &Interval::low); },
     "Lower end of the interval of the time's change against the defaults; negative is faster."},
    {"fit_high_percent", "to %", [](const FitLine& r) { return percent(r.row->time_ratio, &Interval::high); },
     "Upper end of that interval. Only settings with both ends below 0 are called faster."},
    {"chosen", "Chosen", [](const FitLine& r) -> Cell { return std::string(r.chosen ? "yes" : ""); },
     "What the measured runs used: the fastest settings that are faster beyond noise, else the defaults."},
};

struct OpLine {
  std::string name, type, kernel, fused, shape, runtime, device;
  std::optional<std::int64_t> calls;
  Nanoseconds total{};
  double share = 0;
  std::optional<Duration> mean, median;
  std::optional<double> flops, gflops_per_s, gbytes_per_s;
  std::optional<std::int64_t> bytes;
  OpFigures figures;
};

constexpr Column<OpLine> operator_columns[] = {
    {"name", "Operator", [](const OpLine& r) -> Cell { return r.name; },
     "The operator as the model names it; [unattributed] is measured time that no operator claims (negative when "
     "operators overlap)."},
    {"type", "Type", [](const OpLine& r) -> Cell { return r.type; },
     "The model's own operator type; of a fused kernel, the type of the operator with most of the work."},
    {"kernel", "Kernel", [](const OpLine& r) { return r.kernel.empty() ? Cell() : Cell(r.kernel); },
     "What the runtime calls the implementation it ran."},
    {"fused", "Fused", [](const OpLine& r) { return r.fused.empty() ? Cell() : Cell(r.fused); },
     "Operators of the model that this one kernel stands for, where there are several."},
    {"calls", "Calls", [](const OpLine& r) { return optional_cell(r.calls); }, "Executions over all profiled runs."},
    {"total_us", "Total", [](const OpLine& r) -> Cell { return Duration(r.total); },
     "Time over all profiled runs. The column adds up to the measured time of these runs exactly."},
    {"mean_us", "Mean", [](const OpLine& r) { return optional_cell(r.mean); }, "Total divided by the profiled runs."},
    {"median_us", "Median", [](const OpLine& r) { return optional_cell(r.median); },
     "Median over the profiled runs of the operator's time in one run."},
    {"share_percent", "Share %", [](const OpLine& r) -> Cell { return r.share * 100; },
     "Total as a share of the measured time."},
    {"flops", "FLOPs", [](const OpLine& r) { return optional_cell(r.flops); },
     "Floating-point operations of one run, multiply and add counted apart; of a fused kernel, the sum of its "
     "operators."},
    {"bytes", "Bytes", [](const OpLine& r) { return optional_cell(r.bytes); },
     "Bytes that must be read and written in one run: inputs, weights and outputs, each tensor once."},
    {"gflops_per_s", "GFLOP/s", [](const OpLine& r) { return optional_cell(r.gflops_per_s); },
     "Achieved floating-point rate: FLOPs divided by the mean time."},
    {"gbytes_per_s", "GB/s", [](const OpLine& r) { return optional_cell(r.gbytes_per_s); },
     "Achieved data rate: bytes (10^9) divided by the mean time."},
    {"out_shapes", "Out shapes", [](const OpLine& r) { return r.shape.empty() ? Cell() : Cell(r.shape); },
     "Shapes of what the operator writes."},
    {"runtime", "Runtime", [](const OpLine& r) -> Cell { return r.runtime; },
     "The inference runtime that really ran it."},
    {"device", "Device", [](const OpLine& r) -> Cell { return r.device; }, "The device that really ran it."},
};

/// With those that are shown only when asked for; of two with one name, the first.
std::vector<Column<OpLine>> all_operator_columns() {
  std::vector<Column<OpLine>> columns(std::begin(operator_columns), std::end(operator_columns));
  for (const auto& column : figure_columns<OpLine>)
    if (std::none_of(columns.begin(), columns.end(), [&](const auto& other) { return other.name == column.name; }))
      columns.push_back(column);
  return columns;
}

double ratio(Nanoseconds part, Nanoseconds whole) {
  return whole.count() == 0 ? 0 : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::optional<Duration> median_of(const std::vector<Nanoseconds>& samples) {
  auto summary = summarize(samples);
  return summary ? std::optional(summary->median) : std::nullopt;
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
  line.median = median_of(row.samples);
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

Table summary_table(const RunResult& result, bool profiled_first) {
  std::vector<SummaryRow> rows;
  for (const auto* pass : {&result.plain, &result.profiled}) {
    if (!*pass) continue;
    auto times = summarize((*pass)->samples);
    auto host = summarize((*pass)->host_samples);
    if (times && host) rows.push_back({&result, &**pass, *times, host->mean});
  }
  if (profiled_first) std::reverse(rows.begin(), rows.end());
  return make_table<SummaryRow>("summary", summary_columns, rows);
}

Table operators_table(const OpProfile& profile, std::optional<int> top, const FigureSettings* figures) {
  std::vector<const OpRow*> order;
  for (const OpRow& row : profile.ops) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->total > b->total; });
  std::size_t shown = top ? std::min(order.size(), static_cast<std::size_t>(*top)) : order.size();
  std::vector<OpLine> lines;
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(line_of(*order[i], profile, figures));
  if (shown < order.size()) {
    Nanoseconds rest{};
    for (std::size_t i = shown; i < order.size(); ++i) rest += order[i]->total;
    lines.push_back(rest_line("[" + std::to_string(order.size() - shown) + " other operators]", "", rest, profile));
  }
  lines.push_back(rest_line("[unattributed]", "", profile.unattributed, profile));
  lines.back().median = median_of(profile.unattributed_samples);
  if (!figures) return make_table<OpLine>("operators", operator_columns, lines);
  lines.back().figures = takt::figures_of(durations(profile.unattributed_samples), {}, nullptr);
  return make_table<OpLine>("operators", all_operator_columns(), lines);
}

Table instances_table(const RunResult& result) {
  std::vector<InstanceRow> rows;
  for (std::size_t i = 0; i < result.instances.size(); ++i)
    if (auto times = summarize(result.instances[i].samples)) rows.push_back({static_cast<std::int64_t>(i), *times});
  return make_table<InstanceRow>("instances", instance_columns, rows);
}

Table fitting_table(const FitResult& fit) {
  std::vector<FitLine> rows;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) rows.push_back({&fit.rows[i], i == fit.best});
  return make_table<FitLine>("fitting", fitting_columns, rows);
}

std::vector<ColumnInfo> run_columns() {
  std::vector<ColumnInfo> columns;
  for (const auto& column : summary_columns)
    columns.push_back({std::string(column.name), std::string(column.title), std::string(column.meaning)});
  for (const auto& column : instance_columns)
    columns.push_back({std::string(column.name), std::string(column.title), std::string(column.meaning)});
  for (const auto& column : fitting_columns)
    columns.push_back({std::string(column.name), std::string(column.title), std::string(column.meaning)});
  for (const auto& column : all_operator_columns())
    columns.push_back({std::string(column.name), std::string(column.title), std::string(column.meaning)});
  for (auto& column : instability_columns()) columns.push_back(std::move(column));
  return columns;
}

}  // namespace takt
