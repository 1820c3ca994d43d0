#include "profile/instability_text.h"

#include <fmt/format.h>

#include "core/text.h"
#include "profile/instability.h"

namespace takt {
namespace {

/// Below, the slowest runs are as steady as anybody could ask for: instability.h names no cause of theirs either.
constexpr double unstable_from = 1.1;

std::string first_line(const Instability& found, const Screen& screen) {
  const std::string runs =
      found.slow_runs == 1 ? "the slowest run" : fmt::format("the slowest {} runs", found.slow_runs);
  if (found.slow_ratio >= unstable_from)
    return painted("Unstable", Paint::bad, screen.colour) +
           wrapped(fmt::format(": {} (5 %) took {:.2f}x the median. Why:", runs, found.slow_ratio), screen.width, 8);
  return wrapped(
      fmt::format("The runs are steady ({}, 5 %, took {:.2f}x the median), but all of them were slowed down:", runs,
                  found.slow_ratio),
      screen.width);
}

}  // namespace

std::string instability_text(const RunResult& result, const Screen& screen) {
  const auto found = find_instability(result);
  if (!found || found->verdicts.empty()) return "";
  constexpr std::size_t indent = 4;
  std::string text = first_line(*found, screen) + "\n";
  for (const auto& verdict : found->verdicts) {
    std::string cause(cause_name(verdict.cause));
    if (found->slow_ratio >= unstable_from)
      cause += fmt::format(" ({:.0f} % of what they took above the median)", verdict.share * 100);
    text += "  " + wrapped(fmt::format("{}: {}", cause, verdict.evidence), screen.width, 2) + "\n";
    text += std::string(indent, ' ') + wrapped("fix: " + verdict.fix, screen.width, indent) + "\n";
  }
  return text + "\n";
}

}  // namespace takt
