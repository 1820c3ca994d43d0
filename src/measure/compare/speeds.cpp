#include "measure/compare/speeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr std::size_t fewest_for_speeds = 40;
constexpr double rarest_speed = 0.1;  // of the samples that go at the rarer speed
constexpr double least_gap = 0.03;    // logarithm; below, a coarse clock's steps look like speeds
constexpr double most_between = 0.1;  // samples between the speeds, for each at the rarer one

/// Where two groups of sorted values are as far apart as they can be, measured by what lies within them.
std::size_t best_split(std::span<const double> sorted) {
  const std::size_t count = sorted.size();
  double sum = 0, best = 0, below = 0;
  for (const double value : sorted) sum += value;
  std::size_t split = 0;
  for (std::size_t i = 1; i < count; ++i) {
    below += sorted[i - 1];
    const auto first = static_cast<double>(i), second = static_cast<double>(count - i);
    const double apart = below / first - (sum - below) / second;
    const double between = first * second * apart * apart;
    if (between > best) best = between, split = i;
  }
  return split;
}

double median_of_sorted(std::span<const double> sorted) { return sorted[sorted.size() / 2]; }

/// Samples of whole runs without records, where there are some.
const std::vector<Nanoseconds>& whole_run_samples(const RecordedProfile& profile) {
  return profile.plain_samples.empty() ? profile.samples : profile.plain_samples;
}

}  // namespace

double TwoSpeeds::gap() const { return std::log(slow / fast); }

std::optional<TwoSpeeds> two_speeds(std::span<const Nanoseconds> samples) {
  std::vector<double> logs;
  for (const Nanoseconds sample : samples)
    if (sample.count() > 0) logs.push_back(std::log(static_cast<double>(sample.count())));
  if (logs.size() < fewest_for_speeds) return std::nullopt;
  std::sort(logs.begin(), logs.end());
  const std::size_t split = best_split(logs);
  const std::size_t rarer = std::min(split, logs.size() - split);
  if (static_cast<double>(rarer) < rarest_speed * static_cast<double>(logs.size())) return std::nullopt;
  const double fast = median_of_sorted(std::span(logs).first(split)),
               slow = median_of_sorted(std::span(logs).subspan(split));
  const double third = (slow - fast) / 3;
  const auto between = std::lower_bound(logs.begin(), logs.end(), slow - third) -
                       std::upper_bound(logs.begin(), logs.end(), fast + third);
  if (slow - fast < least_gap || static_cast<double>(between) > most_between * static_cast<double>(rarer))
    return std::nullopt;
  return TwoSpeeds{std::exp(fast), std::exp(slow),
                   static_cast<double>(logs.size() - split) / static_cast<double>(logs.size())};
}

std::optional<TwoSpeeds> two_speeds_of(std::span<const RecordedProfile> side) {
  std::optional<TwoSpeeds> widest;
  for (const RecordedProfile& profile : side)
    if (const auto found = two_speeds(whole_run_samples(profile)); found && (!widest || found->gap() > widest->gap()))
      widest = found;
  return widest;
}

std::vector<std::string> notes_on_speeds(const SpeedsOfSides& speeds) {
  std::vector<std::string> notes;
  for (const bool is_after : {false, true})
    if (const auto& found = is_after ? speeds.after : speeds.before)
      notes.push_back(
          fmt::format("the runs {} go at two speeds: {:.0f} % of them take {}, the others {}; which of the "
                      "two a run has is chance, so intervals reach over both unless each side has three "
                      "profiles",
                      is_after ? "after" : "before", 100 * (1 - found->slow_share),
                      format_duration(Duration(found->fast / 1000)), format_duration(Duration(found->slow / 1000))));
  return notes;
}

}  // namespace takt
