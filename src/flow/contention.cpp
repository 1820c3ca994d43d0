#include "flow/contention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"

namespace takt {
namespace {

__extension__ using Wide = __int128;

constexpr double least_factor = 0.01, most_factor = 1e6;
constexpr std::int64_t least_units = ContentionState::unit / 100, most_units = ContentionState::unit * 1'000'000;

void check_factor(double factor, const char* where) {
  if (!(factor >= least_factor && factor <= most_factor)) {
    refuse_input(
        fmt::format("contention: {} has the factor {}; use {} to {}", where, factor, least_factor, most_factor));
  }
}

std::int64_t in_units(double factor) { return std::llround(factor * static_cast<double>(ContentionState::unit)); }

double as_factor(std::int64_t units) { return static_cast<double>(units) / static_cast<double>(ContentionState::unit); }

// Clamped at every step, so that many factors cannot overflow.
std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a == ContentionState::unit) return b;
  if (b == ContentionState::unit) return a;
  const Wide exact = (static_cast<Wide>(a) * b + ContentionState::unit / 2) / ContentionState::unit;
  return static_cast<std::int64_t>(std::clamp<Wide>(exact, least_units, most_units));
}

std::int64_t bounded_units(double factor) { return in_units(std::clamp(factor, least_factor, most_factor)); }

void check_shares(const std::vector<double>& shares, std::size_t stages, const char* what) {
  if (shares.size() != stages)
    refuse_input(
        fmt::format("contention: {} of {} stages are given; give one per stage, {}", what, shares.size(), stages));
  for (const double share : shares)
    if (!(share >= 0 && share <= 1)) refuse_input(fmt::format("contention: {} are {}; use 0 to 1", what, share));
}

void check_several(const ContentionLaw& law, std::size_t stages) {
  if (!law.several.empty() && law.several.size() != stages)
    refuse_input(fmt::format("contention: slowdowns by several stages are given for {} stages; give them for {}",
                             law.several.size(), stages));
  for (const auto& one : law.several) {
    if (!one) continue;
    if (const double share = one->weaker_share.value_or(1); !(share >= 0 && share <= 1))
      refuse_input(fmt::format("contention: the share of weaker slowdowns is {}; use 0 to 1", share));
    if (one->answers.pressure.size() != one->answers.sensitivity.size())
      refuse_input(
          "contention: a stage has different numbers of pressures and sensitivities; give one of each per resource");
  }
}

}  // namespace

// As much work as two of them: beside n others at most (n + 1) / 2 times the factor.
void SeveralFactors::add_replicas(double factor, double count) {
  const double one = std::log(factor);
  add_ln(one, std::min(count * one, std::max(0.0, one) + std::log((count + 1) / 2)));
}

double SeveralFactors::together(double weaker_share) const {
  return std::exp(largest_ + weaker_share * (sum_ - largest_));
}

void check(const ContentionLaw& law, const FlowShape& shape) {
  const std::size_t stages = shape.stages.size();
  if (!law.interference.empty() && law.interference.size() != stages) {
    refuse_input(fmt::format("contention: the interference matrix has {} rows; give one per stage, {}",
                             law.interference.size(), stages));
  }
  for (const auto& row : law.interference) {
    if (row.size() != stages) {
      refuse_input(fmt::format("contention: a row of the interference matrix has {} entries; give one per stage, {}",
                               row.size(), stages));
    }
    for (const double factor : row) check_factor(factor, "the interference matrix");
  }
  if (law.device_curve.size() > shape.devices.size()) {
    refuse_input(fmt::format("contention: there are curves for {} devices; the pipeline has {}",
                             law.device_curve.size(), shape.devices.size()));
  }
  for (const auto& curve : law.device_curve) {
    for (const double factor : curve) check_factor(factor, "a device's curve");
  }
  for (const auto& resource : law.resources) {
    check_shares(resource.pressure, stages, "pressures on a shared resource");
    check_shares(resource.sensitivity, stages, "sensitivities to a shared resource");
  }
  if (!law.core_share.empty()) check_shares(law.core_share, stages, "shares of the cores");
  check_several(law, stages);
}

ContentionState::ContentionState(const ContentionLaw& law, const FlowShape& shape)
    : stages_(shape.stages.size()),
      running_by_stage_(shape.stages.size()),
      running_by_device_(shape.devices.size()),
      combination_(law.combination),
      several_(law.several) {
  check(law, shape);
  for (const auto& row : law.interference) {
    for (const double factor : row) interference_.push_back(in_units(factor));
  }
  if (interference_.empty() && !several_.empty()) interference_.assign(stages_ * stages_, unit);
  device_curve_.resize(shape.devices.size());
  for (std::size_t d = 0; d < law.device_curve.size(); ++d) {
    for (const double factor : law.device_curve[d]) device_curve_[d].push_back(in_units(factor));
  }
  for (const double share : law.core_share) core_share_.push_back(in_units(share));
  for (const SharedResource& resource : law.resources) {
    Use& use = uses_.emplace_back(Use{resource.law, resource.sensitivity, {}});
    for (std::size_t s = 0; s < stages_; ++s)
      if (resource.pressure[s] > 0) use.pressing.emplace_back(s, resource.pressure[s]);
  }
}

void ContentionState::start(int stage, int device) {
  ++running_by_stage_[static_cast<std::size_t>(stage)];
  ++running_by_device_[static_cast<std::size_t>(device)];
}

void ContentionState::stop(int stage, int device) {
  --running_by_stage_[static_cast<std::size_t>(stage)];
  --running_by_device_[static_cast<std::size_t>(device)];
}

