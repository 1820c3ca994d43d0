// The steady state lies between fill and drain: from when every stage has had a batch until the last batch has left the
// first stage. Its cycle is the median time between departures at the sink. Where replicas finish side by side,
// departures come in groups (0, 0, 10, 0, 0, 10 …) and the median of single distances means nothing, so distances are
// taken over as many departures as the pattern can have before it repeats, and divided by that number: the least common
// multiple of the stages' replicas; 1 where no stage has several.
//
// The load of a stage is the time between batches that it would allow by itself: mean stage time over replicas. A
// device with bounded requests that several stages share allows no less than the sum of their executions over its
// requests, so their load is at least that. The stage with the largest load is the bottleneck.
#include "account/steady_state.h"

#include <algorithm>
#include <numeric>

#include "core/check.h"
#include "core/index.h"
#include "core/large_pages.h"

namespace takt {
namespace {

/// The part of the sorted departures that lies between fill and drain; the whole where that leaves fewer than two.
std::span<const std::int64_t> steady_part(const PipelineRun& run, const std::vector<StageColumns>& sorted,
                                          std::span<const std::int64_t> departures) {
  const std::int64_t filled = sorted.back().started.front(), draining = sorted.front().left.back();
  if (const auto warm = static_cast<std::size_t>(run.warmup); warm + 2 <= departures.size())
    departures = departures.subspan(warm);
  const auto first = std::lower_bound(departures.begin(), departures.end(), filled);
  const auto last = std::upper_bound(departures.begin(), departures.end(), draining);
  return last - first < 2 ? departures : std::span(first, last);
}

std::size_t pattern(const FlowShape& shape, std::size_t departures) {
  std::size_t period = 1;
  // With too few departures for the whole pattern a shorter one has to do.
  for (const FlowStage& stage : shape.stages) {
    const std::size_t longer = std::lcm(period, stage.replicas.size());
    if (longer > (departures - 1) / 2) break;
    period = longer;
  }
  return period;
}

std::optional<Duration> mean_per_batch(Nanoseconds total, std::size_t batches, std::size_t servers) {
  if (batches == 0) return std::nullopt;
  return Duration(total) / static_cast<double>(batches * servers);
}

/// By device with bounded requests: the executions of one batch there, over its requests.
std::vector<Duration> device_loads(const PipelineRun& run, const Accounts& accounts) {
  std::vector<Duration> loads;
  for (std::size_t d = 0; d < run.devices.size(); ++d) {
    const auto requests = run.shape.devices[d].requests;
    loads.push_back(!requests ? Duration{}
                              : mean_per_batch(accounts.devices[d].executing, accounts.batches.size(), index(*requests))
                                    .value_or(Duration{}));
  }
  return loads;
}

}  // namespace

void account_cycle(const PipelineRun& run, const std::vector<StageColumns>& sorted, Accounts& accounts) {
  if (accounts.window.length().count() > 0)
    accounts.overall_per_s =
        static_cast<double>(accounts.batches.size()) / (Duration(accounts.window.length()).count() / 1e6);
  if (accounts.batches.size() < 2) return;
  std::vector<std::int64_t> departures;
  reserve_large(departures, accounts.batches.size());
  for (const BatchAccount& batch : accounts.batches) departures.push_back(batch.delivered.count());
  sort_times(departures);
  const auto steady = steady_part(run, sorted, departures);
  const std::size_t period = pattern(run.shape, steady.size());
  std::vector<std::int64_t> distances;
  reserve_large(distances, steady.size());
  for (std::size_t i = period; i < steady.size(); ++i) distances.push_back(steady[i] - steady[i - period]);
  accounts.cycle = *median(distances) / static_cast<double>(period);
  const Duration all = Nanoseconds(steady.back() - steady.front());
  if (all.count() > 0) accounts.throughput_per_s = static_cast<double>(steady.size() - 1) / (all.count() / 1e6);
}

void account_bottleneck(const PipelineRun& run, Accounts& accounts) {
  if (accounts.batches.empty()) return;
  const auto shared = device_loads(run, accounts);
  std::vector<int> shared_device(accounts.stages.size(), -1);  // where the device counts for more than the stage
  std::vector<int> order;
  for (std::size_t s = 0; s < accounts.stages.size(); ++s) {
    StageAccount& stage = accounts.stages[s];
    stage.load = *stage.time.mean / static_cast<double>(stage.replicas);
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
}

}  // namespace takt
