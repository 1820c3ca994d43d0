// One time, of an operator or of the whole run, on both sides of a comparison: by how much it differs, and how sure
// that is. Everything is in logarithms, so that ratios add and scatter by percent is alike for long and short
// operators.
//
// The steps: difference() takes levels of the runs (compare_statistics.h); use_samples() and, with several runs on a
// side, use_runs() say how much it may be off; what the operators share and how they scatter around it is the one sight
// of run-to-run noise that two runs offer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "comparison/compare_statistics.h"
#include "core/units.h"

namespace takt {

/// Share of the scatter of single samples that a whole run may be off by although nothing changed: what disturbs single
/// samples now may disturb all of them in the next run. Twice that again when samples are seen to depend on each
/// other; operators have the second part only. Set by hundreds of pairs of runs on machines from idle to overloaded
/// (bench/compare.py).
constexpr double scatter_share = 0.5;
constexpr std::size_t enough_ops = 8;  ///< to judge an operator by what the others do

using Series = std::vector<std::span<const Nanoseconds>>;  // one per run

/// Levels of a time's runs on both sides.
struct Difference {
  std::vector<RunLevel> before, after;
  double value = 0;  ///< log(after / before)
  double variance = 0;
  double freedom = 0;
};

double mean_level(const std::vector<RunLevel>& levels, double RunLevel::*value = &RunLevel::log_time);

/// nullopt: a run has too few samples.
std::optional<Difference> difference(const Series& before, const Series& after);

/// How many times the variance between blocks exceeds that of independent samples, pooled over operators: one
/// operator's own figure is too unsteady to use alone.
double pooled_drift(const std::vector<Difference>& ops);

/// Variance of the difference as far as the runs' own samples tell. What independent samples would give averages out
/// over the blocks of a run; drift beyond that does not.
void use_samples(Difference& op, double drift, double share);

/// Several runs: their own variance, steadied by the median operator's.
void use_runs(std::vector<Difference>& ops, double freedom);

/// What all operators share, and how their scatter around it compares with what their own samples promise (at least 1).
struct Shared {
  double value = 0, scale = 1;
};
Shared shared_change(const std::vector<Difference>& ops);

/// Robust variance of the operators' changes around what they share, seen without any help from samples.
double scatter_variance(const std::vector<Difference>& ops);

double half_width(double variance, double freedom, double tail);

/// What a machine that was in another state does to single operators, as the half width of an interval; 0 where the
/// scatter of the operators' changes is what their samples explain.
double half_width_of_state(const std::vector<Difference>& ops, double tail);

}  // namespace takt
