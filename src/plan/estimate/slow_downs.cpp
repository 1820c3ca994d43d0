#include "plan/estimate/slow_downs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "plan/costs/stage_measurement.h"

namespace takt {
namespace {

/// What a measured stage stands for; without stages, the unit whatever it runs.
struct SlowedPlace {
  int unit = 0;
  std::optional<StageSpan> stages;
};

/// Stands for a unit that was measured whatever it runs.
constexpr StageSpan whole_unit{0, 0};

bool holds(const StageSpan& block, const StageSpan& stages) {
  return block.first <= stages.first && stages.last <= block.last;
}

std::uint64_t units_key(int unit, int beside) {
  return static_cast<std::uint64_t>(unit) << 32 | static_cast<std::uint64_t>(beside);
}

/// nullopt: of a unit that the costs do not have.
std::optional<SlowedPlace> place_of(const std::string& name, const std::vector<std::string>& units, int stages,
                                    std::string_view where) {
  const auto open = name.find('[');
  const std::string unit = name.substr(0, open);
  std::optional<StageSpan> span;
  if (open != name.npos) {
    const Plan block = parse_plan(name, fmt::format("{}: '{}'", where, printable(name)));
    if (block.blocks.size() != 1 || block.blocks.front().divided() || block.blocks.front().stages.last > stages)
      refuse_input(
          fmt::format("{}: '{}' is not a block of stages 1 to {} on one unit", where, printable(name), stages));
    span = block.blocks.front().stages;
  }
  const auto found = std::find(units.begin(), units.end(), unit);
  if (found != units.end()) return SlowedPlace{static_cast<int>(found - units.begin()), span};
  if (span || std::find(all_units.begin(), all_units.end(), unit) != all_units.end()) return std::nullopt;
  refuse_input(
      fmt::format("{}: '{}' is neither a unit ({}) nor a block; name the stages of the pipeline like units or blocks "
                  "of plans: CPU, GPU[1-4]",
                  where, printable(name), fmt::join(units, ", ")));
}

/// Alone, in ns; stages that have no time of their own weigh alike.
double weight(const PlanCosts& costs, const StageSpan& stages, int unit) {
  const auto time = costs.time(stages, unit, 1);
  return time && time->count() > 0 ? static_cast<double>(time->count()) : 1;
}
double weight_of_all(const PlanCosts& costs, const StageSpan& block, int unit) {
  double sum = 0;
  for (int stage = block.first; stage <= block.last; ++stage) sum += weight(costs, {stage, stage}, unit);
  return sum;
}

class SlowedCosts final : public PlanCosts {
 public:
  SlowedCosts(std::shared_ptr<const PlanCosts> costs, std::shared_ptr<const SlowDownTable> table)
      : costs_(std::move(costs)), table_(std::move(table)) {}

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
  bool has_slow_downs() const override { return table_->is_ever_above_one() || costs_->has_slow_downs(); }
  double slow_down(StageSpan span, int unit, StageSpan other, int beside) const override {
    if (const auto known = table_->slow_down(*costs_, span, unit, other, beside)) return *known;
    return costs_->slow_down(span, unit, other, beside);
  }
  std::optional<StageContention> contention(StageSpan span, int unit) const override {
    if (auto known = table_->contention(*costs_, span, unit)) return known;
    return costs_->contention(span, unit);
  }
  std::optional<std::int64_t> memory(StageSpan span, int unit, double share) const override {
    return costs_->memory(span, unit, share);
  }
  std::optional<std::int64_t> memory_limit(int unit) const override { return costs_->memory_limit(unit); }

