#include "plan/slow_downs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/error.h"
#include "core/index.h"
#include "core/text.h"
#include "costs/stage_measurement.h"

namespace takt {
namespace {

/// What a measured stage stands for; without stages, the unit whatever it runs.
struct SlowedPlace {
  int unit = 0;
  std::optional<StageSpan> stages;
};
using SlowedPair = std::tuple<int, StageSpan, int, StageSpan>;

bool holds(const StageSpan& block, const StageSpan& stages) {
  return block.first <= stages.first && stages.last <= block.last;
}

class SlowedCosts final : public PlanCosts {
 public:
  SlowedCosts(std::shared_ptr<const PlanCosts> costs, std::span<const PairRow> pairs, std::string_view where)
      : costs_(std::move(costs)) {
    for (const PairRow& pair : pairs) {
      const auto place = place_of(pair.stage, where), beside = place_of(pair.beside, where);
      if (!place || !beside || place->unit == beside->unit) continue;
      if (place->stages.has_value() != beside->stages.has_value())
        refuse_input(fmt::format("{}: '{}' beside '{}': name two units or two blocks", where, printable(pair.stage),
                                 printable(pair.beside)));
      const double factor = pair.significant && pair.factor ? std::max(1.0, *pair.factor) : 1;
      const StageSpan all{1, stages()};
      const bool is_new =
          (place->stages ? blocks_ : units_)
              .try_emplace({place->unit, place->stages.value_or(all), beside->unit, beside->stages.value_or(all)},
                           factor)
              .second;
      if (!is_new)
        refuse_input(fmt::format("{}: '{}' beside '{}' is there twice; keep one", where, printable(pair.stage),
                                 printable(pair.beside)));
      has_ = has_ || factor > 1;
    }
  }

  int stages() const override { return costs_->stages(); }
  const std::vector<std::string>& units() const override { return costs_->units(); }
  std::optional<Nanoseconds> time(StageSpan span, int unit, double share) const override {
    return costs_->time(span, unit, share);
  }
  std::string why_missing(StageSpan span, int unit) const override { return costs_->why_missing(span, unit); }
  std::optional<Nanoseconds> transfer(int cut, int from, int to) const override {
    return costs_->transfer(cut, from, to);
  }
  std::optional<DivideCost> divide(StageSpan span, const std::vector<int>& units) const override {
    return costs_->divide(span, units);
  }
  bool has_slow_downs() const override { return has_ || costs_->has_slow_downs(); }
  double slow_down(StageSpan span, int unit, StageSpan other, int beside) const override {
    if (const auto found = blocks_.find({unit, span, beside, other}); found != blocks_.end()) return found->second;
    if (const auto inside = of_what_is_inside(span, unit, other, beside)) return *inside;
    const StageSpan all{1, stages()};
    if (const auto found = units_.find({unit, all, beside, all}); found != units_.end()) return found->second;
    return costs_->slow_down(span, unit, other, beside);
  }
  std::optional<std::int64_t> memory(StageSpan span, int unit, double share) const override {
    return costs_->memory(span, unit, share);
  }
  std::optional<std::int64_t> memory_limit(int unit) const override { return costs_->memory_limit(unit); }

 private:
  /// nullopt: of a unit that the costs do not have.
  std::optional<SlowedPlace> place_of(const std::string& name, std::string_view where) const {
    const auto open = name.find('[');
    const std::string unit = name.substr(0, open);
    std::optional<StageSpan> span;
    if (open != name.npos) {
      const Plan block = parse_plan(name, fmt::format("{}: '{}'", where, printable(name)));
      if (block.blocks.size() != 1 || block.blocks.front().divided() || block.blocks.front().stages.last > stages())
        refuse_input(
            fmt::format("{}: '{}' is no block of stages 1 to {} on one unit", where, printable(name), stages()));
      span = block.blocks.front().stages;
    }
    const auto found = std::find(units().begin(), units().end(), unit);
    if (found != units().end()) return SlowedPlace{static_cast<int>(found - units().begin()), span};
    if (span || std::find(all_units.begin(), all_units.end(), unit) != all_units.end()) return std::nullopt;
    refuse_input(
        fmt::format("{}: '{}' is no unit ({}) and no block; name the stages of the pipeline as units or blocks of "
                    "plans: CPU, GPU[1-4]",
                    where, printable(name), fmt::join(units(), ", ")));
  }

  /// Alone, in ns; stages that have no time of their own weigh alike.
  double weight(const StageSpan& stages, int unit) const {
    const auto time = costs_->time(stages, unit, 1);
    return time && time->count() > 0 ? static_cast<double>(time->count()) : 1;
  }
  double weight_of_all(const StageSpan& block, int unit) const {
    double sum = 0;
    for (int stage = block.first; stage <= block.last; ++stage) sum += weight({stage, stage}, unit);
    return sum;
  }

  /// A pair of larger blocks, themselves inside of `span` and `other`, says it better.
  bool is_told_by_larger(const SlowedPair& pair, const StageSpan& span, const StageSpan& other) const {
    const auto& [unit, stages, beside, others] = pair;
    return std::any_of(blocks_.begin(), blocks_.end(),
                       [&, unit = unit, stages = stages, beside = beside, others = others](const auto& entry) {
                         const auto& [slowed, larger, by, larger_others] = entry.first;
                         return slowed == unit && by == beside && holds(larger, stages) &&
                                holds(larger_others, others) && (larger != stages || larger_others != others) &&
                                holds(span, larger) && holds(other, larger_others);
                       });
  }

  std::optional<double> of_what_is_inside(const StageSpan& span, int unit, const StageSpan& other, int beside) const {
    std::optional<double> more;
    for (const auto& [pair, factor] : blocks_) {
      const auto& [slowed, stages, by, others] = pair;
      if (slowed != unit || by != beside || !holds(span, stages) || !holds(other, others)) continue;
      if (is_told_by_larger(pair, span, other)) continue;
      more = more.value_or(0) + (factor - 1) * weight_of_all(stages, unit) * weight_of_all(others, beside);
    }
    if (!more) return std::nullopt;
    return 1 + *more / (weight_of_all(span, unit) * weight_of_all(other, beside));
  }

  std::shared_ptr<const PlanCosts> costs_;
  std::map<SlowedPair, double> blocks_, units_;
  bool has_ = false;
};

}  // namespace

std::shared_ptr<const PlanCosts> with_slow_downs(std::shared_ptr<const PlanCosts> costs, std::span<const PairRow> pairs,
                                                 std::string_view where) {
  return std::make_shared<SlowedCosts>(std::move(costs), pairs, where);
}

}  // namespace takt
