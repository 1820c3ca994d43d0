#include "cli/report/trace_result.h"

#include <array>
#include <string>

#include "base/files/file.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/trace/trace.h"
#include "report/results/result_file.h"
#include "training/diagnosis/figure_tables.h"
#include "training/diagnosis/tables.h"

namespace takt {
namespace {

constexpr std::size_t looked_at = 1 << 16;

std::string beginning_of(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};  // what a pipe gave would be gone
  std::string text(looked_at, '\0');
  text.resize(InputFile(file).read(text));
  return text;
}

}  // namespace

bool is_trace(const std::filesystem::path& file) {
  const std::string text = beginning_of(file), extension = file.extension().string();
  if (text.starts_with("\x1f\x8b") || extension == ".pftrace" || extension == ".perfetto-trace") return true;
  return text.find("\"traceEvents\"") != text.npos && text.find("\"graph_exec\"") == text.npos;
}

ReportResult trace_result(const std::filesystem::path& file) {
  const std::vector<std::filesystem::path> files{file};
  const auto traces = read_traces(files, {});
  warn_of_faults(traces);
  std::vector<Table> tables = diagnosis_tables(diagnose(traces));
  for (Table& table : figure_tables(traces, figure_names()))
    if (!table.rows.empty()) tables.push_back(std::move(table));
  const std::array arguments{file.string()};
  const std::string json = to_json(tables, to_json(provenance_of("diagnose", arguments)));
  ReportResult result = parse_result(json, file.string(), tables_of_command);
  result.name = file.filename().string();
  return result;
}

}  // namespace takt
