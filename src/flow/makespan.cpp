#include "flow/makespan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/basics/error.h"

namespace takt {
namespace {

__extension__ using Wide = __int128;

std::int64_t in_range(Wide ns) {
  if (ns > std::numeric_limits<std::int64_t>::max()) {
    refuse_input("makespan: it ends beyond 292 years; use shorter times or fewer batches");
  }
  return static_cast<std::int64_t>(ns);
}

void check_times(std::size_t given, const FlowShape& shape) {
  if (given == shape.stages.size()) return;
  refuse_input(
      fmt::format("makespan: there are times for {} stages; give one per stage, {}", given, shape.stages.size()));
}

void check_time(Nanoseconds time, std::size_t stage) {
  if (time.count() < 0) refuse_input(fmt::format("stage {}: it takes {} ns; a time is 0 or more", stage, time.count()));
}

}  // namespace

bool has_fast_makespan(const FlowShape& shape) {
  if (shape.source.open || !shape.source.batches || !is_chain(shape)) return false;
  std::vector<std::int64_t> wanted(shape.devices.size());
  for (const auto& stage : shape.stages) {
    for (const auto& replica : stage.replicas) {
      for (const int device : replica) ++wanted[static_cast<std::size_t>(device)];
    }
  }
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    if (const auto& requests = shape.devices[d].requests; requests && *requests < wanted[d]) return false;
  }
  return true;
}

std::optional<Nanoseconds> MakespanCalculator::fixed(const FlowShape& shape, std::span<const Nanoseconds> stage_times) {
  check_times(stage_times.size(), shape);
  if (!has_fast_makespan(shape)) return std::nullopt;
  const std::int64_t batches = *shape.source.batches;
  Wide total = 0;
  for (std::size_t s = 0; s < stage_times.size(); ++s) {
    check_time(stage_times[s], s);
    total += stage_times[s].count();
  }
  in_range(total * batches);
  if (batches == 0) return Nanoseconds(0);
  lay_out(shape, batches);
  for (std::size_t s = 0; s < lanes_.size(); ++s) lanes_[s].time = stage_times[s].count();
  return Nanoseconds(last_delivery<true>(batches, {}));
}

std::optional<Nanoseconds> MakespanCalculator::ordered(const FlowShape& shape, std::span<const Nanoseconds> times) {
  if (!has_fast_makespan(shape)) return std::nullopt;
  for (const auto& stage : shape.stages) {
    if (!stage.ordered && stage.replicas.size() > 1) return std::nullopt;
  }
  const std::int64_t batches = *shape.source.batches;
  if (static_cast<Wide>(times.size()) != static_cast<Wide>(batches) * static_cast<Wide>(shape.stages.size())) {
    refuse_input(
        fmt::format("makespan: there are {} times for {} batches in {} stages; give one for each batch in each stage",
                    times.size(), batches, shape.stages.size()));
  }
  Wide total = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    check_time(times[i], i % shape.stages.size());
    total += times[i].count();
  }
  in_range(total);
  if (batches == 0) return Nanoseconds(0);
  lay_out(shape, batches);
  return Nanoseconds(last_delivery<false>(batches, times));
}

// History of the last `ring_` batches; entries of batches before the first are 0, which delays nobody.
void MakespanCalculator::lay_out(const FlowShape& shape, std::int64_t batches) {
  const auto within = [&](std::int64_t n) { return static_cast<std::size_t>(std::min(n, batches)); };
  lanes_.clear();
  const auto in_flight = shape.source.in_flight.value_or(batches);
  bounded_ = in_flight < batches;
  in_flight_ = bounded_ ? static_cast<std::size_t>(in_flight) : 1;
  std::size_t longest = in_flight_;
  for (const auto& stage : shape.stages) {
    lanes_.push_back({0, within(static_cast<std::int64_t>(stage.replicas.size())), within(stage.queue)});
    longest = std::max({longest, lanes_.back().replicas, lanes_.back().queue});
  }
  ring_ = std::bit_ceil(longest + 1);
  start_.assign(ring_ * (lanes_.size() + 1), 0);
  left_.assign(ring_ * lanes_.size(), 0);
}

template <bool same_for_all>
std::int64_t MakespanCalculator::last_delivery(std::int64_t batches, std::span<const Nanoseconds> times) {
  const std::size_t mask = ring_ - 1, stages = lanes_.size();
  // Behind the last stage lies a row of zeros: the sink always takes, and delays nobody.
  const std::int64_t* const zeros = start_.data() + stages * ring_;
  const std::int64_t* const delivered = bounded_ ? left_.data() + (stages - 1) * ring_ : zeros;
  std::int64_t before = 0;
  for (std::size_t m = 0; m < static_cast<std::size_t>(batches); ++m) {
    std::int64_t* start = start_.data();
    std::int64_t* left = left_.data();
    before = std::max(start[(m - lanes_[0].queue) & mask], delivered[(m - in_flight_) & mask]);
    for (std::size_t s = 0; s < stages; ++s, start += ring_, left += ring_) {
      const Lane& lane = lanes_[s];
      const std::int64_t begin = std::max(before, left[(m - lane.replicas) & mask]);
      start[m & mask] = begin;
      const std::size_t next_queue = s + 1 < stages ? lanes_[s + 1].queue : 0;
      const std::int64_t time = same_for_all ? lane.time : times[m * stages + s].count();
      before = std::max(begin + time, (start + ring_)[(m - next_queue) & mask]);
      if (!same_for_all) before = std::max(before, left[(m - 1) & mask]);
      left[m & mask] = before;
    }
  }
  return before;
}

}  // namespace takt
