#include "pipeline/whatif/prediction_range.h"

#include <algorithm>
#include <cmath>

#include "base/basics/index.h"
#include "base/statistics/random.h"
#include "pipeline/whatif/replay.h"

namespace takt {
namespace {

constexpr std::int64_t most_batches = 500;
constexpr double most_crowd_cost = 0.4;  // bench/what_if.md: stages on more threads than cores took up to 1.3 times
                                         // what fair sharing gives
constexpr std::size_t longest_curve = 1024;

std::int64_t batches_of(const PipelineRun& run) { return static_cast<std::int64_t>(run.schedule.batches.size()); }

/// The first batches of a run, alone.
PipelineRun beginning_of(const PipelineRun& run, std::int64_t batches) {
  PipelineRun part = run;
  if (batches_of(run) <= batches) return part;
  part.schedule.batches.resize(index(batches));
  part.schedule.visits.resize(std::min(run.schedule.visits.size(), index(batches) * run.shape.stages.size()));
  part.schedule.executions.clear();
  part.counters.clear();
  for (std::size_t e = 0; e < run.schedule.executions.size(); ++e) {
    if (run.schedule.executions[e].what.batch >= batches) continue;
    part.schedule.executions.push_back(run.schedule.executions[e]);
    if (e < run.counters.size()) part.counters.push_back(run.counters[e]);
  }
  return part;
}

/// Blocks of neighbours from `from`, until there are as many: what follows on each other stays together.
std::vector<std::int64_t> resampled(const std::vector<std::int64_t>& from, Random& random) {
  const auto block = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(from.size()))));
  std::vector<std::int64_t> result;
  while (result.size() < from.size()) {
    const std::size_t begin = random() % from.size();
    for (std::size_t k = 0; k < block && result.size() < from.size(); ++k)
      result.push_back(from[(begin + k) % from.size()]);
  }
  return result;
}

/// A run's batches drawn anew. Those that warm up stay what they are.
std::vector<std::int64_t> other_batches(std::int64_t batches, std::int64_t warmup, Random& random) {
  std::vector<std::int64_t> order, settled;
  for (std::int64_t b = 0; b < batches; ++b) (b < warmup ? order : settled).push_back(b);
  if (settled.empty()) return order;
  settled = resampled(resampled(settled, random), random);
  order.insert(order.end(), settled.begin(), settled.end());
  return order;
}

/// By device: how many executions with a usual number of threads find a core for each of these.
std::vector<std::size_t> uncrowded(const PipelineRun& run) {
  std::vector<std::size_t> most(run.shape.devices.size(), longest_curve);
  if (!run.cores) return most;
  for (std::size_t d = 0; d < most.size(); ++d) {
    double threads = 0, stages = 0;
    for (std::size_t s = 0; s < run.stages.size(); ++s) {
      const auto& replicas = run.shape.stages[s].replicas;
      const auto here = [&](const std::vector<int>& parts) {
        return std::find(parts.begin(), parts.end(), static_cast<int>(d)) != parts.end();
      };
      if (!run.stages[s].threads || std::none_of(replicas.begin(), replicas.end(), here)) continue;
      threads += *run.stages[s].threads;
      stages += 1;
    }
    if (threads > 0) most[d] = std::max<std::size_t>(1, static_cast<std::size_t>(*run.cores * stages / threads));
  }
  return most;
}

/// More executions on a device than there are cores for take so much longer, beyond taking turns.
void add_crowd_cost(const PipelineRun& run, double cost, ContentionLaw& law) {
  const auto most = uncrowded(run);
  for (std::size_t d = 0; d < most.size(); ++d) {
    if (most[d] >= longest_curve) continue;
    if (law.device_curve.size() <= d) law.device_curve.resize(d + 1);
    if (!law.device_curve[d].empty()) continue;  // described
    law.device_curve[d].assign(longest_curve, 1 + cost);
    std::fill_n(law.device_curve[d].begin(), most[d], 1.0);
  }
}

