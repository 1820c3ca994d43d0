#include "pipeline/contention/contention_posterior.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/basics/index.h"
#include "base/statistics/random.h"
#include "pipeline/contention/crowds.h"
#include "pipeline/contention/slow_down_rule.h"

namespace takt {
namespace {

constexpr std::size_t most_watched = 250;         // executions of a stage
constexpr double freedom = 5;                     // of Student's t
constexpr double least_spread = 0.005;            // of a duration, whatever its noise
constexpr double usual = 1.8, rarer_every = 0.1;  // factors up to here alike; above, e times rarer every so much
constexpr double most_open = 0.4;                 // of what is expected: less is shown by the record
constexpr double least_noise = 1e-4, most_noise = 2;
constexpr double widest_share = 1.4;  // of places for what counts of weaker factors; 0 to 1 mean it
constexpr int generations = 160;

/// A point: the excess (factor − 1) of each stage beside that is not known and was seen, then, where several at once
/// were seen, what counts of the weaker factors, then log noise.
using Point = std::vector<double>;

/// What is to be found out about one stage.
struct OpenStage {
  std::vector<double> known_row;  ///< of the interference matrix; 1 where nothing is known
  std::vector<bool> known;
  bool several = false;  ///< whether its factors are measured ones, of which nobody knows what several do together
  std::vector<std::size_t> seen{};  ///< stages beside that are not known and ran beside it
  bool several_seen = false;        ///< whether several ran beside it at once that do anything to it, or may
};

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

/// What counts of the weaker factors, as it is expected before: anything, and the ends, where one bottleneck or a
/// product is the rule, in one of seven cases each.
double expected_share(Random& random) { return 0.5 + widest_share * (uniform(random) - 0.5); }
double share_at(double place) { return std::clamp(place, 0.0, 1.0); }

/// How well a point explains the executions of one stage.
class StageLikelihood {
 public:
  StageLikelihood(const StageCrowds& stage, const OpenStage& open)
      : stage_(stage), open_(open), excess_(open.known.size(), 0), slowdowns_(stage.crowds.size()) {
    // Else they are in what is known of each crowd.
    for (std::size_t j = 0; j < excess_.size(); ++j)
      if (open.several && open.known[j]) excess_[j] = open.known_row[j] - 1;
    std::vector<double> sums(index(stage.groups), 0), counts(index(stage.groups), 0);
    for (const CrowdedExecution& one : stage.executions)
      sums[index(one.group)] += one.duration_ns, counts[index(one.group)] += 1;
    for (std::size_t g = 0; g < sums.size(); ++g) scale_.push_back(counts[g] / std::max(sums[g], 1.0));
    works_.resize(stage.executions.size());
  }

