#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/report/trace_result.h"
#include "report/results/result_file.h"
#include "report/results/roofs.h"
#include "report/timelines/timeline.h"

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
            .meaning =
                "What a command of takt wrote with --format json, a profile that takt analyze reads, or a trace, which "
                "gets a timeline: of a pipeline, a training, or anything else",
            .required = true,
            .names_a_file = true},
           &o.results);
  line.add({.names = "-o,--output", .value = "FILE", .meaning = "The page", .required = true, .makes = Makes::file},
           &o.output);
  return line;
}

/// Of several files every refusal names its own.
ReportResult result_of(const std::filesystem::path& file) {
  try {
    return is_trace(file) ? trace_result(file) : report_result(file, tables_of_command);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find(file.filename().string()) != std::string_view::npos) throw;
    throw Error(error.kind(), fmt::format("{}: {}", printable(file.string()), error.what()));
  }
}

int run(ReportOptions& o, Arguments arguments) {
  std::vector<ReportResult> results;
  for (const auto& file : o.results) results.push_back(result_of(file));
  lend_roofs(results);
  keep_longest(results);
  write_page(o.output, results, fmt::format("takt report {}", fmt::join(arguments, " ")));
  return 0;
}

}  // namespace

constinit const Command report_command =
    command<ReportOptions, declare, run>("report", "write a page from results that can be opened and sent");

}  // namespace takt
