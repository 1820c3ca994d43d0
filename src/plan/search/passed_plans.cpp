#include "plan/search/passed_plans.h"

#include <algorithm>

namespace takt {
namespace {

constexpr std::size_t compared_at_most = 200;

bool is_ahead(const Passage& other, const Passage& plan) {
  if (other.sum > plan.sum || other.slowest > plan.slowest || other.blocks > plan.blocks) return false;
  for (std::size_t unit = 0; unit < plan.kept.size(); ++unit)
    if (other.kept[unit] > plan.kept[unit]) return false;
  return true;
}

}  // namespace

std::size_t PassedPlans::HashOfBytes::operator()(const MemoryBounds::Bytes& bytes) const {
  std::uint64_t hash = 0;
  for (const std::int64_t one : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(one)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

bool PassedPlans::note_sum(std::size_t front, const MemoryBounds::Bytes& kept, std::int64_t sum, int most) {
  const auto [found, is_new] = by_front_[front].sums.try_emplace(kept);
  constexpr std::int64_t of_map = 128;  // a node with an allocation of its own
  if (is_new) bytes_ += of_map;
  auto& sums = found->second;
  if (sums.size() == static_cast<std::size_t>(most) && sum >= sums.back()) return false;
  sums.insert(std::upper_bound(sums.begin(), sums.end(), sum), sum);
  if (sums.size() > static_cast<std::size_t>(most))
    sums.pop_back();
  else
    bytes_ += static_cast<std::int64_t>(2 * sizeof(std::int64_t));
  return true;
}

bool PassedPlans::is_behind(std::size_t front, const MemoryBounds::Bytes& kept, std::int64_t sum, int most) const {
  const auto found = by_front_[front].sums.find(kept);
  return found != by_front_[front].sums.end() && found->second.size() == static_cast<std::size_t>(most) &&
         sum > found->second.back();
}

int PassedPlans::ahead(std::size_t front, const Passage& plan, int most) const {
  const Front& passed = by_front_[front];
  int number = 0;
  const auto count = [&](const std::vector<Passage>& others, bool same) {
    for (auto other = others.rbegin(); other != others.rend() && number < most; ++other)
      if ((other->kept == plan.kept) == same && is_ahead(*other, plan)) ++number;
  };
  if (const auto found = passed.by_kept.find(plan.kept); found != passed.by_kept.end()) count(found->second, true);
  if (number < most && passed.by_kept.size() > 1) count(passed.last, false);
  return number;
}

void PassedPlans::add(std::size_t front, const Passage& plan) {
  Front& passed = by_front_[front];
  const auto [place, is_new] = passed.by_kept.try_emplace(plan.kept);
  constexpr std::int64_t of_map = 160;  // a node with an allocation of its own
  bytes_ += (is_new ? of_map : 0) + static_cast<std::int64_t>(2 * sizeof(Passage));
  place->second.push_back(plan);
  if (passed.last.size() < compared_at_most)
    passed.last.push_back(plan);
  else
    passed.last[passed.next] = plan;
  passed.next = (passed.next + 1) % compared_at_most;
}

}  // namespace takt
