#include "profile/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/text.h"
#include "profile/compare_history.h"
#include "profile/compare_report.h"

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

std::unique_ptr<CLI::App> declare(CompareOptions& o) {
  auto app = make_app("compare",
                      "Says which operators became slower or faster between profiles of 'takt run --profile', beyond "
                      "noise. The first is compared with each of the others.",
                      "takt compare before1.json,before2.json after1.json,after2.json --fail-over 3%", o.log);
  app->add_option("PROFILE", o.sides,
                  "Profiles; several runs of the same thing, joined by commas, tell smaller changes. With --baseline "
                  "the new one only")
      ->required();
  app->add_option("--threshold", o.threshold, "Smaller changes are none. Default: 2%")->type_name("PERCENT");
  app->add_option("--confidence", o.settings.confidence, "Of all intervals together. Default: 0.99")
      ->type_name("SHARE")
      ->check(CLI::Range(0.5, 0.9999));
  app->add_option("--fail-over", o.fail_over,
                  "Exit with 1 when the whole run is slower by more than this for sure: the interval's lower end is "
                  "above it")
      ->type_name("PERCENT");
  app->add_flag("--fail-over-op", o.fail_over_op, "With --fail-over: also when a single operator is");
  app->add_option("--junit", o.junit, "Write a JUnit XML report to this file")->type_name("FILE");
  app->add_option("--baseline", o.baseline,
                  "Compare with the last 20 profiles in this folder, then add the new one, unless the gate tripped")
      ->type_name("DIR");
  app->add_flag("--force", o.force, "Compare profiles of different models, runtimes or devices");
  app->add_flag("--all", o.all, "Show unchanged operators too");
  app->add_option("--format", o.output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("--table", o.output.table, "With csv: whole or operators. Default: whole")->type_name("NAME");
  app->add_option("-o,--output", o.output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  return app;
}

/// "3%", "3 %" or "3": 0.03.
double parse_percent(std::string_view option, std::string_view text) {
  std::string_view number = trim(text);
  if (number.ends_with('%')) number = trim(number.substr(0, number.size() - 1));
  const std::string digits(number);
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(digits, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != digits.size() || !(value >= 0 && value <= 10'000))
    throw UsageError(fmt::format("{} '{}': not a percentage from 0 to 10000, such as 3%", option, printable(text)));
  return value / 100;
}

void validate(CompareOptions& o) {
  check(o.output, {"whole", "operators"});
  o.settings.threshold = parse_percent("--threshold", o.threshold);
  if (!o.fail_over.empty()) o.gate = Gate{parse_percent("--fail-over", o.fail_over), o.fail_over_op};
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
    baseline.added.emplace_back(history_place(o.baseline, profile.date, text), std::move(text));
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
    return fmt::format("{} holds no profile yet: nothing to compare with.\n", printable(o.baseline.string()));
  std::string text;
  for (const Comparison& comparison : comparisons) text += (text.empty() ? "" : "\n") + to_text(comparison, o.all);
  return text;
}

}  // namespace

int run_compare(std::span<const std::string> arguments) {
  CompareOptions o;
  auto app = declare(o);
  if (!parse(*app, arguments)) return 0;
  validate(o);
  apply(o.log);

  const Baseline baseline = o.baseline.empty() ? Baseline{} : find_baseline(o);
  const std::vector<Comparison> comparisons = compare_all(o, baseline);
  std::vector<std::string> command{"takt", "compare"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  print(o.output, compare_tables(comparisons), make_provenance(std::move(command)), text_of(o, comparisons));
  if (!o.junit.empty()) write_file_atomically(o.junit, to_junit(comparisons, o.gate));

  std::vector<std::string> broken;
  for (const Comparison& comparison : comparisons)
    if (o.gate)
      for (auto& sentence : tripped(comparison, *o.gate)) broken.push_back(std::move(sentence));
  // A regression that was added to its own baseline would pass the next time.
  if (broken.empty())
    for (const auto& [place, text] : baseline.added) add_to_history(place, text);
  if (!broken.empty()) throw Error(ErrorKind::bad_input, fmt::format("--fail-over: {}", fmt::join(broken, "; ")));
  return 0;
}

}  // namespace takt
