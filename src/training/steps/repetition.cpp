#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "training/steps/steps.h"

namespace takt {
namespace {

/// A name and the distances between its occurrences.
struct Recurring {
  std::uint32_t name = 0;
  std::size_t first = 0, last = 0, count = 0;
  double distance = 0;
};

/// Names whose occurrences are about equally far apart.
std::vector<Recurring> recurring_names(const std::vector<std::uint32_t>& sequence) {
  struct Sum {
    std::size_t first = 0, last = 0, count = 0;
    double squares = 0;
  };
  std::unordered_map<std::uint32_t, Sum> sums;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const auto [found, is_new] = sums.try_emplace(sequence[i], Sum{i, i, 1, 0});
    Sum& sum = found->second;
    if (is_new) continue;
    const auto distance = static_cast<double>(i - sum.last);
    sum.squares += distance * distance;
    sum.last = i;
    ++sum.count;
  }
  constexpr double most_variation = 0.25;
  std::vector<Recurring> names;
  for (const auto& [name, sum] : sums) {
    if (sum.count < 2) continue;
    const auto gaps = static_cast<double>(sum.count - 1);
    const double mean = static_cast<double>(sum.last - sum.first) / gaps;
    const double variance = std::max(0.0, sum.squares / gaps - mean * mean);
    if (std::sqrt(variance) <= most_variation * mean) names.push_back({name, sum.first, sum.last, sum.count, mean});
  }
  std::sort(names.begin(), names.end(), [](const Recurring& a, const Recurring& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.first < b.first;
  });
  return names;
}

/// A name seen twice has one distance, which agrees with itself: its voice counts less.
double voice(const Recurring& name) { return name.count > 2 ? 1 : 0.5; }

/// The names that agree best on a distance, to 5 %; they are taken out of `names`, which are by distance.
std::vector<Recurring> take_best_agreement(std::vector<Recurring>& names) {
  double voices = 0, most = 0;
  std::size_t begin = 0, best_begin = 0, best_end = 0;
  for (std::size_t end = 0; end < names.size(); ++end) {
    voices += voice(names[end]);
    while (names[begin].distance * 1.05 < names[end].distance) voices -= voice(names[begin++]);
    if (voices <= most) continue;
    most = voices;
    best_begin = begin;
    best_end = end + 1;
  }
  const auto from = names.begin() + static_cast<std::ptrdiff_t>(best_begin);
  const auto to = names.begin() + static_cast<std::ptrdiff_t>(best_end);
  std::vector<Recurring> best(from, to);
  names.erase(from, to);
  return best;
}

/// How many of the pairs one distance apart are the same, each name with one voice.
double sameness(const std::vector<std::uint32_t>& sequence, std::size_t distance) {
  struct Tally {
    std::size_t same = 0, all = 0;
  };
  constexpr std::size_t most_looked_at = 100'000;
  std::unordered_map<std::uint32_t, Tally> tallies;
  for (std::size_t i = 0; i + distance < sequence.size(); i += sequence.size() / most_looked_at + 1) {
    Tally& tally = tallies[sequence[i]];
    ++tally.all;
    // A few events more or less in a step move what follows.
    const std::size_t slack = std::min(distance / 50 + 1, std::size_t{8});
    for (std::size_t j = i + distance - std::min(slack, distance - 1);
         j <= std::min(i + distance + slack, sequence.size() - 1); ++j) {
      if (sequence[j] != sequence[i]) continue;
      ++tally.same;
      break;
    }
  }
  double sum = 0;
  for (const auto& [name, tally] : tallies) sum += static_cast<double>(tally.same) / static_cast<double>(tally.all);
  return tallies.empty() ? 0 : sum / static_cast<double>(tallies.size());
}

/// The names that agree on the length of a step. Names of layers can agree, too, on a part of a step, and be more; but
/// what does not come again in each part, such as the loss, speaks against it.
std::vector<Recurring> names_of_a_step(const std::vector<std::uint32_t>& sequence) {
  constexpr double least_sameness = 0.6, as_good = 0.05;
  constexpr int most_tried = 12;
  std::vector<Recurring> left = recurring_names(sequence), best;
  double most = 0;
  for (int tried = 0; tried < most_tried && !left.empty(); ++tried) {
    std::vector<Recurring> agreed = take_best_agreement(left);
    const double distance = agreed[agreed.size() / 2].distance;
    if (distance < 2) continue;
    const double same = sameness(sequence, static_cast<std::size_t>(std::llround(distance)));
    const bool is_shorter = !best.empty() && distance < best[best.size() / 2].distance;
    if (same < least_sameness || same < most - (is_shorter ? as_good : 0)) continue;
    if (!is_shorter && !best.empty() && same < most + as_good) continue;
    most = std::max(most, same);
    best = std::move(agreed);
  }
  return best;
}

}  // namespace

std::vector<std::size_t> find_repetition(const std::vector<std::uint32_t>& sequence) {
  constexpr double whole_step = 0.8, longer_than_step = 1.2;  // of the distance
  const std::vector<Recurring> agreed = names_of_a_step(sequence);
  if (agreed.empty()) return {};
  const double distance = agreed[agreed.size() / 2].distance;
  const auto first = std::min_element(agreed.begin(), agreed.end(), [](const Recurring& a, const Recurring& b) {
    return a.first != b.first ? a.first < b.first : a.count > b.count;
  });
  // Steps go round, so any place in them may be their beginning: the front of the sequence is the best one, as nothing
  // is left out there.
  const std::size_t ahead = static_cast<double>(first->first) < distance ? first->first : 0;
  std::vector<std::size_t> begins;
  for (std::size_t i = first->first; i <= first->last; ++i) {
    if (sequence[i] == first->name) begins.push_back(i - ahead);
  }
  const auto rest = static_cast<double>(sequence.size() - begins.back());
  // What goes on for longer than a step is something else: the decoder behind the steps of a diffusion.
  if (rest > longer_than_step * distance)
    begins.push_back(begins.back() + static_cast<std::size_t>(std::llround(distance)));
  else if (rest >= whole_step * distance)
    begins.push_back(sequence.size());
  if (begins.size() < 3) return {};
  return begins;
}

}  // namespace takt
