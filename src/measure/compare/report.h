// A comparison as tables, as text for people, and as JUnit XML for build servers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "measure/compare/compare.h"

namespace takt {

/// "whole": a row per comparison. "operators": a row per operator and comparison, in the order of the profiles.
/// "notes": a row per sentence about what else differs.
std::vector<Table> compare_tables(std::span<const Comparison> comparisons);

/// What changed, slowest growth first, and one sentence that sums it up. `all` shows the unchanged operators too.
/// Sentences are broken at `width` columns.
std::string to_text(const Comparison& comparison, bool all, std::size_t width = 80);

/// A gate on a slow-down.
struct Gate {
  double limit = 0;            ///< relative: 0.03 is 3 %
  bool each_operator = false;  ///< operators too, not only the whole run
};

/// What a gate says of a row: it passes only where the whole interval is below the limit.
enum class Outcome {
  passed,
  failed,   ///< slower, and the interval's lower end above the limit: an estimate alone would fail on noise
  skipped,  ///< the limit lies inside of the interval, or there is none: a gate without power is no pass
};

/// Without a gate, what is slower fails and what is inconclusive is skipped. An operator whose interval is wide is
/// skipped only where that could cost the whole run more than the limit, or a tiny one would decide every gate.
Outcome outcome(const Change& change, const std::optional<Gate>& gate, bool is_whole);

/// One sentence for each row that fails, and for each that the gate looks at and cannot judge.
std::vector<std::string> tripped(const Comparison& comparison, const Gate& gate);
std::vector<std::string> undecided(const Comparison& comparison, const Gate& gate);

/// "[whole run] is 1.0 % slower (-4.0 % to 6.0 %): 3 % cannot be ruled out".
std::string cannot_rule_out(const Change& change, const Gate& gate);

/// JUnit XML: a suite per comparison, a case per row with its outcome; what cannot be compared at all is skipped, too,
/// with its verdict. Names are escaped; control characters are shown as \x09, and the two that XML forbids besides
/// (U+FFFE, U+FFFF) become U+FFFD.
std::string to_junit(std::span<const Comparison> comparisons, const std::optional<Gate>& gate);

/// Every table of `compare`.
std::vector<TableSchema> compare_schemas();

}  // namespace takt
