#include "profile/analyze.h"

#include <iostream>
#include <optional>

#include "cli/commands.h"
#include "cli/output.h"
#include "core/log.h"
#include "core/text.h"
#include "machine/peaks_file.h"
#include "profile/analyze_table.h"
#include "profile/op_figures.h"
#include "profile/profile_file.h"

namespace takt {
namespace {

/// Lines that belong to the result: above a table on standard output, else on standard error.
std::string say(const std::vector<std::string>& lines, const OutputOptions& output) {
  std::string text;
  for (const auto& line : lines)
    if (output.format == "table" && output.file.empty())
      text += printable(line) + "\n";
    else
      log_info(line);
  return text.empty() ? text : text + "\n";
}

struct Result {
  std::vector<Table> tables;
  std::string text;
};

Result analyze(const AnalyzeOptions& options, const OutputOptions& output, const Provenance& provenance) {
  const ProfileFile file = open_profile(options.file, {!options.input_type.empty(), !options.columns.empty()});
  std::vector<std::string> lines;
  if (!file.description.empty()) lines.push_back(file.description);
  for (const auto& note : file.notes) lines.push_back("note: " + note);
  if (output.format == "table" && options.columns.empty())
    return {{}, say(lines, output) + analyze_report(file.profile, options)};
  std::optional<Peaks> peaks;
  if (needs_peaks(options.columns)) {
    std::string reason = why_no_peaks(file.samples, provenance.cpu);
    KnownPeaks known;
    if (reason.empty()) known = load_peaks(), reason = known.reason;
    peaks = std::move(known.peaks);
    if (!peaks) lines.push_back("note: no roofline and peak_share: " + reason);
  }
  const auto names = options.columns.empty() ? default_analyze_columns() : options.columns;
  const Table all = analyze_table(file.profile, options, file.samples, peaks ? &*peaks : nullptr);
  Result result{{choose_columns(all, names)}, ""};
  result.text = say(lines, output) + to_text(result.tables.front(), 160);
  return result;
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
  set_up_log(LogLevel::info);  // what the file is goes to standard error beside data
  std::vector<std::string> command{"takt", "analyze"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Provenance provenance = make_provenance(std::move(command));
  const Result result = analyze(options, output, provenance);
  print(output, result.tables, provenance, result.text);
  return 0;
}

}  // namespace takt
