#include "measure/profiles/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>

#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/machine/op_figures.h"
#include "base/machine/peaks_file.h"
#include "base/memory/mapped_ranges.h"
#include "base/system/log.h"
#include "base/system/version.h"
#include "cli/line/command_files.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/measure/peer_option_table.h"
#include "cli/measure/peer_options.h"
#include "measure/profiles/analyze_table.h"
#include "measure/profiles/profile_file.h"

namespace takt {
namespace {

/// Lines that belong to the result: above a table on standard output, else on standard error.
std::string say(const std::vector<std::string>& lines, const OutputOptions& output) {
  std::string text;
  for (const auto& line : lines)
    if (output.is_text_on_screen())
      text += printable(line) + "\n";
    else
      log_info(line);
  return text.empty() ? text : text + "\n";
}

struct Result {
  std::vector<Table> tables;
  std::string text;
};

/// For columns that need them; without those, only for a profile that is known to be of this CPU. Says why not.
std::optional<Peaks> peaks_for(const ProfileSamples& samples, const AnalyzeOptions& options,
                               const Provenance& provenance, std::vector<std::string>& lines) {
  const bool asked = needs_peaks(options.columns);
  std::string reason = why_no_peaks(samples, provenance.cpu);
  KnownPeaks known;
  if (reason.empty() && (asked || samples.device() == "CPU")) known = load_peaks(), reason = known.reason;
  if (!known.peaks && asked) lines.push_back("note: no roofline and peak_share: " + reason);
  return known.peaks;
}

/// The parts that the options ask for, the operators first: CSV is the first table.
std::vector<Table> tables_of(const ProfileFile& file, const AnalyzeOptions& options, const Peaks* peaks) {
  using Part = AnalyzeOptions::Part;
  const auto names = options.columns.empty() ? default_analyze_columns() : options.columns;
  const auto operators = [&](Section section) {
    const Table table = analyze_table(file.profile, section, options, file.samples, peaks);
    return choose_columns(table, with_impossible_rates(names, table));
  };
  std::vector<Table> tables;
  if (options.part == Part::all || options.part == Part::device) tables.push_back(operators(Section::device));
  if (options.part == Part::host || (options.show_host && options.part == Part::all))
    tables.push_back(operators(Section::host));
  if (options.part == Part::all || options.part == Part::summary) tables.push_back(analyze_summary_table(file.profile));
  return tables;
}

Result result_of(const ProfileFile& file, const AnalyzeOptions& options, const OutputOptions& output,
                 const Provenance& provenance) {
  std::vector<std::string> lines;
  if (!file.description.empty()) lines.push_back(file.description);
  for (const auto& note : file.notes) lines.push_back("note: " + note);
  if (output.format == "table" && options.columns.empty())
    return {{}, say(lines, output) + analyze_report(file.profile, options)};
  const std::optional<Peaks> peaks = peaks_for(file.samples, options, provenance, lines);
  Result result{tables_of(file, options, peaks ? &*peaks : nullptr), ""};
  if (peaks && std::any_of(result.tables.begin(), result.tables.end(), has_impossible_rates))
    lines.push_back("note: " + explain_impossible_rates(*peaks, file.samples.one_thread()));
  result.text = say(lines, output);
  TextStyle style = output.style();
  // Without a terminal, output with chosen columns may be wide.
  if (!output.screen().is_terminal) style.width = std::max<std::size_t>(style.width, 160);
  for (const Table& table : result.tables)
    if (table.name != "summary" || result.tables.size() == 1)
      result.text += (&table == &result.tables.front() ? "" : "\n") + to_text(table, style);
  return result;
}

/// Options that have no effect here, as they have none in the program that takt follows.
void say_what_is_ignored(const AnalyzeOptions& options) {
  using Aggregate = AnalyzeOptions::Aggregate;
  if (options.aggregate != Aggregate::none && !options.aggregate_by_type)
    log_warning("--aggregate has no effect alone; add --aggregate-by type");
  if (options.top_given && options.top < 0)
    log_warning(fmt::format("--top {0}: all operators but the last {1} are shown; write --top {1} for the first {1}",
                            options.top, -options.top));
}

/// A filter that nothing passes gives an empty table under the totals of all.
void say_unknown_types(const ProfileFile& file, const AnalyzeOptions& options) {
  std::set<std::string> known;
  for (const PeerOperator& op : file.profile.operators()) known.emplace(op.type);
  const std::vector<std::string> types(known.begin(), known.end());
  for (const std::string& type : options.types)
    if (!known.contains(type))
      log_warning(fmt::format("--type {}: no operator has this type; {}", printable(type),
                              suggestion(type, types, fmt::format("there are {}", fmt::join(types, ", ")))));
}

Result analyze(AnalyzeOptions options, const OutputOptions& output, const Provenance& provenance) {
  const bool is_data = output.format == "csv" || output.format == "json";
  if (is_data && !options.top_given) options.top = 0;
  const ProfileFile file =
      open_profile(options.file,
                   {.types = !options.input_type.empty(),
                    .samples = needs_samples(options.columns) || output.format != "table" || !options.columns.empty()});
  say_unknown_types(file, options);
  return read_whole(file.profile.text(), [&] { return result_of(file, options, output, provenance); });
}

CommandDescription describe() {
  CommandDescription command{
      "analyze", analyze_summary(), "takt analyze profile.json --aggregate-by type --aggregate sum", {}};
  command.options.push_back(
      {.names = "PROFILE", .meaning = "The file to read", .required = true, .names_a_file = true});
  for (const PeerOption& known : peer_options()) {
    Option& option = command.options.emplace_back();
    option.names = fmt::format("{}", fmt::join(known.names, ","));
    option.value = known.value_name;
    option.meaning = known.help;
    if (option.meaning.ends_with('.')) option.meaning.pop_back();
    option.takes = known.value_name.empty() ? Takes::nothing : Takes::word;
    if (option.value.find('|') != option.value.npos || option.value == "type")
      option.offered = split(option.value, '|');
    option.names_a_file = option.value == "FILE";
  }
  return command;
}

int run(Arguments arguments) {
  const AnalyzeOptions options = parse_analyze_options(arguments);
  if (options.help) {
    std::cout << analyze_help();
    return 0;
  }
  OutputOptions output;
  output.format = options.format;
  output.file = options.output;
  CommandFiles files;
  files.add_read(options.file, "PROFILE");
  if (!output.file.empty()) files.add_written(output.file, "-o");
  files.add_log(options.log_file, "--log-file");
  files.check();
  set_up_log(parse_log_level(options.log_level), options.log_file);
  log_debug(fmt::format("takt {}: takt analyze {}", version, printable(fmt::format("{}", fmt::join(arguments, " ")))));
  if (!output.file.empty()) check_writable_file(output.file);
  say_what_is_ignored(options);
  const Provenance provenance = provenance_of("analyze", arguments);
  const Result result = analyze(options, output, provenance);
  print(output, result.tables, provenance, result.text);
  return 0;
}

}  // namespace

constinit const Command analyze_command{"analyze", "print operator tables from a saved profile", run, describe};

}  // namespace takt
