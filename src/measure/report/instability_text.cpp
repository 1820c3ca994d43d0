#include "measure/report/instability_text.h"

#include <fmt/format.h>

#include "base/basics/text.h"
#include "measure/timing/instability.h"

namespace takt {
namespace {

/// Below, the slowest runs are as steady as anybody could ask for: instability.h names no cause of theirs either.
constexpr double unstable_from = 1.1;

std::string first_line(const Instability& found, std::size_t all_runs, const Screen& screen) {
  const std::string slow =
      fmt::format("the slowest {} of {} runs took {:.2f}x the median", found.slow_runs, all_runs, found.slow_ratio);
  if (found.slow_ratio >= unstable_from)
    return painted("Unstable", Paint::bad, screen.colour) + wrapped(": " + slow + ". Why:", screen.width, 8);
  return wrapped(fmt::format("The runs are steady ({}), but all of them were slowed down:", slow), screen.width);
}

}  // namespace

std::string instability_text(const RunResult& result, const Screen& screen) {
  const auto found = find_instability(result);
  if (!found || found->verdicts.empty()) return "";
  constexpr std::size_t indent = 4;
  const RunPass& pass = result.plain ? *result.plain : *result.profiled;
  std::string text = first_line(*found, pass.samples.size(), screen) + "\n";
  for (const auto& verdict : found->verdicts) {
    std::string cause(cause_name(verdict.cause));
    if (found->slow_ratio >= unstable_from)
      cause += fmt::format(" (explains {:.0f} % of the time above the median)", verdict.share * 100);
    text += "  " + wrapped(fmt::format("{}: {}", cause, verdict.evidence), screen.width, 2) + "\n";
    text += std::string(indent, ' ') + wrapped("fix: " + verdict.fix, screen.width, indent) + "\n";
  }
  return text + "\n";
}

}  // namespace takt
