#include "profile/analyze.h"

#include <iostream>

#include "cli/commands.h"
#include "cli/output.h"

namespace takt {
namespace {

Cell text_cell(std::string_view text) { return std::string(text); }

template <typename Number>
Cell number_cell(const Number& number) {
  return number ? Cell(number->value) : Cell();
}

const std::vector<Column<OperatorRecord>>& record_columns() {
  static const std::vector<Column<OperatorRecord>> columns = {
      {"name", "Name", [](const OperatorRecord& r) -> Cell { return r.op ? text_cell(r.name) : Cell(); },
       "The operator's name; empty for combined operators."},
      {"type", "Type", [](const OperatorRecord& r) -> Cell { return text_cell(r.type); }, "The operator's type."},
      {"id", "Id", [](const OperatorRecord& r) -> Cell { return r.op ? text_cell(r.id) : Cell(); },
       "Its number in the profile."},
      {"count", "Count", [](const OperatorRecord& r) -> Cell { return static_cast<std::int64_t>(r.count); },
       "Operators combined in the row."},
      {"time_us", "Time", [](const OperatorRecord& r) -> Cell { return Duration(r.time * 1e6); },
       "Time of the operator on the device, or on the host with --print-only host."},
      {"computation_flo", "Operations", [](const OperatorRecord& r) { return number_cell(r.computation); },
       "Arithmetic operations."},
      {"memory_bytes", "Bytes", [](const OperatorRecord& r) { return number_cell(r.memory); },
       "Bytes read and written."},
      {"flops", "FLOPS", [](const OperatorRecord& r) { return optional_cell(r.flops); }, "Operations per second."},
      {"bandwidth_bytes_per_s", "Bandwidth", [](const OperatorRecord& r) { return optional_cell(r.bandwidth); },
       "Bytes per second."},
  };
  return columns;
}

Table operator_table(const PeerProfile& profile, const AnalyzeOptions& options) {
  const Section section = options.part == AnalyzeOptions::Part::host ? Section::host : Section::device;
  const auto records = select_records(profile, section, options);
  return make_table<OperatorRecord>("operators", record_columns(), records);
}

}  // namespace

int run_analyze(std::span<const std::string> arguments) {
  const AnalyzeOptions options = parse_analyze_options(arguments);
  if (options.help) {
    std::cout << analyze_help();
    return 0;
  }
  OutputOptions output;
  output.format = options.format;
  output.file = options.output;
  check(output, {"operators"});
  const PeerProfile profile(options.file, !options.input_type.empty());
  std::vector<Table> tables;
  if (options.format != "table") tables.push_back(operator_table(profile, options));
  std::vector<std::string> command{"takt", "analyze"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::string text = options.format == "table" ? analyze_report(profile, options) : "";
  print(output, tables, make_provenance(std::move(command)), text);
  return 0;
}

}  // namespace takt
