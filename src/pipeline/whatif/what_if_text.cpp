// What a person reads of a what-if: how far to trust it, the answer, what it rests on, and the tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/index.h"
#include "base/basics/text.h"
#include "pipeline/whatif/what_if.h"

namespace takt {
namespace {

constexpr std::size_t most_pairs = 4;

std::string paragraph(const std::string& sentences, std::size_t width) { return wrapped(sentences, width) + "\n"; }

/// A replay that fails to give the record again is no ground for a prediction. Said first, or not at all.
std::string verdict(const WhatIf& result, std::size_t width) {
  const double error = result.summary[0].replay_error;
  if (error <= reliable_replay_error) return "";
  return paragraph(
      fmt::format(
          "NOT RELIABLE: replaying the unchanged run is off by {:.1f} %. Something outside the recording affected it, "
          "for example other processes. Record again, longer or on an idle machine. The intervals include this error.",
          error * 100),
      width);
}

double percent_of(double value, double base) { return base > 0 ? (value / base - 1) * 100 : 0; }

std::string answer(const WhatIf& result, std::size_t width) {
  // Both replays miss the same things, so their difference is the effect of the changes.
  const WhatIfRow &replayed = result.summary[1], &after = result.summary[2];
  const double was = Duration(replayed.makespan).count();
  std::string text = fmt::format("Makespan {:+.1f} %", percent_of(Duration(after.makespan).count(), was));
  if (after.ranges)
    text += fmt::format(" (90 % prediction interval: {:+.1f} to {:+.1f} %)",
                        percent_of(after.ranges->makespan.low.count(), was),
                        percent_of(after.ranges->makespan.high.count(), was));
  return paragraph(text + ".", width) +
         paragraph(fmt::format("This is relative to a replay of the unchanged run, which is off by {:.2f} %.",
                               replayed.replay_error * 100),
                   width);
}

/// How much of a stage's time another runs beside it: "never", "for 40 % of the time", "always", "2.0 at once".
std::string overlap_words(double share) {
  if (share < 0.02) return "never";
  if (share < 0.98) return fmt::format("for {:.0f} % of the time", share * 100);
  return share <= 1.05 ? "always" : fmt::format("always, {:.1f} at once", share);
}

/// "a and b never ran concurrently", "… ran concurrently for 40 % of the time", "… always ran concurrently"
std::string concurrency(const std::string& who, double share) {
  const std::string words = overlap_words(share);
  if (words == "never") return who + " never ran concurrently";
  if (!words.starts_with("always")) return who + " ran concurrently " + words;
  return who + " always ran concurrently" + words.substr(std::string_view("always").size());
}

/// The same pair seen from the other stage, if that changes in the same direction.
bool says_the_same(const Extrapolation& a, const Extrapolation& b) {
  return a.stage == b.beside && a.beside == b.stage && (a.after > a.before) == (b.after > b.before);
}

std::string pair_sentence(const WhatIf& result, const Extrapolation& pair, bool mutual) {
  const std::string stage = printable(result.stages[index(pair.stage)]),
                    beside = printable(result.stages[index(pair.beside)]);
  const bool itself = pair.stage == pair.beside, less = pair.after < pair.before;
  const std::string who =
      itself ? fmt::format("several executions of {}", stage) : fmt::format("{} and {}", stage, beside);
  const std::string whom = itself || mutual ? "they are" : stage + " is";
  return fmt::format("In the recording {}; after the change {}: how much {} {} is unknown, {:.2f} to {:.2f} times. ",
                     concurrency(who, pair.before), overlap_words(pair.after), less ? "faster" : "slower",
                     whom + (less ? " alone" : " together"), pair.factor.low, pair.factor.high);
}

std::string pairs(const WhatIf& result, std::size_t width) {
  std::vector<Extrapolation> list;
  std::string sentences;
  for (const Extrapolation& pair : result.extrapolated) {
    const auto same = [&](const Extrapolation& other) { return says_the_same(pair, other); };
    if (pair.stage != pair.beside && std::any_of(list.begin(), list.end(), same)) continue;
    list.push_back(pair);
    const bool mutual = std::any_of(result.extrapolated.begin(), result.extrapolated.end(), same);
    if (list.size() <= most_pairs) sentences += pair_sentence(result, pair, mutual);
  }
  if (list.empty()) return "";
  if (list.size() > most_pairs)
    sentences += fmt::format("The last table has {} more pairs. ", list.size() - most_pairs);
  return paragraph(
      "Extrapolated: " + sentences +
          "Measure it with 'takt pipeline interference FILE.yaml --save SLOW', then add --interference SLOW "
          "here.",
      width);
}

/// Of a rate the latency is asked: of the change, or of each value of the sweep.
std::string latencies(const WhatIf& result, std::size_t width) {
  if (!result.asks_rate) return "";
  std::string words;
  const auto add = [&](const std::string& at, const WhatIfRow& row) {
    if (!row.latency || !row.latency_p99) return;
    words += fmt::format("{}{}{} mean, {} p99", words.empty() ? "" : "; ", at, format_duration(*row.latency),
                         format_duration(*row.latency_p99));
  };
  if (result.sweep.empty()) add("", result.summary[2]);
  for (const WhatIfRow& row : result.sweep) add(row.value + ": ", row);
  return words.empty() ? "" : paragraph("Latency: " + words + ".", width);
}

std::string warnings(const WhatIf& result, std::size_t width) {
  std::string text;
  if (result.has_seen_arrivals)
    text += paragraph(
        "The trace does not show when its source had batches: they are taken to come when the first stage "
        "took them. Ask for another rate with --set source.rate=50, or closed.",
        width);
  if (result.refused_error)
    text +=
        paragraph(fmt::format("The measured slowdowns are ignored: with them the replay is off by {:.1f} %, so they "
                              "were measured under different conditions than the run. Measure them again.",
                              *result.refused_error * 100),
                  width);
  if (result.cores && result.cores->predicted > result.cores->cores)
    text +=
        paragraph(fmt::format("More threads than cores: up to {} on {} after the change, {} as recorded. The recording "
                              "does not show which threads the system lets wait; fair sharing is assumed.",
                              result.cores->predicted, result.cores->cores, result.cores->recorded),
                  width);
  return text + pairs(result, width);
}

/// What fits a terminal; the rest is in the other formats.
Table readable(const Table& table) {
  return without_columns(table, {"cycle_low_us", "cycle_high_us", "latency_low_us", "latency_high_us", "replay_error"});
}

}  // namespace

std::string to_text(const WhatIf& result, const TextStyle& style) {
  const std::size_t width = style.width - 1;
  std::string text =
      verdict(result, width) + answer(result, width) + latencies(result, width) + warnings(result, width);
  for (const Table& table : tables(result)) {
    if (table.rows.empty() || table.name == "cores") continue;
    text += "\n";
    if (table.name == "sweep") text += printable(result.swept) + ":\n";
    text += to_text(table.name == "sweep" ? without_columns(readable(table), {"variant"}) : readable(table), style);
  }
  return text;
}

}  // namespace takt
