#include "flow/contention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

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

// Clamped at every step, so that many factors cannot overflow.
std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a == ContentionState::unit) return b;
  if (b == ContentionState::unit) return a;
  const Wide exact = (static_cast<Wide>(a) * b + ContentionState::unit / 2) / ContentionState::unit;
  return static_cast<std::int64_t>(std::clamp<Wide>(exact, least_units, most_units));
}

}  // namespace

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
    if (resource.demand.size() != stages) {
      refuse_input(fmt::format("contention: a shared resource has {} demands; give one per stage, {}",
                               resource.demand.size(), stages));
    }
    for (const double demand : resource.demand) {
      if (!(demand >= 0 && demand <= 1)) {
        refuse_input(fmt::format("contention: a shared resource has the demand {}; use 0 to 1", demand));
      }
    }
  }
}

ContentionState::ContentionState(const ContentionLaw& law, const FlowShape& shape)
    : stages_(shape.stages.size()), running_by_stage_(shape.stages.size()), running_by_device_(shape.devices.size()) {
  check(law, shape);
  for (const auto& row : law.interference) {
    for (const double factor : row) interference_.push_back(in_units(factor));
  }
  device_curve_.resize(shape.devices.size());
  for (std::size_t d = 0; d < law.device_curve.size(); ++d) {
    for (const double factor : law.device_curve[d]) device_curve_[d].push_back(in_units(factor));
  }
  for (const auto& resource : law.resources) {
    auto& demand = demand_.emplace_back();
    for (const double share : resource.demand) demand.push_back(in_units(share));
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

ContentionState::Crowd ContentionState::crowd_on(std::size_t stage) const {
  Crowd crowd;
  for (const auto& demand : demand_) {
    if (demand[stage] == 0) continue;
    std::int64_t total = 0;
    for (std::size_t s = 0; s < stages_; ++s) total += demand[s] * running_by_stage_[s];
    if (total <= crowd.total) continue;
    const Wide room = static_cast<Wide>(unit - demand[stage]) * unit / (total - demand[stage]);
    crowd = {&demand, total, static_cast<std::int64_t>(room)};
  }
  return crowd;
}

std::int64_t ContentionState::interference_on(std::size_t stage, const Crowd& crowd) const {
  std::int64_t factor = unit;
  for (std::size_t other = 0; other < stages_; ++other) {
    std::int64_t step = interference_[stage * stages_ + other];
    if (step == unit) continue;
    if (crowd.demand && (*crowd.demand)[other] > 0)
      step = unit + static_cast<std::int64_t>(static_cast<Wide>(step - unit) * crowd.beside / unit);
    for (std::int64_t n = running_by_stage_[other] - (other == stage ? 1 : 0); n > 0; --n)
      factor = product(factor, step);
  }
  return factor;
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
  const Crowd crowd = crowd_on(stage);
  std::int64_t factor = interference_.empty() ? unit : interference_on(stage, crowd);
  factor = product(factor, device_factor(static_cast<std::size_t>(device)));
  return product(factor, crowd.total);
}

double ContentionState::counted_share(int stage, int beside) const {
  const Crowd crowd = crowd_on(static_cast<std::size_t>(stage));
  if (!crowd.demand || (*crowd.demand)[static_cast<std::size_t>(beside)] == 0) return 1;
  return static_cast<double>(crowd.beside) / static_cast<double>(unit);
}

}  // namespace takt
