#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/files/file.h"
#include "base/system/log.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/tables.h"
#include "report/results/result_file.h"

namespace takt {
namespace {

struct ReportOptions {
  std::vector<std::filesystem::path> results;
  std::filesystem::path output;
  LogOptions log;
};

CommandLine declare(ReportOptions& o) {
  CommandLine line(
      "report",
      "Writes one self-contained page (HTML) from results, which opens in a browser without a network and can "
      "be sent as it is. Several results become its tabs.",
      "takt report before.json after.json -o report.html", o.log);
  line.add({.names = "RESULT",
            .meaning = "What a command of takt wrote with --format json, or a profile that takt analyze reads",
            .required = true,
            .names_a_file = true},
           &o.results);
  line.add({.names = "-o,--output", .value = "FILE", .meaning = "The page", .required = true, .makes = Makes::file},
           &o.output);
  return line;
}

std::vector<TableSchema> schemas_of(std::string_view command) {
  const auto found = std::find_if(all_tables().begin(), all_tables().end(),
                                  [&](const CommandTables& one) { return one.command == command; });
  return found == all_tables().end() ? std::vector<TableSchema>{} : found->tables;
}

int run(ReportOptions& o, Arguments arguments) {
  std::vector<ReportResult> results;
  for (const auto& file : o.results) results.push_back(report_result(file, schemas_of));
  write_file_atomically(o.output, page_html(results, fmt::format("takt report {}", fmt::join(arguments, " "))));
  log_info(fmt::format("wrote page {}", o.output.string()));
  return 0;
}

}  // namespace

constinit const Command report_command =
    command<ReportOptions, declare, run>("report", "write a page from results that can be opened and sent");

}  // namespace takt
