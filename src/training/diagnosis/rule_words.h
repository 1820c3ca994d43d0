// What rules of the diagnosis share: outcomes in one line, and figures as evidence shows them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/units.h"
#include "training/diagnosis/verdict.h"

namespace takt {

inline RuleOutcome nothing_found() { return {}; }
inline RuleOutcome abstain(std::string missing) { return {std::nullopt, std::move(missing)}; }
inline RuleOutcome found(TrainingCause cause, std::vector<std::int64_t> cost, std::string evidence, std::string fix) {
  return {TrainingVerdict{cause, std::move(cost), std::move(evidence), std::move(fix)}, {}};
}

/// "12.3 ms"
inline std::string time_text(double nanoseconds) { return format_duration(Duration(nanoseconds / 1000)); }
/// "34 %"
inline std::string percent_text(double share) { return fmt::format("{:.0f} %", share * 100); }

/// The parts of the breakdown by step.
inline std::vector<std::int64_t> part_by_step(const Breakdown& breakdown, StepPart part) {
  std::vector<std::int64_t> times;
  for (const auto& step : breakdown.by_step) times.push_back(step[static_cast<std::size_t>(part)]);
  return times;
}

}  // namespace takt
