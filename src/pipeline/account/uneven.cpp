#include "pipeline/account/uneven.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/basics/index.h"

namespace takt {
namespace {

struct Quartiles {
  double low = 0, middle = 0, high = 0;
};

Quartiles quartiles(std::span<const std::int64_t> times) {
  std::vector<std::int64_t> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](std::size_t quarter) { return static_cast<double>(sorted[(sorted.size() - 1) * quarter / 4]); };
  return {at(1), at(2), at(3)};
}

Duration duration_of(double nanoseconds) { return Duration(nanoseconds / 1e3); }

}  // namespace

std::optional<StageDrift> drift_of(std::span<const std::int64_t> times) {
  constexpr std::size_t fewest = 50;
  constexpr double worth_a_word = 1.25;
  if (times.size() < fewest) return std::nullopt;
  const std::size_t fifth = times.size() / 5;
  const Quartiles first = quartiles(times.first(fifth)), middle = quartiles(times.subspan(2 * fifth, fifth)),
                  last = quartiles(times.last(fifth));
  const Quartiles &less = first.middle < last.middle ? first : last, &more = first.middle < last.middle ? last : first;
  const bool is_beyond_scatter = less.high < more.low;
  const bool is_on_the_way = less.middle <= middle.middle && middle.middle <= more.middle;
  if (less.middle <= 0 || more.middle < worth_a_word * less.middle || !is_beyond_scatter || !is_on_the_way)
    return std::nullopt;
  return StageDrift{duration_of(first.middle), duration_of(last.middle)};
}

std::optional<Duration> mean_execution(const ShareAccount& share) {
  if (share.executions == 0) return std::nullopt;
  return Duration(share.executing) / static_cast<double>(share.executions);
}

void compare_devices(const PipelineRun& run, std::vector<ShareAccount>& shares) {
  constexpr double much_longer = 1.5;
  for (ShareAccount& share : shares) {
    if (run.shape.stages[index(share.stage)].split() || share.executions == 0) continue;
    std::vector<Duration> others;
    for (const ShareAccount& other : shares)
      if (other.stage == share.stage && other.device != share.device && other.executions > 0)
        others.push_back(*mean_execution(other));
    if (others.empty()) continue;
    std::sort(others.begin(), others.end());
    const Duration usual = others[others.size() / 2];
    if (usual.count() > 0 && *mean_execution(share) >= much_longer * usual) share.others = usual;
  }
}

}  // namespace takt
