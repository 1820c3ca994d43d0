#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "plan/sets/set.h"

namespace takt {
namespace {

/// Larger than any sum of costs, and twice it still fits.
constexpr std::int64_t not_possible = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t ns_of(const PlanSet::Cost& cost) { return cost ? cost->count() : not_possible; }

std::vector<std::int64_t> ns_of(std::span<const PlanSet::Cost> costs) {
  std::vector<std::int64_t> list;
  for (const PlanSet::Cost& cost : costs) list.push_back(ns_of(cost));
  if (list.empty() || *std::min_element(list.begin(), list.end()) >= not_possible)
    refuse_input("plan set: none of the plans can run one of the batches; compile the set with its size");
  return list;
}

int least(const std::vector<std::int64_t>& list) {
  return static_cast<int>(std::min_element(list.begin(), list.end()) - list.begin());
}

void add_up(SwitchedStream& stream, const std::vector<std::vector<PlanSet::Cost>>& costs, Nanoseconds switch_cost) {
  for (std::size_t batch = 0; batch < stream.plans.size(); ++batch) {
    stream.total += *costs[batch][index(stream.plans[batch])];
    if (batch == 0 || stream.plans[batch] == stream.plans[batch - 1]) continue;
    ++stream.switches;
    stream.total += switch_cost;
  }
}

}  // namespace

SwitchedStream best_switching(const std::vector<std::vector<PlanSet::Cost>>& costs, Nanoseconds switch_cost) {
  std::vector<std::vector<int>> before;  // by batch and plan: the plan of the batch before
  std::vector<std::int64_t> total;       // by plan: of the batches so far, the last of them under it
  for (const auto& batch : costs) {
    const auto now = ns_of(batch);
    if (total.empty()) total.assign(now.size(), 0);
    const int cheapest = least(total);
    const std::int64_t changed = total[index(cheapest)] + (before.empty() ? 0 : switch_cost.count());
    auto& from = before.emplace_back();
    for (std::size_t plan = 0; plan < now.size(); ++plan) {
      const bool stays = total[plan] <= changed;
      from.push_back(stays ? static_cast<int>(plan) : cheapest);
      total[plan] = std::min(not_possible, (stays ? total[plan] : changed) + now[plan]);
    }
  }
  SwitchedStream stream;
  if (costs.empty()) return stream;
  int plan = least(total);
  for (std::size_t batch = costs.size(); batch-- > 0;) {
    stream.plans.push_back(plan);
    plan = before[batch][index(plan)];
  }
  std::reverse(stream.plans.begin(), stream.plans.end());
  add_up(stream, costs, switch_cost);
  return stream;
}

/// Of the plans under which enough was missed: that under which most was, if it is paid for, else the best so far. −1:
/// none. `alone_` holds this batch, too.
int PlanChooser::worth_changing_to(const std::vector<std::int64_t>& costs) const {
  const auto is_enough = [&](int plan) {
    const std::int64_t missed = missed_[index(plan)];
    return missed > 0 && missed >= switch_cost_ && costs[index(plan)] < not_possible;
  };
  const int most = static_cast<int>(std::max_element(missed_.begin(), missed_.end()) - missed_.begin());
  const int best_so_far = least(alone_);
  const bool is_paid = so_far_ + switch_cost_ + costs[index(most)] <= alone_[index(best_so_far)];
  if (is_enough(most) && (is_paid || most == best_so_far)) return most;
  return is_enough(best_so_far) ? best_so_far : -1;
}

int PlanChooser::choose(std::span<const PlanSet::Cost> costs) {
  const auto now = ns_of(costs);
  for (std::size_t plan = 0; plan < now.size(); ++plan) alone_[plan] = std::min(not_possible, alone_[plan] + now[plan]);
  int next = current_ < 0 ? least(now) : -1;
  if (current_ >= 0) {
    for (std::size_t plan = 0; plan < now.size(); ++plan)
      missed_[plan] = std::clamp<std::int64_t>(missed_[plan] + now[index(current_)] - now[plan], 0, not_possible);
    // Where nothing else is possible there is no choice.
    next = now[index(current_)] >= not_possible ? least(now) : worth_changing_to(now);
  }
  if (next >= 0) {
    if (current_ >= 0) so_far_ += switch_cost_;
    std::fill(missed_.begin(), missed_.end(), 0);
    current_ = next;
  }
  so_far_ += now[index(current_)];
  return current_;
}

SwitchedStream chosen_switching(const std::vector<std::vector<PlanSet::Cost>>& costs, Nanoseconds switch_cost) {
  SwitchedStream stream;
  if (costs.empty()) return stream;
  PlanChooser chooser(costs.front().size(), switch_cost);
  for (const auto& batch : costs) stream.plans.push_back(chooser.choose(batch));
  add_up(stream, costs, switch_cost);
  return stream;
}

}  // namespace takt
