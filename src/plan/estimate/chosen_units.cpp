#include "plan/estimate/chosen_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"

namespace takt {
namespace {

class ChosenUnits final : public PlanCosts {
 public:
  ChosenUnits(std::shared_ptr<const PlanCosts> costs, std::vector<std::string> names, std::vector<int> places)
      : costs_(std::move(costs)), names_(std::move(names)), places_(std::move(places)) {}

  int stages() const override { return costs_->stages(); }
  const std::vector<std::string>& units() const override { return names_; }
  std::optional<Nanoseconds> time(StageSpan span, int unit, double share) const override {
    return costs_->time(span, there(unit), share);
  }
  std::string why_missing(StageSpan span, int unit) const override { return costs_->why_missing(span, there(unit)); }
  std::optional<Nanoseconds> transfer(int cut, int from, int to) const override {
    return costs_->transfer(cut, there(from), there(to));
  }
  std::optional<DivideCost> divide(StageSpan span, const std::vector<int>& units) const override {
    std::vector<int> there_units;
    for (const int unit : units) there_units.push_back(there(unit));
    return costs_->divide(span, there_units);
  }
  bool has_slow_downs() const override { return costs_->has_slow_downs(); }
  double slow_down(StageSpan span, int unit, StageSpan other, int beside) const override {
    return costs_->slow_down(span, there(unit), other, there(beside));
  }
  std::optional<StageContention> contention(StageSpan span, int unit) const override {
    return costs_->contention(span, there(unit));
  }
  std::optional<std::int64_t> memory(StageSpan span, int unit, double share) const override {
    return costs_->memory(span, there(unit), share);
  }
  std::optional<std::int64_t> memory_limit(int unit) const override { return costs_->memory_limit(there(unit)); }

 private:
  int there(int unit) const { return unit == host ? host : places_[index(unit)]; }

  std::shared_ptr<const PlanCosts> costs_;
  std::vector<std::string> names_;
  std::vector<int> places_;
};

}  // namespace

std::shared_ptr<const PlanCosts> with_units(std::shared_ptr<const PlanCosts> costs,
                                            const std::vector<std::string>& units) {
  const auto& known = costs->units();
  std::vector<std::string> names;
  std::vector<int> places;
  for (const std::string& word : units) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const std::string& unit) { return lower_case(unit) == lower_case(word); });
    if (found == known.end())
      refuse_input(fmt::format("there are no costs of the unit '{}'; {}", printable(word),
                               suggestion(word, known, fmt::format("use {}", fmt::join(known, ", ")))));
    if (std::find(names.begin(), names.end(), *found) != names.end())
      refuse_input(fmt::format("the unit {} is listed twice", *found));
    names.push_back(*found);
    places.push_back(static_cast<int>(found - known.begin()));
  }
  if (names.empty()) refuse_input(fmt::format("no unit is given; use {}", fmt::join(known, ", ")));
  return std::make_shared<ChosenUnits>(std::move(costs), std::move(names), std::move(places));
}

}  // namespace takt