ContentionState::Turns ContentionState::turns_of(std::size_t stage) const {
  if (core_share_.empty() || core_share_[stage] == 0) return {};
  std::int64_t wanted = 0;
  for (std::size_t s = 0; s < stages_; ++s) wanted += core_share_[s] * running_by_stage_[s];
  if (wanted <= unit) return {};
  const Wide room = static_cast<Wide>(unit - core_share_[stage]) * unit / (wanted - core_share_[stage]);
  return {wanted, static_cast<std::int64_t>(room)};
}

std::int64_t ContentionState::pair_factor(std::size_t stage, std::size_t other, const Turns& turns) const {
  const std::int64_t factor = interference_[stage * stages_ + other];
  if (factor == unit || !turns.are_taken() || core_share_[other] == 0) return factor;
  return unit + static_cast<std::int64_t>(static_cast<Wide>(factor - unit) * turns.beside / unit);
}

std::int64_t ContentionState::product_of_pairs(std::size_t stage, const Turns& turns) const {
  std::int64_t factor = unit;
  for (std::size_t other = 0; other < stages_; ++other) {
    const std::int64_t step = pair_factor(stage, other, turns);
    if (step == unit) continue;
    for (std::int64_t n = beside(stage, other); n > 0; --n) factor = product(factor, step);
  }
  return factor;
}

bool ContentionState::is_added(const BesideSeveral& several, std::size_t other) const {
  const auto& theirs = several_[other];
  return !several.answers.pressure.empty() && theirs &&
         theirs->answers.pressure.size() == several.answers.pressure.size();
}

/// What those do to the stage whose pressures are known; 1 where there is none.
double ContentionState::added_pressures(std::size_t stage, const BesideSeveral& several, const Turns& turns) const {
  std::vector<double> pressure(several.answers.pressure.size());
  double largest = 1;
  bool any = false;
  for (std::size_t other = 0; other < stages_; ++other) {
    const std::int64_t n = beside(stage, other);
    if (n == 0 || !is_added(several, other)) continue;
    any = true;
    largest = std::max(largest, as_factor(pair_factor(stage, other, turns)));
    for (std::size_t r = 0; r < pressure.size(); ++r)
      pressure[r] += static_cast<double>(n) * several_[other]->answers.pressure[r];
  }
  if (!any) return 1;
  // What was measured holds the waiting for cores; that is counted apart.
  const double beyond = std::max(1.0, slow_down_under(several.answers, pressure) / as_factor(turns.wanted));
  return std::max(largest, 1 + (beyond - 1) * as_factor(turns.beside));
}

std::int64_t ContentionState::measured_pairs(std::size_t stage, const BesideSeveral& several,
                                             const Turns& turns) const {
  SeveralFactors factors;
  for (std::size_t other = 0; other < stages_; ++other) {
    const auto n = static_cast<double>(beside(stage, other));
    if (n == 0 || is_added(several, other)) continue;
    const double factor = as_factor(pair_factor(stage, other, turns));
    other == stage && !several.weaker_share ? factors.add_replicas(factor, n) : factors.add(factor, n);
  }
  factors.add(added_pressures(stage, several, turns), 1);
  return bounded_units(factors.together(several.weaker_share.value_or(1)));
}

/// Where nothing but the product of the pairs is meant, in integers.
bool ContentionState::are_a_product(std::size_t stage, const BesideSeveral& several) const {
  std::int64_t others = 0, added = 0;
  for (std::size_t other = 0; other < stages_; ++other) {
    others += beside(stage, other);
    if (is_added(several, other)) added += beside(stage, other);
  }
  const bool replicas_may_be_full = !several.weaker_share && beside(stage, stage) > 1;
  return others < 2 || (several.weaker_share.value_or(1) == 1 && !replicas_may_be_full && added < 2);
}

std::int64_t ContentionState::pairs_factor(std::size_t stage, const Turns& turns) const {
  if (interference_.empty()) return unit;
  if (several_.empty() || !several_[stage] || are_a_product(stage, *several_[stage]))
    return product_of_pairs(stage, turns);
  return measured_pairs(stage, *several_[stage], turns);
}

std::int64_t ContentionState::resources_factor(std::size_t stage) const {
  Combined combined(combination_);
  for (const Use& use : uses_) {
    if (use.sensitivity[stage] == 0) continue;
    double pressure = 0;
    for (const auto& [other, one] : use.pressing) pressure += static_cast<double>(beside(stage, other)) * one;
    if (pressure > 0) combined.add(slow_down_under(use.law, use.sensitivity[stage], pressure));
  }
  return bounded_units(combined.factor());
}

std::int64_t ContentionState::device_factor(std::size_t device) const {
  const auto& curve = device_curve_[device];
  const auto running = static_cast<std::size_t>(running_by_device_[device]);
  if (curve.empty() || running == 0) return unit;
  if (running <= curve.size()) return curve[running - 1];
  const Wide beyond = static_cast<Wide>(curve.back()) * running_by_device_[device];
  if (curve.size() == 1) return static_cast<std::int64_t>(std::min<Wide>(beyond, most_units));
  return static_cast<std::int64_t>(std::min<Wide>(beyond / static_cast<Wide>(curve.size()), most_units));
}

std::int64_t ContentionState::slowdown(int stage_number, int device) const {
  const auto stage = static_cast<std::size_t>(stage_number);
  const Turns turns = turns_of(stage);
  std::int64_t factor = product(pairs_factor(stage, turns), device_factor(static_cast<std::size_t>(device)));
  if (!uses_.empty()) factor = product(factor, resources_factor(stage));
  return product(factor, turns.wanted);
}

double ContentionState::counted_share(int stage, int beside) const {
  const Turns turns = turns_of(static_cast<std::size_t>(stage));
  if (!turns.are_taken() || core_share_[static_cast<std::size_t>(beside)] == 0) return 1;
  return as_factor(turns.beside);
}

}  // namespace takt
