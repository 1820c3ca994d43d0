// How often the truth lies in the 90 % range of a what-if: random pipelines with slow-downs that their records do not
// tell, randomly changed, predicted from the record, and really run with noise of their own (on the virtual clock).
//
//   what_if_ranges [CASES [SEED]]      default: 100 cases from seed 1000
//
// Prints the table of bench/what_if.md. Exit code 1 when fewer than 85 % or more than 95 % of the makespans lie in
// their range. The ranges were tuned with seeds below 1000.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/statistics/statistics.h"
#include "pipeline/whatif/random_what_ifs.h"
#include "pipeline/whatif/what_if.h"

namespace takt {
namespace {

/// One figure over all cases.
struct Coverage {
  int inside = 0, below = 0, above = 0;  ///< of the truth, against the range
  std::vector<double> widths, errors;    ///< relative to the truth

  void add(double predicted, const Range<Duration>& range, double really) {
    (really < range.low.count() ? below : really > range.high.count() ? above : inside) += 1;
    widths.push_back((range.high - range.low).count() / really);
    errors.push_back(std::abs(predicted / really - 1));
  }
  double share() const { return static_cast<double>(inside) / static_cast<double>(widths.size()); }

  void print(const char* name) const {
    std::vector<double> sorted = errors;
    std::sort(sorted.begin(), sorted.end());
    const auto wide = median(std::span<const double>(widths)).value_or(0);
    fmt::print("| {} | {} | {:.1f} % | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n", name, widths.size(),
               share() * 100, below, above, wide * 100, percentile(sorted, 0.5) * 100, percentile(sorted, 0.9) * 100);
  }
};

int count_all(std::uint64_t cases, std::uint64_t first, bool list) {
  Coverage makespan, cycle, latency;
  int wrong = 0, silent = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const WhatIfCase one = random_what_if(seed);
    std::vector<PipelineChange> changes;
    for (const auto& text : one.changes) changes.push_back(parse_change(text));
    const WhatIf result = what_if(run_truth(one.truth), changes);
    const WhatIfRow& after = result.summary[2];
    const Accounts really = account(one.run_changed());
    const double truth = Duration(really.window.length()).count(), predicted = Duration(after.makespan).count();
    makespan.add(predicted, after.ranges->makespan, truth);
    if (after.cycle && really.cycle) cycle.add(after.cycle->count(), *after.ranges->cycle, really.cycle->count());
    if (after.latency) latency.add(after.latency->count(), *after.ranges->latency, really.latency.mean->count());
    wrong += std::abs(predicted / truth - 1) > 0.05;
    silent += std::abs(predicted / truth - 1) > 0.05 && result.extrapolated.empty();
    if (list) {
      const Range<Duration>& range = after.ranges->makespan;
      fmt::print("{} {} sigma {} really {:.1f} ms predicted {:+.2f} % range {:+.2f} to {:+.2f} % {}{}\n", seed,
                 one.name, one.truth.sigma, truth / 1e3, (predicted / truth - 1) * 100,
                 (range.low.count() / truth - 1) * 100, (range.high.count() / truth - 1) * 100,
                 result.extrapolated.empty() ? "" : "extrapolated ",
                 range.low.count() <= truth && truth <= range.high.count() ? "" : "OUTSIDE");
      std::fflush(stdout);
    }
  }
  fmt::print(
      "| figure | cases | truth in the range | below | above | median width | median error | 90 % of errors |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|---:|---:|\n");
  makespan.print("makespan");
  cycle.print("cycle");
  latency.print("latency");
  fmt::print("\n{} of {} makespans are more than 5 % off; {} of them without a pair of stages named.\n", wrong, cases,
             silent);
  return makespan.share() >= 0.85 && makespan.share() <= 0.95 ? 0 : 1;
}

}  // namespace
}  // namespace takt

int main(int count, char** words) {
  const auto number = [&](int place, std::uint64_t otherwise) {
    return count > place ? std::strtoull(words[place], nullptr, 10) : otherwise;
  };
  return takt::count_all(std::max<std::uint64_t>(number(1, 100), 1), number(2, 1000), count > 3);
}
