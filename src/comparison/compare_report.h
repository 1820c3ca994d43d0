// A comparison as tables, as text for people, and as JUnit XML for build servers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comparison/compare.h"
#include "core/table.h"

namespace takt {

/// "whole": a row per comparison. "operators": a row per operator and comparison, in the order of the profiles.
std::vector<Table> compare_tables(std::span<const Comparison> comparisons);

/// What changed, slowest growth first, and one sentence that sums it up. `all` shows the unchanged operators too.
std::string to_text(const Comparison& comparison, bool all);

/// A gate on a slow-down.
struct Gate {
  double limit = 0;            ///< relative: 0.03 is 3 %
  bool each_operator = false;  ///< operators too, not only the whole run
};

/// One sentence for each row whose slow-down is over the limit for sure: verdict "slower" and the interval's lower end
/// above the limit. An estimate above the limit is not enough, because a gate that fails on noise is soon ignored.
std::vector<std::string> tripped(const Comparison& comparison, const Gate& gate);

/// JUnit XML: a suite per comparison, a case per row; a case fails where the gate tripped (without a gate: where the
/// row is slower), and is skipped where the times cannot be compared. Names are escaped; control characters are shown
/// as \x09, and the two that XML forbids besides (U+FFFE, U+FFFF) become U+FFFD.
std::string to_junit(std::span<const Comparison> comparisons, const std::optional<Gate>& gate);

/// Every table of `compare`.
std::vector<TableSchema> compare_schemas();

}  // namespace takt