/// A figure of the draws as a range around the predicted one. `same`: the prediction for the batches that were drawn.
Range<double> range_around(double predicted, double same, std::vector<double> drawn, double replay_error) {
  const double scale = same > 0 ? predicted / same : 1;
  for (double& figure : drawn) figure *= scale;
  const Range<double> range = shortest_range(std::move(drawn), predicted);
  return {range.low * (1 - std::min(replay_error, 1.0)), range.high * (1 + replay_error)};
}

/// A deviation that single batches make, as small as it is over all batches.
double over_all(double figure, double without, double share) {
  return share < 1 && figure > 0 && without > 0 ? without * std::pow(figure / without, share) : figure;
}

Range<Duration> in_us(const Range<double>& range) { return {Duration(range.low), Duration(range.high)}; }

}  // namespace

PredictionRange::PredictionRange(const PipelineRun& run, const KnownContention& known, double replay_error)
    : run_(beginning_of(run, most_batches)),
      known_(known.law),
      replay_error_(replay_error),
      laws_(known.possible.laws) {
  if (batches_of(run_) < batches_of(run))
    share_ = std::sqrt(static_cast<double>(batches_of(run_)) / static_cast<double>(batches_of(run)));
  Random random(2);
  for (ContentionLaw& law : laws_) {
    add_crowd_cost(run_, uniform(random) * most_crowd_cost, law);
    batches_.push_back(other_batches(batches_of(run_), std::min(run.warmup, batches_of(run_)), random));
  }
}

PredictionRange::Figures PredictionRange::figures_of(const Accounts& accounts) {
  Figures figures;
  figures.makespan_ns = static_cast<double>(accounts.window.length().count());
  if (accounts.cycle) figures.cycle_us = accounts.cycle->count();
  if (accounts.latency.mean) figures.latency_us = accounts.latency.mean->count();
  return figures;
}

PredictionRange::Figures PredictionRange::draw(std::span<const PipelineChange> changes, std::size_t number) const {
  const ContentionLaw& law = laws_[number];
  Figures drawn = figures_of(account(replay(run_, changes, law, batches_[number])));
  if (share_ == 1) return drawn;
  const Figures same = figures_of(account(replay(run_, changes, law)));
  drawn.makespan_ns = over_all(drawn.makespan_ns, same.makespan_ns, share_);
  if (drawn.cycle_us && same.cycle_us) drawn.cycle_us = over_all(*drawn.cycle_us, *same.cycle_us, share_);
  if (drawn.latency_us && same.latency_us) drawn.latency_us = over_all(*drawn.latency_us, *same.latency_us, share_);
  return drawn;
}

RunRanges PredictionRange::ranges(std::span<const PipelineChange> changes, const Accounts& predicted) const {
  const Figures center = figures_of(predicted);
  const Figures same = share_ == 1 ? center : figures_of(account(replay(run_, changes, known_)));
  std::vector<double> makespans, cycles, latencies;
  for (std::size_t number = 0; number < laws_.size(); ++number) {
    const Figures drawn = draw(changes, number);
    makespans.push_back(drawn.makespan_ns);
    if (drawn.cycle_us) cycles.push_back(*drawn.cycle_us);
    if (drawn.latency_us) latencies.push_back(*drawn.latency_us);
  }
  const auto around = [&](double figure, const std::optional<double>& drawn_from, std::vector<double> drawn) {
    return range_around(figure, drawn_from.value_or(figure), std::move(drawn), replay_error_);
  };
  RunRanges ranges;
  const Range<double> makespan = around(center.makespan_ns, same.makespan_ns, std::move(makespans));
  ranges.makespan = in_us({makespan.low / 1e3, makespan.high / 1e3});
  if (center.cycle_us) ranges.cycle = in_us(around(*center.cycle_us, same.cycle_us, std::move(cycles)));
  if (center.latency_us) ranges.latency = in_us(around(*center.latency_us, same.latency_us, std::move(latencies)));
  return ranges;
}

}  // namespace takt
