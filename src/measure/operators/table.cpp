#include "measure/operators/table.h"

#include <algorithm>
#include <string_view>

#include "base/basics/check.h"
#include "base/statistics/statistics.h"
#include "base/table/common_columns.h"
#include "measure/operators/columns.h"
#include "measure/operators/typical.h"
#include "measure/profiles/shape_columns.h"

namespace takt {
namespace {

struct OpLine {
  std::string name, type, kernel, computed_in, fused, shape, runtime, device, time_from;
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
     "Operators of the model that the kernel computes, joined by +; empty if the kernel is one operator."},
    {"computed_in", "Computed in", [](const OpLine& r) { return r.computed_in.empty() ? Cell() : Cell(r.computed_in); },
     "Type of the numbers that the kernel works with, as the runtime's record of it tells: of OpenVINO the node's own, "
     "of ONNX Runtime that of the first operand. Empty if it does not tell, and for operators on whole numbers only."},
    {"calls", "Calls", [](const OpLine& r) { return optional_cell(r.calls); },
     "Executions of the operator over all profiled runs."},
    {operator_columns::plain_mean_us, [](const OpLine& r) { return optional_cell(r.plain); }},
    {"plain_low_us", "Time CI low", [](const OpLine& r) { return optional_cell(r.plain_low); },
     "Lower end of the 95 % interval of plain_mean_us."},
    {"plain_high_us", "Time CI high", [](const OpLine& r) { return optional_cell(r.plain_high); },
     "Upper end of the 95 % interval of plain_mean_us."},
    {"time_from", "Time from", [](const OpLine& r) { return r.time_from.empty() ? Cell() : Cell(r.time_from); },
     "Where plain_mean_us comes from. plain: the runs without profiling. recorded: the machine was too busy for them "
     "to tell it (the interval would be wider than the time), so it is the profiled time, scaled to the plain "
     "run. Empty "
     "without plain runs and in rows that are no operators."},
    {common::total_us, [](const OpLine& r) -> Cell { return Duration(r.total); }},
    {common::mean_us, [](const OpLine& r) { return optional_cell(r.mean); }},
    {common::median_us, [](const OpLine& r) { return optional_cell(r.median); }},
    {"mean_over_median", "Mean/median", [](const OpLine& r) { return optional_cell(r.unsteadiness); },
     "Mean divided by median of the operator's time, if that is 1.5 or more: a few slow runs dominate the mean. Empty "
     "elsewhere."},
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
    {"[N other operators]", "The sum of the operators that --top leaves out."},
};

constexpr TableDefinition<OpLine> operators_definition{
    "operators",
    "Where the time of the profiled runs went: a row per operator or fused kernel, the most expensive of a plain run "
    "first. total_us adds up to the measured time exactly, plain_mean_us to the plain run. Columns from samples on are "
    "present if --columns names them.",
    operator_columns, operator_rows};

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
  if (row.plain_mean) line.time_from = row.plain_from_records ? "recorded" : "plain";
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
  if (row.computed_in) line.computed_in = type_name(*row.computed_in);
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

TableSchema operators_schema() { return all_operators().schema(); }

}  // namespace takt
