#include "plan/estimate/measured_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/statistics/random.h"

namespace takt {
namespace {

constexpr int knots = 20;

GraphSize part_of(const GraphSize& size, int twentieths) {
  const auto part = [&](std::int64_t whole) { return (whole * twentieths + knots / 2) / knots; };
  return {std::max<std::int64_t>(1, part(size.nodes)), part(size.edges)};
}

std::string block_name(const StageSpan& stages, const std::string& unit) {
  return fmt::format("{} {} on {}", stages.count() == 1 ? "stage" : "stages", to_string(stages), unit);
}

class MeasuredCosts final : public PlanCosts {
 public:
  MeasuredCosts(std::shared_ptr<const CostLookup> lookup, const MeasuredCostSettings& settings)
      : lookup_(std::move(lookup)),
        settings_(settings),
        stages_(static_cast<int>(stages_of(lookup_->network()).size())) {
    for (const UnitRange& range : lookup_->ranges())
      if (std::find(units_.begin(), units_.end(), range.unit) == units_.end()) units_.push_back(range.unit);
    if (units_.empty()) refuse_input("the costs have no rows; measure some stages first");
    times_.resize(units_.size() * index(stages_) * index(stages_));
    for (const UnitRange& range : lookup_->ranges()) {
      const auto unit = std::find(units_.begin(), units_.end(), range.unit) - units_.begin();
      if (range.last <= stages_) times_[place({range.first, range.last}, static_cast<int>(unit))] = times_of(range);
    }
    copies_.assign(units_.size(), {std::vector<double>(index(stages_)), std::vector<double>(index(stages_))});
    if (settings_.copies) find_copies();
  }

  int stages() const override { return stages_; }
  const std::vector<std::string>& units() const override { return units_; }

  std::optional<Nanoseconds> time(StageSpan span, int unit, double share) const override {
    const auto& times = times_[place(span, unit)];
    if (times.empty()) return std::nullopt;
    const double at = std::clamp(share * knots - 1, 0.0, knots - 1.0);
    const auto below = std::min<std::size_t>(static_cast<std::size_t>(at), knots - 2);
    const double part = at - static_cast<double>(below);
    return Nanoseconds(std::llround(times[below] + part * (times[below + 1] - times[below])));
  }
  std::string why_missing(StageSpan span, int unit) const override {
    return lookup_->cost({units_[index(unit)], span.first, span.last}, settings_.size).reason;
  }
  std::optional<Nanoseconds> transfer(int cut, int from, int to) const override {
    if (from == to) return Nanoseconds(0);
    const double out = from == host || cut == 0 ? 0 : copies_[index(from)].out[index(cut - 1)];
    const double in = to == host || cut == stages_ ? 0 : copies_[index(to)].in[index(cut)];
    return Nanoseconds(std::llround(out + in));
  }
  std::optional<DivideCost> divide(StageSpan, const std::vector<int>&) const override { return settings_.divide; }

 private:
  std::size_t place(StageSpan span, int unit) const {
    return (index(unit) * index(stages_) + index(span.first - 1)) * index(stages_) + index(span.last - 1);
  }

  /// In ns by twentieths of a batch, from the first; empty: the whole batch has no time. A smaller share takes no
  /// longer than a larger one, whatever the noise of its row: the whole batch has the last word, as plans without
  /// shares are made of it.
  std::vector<double> times_of(const UnitRange& range) const {
    const auto cost_at = [&](const GraphSize& size) {
      return settings_.by_law ? lookup_->cost_by_law(range, size).cost : lookup_->cost(range, size).cost;
    };
    const auto whole = cost_at(settings_.size);
    if (!whole) return {};
    std::vector<double> times(knots, std::numeric_limits<double>::infinity());
    times.back() = whole->mean.count() * 1000;
    for (int knot = knots - 1; knot > 0; --knot) {
      const auto cost = cost_at(part_of(settings_.size, knot));
      auto& time = times[index(knot) - 1];
      time = std::min(cost ? cost->mean.count() * 1000 : time, times[index(knot)]);
    }
    return times;
  }

