// The steady state lies between warm-up and drain: the first deliveries, of as many batches as are warm-up, are left
// out, or as many as came in before the first one left, into a pipeline that was filling up, unless that were half of
// them. So are those after the last batch has started in the first stage, because from then on the first stage runs
// dry and the stages behind it have less beside them. Where that leaves too few, the last start in the stage of the
// largest load decides instead (of a shared device, in the first of its stages that gets there): it has work until
// then. What is left must be more deliveries than can leave at once; where it is not, the run has no steady part and no
// cycle.
//
// The cycle is the slope of those deliveries: their distance over their number, the inverse of the throughput. Batches
// often leave in bursts (replicas that finish side by side, a source that brings several at once), and a burst that
// either end cuts would count as whole or not at all: among 100 deliveries in bursts of 4 that is 3 %. So the distance
// is taken between each of the first `phases` deliveries and the one as far from the end, and averaged. A pattern that
// repeats after `phases` deliveries, or after a divisor of that, then has no influence at all, and any other next to
// none. A median of single distances says nothing here (0, 0, 10, 0, 0, 10 …), and a least-squares line weighs the
// middle most: of batches that come by chance (Poisson) it has a fifth more variance.
//
// The load of a stage is the time between batches that it would allow by itself: mean stage time over replicas. A
// device with bounded requests that several stages share allows no less than the sum of their executions over its
// requests, so their load is at least that. The stage with the largest load is the bottleneck.
#include "pipeline/account/steady_state.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/basics/check.h"
#include "base/basics/index.h"
#include "base/memory/large_pages.h"
#include "pipeline/record/skipped_visits.h"