  double log_density(const Point& point) {
    double log = 0;
    for (std::size_t u = 0; u < open_.seen.size(); ++u) log += log_expectation(point[u]);
    if (open_.several_seen && std::abs(point[open_.seen.size()] - 0.5) > widest_share / 2)
      return -std::numeric_limits<double>::infinity();
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
    for (std::size_t u = 0; u < open_.seen.size(); ++u) excess_[open_.seen[u]] = point[u];
    const double weaker_share = open_.several_seen ? share_at(point[open_.seen.size()]) : 1;
    for (std::size_t c = 0; c < slowdowns_.size(); ++c) {
      const Crowd& crowd = stage_.crowds[c];
      SeveralFactors factors;
      for (std::size_t j = 0; j < excess_.size(); ++j)
        if (crowd.others[j] > 0 && excess_[j] != 0) factors.add(1 + excess_[j] * crowd.counts[j], crowd.others[j]);
      slowdowns_[c] = crowd.known_slowdown * factors.together(weaker_share);
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
  const OpenStage& open_;
  std::vector<double> excess_;  ///< by stage beside
  std::vector<double> slowdowns_, scale_, works_;
};

/// Points as likely as they explain the record: one per chain.
std::vector<Point> draw_points(StageLikelihood& likelihood, const OpenStage& open, std::size_t count, Random& random) {
  const std::size_t seen = open.seen.size(), unknown = seen + (open.several_seen ? 1 : 0);
  const std::size_t chains = std::max<std::size_t>(count, 2 * unknown + 8);
  std::vector<Point> points(chains);
  std::vector<double> logs;
  for (Point& point : points) {
    for (std::size_t u = 0; u < seen; ++u) point.push_back(expected_excess(random));
    if (open.several_seen) point.push_back(expected_share(random));
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

/// What a law may have of one stage.
struct PossibleRow {
  std::vector<double> factors;  ///< its row of the interference matrix
  double weaker_share = 1;
};

void look_at(const StageCrowds& stage, OpenStage& open) {
  const auto beside = [&](const Crowd& crowd, std::size_t j) {
    return open.known[j] && open.known_row[j] == 1 ? 0 : crowd.others[j];
  };
  for (std::size_t j = 0; j < open.known.size(); ++j)
    if (!open.known[j] &&
        std::any_of(stage.crowds.begin(), stage.crowds.end(), [&](const Crowd& crowd) { return crowd.others[j] > 0; }))
      open.seen.push_back(j);
  open.several_seen = open.several && std::any_of(stage.crowds.begin(), stage.crowds.end(), [&](const Crowd& crowd) {
                        int others = 0;
                        for (std::size_t j = 0; j < open.known.size(); ++j) others += beside(crowd, j);
                        return others > 1;
                      });
  if (stage.executions.empty()) open.seen.clear(), open.several_seen = false;
}

std::vector<PossibleRow> possible_rows(const StageCrowds& stage, const OpenStage& open, std::size_t count,
                                       Random& random) {
  std::vector<Point> points(count);
  if (!open.seen.empty() || open.several_seen) {
    StageLikelihood likelihood(stage, open);
    points = draw_points(likelihood, open, count, random);
  }
  std::vector<PossibleRow> rows;
  for (const Point& point : points) {
    PossibleRow& row = rows.emplace_back(PossibleRow{open.known_row});
    for (std::size_t j = 0; j < open.known.size(); ++j)
      if (!open.known[j]) row.factors[j] = 1 + expected_excess(random);
    for (std::size_t u = 0; u < open.seen.size(); ++u) row.factors[open.seen[u]] = 1 + point[u];
    if (open.several_seen) row.weaker_share = share_at(point[open.seen.size()]);
  }
  return rows;
}

/// The law without factors that several of which may do less than their product.
ContentionLaw without_measured_pairs(ContentionLaw law, const std::vector<OpenStage>& stages) {
  for (std::size_t i = 0; i < law.interference.size(); ++i)
    if (stages[i].several) law.interference[i].assign(stages.size(), 1);
  return law;
}

std::vector<OpenStage> open_stages(const ContentionLaw& certain, const KnownPairs& known) {
  std::vector<OpenStage> stages;
  for (std::size_t i = 0; i < known.size(); ++i) {
    OpenStage& open = stages.emplace_back();
    open.known_row = certain.interference.empty() ? std::vector<double>(known.size(), 1) : certain.interference[i];
    open.known = known[i];
    // Where pressures were measured they add up.
    open.several = !certain.several.empty() && certain.several[i] && certain.several[i]->answers.pressure.empty();
  }
  return stages;
}

PossibleFactor factor_of(std::vector<double> factors) {
  std::sort(factors.begin(), factors.end());
  PossibleFactor factor{percentile(factors, 0.05), percentile(factors, 0.5), percentile(factors, 0.95), false};
  factor.shown = factors.front() >= slow_down::least_factor && factor.high - factor.low < most_open * (usual - 1);
  return factor;
}

}  // namespace

ContentionPosterior contention_posterior(const PipelineRun& run, const ContentionLaw& certain, const KnownPairs& known,
                                         std::size_t count, std::uint64_t seed) {
  const std::size_t stages = run.shape.stages.size();
  ContentionPosterior result;
  result.laws.assign(count, certain);
  result.factors.assign(stages, std::vector<PossibleFactor>(stages));
  std::vector<OpenStage> open = open_stages(certain, known);
  const auto is_known = [](const OpenStage& stage) {
    return !stage.several && std::all_of(stage.known.begin(), stage.known.end(), std::identity());
  };
  if (std::all_of(open.begin(), open.end(), is_known)) return result;
  const auto crowds = crowds_of(run, without_measured_pairs(certain, open), most_watched);
  Random random(seed), unseen(~seed);
  for (std::size_t i = 0; i < stages; ++i) {
    look_at(crowds[i], open[i]);
    const auto rows = possible_rows(crowds[i], open[i], count, random);
    for (std::size_t l = 0; l < count; ++l) {
      ContentionLaw& law = result.laws[l];
      if (law.interference.empty()) law.interference.assign(stages, std::vector<double>(stages, 1));
      law.interference[i] = rows[l].factors;
      if (open[i].several)
        law.several[i]->weaker_share = open[i].several_seen ? rows[l].weaker_share : share_at(expected_share(unseen));
    }
    for (std::size_t j = 0; j < stages; ++j) {
      if (known[i][j]) continue;
      std::vector<double> factors;
      for (const PossibleRow& possible : rows) factors.push_back(possible.factors[j]);
      result.factors[i][j] = factor_of(std::move(factors));
    }
  }
  return result;
}

}  // namespace takt
