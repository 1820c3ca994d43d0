#include "replay/possible_laws.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/index.h"
#include "core/random.h"
#include "replay/crowds.h"
#include "replay/slow_down_rule.h"

namespace takt {
namespace {

constexpr std::size_t most_watched = 250;         // executions of a stage
constexpr double freedom = 5;                     // of Student's t
constexpr double least_spread = 0.005;            // of a duration, whatever its noise
constexpr double usual = 1.8, rarer_every = 0.1;  // factors up to here alike; above, e times rarer every so much
constexpr double most_open = 0.4;                 // of what is expected: less is shown by the record
constexpr double least_noise = 1e-4, most_noise = 2;
constexpr int generations = 160;

/// A point: the excess (factor − 1) of each stage beside that is not known and was seen, then log noise.
using Point = std::vector<double>;

/// An excess as it is expected before the record is looked at.
double expected_excess(Random& random) {
  const double width = usual - 1, u = uniform(random) * (width + rarer_every);
  if (u < width) return u;
  return width - rarer_every * std::log(positive_uniform(random));
}

double log_expectation(double excess) {
  if (excess < 0) return -std::numeric_limits<double>::infinity();
  return excess < usual - 1 ? 0 : -(excess - (usual - 1)) / rarer_every;
}

/// How well a point explains the executions of one stage.
class StageLikelihood {
 public:
  StageLikelihood(const StageCrowds& stage, std::vector<std::size_t> unknown)
      : stage_(stage), unknown_(std::move(unknown)), slowdowns_(stage.crowds.size()) {
    std::vector<double> sums(index(stage.groups), 0), counts(index(stage.groups), 0);
    for (const CrowdedExecution& one : stage.executions)
      sums[index(one.group)] += one.duration_ns, counts[index(one.group)] += 1;
    for (std::size_t g = 0; g < sums.size(); ++g) scale_.push_back(counts[g] / std::max(sums[g], 1.0));
    works_.resize(stage.executions.size());
  }

  double log_density(const Point& point) {
    double log = 0;
    for (std::size_t u = 0; u < unknown_.size(); ++u) log += log_expectation(point[u]);
    const double noise = point.back();
    if (!std::isfinite(log) || noise < std::log(least_noise) || noise > std::log(most_noise))
      return -std::numeric_limits<double>::infinity();
    set_slowdowns(point);
    set_works();
    const auto means = mean_works(std::exp(noise));
    for (std::size_t e = 0; e < works_.size(); ++e) log += log_of(e, means, std::exp(noise));
    return log;
  }

 private:
  void set_slowdowns(const Point& point) {
    for (std::size_t c = 0; c < slowdowns_.size(); ++c) {
      const Crowd& crowd = stage_.crowds[c];
      slowdowns_[c] = crowd.known_slowdown;
      for (std::size_t u = 0; u < unknown_.size(); ++u) {
        const double step = 1 + point[u] * crowd.counts[unknown_[u]];
        for (int n = crowd.others[unknown_[u]]; n > 0; --n) slowdowns_[c] *= step;
      }
    }
  }

  void set_works() {
    for (std::size_t e = 0; e < works_.size(); ++e) {
      works_[e] = 0;
      for (const CrowdedTime& time : stage_.executions[e].times) works_[e] += time.ns / slowdowns_[time.crowd];
      works_[e] *= scale_[index(stage_.executions[e].group)];
    }
  }

  /// Variance of the duration of an execution, and how far it is from what the mean work would take.
  struct Residual {
    double variance, distance;
  };
  Residual residual(std::size_t e, double mean, double noise) const {
    const CrowdedExecution& one = stage_.executions[e];
    const double end = slowdowns_[one.at_end], own = noise * mean * end;
    const double floor = least_spread * one.duration_ns * scale_[index(one.group)];
    return {own * own + floor * floor, (works_[e] - mean) * end};
  }

  /// By group; executions far away count less, as in the maximum of a t density.
  std::vector<double> mean_works(double noise) const {
    std::vector<double> means;
    for (int pass = 0; pass < 3; ++pass) {
      std::vector<double> sums(scale_.size(), 0), weights(scale_.size(), 0);
      for (std::size_t e = 0; e < works_.size(); ++e) {
        const std::size_t g = index(stage_.executions[e].group);
        double weight = 1;
        if (pass > 0) {
          const Residual r = residual(e, means[g], noise);
          const double end = slowdowns_[stage_.executions[e].at_end];
          weight = end * end / (r.variance + r.distance * r.distance / freedom);
        }
        sums[g] += weight * works_[e], weights[g] += weight;
      }
      means.resize(sums.size());
      for (std::size_t g = 0; g < sums.size(); ++g) means[g] = sums[g] / std::max(weights[g], 1e-300);
    }
    return means;
  }

