#include "measure/compare/compare.h"
#include "cli/line/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/log.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "measure/compare/history.h"
#include "measure/compare/report.h"

namespace takt {
namespace {

constexpr std::size_t history_runs = 20;  // older ones tell about another state of the machine

struct CompareOptions {
  std::vector<std::string> sides;
  std::string threshold = "2%", fail_over;
  CompareSettings settings;
  std::optional<Gate> gate;
  bool fail_over_op = false, force = false, all = false;
  std::filesystem::path junit, baseline;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(CompareOptions& o) {
  CommandLine line("compare",
                   "Finds operators that became significantly slower or faster between profiles of 'takt run "
                   "--profile'. The first profile is compared with each of the others.",
                   "takt compare before1.json,before2.json after1.json,after2.json --fail-over 3%", o.log);
  line.add({.names = "PROFILE",
            .meaning = "Profiles; several runs of the same model, joined by commas, reveal smaller changes. With "
                       "--baseline, only the new profile",
            .required = true,
            .names_a_file = true},
           &o.sides);
  line.add({.names = "--threshold", .value = "PERCENT", .meaning = "Ignore smaller changes", .fallback = o.threshold},
           &o.threshold);
  line.add({.names = "--confidence",
            .value = "PERCENT",
            .meaning = "Joint confidence level of all intervals in the table",
            .fallback = fmt::format("{:g}%", 100 * o.settings.confidence),
            .range = NumberRange{0.5, 0.9999}},
           &o.settings.confidence);
  line.add({.names = "--fail-over",
            .value = "PERCENT",
            .meaning = "Exit with 1 if the whole run is significantly slower by more than this (the interval's lower "
                       "end is above it), and with 3 if that cannot be ruled out (its upper end is above it)"},
           &o.fail_over);
  line.add({.names = "--fail-over-op", .meaning = "With --fail-over: also if a single operator is slower"},
           &o.fail_over_op);
  line.add(
      {.names = "--junit", .value = "FILE", .meaning = "Write a JUnit XML report to this file", .makes = Makes::file},
      &o.junit);
  line.add({.names = "--baseline",
            .value = "DIR",
            .meaning = "Compare with the last 20 profiles in this folder, then add the new one unless the gate fails "
                       "or the result is inconclusive",
            .makes = Makes::folder},
           &o.baseline);
  line.add({.names = "--force", .meaning = "Compare profiles of different models, runtimes, devices or processors"},
           &o.force);
  line.add({.names = "--all", .meaning = "Show unchanged operators too"}, &o.all);
  add_output(line, o.output, table_names("compare"));
  add_report(line, o.output);
  return line;
}

/// "3%", "3 %" or "3": 0.03.
double parse_percent(std::string_view option, std::string_view text) {
  std::string_view number = trim(text);
  if (number.ends_with('%')) number = trim(number.substr(0, number.size() - 1));
  const auto value = number_in<double>(number);
  if (!value || !(*value >= 0 && *value <= 10'000))
    throw UsageError(fmt::format("{} '{}': not a percentage from 0 to 10000, such as 3%", option, printable(text)));
  return *value / 100;
}

/// A limit below the default threshold lowers it; one below a threshold that the user set is a mistake.
void set_gate(CompareOptions& o) {
  o.gate = Gate{parse_percent("--fail-over", o.fail_over), o.fail_over_op};
  o.settings.limit = o.gate->limit;
  if (o.settings.limit >= o.settings.threshold) return;
  if (o.threshold != CompareOptions{}.threshold)
    throw UsageError(
        fmt::format("--fail-over {} is below --threshold {}, and smaller changes are ignored; lower the threshold or "
                    "raise the limit",
                    printable(o.fail_over), printable(o.threshold)));
  o.settings.threshold = o.settings.limit;
}

void validate(CompareOptions& o) {
  o.settings.threshold = parse_percent("--threshold", o.threshold);
  if (!o.fail_over.empty()) set_gate(o);
  if (o.fail_over_op && !o.gate) throw UsageError("--fail-over-op needs a limit: add --fail-over 3%");
  if (!o.baseline.empty() && o.sides.size() != 1)
    throw UsageError("--baseline takes one new profile (several runs of it joined by commas)");
  if (o.baseline.empty() && o.sides.size() < 2)
    throw UsageError("compare needs two profiles, or one and --baseline DIR");
}

/// A word is a file, or several joined by commas.
std::vector<std::filesystem::path> files_of(const std::string& word) {
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) return {word};
  std::vector<std::filesystem::path> files;
  for (const auto& name : split(word, ',')) files.emplace_back(name);
  return files;
}

std::vector<RecordedProfile> read_all(const std::vector<std::filesystem::path>& files) {
  std::vector<RecordedProfile> profiles;
  for (const auto& file : files) profiles.push_back(read_recorded_profile(file));
  return profiles;
}

/// The new profile, what it is compared with, and where its runs will be kept.
struct Baseline {
  std::vector<std::filesystem::path> history;
  std::vector<std::pair<std::filesystem::path, std::string>> added;  ///< place in the folder, text
};

Baseline find_baseline(const CompareOptions& o) {
  Baseline baseline;
  for (const auto& file : files_of(o.sides.front())) {
    std::string text = read_file(file);
    const RecordedProfile profile = parse_recorded_profile(text, printable(file.string()));
    baseline.added.emplace_back(history_place(o.baseline, profile.from.date, text), std::move(text));
  }
  // A run that is in the history already is not compared with itself.
  for (auto& file : history_of(o.baseline, history_runs + baseline.added.size())) {
    auto is_new = [&](const auto& added) { return added.first.filename() == file.filename(); };
    if (std::none_of(baseline.added.begin(), baseline.added.end(), is_new)) baseline.history.push_back(file);
  }
  if (baseline.history.size() > history_runs)
    baseline.history.erase(baseline.history.begin(), baseline.history.end() - history_runs);
  return baseline;
}

std::vector<Comparison> compare_all(const CompareOptions& o, const Baseline& baseline) {
  if (!o.baseline.empty()) {
    if (baseline.history.empty()) return {};
    Comparison made = compare_profiles(read_all(baseline.history), read_all(files_of(o.sides[0])), o.settings, o.force);
    made.before = fmt::format("{} ({} run{})", printable(o.baseline.string()), made.runs_before,
                              made.runs_before == 1 ? "" : "s");
    return {made};
  }
  std::vector<Comparison> made;
  const auto first = read_all(files_of(o.sides.front()));
  for (std::size_t i = 1; i < o.sides.size(); ++i)
    made.push_back(compare_profiles(first, read_all(files_of(o.sides[i])), o.settings, o.force));
  return made;
}

std::string text_of(const CompareOptions& o, const std::vector<Comparison>& comparisons) {
  if (comparisons.empty())
    return fmt::format("{} contains no profile yet: nothing to compare with.\n", printable(o.baseline.string()));
  std::string text;
  for (const Comparison& comparison : comparisons)
    text += (text.empty() ? "" : "\n") + to_text(comparison, o.all, o.output.screen().width);
  return text;
}

/// The verdict of the gate on all comparisons. Throws Error where it tripped, Inconclusive where it cannot tell.
void pass_gate(const Gate& gate, const std::vector<Comparison>& comparisons) {
  std::vector<std::string> failed, open;
  for (const Comparison& comparison : comparisons) {
    for (auto& sentence : tripped(comparison, gate)) failed.push_back(std::move(sentence));
    for (auto& sentence : undecided(comparison, gate)) open.push_back(std::move(sentence));
  }
  if (!failed.empty()) refuse_input(fmt::format("--fail-over: {}", fmt::join(failed, "; ")));
  if (!open.empty())
    throw Inconclusive(fmt::format("--fail-over: inconclusive: {}; compare more runs on each side, joined by commas",
                                   fmt::join(open, "; ")));
}

/// A regression that was added to its own baseline would pass the next time, and so would one that hid in noise.
void extend(const Baseline& baseline, const std::vector<Comparison>& comparisons) {
  if (baseline.added.empty()) return;
  const auto is_open = [](const Comparison& comparison) {
    return comparison.whole.verdict == Verdict::inconclusive || comparison.whole.verdict == Verdict::unknown;
  };
  if (std::any_of(comparisons.begin(), comparisons.end(), is_open))
    return log_warning("not added to the baseline: the result for the whole run is inconclusive");
  for (const auto& [place, text] : baseline.added) add_to_history(place, text);
}

/// One file on both sides is mostly a slip, and shows no noise.
void say_what_is_twice(const CompareOptions& o) {
  const auto first = o.sides.empty() ? std::vector<std::filesystem::path>() : files_of(o.sides.front());
  for (std::size_t i = 1; i < o.sides.size(); ++i)
    for (const auto& file : files_of(o.sides[i])) {
      std::error_code ignored;
      if (std::filesystem::is_regular_file(file, ignored) &&
          std::any_of(first.begin(), first.end(),
                      [&](const auto& one) { return std::filesystem::equivalent(one, file, ignored); }))
        log_warning(fmt::format("{} is on both sides: a file compared with itself shows neither change nor noise",
                                printable(file.string())));
    }
}

int run(CompareOptions& o, Arguments arguments) {
  validate(o);
  say_what_is_twice(o);

  const Baseline baseline = o.baseline.empty() ? Baseline{} : find_baseline(o);
  const std::vector<Comparison> comparisons = compare_all(o, baseline);
  print(o.output, compare_tables(comparisons), provenance_of("compare", arguments), text_of(o, comparisons));
  if (!o.junit.empty()) write_file_atomically(o.junit, to_junit(comparisons, o.gate));

  for (const Comparison& comparison : comparisons)
    if (comparison.unlike)
      throw Inconclusive(
          fmt::format("compare: no verdict: {}; measure both sides on one machine, or --force to compare anyway",
                      *comparison.unlike));
  if (o.gate) pass_gate(*o.gate, comparisons);
  extend(baseline, comparisons);
  return 0;
}

}  // namespace

constinit const Command compare_command =
    command<CompareOptions, declare, run>("compare", "find significant slowdowns and speed-ups between profiles");

}  // namespace takt
