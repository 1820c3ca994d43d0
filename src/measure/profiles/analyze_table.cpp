#include "measure/profiles/analyze_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"
#include "base/machine/op_figures.h"
#include "base/statistics/statistics.h"
#include "base/table/common_columns.h"
#include "measure/profiles/shape_columns.h"

namespace takt {
namespace {

struct Line {
  OperatorRecord record;
  std::optional<double> share;
  std::string kernel;
  OpFigures figures;
};

/// "{1,3} {3,8}"; missing where the profile does not tell the shapes, or for a row that combines several.
Cell shapes_cell(const OperatorRecord& record, std::string_view PeerOperator::*member) {
  const auto shapes = record.op ? parse_shapes(record.op->*member) : std::nullopt;
  if (!shapes) return {};
  std::string text;
  for (const auto& shape : *shapes)
    text += fmt::format("{}{}", text.empty() ? "" : " ", shape ? fmt::format("{{{}}}", fmt::join(*shape, ",")) : "?");
  return text.empty() ? Cell() : Cell(text);
}

template <typename Number>
Cell number_cell(const Number& number) {
  return number ? Cell(number->value) : Cell();
}

Cell text_cell(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }

constexpr Column<Line> record_columns[] = {
    {common::name, [](const Line& r) -> Cell { return r.record.op ? Cell(std::string(r.record.name)) : Cell(); }},
    {common::type, [](const Line& r) -> Cell { return std::string(r.record.type); }},
    {"id", "Id", [](const Line& r) -> Cell { return r.record.op ? Cell(std::string(r.record.id)) : Cell(); },
     "Number of the operator in the profile; empty if a row combines several."},
    {common::count, [](const Line& r) -> Cell { return static_cast<std::int64_t>(r.record.count); }},
    {"time_us", "Time", [](const Line& r) -> Cell { return Duration(r.record.time * 1e6); },
     "Time of the operator on the device, or on the host with --print-only host: in takt's profiles the time in the "
     "run of median time, in other programs' profiles the mean. If a row combines several operators, their times are "
     "combined as --aggregate says."},
    {"time_share_percent", "Share %", [](const Line& r) { return r.share ? Cell(*r.share * 100) : Cell(); },
     "The time as a share of the time of all operators of the profile; empty if that is 0."},
    {"computation_flo", "Operations", [](const Line& r) { return number_cell(r.record.computation); },
     "Arithmetic operations of the operator, in one run."},
    {"memory_bytes", "Bytes", [](const Line& r) { return number_cell(r.record.memory); },
     "Bytes that the operator reads and writes, in one run."},
    {"flops", "FLOPS", [](const Line& r) { return optional_cell(r.record.flops); },
     "Arithmetic operations per second: operations divided by the operator's time. The operators of 'takt run' have "
     "the number of operations under the same key."},
    {"bandwidth_bytes_per_s", "Bandwidth", [](const Line& r) { return optional_cell(r.record.bandwidth); },
     "Bytes read and written per second: bytes divided by the operator's time."},
    {shape_columns::in_shapes, [](const Line& r) { return shapes_cell(r.record, &PeerOperator::in_shapes); }},
    {shape_columns::out_shapes, [](const Line& r) { return shapes_cell(r.record, &PeerOperator::out_shapes); }},
};

constexpr Column<Line> kernel_columns[] = {
    {common::kernel, [](const Line& r) { return text_cell(r.kernel); }},
};

std::vector<Column<Line>> all_columns() {
  std::vector<Column<Line>> columns(std::begin(record_columns), std::end(record_columns));
  columns.insert(columns.end(), std::begin(kernel_columns), std::end(kernel_columns));
  columns.push_back(impossible_rate_column<Line>);
  columns.insert(columns.end(), std::begin(figure_columns<Line>), std::end(figure_columns<Line>));
  return columns;
}

TableDefinition<Line> definition(Section section) {
  static const std::vector<Column<Line>> columns = all_columns();
  if (section == Section::host)
    return {"host_operators",
            "The operators of a profile file by their time on the host: present with --show-host or --print-only host.",
            columns};
  return {"operators",
          "The operators of a profile file: a row per operator, or per group of them, in the order and with the "
          "filters that the options set. Columns from kernel on are present if --columns names them.",
          columns};
}

struct Totals {
  std::size_t operators = 0;
  std::optional<Total> device, host;
};

Cell seconds_cell(const std::optional<Total>& total) { return total ? Cell(Duration(total->time * 1e6)) : Cell(); }

constexpr Column<Totals> total_columns[] = {
    {"operators", "Operators", [](const Totals& t) -> Cell { return static_cast<std::int64_t>(t.operators); },
     "Operators that the profile file has."},
    {"device_total_us", "Device total", [](const Totals& t) { return seconds_cell(t.device); },
     "Sum of all operators' times on the device; empty if the profile has none."},
    {"host_total_us", "Host total", [](const Totals& t) { return seconds_cell(t.host); },
     "Sum of all operators' times on the host; empty if the profile has none."},
};

constexpr TableDefinition<Totals> totals_definition{
    "summary", "The totals of a profile file, over all its operators: one row.", total_columns};

/// Rates of maxima and minima mix operators, so only single operators and sums stand under a roof.
OpRate rate_of(const OperatorRecord& record, const AnalyzeOptions& options) {
  OpRate rate;
  rate.time = Duration(record.time * 1e6);
  if (!record.op && options.aggregate != AnalyzeOptions::Aggregate::sum) return rate;
  if (record.computation) rate.flops = record.computation->value;
  if (record.memory) rate.bytes = record.memory->value;
  return rate;
}

}  // namespace

/// Of everything that the profile knows, whatever is filtered out of the table.
WorkingSet working_set_of(const PeerProfile& profile, const ProfileSamples& samples) {
  WorkingSet model;
  for (const PeerOperator& op : profile.operators()) {
    if (!op.memory) continue;
    OpRate rate;
    rate.bytes = op.memory->value, rate.constants = samples.of(op.id).constants;
    model.add(*moved_bytes_of(rate));
  }
  return model;
}

Table analyze_table(const PeerProfile& profile, Section section, const AnalyzeOptions& options,
                    const ProfileSamples& samples, const Peaks* peaks) {
  const auto total = total_time(profile, section);
  const WorkingSet model = peaks ? working_set_of(profile, samples) : WorkingSet();
  std::vector<Line> lines;
  for (const OperatorRecord& record : select_records(profile, section, options)) {
    Line& line = lines.emplace_back();
    line.record = record;
    if (total && total->time != 0) line.share = record.time / total->time;
    OpRate rate = rate_of(record, options);
    rate.one_thread = samples.one_thread();
    OperatorSamples known;
    if (record.op) known = samples.of(record.id);
    rate.numbers = numbers_of(known.kernel, record.type);
    rate.constants = known.constants;
    if (const auto times = summarize(known.device); times && times->median.count() > 0) rate.usual_time = times->median;
    line.figures = figures_of(section == Section::device ? known.device : known.host, rate, model, peaks);
    line.kernel = std::move(known.kernel);
  }
  return definition(section).make(lines);
}

Table analyze_summary_table(const PeerProfile& profile) {
  const Totals totals{profile.operators().size(), total_time(profile, Section::device),
                      total_time(profile, Section::host)};
  return totals_definition.make(std::span(&totals, 1));
}

std::vector<std::string> default_analyze_columns() {
  std::vector<std::string> names;
  for (const auto& column : record_columns) names.emplace_back(column.name);
  return names;
}

std::vector<TableSchema> analyze_schemas() {
  return {definition(Section::device).schema(), definition(Section::host).schema(), totals_definition.schema()};
}

bool needs_samples(std::span<const std::string> names) {
  const auto is_known_without = [](const std::string& name) {
    const auto is_it = [&](const auto& column) { return column.name == name || column.name.starts_with(name + "_"); };
    return std::string_view(name).starts_with("intensity") ||
           std::any_of(std::begin(record_columns), std::end(record_columns), is_it);
  };
  return !std::all_of(names.begin(), names.end(), is_known_without);
}

std::string why_no_peaks(const ProfileSamples& samples, const std::string& this_cpu) {
  if (!samples.device().empty() && samples.device() != "CPU")
    return fmt::format("the profile is of {}, and takt measures peaks of the CPU only", printable(samples.device()));
  const bool both_known = !samples.cpu().empty() && samples.cpu() != "-" && this_cpu != "-";
  if (both_known && samples.cpu() != this_cpu)
    return fmt::format("the profile is of '{}', the peaks are of this machine, '{}'", printable(samples.cpu()),
                       this_cpu);
  return "";
}

}  // namespace takt