 private:
  std::shared_ptr<const PlanCosts> costs_;
  std::shared_ptr<const SlowDownTable> table_;
};

}  // namespace

SlowDownTable::SlowDownTable(std::span<const PairRow> pairs, std::vector<std::string> units, int stages,
                             std::string_view where, const KnownStages* answers)
    : units_(std::move(units)), stages_(stages) {
  for (const PairRow& pair : pairs) add(pair, where);
  if (!answers) return;
  for (std::size_t s = 0; s < answers->stages.size(); ++s) add(answers->stages[s], answers->contentions[s], where);
}

void SlowDownTable::add(const std::string& name, const StageContention& answers, std::string_view where) {
  const auto place = place_of(name, units_, stages_, where);
  if (!place) return;
  const StageSpan span = place->stages.value_or(whole_unit);
  has_ = has_ || std::any_of(answers.sensitivity.begin(), answers.sensitivity.end(),
                             [](const SlowDownCurve& curve) { return curve.is_ever_above_one(); });
  answers_.insert_or_assign({place->unit, span.first, span.last}, answers);
}

std::optional<StageContention> SlowDownTable::contention(const PlanCosts& costs, StageSpan span, int unit) const {
  const auto known = [&](const StageSpan& stages) {
    const auto found = answers_.find({unit, stages.first, stages.last});
    return found == answers_.end() ? nullptr : &found->second;
  };
  if (const StageContention* own = known(span)) return *own;
  std::vector<const StageContention*> inside;
  std::vector<double> shares;
  for (int stage = span.first; stage <= span.last; ++stage) {
    const StageContention* one = known({stage, stage});
    if (!one) break;
    inside.push_back(one), shares.push_back(weight(costs, {stage, stage}, unit) / weight_of_all(costs, span, unit));
  }
  if (!inside.empty() && static_cast<int>(inside.size()) == span.count()) return mean_contention(inside, shares);
  const StageContention* whole = known(whole_unit);
  return whole ? std::optional(*whole) : std::nullopt;
}

void SlowDownTable::add(const PairRow& pair, std::string_view where) {
  const auto place = place_of(pair.stage, units_, stages_, where),
             beside = place_of(pair.beside, units_, stages_, where);
  if (!place || !beside || place->unit == beside->unit) return;
  if (place->stages.has_value() != beside->stages.has_value())
    refuse_input(fmt::format("{}: '{}' with '{}': name two units or two blocks", where, printable(pair.stage),
                             printable(pair.beside)));
  const double factor = pair.significant && pair.factor ? std::max(1.0, *pair.factor) : 1;
  const auto units = units_key(place->unit, beside->unit);
  const bool is_new =
      place->stages
          ? blocks_.try_emplace(blocks_key(*place->stages, place->unit, *beside->stages, beside->unit), factor).second
          : whole_units_.try_emplace(units, factor).second;
  if (!is_new)
    refuse_input(fmt::format("{}: '{}' with '{}' is listed twice; keep one", where, printable(pair.stage),
                             printable(pair.beside)));
  has_ = has_ || factor > 1;
  if (!place->stages) return;
  Between& between = between_[units];
  between.entries.push_back({*place->stages, *beside->stages, factor});
  between.only_single_stages =
      between.only_single_stages && place->stages->count() == 1 && beside->stages->count() == 1;
}

/// Another number for every two blocks of so many units and stages.
std::uint64_t SlowDownTable::blocks_key(StageSpan span, int unit, StageSpan other, int beside) const {
  const auto stages = static_cast<std::uint64_t>(stages_) + 1, units = static_cast<std::uint64_t>(units_.size());
  std::uint64_t key = 0;
  for (const auto& [block, of] : {std::pair(span, unit), std::pair(other, beside)})
    key = ((key * units + static_cast<std::uint64_t>(of)) * stages + static_cast<std::uint64_t>(block.first)) * stages +
          static_cast<std::uint64_t>(block.last);
  return key;
}

std::optional<double> SlowDownTable::slow_down(const PlanCosts& costs, StageSpan span, int unit, StageSpan other,
                                               int beside) const {
  if (const auto found = blocks_.find(blocks_key(span, unit, other, beside)); found != blocks_.end())
    return found->second;
  if (const auto inside = of_what_is_inside(costs, span, unit, other, beside)) return inside;
  const auto found = whole_units_.find(units_key(unit, beside));
  return found == whole_units_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> SlowDownTable::of_what_is_inside(const PlanCosts& costs, StageSpan span, int unit,
                                                       StageSpan other, int beside) const {
  const auto known = between_.find(units_key(unit, beside));
  if (known == between_.end()) return std::nullopt;
  const Between& between = known->second;
  const auto is_inside = [&](const Entry& entry) { return holds(span, entry.stages) && holds(other, entry.others); };
  // A pair of larger blocks, themselves inside, says it better.
  const auto is_told_by_larger = [&](const Entry& entry) {
    return !between.only_single_stages &&
           std::any_of(between.entries.begin(), between.entries.end(), [&](const Entry& larger) {
             return holds(larger.stages, entry.stages) && holds(larger.others, entry.others) &&
                    (larger.stages != entry.stages || larger.others != entry.others) && is_inside(larger);
           });
  };
  std::optional<double> more;
  for (const Entry& entry : between.entries) {
    if (!is_inside(entry) || is_told_by_larger(entry)) continue;
    more = more.value_or(0) +
           (entry.factor - 1) * weight_of_all(costs, entry.stages, unit) * weight_of_all(costs, entry.others, beside);
  }
  if (!more) return std::nullopt;
  return 1 + *more / (weight_of_all(costs, span, unit) * weight_of_all(costs, other, beside));
}

std::shared_ptr<const PlanCosts> with_slow_downs(std::shared_ptr<const PlanCosts> costs,
                                                 std::shared_ptr<const SlowDownTable> table) {
  return std::make_shared<SlowedCosts>(std::move(costs), std::move(table));
}

std::shared_ptr<const PlanCosts> with_slow_downs(std::shared_ptr<const PlanCosts> costs, std::span<const PairRow> pairs,
                                                 std::string_view where, const KnownStages* answers) {
  auto table = std::make_shared<SlowDownTable>(pairs, costs->units(), costs->stages(), where, answers);
  return with_slow_downs(std::move(costs), std::move(table));
}

}  // namespace takt
