#include "plan/measured_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/index.h"

namespace takt {
namespace {

constexpr int knots = 20;

GraphSize part_of(const GraphSize& size, int twentieths) {
  const auto part = [&](std::int64_t whole) { return (whole * twentieths + knots / 2) / knots; };
  return {std::max<std::int64_t>(1, part(size.nodes)), part(size.edges)};
}

class MeasuredCosts final : public PlanCosts {
 public:
  MeasuredCosts(std::shared_ptr<const CostLookup> lookup, const MeasuredCostSettings& settings)
      : lookup_(std::move(lookup)),
        settings_(settings),
        stages_(static_cast<int>(stages_of(lookup_->network()).size())) {
    for (const UnitRange& range : lookup_->ranges())
      if (std::find(units_.begin(), units_.end(), range.unit) == units_.end()) units_.push_back(range.unit);
    if (units_.empty()) refuse_input("the costs have no row; measure some stages first");
    times_.resize(units_.size() * index(stages_) * index(stages_));
    for (const UnitRange& range : lookup_->ranges()) {
      const auto unit = std::find(units_.begin(), units_.end(), range.unit) - units_.begin();
      if (range.last <= stages_) times_[place({range.first, range.last}, static_cast<int>(unit))] = times_of(range);
    }
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
  std::optional<Nanoseconds> transfer(int, int, int) const override { return Nanoseconds(0); }
  std::optional<DivideCost> divide(StageSpan, const std::vector<int>&) const override { return settings_.divide; }

 private:
  std::size_t place(StageSpan span, int unit) const {
    return (index(unit) * index(stages_) + index(span.first - 1)) * index(stages_) + index(span.last - 1);
  }

  /// In ns by twentieths of a batch, from the first; empty: the whole batch has no time. A smaller share takes no
  /// longer than a larger one, whatever the noise of its row: the whole batch has the last word, as plans without
  /// shares are made of it.
  std::vector<double> times_of(const UnitRange& range) const {
    const auto whole = lookup_->cost(range, settings_.size).cost;
    if (!whole) return {};
    std::vector<double> times(knots, std::numeric_limits<double>::infinity());
    times.back() = whole->mean.count() * 1000;
    for (int knot = knots - 1; knot > 0; --knot) {
      const auto cost = lookup_->cost(range, part_of(settings_.size, knot)).cost;
      auto& time = times[index(knot) - 1];
      time = std::min(cost ? cost->mean.count() * 1000 : time, times[index(knot)]);
    }
    return times;
  }

  std::shared_ptr<const CostLookup> lookup_;
  MeasuredCostSettings settings_;
  int stages_;
  std::vector<std::string> units_;
  std::vector<std::vector<double>> times_;
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
      if (cost && cost->origin == CostOrigin::extrapolated)
        blocks.push_back(fmt::format("{} {} on {}", block.stages.count() == 1 ? "stage" : "stages",
                                     to_string(block.stages), part.unit));
    }
  return blocks;
}

}  // namespace takt
