// What a limit on slow-downs says of a comparison: passed, failed, or not to be told from these runs.
#include <fmt/format.h>

#include <cmath>

#include "base/basics/text.h"
#include "base/table/number_form.h"
#include "measure/compare/report.h"

namespace takt {
namespace {

bool is_looked_at(const Gate& gate, bool is_whole) { return is_whole || gate.each_operator; }

/// An added, removed or regrouped operator has no slow-down; one with too few samples has one that is not known.
bool is_undecided(const Change& change, const Gate& gate, bool is_whole) {
  if (!change.ratio) return is_whole;
  if (*change.high <= gate.limit) return false;
  return is_whole || *change.high * change.share > gate.limit;
}

template <typename Sentence>
std::vector<std::string> sentences(const Comparison& comparison, const Gate& gate, Outcome wanted, Sentence sentence) {
  std::vector<std::string> found;
  const auto look = [&](const Change& change, bool is_whole) {
    if (is_looked_at(gate, is_whole) && outcome(change, gate, is_whole) == wanted && (change.ratio || is_whole))
      found.push_back(sentence(change));
  };
  look(comparison.whole, true);
  for (const Change& op : comparison.ops) look(op, false);
  return found;
}

}  // namespace

Outcome outcome(const Change& change, const std::optional<Gate>& gate, bool is_whole) {
  if (!change.ratio || change.verdict == Verdict::unknown) return Outcome::skipped;
  if (!gate) {
    if (change.verdict == Verdict::inconclusive) return Outcome::skipped;
    return change.verdict == Verdict::slower ? Outcome::failed : Outcome::passed;
  }
  if (!is_looked_at(*gate, is_whole))
    return change.verdict == Verdict::inconclusive ? Outcome::skipped : Outcome::passed;
  if (change.verdict == Verdict::slower && *change.low > gate->limit) return Outcome::failed;
  return is_undecided(change, *gate, is_whole) ? Outcome::skipped : Outcome::passed;
}

std::string cannot_rule_out(const Change& change, const Gate& gate) {
  if (!change.ratio) return fmt::format("{}: too few samples to tell", printable(change.name));
  return fmt::format("{} is {:.1f} % {} ({} % to {} %): {:g} % cannot be ruled out", printable(change.name),
                     std::abs(*change.ratio) * 100, *change.ratio < 0 ? "faster" : "slower",
                     percentage_text(*change.low * 100), percentage_text(*change.high * 100), gate.limit * 100);
}

std::vector<std::string> tripped(const Comparison& comparison, const Gate& gate) {
  return sentences(comparison, gate, Outcome::failed, [&](const Change& change) {
    return fmt::format("{} is {:.1f} % slower ({} % to {} %), over the limit of {:g} %", printable(change.name),
                       *change.ratio * 100, percentage_text(*change.low * 100), percentage_text(*change.high * 100),
                       gate.limit * 100);
  });
}

std::vector<std::string> undecided(const Comparison& comparison, const Gate& gate) {
  return sentences(comparison, gate, Outcome::skipped,
                   [&](const Change& change) { return cannot_rule_out(change, gate); });
}

}  // namespace takt
