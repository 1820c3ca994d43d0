#include "measure/compare/disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr double noticeable_waiting = 0.05;  // below, it does not show in typical times
constexpr double usual_walks = 0.2, cost_of_walks = 0.5, noticeable_walks = 0.4;  // logarithms, and a part of them

using Side = std::span<const RecordedProfile>;

std::optional<double> waiting_of(Side side) {
  std::vector<double> shares;
  for (const RecordedProfile& profile : side)
    if (profile.waiting_share) shares.push_back(*profile.waiting_share);
  return mean(shares);
}

double log_of_waiting(Side side) {
  double sum = 0;
  for (const RecordedProfile& profile : side) sum -= std::log1p(-std::min(0.99, profile.waiting_share.value_or(0)));
  return sum / static_cast<double>(side.size());
}

std::optional<double> log_of_walks(Side side) {
  double sum = 0;
  for (const RecordedProfile& profile : side) {
    if (!profile.cache_walk_ns) return std::nullopt;
    sum += std::log(*profile.cache_walk_ns);
  }
  return sum / static_cast<double>(side.size());
}

/// Of one processor's caches: two kinds cannot be compared.
std::optional<double> log_of_walks(Side before, Side after) {
  for (const Side side : {before, after})
    for (const RecordedProfile& profile : side)
      if (profile.from.cpu != before.front().from.cpu) return std::nullopt;
  const auto first = log_of_walks(before), second = log_of_walks(after);
  return first && second ? std::optional(*second - *first) : std::nullopt;
}

}  // namespace

double log_of_disturbance(Side before, Side after) {
  const double walks = log_of_walks(before, after).value_or(0);
  const double beyond = std::copysign(std::max(0.0, std::abs(walks) - usual_walks), walks);
  return log_of_waiting(after) - log_of_waiting(before) + cost_of_walks * beyond;
}

std::vector<std::string> what_the_machine_did(Side before, Side after) {
  std::vector<std::string> sentences;
  const double first = waiting_of(before).value_or(0), second = waiting_of(after).value_or(0);
  if (std::max(first, second) >= noticeable_waiting)
    sentences.push_back(
        fmt::format("the machine was busy: of the CPU time that the runs needed, they waited for {:.0f} % before and "
                    "{:.0f} % after",
                    first * 100, second * 100));
  const double walks = log_of_walks(before, after).value_or(0);
  if (std::abs(walks) >= noticeable_walks)
    sentences.push_back(
        fmt::format("cache accesses took {:.1f} times as long {}: another process or virtual machine was on the same "
                    "core, which slows down everything",
                    std::exp(std::abs(walks)), walks > 0 ? "after" : "before"));
  return sentences;
}

}  // namespace takt
