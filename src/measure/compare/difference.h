// One time, of an operator or of the whole run, on both sides of a comparison: by how much it differs, and how sure
// that is. Everything is in logarithms, so that ratios add and scatter by percent is alike for long and short
// operators.
//
// Two levels make up the variance (Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013): that of
// samples within a run, which src/measure/compare/statistics.h tells, and that between runs, which decides. Several
// runs on a side show it: use_runs(). One run on each side cannot, so use_samples() takes what starts of a program are
// known to differ by, and use_scatter() (machine_state.h) what the operators' changes differ by among each other.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/basics/units.h"
#include "measure/compare/statistics.h"

namespace takt {

constexpr std::size_t enough_ops = 8;  ///< to judge an operator by what the others do

/// Degrees of freedom that the other operators' variance, or what starts are known to differ by, counts for. Few,
/// because such scatter has long tails: most operators move by a percent from start to start, and one by a fifth.
constexpr double prior_freedom = 4;

/// Samples of each run of one side.
using Series = std::vector<std::span<const Nanoseconds>>;

struct Difference {
  std::vector<RunLevel> before, after;
  double value = 0;     ///< after against before; 0.1 is about 10 % slower
  double sampling = 0;  ///< variance of `value` as far as samples within the runs tell
  double variance = 0, freedom = 0;
};

/// What a program's times do from one start to the next: standard deviation of the logarithm. Zero for a virtual clock.
struct StartScatter {
  double usual = 0;  ///< of any run, on a quiet machine
  double depth = 0;  ///< times RunLevel::depth: where noise reaches into the faster half, it does so differently
};
extern const StartScatter scatter_of_whole, scatter_of_ops;  ///< measured with bench/compare.py
extern const StartScatter scatter_of_tail;  ///< of the slowest runs: assumed, twelve times that of the whole run

double mean_level(const std::vector<RunLevel>& levels);

/// What is compared of a run: run_level() or tail_level().
using LevelOf = std::optional<RunLevel> (*)(std::span<const Nanoseconds> samples);

/// nullopt: too few samples somewhere. Variance and freedom are still to be found.
std::optional<Difference> difference(const Series& before, const Series& after, LevelOf level_of = run_level);

/// How many times the variance from blocks exceeds that of independent samples, pooled over operators: one operator's
/// own figure is too unsteady to use alone.
double pooled_drift(const std::vector<Difference>& ops);

/// Variance as far as one run on each side tells.
void use_samples(Difference& op, double drift, const StartScatter& start);

/// The variance that several runs on a side show, steadied by that of `others` (moderated as in limma: Smyth, "Linear
/// models and empirical Bayes methods", 2004), or by what use_samples() found where others are few. Not their median
/// but their ninth decile: an operator whose speed is settled at the start (where its memory lies) scatters not at all
/// in three runs of equal luck. A side with one run is taken to scatter as the other.
void use_runs(std::vector<Difference>& ops, const std::vector<Difference>& others);

/// Half the width of the interval that leaves out `tail` on each side.
double half_width(const Difference& op, double tail);

}  // namespace takt
