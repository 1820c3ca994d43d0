#include "profile/analyze_table.h"

#include <fmt/format.h>

#include "core/text.h"
#include "profile/analyze.h"
#include "profile/op_figures.h"

namespace takt {
namespace {

struct Line {
  OperatorRecord record;
  std::string kernel;
  OpFigures figures;
};

template <typename Number>
Cell number_cell(const Number& number) {
  return number ? Cell(number->value) : Cell();
}

Cell text_cell(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }

constexpr Column<Line> record_columns[] = {
    {"name", "Name", [](const Line& r) -> Cell { return r.record.op ? Cell(std::string(r.record.name)) : Cell(); },
     "The operator's name; empty for combined operators."},
    {"type", "Type", [](const Line& r) -> Cell { return std::string(r.record.type); }, "The operator's type."},
    {"id", "Id", [](const Line& r) -> Cell { return r.record.op ? Cell(std::string(r.record.id)) : Cell(); },
     "Its number in the profile."},
    {"count", "Count", [](const Line& r) -> Cell { return static_cast<std::int64_t>(r.record.count); },
     "Operators combined in the row."},
    {"time_us", "Time", [](const Line& r) -> Cell { return Duration(r.record.time * 1e6); },
     "Time of the operator on the device, or on the host with --print-only host."},
    {"computation_flo", "Operations", [](const Line& r) { return number_cell(r.record.computation); },
     "Arithmetic operations."},
    {"memory_bytes", "Bytes", [](const Line& r) { return number_cell(r.record.memory); }, "Bytes read and written."},
    {"flops", "FLOPS", [](const Line& r) { return optional_cell(r.record.flops); }, "Operations per second."},
    {"bandwidth_bytes_per_s", "Bandwidth", [](const Line& r) { return optional_cell(r.record.bandwidth); },
     "Bytes per second."},
};

constexpr Column<Line> kernel_columns[] = {
    {"kernel", "Kernel", [](const Line& r) { return text_cell(r.kernel); },
     "What the runtime calls the implementation it ran, or the provider it ran on."},
};

std::vector<Column<Line>> all_columns() {
  std::vector<Column<Line>> columns(std::begin(record_columns), std::end(record_columns));
  columns.insert(columns.end(), std::begin(kernel_columns), std::end(kernel_columns));
  columns.insert(columns.end(), std::begin(figure_columns<Line>), std::end(figure_columns<Line>));
  return columns;
}

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

Table analyze_table(const PeerProfile& profile, const AnalyzeOptions& options, const ProfileSamples& samples,
                    const Peaks* peaks) {
  const Section section = options.part == AnalyzeOptions::Part::host ? Section::host : Section::device;
  std::vector<Line> lines;
  for (const OperatorRecord& record : select_records(profile, section, options)) {
    Line& line = lines.emplace_back();
    line.record = record;
    OpRate rate = rate_of(record, options);
    rate.one_thread = samples.one_thread;
    std::span<const Duration> times;
    const auto found = record.op ? samples.operators.find(std::string(record.id)) : samples.operators.end();
    if (found != samples.operators.end()) {
      line.kernel = found->second.kernel;
      rate.bf16 = is_bf16_kernel(line.kernel);
      times = section == Section::device ? found->second.device : found->second.host;
    }
    line.figures = figures_of(times, rate, peaks);
  }
  const auto columns = all_columns();
  return make_table<Line>("operators", columns, lines);
}

std::vector<std::string> default_analyze_columns() {
  std::vector<std::string> names;
  for (const auto& column : record_columns) names.emplace_back(column.name);
  return names;
}

std::vector<ColumnInfo> analyze_columns() {
  std::vector<ColumnInfo> columns;
  for (const auto& column : all_columns())
    columns.push_back({std::string(column.name), std::string(column.title), std::string(column.meaning)});
  return columns;
}

std::string why_no_peaks(const ProfileSamples& samples, const std::string& this_cpu) {
  if (!samples.device.empty() && samples.device != "CPU")
    return fmt::format("the profile is of {}, and only peaks of the CPU are measured", printable(samples.device));
  const bool both_known = !samples.cpu.empty() && samples.cpu != "-" && this_cpu != "-";
  if (both_known && samples.cpu != this_cpu)
    return fmt::format("the profile is of '{}', the peaks are of this machine, '{}'", printable(samples.cpu), this_cpu);
  return "";
}

}  // namespace takt
