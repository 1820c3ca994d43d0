// What a person reads of a what-if: how far to trust it, the answer, what it rests on, and the tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/index.h"
#include "base/basics/text.h"
#include "pipeline/whatif/what_if.h"

namespace takt {
namespace {

constexpr std::size_t line_width = 79, most_pairs = 4;

std::string paragraph(const std::string& sentences) { return wrapped(sentences, line_width) + "\n"; }

/// A replay that fails to give the record again is no ground for a prediction. Said first, or not at all.
std::string verdict(const WhatIf& result) {
  const double error = result.summary[0].replay_error;
  if (error <= reliable_replay_error) return "";
  return paragraph(
      fmt::format("NOT RELIABLE: the replay without a change is {:.1f} % off. What made this run is not all in its "
                  "record; other programs on the machine, for example. Record it again, longer or with nothing else "
                  "running. The ranges hold the miss.",
                  error * 100));
}

double percent_of(double value, double base) { return base > 0 ? (value / base - 1) * 100 : 0; }

std::string answer(const WhatIf& result) {
  // Both replays miss the same things, so their difference is the effect of the changes.
  const WhatIfRow &replayed = result.summary[1], &after = result.summary[2];
  const double was = Duration(replayed.makespan).count();
  std::string text = fmt::format("Makespan {:+.1f} %", percent_of(Duration(after.makespan).count(), was));
  if (after.ranges)
    text += fmt::format("; 9 of 10 possible runs lie between {:+.1f} and {:+.1f} %",
                        percent_of(after.ranges->makespan.low.count(), was),
                        percent_of(after.ranges->makespan.high.count(), was));
  return text + fmt::format(".\nThat is against the replay without a change, which is {:.2f} % off.\n",
                            replayed.replay_error * 100);
}

/// How much of a stage's time another runs beside it: "never", "for 40 % of the time", "always", "2.0 at once".
std::string overlap_words(double share) {
  if (share < 0.02) return "never";
  if (share < 0.98) return fmt::format("for {:.0f} % of the time", share * 100);
  return share <= 1.05 ? "always" : fmt::format("always, {:.1f} at once", share);
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
      itself ? fmt::format("Several executions of {}", stage) : fmt::format("{} and {}", stage, beside);
  const std::string whom = itself || mutual ? "they are" : stage + " is";
  return fmt::format(
      "{} ran {} beside each other in the record, and {} after the change: how much {} {} is not known, "
      "{:.2f} to {:.2f} times. ",
      who, overlap_words(pair.before), overlap_words(pair.after), less ? "faster" : "slower",
      whom + (less ? " alone" : " together"), pair.factor.low, pair.factor.high);
}

std::string pairs(const WhatIf& result) {
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
    sentences += fmt::format("And {} pairs more, in the last table. ", list.size() - most_pairs);
  return paragraph("Extrapolated: " + sentences +
                   "Measure it with 'takt pipeline interference FILE.yaml --save SLOW', then add --interference SLOW "
                   "here.");
}

std::string warnings(const WhatIf& result) {
  std::string text;
  if (result.refused_error)
    text += paragraph(
        fmt::format("The measured slow-downs are left out: with them the replay is {:.1f} % off, so they were measured "
                    "under other conditions than the run. Measure them again.",
                    *result.refused_error * 100));
  if (result.cores && result.cores->predicted > result.cores->cores)
    text += paragraph(
        fmt::format("More threads than cores: up to {} on {} after the change, {} as recorded. Whom the system lets "
                    "wait is not in the record; it is taken to be fair.",
                    result.cores->predicted, result.cores->cores, result.cores->recorded));
  return text + pairs(result);
}

/// What fits a terminal; the rest is in the other formats.
Table readable(const Table& table) {
  return without_columns(table, {"cycle_low_us", "cycle_high_us", "latency_low_us", "latency_high_us", "replay_error"});
}

}  // namespace

std::string to_text(const WhatIf& result, const TextStyle& style) {
  std::string text = verdict(result) + answer(result) + warnings(result);
  for (const Table& table : tables(result)) {
    if (table.rows.empty() || table.name == "cores") continue;
    text += "\n";
    if (table.name == "sweep") text += printable(result.swept) + ":\n";
    text += to_text(table.name == "sweep" ? without_columns(readable(table), {"variant"}) : readable(table), style);
  }
  return text;
}

}  // namespace takt