namespace takt {
namespace {

/// When the stages of the largest load have started their last batch.
std::int64_t last_start(const PipelineRun& run, const std::vector<StageColumns>& sorted, const LargestLoad& load) {
  std::int64_t last = sorted[index(load.stage)].started.back();
  const auto here = [&](const std::vector<int>& parts) {
    return std::find(parts.begin(), parts.end(), load.device) != parts.end();
  };
  for (std::size_t s = 0; s < sorted.size(); ++s) {
    const auto& replicas = run.shape.stages[s].replicas;
    if (load.device >= 0 && std::any_of(replicas.begin(), replicas.end(), here))
      last = std::min(last, sorted[s].started.back());
  }
  return last;
}

/// Batches that `stage` can have inside at once.
std::size_t side_by_side(const FlowShape& shape, const FlowStage& stage) {
  const auto in_flight = static_cast<std::size_t>(shape.source.in_flight.value_or(std::int64_t{1} << 40));
  return std::min(stage.replicas.size(), in_flight);
}

/// Batches that may leave at once.
std::size_t largest_burst(const FlowShape& shape) {
  std::size_t burst = 1;
  for (const FlowStage& stage : shape.stages) burst = std::max(burst, side_by_side(shape, stage));
  return burst;
}

/// Batches that came in while the pipeline was filling up; none where those are most of all.
std::size_t filling(const Accounts& accounts, std::span<const std::int64_t> departures) {
  const auto inside = std::count_if(accounts.batches.begin(), accounts.batches.end(), [&](const BatchAccount& batch) {
    return batch.admitted.count() < departures.front();
  });
  return 2 * static_cast<std::size_t>(inside) < departures.size() ? static_cast<std::size_t>(inside) : 0;
}

/// Of the sorted departures, those between warm-up and drain.
std::span<const std::int64_t> steady_part(const PipelineRun& run, const Accounts& accounts,
                                          const std::vector<StageColumns>& sorted, const LargestLoad& load,
                                          std::span<const std::int64_t> departures) {
  departures = departures.subspan(std::max(static_cast<std::size_t>(accounts.warmup), filling(accounts, departures)));
  const auto until = [&](std::int64_t draining) {
    return departures.first(static_cast<std::size_t>(std::upper_bound(departures.begin(), departures.end(), draining) -
                                                     departures.begin()));
  };
  const auto strict = until(sorted.front().started.back());
  return strict.size() > largest_burst(run.shape) ? strict : until(last_start(run, sorted, load));
}

/// Over how many deliveries a cycle is averaged: a twentieth of them, in whole patterns. 0: they are too few.
std::size_t phases(const FlowShape& shape, std::size_t departures) {
  const std::size_t burst = largest_burst(shape);
  if (departures <= burst) return 0;
  std::size_t pattern = burst;
  const auto widen = [&](std::size_t period) {
    const std::size_t longer = std::lcm(pattern, period);
    if (4 * longer <= departures) pattern = longer;  // a longer one would leave little between the ends
  };
  const auto bound = shape.source.in_flight.value_or(1);  // each batch repeats the one that let it in
  if (bound < static_cast<std::int64_t>(departures)) widen(static_cast<std::size_t>(bound));
  for (const FlowStage& stage : shape.stages) widen(side_by_side(shape, stage));
  if (departures < 2 * pattern) return departures - pattern;
  return pattern * std::max<std::size_t>(departures / 20 / pattern, 1);
}

/// Mean distance of one from the next, of `times` in order, over `phases` of them at each end.
Duration slope(std::span<const std::int64_t> times, std::size_t phases) {
  const std::size_t apart = times.size() - phases;
  double total = 0;
  for (std::size_t i = 0; i < phases; ++i) total += static_cast<double>(times[i + apart] - times[i]);
  return Duration(total / 1e3 / static_cast<double>(phases) / static_cast<double>(apart));
}

std::optional<double> per_second(Duration between) {
  if (between.count() <= 0) return std::nullopt;
  return 1e6 / between.count();
}

/// How fast batches come to an open source, and whether the wait there grows. Arrivals have no drain, so all batches
/// after warm-up count.
void account_arrivals(Accounts& accounts) {
  const auto batches = std::span(accounts.batches).subspan(static_cast<std::size_t>(accounts.warmup));
  if (batches.size() < 2) return;
  std::vector<std::int64_t> arrivals, waits;
  for (const BatchAccount& batch : batches) {
    arrivals.push_back(batch.arrived.count());
    waits.push_back((batch.admitted - batch.arrived).count());
  }
  const std::size_t ends = std::max<std::size_t>(batches.size() / 20, 1);
  const Duration between = slope(arrivals, ends), growth = slope(waits, ends);
  accounts.arrivals_per_s = per_second(between);
  if (!accounts.arrivals_per_s || !accounts.throughput_per_s) return;
  // One part in twenty is what a short run of random arrivals can show by chance, and so is a wait of a few cycles.
  const Duration grown = growth * static_cast<double>(batches.size() - ends);
  if (growth < 0.05 * between || grown < 3 * *accounts.cycle) return;
  accounts.overload = Overload{*accounts.arrivals_per_s, *accounts.throughput_per_s, growth / between};
}

/// By device with bounded requests: the executions of one batch there, over its requests. There is a batch after the
/// warm-up.
std::vector<Duration> device_loads(const PipelineRun& run, const Accounts& accounts) {
  std::vector<Nanoseconds> executing(run.devices.size());
  for (const ShareAccount& share : accounts.device_stages)
    executing[index(share.device)] += share.executing - share.warm_up;
  const std::size_t batches = accounts.batches.size() - static_cast<std::size_t>(accounts.warmup);
  std::vector<Duration> loads;
  for (std::size_t d = 0; d < run.devices.size(); ++d) {
    const auto requests = run.shape.devices[d].requests;
    loads.push_back(requests ? Duration(executing[d]) / static_cast<double>(batches * index(*requests)) : Duration{});
  }
  return loads;
}

/// Mean over all batches after the warm-up, also those that skipped the stage.
Duration time_per_batch(const Accounts& accounts, const StageAccount& stage) {
  const auto batches = static_cast<std::int64_t>(accounts.batches.size()) - accounts.warmup;
  if (stage.time.count == batches) return *stage.time.mean;
  return Duration(stage.time.total) / static_cast<double>(batches);
}

}  // namespace

std::int64_t warm_up_batches(const PipelineRun& run) {
  const auto batches = static_cast<std::int64_t>(run.schedule.batches.size());
  return std::min(run.warmup, std::max<std::int64_t>(batches - 1, 0));
}

void account_cycle(const PipelineRun& run, const std::vector<StageColumns>& sorted,
                   const std::optional<LargestLoad>& load, Accounts& accounts) {
  if (accounts.window.length().count() > 0)
    accounts.overall_per_s =
        static_cast<double>(accounts.batches.size()) / (Duration(accounts.window.length()).count() / 1e6);
  if (!load) return;
  std::vector<std::int64_t> departures;
  reserve_large(departures, accounts.batches.size());
  for (const BatchAccount& batch : accounts.batches) departures.push_back(batch.delivered.count());
  sort_times(departures);
  const auto steady = steady_part(run, accounts, sorted, *load, departures);
  accounts.steady_deliveries = static_cast<std::int64_t>(steady.size());
  if (const std::size_t ends = phases(run.shape, steady.size()); ends > 0) {
    accounts.steady = RunWindow{Nanoseconds(steady.front()), Nanoseconds(steady.back())};
    accounts.cycle = slope(steady, ends);
    accounts.throughput_per_s = per_second(*accounts.cycle);
  }
  if (run.shape.source.open) account_arrivals(accounts);
}

void account_logged_arrivals(const PipelineRun& run, Accounts& accounts) {
  const SkippedVisits skipped(run);
  std::vector<std::int64_t> arrivals;
  for (const ExecutionRecord& record : run.schedule.executions)
    if (record.what.stage == 0 && record.what.part == 0 && record.what.phase == FlowPhase::run &&
        !skipped.of(record.what))
      arrivals.push_back(record.start.count());
  if (arrivals.size() < 2) return;
  accounts.arrivals_per_s = per_second(slope(arrivals, std::max<std::size_t>(arrivals.size() / 20, 1)));
}

std::optional<LargestLoad> account_bottleneck(const PipelineRun& run, Accounts& accounts) {
  if (accounts.batches.empty()) return std::nullopt;
  const auto shared = device_loads(run, accounts);
  std::vector<int> shared_device(accounts.stages.size(), -1);  // where the device counts for more than the stage
  std::vector<int> order;
  for (std::size_t s = 0; s < accounts.stages.size(); ++s) {
    StageAccount& stage = accounts.stages[s];
    stage.load = time_per_batch(accounts, stage) / static_cast<double>(stage.replicas);
    for (const auto& replica : run.shape.stages[s].replicas) {
      for (const int device : replica) {
        if (shared[index(device)] > stage.load) stage.load = shared[index(device)], shared_device[s] = device;
      }
    }
    order.push_back(static_cast<int>(s));
  }
  // Of stages that share the device that bounds them, the longest is named.
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const StageAccount &left = accounts.stages[index(a)], &right = accounts.stages[index(b)];
    return left.load != right.load ? left.load > right.load : left.time.total > right.time.total;
  });
  accounts.bottleneck = order.front();
  const StageAccount& first = accounts.stages[index(order.front())];
  const int device = shared_device[index(order.front())];
  for (const int s : std::span(order).subspan(1)) {
    if (device >= 0 && shared_device[index(s)] == device) continue;
    accounts.second = s;
    break;
  }
  TAKT_CHECK(!accounts.second || first.load >= accounts.stages[index(*accounts.second)].load);
  if (accounts.second && accounts.stages[index(*accounts.second)].load.count() > 0)
    accounts.margin = first.load / accounts.stages[index(*accounts.second)].load - 1;
  return LargestLoad{order.front(), device};
}

}  // namespace takt