  /// By stage, in ns: into the runtime's memory before it, and out of it behind. What one stage alone takes in and
  /// gives away goes before what a range does, which may be more.
  struct Copies {
    std::vector<double> in, out;
  };
  void find_copies() {
    const auto keep = [](double& kept, const std::optional<Duration>& copy) {
      if (copy && kept == 0) kept = copy->count() * 1000;
    };
    for (const UnitRange& range : lookup_->ranges()) {  // single stages come before ranges that begin there
      if (range.last > stages_) continue;
      const auto unit = std::find(units_.begin(), units_.end(), range.unit) - units_.begin();
      keep(copies_[index(unit)].in[index(range.first - 1)], lookup_->inputs_copy(range, settings_.size));
      if (range.first == range.last)
        keep(copies_[index(unit)].out[index(range.last - 1)], lookup_->outputs_copy(range, settings_.size));
    }
    for (const UnitRange& range : lookup_->ranges()) {
      if (range.last > stages_) continue;
      const auto unit = std::find(units_.begin(), units_.end(), range.unit) - units_.begin();
      keep(copies_[index(unit)].out[index(range.last - 1)], lookup_->outputs_copy(range, settings_.size));
    }
  }

  std::shared_ptr<const CostLookup> lookup_;
  MeasuredCostSettings settings_;
  int stages_;
  std::vector<std::string> units_;
  std::vector<Copies> copies_;
  std::vector<std::vector<double>> times_;
};

/// Another generator for every range of every draw.
std::uint64_t seed_of(std::uint64_t draw, const UnitRange& range) {
  return fingerprint(fmt::format("{} {} {} {}", draw, range.unit, range.first, range.last));
}

class OneDraw final : public PlanCosts {
 public:
  OneDraw(std::shared_ptr<const PlanCosts> costs, std::shared_ptr<const DrawnCosts::Errors> errors, std::uint64_t draw)
      : costs_(std::move(costs)), errors_(std::move(errors)), draw_(draw) {}

  int stages() const override { return costs_->stages(); }
  const std::vector<std::string>& units() const override { return costs_->units(); }
  std::optional<Nanoseconds> time(StageSpan span, int unit, double share) const override {
    const auto mean = costs_->time(span, unit, share);
    const UnitRange range{units()[index(unit)], span.first, span.last};
    const auto errors = errors_->find(range);
    if (!mean || errors == errors_->end()) return mean;
    Random random(seed_of(draw_, range));
    const Duration error = DrawnError(errors->second, random).at(share, Duration(*mean));
    return std::max(Nanoseconds(0), *mean + std::chrono::round<Nanoseconds>(error));
  }
  std::string why_missing(StageSpan span, int unit) const override { return costs_->why_missing(span, unit); }
  std::optional<Nanoseconds> transfer(int cut, int from, int to) const override {
    return costs_->transfer(cut, from, to);
  }
  std::optional<DivideCost> divide(StageSpan span, const std::vector<int>& units) const override {
    return costs_->divide(span, units);
  }

 private:
  std::shared_ptr<const PlanCosts> costs_;
  std::shared_ptr<const DrawnCosts::Errors> errors_;
  std::uint64_t draw_;
};

}  // namespace

std::shared_ptr<const PlanCosts> measured_costs(std::shared_ptr<const CostLookup> lookup,
                                                const MeasuredCostSettings& settings) {
  return std::make_shared<MeasuredCosts>(std::move(lookup), settings);
}

std::vector<std::string> extrapolated_blocks(const Plan& plan, const CostLookup& lookup, const GraphSize& size) {
  std::vector<std::string> blocks;
  for (const PlanBlock& block : plan.blocks)
    for (const PlanPart& part : block.parts) {
      const auto cost = lookup.cost({part.unit, block.stages.first, block.stages.last}, size).cost;
      if (cost && cost->origin == CostOrigin::extrapolated) blocks.push_back(block_name(block.stages, part.unit));
    }
  return blocks;
}

DrawnCosts::DrawnCosts(std::shared_ptr<const PlanCosts> costs, const CostLookup& lookup, const GraphSize& size)
    : costs_(std::move(costs)) {
  auto errors = std::make_shared<Errors>();
  for (const UnitRange& range : lookup.ranges())
    if (auto known = lookup.errors(range, size)) errors->emplace(range, std::move(*known));
  errors_ = std::move(errors);
}

std::shared_ptr<const PlanCosts> DrawnCosts::draw(std::uint64_t number) const {
  return std::make_shared<OneDraw>(costs_, errors_, number);
}

std::vector<std::string> DrawnCosts::blocks_without_errors(const Plan& plan) const {
  std::vector<std::string> blocks;
  for (const PlanBlock& block : plan.blocks)
    for (const PlanPart& part : block.parts)
      if (!errors_->contains({part.unit, block.stages.first, block.stages.last}))
        blocks.push_back(block_name(block.stages, part.unit));
  return blocks;
}

}  // namespace takt