  double log_of(std::size_t e, const std::vector<double>& means, double noise) const {
    const Residual r = residual(e, means[index(stage_.executions[e].group)], noise);
    return -(freedom + 1) / 2 * std::log1p(r.distance * r.distance / (r.variance * freedom)) - std::log(r.variance) / 2;
  }

  const StageCrowds& stage_;
  std::vector<std::size_t> unknown_;
  std::vector<double> slowdowns_, scale_, works_;
};

/// Points as likely as they explain the record: one per chain.
std::vector<Point> draw_points(StageLikelihood& likelihood, std::size_t unknown, std::size_t count, Random& random) {
  const std::size_t chains = std::max<std::size_t>(count, 2 * unknown + 8);
  std::vector<Point> points(chains);
  std::vector<double> logs;
  for (Point& point : points) {
    for (std::size_t u = 0; u < unknown; ++u) point.push_back(expected_excess(random));
    point.push_back(std::log(least_spread) + uniform(random) * (std::log(0.5) - std::log(least_spread)));
    logs.push_back(likelihood.log_density(point));
  }
  const double usual_step = 2.38 / std::sqrt(2.0 * static_cast<double>(unknown + 1));
  for (int generation = 0; generation < generations; ++generation) {
    const double step = generation % 10 == 9 ? 1 : usual_step;
    for (std::size_t c = 0; c < chains; ++c) {
      const std::size_t a = random() % chains, b = random() % chains;
      Point next = points[c];
      for (std::size_t k = 0; k < next.size(); ++k)
        next[k] += step * (points[a][k] - points[b][k]) + 1e-4 * standard_normal(random);
      const double log = likelihood.log_density(next);
      if (!(std::log(positive_uniform(random)) < log - logs[c])) continue;
      points[c] = std::move(next);
      logs[c] = log;
    }
  }
  points.resize(count);
  return points;
}

/// Rows of the interference matrix of one stage, `count` of them.
std::vector<std::vector<double>> possible_rows(const StageCrowds& stage, const std::vector<double>& known_row,
                                               const std::vector<bool>& known, std::size_t count, Random& random) {
  std::vector<std::size_t> seen;
  for (std::size_t j = 0; j < known.size(); ++j) {
    const auto beside = [&](const Crowd& crowd) { return crowd.others[j] > 0; };
    if (!known[j] && std::any_of(stage.crowds.begin(), stage.crowds.end(), beside)) seen.push_back(j);
  }
  std::vector<Point> points(count);
  if (!seen.empty() && !stage.executions.empty()) {
    StageLikelihood likelihood(stage, seen);
    points = draw_points(likelihood, seen.size(), count, random);
  } else {
    seen.clear();
  }
  std::vector<std::vector<double>> rows;
  for (const Point& point : points) {
    auto& row = rows.emplace_back(known_row);
    for (std::size_t j = 0; j < known.size(); ++j)
      if (!known[j]) row[j] = 1 + expected_excess(random);
    for (std::size_t u = 0; u < seen.size(); ++u) row[seen[u]] = 1 + point[u];
  }
  return rows;
}

PossibleFactor factor_of(std::vector<double> factors) {
  std::sort(factors.begin(), factors.end());
  PossibleFactor factor{percentile(factors, 0.05), percentile(factors, 0.5), percentile(factors, 0.95), false};
  factor.shown = factors.front() >= slow_down::least_factor && factor.high - factor.low < most_open * (usual - 1);
  return factor;
}

}  // namespace

PossibleLaws possible_laws(const PipelineRun& run, const ContentionLaw& certain, const KnownPairs& known,
                           std::size_t count, std::uint64_t seed) {
  const std::size_t stages = run.shape.stages.size();
  PossibleLaws result;
  result.laws.assign(count, certain);
  result.factors.assign(stages, std::vector<PossibleFactor>(stages));
  const auto all_known = [](const std::vector<bool>& row) {
    return std::all_of(row.begin(), row.end(), std::identity());
  };
  if (std::all_of(known.begin(), known.end(), all_known)) return result;
  const auto crowds = crowds_of(run, certain, most_watched);
  Random random(seed);
  for (std::size_t i = 0; i < stages; ++i) {
    const auto row = certain.interference.empty() ? std::vector<double>(stages, 1) : certain.interference[i];
    const auto rows = possible_rows(crowds[i], row, known[i], count, random);
    for (std::size_t l = 0; l < count; ++l) {
      if (result.laws[l].interference.empty())
        result.laws[l].interference.assign(stages, std::vector<double>(stages, 1));
      result.laws[l].interference[i] = rows[l];
    }
    for (std::size_t j = 0; j < stages; ++j) {
      if (known[i][j]) continue;
      std::vector<double> factors;
      for (const auto& possible : rows) factors.push_back(possible[j]);
      result.factors[i][j] = factor_of(std::move(factors));
    }
  }
  return result;
}

}  // namespace takt
